//! Terms of a prompt that no document has, matched with those that are like them (SPEC 22.9).

use crate::index::bm25::FULL;
use crate::index::layout::TERMS;
use crate::index::other_words::shipped as other_words;
use crate::index::snapshot::{Snapshot, living_texts, near_texts};
use crate::index::static_table;
use crate::retrieve::prompt_terms::QueryTerm;
use crate::text::edits::{halves, is_near};
use crate::text::terms::lower_ascii;

const MIN_LENGTH: usize = 4;
const FORWARD_MAX: usize = 16;
const DISCOUNTED: u32 = 128;
/// So many unknown terms are compared with those that are spelled nearly so.
const MISSPELLED_MAX: usize = 16;
/// Such a term has so many letters, the first two of which are right.
const MISSPELLED_LENGTH: usize = 5;
const RIGHT: usize = 2;

/// The terms, and behind them those of the documents that are like one without documents.
#[must_use]
pub(crate) fn expand_prefixes<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, mut terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    let mut found: Vec<QueryTerm> = Vec::new();
    let mut unknown = 0;
    for QueryTerm { term, weight, word } in &terms {
        let is_letters = term.bytes().all(|byte| byte.is_ascii_alphabetic());
        if *weight != FULL || term.len() < MIN_LENGTH || !is_letters || snapshot.frequency(term) > 0 {
            continue;
        }
        let mut likes = starting_alike(snapshot, term);
        if unknown < MISSPELLED_MAX {
            likes.extend(spelled_alike(snapshot, term, word));
        }
        unknown += 1;
        for other in likes {
            if !terms.iter().chain(&found).any(|known| known.term == other) {
                found.push(QueryTerm { term: other, weight: DISCOUNTED, word: word.clone() });
            }
        }
    }
    terms.extend(found);
    terms
}

/// The terms that a term begins, and those that begin it.
fn starting_alike<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, term: &str) -> Vec<String> {
    let forward = living_texts(&snapshot.parts, TERMS, term.as_bytes()).take(FORWARD_MAX);
    let mut likes: Vec<String> = forward.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let beginnings = (MIN_LENGTH..term.len()).filter_map(|length| term.get(..length));
    likes.extend(beginnings.filter(|beginning| snapshot.frequency(beginning) > 0).map(str::to_owned));
    likes
}

/// The terms that a typing error makes of a term, unless it is a word that is known, and those of its two halves.
fn spelled_alike<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, term: &str, word: &str) -> Vec<String> {
    let mut likes = Vec::new();
    let beginning = term.as_bytes().get(..RIGHT).unwrap_or_default();
    if term.len() >= MISSPELLED_LENGTH && !is_word(term) && !is_word(&lower_ascii(word)) {
        let is_like = |text: &[u8]| {
            let other =
                std::str::from_utf8(text).ok().filter(|other| other.bytes().all(|byte| byte.is_ascii_alphabetic()));
            other.is_some_and(|other| is_near(term, other))
        };
        let near = near_texts(&snapshot.parts, TERMS, beginning, &is_like).take(FORWARD_MAX);
        likes.extend(near.map(|text| String::from_utf8_lossy(text).into_owned()));
    }
    for (first, second) in halves(word) {
        if snapshot.frequency(&first) > 0 && snapshot.frequency(&second) > 0 {
            likes.extend([first, second]);
        }
    }
    likes
}

/// Whether a word is English by the table of vectors, or one of another language.
fn is_word(word: &str) -> bool {
    static_table::word_rows(word).len() == 1 || !other_words().find(word).is_empty()
}
