//! The record of a memory in a snapshot: what is needed to show and sort it, and to notice a changed file (SPEC 22.2).
//!
//! Its parts are, in this order, with the least i64 for a time that is not there:
//!
//! 1. the CRC-32 of the rest (u32);
//! 2. when the memory was changed and created (i64, microseconds since 1970);
//! 3. the file's modification time (i64, nanoseconds);
//! 4. from and until when the memory holds (i64, microseconds since 1970);
//! 5. the size of the file (u32);
//! 6. the bytes of the index line, the place in the line at which the path begins, the bytes of the path, the bytes of the
//!    order and the bytes of the listed terms (u16 each);
//! 7. 1 if the status says that the memory is over, else 0 (u8);
//! 8. the index line without its line feed;
//! 9. the order: the folded title, at most 4,096 bytes of it, if the line does not show it, else nothing;
//! 10. the listed terms: for each the sum of its fields (u8), its bytes (u8) and its text.

use crate::memory::category::FOLDERS;
use crate::memory::document::{Document, Status};
use crate::memory::field_terms::FieldTerms;
use crate::memory::index_line::{IndexLine, MAX_LINE_BYTES, parse_index_line};
use crate::memory::trust_hash::TrustPrefix;
use crate::memory::validity::Validity;
use crate::text::chars::{cut_bytes, fold};

use std::ops::Range;

/// The number of bytes before the texts: checksum, five times, file size, five lengths and offsets of the texts, and
/// `is_over`.
const FIXED: usize = 4 + 5 * 8 + 4 + 5 * 2 + 1;
const SIZE: usize = 4 + 5 * 8;
const TEXTS: usize = SIZE + 4;
const IS_OVER: usize = FIXED - 1;
const MAX_ORDER_BYTES: usize = 4096;
const NO_TIME: i64 = i64::MIN;

/// The size and modification time of a memory's file when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Stamp {
    /// The size in bytes.
    pub size: u32,
    /// The modification time in nanoseconds since 1970.
    pub modified: i64,
}

/// A memory as a snapshot stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    /// The index line without its line feed. It can always be parsed.
    pub line: String,
    /// The memory's status. It is not part of the record, but of the segment's section `KINDS`.
    pub status: Status,
    /// When the memory was last changed, in microseconds since 1970.
    pub updated_at: Option<i64>,
    /// When the memory was created, in microseconds since 1970.
    pub created_at: Option<i64>,
    /// The size and modification time of the memory's file.
    pub stamp: Stamp,
    /// When the memory is valid.
    pub validity: Validity,
    /// The first 8 bytes of the trust hash (SPEC 45.1); zeros if they are not known. They are not part of the record, but
    /// of the segment's section `TRUST`.
    pub(crate) trust: TrustPrefix,
    path: Range<usize>,
    /// The title in lower case if the index line does not show the whole title; else empty.
    order: String,
    /// The encoded terms of title, tags and questions; see [`FieldTerms`].
    terms: Vec<u8>,
}

impl StoredDocument {
    /// Takes from a document what a snapshot stores; `None` if the document's index line cannot be parsed.
    #[must_use]
    pub fn new(document: &Document, stamp: Stamp) -> Option<Self> {
        let line = document.line.strip_suffix('\n').unwrap_or(&document.line);
        if line.len() > MAX_LINE_BYTES {
            return None;
        }
        let parts = parse_index_line(line).ok()?;
        let begin = parts.path.as_ptr().addr() - line.as_ptr().addr();
        let shows_title = fold(parts.title) == document.folded_title.as_str();
        let order = if shows_title { "" } else { cut_bytes(&document.folded_title, MAX_ORDER_BYTES) };
        Some(Self {
            path: begin..begin + parts.path.len(),
            order: order.to_owned(),
            line: line.to_owned(),
            status: document.status,
            updated_at: document.updated_at(),
            created_at: document.created_at(),
            stamp,
            validity: document.validity(),
            trust: TrustPrefix::default(),
            terms: Vec::new(),
        })
    }

    /// Sets the beginning of the trust hash. `new` does not compute it, because only a snapshot needs it.
    pub(crate) fn set_trust(&mut self, trust: TrustPrefix) {
        self.trust = trust;
    }

    /// Sets the terms of title, tags and questions, as [`FieldTerms`] encodes them.
    pub(crate) fn set_terms(&mut self, terms: Vec<u8>) {
        self.terms = terms;
    }

