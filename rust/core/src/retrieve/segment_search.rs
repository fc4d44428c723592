//! Finds the best documents of a base and its deltas for weighted terms (SPEC 21.4).

use crate::index::bm25::{MAX_QUERY_TERMS, idf, weight};
use crate::index::dictionary::{Dictionary, Entry};
use crate::index::postings::{Living, runs};
use crate::index::segment::{Segment, dead_documents};
use crate::retrieve::top_k::{Bonus, List, Scratch, top_k_above};
use std::cmp::Ordering;

/// A document that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentHit {
    /// The segment of the document: 0 for the base, then the deltas.
    pub segment: usize,
    /// The document's number in its segment.
    pub number: u32,
    /// The document's score.
    pub score: u32,
}

/// A term of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryTerm<'a> {
    /// The term's text.
    pub text: &'a [u8],
    /// The term's weight q, 1 to 256.
    pub q: u32,
}

/// A term of a query that was looked up in the segments.
#[derive(Debug, Clone)]
pub struct Weighted {
    /// The term's place in the query.
    pub place: usize,
    /// The factor by which the term's impacts are multiplied in a score.
    pub weight: u32,
    /// The number of living documents that have the term.
    pub documents: u32,
    /// The term's dictionary entry in each segment; `None` if the segment does not have the term.
    pub entries: Vec<Option<Entry>>,
}

/// A function that takes a segment and a document's number, and returns the points for the document's category.
pub type CategoryPoints<'a> = dyn Fn(usize, u32) -> u32 + 'a;

/// Which documents are wanted.
pub struct Wanted<'a> {
    /// The number of documents that are wanted.
    pub k: usize,
    /// The points that categories add to a score, and the most that any category adds.
    pub bonus: Option<(&'a CategoryPoints<'a>, u32)>,
    /// Decides whether the document (segment, number) is accepted; if `None`, every document is accepted.
    pub accept: Option<&'a mut dyn FnMut(usize, u32) -> bool>,
}

impl Wanted<'_> {
    /// The best `k` of all documents, without a bonus.
    #[must_use]
    pub fn best(k: usize) -> Self {
        Self { k, bonus: None, accept: None }
    }
}

