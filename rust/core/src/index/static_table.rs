//! The static embedding table: it maps words to rows of a matrix, and terms to terms with nearly the same meaning (SPEC
//! 24).

use crate::index::layout::u32_at;
use crate::index::static_vector::{DIMENSIONS, Row};
use crate::text::stem::stem;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// The first bytes of the file.
pub const MAGIC: &[u8; 8] = b"cuewords";

/// The version of the file's format.
pub const VERSION: u32 = 1;

const HEADER_BYTES: usize = 64;
const ALIGNMENT: usize = 64;
const RELATED_BYTES: usize = 3;

static SHIPPED: &[u8] = include_bytes!("../../../../python/cuecard/assets/static_table.bin");

/// The numbers of the rows of a word in the shipped table; see [`StaticTable::word_rows`].
#[must_use]
pub fn word_rows(word: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    if let Some(table) = shipped() {
        table.for_each_row(word, &mut |number| numbers.push(number));
    }
    numbers
}

/// A row of the shipped table; `None` if there is no such row.
#[must_use]
pub fn row(number: u32) -> Option<&'static Row> {
    shipped()?.row(number)
}

/// The terms of the shipped table with nearly the same meaning as a term; see [`StaticTable::related`].
#[must_use]
pub fn related(term: &str) -> Vec<(&'static str, u8)> {
    shipped().map(|table| table.related(term)).unwrap_or_default()
}

/// The word that stands for a term in the shipped table; see [`StaticTable::word_of`].
#[must_use]
pub fn shipped_word_of(term: &str) -> String {
    shipped().and_then(|table| table.word_of(term)).unwrap_or(term).to_owned()
}

/// The checksum that identifies the shipped table; 0 if the table is damaged.
#[must_use]
pub fn fingerprint() -> u32 {
    shipped().map_or(0, |table| table.fingerprint)
}

/// The table that is shipped with the program; `None` if it is damaged.
#[must_use]
pub fn shipped() -> Option<&'static StaticTable<'static>> {
    static TABLE: OnceLock<Option<StaticTable<'static>>> = OnceLock::new();
    TABLE.get_or_init(|| StaticTable::open(SHIPPED)).as_ref()
}

/// A view of the file of a static embedding table.
#[derive(Debug, Clone, Copy)]
pub struct StaticTable<'a> {
    rows: &'a [u8],
    /// The pieces that continue a word, then the pieces that begin a word; both sorted by their bytes.
    pieces: Texts<'a>,
    continuations: u32,
    /// The records, sorted by term: a byte with the length of the term, the term, then its related terms.
    records: Texts<'a>,
    /// The CRC-32 of everything after the header, as stored in the header.
    fingerprint: u32,
}

impl<'a> StaticTable<'a> {
    /// Opens the bytes of a table's file; `None` if the bytes are not a valid file.
    #[must_use]
    pub fn open(data: &'a [u8]) -> Option<Self> {
        let field = |number: usize| u32_at(data, MAGIC.len() + 4 * number);
        let is_known = data.starts_with(MAGIC) && field(0)? == VERSION && field(1)? as usize == DIMENSIONS;
        let (continuations, pieces, terms) = (field(2)?, field(3)?, field(5)?);
        if !is_known || continuations > pieces {
            return None;
        }
        let mut end = HEADER_BYTES;
        let mut section = |count: u32, size: usize| {
            let begin = end.checked_next_multiple_of(ALIGNMENT)?;
            end = begin.checked_add((count as usize).checked_mul(size)?)?;
            data.get(begin..end)
        };
        let rows = section(pieces, DIMENSIONS)?;
        let pieces = Texts { places: section(pieces.checked_add(1)?, 4)?, texts: section(field(4)?, 1)? };
        let records = Texts { places: section(terms.checked_add(1)?, 4)?, texts: section(field(6)?, 1)? };
        let fingerprint = field(7)?;
        (end == data.len()).then_some(Self { rows, pieces, continuations, records, fingerprint })
    }

    /// Splits a word into pieces of the table, and returns the number of the row of each piece, in order. The word must
    /// be in lower case and without accents.
    ///
    /// At each position the longest piece is taken; a byte that begins no piece is skipped.
    #[must_use]
    pub fn word_rows(&self, word: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.for_each_row(word, &mut |number| numbers.push(number));
        numbers
    }

