//! Scores the 65,536 documents of a chunk, with sums that stay in the processor's cache (SPEC 21.3, 21.4).

use crate::index::postings::{CHUNK, Run};
use crate::retrieve::best::Best;

/// If a chunk has fewer postings than documents / `DENSE`, the search reads the postings again instead of all sums.
const DENSE: usize = 8;
/// Lists are left out only if they have at least `WORTHWHILE` times as many postings as the other lists.
const WORTHWHILE: usize = 8;
/// Looking a document up in a run costs about as much as adding this many postings.
const PROBE: usize = 24;
/// The number of sums that are compared at once.
const BLOCK: usize = 64;

/// The score so far of each document of a chunk; between two chunks all sums are 0.
#[derive(Debug)]
pub(crate) struct Sums {
    sums: Vec<u32>,
    candidates: Vec<Candidate>,
}

impl Default for Sums {
    fn default() -> Self {
        Self { sums: vec![0; CHUNK], candidates: Vec::new() }
    }
}

/// A document that may be among the best, with its sum so far.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    number: u16,
    sum: u32,
}

/// The run of a posting list in the current chunk.
pub(crate) struct Active<'a> {
    run: Run<'a>,
    weight: u32,
    /// The most that the run adds to a score.
    bound: u32,
}

impl<'a> Active<'a> {
    pub(crate) fn new(run: Run<'a>, weight: u32) -> Self {
        Self { run, weight, bound: weight.wrapping_mul(u32::from(run.max)) }
    }

    fn len(&self) -> usize {
        self.run.bytes.len()
    }

    fn add(&self, sums: &mut [u32; CHUNK]) {
        for (number, byte) in self.run.postings() {
            let sum = sum_of(sums, number);
            *sum = sum.wrapping_add(self.weight.wrapping_mul(u32::from(byte)));
        }
    }

    /// Adds the run's postings only to sums that are not 0.
    fn add_to_candidates(&self, sums: &mut [u32; CHUNK]) {
        for (number, byte) in self.run.postings() {
            let sum = sum_of(sums, number);
            let added = self.weight.wrapping_mul(u32::from(byte));
            *sum = sum.wrapping_add(if *sum == 0 { 0 } else { added });
        }
    }
}

#[inline]
fn sum_of(sums: &mut [u32; CHUNK], number: u16) -> &mut u32 {
    #[allow(clippy::indexing_slicing, reason = "16 bits cannot leave the array: no check is left of this")]
    &mut sums[usize::from(number)]
}

/// Scores a chunk and offers its documents to `best`; `base` is the number of the chunk's first document, and `limit`
/// the count of its documents.
pub(crate) fn search_chunk(
    active: &mut [Active<'_>],
    base: u32,
    limit: usize,
    chunk: &mut Sums,
    best: &mut Best<'_, '_>,
) {
    let Sums { sums, candidates } = chunk;
    let Some(sums) = sums.first_chunk_mut() else { return };
    let floor = best.floor();
    if floor > 0 {
        active.sort_unstable_by_key(|list| list.bound);
    }
    let (weak, mut slack) = count_weak(active, floor, best.max_bonus());
    if weak == active.len() {
        return;
    }
    let (weak, strong) = active.split_at(weak);
    for list in strong {
        list.add(sums);
    }
    let cut = floor.saturating_sub(slack);
    let is_dense = strong.iter().map(Active::len).sum::<usize>() * DENSE >= limit;
    if weak.is_empty() {
        if is_dense {
            offer_all(sums.get_mut(..limit).unwrap_or_default(), base, best);
        } else {
            take_touched(strong, sums, cut, |number, sum| best.offer(base | u32::from(number), sum));
        }
        return;
    }
    candidates.clear();
    if is_dense {
        collect_above(sums.get_mut(..limit).unwrap_or_default(), cut, candidates);
    } else {
        take_touched(strong, sums, cut, |number, sum| candidates.push(Candidate { number, sum }));
    }
    for list in weak.iter().rev() {
        candidates.retain(|candidate| candidate.sum.saturating_add(slack) > floor);
        slack -= list.bound;
        if candidates.len() * PROBE < list.len() {
            for candidate in candidates.iter_mut() {
                let byte = list.run.find(candidate.number).unwrap_or(0);
                candidate.sum = candidate.sum.wrapping_add(list.weight.wrapping_mul(u32::from(byte)));
            }
        } else {
            for candidate in candidates.iter() {
                *sum_of(sums, candidate.number) = candidate.sum;
            }
            list.add_to_candidates(sums);
            let take = |candidate: &mut Candidate| candidate.sum = std::mem::take(sum_of(sums, candidate.number));
            candidates.iter_mut().for_each(take);
        }
    }
    for candidate in candidates.iter() {
        best.offer(base | u32::from(candidate.number), candidate.sum);
    }
}

/// How many of the first lists are left out of the sums, and the most that these lists and a bonus can add to a score.
fn count_weak(active: &[Active<'_>], floor: u32, max_bonus: u32) -> (usize, u32) {
    let (mut weak, mut slack) = (0, max_bonus);
    while let Some(list) = active.get(weak).filter(|list| slack.saturating_add(list.bound) <= floor) {
        slack = slack.saturating_add(list.bound);
        weak += 1;
    }
    let (weak_lists, strong_lists) = active.split_at(weak);
    let postings = |lists: &[Active]| lists.iter().map(Active::len).sum::<usize>();
    if postings(strong_lists) * WORTHWHILE > postings(weak_lists) {
        return (0, max_bonus);
    }
    (weak, slack)
}

/// Clears the sums that the lists' postings have touched, and calls `keep` once for each sum above `cut`.
fn take_touched(lists: &[Active<'_>], sums: &mut [u32; CHUNK], cut: u32, mut keep: impl FnMut(u16, u32)) {
    for list in lists {
        for (number, _) in list.run.postings() {
            let sum = std::mem::take(sum_of(sums, number));
            if sum > cut {
                keep(number, sum);
            }
        }
    }
}

/// Clears all sums, and offers the documents whose sum may be high enough to be among the best.
fn offer_all(sums: &mut [u32], first: u32, best: &mut Best<'_, '_>) {
    let mut cut = best.floor().saturating_sub(best.max_bonus());
    for (block_first, block) in (first..).step_by(BLOCK).zip(sums.chunks_mut(BLOCK)) {
        if is_any_above(block, cut) {
            for (number, sum) in (block_first..).zip(block.iter()) {
                if *sum > cut {
                    best.offer(number, *sum);
                    cut = best.floor().saturating_sub(best.max_bonus());
                }
            }
        }
        block.fill(0);
    }
}

/// Clears all sums, and collects the documents with a sum above `cut`.
#[allow(clippy::cast_possible_truncation, reason = "numbers within a chunk")]
fn collect_above(sums: &mut [u32], cut: u32, candidates: &mut Vec<Candidate>) {
    for (first, block) in (0_usize..).step_by(BLOCK).zip(sums.chunks_mut(BLOCK)) {
        if is_any_above(block, cut) {
            let above = (first..).zip(block.iter()).filter(|(_, sum)| **sum > cut);
            candidates.extend(above.map(|(number, sum)| Candidate { number: number as u16, sum: *sum }));
        }
        block.fill(0);
    }
}

/// Whether any of the sums is above `cut`; has no branch per sum, so that it compiles to vector instructions.
fn is_any_above(sums: &[u32], cut: u32) -> bool {
    sums.iter().fold(0, |above, sum| above | u32::from(*sum > cut)) != 0
}
