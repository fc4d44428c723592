//! The stop words, which the lexical retriever leaves out, and the weak words, which count for less in a prompt (SPEC
//! 19.5).
#![expect(clippy::indexing_slicing, reason = "constant tables, indexed by what was made for their size")]

use crate::text::hangul;
use crate::text::stop_words::pack;
use crate::text::tables::{Entries, WORDS, words};

/// The stop words, sorted; none is longer than eight bytes.
const STOP_WORDS: Entries = words!(WORDS, "stop_words").sorted();

/// The weak words, which are seldom what a prompt is about; sorted.
static WEAK_WORDS: Entries = words!(WORDS, "weak_words").sorted();

const SLOTS: usize = 512;

/// A hash table of the stop words, packed into numbers, with linear probing; 0 is a free slot.
static STOP_WORD_SLOTS: [u64; SLOTS] = {
    let mut slots = [0; SLOTS];
    let mut number = 0;
    while number < STOP_WORDS.len() {
        let packed = pack(STOP_WORDS.bytes(number));
        let mut slot = slot_of(packed);
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = packed;
        number += 1;
    }
    slots
};

/// Whether a word in lower case is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    if word.is_empty() || word.len() > 8 {
        return false;
    }
    let packed = pack(word.as_bytes());
    let mut slot = slot_of(packed);
    while STOP_WORD_SLOTS[slot] != 0 {
        if STOP_WORD_SLOTS[slot] == packed {
            return true;
        }
        slot = (slot + 1) % SLOTS;
    }
    false
}

/// Whether a word in lower case, or a run of Hangul, is a weak word.
pub(crate) fn is_weak_word(word: &str) -> bool {
    match word.chars().next() {
        Some('\u{ac00}'..='\u{d7a3}') => hangul::is_weak_word(word),
        _ => WEAK_WORDS.has(word),
    }
}

const fn slot_of(packed: u64) -> usize {
    (packed.wrapping_mul(0xc69d_4bd8_b3fa_7aa7) >> 55) as usize
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
