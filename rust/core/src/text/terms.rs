//! Splits text into the terms of the lexical retriever (SPEC 19).

use crate::text::clusters::{cluster_ends, for_each_cluster_pair};
use crate::text::compose::full_forms;
use crate::text::hangul;
use crate::text::identifier::{Identifier, JOINERS};
use crate::text::letters::{Kind, classify, is_hiragana, is_katakana, plain};
use crate::text::stem::{stem_in_place, stem_letters};
use crate::text::term_words::is_stop_word;
use std::borrow::Cow;

/// The maximal length of a term in bytes; longer terms are left out.
pub const MAX_TERM_BYTES: usize = 64;

/// The maximal number of characters in a run of Han or katakana, or of clusters in a run of another script without
/// blanks, that counts as a word; longer runs are sentences.
pub(crate) const MAX_IDEOGRAPHS: usize = 12;

/// Korean particles that can follow a word of one syllable.
const SHORT_PARTICLES: [char; 5] = ['은', '는', '을', '를', '에'];

/// The terms of a document's text, in text order, including repeated terms.
#[must_use]
pub fn document_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for_each_term(text, &mut |term| terms.push(term.to_owned()));
    terms
}

/// Calls `keep` with each term that [`document_terms`] returns.
pub fn for_each_term(text: &str, keep: &mut impl FnMut(&str)) {
    WordTerms::default().for_each_of(text, keep);
}

/// Calls `keep` with the terms of a chunk, which [`for_each_chunk`] has found.
pub(crate) fn for_each_chunk_term(kind: Kind, chunk: &str, word: &mut WordTerms, keep: &mut impl FnMut(&str)) {
    match kind {
        Kind::Letter => word.for_each(chunk, keep),
        Kind::Hangul => keep_hangul(chunk, keep),
        Kind::Unspaced => keep_unspaced(chunk, keep),
        _ => keep_ideographs(chunk, keep),
    }
}

/// Splits a text into chunks of one script and calls `found` with each: letters, digits and joiners; Hangul syllables;
/// Han and kana; or another script without blanks.
pub(crate) fn for_each_chunk(text: &str, found: &mut impl FnMut(Kind, &str)) {
    scan(text, &mut |shape, chunk| match shape {
        Shape::Word => found(Kind::Letter, chunk),
        Shape::Run(kind) => found(kind, chunk),
    });
}

/// The shape of a chunk.
enum Shape {
    /// ASCII letters, with a capital only at the beginning. Nearly all chunks are words.
    Word,
    /// Any other run of one script.
    Run(Kind),
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const JOINER: u8 = 8;
const BEYOND: u8 = 16;

/// The class of each byte; 0 is a separator. Separators beyond ASCII must have been replaced by blanks.
static CLASSES: [u8; 256] = {
    let mut classes = [BEYOND; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "the table has a place for every byte")]
        let class = &mut classes[byte as usize];
        *class = match byte {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'-' | b'.' | b'_' => JOINER,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class_of(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

fn scan(text: &str, found: &mut impl FnMut(Shape, &str)) {
    let text = &*blank_separators(text);
    let mut bytes = text.bytes().enumerate();
    while let Some((begin, first)) = bytes.find(|(_, byte)| class_of(*byte) & !JOINER != 0) {
        let first = class_of(first);
        // `end` is after the last character that is not a joiner; `classes` has the classes of the characters from the
        // second one to `end`.
        let (mut end, mut classes, mut pending) = (begin + 1, 0, 0);
        for (place, byte) in bytes.by_ref() {
            match class_of(byte) {
                0 => break,
                JOINER => pending = JOINER,
                class => {
                    end = place + 1;
                    classes |= class | pending;
                }
            }
        }
        let chunk = text.get(begin..end).unwrap_or_default();
        if first & (LOWER | UPPER) != 0 && classes & !LOWER == 0 {
            found(Shape::Word, chunk);
        } else if (first | classes) & BEYOND == 0 {
            found(Shape::Run(Kind::Letter), chunk);
        } else {
            split_scripts(chunk, found);
        }
    }
}

fn split_scripts(word: &str, found: &mut impl FnMut(Shape, &str)) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let kind = kind_of(first);
        let (chunk, after) = rest.split_at(rest.find(|char| kind_of(char) != kind).unwrap_or(rest.len()));
        let chunk = chunk.trim_matches(JOINERS);
        if !chunk.is_empty() {
            found(Shape::Run(kind), chunk);
        }
        rest = after;
    }
}

/// Makes the terms of chunks of letters; one value is reused for many chunks.
#[derive(Debug, Default)]
pub(crate) struct WordTerms {
    identifier: Identifier,
    term: String,
}

impl WordTerms {
    /// Calls `keep` with each term that [`document_terms`] returns.
    pub(crate) fn for_each_of(&mut self, text: &str, keep: &mut impl FnMut(&str)) {
        scan(text, &mut |shape, chunk| match shape {
            Shape::Word => self.for_word(chunk, keep),
            Shape::Run(kind) => for_each_chunk_term(kind, chunk, self, keep),
        });
    }

