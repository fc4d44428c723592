//! Composes characters, so that texts which look alike are alike (SPEC 2.5).

use crate::tables::numbers;
use crate::text::chars::{code_point, within};
use std::borrow::Cow;

/// Ranges (first and last) of characters that composition may change.
static UNSETTLED: &[[i32; 2]] = numbers!("composition", "unsettled", 2);
/// Characters, each with the one or two characters that it stands for; the last is 0 if there is only one.
static DECOMPOSITIONS: &[[i32; 3]] = numbers!("composition", "decompositions", 3);
/// Pairs of characters, each with the character that they become.
static COMPOSITIONS: &[[i32; 3]] = numbers!("composition", "compositions", 3);
/// Ranges (first and last) of characters that combine with others, each with its combining class.
static COMBINING: &[[i32; 3]] = numbers!("composition", "combining", 3);
/// Half-width characters with their usual forms.
static WIDE_FORMS: &[[i32; 2]] = numbers!("composition", "wide_forms", 2);

/// Hangul letters by their place in a syllable, in the order of the syllables.
const LEADS: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const TAILS: &str = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ";
const VOWELS: u32 = 21;
/// The number of places for the last consonant of a syllable, one of which is empty.
const LAST: u32 = 28;
const FIRST_LEAD: u32 = 0x1100;
const FIRST_VOWEL: u32 = 0x1161;
const NO_TAIL: u32 = 0x11a7;
const FIRST_VOWEL_LETTER: u32 = 0x314f;
const FIRST_SYLLABLE: u32 = 0xac00;
const SYLLABLES: u32 = 19 * VOWELS * LAST;

/// The text in the form that Unicode calls NFC, in which canonically equivalent texts are equal.
#[must_use]
pub fn compose(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_unsettled) {
        return Cow::Borrowed(text);
    }
    let mut chars = Vec::with_capacity(text.len());
    text.chars().for_each(|char| decompose(char, &mut chars));
    for run in chars.chunk_by_mut(|(_, one), (_, other)| (*one == 0) == (*other == 0)) {
        run.sort_by_key(|(_, class)| *class);
    }
    let mut composed: Vec<char> = Vec::with_capacity(chars.len());
    // The place of the last character of class 0, and the class of the character before the current one.
    let (mut starter, mut before) = (None, 0);
    for (char, class) in chars {
        let first = starter.and_then(|place: usize| composed.get_mut(place)).filter(|_| before == 0 || before < class);
        if let Some(first) = first {
            if let Some(both) = pair(*first, char) {
                *first = both;
                continue;
            }
        }
        if class == 0 {
            starter = Some(composed.len());
        }
        before = class;
        composed.push(char);
    }
    Cow::Owned(composed.into_iter().collect())
}

/// The composed text, with half-width katakana and Hangul in their usual forms, and with Hangul letters joined to
/// syllables.
#[must_use]
pub fn full_forms(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(has_other_form) {
        return compose(text);
    }
    let chars: Vec<char> = text.chars().map(widen).collect();
    let text = join_am(&join_letters(&chars));
    match compose(&text) {
        Cow::Owned(composed) => Cow::Owned(composed),
        Cow::Borrowed(_) => Cow::Owned(text),
    }
}

