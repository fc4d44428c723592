//! Maps words of other languages to a few English words each (SPEC 24.9).

use crate::index::layout::u32_at;
use crate::index::static_table::StaticTable;
use crate::index::static_vector::{Row, Sums, add_row};
use crate::text::letters::Kind;
use crate::text::terms::{for_each_ideograph_word, hangul_word, kind_of};
use std::sync::OnceLock;

/// The first bytes of the file.
pub const MAGIC: &[u8; 8] = b"cuelangs";

/// The version of the file's format.
pub const VERSION: u32 = 1;

const HEADER_BYTES: usize = 64;
const LINK_BYTES: usize = 3;
/// The maximal number of characters of a word of Han or katakana.
const MAX_CHARS: usize = 8;
/// The largest magnitude of a number in a row.
const LARGEST: i32 = 127;

static SHIPPED: &[u8] = include_bytes!("../../../../python/cuecard/assets/other_words.bin");

/// The words that are shipped with the program.
#[must_use]
pub fn shipped() -> OtherWords<'static> {
    static WORDS: OnceLock<OtherWords<'static>> = OnceLock::new();
    *WORDS.get_or_init(|| OtherWords::open(SHIPPED).unwrap_or_default())
}

/// A view of a file of words of other languages and their English words. All words are in lower case and without
/// accents. The default value has no words.
#[derive(Debug, Clone, Copy, Default)]
pub struct OtherWords<'a> {
    /// The offset in `records` of each of the 2ⁿ buckets, then the end of the last bucket.
    buckets: &'a [u8],
    /// The offset in `texts` of each English word, then the end of the last word.
    english: &'a [u8],
    texts: &'a [u8],
    /// The records, one per word: the word's length in bytes, the number of its links, the word, and the links to
    /// English words.
    records: &'a [u8],
    /// The CRC-32 of everything after the header, as stored in the header.
    pub(crate) fingerprint: u32,
}

impl<'a> OtherWords<'a> {
    /// Opens the bytes of a file of words; `None` if they are not such a file.
    #[must_use]
    pub fn open(data: &'a [u8]) -> Option<Self> {
        let field = |number: usize| u32_at(data, MAGIC.len() + 4 * number);
        let buckets = field(1)?;
        if !data.starts_with(MAGIC) || field(0)? != VERSION || !buckets.is_power_of_two() {
            return None;
        }
        let mut end = HEADER_BYTES;
        let mut section = |bytes: usize| {
            let begin = end;
            end = begin.checked_add(bytes)?;
            data.get(begin..end)
        };
        let places = |count: u32| (count as usize).checked_add(1)?.checked_mul(4);
        let (buckets, english) = (section(places(buckets)?)?, section(places(field(2)?)?)?);
        let (texts, records) = (section(field(3)? as usize)?, section(field(4)? as usize)?);
        let fingerprint = field(5)?;
        (end == data.len()).then_some(Self { buckets, english, texts, records, fingerprint })
    }

    /// The English words for a word, best first, each with how well it fits, in 1/256; empty if the word is unknown.
    #[must_use]
    pub fn find(&self, word: &str) -> Vec<(&'a str, u8)> {
        self.links(word)
            .unwrap_or_default()
            .chunks_exact(LINK_BYTES)
            .filter_map(|link| match *link {
                [low, high, share] => Some((self.english_word(u16::from_le_bytes([low, high])), share)),
                _ => None,
            })
            .collect()
    }

    /// The known words in a chunk, in the order in which [`OtherWords::for_each_word`] finds them.
    #[must_use]
    pub fn words_of(&self, chunk: &str) -> Vec<String> {
        let kind = chunk.chars().next().map_or(Kind::Separator, kind_of);
        let mut words = Vec::new();
        self.for_each_word(kind, chunk, &mut |word| words.push(word.to_owned()));
        words
    }

