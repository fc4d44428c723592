//! Cosines of tf-idf vectors, and the fusion of rankings (SPEC 22.6).

use crate::bm25::idf;
use crate::layout::{NORMS, u32_at};
use crate::postings::postings;
use crate::segment::{QueryTerm, Segment, weigh};
use std::collections::BTreeMap;

/// So many of each ranking count.
pub(crate) const POOL: usize = 100;
const RANK_OFFSET: i64 = 60;
const RANK_SCALE: i64 = 1_000_000_000;

/// 65,536 times the cosine, up to a factor that is the query's: (segment, number) and score of every document that has
/// a term, in their order, the dead left out.
pub(crate) fn cosines<S: AsRef<[u8]>>(segments: &[&Segment<S>], query: &[QueryTerm<'_>]) -> Vec<((usize, u32), u64)> {
    let dead = segments.get(1).map(|delta| delta.dead()).unwrap_or_default();
    let dead_count = u32::try_from(dead.len()).unwrap_or(u32::MAX);
    let documents = segments.iter().fold(0_u32, |sum, segment| sum.saturating_add(segment.documents()));
    let documents = documents.saturating_sub(dead_count);
    let terms = weigh(segments, query, dead_count);
    let mut found = Vec::new();
    for (place, segment) in segments.iter().enumerate() {
        let norms = segment.section(NORMS);
        let mut products = BTreeMap::<u32, u64>::new();
        for term in &terms {
            let in_lists = term.entries.iter().flatten().fold(0_u32, |sum, entry| sum.saturating_add(entry.documents));
            let factor = u64::from(term.weight) * u64::from(idf(documents, in_lists));
            if let Some(entry) = term.entries.get(place).copied().flatten() {
                for (number, impact) in postings(segment.term_postings(), &entry) {
                    *products.entry(number).or_default() += factor * u64::from(impact);
                }
            }
        }
        let is_dead = |number: &u32| place == 0 && dead.binary_search(number).is_ok();
        let living = products.into_iter().filter(|(number, _)| !is_dead(number));
        found.extend(living.filter_map(|(number, product)| {
            let norm = u64::from(u32_at(norms, 4 * number as usize)?.max(1));
            Some(((place, number), (product << 16) / norm))
        }));
    }
    found
}

/// Points of each member of some rankings, best first, by its ranks in them (reciprocal rank fusion); by member.
pub(crate) fn fuse(rankings: &[Vec<u32>]) -> BTreeMap<u32, i64> {
    let mut points = BTreeMap::new();
    for ranking in rankings {
        for (rank, member) in (1..).zip(ranking.iter().take(POOL)) {
            *points.entry(*member).or_default() += RANK_SCALE / (RANK_OFFSET + rank);
        }
    }
    points
}
