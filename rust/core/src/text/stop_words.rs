//! The stop words of the keyword retriever: words that say nothing about a subject (SPEC 4).
#![expect(clippy::indexing_slicing, reason = "constant tables, indexed by what was made for their size")]

use crate::tables::{Entries, words};

/// The 91 stop words. Four of them (`as am us vs`) are shorter than tokens of the classic revision, which thus has 87.
const STOP_WORDS: Entries = words!("words", "keyword_stop_words");

/// A perfect hash table of the stop words, packed into numbers: each stop word fits into eight bytes, so one comparison
/// is enough.
static STOP_WORD_SLOTS: [u64; 1024] = {
    let mut slots = [0; 1024];
    let mut number = 0;
    while number < STOP_WORDS.len() {
        let packed = pack(STOP_WORDS.bytes(number));
        assert!(slots[slot_of(packed)] == 0, "two stop words share a slot: find another multiplier");
        slots[slot_of(packed)] = packed;
        number += 1;
    }
    slots
};

/// Whether the last `length` bytes are a stop word; `length` is at least 1.
pub(crate) fn is_stop_word(bytes: &[u8], length: usize) -> bool {
    let packed = match bytes.last_chunk::<8>() {
        Some(last) => u64::from_be_bytes(*last) & (u64::MAX >> (64 - 8 * length.clamp(1, 8))),
        None => pack(bytes.get(bytes.len() - length..).unwrap_or_default()),
    };
    // A longer word fills all eight bytes, and no stop word does, so their numbers differ.
    STOP_WORD_SLOTS[slot_of(packed)] == packed
}

/// Packs a word of at most eight bytes into a number.
pub(crate) const fn pack(word: &[u8]) -> u64 {
    let mut packed = 0;
    let mut place = 0;
    while place < word.len() {
        packed = packed << 8 | word[place] as u64;
        place += 1;
    }
    packed
}

const fn slot_of(packed: u64) -> usize {
    (packed.wrapping_mul(0xc69d_4bd8_b3fa_7aa7) >> 54) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_word_is_found() {
        for word in STOP_WORDS.iter() {
            for before in ["", "some token"] {
                assert!(is_stop_word(format!("{before}{word}").as_bytes(), word.len()), "{word}");
                assert!(!is_stop_word(format!("{before}{word}x").as_bytes(), word.len() + 1), "{word}");
            }
        }
        assert_eq!(STOP_WORDS.iter().filter(|word| ["as", "am", "us", "vs"].contains(word)).count(), 4);
    }
}