fn is_unsettled(char: char) -> bool {
    // Characters before the combining marks, Han and Hangul syllables are never changed by what follows or precedes.
    char >= '\u{300}' && !matches!(char, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') && within(UNSETTLED, char)
}

/// Whether a character is half-width, a vowel of Hangul, or the sign that begins a Thai or Lao "am".
fn has_other_form(char: char) -> bool {
    matches!(char, '\u{e4d}' | '\u{ecd}' | '\u{314f}'..='\u{3163}' | '\u{ff65}'..='\u{ffdc}')
}

/// Appends the characters that a character stands for, each with its combining class.
fn decompose(char: char, chars: &mut Vec<(char, i32)>) {
    let found =
        if char < '\u{c0}' { None } else { find(DECOMPOSITIONS, |[composed, ..]| *composed, &code_point(char)) };
    match found {
        Some([_, first, second]) => {
            [first, second].into_iter().filter(|part| **part != 0).for_each(|part| decompose(to_char(*part), chars));
        }
        None => chars.push((char, class_of(char))),
    }
}

fn class_of(char: char) -> i32 {
    let point = code_point(char);
    let run = COMBINING.partition_point(|[_, last, _]| *last < point);
    COMBINING.get(run).filter(|[first, ..]| *first <= point).map_or(0, |[_, _, class]| *class)
}

/// The character that a pair of characters becomes.
fn pair(first: char, second: char) -> Option<char> {
    let points = (code_point(first), code_point(second));
    syllable(u32::from(first), u32::from(second)).or_else(|| {
        find(COMPOSITIONS, |[first, second, _]| (*first, *second), &points).map(|[_, _, composed]| to_char(*composed))
    })
}

/// The syllable of a first consonant and a vowel, or of a syllable without a last consonant and such a consonant.
fn syllable(first: u32, second: u32) -> Option<char> {
    let (lead, vowel) = (first.wrapping_sub(FIRST_LEAD), second.wrapping_sub(FIRST_VOWEL));
    if lead < SYLLABLES / VOWELS / LAST && vowel < VOWELS {
        return char::from_u32(FIRST_SYLLABLE + (lead * VOWELS + vowel) * LAST);
    }
    let (open, tail) = (first.wrapping_sub(FIRST_SYLLABLE), second.wrapping_sub(NO_TAIL));
    let is_open = open < SYLLABLES && open % LAST == 0 && (1..LAST).contains(&tail);
    if is_open { char::from_u32(first + tail) } else { None }
}

fn widen(char: char) -> char {
    if !('\u{ff65}'..='\u{ffdc}').contains(&char) {
        return char;
    }
    find(WIDE_FORMS, |[half, _]| *half, &code_point(char)).map_or(char, |[_, wide]| to_char(*wide))
}

/// Joins Hangul letters to syllables. A consonant behind a vowel ends the syllable, unless a vowel follows it.
fn join_letters(letters: &[char]) -> Vec<char> {
    let mut chars = Vec::with_capacity(letters.len());
    let mut rest = letters;
    let is_vowel = |letter: Option<&char>| letter.is_some_and(|letter| vowel_number(*letter).is_some());
    while let [first, behind @ ..] = rest {
        rest = behind;
        let Some((lead, vowel)) = number_in(LEADS, *first).zip(rest.first().and_then(|letter| vowel_number(*letter)))
        else {
            chars.push(*first);
            continue;
        };
        rest = rest.get(1..).unwrap_or_default();
        let tail = rest.first().filter(|_| !is_vowel(rest.get(1))).and_then(|letter| number_in(TAILS, *letter));
        let whole = FIRST_SYLLABLE + (lead * VOWELS + vowel) * LAST + tail.map_or(0, |tail| tail + 1);
        chars.extend(char::from_u32(whole));
        rest = rest.get(usize::from(tail.is_some())..).unwrap_or_default();
    }
    chars
}

fn vowel_number(letter: char) -> Option<u32> {
    u32::from(letter).checked_sub(FIRST_VOWEL_LETTER).filter(|number| *number < VOWELS)
}

fn number_in(letters: &str, letter: char) -> Option<u32> {
    let is_consonant = ('\u{3131}'..='\u{314e}').contains(&letter);
    let number = if is_consonant { letters.chars().position(|known| known == letter) } else { None };
    number.and_then(|number| u32::try_from(number).ok())
}

/// Joins the two parts of the Thai and Lao vowel "am". A tone mark between them goes before it.
fn join_am(chars: &[char]) -> String {
    let mut joined = String::with_capacity(3 * chars.len());
    let mut rest = chars;
    while let [first, behind @ ..] = rest {
        let is_end = |end: &char| (*first, *end) == ('\u{e4d}', '\u{e32}') || (*first, *end) == ('\u{ecd}', '\u{eb2}');
        let am = if *first < '\u{e80}' { '\u{e33}' } else { '\u{eb3}' };
        rest = match behind {
            [end, others @ ..] if is_end(end) => {
                joined.push(am);
                others
            }
            [tone @ ('\u{e48}'..='\u{e4b}' | '\u{ec8}'..='\u{ecb}'), end, others @ ..] if is_end(end) => {
                joined.extend([*tone, am]);
                others
            }
            _ => {
                joined.push(*first);
                behind
            }
        };
    }
    joined
}

/// The row of a sorted table with this key.
fn find<const WIDTH: usize, Key: Ord>(
    rows: &'static [[i32; WIDTH]],
    key_of: impl Fn(&[i32; WIDTH]) -> Key,
    key: &Key,
) -> Option<&'static [i32; WIDTH]> {
    rows.binary_search_by(|row| key_of(row).cmp(key)).ok().and_then(|place| rows.get(place))
}

/// The character of a code point of the tables.
fn to_char(point: i32) -> char {
    u32::try_from(point).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(UNSETTLED.is_sorted_by(|[_, last], [first, _]| last < first));
        assert!(COMBINING.is_sorted_by(|[_, last, _], [first, ..]| last < first));
        assert!(DECOMPOSITIONS.is_sorted_by_key(|[composed, ..]| composed));
        assert!(COMPOSITIONS.is_sorted_by_key(|[first, second, _]| (first, second)));
        assert!(WIDE_FORMS.is_sorted_by_key(|[half, _]| half));
    }

    #[test]
    fn marks_are_ordered_before_they_are_composed() {
        assert_eq!(compose("cafe\u{301} e\u{302}\u{323} \u{212b} \u{f900}"), "café ệ Å 豈");
        assert!(matches!(compose("café 한국 データ"), Cow::Borrowed(_)));
    }

    #[test]
    fn hangul_is_composed_in_every_form() {
        assert_eq!(compose("\u{1112}\u{1161}\u{11ab}\u{1100}\u{173}"), "한\u{1100}\u{173}");
        assert_eq!(full_forms("ﾾￂﾤﾡￆﾱㄱㅏㄱㅏ ㅋㅋ ㅏ"), "한검가가 ㅋㅋ ㅏ");
    }

    #[test]
    fn half_width_katakana_keep_their_sound_marks() {
        assert_eq!(full_forms("ﾃﾞｰﾀﾍﾞｰｽ ﾊﾟｽ"), "データベース パス");
    }
}
