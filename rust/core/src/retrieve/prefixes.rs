//! Adds, for prompt terms that no document has, similar terms that documents have (SPEC 22.9).

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
/// The maximal number of unknown terms that are checked for misspellings.
const MISSPELLED_MAX: usize = 16;
/// The least number of letters of a misspelled term, and how many of its first letters must be right.
const MISSPELLED_LENGTH: usize = 5;
const RIGHT: usize = 2;

/// Appends, for each term that no document has, similar terms that documents have.
#[must_use]
pub(crate) fn expand_prefixes<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, mut terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    let mut found: Vec<QueryTerm> = Vec::new();
    let mut unknown = 0;
    for QueryTerm { term, weight, word } in &terms {
        let is_letters = term.bytes().all(|byte| byte.is_ascii_alphabetic());
        if *weight != FULL || term.len() < MIN_LENGTH || !is_letters || snapshot.knows(term) {
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

/// The terms of documents that begin with `term`, and the terms of documents that are a prefix of `term`.
fn starting_alike<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, term: &str) -> Vec<String> {
    let forward = living_texts(&snapshot.parts, TERMS, term.as_bytes()).take(FORWARD_MAX);
    let mut likes: Vec<String> = forward.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let beginnings = (MIN_LENGTH..term.len()).filter_map(|length| term.get(..length));
    likes.extend(beginnings.filter(|beginning| snapshot.knows(beginning)).map(str::to_owned));
    likes
}

/// The terms of documents that `term` may be a misspelling of; none if `term` is a known word. Also the terms of two
/// halves of `word`, if documents have both.
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
        if snapshot.knows(&first) && snapshot.knows(&second) {
            likes.extend([first, second]);
        }
    }
    likes
}

/// Whether a word is a known English word (by the table of word vectors) or a known word of another language.
fn is_word(word: &str) -> bool {
    static_table::word_rows(word).len() == 1 || !other_words().find(word).is_empty()
}
