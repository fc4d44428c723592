//! One segment of a snapshot: a base or a delta, of which later parts may replace documents (SPEC 22).

use crate::index::layout::{BY_PATH, KINDS, NAMES, PLACES, RECORDS, TRUST, u32_at};
use crate::index::postings::Living;
use crate::index::segment::Segment;
use crate::memory::document::Status;
use crate::memory::field_terms::FieldTerms;
use crate::memory::stored_document::{StoredDocument, path_in, terms_in, validity_in};
use crate::memory::trust_hash::TrustPrefix;
use crate::memory::validity::Validity;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The value in the section `KINDS` for a document whose category has no number.
pub(crate) const UNKNOWN_NAME: u8 = 255;

/// A range of bytes within a source; several slices can share one source.
#[derive(Debug)]
pub(crate) struct Slice<S> {
    pub(crate) source: Arc<S>,
    pub(crate) range: Range<usize>,
}

impl<S: AsRef<[u8]>> AsRef<[u8]> for Slice<S> {
    fn as_ref(&self) -> &[u8] {
        (*self.source).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

/// One segment of a snapshot, and the numbers of its dead documents.
#[derive(Debug)]
pub(crate) struct SnapshotPart<S> {
    pub(crate) segment: Segment<Slice<S>>,
    /// The numbers of the documents that later parts replace or remove, ascending.
    pub(crate) dead: Vec<u32>,
    /// In a part of a snapshot (`Snapshot::only`), a byte for each document: `LIVING` for those that it has.
    pub(crate) only: Option<Vec<u8>>,
    /// The place of the part's store among those that were joined (`Snapshot::join`).
    pub(crate) store: usize,
}

impl<S: AsRef<[u8]>> SnapshotPart<S> {
    /// The names of the categories, by number; empty if the section is damaged.
    pub(crate) fn names(&self) -> Vec<&str> {
        (0..).map_while(|place| self.name(place)).collect()
    }

    /// The name of the category with the number `place`; `None` for a number that the section does not have.
    fn name(&self, place: usize) -> Option<&str> {
        let section = self.segment.section(NAMES);
        let count = u32_at(section, 0)? as usize;
        let texts = section.get(4 + count.checked_mul(4)?..)?;
        let end_of = |place: usize| u32_at(section, 4 + 4 * place).unwrap_or_default() as usize;
        let begin = place.checked_sub(1).map_or(0, end_of);
        let text = texts.get(begin..end_of(place)).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
        (place < count.min(usize::from(UNKNOWN_NAME))).then_some(text)
    }

    pub(crate) fn status(&self, number: u32) -> Status {
        let kinds = self.segment.section(KINDS);
        kinds.get(2 * number as usize + 1).map_or(Status::Other, |status| Status::from_number(*status))
    }

    /// The number of a document's category; [`UNKNOWN_NAME`] if it has none.
    pub(crate) fn kind(&self, number: u32) -> u8 {
        self.segment.section(KINDS).get(2 * number as usize).copied().unwrap_or(UNKNOWN_NAME)
    }

    /// The name of a document's category, from its record; empty if the record is damaged.
    pub(crate) fn recorded_category(&self, number: u32) -> String {
        let document = self.document(number);
        document.as_ref().and_then(StoredDocument::parts).map_or("", |line| line.category).to_owned()
    }

    /// The name of a document's category.
    pub(crate) fn category(&self, number: u32) -> Cow<'_, str> {
        let known = self.name(usize::from(self.kind(number)));
        known.map_or_else(|| self.recorded_category(number).into(), Cow::from)
    }

    /// The number of living documents that have a text; the text is at index `place` in the dictionary of the section
    /// `kind`.
    pub(crate) fn count_living(&self, kind: u32, place: u32) -> Option<u32> {
        let (dictionary, section) = self.segment.lists(kind);
        Some(self.living().count_in(section, &dictionary.entry(place)?))
    }

    /// Whether a living document has the text at index `place` in the dictionary of the section `kind`.
    pub(crate) fn has_living(&self, kind: u32, place: u32) -> bool {
        let (dictionary, section) = self.segment.lists(kind);
        dictionary.entry(place).is_some_and(|entry| self.living().is_in(section, &entry))
    }

    pub(crate) fn is_dead(&self, number: u32) -> bool {
        !self.living().has(number)
    }

    /// Which documents of the segment are living.
    pub(crate) fn living(&self) -> Living<'_> {
        self.only.as_deref().map_or(Living::AllBut(&self.dead), Living::Only)
    }

