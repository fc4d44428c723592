//! Text to tokens: the plain tokenizer in both revisions (SPEC 4).

use crate::error::Error;
use crate::stop_words::is_stop_word;
use std::ops::Range;

/// What a prompt may cost is bounded: tokens beyond this many are left out.
pub const MAX_PROMPT_TOKENS: usize = 4096;

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
        if !is_part(*byte) {
            continue;
        }
        while bytes.get(end).is_some_and(|byte| is_part(*byte)) {
            end += 1;
        }
        if end - begin >= shortest && !is_stop_word(bytes.get(..end).unwrap_or_default(), end - begin) {
            found(begin..end);
        }
    }
}

/// Whether a lower-case byte belongs to a token.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_once_in_the_order_of_the_text() {
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Current), ["docker", "ci", "k8s"]);
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Classic), ["docker", "k8s"]);
    }
}
