//! Strips particles and endings from Korean words, and recognizes stop words and weak words (SPEC 19.4).

use crate::tables::{Entries, Keyed, keyed_words, words};

/// Particles and endings that are stripped.
static ENDINGS: Keyed = keyed_words!("words", "hangul_endings");

/// Words that say nothing about a subject.
static STOP_WORDS: Keyed = keyed_words!("words", "hangul_stop_words");

/// Words that are seldom what a prompt is about.
static WEAK_WORDS: Keyed = keyed_words!("words", "hangul_weak_words");

/// The beginnings of inflected forms of weak words.
static WEAK_BEGINNINGS: Entries = words!("words", "hangul_weak_beginnings");

/// The number of syllables of the longest ending.
const LONGEST: usize = 5;

/// The number of bytes of a syllable in UTF-8.
const SYLLABLE: usize = 3;

/// Whether a word says nothing about a subject.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.has(word)
}

/// Whether a run of syllables is a weak word, with or without an ending; weak words count for less in a prompt.
pub(crate) fn is_weak_word(run: &str) -> bool {
    WEAK_BEGINNINGS.iter().any(|beginning| run.starts_with(beginning))
        || WEAK_WORDS.has(run)
        || WEAK_WORDS.has(strip_ending(run))
}

/// Strips the longest known ending that leaves at least two syllables; the word must consist of Hangul syllables.
pub(crate) fn strip_ending(word: &str) -> &str {
    let syllables = word.len() / SYLLABLE;
    for length in (1..=LONGEST.min(syllables.saturating_sub(2))).rev() {
        match word.split_at_checked(word.len() - length * SYLLABLE) {
            Some((rest, ending)) if ENDINGS.has(ending) => return rest,
            _ => {}
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_goes_where_two_syllables_stay() {
        assert_eq!(strip_ending("데이터베이스를"), "데이터베이스");
        assert_eq!(strip_ending("배포하려면"), "배포");
        assert_eq!(strip_ending("키를"), "키를");
        assert_eq!(strip_ending("배포"), "배포");
    }

    #[test]
    fn a_weak_word_counts_with_its_endings_and_forms() {
        assert!(["방법", "방법을", "뭐였더라", "있었는데", "하나"].into_iter().all(is_weak_word));
        assert!(!["이미지", "하나은행", "되돌리기", "사용자", "알고리즘"].into_iter().any(is_weak_word));
    }

    #[test]
    fn no_ending_is_longer_than_the_longest() {
        assert_eq!(ENDINGS.iter().map(|ending| ending.chars().count()).max(), Some(LONGEST));
    }
}
