//! The layout of a segment file: header, section table, checksums (SPEC 20.1, 20.2, 20.5, 20.6).
//!
//! Numbers are little-endian, and offsets count bytes from the start of the file. The parts of a file are, in this order:
//!
//! 1. The header, 64 bytes: [`MAGIC`], [`VERSION`] (u32), the bytes of header and section table (u32), the length of the
//!    file (u64), documents (u32), sections (u32), the analyzer (u32: 0 `terms`, 1 `words`), base checksum and base
//!    documents (u32 each, 0 unless the segment is a delta), and five u32 of 0.
//! 2. The section table: for each section its kind (u32), the CRC-32 of its bytes (u32), its offset (u64) and its length
//!    (u64), kinds ascending.
//! 3. The header checksum (u32): the CRC-32 of everything before it.
//! 4. The sections in the order of the table, each at the next multiple of 8, with gaps of zeros. The file ends with its
//!    last section. A section that is absent counts as empty.
//!
//! The constants describe the content of each section. Numbers without another type are u32.

pub use crate::index::segment_error::SegmentError;
use std::ops::Range;

/// The first eight bytes of every segment.
pub const MAGIC: [u8; 8] = *b"cuecard\0";
/// The version of the format.
pub const VERSION: u32 = 5;

/// Section: k1, then for title, tags, questions and body the weight, b and the average length (f64 each).
pub const STATISTICS: u32 = 1;
/// Section: the modification times of the category folders (SPEC 23.1): six i64.
pub const WATERMARK: u32 = 2;
/// Section: the names of the categories in code point order: their count, the end of each, the texts.
pub const NAMES: u32 = 3;
/// Section: two bytes for each document: the number of its category's name (255 if there are more), and its status (0
/// active, 1 retired, 2 archived, 3 other).
pub const KINDS: u32 = 4;
/// Section: for each document, and once more, the place at which its record begins in [`RECORDS`].
pub const PLACES: u32 = 5;
/// Section: the records of the documents (SPEC 22.2); `StoredDocument` has their layout.
pub const RECORDS: u32 = 6;
/// Section: the dictionary of the terms (`dictionary`).
pub const TERMS: u32 = 7;
/// Section: the posting lists of the terms (`postings`). The byte is the impact.
pub const TERM_POSTINGS: u32 = 8;
/// Section: the dictionary of the words that the keyword retriever compares.
pub const WORDS: u32 = 9;
/// Section: the posting lists of the words. The byte is 1 for a title, 2 for a tag, 3 for both.
pub const WORD_POSTINGS: u32 = 10;
/// Section: the norms of the documents' tf-idf vectors.
pub const NORMS: u32 = 11;
/// Section: the numbers of the documents, sorted by path in byte order.
pub const BY_PATH: u32 = 12;
/// Section: the earlier documents that a delta replaces or removes, numbered through all segments, ascending.
pub const DEAD: u32 = 13;
/// Section: the vectors of the documents (SPEC 24.6): the fingerprint of the table and 0, then for all documents their
/// norms, their sign codes (16 bytes each) and their rows.
pub const VECTORS: u32 = 14;
/// Section: the concept graph (SPEC 25.3): the number of concepts; for each its term's number in the dictionary,
/// ascending; for each the end of its edges, counted from the first edge; for each edge the number of the neighbour; then
/// for each edge its weight (u8).
pub const GRAPH: u32 = 15;
/// Section: the dictionary of the links (SPEC 33.1).
pub const LINKS: u32 = 16;
/// Section: the posting lists of the links. The byte is 1.
pub const LINK_POSTINGS: u32 = 17;
/// Section: the files that were read and have no document (SPEC 22.1): for each, ascending by path, its size, its
/// modification time (i64, nanoseconds), the bytes of its path (u16) and its path. The least i64 as time takes back an
/// entry of an earlier segment.
pub const UNFIT: u32 = 18;
/// Section: the vectors of the questions (SPEC 24.6), in the order of the documents and of their questions: the numbers
/// of their documents, then their norms, sign codes and rows.
pub const QUESTIONS: u32 = 19;

/// Section: the first 8 bytes of the trust hash of each document (SPEC 45.1).
pub const TRUST: u32 = 20;

const KNOWN: usize = 21;
const HEADER_BYTES: usize = 64;
const ROW_BYTES: usize = 24;

/// The way in which texts are split into the terms of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Analyzer {
    /// The terms of SPEC 19.
    Terms,
    /// Words: the runs of `a-z0-9` in the folded text.
    Words,
}

