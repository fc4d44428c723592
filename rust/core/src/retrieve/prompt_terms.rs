//! Turns a prompt into weighted terms (SPEC 19.7).

use crate::retrieve::synonyms::{self, read_synonyms};
use crate::text::clusters::{cluster_ends, for_each_cluster_pair};
use crate::text::languages::function_words;
use crate::text::letters::Kind;
use crate::text::term_words::{is_stop_word, is_weak_word};
use crate::text::terms::{
    MAX_IDEOGRAPHS, MAX_TERM_BYTES, WordTerms, fit, for_each_chunk, for_each_ideograph_word, for_each_pair,
    hangul_word, lower_ascii, short_word, unspaced_word,
};
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The maximal number of terms of a query, which bounds its cost; further terms are left out.
pub const MAX_QUERY_TERMS: usize = 1024;
/// About how many bytes of a prompt have one term, to reserve memory.
const LETTERS: usize = 6;
/// The number of characters that are read at each end of a text, if the text is longer than twice this number.
const END_CHARS: usize = 8192;

// Weights in 1/256. A part of an identifier has full weight, because other texts write the parts as separate words.
const FULL: u32 = 256;
pub(crate) const WEAK: u32 = 154;
const SAME: u32 = 128;
const NEAR: u32 = 96;
// The weight of a run of at least three syllables or ideographs, and of each pair of neighbours in it.
pub(crate) const RUN: u32 = 96;

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term, as it is in the index.
    pub term: String,
    /// The weight of the term, 1 to 256, where 256 is full.
    pub weight: u32,
    /// The word of the prompt that the term comes from; empty for terms of the concept graph.
    pub word: String,
}

/// The distinct terms of a prompt, in the order of their first appearance, at most [`MAX_QUERY_TERMS`].
///
/// `synonyms` contains groups of synonyms in addition to the built-in groups.
#[must_use]
pub fn query_terms<T: AsRef<str>>(text: &str, synonyms: &[Vec<T>]) -> Vec<QueryTerm> {
    terms_of(&PromptText::read(text), synonyms)
}

/// The part of a prompt that is read, and the function words of its language that occur in it.
pub(crate) struct PromptText<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) function_words: BTreeSet<String>,
}

impl<'a> PromptText<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let text = ends(text);
        let function_words = function_words(&text);
        Self { text, function_words }
    }
}

/// Like [`query_terms`], for a prompt that was read.
pub(crate) fn terms_of<T: AsRef<str>>(prompt: &PromptText<'_>, synonyms: &[Vec<T>]) -> Vec<QueryTerm> {
    let PromptText { text, function_words } = prompt;
    let places = HashMap::with_capacity(text.len() / LETTERS);
    let (found, before) = Default::default();
    let mut query = Query { found, places, before, synonyms: read_synonyms(synonyms), function_words };
    let mut word_terms = WordTerms::default();
    for_each_chunk(text, &mut |kind, chunk| {
        if query.found.len() >= MAX_QUERY_TERMS {
            return;
        }
        match kind {
            Kind::Letter => query.add_word(chunk, &mut word_terms),
            Kind::Hangul => query.add_hangul(chunk),
            Kind::Ideographs => query.add_ideographs(chunk),
            Kind::Unspaced => query.add_unspaced(chunk),
            Kind::Separator => {}
        }
    });
    query.found.truncate(MAX_QUERY_TERMS);
    query.found
}

/// Cuts a long text to its beginning and end, because a question comes before or after a pasted log.
fn ends(text: &str) -> Cow<'_, str> {
    let place = |(place, _)| place;
    let (first, last) = (text.char_indices().nth(END_CHARS), text.char_indices().nth_back(END_CHARS - 1));
    match (first.map(place), last.map(place)) {
        (Some(first), Some(last)) if text.chars().nth(2 * END_CHARS).is_some() => {
            let (begin, end) = (text.get(..first).unwrap_or_default(), text.get(last..).unwrap_or_default());
            Cow::Owned(format!("{begin}\n{end}"))
        }
        _ => Cow::Borrowed(text),
    }
}

/// The terms found so far, and the last two words, because the next word may complete a phrase.
struct Query<'a> {
    found: Vec<QueryTerm>,
    places: HashMap<String, usize>,
    before: (String, String),
    synonyms: HashMap<String, Vec<String>>,
    /// The function words of the prompt's language that occur in the prompt.
    function_words: &'a BTreeSet<String>,
}

