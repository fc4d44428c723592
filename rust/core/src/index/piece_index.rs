//! Finds the pieces that a static table splits words into, by a hash table. For thousands of words this is several
//! times faster than binary search.

use crate::index::lexicon::Lexicon;
use crate::index::static_table::StaticTable;

/// The pieces of a static table: the pieces that begin a word, and the pieces that continue a word.
#[derive(Debug)]
pub(crate) struct PieceIndex {
    beginnings: Pieces,
    continuations: Pieces,
}

#[derive(Debug)]
struct Pieces {
    texts: Lexicon,
    /// The number of the first piece in the static table; the other pieces have the next numbers.
    first: u32,
    /// The length of the longest piece in bytes.
    longest: usize,
}

impl PieceIndex {
    pub(crate) fn new(table: &StaticTable<'_>) -> Self {
        let (continuations, beginnings) = table.pieces();
        Self { beginnings: Pieces::new(beginnings), continuations: Pieces::new(continuations) }
    }

    /// Calls `found` with the numbers of a word's rows, in the same order as [`StaticTable::word_rows`].
    pub(crate) fn for_each_row(&self, word: &str, found: &mut impl FnMut(u32)) {
        let mut rest = word.as_bytes();
        while let Some(first) = rest.first() {
            let is_continued = rest.len() < word.len() && first.is_ascii();
            let pieces = if is_continued { &self.continuations } else { &self.beginnings };
            let length = match pieces.longest_prefix(rest) {
                Some((number, length)) => {
                    found(number);
                    length
                }
                None => 1,
            };
            rest = rest.get(length..).unwrap_or_default();
        }
    }
}

impl Pieces {
    fn new<'a>(texts: impl Iterator<Item = (u32, &'a [u8])>) -> Self {
        let mut pieces = Self { texts: Lexicon::default(), first: 0, longest: 0 };
        for (number, text) in texts {
            if pieces.texts.len() == 0 {
                pieces.first = number;
            }
            pieces.texts.number(text);
            pieces.longest = pieces.longest.max(text.len());
        }
        pieces
    }

    /// The number, and the length in bytes, of the longest piece that `word` begins with; `None` if there is none.
    fn longest_prefix(&self, word: &[u8]) -> Option<(u32, usize)> {
        let mut lengths = (1..=self.longest.min(word.len())).rev();
        lengths.find_map(|length| Some((self.first + self.texts.find(word.get(..length)?)?, length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::static_table::shipped;

    #[test]
    fn it_finds_the_rows_that_the_table_finds() {
        let table = shipped().unwrap();
        let index = PieceIndex::new(table);
        for word in
            ["kubernetes", "unrelatedly", "x", "", "naïve", "로그인", "배포했습니다", "a1b2", "zzzzqqq", "日本語"]
        {
            let mut found = Vec::new();
            index.for_each_row(word, &mut |number| found.push(number));
            assert_eq!(found, table.word_rows(word), "{word}");
        }
    }
}
