//! Terms of a prompt that no document has, matched with those that begin alike (SPEC 22.9).

use crate::index::bm25::FULL;
use crate::index::dictionary::Dictionary;
use crate::index::segment::Segment;
use crate::retrieve::prompt_terms::QueryTerm;

const MIN_LENGTH: usize = 4;
const FORWARD_MAX: usize = 16;
const DISCOUNTED: u32 = 128;

/// The terms, and behind them those of the dictionaries that one without documents begins, or that begin it.
#[must_use]
pub(crate) fn expand_prefixes<S: AsRef<[u8]>>(segments: &[&Segment<S>], mut terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    let dictionaries: Vec<Dictionary<'_>> = segments.iter().map(|segment| segment.terms()).collect();
    let mut found: Vec<QueryTerm> = Vec::new();
    for QueryTerm { term, weight, word } in &terms {
        let text = term.as_bytes();
        let is_letters = text.iter().all(u8::is_ascii_alphabetic);
        if *weight != FULL || text.len() < MIN_LENGTH || !is_letters {
            continue;
        }
        if dictionaries.iter().any(|dictionary| dictionary.find(text).is_some()) {
            continue;
        }
        for dictionary in &dictionaries {
            let forward = dictionary.range(text).take(FORWARD_MAX);
            let beginning = |length: usize| dictionary.find(text.get(..length)?);
            for entry in forward.chain((MIN_LENGTH..text.len()).filter_map(beginning)) {
                let other = String::from_utf8_lossy(dictionary.text(entry));
                if !terms.iter().chain(&found).any(|known| known.term == other) {
                    found.push(QueryTerm { term: other.into_owned(), weight: DISCOUNTED, word: word.clone() });
                }
            }
        }
    }
    terms.extend(found);
    terms
}
