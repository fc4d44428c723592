//! A segment: one part of a snapshot, read in place without decoding it first (SPEC 20).

use crate::index::dictionary::Dictionary;
use crate::index::layout::{
    DEAD, Header, LINKS, Layout, STATISTICS, SegmentError, TERM_POSTINGS, TERMS, WORD_POSTINGS, WORDS, u32_at, u64_at,
};
use crate::settings::{Bm25Settings, FIELDS};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The settings and average lengths that impacts are computed from (SPEC 20.2, section 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// The parameters of BM25F: k1, and weight and b of each field.
    pub settings: Bm25Settings,
    /// The average length of each field, in terms.
    pub averages: [f64; FIELDS],
}

impl Statistics {
    /// Reads the section; `None` if a number is missing or out of bounds.
    #[must_use]
    pub fn read(section: &[u8]) -> Option<Self> {
        let number = |at: usize| u64_at(section, at).map(f64::from_bits);
        let within = |at: usize, most: f64| number(at).filter(|value| *value >= 0.0 && *value <= most);
        let field = |field: usize| {
            let at = 8 + 24 * field;
            Some((within(at, 100.0)?, within(at + 8, 1.0)?, within(at + 16, 4_294_967_296.0)?))
        };
        let (title, tags, questions, body) = (field(0)?, field(1)?, field(2)?, field(3)?);
        Some(Self {
            settings: Bm25Settings {
                k1: within(0, 10.0)?,
                weights: [title.0, tags.0, questions.0, body.0],
                bs: [title.1, tags.1, questions.1, body.1],
            },
            averages: [title.2, tags.2, questions.2, body.2],
        })
    }

    /// The bytes of the section.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut section = self.settings.k1.to_le_bytes().to_vec();
        let Bm25Settings { weights, bs, .. } = self.settings;
        for ((w, b), average) in weights.iter().zip(&bs).zip(&self.averages) {
            section.extend([w, b, average].into_iter().flat_map(|value| value.to_le_bytes()));
        }
        section
    }
}

/// A segment; `S` is the owner of its bytes, e.g. a memory-mapped file or a buffer.
#[derive(Debug)]
pub struct Segment<S> {
    source: S,
    layout: Layout,
    dead: OnceLock<Vec<u32>>,
}

impl<S: AsRef<[u8]>> Segment<S> {
    /// Opens the bytes of a file; reads only the header and the section table.
    pub fn open(source: S) -> Result<Self, SegmentError> {
        let layout = Layout::open(source.as_ref())?;
        Ok(Self { source, layout, dead: OnceLock::new() })
    }

    /// The owner of the bytes.
    pub(crate) fn source(&self) -> &S {
        &self.source
    }

    /// The bytes of the whole file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.source.as_ref()
    }

    /// The header of the segment.
    #[must_use]
    pub fn header(&self) -> Header {
        self.layout.header
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> u32 {
        self.layout.header.documents
    }

    /// The checksum that identifies the segment.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.layout.checksum
    }

    /// Whether this segment is a delta of `base`.
    #[must_use]
    pub fn belongs_to<T: AsRef<[u8]>>(&self, base: &Segment<T>) -> bool {
        self.follows(base.checksum(), base.documents())
    }

    /// Whether this segment is a delta of the base with this checksum, written when the segments before it had
    /// `documents_before` documents in total.
    #[must_use]
    pub fn follows(&self, base_checksum: u32, documents_before: u32) -> bool {
        let header = self.header();
        header.base_checksum == base_checksum && header.base_documents == documents_before
    }

    /// The bytes of a section, by its number in [`layout`](crate::index::layout); empty if the segment does not have
    /// it.
    #[must_use]
    pub fn section(&self, kind: u32) -> &[u8] {
        self.bytes().get(self.layout.section(kind)).unwrap_or_default()
    }

    /// Verifies the checksums of all sections.
    pub fn check(&self) -> Result<(), SegmentError> {
        self.layout.check(self.bytes())
    }

    /// The dictionary of the terms.
    #[must_use]
    pub fn terms(&self) -> Dictionary<'_> {
        Dictionary::new(self.section(TERMS))
    }

    /// The posting lists of the terms.
    #[must_use]
    pub fn term_postings(&self) -> &[u8] {
        self.section(TERM_POSTINGS)
    }

    /// The dictionary of the words that the keyword retriever compares.
    #[must_use]
    pub fn words(&self) -> Dictionary<'_> {
        Dictionary::new(self.section(WORDS))
    }

    /// The posting lists of the words.
    #[must_use]
    pub fn word_postings(&self) -> &[u8] {
        self.section(WORD_POSTINGS)
    }

    /// The dictionary of the links.
    #[must_use]
    pub fn links(&self) -> Dictionary<'_> {
        Dictionary::new(self.section(LINKS))
    }

    /// The dictionary in the section `kind`, and its posting lists, which are in the section with the next number.
    pub(crate) fn lists(&self, kind: u32) -> (Dictionary<'_>, &[u8]) {
        (Dictionary::new(self.section(kind)), self.section(kind + 1))
    }

    /// The settings and average lengths that the impacts were computed from; `None` if the section is damaged.
    #[must_use]
    pub fn statistics(&self) -> Option<Statistics> {
        Statistics::read(self.section(STATISTICS))
    }

    /// In a delta, the positions of the earlier documents that the delta replaces or removes, ascending. Positions
    /// count through all segments before the delta. The section is decoded once.
    #[must_use]
    pub fn dead(&self) -> &[u32] {
        self.dead.get_or_init(|| {
            let within = self.layout.header.base_documents;
            let numbers = self.section(DEAD).chunks_exact(4).filter_map(|four| u32_at(four, 0));
            let mut dead: Vec<u32> = numbers.filter(|number| *number < within).collect();
            dead.sort_unstable();
            dead.dedup();
            dead
        })
    }
}

/// For each segment, the numbers of its documents that later deltas replace or remove, ascending.
#[must_use]
pub fn dead_documents<'a, S: AsRef<[u8]>>(segments: &[&'a Segment<S>]) -> Vec<Cow<'a, [u32]>> {
    let mut dead: Vec<Cow<'a, [u32]>> = vec![Cow::Borrowed(&[]); segments.len()];
    if let (Some(first), [_, delta]) = (dead.first_mut(), segments) {
        *first = Cow::Borrowed(delta.dead());
        return dead;
    }
    for (place, delta) in segments.iter().enumerate().skip(1) {
        let mut numbers = delta.dead().iter().copied().peekable();
        let mut begin = 0_u32;
        for (segment, dead) in segments.iter().zip(&mut dead).take(place) {
            let end = begin.saturating_add(segment.documents());
            while let Some(number) = numbers.next_if(|number| *number < end) {
                dead.to_mut().push(number - begin);
            }
            begin = end;
        }
    }
    for dead in &mut dead {
        if !dead.is_sorted_by(|a, b| a < b) {
            dead.to_mut().sort_unstable();
            dead.to_mut().dedup();
        }
    }
    dead
}
