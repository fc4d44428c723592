//! What belongs to words: letters beyond ASCII, without their marks, and the scripts without blanks (SPEC 19.1).

use crate::text::chars::{fold, within};
use crate::text::unicode_tables::{PLAIN, WORDS};

/// The kind of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Of a word: letters, digits, marks; the joiners of identifiers.
    Letter,
    /// A syllable of Hangul.
    Hangul,
    /// Han and kana.
    Ideographs,
    /// Everything else.
    Separator,
}

/// Han and kana, by their first and last code points.
const IDEOGRAPH_RANGES: [(u32, u32); 10] = [
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309d, 0x309f),
    (0x30a1, 0x30fa),
    (0x30fc, 0x30ff),
    (0x31f0, 0x31ff),
    (0x3400, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xf900, 0xfaff),
    (0x20000, 0x3ffff),
];

/// The kind of a character beyond ASCII.
#[must_use]
pub fn classify(char: char) -> Kind {
    if ('\u{ac00}'..='\u{d7a3}').contains(&char) {
        Kind::Hangul
    } else if char >= '\u{3005}' && within(&IDEOGRAPH_RANGES, char) {
        Kind::Ideographs
    } else if within(&WORDS, char) {
        Kind::Letter
    } else {
        Kind::Separator
    }
}

/// A letter beyond ASCII in lower case without its marks; nothing where it is such a mark.
///
/// Where that is ASCII a capital stays one: names are cut at capitals.
#[must_use]
pub fn plain(char: char) -> Option<char> {
    if ('\u{300}'..='\u{36f}').contains(&char) {
        return None;
    }
    // Only the dotted capital I becomes more than one character: the other one is a mark.
    let lower = fold(char.encode_utf8(&mut [0; 4])).chars().next()?;
    let letter = match PLAIN.binary_search_by_key(&u32::from(lower), |(marked, _)| *marked) {
        Ok(place) => PLAIN.get(place).and_then(|(_, plain)| char::from_u32(*plain))?,
        Err(_) => lower,
    };
    Some(if lower == char { letter } else { letter.to_ascii_uppercase() })
}

/// Whether a character is of the script that Japanese writes its endings in.
pub(crate) fn is_hiragana(char: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_of_their_kind() {
        assert_eq!(['é', 'Ж', 'ก', '٣'].map(classify), [Kind::Letter; 4]);
        assert_eq!(['한', '漢', 'か', 'ー'].map(classify)[1..], [Kind::Ideographs; 3]);
        assert_eq!(classify('한'), Kind::Hangul);
        assert_eq!(['’', '→', '😀', '\u{e0a0}', '、'].map(classify), [Kind::Separator; 5]);
    }

    #[test]
    fn letters_lose_case_and_marks() {
        let plain_of = |text: &str| text.chars().filter_map(plain).collect::<String>();
        assert_eq!(plain_of("ÉøŁİＡΣςЙ\u{301}ß"), "EoLIAσσиß");
    }
}