impl Analyzer {
    const NAMES: &'static [&'static str] = &["terms", "words"];

    /// The analyzer with this name; the error for an unknown name lists the valid names.
    pub fn from_name(name: &str) -> Result<Self, crate::Error> {
        match name {
            "terms" => Ok(Self::Terms),
            "words" => Ok(Self::Words),
            _ => Err(crate::Error::UnknownName { kind: "analyzer", name: name.into(), known: Self::NAMES }),
        }
    }

    /// The name of the analyzer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Words => "words",
        }
    }
}

/// The fields of a file's 64-byte header, except magic, version and lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The number of documents.
    pub documents: u32,
    /// The analyzer that split the texts into terms.
    pub analyzer: Analyzer,
    /// In a delta, the header checksum of its base; else 0.
    pub base_checksum: u32,
    /// In a delta, the number of documents in all segments before it; else 0.
    pub base_documents: u32,
}

/// The byte ranges of a segment's sections; [`Layout::open`] checks them once.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The header of the segment.
    pub header: Header,
    /// The checksum of header and section table; it identifies this segment.
    pub checksum: u32,
    ranges: [(usize, usize); KNOWN],
    sections: u32,
}

impl Layout {
    /// Reads and checks the header and the section table; the checksums of the sections are not checked.
    pub fn open(bytes: &[u8]) -> Result<Self, SegmentError> {
        if bytes.get(..8) != Some(&MAGIC) {
            return Err(SegmentError::Foreign);
        }
        let field = |at: usize| u32_at(bytes, at).ok_or(SegmentError::Damaged);
        if field(8)? != VERSION {
            return Err(SegmentError::Version);
        }
        let (documents, sections) = (field(24)?, field(28)?);
        let analyzer = match field(32)? {
            0 => Analyzer::Terms,
            1 => Analyzer::Words,
            _ => return Err(SegmentError::Damaged),
        };
        let header = Header { documents, analyzer, base_checksum: field(36)?, base_documents: field(40)? };
        let head = (sections as usize).checked_mul(ROW_BYTES).and_then(|rows| rows.checked_add(HEADER_BYTES));
        let head =
            head.filter(|head| field(12).is_ok_and(|said| said as usize == *head)).ok_or(SegmentError::Damaged)?;
        let table = bytes.get(HEADER_BYTES..head).ok_or(SegmentError::Damaged)?;
        let checksum = crc32fast::hash(bytes.get(..head).unwrap_or_default());
        let is_whole = u64_at(bytes, 16) == u64::try_from(bytes.len()).ok();
        if !is_whole || field(head)? != checksum {
            return Err(SegmentError::Damaged);
        }
        let mut ranges = [(0, 0); KNOWN];
        let (mut end, mut last) = (head + 4, 0);
        for row in table.chunks_exact(ROW_BYTES) {
            let section = Row::read(row).ok_or(SegmentError::Damaged)?;
            let range = section.range(end, bytes.len()).filter(|_| section.kind > last);
            let range = range.ok_or(SegmentError::Damaged)?;
            if exact_length(section.kind, documents).is_some_and(|length| length != section.length) {
                return Err(SegmentError::Damaged);
            }
            (end, last) = (range.1, section.kind);
            if let Some(place) = ranges.get_mut(section.kind as usize) {
                *place = range;
            }
        }
        if end != bytes.len() {
            return Err(SegmentError::Damaged);
        }
        Ok(Self { header, checksum, ranges, sections })
    }

    /// The byte range of a section; empty if the segment does not have it.
    #[must_use]
    pub fn section(&self, kind: u32) -> Range<usize> {
        let (begin, end) = self.ranges.get(kind as usize).copied().unwrap_or_default();
        begin..end
    }

    /// Verifies the checksums of all sections, including unknown ones.
    pub fn check(&self, bytes: &[u8]) -> Result<(), SegmentError> {
        let table = bytes.get(HEADER_BYTES..HEADER_BYTES + self.sections as usize * ROW_BYTES);
        let is_intact = |row: &[u8]| {
            let section = Row::read(row)?;
            let begin = usize::try_from(section.offset).ok()?;
            let end = begin.checked_add(usize::try_from(section.length).ok()?)?;
            Some(crc32fast::hash(bytes.get(begin..end)?) == section.checksum)
        };
        match table {
            Some(table) if table.chunks_exact(ROW_BYTES).all(|row| is_intact(row) == Some(true)) => Ok(()),
            _ => Err(SegmentError::Damaged),
        }
    }
}

