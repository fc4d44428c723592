//! Splits text into the tokens of the keyword retriever, in both revisions (SPEC 4).

use crate::error::Error;
use crate::text::stop_words::is_stop_word;
use std::ops::Range;

/// The maximal number of tokens of a prompt, which bounds its cost; further tokens are left out.
pub const MAX_PROMPT_TOKENS: usize = 4096;

/// The revision of the keyword rules, which applies to the tokenizer and the scorer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// The rules of seed 003: tokens have at least two characters, prefixes match in both directions, and points of
    /// descriptions are rounded half up and only count together with another match.
    Current,
    /// The rules of seeds 000 and 002: tokens have at least three characters, prefixes match only forward, and points
    /// of descriptions are rounded down and always count.
    Classic,
}

impl Revision {
    const NAMES: &'static [&'static str] = &["current", "classic"];

    /// The revision with this name; the error for an unknown name lists the valid names.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "current" => Ok(Self::Current),
            "classic" => Ok(Self::Classic),
            _ => Err(Error::UnknownName { kind: "revision", name: name.into(), known: Self::NAMES }),
        }
    }

    /// The name of the revision.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Classic => "classic",
        }
    }

    /// The length of the shortest token in this revision, in characters.
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

/// The first [`MAX_PROMPT_TOKENS`] distinct tokens of a prompt.
#[must_use]
pub fn prompt_tokens(prompt: &str, revision: Revision) -> Vec<String> {
    let mut tokens = tokenize(prompt, revision);
    tokens.truncate(MAX_PROMPT_TOKENS);
    tokens
}

/// Calls `keep` with every token of a text, including repeated tokens.
pub(crate) fn for_each_token(text: &str, revision: Revision, keep: &mut impl FnMut(&str)) {
    let lowered = lower_for_tokens(text);
    scan_tokens(&lowered, 0..lowered.len(), revision, &mut |token| {
        // Tokens are ASCII.
        keep(lowered.get(token).and_then(|token| std::str::from_utf8(token).ok()).unwrap_or_default());
    });
}

/// The text in lower case, prepared for [`scan_tokens`]. Bytes beyond ASCII are kept; they separate tokens.
pub(crate) fn lower_for_tokens(text: &str) -> Vec<u8> {
    if has_ascii_lower_beyond(text) {
        return text.replace('\u{212a}', "k").replace('\u{130}', "i ").to_ascii_lowercase().into_bytes();
    }
    text.to_ascii_lowercase().into_bytes()
}

/// Whether a text has a character beyond ASCII whose lower case contains an ASCII letter: the Kelvin sign or the dotted
/// capital I.
pub(crate) fn has_ascii_lower_beyond(text: &str) -> bool {
    !text.is_ascii() && text.contains(['\u{212a}', '\u{130}'])
}

/// Calls `found` with the range of every token within `range` of lower-case bytes.
pub(crate) fn scan_tokens(
    lowered: &[u8],
    range: Range<usize>,
    revision: Revision,
    found: &mut impl FnMut(Range<usize>),
) {
    let shortest = revision.minimum_length();
    let bytes = lowered.get(..range.end).unwrap_or_default();
    let mut close = |begin: usize, end: usize| {
        if (end - begin >= shortest) & !is_stop_word(bytes.get(..end).unwrap_or_default(), end - begin) {
            found(begin..end);
        }
    };
    let mut open = None;
    for (number, block) in bytes.get(range.start..).unwrap_or_default().chunks(64).enumerate() {
        let parts = part_bits(block);
        // A set bit marks the begin or end of a token. This has no branch on the lengths of tokens, which the processor
        // could not predict.
        let mut edges = parts ^ (parts << 1 | u64::from(open.is_some()));
        while edges != 0 {
            let edge = range.start + number * 64 + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            open = match open {
                Some(begin) => {
                    close(begin, edge);
                    None
                }
                None => Some(edge),
            };
        }
    }
    if let Some(begin) = open {
        close(begin, range.end);
    }
}

/// Returns one bit for each of at most 64 lower-case bytes: 1 if the byte belongs to a token.
fn part_bits(block: &[u8]) -> u64 {
    let mut padded = [0; 64];
    padded.iter_mut().zip(block).for_each(|(to, from)| *to = *from);
    let mut bits = 0;
    for (number, eight) in padded.chunks_exact(8).enumerate() {
        bits |= part_bits_of_eight(eight.try_into().unwrap_or_default()) << (8 * number);
    }
    bits
}

/// Like [`part_bits`], for eight bytes in one number. To compare a byte with a bound, 128 minus the bound is added to
/// its low seven bits: the sum sets the highest bit if these bits are at least the bound.
fn part_bits_of_eight(eight: [u8; 8]) -> u64 {
    const EVERY: u64 = 0x0101_0101_0101_0101;
    let eight = u64::from_le_bytes(eight);
    let low = eight & (EVERY * 0x7f);
    let from = |bound: u8| low + EVERY * u64::from(0x80 - bound);
    let letters = from(b'a') & !from(b'z' + 1);
    let digits = from(b'0') & !from(b'9' + 1);
    let parts = (letters | digits) & !eight & (EVERY * 0x80);
    // Collect the highest bit of each byte in the highest byte.
    (parts >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_once_in_the_order_of_the_text() {
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Current), ["docker", "ci", "k8s"]);
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Classic), ["docker", "k8s"]);
    }

    #[test]
    fn only_lower_case_letters_and_digits_make_tokens() {
        for byte in 0..=u8::MAX {
            let mut found = Vec::new();
            scan_tokens(&[b'x', byte, b'y', byte], 0..4, Revision::Current, &mut |place| found.push(place));
            let is_part = byte.is_ascii_lowercase() || byte.is_ascii_digit();
            assert_eq!(found.first(), is_part.then_some(&(0..4)), "{byte}");
        }
    }

    #[test]
    fn tokens_are_found_across_the_ends_of_blocks() {
        for length in 2..200 {
            for before in 0..70 {
                let text = format!("{}{} ci", "-".repeat(before), "a".repeat(length));
                assert_eq!(tokenize(&text, Revision::Current), [&"a".repeat(length), "ci"], "{before} {length}");
            }
        }
    }
}
