//! Finds the k best documents of weighted posting lists (SPEC 21.3, 21.4).
//!
//! The search goes through chunks of 65,536 documents. In each chunk, lists that cannot together lift a document above
//! the k-th best are left out, and are only looked up for documents that the other lists have found. This is `MaxScore`
//! (Turtle, Flood, "Query Evaluation: Strategies and Optimizations", 1995) with bounds per chunk (Ding, Suel, "Faster
//! Top-k Document Retrieval Using Block-Max Indexes", 2011).

pub use crate::retrieve::best::{Accept, Bonus, Scored};

use crate::index::postings::{CHUNK, Run, Runs};
use crate::retrieve::best::Best;
use crate::retrieve::chunk::{Active, Sums, search_chunk};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A posting list of the query.
#[derive(Debug, Clone)]
pub struct List<'a> {
    /// The list's postings.
    pub runs: Runs<'a>,
    /// The factor by which the byte of each posting is multiplied in a score.
    pub weight: u32,
}

/// The buffers of a search, which the next search reuses; between searches all sums are 0.
#[derive(Debug, Default)]
pub struct Scratch {
    sums: Sums,
    best: BinaryHeap<Reverse<u64>>,
}

/// The k best documents with numbers below `documents`, sorted by score, then by number.
pub fn top_k(
    lists: Vec<List<'_>>,
    documents: u32,
    k: usize,
    bonus: Option<&Bonus<'_>>,
    accept: Option<Accept<'_>>,
    scratch: &mut Scratch,
) -> Vec<Scored> {
    top_k_above(lists, documents, (k, 0), bonus, accept, scratch)
}

/// Like [`top_k`], but documents whose score is at most `floor` may be left out.
pub(crate) fn top_k_above(
    lists: Vec<List<'_>>,
    documents: u32,
    (k, floor): (usize, u32),
    bonus: Option<&Bonus<'_>>,
    accept: Option<Accept<'_>>,
    scratch: &mut Scratch,
) -> Vec<Scored> {
    let k = k.min(documents as usize);
    if k == 0 {
        return Vec::new();
    }
    let Scratch { sums, best } = scratch;
    let mut best = Best::new(best, k, floor, bonus, accept);
    let mut cursors: Vec<Cursor> = Vec::with_capacity(lists.len());
    cursors.extend(lists.into_iter().filter_map(Cursor::new));
    let mut active = Vec::with_capacity(cursors.len());
    while let Some(chunk) = cursors.iter().map(|cursor| cursor.run.chunk).min() {
        let base = u32::from(chunk) << 16;
        if base >= documents {
            break;
        }
        let limit = usize::try_from(documents - base).map_or(CHUNK, |rest| rest.min(CHUNK));
        active.clear();
        cursors.retain_mut(|cursor| {
            if cursor.run.chunk != chunk {
                return true;
            }
            let run = if limit < CHUNK { cursor.run.below(limit) } else { cursor.run };
            active.push(Active::new(run, cursor.weight));
            cursor.advance()
        });
        search_chunk(&mut active, base, limit, sums, &mut best);
    }
    best.take()
}

/// Returns the same as [`top_k`], but scores every document; tests compare the two functions.
#[must_use]
pub fn exhaustive(
    lists: &[List<'_>],
    documents: u32,
    k: usize,
    bonus: Option<&Bonus<'_>>,
    accept: Option<Accept<'_>>,
) -> Vec<Scored> {
    let mut accept = accept;
    let mut scored: Vec<Scored> = (0..)
        .zip(scores(lists, documents))
        .filter(|(_, sum)| *sum > 0)
        .filter(|(number, _)| accept.as_mut().is_none_or(|accept| accept(*number)))
        .map(|(number, sum)| (number, sum.saturating_add(bonus.map_or(0, |bonus| (bonus.of)(number)))))
        .collect();
    scored.sort_by_key(|(number, score)| (Reverse(*score), *number));
    scored.truncate(k);
    scored
}

/// The score of every document: the sum of weight times byte over all lists.
#[must_use]
pub fn scores(lists: &[List<'_>], documents: u32) -> Vec<u32> {
    let mut sums = vec![0; documents as usize];
    for list in lists {
        for run in list.runs.clone() {
            let base = usize::from(run.chunk) << 16;
            add_run(sums.get_mut(base..).unwrap_or_default(), &run, list.weight);
        }
    }
    sums
}

struct Cursor<'a> {
    run: Run<'a>,
    rest: Runs<'a>,
    weight: u32,
}

impl<'a> Cursor<'a> {
    fn new(list: List<'a>) -> Option<Self> {
        let mut rest = list.runs;
        Some(Self { run: rest.next()?, rest, weight: list.weight })
    }

    fn advance(&mut self) -> bool {
        let next = self.rest.next();
        next.inspect(|run| self.run = *run).is_some()
    }
}

fn add_run(sums: &mut [u32], run: &Run<'_>, weight: u32) {
    for (number, byte) in run.postings() {
        if let Some(sum) = sums.get_mut(usize::from(number)) {
            *sum = sum.wrapping_add(weight.wrapping_mul(u32::from(byte)));
        }
    }
}