/// Looks up the terms of a query in a base and its deltas; terms that no living document has are left out. `living`
/// says for each segment which documents are living.
#[must_use]
pub fn weigh<S: AsRef<[u8]>>(
    segments: &[&Segment<S>],
    query: &[QueryTerm<'_>],
    living: &[Living<'_>],
) -> Vec<Weighted> {
    let count = |(segment, living): (&&Segment<S>, &Living<'_>)| living.count(segment.documents());
    let documents = segments.iter().zip(living).map(count).fold(0, u32::saturating_add);
    let mut terms: Vec<Weighted> = Vec::with_capacity(query.len());
    let dictionaries: Vec<Dictionary<'_>> = segments.iter().map(|segment| segment.terms()).collect();
    for (place, term) in query.iter().enumerate().take(MAX_QUERY_TERMS) {
        let find = |dictionary: &Dictionary<'_>| dictionary.entry(dictionary.find(term.text)?);
        let entries: Vec<Option<Entry>> = dictionaries.iter().map(find).collect();
        let counts = entries.iter().zip(segments).zip(living).map(|((entry, segment), living)| {
            entry.map_or(0, |entry| living.count_in(segment.term_postings(), &entry))
        });
        let documents = counts.fold(0, u32::saturating_add);
        if documents > 0 {
            terms.push(Weighted { place, weight: term.q, documents, entries });
        }
    }
    // A separate loop lets the processor compute several logarithms at once.
    for term in &mut terms {
        term.weight = weight(idf(documents, term.documents), term.weight);
    }
    terms
}

/// The posting lists of weighted terms in the segment with this number.
#[must_use]
pub fn lists_of<'a, S: AsRef<[u8]>>(terms: &[Weighted], number: usize, segment: &'a Segment<S>) -> Vec<List<'a>> {
    let postings = segment.term_postings();
    let entry_of = |term: &Weighted| term.entries.get(number).copied().flatten();
    let list = |term: &Weighted| Some(List { runs: runs(postings, &entry_of(term)?), weight: term.weight });
    let mut lists = Vec::with_capacity(terms.len());
    lists.extend(terms.iter().filter_map(list));
    lists
}

/// The k best documents of a base and its deltas, best first.
///
/// `order` decides between equal scores; within a segment it must be the order of numbers. The terms of the query must
/// be distinct.
pub fn search<S: AsRef<[u8]>>(
    segments: &[&Segment<S>],
    query: &[QueryTerm<'_>],
    wanted: Wanted<'_>,
    order: impl Fn(&SegmentHit, &SegmentHit) -> Ordering,
    scratch: &mut Scratch,
) -> Vec<SegmentHit> {
    let dead = dead_documents(segments);
    let living: Vec<Living<'_>> = dead.iter().map(|dead| Living::AllBut(dead)).collect();
    let terms = weigh(segments, query, &living);
    search_living((segments, &living), &terms, wanted, order, scratch)
}

/// Like [`search`], for terms that were already looked up.
pub fn search_weighted<S: AsRef<[u8]>>(
    segments: &[&Segment<S>],
    terms: &[Weighted],
    wanted: Wanted<'_>,
    order: impl Fn(&SegmentHit, &SegmentHit) -> Ordering,
    scratch: &mut Scratch,
) -> Vec<SegmentHit> {
    let dead = dead_documents(segments);
    let living: Vec<Living<'_>> = dead.iter().map(|dead| Living::AllBut(dead)).collect();
    search_living((segments, &living), terms, wanted, order, scratch)
}

/// Like [`search_weighted`]. `all_living` says for each segment which documents are living.
pub fn search_living<S: AsRef<[u8]>>(
    (segments, all_living): (&[&Segment<S>], &[Living<'_>]),
    terms: &[Weighted],
    wanted: Wanted<'_>,
    order: impl Fn(&SegmentHit, &SegmentHit) -> Ordering,
    scratch: &mut Scratch,
) -> Vec<SegmentHit> {
    let Wanted { k, bonus, mut accept } = wanted;
    let mut found: Vec<SegmentHit> = Vec::new();
    let mut floor = 0;
    for ((number, segment), living) in segments.iter().enumerate().zip(all_living) {
        let of = |document| bonus.map_or(0, |(of, _)| of(number, document));
        let bonus = bonus.map(|(_, max)| Bonus { of: &of, max });
        let is_filtered = accept.is_some() || !matches!(living, Living::AllBut([]));
        let mut accepts =
            |document: u32| living.has(document) && accept.as_mut().is_none_or(|accept| accept(number, document));
        let accepts: Option<&mut dyn FnMut(u32) -> bool> = if is_filtered { Some(&mut accepts) } else { None };
        let lists = lists_of(terms, number, segment);
        let best = top_k_above(lists, segment.documents(), (k, floor), bonus.as_ref(), accepts, scratch);
        found.extend(best.into_iter().map(|(document, score)| SegmentHit { segment: number, number: document, score }));
        if number + 1 < segments.len() {
            floor = floor_of(&found, k);
        }
    }
    if segments.len() > 1 {
        found.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| order(a, b)));
        found.truncate(k);
    }
    found
}

/// A score that the k best documents exceed; 0 if there are fewer.
fn floor_of(found: &[SegmentHit], k: usize) -> u32 {
    let Some(last) = k.checked_sub(1).filter(|last| *last < found.len()) else { return 0 };
    let mut scores: Vec<u32> = found.iter().map(|hit| hit.score).collect();
    let (_, worst, _) = scores.select_nth_unstable_by(last, |a, b| b.cmp(a));
    worst.saturating_sub(1)
}