/// The bytes of a segment file with these sections, given in ascending order of kind; empty sections are left out.
#[must_use]
pub fn write_file(header: &Header, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let sections: Vec<_> = sections.iter().filter(|(_, content)| !content.is_empty()).collect();
    let head = HEADER_BYTES + sections.len() * ROW_BYTES;
    let mut end = head + 4;
    let mut rows = Vec::with_capacity(sections.len() * ROW_BYTES);
    for (kind, content) in &sections {
        let offset = end.next_multiple_of(8);
        end = offset + content.len();
        rows.extend(kind.to_le_bytes());
        rows.extend(crc32fast::hash(content).to_le_bytes());
        rows.extend((offset as u64).to_le_bytes());
        rows.extend((content.len() as u64).to_le_bytes());
    }
    let mut file = Vec::with_capacity(end);
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(low_u32(head).to_le_bytes());
    file.extend((end as u64).to_le_bytes());
    let analyzer = u32::from(header.analyzer == Analyzer::Words);
    let fields = [header.documents, low_u32(sections.len()), analyzer, header.base_checksum, header.base_documents];
    file.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    file.resize(HEADER_BYTES, 0);
    file.extend(rows);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    for (_, content) in sections {
        file.resize(file.len().next_multiple_of(8), 0);
        file.extend_from_slice(content);
    }
    file
}

struct Row {
    kind: u32,
    checksum: u32,
    offset: u64,
    length: u64,
}

impl Row {
    fn read(row: &[u8]) -> Option<Self> {
        Some(Self {
            kind: u32_at(row, 0)?,
            checksum: u32_at(row, 4)?,
            offset: u64_at(row, 8)?,
            length: u64_at(row, 16)?,
        })
    }

    /// The section's byte range in the file. `None` unless it directly follows the previous section, which ends at
    /// `end`.
    fn range(&self, end: usize, file: usize) -> Option<(usize, usize)> {
        let begin = usize::try_from(self.offset).ok().filter(|begin| *begin == end.next_multiple_of(8))?;
        let end = begin.checked_add(usize::try_from(self.length).ok()?)?;
        (end <= file).then_some((begin, end))
    }
}

/// The length in bytes that a section of this kind must have for this number of documents; `None` if it can vary.
fn exact_length(kind: u32, documents: u32) -> Option<u64> {
    let documents = u64::from(documents);
    match kind {
        STATISTICS => Some(104),
        WATERMARK => Some(48),
        KINDS => Some(2 * documents),
        PLACES => Some(4 * (documents + 1)),
        NORMS | BY_PATH => Some(4 * documents),
        TRUST => Some(8 * documents),
        VECTORS => Some(8 + 148 * documents),
        _ => None,
    }
}

/// Converts a length to 32 bits; a longer length gives the largest number. The tables of a file are far smaller,
/// because their entries are numbered by u32.
pub(crate) fn low_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The little-endian 32-bit number at an offset; `None` if it is out of bounds.
#[must_use]
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The little-endian 64-bit number at an offset; `None` if it is out of bounds.
#[must_use]
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header { documents: 2, analyzer: Analyzer::Words, base_checksum: 0, base_documents: 0 };

    #[test]
    fn sections_are_found_where_they_were_written() {
        let file = write_file(&HEADER, &[(KINDS, vec![0, 1, 2, 3]), (TERMS, vec![]), (99, vec![7; 9])]);
        let layout = Layout::open(&file).unwrap();
        assert_eq!(file.get(layout.section(KINDS)), Some(&[0, 1, 2, 3][..]));
        assert_eq!((layout.section(TERMS).len(), layout.section(99).len()), (0, 0));
        assert_eq!((layout.header, layout.check(&file)), (HEADER, Ok(())));
    }

    #[test]
    fn no_byte_of_header_or_table_can_change_unseen() {
        let file = write_file(&HEADER, &[(KINDS, vec![0, 1, 2, 3]), (99, vec![7; 9])]);
        let table = HEADER_BYTES + 2 * ROW_BYTES + 4;
        for place in 0..file.len() {
            let mut damaged = file.clone();
            damaged[place] ^= 0x10;
            match Layout::open(&damaged) {
                Ok(layout) => {
                    assert!(place >= table, "{place}");
                    let is_gap =
                        file[place] == 0 && (place < table.next_multiple_of(8) || (place > 123 && place < 128));
                    assert_eq!(layout.check(&damaged).is_ok(), is_gap, "{place}");
                }
                Err(error) => assert_eq!(error == SegmentError::Foreign, place < 8),
            }
            assert!(Layout::open(&file[..place]).is_err());
        }
    }
}
