//! Posting lists, which are stored in runs; a run has the postings within one chunk of 65,536 documents (SPEC 20.4).
//!
//! A run has the number of the chunk (u16), its postings less one (u16), the largest byte (u8), 0 (u8), then for each
//! posting the document's number within the chunk (u16, ascending), then for each posting its byte (u8), and a 0 if that
//! makes an odd length. Runs are ascending. Lists follow in the order of the dictionary without gaps.

use crate::index::dictionary::Entry;
use crate::index::layout::low_u32;

/// The number of documents in a chunk; a document's number within its chunk fits 16 bits.
pub const CHUNK: usize = 1 << 16;

const HEAD_BYTES: usize = 6;

/// The postings of a list within one chunk of documents.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The number of the chunk: document number / 65,536.
    pub chunk: u16,
    /// The largest of `bytes`.
    pub max: u8,
    /// The document numbers within the chunk, two bytes each, ascending.
    pub numbers: &'a [u8],
    /// The byte of each posting, in the same order. Its meaning depends on the section: an impact, or flags for fields.
    pub bytes: &'a [u8],
}

impl<'a> Run<'a> {
    /// The postings of the run: for each document its number within the chunk, and the byte of its posting (see
    /// [`Run::bytes`]).
    #[inline]
    pub fn postings(&self) -> impl Iterator<Item = (u16, u8)> + use<'a> {
        self.numbers.chunks_exact(2).map(low_number).zip(self.bytes.iter().copied())
    }

    /// The run without the postings of documents whose number within the chunk is `limit` or more.
    #[must_use]
    pub(crate) fn below(&self, limit: usize) -> Self {
        if self.bytes.len().checked_sub(1).is_some_and(|last| usize::from(self.number(last)) < limit) {
            return *self;
        }
        let (mut low, mut high) = (0, self.bytes.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if usize::from(self.number(middle)) < limit {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let numbers = self.numbers.get(..2 * low).unwrap_or_default();
        Self { numbers, bytes: self.bytes.get(..low).unwrap_or_default(), ..*self }
    }

    /// The byte of a document's posting; `None` if the run has no posting of the document. `number` is the document's
    /// number within the chunk.
    #[inline]
    #[must_use]
    pub fn find(&self, number: u16) -> Option<u8> {
        let (mut begin, mut len) = (0, self.bytes.len());
        // This binary search has no branch on the number that was read, because the processor could not predict the
        // branch.
        while len > 1 {
            let half = len / 2;
            begin += if self.number(begin + half) <= number { half } else { 0 };
            len -= half;
        }
        (self.number(begin) == number).then(|| self.bytes.get(begin).copied()).flatten()
    }

    /// For each posting, whether its document is living.
    #[inline]
    fn living(self, living: Living<'a>) -> impl Iterator<Item = bool> + use<'a> {
        let base = u32::from(self.chunk) << 16;
        let numbers = self.numbers.chunks_exact(2).map(low_number);
        numbers.map(move |number| living.has(base | u32::from(number)))
    }

    #[inline]
    fn number(&self, at: usize) -> u16 {
        self.numbers.get(2 * at..2 * at + 2).map_or(u16::MAX, low_number)
    }
}

#[inline]
fn low_number(two: &[u8]) -> u16 {
    two.first_chunk().map_or(0, |two| u16::from_le_bytes(*two))
}

/// Iterates over the runs of one posting list; stops at damaged data.
#[derive(Debug, Clone)]
pub struct Runs<'a> {
    rest: &'a [u8],
    documents: usize,
    next_chunk: u32,
}

/// The runs of the posting list of `entry`, in a section of postings.
#[must_use]
pub fn runs<'a>(section: &'a [u8], entry: &Entry) -> Runs<'a> {
    let rest = (entry.offset as usize).checked_mul(2).and_then(|begin| section.get(begin..)).unwrap_or_default();
    Runs { rest, documents: entry.documents as usize, next_chunk: 0 }
}

/// The byte of a document's posting in the list of `entry`; `None` if the list has no posting of the document.
#[must_use]
pub(crate) fn find_byte(section: &[u8], entry: &Entry, number: u32) -> Option<u8> {
    let run = runs(section, entry).find(|run| u32::from(run.chunk) == number >> 16)?;
    run.find((number & 0xffff) as u16)
}