    /// The shortest word of the table that has a term as its stem, and the first by bytes of equally short ones; `None`
    /// if there is no such word. Only words of lower-case ASCII letters count.
    #[must_use]
    pub fn word_of(&self, term: &str) -> Option<&'a str> {
        // A stem that ends in `i` may come from a word that ends in `y`.
        let beginning = term.strip_suffix('i').unwrap_or(term).as_bytes();
        if beginning.is_empty() || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let first = self.pieces.lower_bound(self.continuations..self.pieces.len(), |text| text.cmp(beginning));
        let words = (first..self.pieces.len()).filter_map(|number| self.pieces.get(number));
        let words = words.take_while(|text| text.starts_with(beginning));
        let words = words.filter(|text| text.iter().all(u8::is_ascii_lowercase));
        let words = words.filter_map(|text| std::str::from_utf8(text).ok()).filter(|word| stem(word) == term);
        words.min_by_key(|word| word.len())
    }

    /// Calls `found` with each number that [`StaticTable::word_rows`] returns.
    pub fn for_each_row(&self, word: &str, found: &mut impl FnMut(u32)) {
        let beginnings = self.continuations..self.pieces.len();
        let mut rest = word.as_bytes();
        while let Some(first) = rest.first() {
            let is_continued = rest.len() < word.len() && first.is_ascii();
            let range = if is_continued { 0..self.continuations } else { beginnings.clone() };
            let length = match self.pieces.longest_prefix(range, rest) {
                Some((number, length)) => {
                    found(number);
                    length
                }
                None => 1,
            };
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// The pieces that continue a word, then the pieces that begin a word. Each piece is given as its number and its
    /// text.
    #[allow(clippy::type_complexity, reason = "two iterators of the same items, which no type alias can name")]
    pub(crate) fn pieces(
        &self,
    ) -> (impl Iterator<Item = (u32, &'a [u8])> + use<'a>, impl Iterator<Item = (u32, &'a [u8])> + use<'a>) {
        let texts = self.pieces;
        let all = move |range: Range<u32>| range.map(move |number| (number, texts.get(number).unwrap_or_default()));
        (all(0..self.continuations), all(self.continuations..texts.len()))
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> u32 {
        self.pieces.len()
    }

    /// A row of the matrix; `None` if there is no such row.
    #[must_use]
    pub fn row(&self, number: u32) -> Option<&'a Row> {
        self.rows.get((number as usize).checked_mul(DIMENSIONS)?..)?.first_chunk()
    }

    /// The terms with nearly the same meaning as a term, each with its cosine in 1/256. The nearest terms come first;
    /// equally near terms are in alphabetical order.
    #[must_use]
    pub fn related(&self, term: &str) -> Vec<(&'a str, u8)> {
        let Some(record) = self.find_record(term) else { return Vec::new() };
        let links = record.get(1 + term.len()..).unwrap_or_default().chunks_exact(RELATED_BYTES);
        let named = links.filter_map(|link| match *link {
            [low, high, cosine] => Some((self.term(u32::from(u16::from_le_bytes([low, high])))?, cosine)),
            _ => None,
        });
        named.collect()
    }

    fn find_record(&self, term: &str) -> Option<&'a [u8]> {
        let number = self.records.lower_bound(0..self.records.len(), |record| term_of(record).cmp(term.as_bytes()));
        let record = self.records.get(number)?;
        (term_of(record) == term.as_bytes()).then_some(record)
    }

    fn term(&self, number: u32) -> Option<&'a str> {
        std::str::from_utf8(term_of(self.records.get(number)?)).ok()
    }
}

/// A list of texts, which are named by their numbers; a text with invalid offsets counts as empty.
#[derive(Debug, Clone, Copy)]
struct Texts<'a> {
    places: &'a [u8],
    texts: &'a [u8],
}

impl<'a> Texts<'a> {
    fn len(&self) -> u32 {
        u32::try_from(self.places.len() / 4).unwrap_or(u32::MAX).saturating_sub(1)
    }

