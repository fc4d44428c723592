//! Builds the concept graph of a segment from its posting lists (SPEC 25.1, 25.2).

use crate::index::layout::low_u32;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const DOCUMENTS_MIN: u32 = 20;
const DOCUMENTS_MAX: u32 = 65_536;
/// A term is no concept if it is in more than 1/`SHARE` of the documents, or in more than `LIST_MAX` documents.
const SHARE: u32 = 8;
const LIST_MAX: u32 = 1_000;
/// The least impact of a concept. Words of a title or tag reach it, and so do repeated words of the body.
const IMPACT_MIN: u8 = 150;
const CONCEPTS_MAX: usize = 24;
const COMMON_MIN: u32 = 3;
const NEIGHBOURS_MAX: u32 = 8;
const WEIGHT_MAX: u64 = 255;

/// A neighbour of a concept: its number, and the weight of the edge to it.
type Edge = (u32, u8);

/// A term that may be a concept of a document: its impact (reversed, so that the largest sorts first) and its number.
type Ranked = (Reverse<u8>, u32);

/// Builds the bytes of a concept graph's section.
#[derive(Debug)]
pub struct GraphWriter {
    longest: usize,
    /// The concepts of each document.
    concepts: Vec<Vec<Ranked>>,
    terms: u32,
}

impl GraphWriter {
    /// An empty graph of `documents` documents.
    #[must_use]
    pub fn new(documents: u32) -> Self {
        let fits = (DOCUMENTS_MIN..=DOCUMENTS_MAX).contains(&documents);
        let longest = if fits { (documents / SHARE).min(LIST_MAX) } else { 0 };
        let concepts = vec![Vec::new(); if fits { documents as usize } else { 0 }];
        Self { longest: longest as usize, concepts, terms: 0 }
    }

    /// Adds the posting list of the next term of the dictionary.
    pub fn push(&mut self, list: &[(u32, u8)]) {
        if (COMMON_MIN as usize..=self.longest).contains(&list.len()) {
            for (number, impact) in list.iter().filter(|(_, impact)| *impact >= IMPACT_MIN) {
                if let Some(concepts) = self.concepts.get_mut(*number as usize) {
                    concepts.push((Reverse(*impact), self.terms));
                }
            }
        }
        self.terms += 1;
    }

    /// Returns the bytes of the section; empty if no two concepts are neighbours.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        for found in &mut self.concepts {
            found.sort_unstable();
            found.truncate(CONCEPTS_MAX);
        }
        let mut edges = join(&self.concepts);
        lower_hubs(&mut edges);
        encode(&edges)
    }
}

/// Finds the neighbours of each concept, given the concepts of each document.
fn join(concepts: &[Vec<Ranked>]) -> BTreeMap<u32, Vec<Edge>> {
    let mut documents: BTreeMap<u32, Vec<&[Ranked]>> = BTreeMap::new();
    for terms in concepts {
        for (_, term) in terms {
            documents.entry(*term).or_default().push(terms);
        }
    }
    let mut edges = BTreeMap::new();
    let mut common = vec![0_u32; documents.keys().next_back().map_or(0, |last| *last as usize + 1)];
    let mut seen = Vec::new();
    for (concept, own) in &documents {
        for (_, term) in own.iter().copied().flatten() {
            if let Some(common) = common.get_mut(*term as usize) {
                if *common == 0 {
                    seen.push(*term);
                }
                *common += 1;
            }
        }
        let mut found = Vec::new();
        for term in seen.drain(..) {
            let both = common.get_mut(term as usize).map(std::mem::take).unwrap_or_default();
            if both >= COMMON_MIN && term != *concept {
                let other = documents.get(&term).map_or(1, Vec::len);
                found.push((term, association(both, own.len() as u64 * other as u64)));
            }
        }
        if !found.is_empty() {
            found.sort_unstable_by_key(|edge| rank(*edge));
            found.truncate(NEIGHBOURS_MAX as usize);
            edges.insert(*concept, found);
        }
    }
    edges
}

/// Ochiai's coefficient in 1/256: documents with both terms / sqrt(product of the two terms' document counts).
fn association(both: u32, product: u64) -> u8 {
    let squared = (u64::from(both) * u64::from(both)) << 16;
    low_byte((squared / product.max(1)).isqrt())
}

/// Lowers the weights of edges to hubs. A hub is a term with n > 8 neighbours; the weights of its edges are divided by
/// sqrt(n / 8).
fn lower_hubs(edges: &mut BTreeMap<u32, Vec<Edge>>) {
    let mut pointing: BTreeMap<u32, u32> = BTreeMap::new();
    for (term, _) in edges.values().flatten() {
        *pointing.entry(*term).or_default() += 1;
    }
    for neighbours in edges.values_mut() {
        for (term, weight) in neighbours.iter_mut() {
            let pointing = pointing.get(term).copied().unwrap_or(0).max(NEIGHBOURS_MAX);
            let squared = u64::from(*weight) * u64::from(*weight) * u64::from(NEIGHBOURS_MAX);
            *weight = low_byte((squared / u64::from(pointing)).isqrt());
        }
        neighbours.sort_unstable_by_key(|edge| rank(*edge));
    }
}

fn rank((term, weight): Edge) -> Ranked {
    (Reverse(weight), term)
}

fn low_byte(weight: u64) -> u8 {
    u8::try_from(weight.clamp(1, WEIGHT_MAX)).unwrap_or(u8::MAX)
}

fn encode(edges: &BTreeMap<u32, Vec<Edge>>) -> Vec<u8> {
    if edges.is_empty() {
        return Vec::new();
    }
    let mut end = 0;
    let ends = edges.values().map(|neighbours| {
        end += neighbours.len();
        low_u32(end)
    });
    let mut table = vec![low_u32(edges.len())];
    table.extend(edges.keys());
    table.extend(ends);
    table.extend(edges.values().flatten().map(|(term, _)| term));
    let mut section: Vec<u8> = table.into_iter().flat_map(u32::to_le_bytes).collect();
    section.extend(edges.values().flatten().map(|(_, weight)| weight));
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(documents: u32, lists: &[&[(u32, u8)]]) -> Vec<u8> {
        let mut writer = GraphWriter::new(documents);
        for list in lists {
            writer.push(list);
        }
        writer.finish()
    }

    const LIST: &[(u32, u8)] = &[(1, 160), (2, 150), (3, 255), (4, 149)];

    #[test]
    fn neither_few_nor_very_many_documents_have_a_graph() {
        assert!(!section(32, &[LIST, LIST]).is_empty());
        assert!(!section(65_536, &[LIST, LIST]).is_empty());
        assert!(section(65_537, &[LIST, LIST]).is_empty());
        // Each list has four documents, and 4 of 31 is more than an eighth.
        assert!(section(31, &[LIST, LIST]).is_empty());
        assert!(section(19, &[&LIST[..3], &LIST[..3]]).is_empty());
    }

    #[test]
    fn two_concepts_are_neighbours_that_three_documents_have_in_common() {
        let numbers = |section: Vec<u8>| section.chunks(4).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let found = numbers(section(64, &[LIST, &[], &LIST[..3], &[(1, 160), (2, 160), (4, 160)]]));
        // The expected graph: concepts 0 and 2 are neighbours only of each other, with weight 255 because they are in
        // the same documents.
        let table = [2_u32, 0, 2, 1, 2, 2, 0].map(|number| number.to_le_bytes().to_vec());
        assert_eq!(found, [&table[..], &[vec![255, 255]]].concat());
    }
}
