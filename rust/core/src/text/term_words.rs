//! The stop words, which the lexical retriever leaves out, and the weak words, which count for less in a prompt (SPEC
//! 19.5).

use crate::tables::{Keyed, keyed_words};
use crate::text::hangul;

/// The stop words.
static STOP_WORDS: Keyed = keyed_words!("words", "stop_words");

/// The weak words, which are seldom what a prompt is about.
static WEAK_WORDS: Keyed = keyed_words!("words", "weak_words");

/// Whether a word in lower case is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.has(word)
}

/// Whether a word in lower case, or a run of Hangul, is a weak word.
pub(crate) fn is_weak_word(word: &str) -> bool {
    match word.chars().next() {
        Some('\u{ac00}'..='\u{d7a3}') => hangul::is_weak_word(word),
        _ => WEAK_WORDS.has(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_word_is_found() {
        for word in STOP_WORDS.iter() {
            assert!(is_stop_word(word), "{word}");
            assert_eq!(is_stop_word(&format!("{word}x")), STOP_WORDS.has(&format!("{word}x")));
        }
        assert!(!is_stop_word(""));
        assert!(!is_stop_word("deploy"));
    }

    #[test]
    fn a_weak_word_is_found_in_either_script() {
        assert!(is_weak_word("wonder") && !is_weak_word("cache"));
        assert!(is_weak_word("궁금해") && !is_weak_word("캐시") && !is_weak_word(""));
    }
}
