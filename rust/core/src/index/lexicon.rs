//! A hash table that numbers distinct texts in the order of their first appearance.

use crate::index::layout::low_u32;

/// Numbers distinct texts of at most 65,535 bytes.
///
/// This is not a standard map, because it hashes short texts in a few instructions, stores all texts in one buffer, and
/// has a fixed order.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// The slots of the hash table, which has open addressing. A slot has the upper half of the hash in its high bits
    /// and the text's number + 1 in its low bits; 0 is a free slot.
    slots: Vec<u64>,
    texts: Vec<u8>,
    ends: Vec<u32>,
}

impl Default for Lexicon {
    fn default() -> Self {
        // This size is large enough for the terms of most queries.
        Self { slots: vec![0; 1 << 6], texts: Vec::with_capacity(1 << 8), ends: Vec::with_capacity(1 << 5) }
    }
}

impl Lexicon {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn text(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let end = self.ends.get(number).copied().unwrap_or(0);
        let begin = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.texts.get(begin as usize..end as usize).unwrap_or_default()
    }

    /// The number of a text; `None` if the text has no number.
    pub(crate) fn find(&self, text: &[u8]) -> Option<u32> {
        self.look_up(text, hash(text)).ok()
    }

    /// The number of a text; if the text has none, the error is the free slot for it.
    #[inline]
    fn look_up(&self, text: &[u8], hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut place = low_usize(hash) & mask;
        loop {
            let slot = self.slots.get(place).copied().unwrap_or(0);
            if slot == 0 {
                return Err(place);
            }
            if slot >> 32 == hash >> 32 {
                let number = low_half(slot) - 1;
                if is_same(self.text(number), text) {
                    return Ok(number);
                }
            }
            place = (place + 1) & mask;
        }
    }

    /// The number of a text; a new text gets the next number.
    pub(crate) fn number(&mut self, text: &[u8]) -> u32 {
        let hash = hash(text);
        let place = match self.look_up(text, hash) {
            Ok(number) => return number,
            Err(place) => place,
        };
        let number = low_u32(self.ends.len());
        self.texts.extend_from_slice(text);
        self.ends.push(low_u32(self.texts.len()));
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = hash & !0xffff_ffff | u64::from(number + 1);
        }
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for number in 0..low_u32(self.ends.len()) {
            let hash = hash(self.text(number));
            let mut place = low_usize(hash) & mask;
            while slots.get(place).is_some_and(|slot| *slot != 0) {
                place = (place + 1) & mask;
            }
            if let Some(slot) = slots.get_mut(place) {
                *slot = hash & !0xffff_ffff | u64::from(number + 1);
            }
        }
        self.slots = slots;
    }
}

/// Whether two texts are equal; short texts are compared without a function call.
#[inline]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() || a.len() > 16 {
        return a == b;
    }
    let ((a_head, a_tail), (b_head, b_tail)) = (a.split_at(a.len().min(8)), b.split_at(b.len().min(8)));
    word(a_head) == word(b_head) && word(a_tail) == word(b_tail)
}

/// Hashes a text by folding the halves of 128-bit products, so that every bit of the text affects both ends of the
/// hash.
fn hash(text: &[u8]) -> u64 {
    const A: u64 = 0x9e37_79b9_7f4a_7c15;
    const B: u64 = 0xd1b5_4a32_d192_ed03;
    let mut rest = text;
    let mut state = A ^ text.len() as u64;
    while rest.len() > 16 {
        let (head, tail) = rest.split_at(16);
        state = fold(word(head) ^ state, word(head.get(8..).unwrap_or_default()) ^ B);
        rest = tail;
    }
    let (head, tail) = rest.split_at(rest.len().min(8));
    fold(word(head) ^ state, word(tail) ^ B)
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    low_word(product) ^ low_word(product >> 64)
}

/// Packs up to eight bytes into a number; different texts of the same length give different numbers.
fn word(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[allow(clippy::cast_possible_truncation, reason = "a half is wanted")]
fn low_word(product: u128) -> u64 {
    product as u64
}

#[allow(clippy::cast_possible_truncation, reason = "a half is wanted")]
fn low_half(slot: u64) -> u32 {
    slot as u32
}

#[allow(clippy::cast_possible_truncation, reason = "its low bits are wanted")]
fn low_usize(hash: u64) -> usize {
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_number() {
        let mut lexicon = Lexicon::default();
        let texts: Vec<String> = (0..5_000).map(|number| format!("{number}-{}", "x".repeat(number % 40))).collect();
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(lexicon.number(text.as_bytes()), number);
        }
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(lexicon.number(text.as_bytes()), number);
            assert_eq!(lexicon.text(number), text.as_bytes());
        }
        assert_eq!(lexicon.len(), texts.len());
    }
}
