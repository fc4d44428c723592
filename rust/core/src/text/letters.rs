//! Classifies the characters of words beyond ASCII, and removes their accents and other marks (SPEC 19.1).

use crate::tables::numbers;
use crate::text::chars::{code_point, fold, within};

/// The kind of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A character of a word: a letter, digit or mark, or a joiner of identifiers.
    Letter,
    /// A Hangul syllable.
    Hangul,
    /// A character of Han or kana.
    Ideographs,
    /// A letter or mark of another script without blanks between words: Thai, Lao, Burmese or Khmer.
    Unspaced,
    /// Any other character.
    Separator,
}

/// Ranges (first and last) of letters, marks and digits beyond ASCII.
static WORDS: &[[i32; 2]] = numbers!("characters", "words", 2);
/// Ranges (first and last) of Han and kana.
static IDEOGRAPHS: &[[i32; 2]] = numbers!("characters", "ideographs", 2);
/// Ranges (first and last) of letters and marks of Thai, Lao, Burmese and Khmer.
static UNSPACED: &[[i32; 2]] = numbers!("characters", "unspaced", 2);
/// Lower-case letters with marks and full-width letters, each with its plain letter; sorted.
static PLAIN: &[[i32; 2]] = numbers!("characters", "plain", 2);

/// The kind of a character beyond ASCII.
#[must_use]
pub fn classify(char: char) -> Kind {
    if ('\u{ac00}'..='\u{d7a3}').contains(&char) {
        Kind::Hangul
    } else if char >= '\u{3005}' && within(IDEOGRAPHS, char) {
        Kind::Ideographs
    } else if char >= '\u{e01}' && within(UNSPACED, char) {
        Kind::Unspaced
    } else if within(WORDS, char) {
        Kind::Letter
    } else {
        Kind::Separator
    }
}

/// The plain lower-case form of a letter beyond ASCII, without its marks; `None` if the character is itself a combining
/// mark.
///
/// If the plain form is ASCII, a capital stays a capital, because identifiers are split at capitals.
#[must_use]
pub fn plain(char: char) -> Option<char> {
    if ('\u{300}'..='\u{36f}').contains(&char) {
        return None;
    }
    // Only the dotted capital I becomes two characters, and the second is a mark.
    let lower = fold(char.encode_utf8(&mut [0; 4])).chars().next()?;
    let letter = match PLAIN.binary_search_by_key(&code_point(lower), |[marked, _]| *marked) {
        Ok(place) => PLAIN.get(place).and_then(|[_, plain]| u32::try_from(*plain).ok()).and_then(char::from_u32)?,
        Err(_) => lower,
    };
    Some(if lower == char { letter } else { letter.to_ascii_uppercase() })
}

/// Whether a character is hiragana, the script of Japanese endings.
pub(crate) fn is_hiragana(char: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&char)
}

/// Whether a character is katakana, the script of Japanese words from other languages.
pub(crate) fn is_katakana(char: char) -> bool {
    ('\u{30a1}'..='\u{30ff}').contains(&char) || ('\u{31f0}'..='\u{31ff}').contains(&char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_of_their_kind() {
        assert_eq!(['é', 'Ж', '๓', '٣'].map(classify), [Kind::Letter; 4]);
        assert_eq!(['ก', 'ສ', 'ទ', 'ည', 'ꧠ'].map(classify), [Kind::Unspaced; 5]);
        assert_eq!(['한', '漢', 'か', 'ー'].map(classify)[1..], [Kind::Ideographs; 3]);
        assert_eq!(classify('한'), Kind::Hangul);
        assert_eq!(['’', '→', '😀', '\u{e0a0}', '、'].map(classify), [Kind::Separator; 5]);
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(PLAIN.is_sorted_by_key(|[marked, _]| marked));
        for ranges in [WORDS, IDEOGRAPHS, UNSPACED] {
            assert!(ranges.iter().all(|[first, last]| first <= last));
            assert!(ranges.is_sorted_by(|[_, last], [first, _]| last < first));
        }
    }

    #[test]
    fn letters_lose_case_and_marks() {
        let plain_of = |text: &str| text.chars().filter_map(plain).collect::<String>();
        assert_eq!(plain_of("ÉøŁİＡΣςЙ\u{301}ß"), "EoLIAσσиß");
    }
}