    fn get(&self, number: u32) -> Option<&'a [u8]> {
        let place = 4 * number as usize;
        let (begin, end) = (u32_at(self.places, place)?, u32_at(self.places, place + 4)?);
        Some(self.texts.get(begin as usize..end as usize).unwrap_or_default())
    }

    /// The first number in the range for which `compare` does not return `Less`, given the text with that number.
    fn lower_bound(&self, range: Range<u32>, compare: impl Fn(&[u8]) -> Ordering) -> u32 {
        let Range { mut start, mut end } = range;
        while start < end {
            let middle = start + (end - start) / 2;
            if self.get(middle).is_some_and(|text| compare(text).is_lt()) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    /// [`first_bytes`] of the text with this number.
    fn first_bytes(&self, number: u32) -> u64 {
        let place = 4 * number as usize;
        let (Some(begin), Some(end)) = (u32_at(self.places, place), u32_at(self.places, place + 4)) else { return 0 };
        first_bytes(self.texts.get(begin as usize..).unwrap_or_default(), end.saturating_sub(begin) as usize)
    }

    /// The number and the length in bytes of the longest text that `word` begins with; the texts of the range are
    /// sorted. `None` if there is no such text.
    fn longest_prefix(&self, range: Range<u32>, word: &[u8]) -> Option<(u32, usize)> {
        let Range { start, mut end } = range;
        let (mut word, mut from) = (word, start);
        while !word.is_empty() {
            let first = first_bytes(word, word.len());
            let is_greater = |number: u32| {
                let order = self.first_bytes(number).cmp(&first);
                order.then_with(|| self.get(number).unwrap_or_default().cmp(word)).is_gt()
            };
            // Each next text is mostly only a few places before the last one.
            let mut step = 1;
            while from > start && is_greater(from) {
                (end, from) = (from, from.saturating_sub(step).max(start));
                step *= 4;
            }
            // Find the last text that is not greater than the word. Every text that the word begins with is at or
            // before this text, and has at most as many bytes in common with the word.
            while from < end {
                let middle = from + (end - from) / 2;
                if is_greater(middle) { end = middle } else { from = middle + 1 }
            }
            let number = end.checked_sub(1).filter(|number| *number >= start)?;
            let text = self.get(number)?;
            let shared = text.iter().zip(word).take_while(|(a, b)| a == b).count();
            if shared == text.len() && shared > 0 {
                return Some((number, shared));
            }
            (word, from) = (word.get(..shared)?, number);
        }
        None
    }
}

/// The first eight of the first `length` bytes as a number, filled with zeros: texts are in the order of these numbers
/// if the numbers differ.
fn first_bytes(bytes: &[u8], length: usize) -> u64 {
    let eight = match bytes.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => bytes.iter().zip([56, 48, 40, 32, 24, 16, 8]).map(|(byte, shift)| u64::from(*byte) << shift).sum(),
    };
    if length < 8 { eight & !(u64::MAX >> (8 * length)) } else { eight }
}

fn term_of(record: &[u8]) -> &[u8] {
    let [length, rest @ ..] = record else { return &[] };
    rest.get(..usize::from(*length)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_one() {
        let table = StaticTable::open(SHIPPED).unwrap();
        assert!((0..table.pieces.len()).all(|number| std::str::from_utf8(table.pieces.get(number).unwrap()).is_ok()));
        for range in [0..table.continuations, table.continuations..table.pieces.len()] {
            let texts: Vec<_> = range.map(|number| table.pieces.get(number).unwrap()).collect();
            assert!(texts.is_sorted_by(|a, b| a < b) && !texts.contains(&[].as_slice()));
        }
        let terms: Vec<_> = (0..table.records.len()).map(|number| table.term(number).unwrap()).collect();
        assert!(terms.is_sorted_by(|a, b| a < b));
        for term in terms {
            let related = table.related(term);
            assert!(
                related.is_sorted_by(|a, b| (b.1, a.0) < (a.1, b.0)) && related.iter().all(|(other, _)| *other != term)
            );
        }
    }

    #[test]
    fn a_file_cut_short_is_none() {
        assert!((0..200).all(|length| StaticTable::open(&SHIPPED[..length]).is_none()));
        assert!(StaticTable::open(&SHIPPED[..SHIPPED.len() - 1]).is_none());
    }
}