    /// Calls `keep` with the term of the whole chunk and the terms of its parts, without stop words.
    pub(crate) fn for_each(&mut self, chunk: &str, keep: &mut impl FnMut(&str)) {
        if let Some(whole) = self.whole(chunk) {
            keep(whole);
        }
        for part in self.identifier.parts() {
            if !is_stop_word(part) {
                if let Some(term) = fit_stem(&mut self.term, part) {
                    keep(term);
                }
            }
        }
    }

    /// Like [`WordTerms::for_each`], for a chunk of the shape [`Shape::Word`].
    fn for_word(&mut self, chunk: &str, keep: &mut impl FnMut(&str)) {
        self.term.clear();
        self.term.push_str(chunk);
        self.term.make_ascii_lowercase();
        if !is_stop_word(&self.term) {
            stem_letters(&mut self.term);
            if let Some(term) = fit(&self.term) {
                keep(term);
            }
        }
    }

    /// The term of the whole chunk; `None` if it is a stop word or too long.
    pub(crate) fn whole(&mut self, chunk: &str) -> Option<&str> {
        self.identifier.split(chunk);
        let whole = self.identifier.whole();
        if self.identifier.parts().next().is_none() && is_stop_word(whole) {
            return None;
        }
        fit_stem(&mut self.term, whole)
    }
}

/// A run of syllables without its ending; `None` if the run, with or without the ending, is a stop word.
pub(crate) fn hangul_word(run: &str) -> Option<&str> {
    let word = hangul::strip_ending(run);
    (!hangul::is_stop_word(run) && !hangul::is_stop_word(word)).then_some(word)
}

/// The first syllable of a run of two syllables, if the second is a particle and the first is not a stop word; else
/// `None`.
pub(crate) fn short_word(run: &str) -> Option<&str> {
    let word = run.strip_suffix(SHORT_PARTICLES)?;
    (word.chars().count() == 1 && !hangul::is_stop_word(word)).then_some(word)
}

/// Calls `keep` with each pair of neighbouring characters in a run, or with the run if it is a single character.
pub(crate) fn for_each_pair(run: &str, keep: &mut impl FnMut(&str)) {
    let mut last = None;
    for (place, char) in run.char_indices() {
        if let Some(begin) = last {
            keep(run.get(begin..place + char.len_utf8()).unwrap_or_default());
        } else if char.len_utf8() == run.len() {
            keep(run);
        }
        last = Some(place);
    }
}

/// The word of a run of a script without blanks, other than Han and kana: the run, if it is not too long for a word.
pub(crate) fn unspaced_word(run: &str) -> Option<&str> {
    fit(run).filter(|run| cluster_ends(run).nth(MAX_IDEOGRAPHS).is_none())
}

/// Calls `keep` with the words of a run of Han and kana: each run of only Han and each run of only katakana in it.
///
/// Hiragana are endings: they are a word only if the whole run is hiragana and has at least three characters.
pub(crate) fn for_each_ideograph_word(run: &str, keep: &mut impl FnMut(&str)) {
    if run.chars().all(is_hiragana) {
        if run.chars().nth(2).is_some() {
            keep(run);
        }
        return;
    }
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let script = script_of(first);
        let (word, after) = rest.split_at(rest.find(|char| script_of(char) != script).unwrap_or(rest.len()));
        if script != Script::Hiragana {
            keep(word);
        }
        rest = after;
    }
}

