//! Computes cosines of tf-idf vectors, and fuses rankings (SPEC 22.6).

use crate::index::bm25::idf;
use crate::index::layout::{NORMS, u32_at};
use crate::index::postings::{CHUNK, runs};
use crate::index::segment::Segment;
use crate::retrieve::segment_search::Weighted;
use std::collections::BTreeMap;

/// The number of first members of each ranking that get points.
pub(crate) const POOL: usize = 100;
const RANK_OFFSET: i64 = 60;
const RANK_SCALE: i64 = 1_000_000_000;

/// Calls `keep` with the number and score of every document of a segment that has one of the terms, in no particular
/// order. The score is 65,536 times the cosine, times a factor that is the same for all documents of a query.
///
/// `terms` were looked up in all segments; `place` is the number of this segment, and `documents` the number of
/// documents in all segments.
pub(crate) fn score_cosines<S: AsRef<[u8]>>(
    segment: &Segment<S>,
    place: usize,
    terms: &[Weighted],
    documents: u32,
    mut keep: impl FnMut(u32, u64),
) {
    let (norms, section) = (segment.section(NORMS), segment.term_postings());
    let mut lists = Vec::new();
    for term in terms {
        let factor = u64::from(term.weight) * u64::from(idf(documents, term.documents));
        if let Some(entry) = term.entries.get(place).copied().flatten() {
            lists.push((factor, runs(section, &entry).peekable()));
        }
    }
    let of_segment = segment.documents();
    let mut products = vec![0_u64; CHUNK.min(of_segment as usize)];
    let mut touched: Vec<u16> = Vec::new();
    for (chunk, first) in (0..=u16::MAX).zip((0..of_segment).step_by(CHUNK)) {
        for (factor, list) in &mut lists {
            let Some(run) = list.next_if(|run| run.chunk == chunk) else { continue };
            for (number, impact) in run.postings() {
                let Some(product) = products.get_mut(usize::from(number)) else { continue };
                if *product == 0 {
                    touched.push(number);
                }
                *product += *factor * u64::from(impact);
            }
        }
        for number in touched.drain(..) {
            let Some(product) = products.get_mut(usize::from(number)).map(std::mem::take) else { continue };
            let number = first + u32::from(number);
            if let Some(norm) = u32_at(norms, 4 * number as usize) {
                keep(number, (product << 16) / u64::from(norm.max(1)));
            }
        }
    }
}

/// Fuses rankings, each sorted best first, by reciprocal rank fusion; returns the points of each member.
pub(crate) fn fuse(rankings: &[Vec<u32>]) -> BTreeMap<u32, i64> {
    let mut points = BTreeMap::new();
    for ranking in rankings {
        for (rank, member) in (1..).zip(ranking.iter().take(POOL)) {
            *points.entry(*member).or_default() += RANK_SCALE / (RANK_OFFSET + rank);
        }
    }
    points
}