    /// The category, title, path and tags in the index line.
    #[must_use]
    pub fn parts(&self) -> Option<IndexLine<'_>> {
        parse_index_line(&self.line).ok()
    }

    /// The path of the memory's file, relative to the project.
    #[must_use]
    pub fn path(&self) -> &str {
        self.line.get(self.path.clone()).unwrap_or_default()
    }

    /// The sort key of documents: category, folded title, position of the folder in scan order, file name (SPEC 22.1).
    #[must_use]
    pub fn order_key(&self) -> (String, String, usize, String) {
        let (category, title) = self.parts().map_or(("", ""), |parts| (parts.category, parts.title));
        let folded_title = if self.order.is_empty() { fold(title).into_owned() } else { self.order.clone() };
        let (above, name) = self.path().rsplit_once('/').unwrap_or(("", self.path()));
        let folder = above.rsplit('/').next().unwrap_or_default();
        let place = FOLDERS.iter().position(|(known, _)| *known == folder).unwrap_or(FOLDERS.len());
        (category.to_owned(), folded_title, place, name.to_owned())
    }

    /// Encodes the document as the bytes of a record.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut record = vec![0; 4];
        let Validity { is_over, from, until } = self.validity;
        for time in [self.updated_at, self.created_at, Some(self.stamp.modified), from, until] {
            record.extend(time.unwrap_or(NO_TIME).to_le_bytes());
        }
        record.extend(self.stamp.size.to_le_bytes());
        // All lengths fit into 16 bits: a line has at most 8 KiB, and order and terms are limited, too.
        for number in [self.line.len(), self.path.start, self.path.len(), self.order.len(), self.terms.len()] {
            record.extend(u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes());
        }
        record.push(is_over.into());
        record.extend(self.line.as_bytes());
        record.extend(self.order.as_bytes());
        record.extend(&self.terms);
        let checksum = crc32fast::hash(record.get(4..).unwrap_or_default());
        record.splice(..4, checksum.to_le_bytes());
        record
    }

    /// Decodes a record; `None` if it is damaged.
    #[must_use]
    pub fn decode(record: &[u8], status: Status) -> Option<Self> {
        let fixed: &[u8; FIXED] = record.first_chunk()?;
        if crc32fast::hash(record.get(4..)?) != u32::from_le_bytes(*fixed.first_chunk()?) {
            return None;
        }
        let time = |at: usize| Some(i64::from_le_bytes(*fixed.get(at..)?.first_chunk()?));
        let number = |at: usize| Some(u32::from_le_bytes(*fixed.get(at..)?.first_chunk()?));
        let [line, path, path_length, order, terms] = text_numbers(record)?;
        let known = |time: i64| (time != NO_TIME).then_some(time);
        let text = |place: Range<usize>| std::str::from_utf8(record.get(place)?).ok().map(str::to_owned);
        let document = Self {
            line: text(FIXED..FIXED + line)?,
            status,
            updated_at: known(time(4)?),
            created_at: known(time(12)?),
            stamp: Stamp { size: number(SIZE)?, modified: time(20)? },
            validity: validity_in(record)?,
            trust: TrustPrefix::default(),
            path: path..path + path_length,
            order: text(FIXED + line..FIXED + line + order)?,
            terms: record.get(FIXED + line + order..FIXED + line + order + terms)?.to_vec(),
        };
        document.line.get(document.path.clone()).is_some().then_some(document)
    }
}

/// The path in a record. The other fields are not decoded, and the checksum is not verified.
#[must_use]
pub(crate) fn path_in(record: &[u8]) -> Option<&[u8]> {
    let [_, path, length, _, _] = text_numbers(record)?;
    record.get(FIXED + path..FIXED + path + length)
}

/// When the memory of a record is valid; the checksum is not verified.
#[must_use]
pub(crate) fn validity_in(record: &[u8]) -> Option<Validity> {
    let time = |at: usize| {
        let time = i64::from_le_bytes(*record.get(at..)?.first_chunk()?);
        Some((time != NO_TIME).then_some(time))
    };
    Some(Validity { is_over: *record.get(IS_OVER)? != 0, from: time(28)?, until: time(36)? })
}

/// The terms of title, tags and questions in a record; the checksum is not verified.
#[must_use]
pub(crate) fn terms_in(record: &[u8]) -> Option<FieldTerms<'_>> {
    let [line, _, _, order, terms] = text_numbers(record)?;
    let begin = FIXED + line + order;
    Some(FieldTerms::read(record.get(begin..begin + terms)?))
}

/// In bytes: the length of the line, the start and length of the path within the line, and the lengths of `order` and
/// `terms`.
fn text_numbers(record: &[u8]) -> Option<[usize; 5]> {
    let numbers: &[u8; 10] = record.get(TEXTS..)?.first_chunk()?;
    let mut found = [0; 5];
    for (number, bytes) in found.iter_mut().zip(numbers.chunks_exact(2)) {
        *number = usize::from(u16::from_le_bytes(*bytes.first_chunk()?));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(title: &str) -> StoredDocument {
        let data = format!(r#"{{"title":"{title}","tags":["B","a"],"updated_at":"1970-01-01T00:00:01Z"}}"#);
        let document = Document::read("decision", ".claude/memory/decisions/t.json", Some(data.as_bytes())).unwrap();
        StoredDocument::new(&document, Stamp { size: 7, modified: -3 }).unwrap()
    }

    #[test]
    fn a_record_reads_back() {
        for title in ["Use Docker", "An arrow -> inside", &"é".repeat(300)] {
            let document = stored(title);
            let record = document.encode();
            assert_eq!(StoredDocument::decode(&record, Status::Active), Some(document.clone()));
            assert_eq!(path_in(&record), Some(document.path().as_bytes()));
            for place in 0..record.len() {
                let mut damaged = record.clone();
                damaged[place] ^= 1;
                assert_eq!(StoredDocument::decode(&damaged, Status::Active), None);
            }
        }
    }

    #[test]
    fn titles_order_documents_beyond_what_a_line_shows() {
        let title = |end: &str| stored(&format!("{}{end}", "t".repeat(150)));
        assert!(title("b").order_key() > title("a").order_key());
        assert_eq!(StoredDocument::decode(&title("b").encode(), Status::Active), Some(title("b")));
    }
}