#[derive(PartialEq, Eq)]
enum Script {
    Hiragana,
    Katakana,
    Han,
}

fn script_of(char: char) -> Script {
    if is_hiragana(char) {
        Script::Hiragana
    } else if is_katakana(char) {
        Script::Katakana
    } else {
        Script::Han
    }
}

/// The term; `None` if it is empty or too long.
pub(crate) fn fit(term: &str) -> Option<&str> {
    (!term.is_empty() && term.len() <= MAX_TERM_BYTES).then_some(term)
}

/// The chunk in lower case if it is ASCII; other chunks are returned unchanged.
pub(crate) fn lower_ascii(chunk: &str) -> String {
    if chunk.is_ascii() { chunk.to_ascii_lowercase() } else { chunk.to_owned() }
}

fn keep_hangul(run: &str, keep: &mut impl FnMut(&str)) {
    let Some(word) = hangul_word(run) else { return };
    if let Some(short) = short_word(run) {
        keep(short);
    } else if word.chars().nth(2).is_some() {
        if let Some(word) = fit(word) {
            keep(word);
        }
    }
    for_each_pair(run, keep);
}

fn keep_ideographs(run: &str, keep: &mut impl FnMut(&str)) {
    for_each_ideograph_word(run, &mut |word| {
        if (3..=MAX_IDEOGRAPHS).contains(&word.chars().count()) {
            keep(word);
        }
        for_each_pair(word, keep);
    });
}

fn keep_unspaced(run: &str, keep: &mut impl FnMut(&str)) {
    if cluster_ends(run).nth(2).is_some() {
        if let Some(word) = unspaced_word(run) {
            keep(word);
        }
    }
    for_each_cluster_pair(run, keep);
}

fn fit_stem<'a>(term: &'a mut String, word: &str) -> Option<&'a str> {
    term.clear();
    term.push_str(word);
    stem_in_place(term);
    fit(term)
}

/// The composed text with separators beyond ASCII replaced by blanks, and letters beyond ASCII by their plain forms.
fn blank_separators(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let text = full_forms(text);
    let mut blanked = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii() {
            blanked.push(char);
            continue;
        }
        match classify(char) {
            Kind::Separator => blanked.push(' '),
            Kind::Letter => blanked.extend(plain(char)),
            Kind::Hangul | Kind::Ideographs | Kind::Unspaced => blanked.push(char),
        }
    }
    Cow::Owned(blanked)
}

/// The kind of a character within a word, where every ASCII character is a letter, digit or joiner.
pub(crate) fn kind_of(char: char) -> Kind {
    if char.is_ascii() { Kind::Letter } else { classify(char) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_in_order_and_repeated() {
        assert_eq!(document_terms("The APIs of fooBar; the API"), ["api", "foobar", "foo", "bar", "api"]);
    }

    #[test]
    fn a_sentence_without_blanks_comes_as_pairs_of_clusters() {
        assert_eq!(document_terms("ชำระเงิน v2"), ["ชำระเงิน", "ชำระ", "ระเงิ", "เงิน", "2"]);
        assert_eq!(document_terms("การชำระเงินต้องลองใหม่ผ่านคิว").len(), 17);
    }

    #[test]
    fn korean_words_come_with_their_pairs() {
        assert_eq!(document_terms("Docker로 서버를 키를"), ["dock", "서버", "버를", "키", "키를"]);
    }
}
