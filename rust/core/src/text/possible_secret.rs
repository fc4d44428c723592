//! Tells whether a text may have a secret, so that it is not stored (SPEC 38.1).
//!
//! This is a cheap upper bound. Where texts are redacted, Python finds the secrets themselves.

use crate::tables::{Entries, words};
use crate::text::chars::{fold, is_white_space};

static NAMES: Entries = words!("secret_words", "names");
static ASSIGNED: Entries = words!("secret_words", "assigned");
/// A chunk of this many characters with digits and letters may be a secret.
const MIN_CHARS: usize = 8;
/// So many ASCII letters and digits in a row may be one as well.
const MIN_RUN: usize = 20;
/// As many short words in a row may be a recovery phrase.
const PHRASE_WORDS: usize = 12;
const PHRASE_LENGTHS: std::ops::RangeInclusive<usize> = 3..=8;
const QUOTES: [char; 4] = [' ', '"', '\'', '`'];
/// What surrounds a word in a note.
const AROUND: [char; 9] = ['`', '"', '\'', ',', ';', ':', '.', '(', ')'];
/// Stands for a word that may be a secret.
const LEFT_OUT: &str = "[left out]";
/// The ending of a file that a note may name.
const JSON: &str = ".json";
const MAX_NOTE_CHARS: usize = 500;

/// Whether a text may have a secret: a long chunk of digits and letters, a word for a secret, an address with a user, or
/// many short words in a row. `joined` has the words of the text with a `+` before and after each word.
#[must_use]
pub fn may_have_secret(text: &str, joined: &str) -> bool {
    NAMES.iter().any(|name| joined.contains(name))
        || text.contains("-----BEGIN")
        || text.split(is_white_space).any(is_possible_secret)
        || has_assignment(text)
        || has_phrase(text)
}

/// Whether a chunk without white space may be a secret.
fn is_possible_secret(chunk: &str) -> bool {
    let has_digit = chunk.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = || chunk.chars().any(|char| !char.is_ascii() || char.is_ascii_alphabetic());
    let is_long = || chunk.split(|char: char| !char.is_ascii_alphanumeric()).any(|run| run.len() >= MIN_RUN);
    (has_digit && has_letter() && chunk.chars().count() >= MIN_CHARS) || has_user(chunk) || is_long()
}

/// Returns a note for a log as one line of at most 500 characters, without the words that may be secrets (SPEC 14.4): it
/// may repeat what somebody typed.
#[must_use]
pub fn legible_note(note: &str) -> String {
    let note = note.replace(|char: char| char.is_ascii_control(), " ");
    let shown = |word| if may_be_secret(word) { LEFT_OUT } else { word };
    let note = note.split(' ').map(shown).collect::<Vec<_>>().join(" ");
    note.chars().take(MAX_NOTE_CHARS).collect()
}

/// Whether a word of a note may be a secret. Paths are no secrets.
fn may_be_secret(word: &str) -> bool {
    let inner = word.trim_matches(AROUND);
    let is_url = inner.contains("://");
    if (inner.contains('/') && !is_url) || inner.ends_with(JSON) {
        return false;
    }
    // The names of settings have dots between short words, and an address has parts as well.
    let ends: &[char] = if is_url { &['.', '/', ':'] } else { &['.'] };
    inner.split(ends).any(is_possible_secret) || has_user(inner)
}

/// Whether a chunk is an address with a user, who may have a password.
fn has_user(chunk: &str) -> bool {
    chunk.split_once("://").is_some_and(|(_, rest)| rest.contains('@'))
}

fn has_assignment(text: &str) -> bool {
    let folded = fold(text);
    let mut parts = folded.split(['=', ':', '\u{ff1a}']);
    // Nothing is assigned behind the last part.
    parts.next_back();
    parts.any(|before| ASSIGNED.iter().any(|word| before.trim_end_matches(QUOTES).ends_with(word)))
}

fn has_phrase(text: &str) -> bool {
    let mut row = 0;
    text.split(is_white_space).filter(|chunk| !chunk.is_empty()).any(|chunk| {
        let is_word = PHRASE_LENGTHS.contains(&chunk.len()) && chunk.bytes().all(|byte| byte.is_ascii_lowercase());
        row = if is_word { row + 1 } else { 0 };
        row == PHRASE_WORDS
    })
}
