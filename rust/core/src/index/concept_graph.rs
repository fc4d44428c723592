//! The concept graph: links terms that often occur together in a project's memories, and expands queries by them (SPEC
//! 25).

use crate::index::dictionary::Dictionary;
use crate::index::layout::u32_at;
use std::collections::{BTreeMap, BTreeSet};

/// The maximal number of hops from a query term to a term that expands the query.
pub const HOPS: usize = 2;

const EXPANSION_MAX: usize = 16;

/// The concept graph of a segment, read in place without decoding it first.
#[derive(Debug, Clone, Copy)]
pub struct ConceptGraph<'a> {
    dictionary: Dictionary<'a>,
    concepts: &'a [u8],
    ends: &'a [u8],
    neighbours: &'a [u8],
    weights: &'a [u8],
}

impl<'a> ConceptGraph<'a> {
    /// Opens the graph in the bytes of a section; `dictionary` contains the graph's terms. An inconsistent section
    /// gives an empty graph.
    #[must_use]
    pub fn new(section: &'a [u8], dictionary: Dictionary<'a>) -> Self {
        let empty = Self { dictionary, concepts: &[], ends: &[], neighbours: &[], weights: &[] };
        empty.split(section).unwrap_or(empty)
    }

    fn split(self, section: &'a [u8]) -> Option<Self> {
        let table_bytes = (u32_at(section, 0)? as usize).checked_mul(4)?;
        let (concepts, rest) = section.get(4..)?.split_at_checked(table_bytes)?;
        let (ends, rest) = rest.split_at_checked(table_bytes)?;
        if rest.len() % 5 != 0 {
            return None;
        }
        let (neighbours, weights) = rest.split_at_checked(rest.len() / 5 * 4)?;
        Some(Self { concepts, ends, neighbours, weights, ..self })
    }

    /// Each neighbour of a term with its weight of 1 to 255, in 1/256; heaviest first. Empty if the term has no
    /// neighbour.
    #[must_use]
    pub fn neighbours(&self, term: &str) -> Vec<(&'a str, u32)> {
        let number = self.dictionary.find(term.as_bytes());
        number.map(|number| self.name(self.edges(number))).unwrap_or_default()
    }

    /// The terms that can be reached from the terms of a query in at most `hops` hops and are not in the query. At most
    /// sixteen terms, heaviest first.
    ///
    /// `query` has distinct terms with weights of 1 to 256. `decay` is the share of a weight that each hop keeps, in
    /// 1/256. If a term can be reached in several ways, the largest weight counts.
    #[must_use]
    pub fn expand(&self, query: &[(&str, u32)], hops: usize, decay: u32) -> Vec<(&'a str, u32)> {
        let number_of = |(term, weight): &(&str, u32)| Some((self.dictionary.find(term.as_bytes())?, *weight));
        let mut front: BTreeMap<u32, u32> = query.iter().filter_map(number_of).collect();
        let own: BTreeSet<u32> = front.keys().copied().collect();
        let mut found = BTreeMap::new();
        for _ in 0..hops {
            let mut reached = BTreeMap::new();
            for (number, weight) in front {
                for (neighbour, strength) in self.edges(number) {
                    let activation = (weight * strength * decay) >> 16;
                    if activation > found.get(&neighbour).copied().unwrap_or(0) && !own.contains(&neighbour) {
                        found.insert(neighbour, activation);
                        reached.insert(neighbour, activation);
                    }
                }
            }
            front = reached;
        }
        let mut heaviest: Vec<_> = found.into_iter().collect();
        heaviest.sort_by(|(a, a_weight), (b, b_weight)| b_weight.cmp(a_weight).then(a.cmp(b)));
        self.name(heaviest.into_iter().take(EXPANSION_MAX))
    }