/// Which documents of a segment are living: only these count and are found.
#[derive(Debug, Clone, Copy)]
pub enum Living<'a> {
    /// All but the documents with these numbers, ascending.
    AllBut(&'a [u32]),
    /// The documents whose byte, by number, is [`LIVING`].
    Only(&'a [u8]),
}

/// The byte of a living document in [`Living::Only`].
pub const LIVING: u8 = b'1';

impl Living<'_> {
    /// Whether the document with a number is living.
    #[inline]
    #[must_use]
    pub fn has(self, number: u32) -> bool {
        match self {
            Self::AllBut(dead) => dead.binary_search(&number).is_err(),
            Self::Only(flags) => flags.get(number as usize) == Some(&LIVING),
        }
    }

    /// The number of living documents among all `documents` of the segment.
    #[must_use]
    pub fn count(self, documents: u32) -> u32 {
        match self {
            Self::AllBut(dead) => documents.saturating_sub(low_u32(dead.len())),
            Self::Only(flags) => flags.iter().map(|flag| u32::from(*flag == LIVING)).sum(),
        }
    }

    /// The number of living documents in an entry's list.
    #[must_use]
    pub(crate) fn count_in(self, section: &[u8], entry: &Entry) -> u32 {
        match self {
            Self::AllBut([]) => entry.documents,
            Self::AllBut(dead) => {
                let count_dead = |run: Run<'_>| {
                    let begin = dead.partition_point(|number| number >> 16 < u32::from(run.chunk));
                    let of_chunk = dead.iter().skip(begin).take_while(|number| **number >> 16 == u32::from(run.chunk));
                    of_chunk.filter(|number| run.find((**number & 0xffff) as u16).is_some()).count()
                };
                entry.documents.saturating_sub(low_u32(runs(section, entry).map(count_dead).sum()))
            }
            Self::Only(_) => runs(section, entry).map(|run| run.living(self).map(u32::from).sum::<u32>()).sum(),
        }
    }

    /// Whether a document in an entry's list is living.
    #[must_use]
    pub(crate) fn is_in(self, section: &[u8], entry: &Entry) -> bool {
        match self {
            Self::AllBut(_) => self.count_in(section, entry) > 0,
            Self::Only(_) => runs(section, entry).any(|run| run.living(self).any(|is_living| is_living)),
        }
    }
}

impl<'a> Runs<'a> {
    fn read(&mut self) -> Option<Run<'a>> {
        let (&[a, b, c, d, max, _], rest) = self.rest.split_first_chunk::<HEAD_BYTES>()?;
        let (chunk, count) = (u16::from_le_bytes([a, b]), usize::from(u16::from_le_bytes([c, d])) + 1);
        if count > self.documents || u32::from(chunk) < self.next_chunk {
            return None;
        }
        let (numbers, rest) = rest.split_at_checked(2 * count)?;
        let (bytes, rest) = rest.split_at_checked(count)?;
        self.rest = rest.get(count % 2..).unwrap_or_default();
        self.documents -= count;
        self.next_chunk = u32::from(chunk) + 1;
        Some(Run { chunk, max, numbers, bytes })
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        if self.documents == 0 {
            return None;
        }
        let run = self.read();
        if run.is_none() {
            self.documents = 0;
        }
        run
    }
}

/// The postings of a whole list, each as the number of the document and the byte of the posting.
pub fn postings<'a>(section: &'a [u8], entry: &Entry) -> impl Iterator<Item = (u32, u8)> + use<'a> {
    runs(section, entry).flat_map(|run| {
        run.postings().map(move |(number, byte)| (u32::from(run.chunk) << 16 | u32::from(number), byte))
    })
}

/// Builds a section of posting lists.
#[derive(Debug, Default)]
pub struct PostingsWriter {
    section: Vec<u8>,
}

impl PostingsWriter {
    /// Adds a list and returns its entry for the dictionary. The list must not be empty, and its numbers must be
    /// ascending.
    pub fn push(&mut self, list: &[(u32, u8)]) -> Entry {
        let offset = low_u32(self.section.len() / 2);
        let mut max = 0;
        for run in list.chunk_by(|(a, _), (b, _)| a >> 16 == b >> 16) {
            let chunk = run.first().map_or(0, |(number, _)| number >> 16);
            let run_max = run.iter().map(|(_, byte)| *byte).max().unwrap_or(0);
            max = max.max(run_max);
            self.section.extend(low_two(chunk));
            self.section.extend(low_two(low_u32(run.len() - 1)));
            self.section.extend([run_max, 0]);
            self.section.extend(run.iter().flat_map(|(number, _)| low_two(*number)));
            self.section.extend(run.iter().map(|(_, byte)| *byte));
            if run.len() % 2 == 1 {
                self.section.push(0);
            }
        }
        Entry { offset, documents: low_u32(list.len()), max }
    }

    /// The bytes of the section.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.section
    }
}

fn low_two(number: u32) -> [u8; 2] {
    let [a, b, _, _] = number.to_le_bytes();
    [a, b]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<(u32, u8)> {
        let numbers = (0..70_000_u32).step_by(3).chain([131_071, 131_072, 400_000]);
        numbers.map(|number| (number, u8::try_from(number % 251 + 1).unwrap())).collect()
    }

    #[test]
    fn a_list_reads_as_it_was_written() {
        let mut writer = PostingsWriter::default();
        writer.push(&[(5, 1)]);
        let entry = writer.push(&list());
        let section = writer.finish();
        assert_eq!(postings(&section, &entry).collect::<Vec<_>>(), list());
        assert_eq!(runs(&section, &entry).map(|run| run.chunk).collect::<Vec<_>>(), [0, 1, 2, 6]);
        let first = runs(&section, &entry).next().unwrap();
        assert_eq!((first.find(0), first.find(1), first.find(65_535), first.max), (Some(1), None, Some(25), 251));
    }

    #[test]
    fn a_list_ends_where_it_does_not_fit() {
        let mut writer = PostingsWriter::default();
        let entry = writer.push(&list());
        let section = writer.finish();
        assert_eq!(runs(&section[..section.len() - 2], &entry).count(), 3);
        assert_eq!(runs(&section, &Entry { documents: entry.documents - 1, ..entry }).count(), 3);
        assert_eq!(runs(&section, &Entry { offset: u32::MAX, ..entry }).count(), 0);
    }
}
