//! The dictionary: the sorted texts of a segment and the offsets of their posting lists (SPEC 20.3).
//!
//! Its parts are, in this order:
//!
//! 1. the number of entries (u32) and the number of fences (u32), which is a 64th of it, rounded up;
//! 2. for each fence a key (u64): the first eight bytes of each 64th text, from the first on, read big-endian and padded
//!    with zeros;
//! 3. for each entry 16 bytes: the offset of the text in the texts (u32), the offset of its list in the postings in units
//!    of two bytes (u32), the documents in the list (u32), the bytes of the text (u16), the largest byte in the list
//!    (u8), 0 (u8);
//! 4. the texts without gaps: distinct, ascending by bytes, of 1 to 65,535 bytes.

use crate::index::layout::{low_u32, u32_at};
use std::ops::Range;

/// The maximal length of a text in bytes; longer texts have no entry.
pub const MAX_TEXT_BYTES: usize = 65_535;

const FENCE: usize = 64;
const ENTRY_BYTES: usize = 16;

/// The entry of one text: where its posting list is, and a summary of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The offset of the text's posting list in the section of postings, in units of two bytes.
    pub offset: u32,
    /// The number of documents in the posting list.
    pub documents: u32,
    /// The largest byte of a posting in the list. The section determines what the byte means: an impact, or flags for
    /// fields.
    pub max: u8,
}

/// A view of a dictionary's section; an inconsistent section gives an empty dictionary.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'a> {
    keys: &'a [u8],
    entries: &'a [u8],
    texts: &'a [u8],
    len: u32,
}

impl<'a> Dictionary<'a> {
    /// Opens the dictionary in the bytes of a section.
    #[must_use]
    pub fn new(section: &'a [u8]) -> Self {
        Self::split(section).unwrap_or(Self { keys: &[], entries: &[], texts: &[], len: 0 })
    }

    fn split(section: &'a [u8]) -> Option<Self> {
        let (len, fences) = (u32_at(section, 0)?, u32_at(section, 4)?);
        if fences != len.div_ceil(64) {
            return None;
        }
        let (keys, rest) = section.get(8..)?.split_at_checked((fences as usize).checked_mul(8)?)?;
        let (entries, texts) = rest.split_at_checked((len as usize).checked_mul(ENTRY_BYTES)?)?;
        Some(Self { keys, entries, texts, len })
    }

    /// The number of texts.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether the dictionary has no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text of the entry with this number; empty if the entry or the text is out of bounds.
    #[must_use]
    pub fn text(&self, entry: u32) -> &'a [u8] {
        self.row(entry).and_then(|row| self.text_of(row)).unwrap_or_default()
    }

    /// The entry with this number; `None` if it is out of bounds.
    #[must_use]
    pub fn entry(&self, entry: u32) -> Option<Entry> {
        let row = self.row(entry)?;
        Some(Entry { offset: u32_at(row, 4)?, documents: u32_at(row, 8)?, max: row[14] })
    }

    /// The number of a text's entry; `None` if the dictionary does not have the text.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        let entry = self.lower_bound(text);
        (entry < self.len && self.text(entry) == text).then_some(entry)
    }

    /// The numbers of the entries whose texts begin with `prefix`.
    #[must_use]
    pub fn range(&self, prefix: &[u8]) -> Range<u32> {
        let begin = self.lower_bound(prefix);
        begin..halve_near(begin, self.len, |entry| self.text(entry).starts_with(prefix))
    }

    /// The number of the first entry whose text is not less than `text`.
    fn lower_bound(&self, text: &[u8]) -> u32 {
        let key = key_of(text);
        let fences = low_u32(self.keys.len() / 8);
        let low = halve(0, fences, |fence| self.key(fence) < key);
        let high = halve_near(low, fences, |fence| self.key(fence) == key);
        let begin = low.saturating_sub(1) * 64;
        let end = high.saturating_mul(64).min(self.len);
        let first = halve(begin, end, |entry| self.entry_key(entry) < key);
        if first == end || self.entry_key(first) != key || self.text(first) == text {
            return first;
        }
        let last = halve_near(first, end, |entry| self.entry_key(entry) == key);
        halve(first, last, |entry| self.text(entry) < text)
    }

    /// The key of an entry's text (see [`key_of`]). Only the last texts of the section need a branch on the text's
    /// length.
    #[inline]
    fn entry_key(&self, entry: u32) -> u64 {
        let Some(row) = self.row(entry) else { return u64::MAX };
        let begin = u32::from_le_bytes([row[0], row[1], row[2], row[3]]) as usize;
        let Some(eight) = self.texts.get(begin..).and_then(|rest| rest.first_chunk()) else {
            return key_of(self.text(entry));
        };
        let bits = u32::from(u16::from_le_bytes([row[12], row[13]])) * 8;
        u64::from_be_bytes(*eight) & !u64::MAX.checked_shr(bits).unwrap_or(0)
    }

    fn key(&self, fence: u32) -> u64 {
        let at = fence as usize * 8;
        self.keys.get(at..at + 8).and_then(|key| key.first_chunk()).map_or(u64::MAX, |key| u64::from_le_bytes(*key))
    }

    fn row(&self, entry: u32) -> Option<&'a [u8; ENTRY_BYTES]> {
        self.entries.get(entry as usize * ENTRY_BYTES..)?.first_chunk()
    }

    fn text_of(&self, row: &[u8; ENTRY_BYTES]) -> Option<&'a [u8]> {
        let length = usize::from(u16::from_le_bytes([row[12], row[13]]));
        self.texts.get(u32_at(row, 0)? as usize..)?.get(..length)
    }
}