    /// The numbers and weights of the neighbours of a term.
    fn edges(&self, number: u32) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let range = self.find(number).unwrap_or_default();
        let neighbours = self.neighbours.get(4 * range.start..4 * range.end).unwrap_or_default();
        let weights = self.weights.get(range).unwrap_or_default();
        let numbers = neighbours.chunks_exact(4).filter_map(|four| u32_at(four, 0));
        numbers.zip(weights.iter().copied().map(u32::from))
    }

    /// The range of a term's neighbours in `neighbours` and `weights`; `None` if it has none.
    fn find(&self, number: u32) -> Option<std::ops::Range<usize>> {
        let (mut low, mut high) = (0, self.concepts.len() / 4);
        while low < high {
            let middle = low + (high - low) / 2;
            if u32_at(self.concepts, 4 * middle)? < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        u32_at(self.concepts, 4 * low).filter(|found| *found == number)?;
        let start = if low == 0 { 0 } else { u32_at(self.ends, 4 * (low - 1))? };
        Some(start as usize..u32_at(self.ends, 4 * low)? as usize)
    }

    /// Replaces the numbers of terms with their texts; numbers without a text are dropped.
    fn name(&self, edges: impl Iterator<Item = (u32, u32)>) -> Vec<(&'a str, u32)> {
        let text_of = |number| std::str::from_utf8(self.dictionary.text(number)).ok().filter(|text| !text.is_empty());
        edges.filter_map(|(number, weight)| Some((text_of(number)?, weight))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::concept_graph_writer::GraphWriter;
    use crate::index::dictionary::{DictionaryWriter, Entry};

    /// The dictionary and the graph, as bytes, of a segment with 64 documents; `lists` gives the documents of each
    /// term.
    fn sections(lists: &[(&str, std::ops::Range<u32>)]) -> (Vec<u8>, Vec<u8>) {
        let (mut dictionary, mut graph) = (DictionaryWriter::default(), GraphWriter::new(64));
        for (text, documents) in lists {
            let entry = Entry { offset: 0, documents: documents.end - documents.start, max: 200 };
            dictionary.push(text.as_bytes(), entry);
            graph.push(&documents.clone().map(|number| (number, 200)).collect::<Vec<_>>());
        }
        (dictionary.finish(), graph.finish())
    }

    #[test]
    fn an_expansion_goes_on_from_what_it_reached_but_not_back() {
        let (dictionary, section) =
            sections(&[("deploy", 0..4), ("helm", 1..7), ("kubernet", 4..10), ("rare", 20..22)]);
        let graph = ConceptGraph::new(&section, Dictionary::new(&dictionary));
        // The weights are 3 / sqrt(4 * 6) and 3 / sqrt(6 * 6), in 1/256.
        assert_eq!(graph.neighbours("helm"), [("deploy", 156), ("kubernet", 128)]);
        assert_eq!(graph.neighbours("rare"), []);
        assert_eq!(graph.expand(&[("deploy", 256)], 1, 128), [("helm", 78)]);
        assert_eq!(graph.expand(&[("deploy", 256)], 2, 128), [("helm", 78), ("kubernet", 19)]);
        assert_eq!(graph.expand(&[("deploy", 256), ("helm", 256)], 2, 128), [("kubernet", 64)]);
        assert_eq!(graph.expand(&[("deploy", 256)], 0, 128), []);
    }

    #[test]
    fn a_damaged_graph_says_less_but_never_fails() {
        let (dictionary, section) = sections(&[("a", 0..4), ("b", 0..5), ("c", 1..6)]);
        for place in 0..section.len() {
            let mut damaged = section.clone();
            damaged[place] ^= 0xff;
            let graph = ConceptGraph::new(&damaged, Dictionary::new(&dictionary));
            assert!(graph.expand(&[("a", 256), ("b", 256)], 2, 256).len() <= 1);
            assert!(ConceptGraph::new(&section[..place], Dictionary::new(&dictionary)).neighbours("c").len() <= 2);
        }
    }
}