    /// A document; `None` if its record is damaged.
    pub(crate) fn document(&self, number: u32) -> Option<StoredDocument> {
        StoredDocument::decode(self.record(number)?, self.status(number))
    }

    /// The path of a document; the checksum of its record is not verified.
    pub(crate) fn path(&self, number: u32) -> &[u8] {
        self.record(number).and_then(path_in).unwrap_or_default()
    }

    /// The terms of a document's title, tags and questions; the checksum of its record is not verified.
    pub(crate) fn field_terms(&self, number: u32) -> FieldTerms<'_> {
        self.record(number).and_then(terms_in).unwrap_or_default()
    }

    /// When a document is valid; the checksum of its record is not verified.
    pub(crate) fn validity(&self, number: u32) -> Validity {
        self.record(number).and_then(validity_in).unwrap_or_default()
    }

    /// The beginning of a document's trust hash; zeros if there is no such document.
    pub(crate) fn trust_prefix(&self, number: u32) -> TrustPrefix {
        let begin = 8 * number as usize;
        self.segment.section(TRUST).get(begin..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default()
    }

    pub(crate) fn record(&self, number: u32) -> Option<&[u8]> {
        let places = self.segment.section(PLACES);
        let place = |number: usize| u32_at(places, 4 * number).map(|place| place as usize);
        let number = number as usize;
        self.segment.section(RECORDS).get(place(number)?..place(number + 1)?)
    }

    /// The number of documents whose paths sort before `path`.
    pub(crate) fn count_before(&self, path: &[u8]) -> usize {
        let order = self.segment.section(BY_PATH);
        let (mut low, mut high) = (0, order.len() / 4);
        while low < high {
            let middle = low.midpoint(high);
            if u32_at(order, 4 * middle).is_some_and(|number| self.path(number) < path) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The number of the living document with this path.
    pub(crate) fn find(&self, path: &[u8]) -> Option<u32> {
        self.by_path(path).find(|number| self.path(*number) == path)
    }

    /// Makes the documents dead whose paths a document of the nearer parts has.
    pub(crate) fn hide<'a>(&mut self, nearer: impl Iterator<Item = &'a Self>)
    where
        S: 'a,
    {
        let mut hidden = self.dead.clone();
        for nearer in nearer {
            let mut own = self.by_path(b"").peekable();
            let mut theirs = nearer.by_path(b"").peekable();
            while let (Some(number), Some(other)) = (own.peek(), theirs.peek()) {
                match self.path(*number).cmp(nearer.path(*other)) {
                    std::cmp::Ordering::Less => _ = own.next(),
                    std::cmp::Ordering::Greater => _ = theirs.next(),
                    std::cmp::Ordering::Equal => {
                        hidden.extend(own.next());
                        theirs.next();
                    }
                }
            }
        }
        hidden.sort_unstable();
        hidden.dedup();
        self.dead = hidden;
    }

    /// The numbers of the living documents whose paths begin with `beginning`, sorted by path.
    pub(crate) fn by_path<'a>(&'a self, beginning: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
        let order = self.segment.section(BY_PATH);
        let number = move |place: usize| u32_at(order, 4 * place);
        let ordered = (self.count_before(beginning)..order.len() / 4).filter_map(number);
        ordered
            .take_while(move |number| self.path(*number).starts_with(beginning))
            .filter(|number| !self.is_dead(*number))
    }
}
