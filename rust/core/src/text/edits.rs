//! Recognizes words with typing errors, and two words written as one (SPEC 22.9).

use crate::text::stem::stem;

/// Words of at least this many letters are long: they may differ by two edits.
const LONG: usize = 9;
/// The least number of letters in each half of two words written as one.
const HALF_LENGTH: usize = 4;

/// Whether two words of ASCII letters differ by at most one edit, or by at most two edits if both words are long. An
/// edit adds, removes or changes a letter, or swaps two neighbouring letters.
#[must_use]
pub fn is_near(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let most = if a.len().min(b.len()) >= LONG { 2 } else { 1 };
    if a.len().abs_diff(b.len()) > most {
        return false;
    }
    let (mut older, mut before, mut row) = (Vec::new(), Vec::new(), (0..=b.len()).collect::<Vec<_>>());
    for (place, letter) in (1..).zip(a) {
        older.clear();
        std::mem::swap(&mut older, &mut before);
        std::mem::swap(&mut before, &mut row);
        let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
        row.push(place);
        let mut left = place;
        let mut least = place;
        for (column, other) in (1..).zip(b) {
            let is_other = usize::from(letter != other);
            let mut edits = (at(&before, column) + 1).min(left + 1).min(at(&before, column - 1) + is_other);
            let is_swapped =
                place > 1 && column > 1 && b.get(column - 2) == Some(letter) && a.get(place - 2) == Some(other);
            if is_swapped {
                edits = edits.min(at(&older, column - 2) + 1);
            }
            row.push(edits);
            least = least.min(edits);
            left = edits;
        }
        if least > most {
            return false;
        }
    }
    row.last().is_some_and(|edits| *edits <= most)
}

/// The terms of both halves of a word of ASCII letters, for each place where it can be split; empty for other words.
#[must_use]
pub fn halves(word: &str) -> Vec<(String, String)> {
    let letters = word.to_ascii_lowercase();
    if !letters.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let places = HALF_LENGTH..(letters.len() + 1).saturating_sub(HALF_LENGTH);
    places.map(|place| letters.split_at(place)).map(|(first, second)| (stem(first), stem(second))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_that_a_typing_error_tells_apart() {
        for (word, other) in [("chekc", "check"), ("fallbak", "fallback"), ("supercapcitor", "supercapacitor")] {
            assert!(is_near(word, other) && is_near(other, word), "{word}");
        }
        assert!(is_near("dependbto", "dependabot") && !is_near("abcd", "bacde") && !is_near("cat", "dog"));
    }

    #[test]
    fn a_word_written_in_one_has_its_halves() {
        assert_eq!(halves("TypeError").first().map(|(a, b)| (a.as_str(), b.as_str())), Some(("typ", "error")));
        assert!(halves("webhook").is_empty() && halves("web-hooks").is_empty());
    }
}
