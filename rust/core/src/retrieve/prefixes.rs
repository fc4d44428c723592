//! Terms of a prompt that no document has, matched with those that begin alike (SPEC 22.9).

use crate::index::bm25::FULL;
use crate::index::layout::TERMS;
use crate::index::snapshot::{Snapshot, living_texts};
use crate::retrieve::prompt_terms::QueryTerm;
use std::borrow::Cow;

const MIN_LENGTH: usize = 4;
const FORWARD_MAX: usize = 16;
const DISCOUNTED: u32 = 128;

/// The terms, and behind them those of the documents that one without documents begins, or that begin it.
#[must_use]
pub(crate) fn expand_prefixes<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, mut terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    let mut found: Vec<QueryTerm> = Vec::new();
    for QueryTerm { term, weight, word } in &terms {
        let text = term.as_bytes();
        let is_letters = text.iter().all(u8::is_ascii_alphabetic);
        if *weight != FULL || text.len() < MIN_LENGTH || !is_letters || snapshot.frequency(term) > 0 {
            continue;
        }
        let forward = living_texts(&snapshot.parts, TERMS, text).take(FORWARD_MAX).map(String::from_utf8_lossy);
        let beginnings = (MIN_LENGTH..text.len()).filter_map(|length| term.get(..length));
        let beginnings = beginnings.filter(|beginning| snapshot.frequency(beginning) > 0).map(Cow::Borrowed);
        for other in forward.chain(beginnings) {
            if !terms.iter().chain(&found).any(|known| known.term == other) {
                found.push(QueryTerm { term: other.into_owned(), weight: DISCOUNTED, word: word.clone() });
            }
        }
    }
    terms.extend(found);
    terms
}
