//! Splits text into plain words, so that instruction signs can be searched among them (SPEC 46.2).

use crate::text::chars::is_white_space;
use crate::text::compose::full_forms;
use crate::text::letters::{Kind, classify, plain};
use crate::text::sanitize::is_hidden;
use foldhash::HashMap;
use std::borrow::Cow;

/// A full stop ends a sentence only after at least this many words, so that full stops between single words cannot hide
/// a phrase.
const MIN_SENTENCE_WORDS: usize = 4;
/// From this code point on, each character is a separate word (Han, kana and Hangul).
const FIRST_OWN_WORD: char = '\u{2e80}';
const FIRST_OF_HANGUL: char = '\u{1100}';
const NEW_LINE: char = '\u{1}';
const MAX_ENTITY_CHARS: usize = 10;

/// Whether a character is a separate word. The blocks of Thai and Lao, Burmese and Khmer are written without blanks too.
fn is_own_word(char: char) -> bool {
    char >= FIRST_OWN_WORD || matches!(char, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Whether a character is a vowel point of Hebrew or Arabic, or the stroke that lengthens an Arabic word.
fn is_point(char: char) -> bool {
    matches!(char, '\u{591}'..='\u{5bd}' | '\u{5bf}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// The words of a text in order, with the symbols between them.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The words in lower case, without accents. Each character of a script without blanks, and each Hangul syllable, is
    /// a word.
    pub(crate) texts: Vec<String>,
    /// The symbols, without white space, before each word; then, as the last item, the symbols after the last word.
    pub(crate) separators: Vec<String>,
    /// Whether each word is the first in its line.
    pub(crate) line_starts: Vec<bool>,
    /// For each word, the number of its sentence, from 0.
    pub(crate) sentences: Vec<usize>,
    /// For each word, the length of all words before it, in half words: a character that is a separate word counts 1,
    /// and any other word counts 2.
    pub(crate) offsets: Vec<usize>,
    room: usize,
}

impl Words {
    /// Appends a word with the symbols before it. The symbols after the last word of the text are added separately.
    pub(crate) fn add(&mut self, text: String, separator: String, is_line_start: bool, sentence: usize) {
        let text_is_own_word = text.chars().next().is_some_and(is_own_word);
        self.texts.push(text);
        self.separators.push(separator);
        self.line_starts.push(is_line_start);
        self.sentences.push(sentence);
        self.offsets.push(self.room);
        self.room += if text_is_own_word { 1 } else { 2 };
    }

    /// The length, in half words, of the words from position `first` to the word before position `end`.
    pub(crate) fn room(&self, first: usize, end: usize) -> usize {
        let offset = |position: usize| self.offsets.get(position).copied().unwrap_or(self.room);
        offset(end).saturating_sub(offset(first))
    }

    /// Whether two words are in the same sentence.
    pub(crate) fn are_together(&self, one: usize, other: usize) -> bool {
        self.sentences.get(one) == self.sentences.get(other)
    }
}

/// Splits a text into words. `letters` maps characters to the ASCII letters and symbols that they are read as.
pub(crate) fn split_words(text: &str, letters: &HashMap<char, char>) -> Words {
    let text = decode_entities(text);
    let text = simplify(&join_syllables(&text), letters);
    let mut words = Words::default();
    let (mut separator, mut lines, mut is_line_start) = (String::new(), 1, true);
    let (mut sentence, mut length) = (0, 0);
    let (mut ends, mut is_stopped, mut is_hyphenated) = (false, false, false);
    // Whether the last word can be joined with another one. Looking at the whole word again each time would take
    // quadratic time.
    let mut ends_in_word = false;
    for token in text.split(' ') {
        let Some(first) = token.chars().next() else { continue };
        if first == NEW_LINE {
            lines += 1;
            is_hyphenated = separator == "-" && lines == 1;
            is_line_start = true;
            ends = ends || is_stopped || lines == 2;
            is_stopped = false;
            continue;
        }
        let mut word = token;
        if first.is_ascii_punctuation() {
            word = token.get(1..).unwrap_or_default();
            ends = ends
                || (is_stopped && !matches!(first, '.' | '/'))
                || (lines > 0 && separator.is_empty() && matches!(first, '-' | '+' | '#'));
            is_stopped = matches!(first, '.' | '!' | '?') && word.is_empty();
            separator.push(first);
            if word.is_empty() {
                continue;
            }
        } else if is_stopped {
            ends = true;
        }
        let is_joinable = is_word(word);
        match words.texts.last_mut() {
            Some(last) if is_hyphenated && separator == "-" && ends_in_word && is_joinable => last.push_str(word),
            _ => {
                ends_in_word = is_joinable;
                if ends && length >= MIN_SENTENCE_WORDS {
                    sentence += 1;
                    length = 0;
                }
                words.add(word.to_owned(), std::mem::take(&mut separator), is_line_start, sentence);
                length += 1;
            }
        }
        separator.clear();
        (lines, is_line_start) = (0, false);
        (ends, is_stopped, is_hyphenated) = (false, false, false);
    }
    words.separators.push(separator);
    words
}

/// The text with Hangul and kana in their usual forms (SPEC 2.5). Marks of other scripts stay apart, because a symbol
/// with a mark would become another symbol.
fn join_syllables(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_part_of_syllable) {
        return Cow::Borrowed(text);
    }
    // Characters that nobody sees must not keep the parts of a syllable apart.
    let shown: String = text.chars().filter(|char| is_white_space(*char) || !is_hidden(*char)).collect();
    let mut joined = String::with_capacity(shown.len());
    for run in shown.split_inclusive(|char| char < FIRST_OF_HANGUL) {
        let begin_of_last = run.char_indices().next_back().filter(|(_, char)| *char < FIRST_OF_HANGUL);
        let (run, last) = run.split_at(begin_of_last.map_or(run.len(), |(place, _)| place));
        joined.push_str(&full_forms(run));
        joined.push_str(last);
    }
    Cow::Owned(joined)
}

/// Whether a character is a part of Hangul syllables, a combining sound mark of kana, or half-width.
fn is_part_of_syllable(char: char) -> bool {
    matches!(
        char,
        '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}' | '\u{3131}'..='\u{318e}' | '\u{ff65}'..='\u{ffdc}'
    )
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The text in plain lower-case letters. There is a blank before each symbol, and around each character that is a word
/// by itself.
fn simplify(text: &str, letters: &HashMap<char, char>) -> String {
    let mut simple = String::with_capacity(text.len() + text.len() / 4);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            '*' if chars.peek() == Some(&' ') => simple.push_str(" -"),
            _ => push_simple(char, letters, &mut simple),
        }
    }
    simple
}

fn push_simple(char: char, letters: &HashMap<char, char>, simple: &mut String) {
    if matches!(char, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}') {
        simple.push(' ');
        simple.push(NEW_LINE);
        simple.push(' ');
        return;
    }
    if is_white_space(char) {
        simple.push(' ');
        return;
    }
    // Marks of emphasis and code can occur within a word, so they do not end it.
    if matches!(char, '*' | '`') || is_point(char) || is_hidden(char) {
        return;
    }
    let char = match char {
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(char) - 0xfee0).map_or(char, char::from),
        _ => letters.get(&char).copied().unwrap_or(char),
    };
    if char.is_ascii_alphanumeric() {
        simple.push(char.to_ascii_lowercase());
    } else if char.is_ascii() {
        simple.push(' ');
        simple.push(char);
    } else {
        match classify(char) {
            Kind::Letter if !is_own_word(char) => simple.extend(plain(char).map(|letter| letter.to_ascii_lowercase())),
            Kind::Separator => simple.push(' '),
            Kind::Letter | Kind::Hangul | Kind::Ideographs | Kind::Unspaced => {
                simple.push(' ');
                simple.push(char);
                simple.push(' ');
            }
        }
    }
}

/// The text with HTML character references replaced. They are replaced once, not recursively; unknown references stay.
fn decode_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    for (number, part) in text.split('&').enumerate() {
        if number == 0 {
            decoded.push_str(part);
            continue;
        }
        let name = part.char_indices().take(MAX_ENTITY_CHARS + 1).find(|(_, char)| *char == ';');
        let found = name.and_then(|(end, _)| Some((entity(part.get(..end)?)?, part.get(end + 1..)?)));
        if let Some((char, behind)) = found {
            decoded.push(char);
            decoded.push_str(behind);
        } else {
            decoded.push('&');
            decoded.push_str(part);
        }
    }
    Cow::Owned(decoded)
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let point = match number.strip_prefix(['x', 'X']) {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => u32::from_str_radix(digits, 16),
            None if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse(),
            _ => return None,
        };
        return char::from_u32(point.ok()?).filter(|char| *char != '\0');
    }
    Some(match name.to_ascii_lowercase().as_str() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "colon" => ':',
        "period" => '.',
        _ => return None,
    })
}