impl Query<'_> {
    /// Adds an English word or an identifier.
    fn add_word(&mut self, chunk: &str, word_terms: &mut WordTerms) {
        let lower = lower_ascii(chunk);
        let weight = if is_weak_word(&lower) { WEAK } else { FULL };
        let is_function_word = self.function_words.contains(&lower);
        let word = word_terms.whole(chunk).filter(|_| !is_function_word).map_or(lower, str::to_owned);
        if !is_function_word {
            word_terms.for_each(chunk, &mut |term| {
                self.note(term, weight, chunk);
                self.expand(term, weight, chunk);
            });
        }
        let (first, second) = std::mem::take(&mut self.before);
        if !second.is_empty() && self.may_expand(second.len() + word.len()) {
            let pair = second.clone() + &word;
            self.expand(&pair, FULL, chunk);
            if !first.is_empty() {
                self.expand(&(first + &pair), FULL, chunk);
            }
        }
        self.before = (second, word);
    }

    /// Adds a run of Hangul syllables.
    fn add_hangul(&mut self, run: &str) {
        self.before = Default::default();
        let Some(word) = hangul_word(run) else { return };
        let weight = if is_weak_word(run) { WEAK } else { FULL };
        if let Some(short) = short_word(run) {
            self.note(short, weight / 2, run);
        }
        self.add_run(word, fit(word), weight, run);
        // The table of endings is not complete, so try the longest prefix with synonyms; no prefix is longer than a
        // term.
        let ends = word.char_indices().map(|(end, _)| end).chain([word.len()]).skip(2).take(MAX_TERM_BYTES - 1);
        for end in ends.collect::<Vec<_>>().into_iter().rev() {
            if self.expand(word.get(..end).unwrap_or_default(), weight, run) {
                break;
            }
        }
    }

    /// Adds a run of Han and kana.
    fn add_ideographs(&mut self, run: &str) {
        self.before = Default::default();
        for_each_ideograph_word(run, &mut |word| {
            if word.len() < run.len() && word.chars().nth(1).is_none() {
                self.note(word, RUN, word);
            } else {
                let is_word = word.chars().nth(MAX_IDEOGRAPHS).is_none();
                self.add_run(word, is_word.then_some(word), FULL, word);
            }
        });
        self.expand(run, FULL, run);
    }

    /// Adds a run of another script without blanks.
    fn add_unspaced(&mut self, run: &str) {
        self.before = Default::default();
        if cluster_ends(run).nth(2).is_none() {
            self.note(run, FULL, run);
        } else {
            if let Some(word) = unspaced_word(run) {
                self.note(word, RUN, run);
            }
            for_each_cluster_pair(run, &mut |pair| self.note(pair, RUN, run));
        }
        self.expand(run, FULL, run);
    }

    fn add_run(&mut self, word: &str, whole: Option<&str>, weight: u32, run: &str) {
        if word.chars().nth(2).is_none() {
            self.note(word, weight, run);
            return;
        }
        let share = (weight * RUN) >> 8;
        if let Some(whole) = whole {
            self.note(whole, share, run);
        }
        for_each_pair(word, &mut |pair| self.note(pair, share, run));
    }

    /// Whether a term, or joined terms, of this length may have synonyms.
    fn may_expand(&self, length: usize) -> bool {
        length <= synonyms::SAME.longest().max(synonyms::NEAR.longest()) || !self.synonyms.is_empty()
    }

    /// Adds the synonyms of a term, or of the joined terms of a phrase; returns whether there are any.
    fn expand(&mut self, key: &str, weight: u32, word: &str) -> bool {
        let same = synonyms::SAME.row(key).unwrap_or_default();
        let near = synonyms::NEAR.row(key).unwrap_or_default();
        let own = self.synonyms.get(key).cloned();
        self.note_others(same.split_terminator(' '), (weight * SAME) >> 8, word);
        self.note_others(near.split_terminator(' '), (weight * NEAR) >> 8, word);
        let is_own = own.is_some();
        for member in own.into_iter().flatten() {
            self.note_others(std::iter::once(member.as_str()), (weight * SAME) >> 8, word);
        }
        is_own || !same.is_empty() || !near.is_empty()
    }

    fn note_others<'a>(&mut self, members: impl Iterator<Item = &'a str>, weight: u32, word: &str) {
        for member in members {
            if !member.contains('+') {
                self.note(member, weight, word);
                continue;
            }
            for part in member.split('+').filter(|part| !is_stop_word(part)) {
                self.note(part, weight >> 1, word);
            }
        }
    }

    fn note(&mut self, term: &str, weight: u32, word: &str) {
        let Some(place) = self.places.get(term) else {
            // Further terms are left out at the end. A run without blanks may have thousands, each with the whole run.
            if self.found.len() == MAX_QUERY_TERMS {
                return;
            }
            self.places.insert(term.to_owned(), self.found.len());
            self.found.push(QueryTerm { term: term.to_owned(), weight, word: word.to_owned() });
            return;
        };
        if let Some(known) = self.found.get_mut(*place).filter(|known| known.weight < weight) {
            known.weight = weight;
            word.clone_into(&mut known.word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_counts_once_with_its_greatest_weight() {
        let terms = query_terms::<String>("the auth db database", &[]);
        let weight = |term: &str| terms.iter().find(|known| known.term == term).map(|known| known.weight);
        assert_eq!((weight("db"), weight("databas"), weight("authentic")), (Some(256), Some(256), Some(128)));
        assert_eq!(terms.iter().filter(|known| known.term == "databas").count(), 1);
    }
}