    /// Calls `keep` with the known words in a chunk.
    ///
    /// A chunk of letters is one word. A chunk of Hangul is one word, with or without its ending. In Han and kana, the
    /// longest known word at each position is taken, and characters that begin no known word are skipped.
    pub(crate) fn for_each_word(&self, kind: Kind, chunk: &str, keep: &mut impl FnMut(&str)) {
        match kind {
            Kind::Letter => {
                if self.has(chunk) {
                    keep(chunk);
                }
            }
            Kind::Hangul => {
                let forms = [Some(chunk), hangul_word(chunk)];
                if let Some(word) = forms.into_iter().flatten().find(|form| self.has(form)) {
                    keep(word);
                }
            }
            Kind::Ideographs => for_each_ideograph_word(chunk, &mut |piece| self.split(piece, keep)),
            // No words of these scripts are known.
            Kind::Unspaced | Kind::Separator => {}
        }
    }

    /// The row of a word: the mean of the rows of its English words, weighted by how well they fit; `None` for an
    /// unknown word.
    pub(crate) fn row(&self, word: &str, table: &StaticTable<'_>) -> Option<Row> {
        let links = self.find(word);
        let total: i32 = links.iter().map(|(_, share)| i32::from(*share)).sum();
        if total == 0 {
            return None;
        }
        let mut sums: Sums = [0; _];
        for (other, share) in links {
            table.for_each_row(other, &mut |number| {
                if let Some(row) = table.row(number) {
                    add_row(&mut sums, row, share.into());
                }
            });
        }
        Some(sums.map(|sum| {
            let mean = (2 * sum + total).div_euclid(2 * total).clamp(-LARGEST, LARGEST);
            let [byte, ..] = mean.to_le_bytes();
            byte
        }))
    }

    fn has(&self, word: &str) -> bool {
        self.links(word).is_some_and(|links| links.len() >= LINK_BYTES)
    }

    fn split(&self, piece: &str, keep: &mut impl FnMut(&str)) {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let ends = rest.char_indices().map(|(place, char)| place + char.len_utf8()).take(MAX_CHARS);
            let words = ends.collect::<Vec<_>>().into_iter().rev().filter_map(|end| rest.split_at_checked(end));
            let found = words.into_iter().find(|(word, _)| self.has(word));
            rest = match found {
                Some((word, after)) => {
                    keep(word);
                    after
                }
                None => rest.get(first.len_utf8()..).unwrap_or_default(),
            };
        }
    }

    /// The bytes of a word's links to English words; `None` for an unknown word.
    fn links(&self, word: &str) -> Option<&'a [u8]> {
        let buckets = (self.buckets.len() / 4).checked_sub(1)?;
        let bucket = hash_of(word.as_bytes()) as usize & buckets.checked_sub(1)?;
        let begin = u32_at(self.buckets, 4 * bucket)? as usize;
        let end = u32_at(self.buckets, 4 * bucket + 4)? as usize;
        let mut records = self.records.get(begin..end.min(self.records.len()))?;
        while let [bytes, count, rest @ ..] = records {
            let (text, rest) = rest.split_at_checked(usize::from(*bytes))?;
            let length = LINK_BYTES * usize::from(*count);
            if text == word.as_bytes() {
                return Some(rest.get(..length).unwrap_or(rest));
            }
            records = rest.get(length..)?;
        }
        None
    }

    fn english_word(&self, number: u16) -> &'a str {
        let place = 4 * usize::from(number);
        let word = || {
            let (begin, end) = (u32_at(self.english, place)?, u32_at(self.english, place + 4)?);
            std::str::from_utf8(self.texts.get(begin as usize..end as usize)?).ok()
        };
        word().unwrap_or_default()
    }
}

/// The 32-bit FNV-1a hash.
fn hash_of(key: &[u8]) -> u32 {
    key.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_one() {
        let words = OtherWords::open(SHIPPED).unwrap();
        assert!(words.find("fehler").first().is_some_and(|(word, _)| *word == "error"));
        assert!(words.find("error").is_empty() && words.find("").is_empty());
    }

    #[test]
    fn a_file_cut_short_is_none() {
        assert!((0..200).all(|length| OtherWords::open(&SHIPPED[..length]).is_none()));
        assert!(OtherWords::open(&SHIPPED[..SHIPPED.len() - 1]).is_none());
    }

    #[test]
    fn without_a_file_nothing_is_there() {
        let words = OtherWords::default();
        assert!(words.find("fehler").is_empty());
        words.for_each_word(Kind::Ideographs, "設定", &mut |word| panic!("{word}"));
    }
}
