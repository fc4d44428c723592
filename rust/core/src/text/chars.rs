//! Properties of characters: lower case, white space, decimal digits (SPEC 2).

use crate::tables::numbers;
use std::borrow::Cow;

const SIGMA: char = '\u{3a3}';

/// Runs of characters whose lower case is one character: first, last, step, distance to the lower-case character.
static LOWER_RUNS: &[[i32; 4]] = numbers!("characters", "lower_runs", 4);
/// Ranges (first and last) of cased characters, which decide whether a sigma is final.
static CASED: &[[i32; 2]] = numbers!("characters", "cased", 2);
/// Ranges (first and last) of characters that are skipped when a sigma is checked for being final.
static CASE_IGNORABLE: &[[i32; 2]] = numbers!("characters", "case_ignorable", 2);
/// The zeros of all scripts; each begins a run of ten decimal digits.
static DECIMAL_ZEROS: &[i32] = numbers!("characters", "decimal_zeros");

/// Whether a character is white space (SPEC 2.2).
#[must_use]
pub fn is_white_space(char: char) -> bool {
    matches!(
        char,
        '\t'..='\r'
            | '\u{1c}'..=' '
            | '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

/// The text without white space at either end.
#[must_use]
pub fn strip(text: &str) -> &str {
    strip_end(strip_start(text))
}

/// The text without white space at its beginning.
#[must_use]
pub fn strip_start(text: &str) -> &str {
    match text.as_bytes().first() {
        Some(b'!'..=b'~') => text,
        _ => text.trim_start_matches(is_white_space),
    }
}

/// The text without white space at its end.
#[must_use]
pub fn strip_end(text: &str) -> &str {
    match text.as_bytes() {
        // The usual case is one blank after a visible character.
        [.., b'!'..=b'~', b' '] => text.get(..text.len() - 1).unwrap_or(text),
        [.., b'!'..=b'~'] => text,
        _ => text.trim_end_matches(is_white_space),
    }
}

/// The text in lower case, by the tables of characters (SPEC 2.1).
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if !text.as_bytes().iter().any(u8::is_ascii_uppercase) {
            return Cow::Borrowed(text);
        }
        return Cow::Owned(text.to_ascii_lowercase());
    }
    let mut folded = String::with_capacity(text.len());
    for (position, char) in text.char_indices() {
        match char {
            SIGMA if is_final(text, position) => folded.push('\u{3c2}'),
            SIGMA => folded.push('\u{3c3}'),
            '\u{130}' => folded.push_str("i\u{307}"),
            _ => folded.push(lower(char)),
        }
    }
    Cow::Owned(folded)
}

/// The value of a decimal digit of any script (SPEC 2.3); `None` for other characters.
#[must_use]
pub fn decimal_digit(char: char) -> Option<u8> {
    let point = code_point(char);
    let run = DECIMAL_ZEROS.partition_point(|zero| *zero <= point).checked_sub(1)?;
    let value = point - DECIMAL_ZEROS.get(run)?;
    u8::try_from(value).ok().filter(|value| *value < 10)
}

/// The first `limit` characters of a text.
#[must_use]
pub fn cut(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

fn lower(char: char) -> char {
    let point = code_point(char);
    let run = LOWER_RUNS.partition_point(|[_, last, _, _]| *last < point);
    match LOWER_RUNS.get(run) {
        Some([first, _, step, distance]) if *first <= point && (point - first) % step == 0 => {
            u32::try_from(point + distance).ok().and_then(char::from_u32).unwrap_or(char)
        }
        _ => char,
    }
}

/// Whether the sigma at `position` ends a word: a cased character comes before it, and no cased character after it.
fn is_final(text: &str, position: usize) -> bool {
    let before = text.get(..position).unwrap_or_default();
    let after = text.get(position + SIGMA.len_utf8()..).unwrap_or_default();
    meets_cased(before.chars().rev()) && !meets_cased(after.chars())
}

fn meets_cased(mut chars: impl Iterator<Item = char>) -> bool {
    chars.find(|char| !within(CASE_IGNORABLE, *char)).is_some_and(|char| within(CASED, char))
}

/// Whether a character is within one of the sorted inclusive ranges.
pub(crate) fn within(ranges: &[[i32; 2]], char: char) -> bool {
    let point = code_point(char);
    let range = ranges.partition_point(|[_, last]| *last < point);
    ranges.get(range).is_some_and(|[first, _]| *first <= point)
}

/// The code point of a character, in the type of the tables.
pub(crate) fn code_point(char: char) -> i32 {
    i32::try_from(u32::from(char)).unwrap_or(i32::MAX)
}

/// The longest prefix of a text of at most `limit` bytes, cut between characters.
pub(crate) fn cut_bytes(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sigma_is_final_only_at_the_end_of_a_word() {
        assert_eq!(fold("ΑΣ ΑΣΑ Σ"), "ας ασα σ");
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(LOWER_RUNS.is_sorted_by(|[_, last, ..], [first, ..]| last < first) && DECIMAL_ZEROS.is_sorted());
        for ranges in [CASED, CASE_IGNORABLE] {
            assert!(ranges.iter().all(|[first, last]| first <= last));
            assert!(ranges.is_sorted_by(|[_, last], [first, _]| last < first));
        }
    }

    #[test]
    fn digits_of_other_scripts_have_values() {
        assert_eq!(decimal_digit('７'), Some(7));
        assert_eq!(decimal_digit('x'), None);
        assert_eq!(decimal_digit('/'), None);
    }
}
