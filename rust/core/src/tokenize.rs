//! Text to tokens: the plain tokenizer in both revisions (SPEC 4).

use crate::error::Error;
use std::ops::Range;

/// What a prompt may cost is bounded: tokens beyond this many are left out.
pub const MAX_PROMPT_TOKENS: usize = 4096;

/// `as am us vs` are shorter than the classic revision's tokens, so that one knows 87 of the 91.
const STOP_WORDS: [&str; 91] = [
    "a", "about", "also", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could",
    "did", "do", "does", "else", "for", "from", "get", "go", "had", "has", "have", "he", "help", "how", "i", "if",
    "in", "into", "is", "it", "just", "know", "let", "like", "make", "may", "me", "might", "must", "my", "need", "no",
    "not", "of", "on", "or", "out", "please", "see", "shall", "she", "should", "so", "that", "the", "then", "these",
    "they", "think", "this", "those", "to", "too", "up", "us", "use", "very", "vs", "want", "was", "we", "were",
    "what", "when", "where", "which", "who", "whom", "why", "will", "with", "would", "yes", "you", "your",
];

/// Which form of the keyword rules: tokenizer and scorer go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// Seed 003: tokens of two characters and more, prefixes both ways, descriptions rounded half up and
    /// only beside another match.
    Current,
    /// Seeds 000 and 002: tokens of three and more, forward prefixes, descriptions truncated, always added.
    Classic,
}

impl Revision {
    const NAMES: &'static [&'static str] = &["current", "classic"];

    /// The revision of that name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "current" => Ok(Self::Current),
            "classic" => Ok(Self::Classic),
            _ => Err(Error::UnknownName { kind: "revision", name: name.into(), known: Self::NAMES }),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Classic => "classic",
        }
    }

    /// The shortest token that this revision keeps, in characters.
    #[must_use]
    pub fn minimum_length(self) -> usize {
        match self {
            Self::Current => 2,
            Self::Classic => 3,
        }
    }
}

/// The distinct tokens of a text, in the order of their first appearance.
#[must_use]
pub fn tokenize(text: &str, revision: Revision) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for_each_token(text, revision, &mut |token| {
        if seen.insert(token.to_owned()) {
            tokens.push(token.to_owned());
        }
    });
    tokens
}

/// The tokens of a prompt, at most [`MAX_PROMPT_TOKENS`].
#[must_use]
pub fn prompt_tokens(prompt: &str, revision: Revision) -> Vec<String> {
    let mut tokens = tokenize(prompt, revision);
    tokens.truncate(MAX_PROMPT_TOKENS);
    tokens
}

/// Calls `keep` with every token of a text, repeated ones too.
pub(crate) fn for_each_token(text: &str, revision: Revision, keep: &mut impl FnMut(&str)) {
    let lowered = lower_for_tokens(text);
    scan_tokens(&lowered, 0..lowered.len(), revision, &mut |token| {
        // Tokens are ASCII.
        keep(lowered.get(token).and_then(|token| std::str::from_utf8(token).ok()).unwrap_or_default());
    });
}

/// The text as far as tokens see it: lower-case ASCII, and bytes beyond that separate.
pub(crate) fn lower_for_tokens(text: &str) -> Vec<u8> {
    if has_ascii_lower_beyond(text) {
        return text.replace('\u{212a}', "k").replace('\u{130}', "i ").to_ascii_lowercase().into_bytes();
    }
    text.to_ascii_lowercase().into_bytes()
}

/// Whether a character beyond ASCII has a lower case that holds an ASCII letter: the Kelvin sign, the dotted capital I.
pub(crate) fn has_ascii_lower_beyond(text: &str) -> bool {
    !text.is_ascii() && text.contains(['\u{212a}', '\u{130}'])
}

/// Calls `found` with the place of every token in a range of lower-case bytes.
pub(crate) fn scan_tokens(
    lowered: &[u8],
    range: Range<usize>,
    revision: Revision,
    found: &mut impl FnMut(Range<usize>),
) {
    let shortest = revision.minimum_length();
    let bytes = lowered.get(..range.end).unwrap_or_default();
    let mut end = range.start;
    while let Some(byte) = bytes.get(end) {
        let begin = end;
        end += 1;
        if !IS_PART[*byte as usize] {
            continue;
        }
        while bytes.get(end).is_some_and(|byte| IS_PART[*byte as usize]) {
            end += 1;
        }
        if end - begin >= shortest && !is_stop_word(bytes.get(..end).unwrap_or_default(), end - begin) {
            found(begin..end);
        }
    }
}

/// Whether a byte belongs to a token.
static IS_PART: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_lowercase() || byte.is_ascii_digit();
        byte += 1;
    }
    table
};

/// All stop words fit into eight bytes: as numbers they are compared at once.
static STOP_WORD_SLOTS: [u64; 1024] = {
    let mut slots = [0; 1024];
    let mut number = 0;
    while number < STOP_WORDS.len() {
        let packed = pack(STOP_WORDS[number].as_bytes());
        let mut slot = slot_of(packed);
        while slots[slot] != 0 {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = packed;
        number += 1;
    }
    slots
};

const MAX_STOP_WORD_LENGTH: usize = 6;

/// Whether the last `length` bytes are a stop word.
fn is_stop_word(bytes: &[u8], length: usize) -> bool {
    if length > MAX_STOP_WORD_LENGTH {
        return false;
    }
    let packed = match bytes.last_chunk::<8>() {
        Some(last) if length > 0 => u64::from_be_bytes(*last) & (u64::MAX >> (64 - 8 * length)),
        _ => pack(bytes.get(bytes.len() - length..).unwrap_or_default()),
    };
    let mut slot = slot_of(packed);
    loop {
        match STOP_WORD_SLOTS[slot] {
            0 => return false,
            word if word == packed => return true,
            _ => slot = (slot + 1) % STOP_WORD_SLOTS.len(),
        }
    }
}

/// A word of at most eight bytes as a number.
const fn pack(word: &[u8]) -> u64 {
    let mut packed = 0;
    let mut place = 0;
    while place < word.len() {
        packed = packed << 8 | word[place] as u64;
        place += 1;
    }
    packed
}

const fn slot_of(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_word_is_found() {
        for word in STOP_WORDS {
            for before in ["", "some token"] {
                assert!(is_stop_word(format!("{before}{word}").as_bytes(), word.len()), "{word}");
                assert!(!is_stop_word(format!("{before}{word}x").as_bytes(), word.len() + 1), "{word}");
            }
        }
        assert_eq!(STOP_WORDS.iter().filter(|word| ["as", "am", "us", "vs"].contains(word)).count(), 4);
    }

    #[test]
    fn tokens_come_once_in_the_order_of_the_text() {
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Current), ["docker", "ci", "k8s"]);
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Classic), ["docker", "k8s"]);
    }
}