/// The first number of a range for which `is_before` is false, by binary search; the number of steps depends only on
/// the size of the range.
#[inline]
fn halve(mut low: u32, high: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let mut len = high.saturating_sub(low);
    while len > 1 {
        let half = len / 2;
        if is_before(low + half - 1) {
            low += half;
        }
        len -= half;
    }
    if len == 1 { low + u32::from(is_before(low)) } else { low }
}

/// Like [`halve`], but faster if `is_before` is true only for few numbers at the beginning of the range.
fn halve_near(mut low: u32, high: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let mut step = 1;
    while step <= high - low && is_before(low + step - 1) {
        low += step;
        step *= 2;
    }
    halve(low, high.min(low + step), is_before)
}

/// The first eight bytes of a text as a big-endian number, padded with zeros; the keys have the same order as the
/// texts.
#[inline]
pub(crate) fn key_of(text: &[u8]) -> u64 {
    if let Some(eight) = text.first_chunk() {
        return u64::from_be_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        // In a text of four to seven bytes, the first four and the last four bytes overlap, and the bytes in the
        // overlap are equal.
        let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
        return u64::from(first) << 32 | u64::from(last) << (8 * (8 - text.len()));
    }
    let bytes = text.iter().fold(0, |key, byte| key << 8 | u64::from(*byte));
    if text.is_empty() { 0 } else { bytes << (8 * (8 - text.len())) }
}

/// Builds the section of a dictionary from texts in ascending byte order.
#[derive(Debug, Default)]
pub struct DictionaryWriter {
    keys: Vec<u8>,
    entries: Vec<u8>,
    texts: Vec<u8>,
    len: usize,
}

impl DictionaryWriter {
    /// Adds the next text, of 1 to [`MAX_TEXT_BYTES`] bytes.
    pub fn push(&mut self, text: &[u8], entry: Entry) {
        if self.len % FENCE == 0 {
            self.keys.extend(key_of(text).to_le_bytes());
        }
        self.entries.extend(low_u32(self.texts.len()).to_le_bytes());
        self.entries.extend(entry.offset.to_le_bytes());
        self.entries.extend(entry.documents.to_le_bytes());
        self.entries.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
        self.entries.extend([entry.max, 0]);
        self.texts.extend_from_slice(text);
        self.len += 1;
    }

    /// The bytes of the section; empty if no text was added.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        if self.len == 0 {
            return Vec::new();
        }
        let mut section = Vec::with_capacity(8 + self.keys.len() + self.entries.len() + self.texts.len());
        section.extend(low_u32(self.len).to_le_bytes());
        section.extend(low_u32(self.len.div_ceil(FENCE)).to_le_bytes());
        section.extend(self.keys);
        section.extend(self.entries);
        section.extend(self.texts);
        section
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(texts: &[String]) -> Vec<u8> {
        let mut writer = DictionaryWriter::default();
        for (number, text) in texts.iter().enumerate() {
            let offset = u32::try_from(number).unwrap();
            writer.push(text.as_bytes(), Entry { offset, documents: 1, max: 9 });
        }
        writer.finish()
    }

    #[test]
    fn every_text_is_found_and_no_other() {
        for count in [0, 1, 63, 64, 65, 128, 129, 1000] {
            let mut texts: Vec<String> = (0..count).map(|number| format!("prefixed{}", number * 7)).collect();
            texts.sort();
            let section = written(&texts);
            let dictionary = Dictionary::new(&section);
            for (number, text) in (0..).zip(&texts) {
                assert_eq!(dictionary.find(text.as_bytes()), Some(number));
                assert_eq!(dictionary.find(format!("{text}x").as_bytes()), None);
                assert_eq!(dictionary.entry(number).unwrap().offset, number);
            }
            assert_eq!((dictionary.find(b""), dictionary.find(b"a"), dictionary.find(b"z")), (None, None, None));
        }
    }

    #[test]
    fn a_prefix_has_the_entries_that_begin_with_it() {
        let mut texts: Vec<String> = (1..700).map(|number| format!("{}{number}", number % 3)).collect();
        texts.sort();
        let section = written(&texts);
        let dictionary = Dictionary::new(&section);
        for prefix in ["", "0", "1", "12", "2", "23", "2399", "3", "00", "1199"] {
            let expected: Vec<u32> =
                (0..).zip(&texts).filter(|(_, text)| text.starts_with(prefix)).map(|(number, _)| number).collect();
            let range = dictionary.range(prefix.as_bytes());
            assert_eq!(range.clone().collect::<Vec<_>>(), expected, "{prefix} {range:?}");
        }
    }

    #[test]
    fn a_damaged_dictionary_is_an_empty_one() {
        let section = written(&["a".into(), "b".into()]);
        assert!(Dictionary::new(&section[..section.len() - 30]).is_empty());
        assert!(Dictionary::new(&[1, 0, 0, 0, 2, 0, 0, 0]).is_empty());
        assert_eq!(Dictionary::new(&section[..section.len() - 1]).find(b"b"), None);
    }
}
