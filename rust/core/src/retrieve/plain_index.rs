//! An index of texts that is independent of any store: a base, and a delta of documents added later (SPEC 21.6).

use crate::index::bm25::{FULL, plain_average};
use crate::index::layout::{Analyzer, Header, SegmentError, low_u32};
use crate::index::lexicon::Lexicon;
use crate::index::postings::{Living, runs};
use crate::index::segment::{Segment, Statistics};
use crate::index::segment_builder::{Builder, for_each_word, is_text};
use crate::index::segment_writer::{Lists, SegmentSource, write_segment};
use crate::retrieve::prompt_terms::query_terms;
use crate::retrieve::segment_search::{QueryTerm, Wanted, Weighted, lists_of, search_weighted, weigh};
use crate::retrieve::top_k::{Scored, Scratch, scores};
use crate::settings::{Bm25Settings, FIELDS};
use std::cmp::Ordering;
use std::sync::Arc;

/// The distinct terms of a query, in the order of their first appearance.
#[derive(Debug, Default)]
pub struct PlainQuery {
    terms: Lexicon,
    /// The weight of each term, 1 to 256.
    weights: Vec<u32>,
}

impl PlainQuery {
    /// The query for a text.
    #[must_use]
    pub fn of_text(analyzer: Analyzer, text: &str) -> Self {
        let mut query = Self::new();
        match analyzer {
            Analyzer::Words => for_each_word(text, &mut |word| query.push_weighted(word, FULL)),
            Analyzer::Terms => {
                for term in query_terms::<&str>(text, &[]) {
                    query.push_weighted(term.term.as_bytes(), term.weight);
                }
            }
        }
        query
    }

    /// A query without terms.
    #[must_use]
    pub fn new() -> Self {
        Self { terms: Lexicon::default(), weights: Vec::with_capacity(1 << 5) }
    }

    /// Adds a term with full weight.
    pub fn push(&mut self, term: &str) {
        self.push_weighted(term.as_bytes(), FULL);
    }

    fn push_weighted(&mut self, term: &[u8], q: u32) {
        if is_text(term) && self.terms.number(term) as usize == self.weights.len() {
            self.weights.push(q);
        }
    }

    fn terms(&self) -> Vec<QueryTerm<'_>> {
        (0..).zip(&self.weights).map(|(number, q)| QueryTerm { text: self.terms.text(number), q: *q }).collect()
    }
}

/// A query that was looked up in an index: the terms that the index has, with their postings.
#[derive(Debug)]
pub struct Prepared<'a> {
    query: &'a PlainQuery,
    terms: Vec<Weighted>,
}

impl Prepared<'_> {
    /// The number of postings that a search walks through, at most.
    #[must_use]
    pub fn postings(&self) -> u64 {
        self.terms.iter().flat_map(|term| term.entries.iter().flatten()).map(|entry| u64::from(entry.documents)).sum()
    }
}

/// The largest size of a delta, in documents: `DELTA_LEAST`, or 1/`DELTA_SHARE` of the base if that is more.
const DELTA_LEAST: u32 = 256;
const DELTA_SHARE: u32 = 16;

/// One immutable state of an index; adding documents makes a new state. `S` is the type of a segment's bytes.
#[derive(Debug)]
pub struct PlainIndex<S> {
    base: Arc<Segment<S>>,
    delta: Option<Arc<Segment<S>>>,
    /// Documents that were added after the delta and that searches do not find yet.
    added: Vec<Arc<Builder>>,
}

/// A builder with documents, and the numbers of these documents in the whole index.
pub type Numbered = (Builder, Vec<u32>);

impl<S: AsRef<[u8]> + From<Vec<u8>> + Sync> PlainIndex<S> {
    /// An index of a base and its delta; a delta that belongs to another base is ignored.
    pub fn new(base: Segment<S>, delta: Option<Segment<S>>) -> Result<Self, SegmentError> {
        base.statistics().ok_or(SegmentError::Damaged)?;
        let delta = delta.filter(|delta| delta.belongs_to(&base) && delta.documents() > 0);
        Ok(Self { base: Arc::new(base), delta: delta.map(Arc::new), added: Vec::new() })
    }

    /// Builds an index of the builders' documents.
    pub fn build(
        analyzer: Analyzer,
        settings: Bm25Settings,
        builders: &[Numbered],
        threads: usize,
    ) -> Result<Self, SegmentError> {
        let documents = builders.iter().map(|(builder, _)| builder.documents()).sum();
        let totals = builders.iter().fold([0; FIELDS], |totals, (builder, _)| add_totals(totals, builder.totals()));
        let averages = totals.map(|total| plain_average(total, documents));
        let header = Header { documents, analyzer, base_checksum: 0, base_documents: 0 };
        let parts: Vec<SegmentSource<S>> = builders
            .iter()
            .map(|(builder, numbers)| SegmentSource { lists: Lists::Builder(builder), numbers: numbers.clone() })
            .collect();
        let statistics = Statistics { settings, averages };
        let file = write_segment(&header, &statistics, &parts, Vec::new(), false, threads);
        Self::new(Segment::open(S::from(file))?, None)
    }

    /// A new state of the index, with more documents.
    pub fn add(&self, added: Builder) -> Result<Self, SegmentError> {
        let documents = self.base.documents();
        if documents == 0 {
            let settings = self.statistics()?.settings;
            let numbers = (0..added.documents()).collect();
            return Self::build(self.analyzer(), settings, &[(added, numbers)], 1);
        }
        let added = self.added.iter().cloned().chain([Arc::new(added)]).collect();
        let index = Self { base: Arc::clone(&self.base), delta: self.delta.clone(), added };
        if index.documents() - documents > (documents / DELTA_SHARE).max(DELTA_LEAST) {
            index.as_one()
        } else {
            Ok(index)
        }
    }

    /// Whether there are documents that a search does not find yet; [`PlainIndex::with_delta`] makes them searchable.
    #[must_use]
    pub fn is_unsettled(&self) -> bool {
        !self.added.is_empty()
    }

    /// The index with all added documents written into the delta.
    pub fn with_delta(&self) -> Result<Self, SegmentError> {
        let base = &self.base;
        let header = Header {
            documents: self.documents() - base.documents(),
            base_checksum: base.checksum(),
            base_documents: base.documents(),
            ..base.header()
        };
        let delta = self.write(header, self.delta.as_deref().into_iter())?;
        Ok(Self { base: Arc::clone(base), delta: Some(Arc::new(delta)), added: Vec::new() })
    }

    /// The index with all documents in the base. The averages do not change, because the impacts were computed with
    /// them.
    fn as_one(&self) -> Result<Self, SegmentError> {
        let header = Header { documents: self.documents(), base_checksum: 0, base_documents: 0, ..self.base.header() };
        Self::new(self.write(header, self.segments().into_iter())?, None)
    }

    /// Writes the given segments and all added documents as one segment.
    fn write<'a>(
        &'a self,
        header: Header,
        segments: impl Iterator<Item = &'a Segment<S>>,
    ) -> Result<Segment<S>, SegmentError> {
        let mut parts: Vec<SegmentSource<S>> = Vec::new();
        let mut first = 0;
        let mut numbers = |documents: u32| {
            let numbers = (first..first + documents).collect();
            first += documents;
            numbers
        };
        for segment in segments {
            // Without this check, damaged data would get a valid checksum.
            segment.check()?;
            parts.push(SegmentSource { lists: Lists::Segment(segment), numbers: numbers(segment.documents()) });
        }
        for builder in &self.added {
            parts.push(SegmentSource { lists: Lists::Builder(builder), numbers: numbers(builder.documents()) });
        }
        Segment::open(S::from(write_segment(&header, &self.statistics()?, &parts, Vec::new(), false, 1)))
    }

    fn statistics(&self) -> Result<Statistics, SegmentError> {
        self.base.statistics().ok_or(SegmentError::Damaged)
    }

    /// The base segment.
    #[must_use]
    pub fn base(&self) -> &Arc<Segment<S>> {
        &self.base
    }

    /// The delta: the documents that were added after the base was written.
    #[must_use]
    pub fn delta(&self) -> Option<&Segment<S>> {
        self.delta.as_deref()
    }

    /// The analyzer that made the terms of the documents.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.base.header().analyzer
    }

    /// The number of documents, including those that searches do not find yet.
    #[must_use]
    pub fn documents(&self) -> u32 {
        let added = self.added.iter().map(|builder| builder.documents());
        let counts = self.segments().into_iter().map(Segment::documents).chain(added);
        counts.fold(0, u32::saturating_add)
    }

    fn segments(&self) -> Vec<&Segment<S>> {
        std::iter::once(&*self.base).chain(self.delta()).collect()
    }

    /// Looks up the terms of a query.
    #[must_use]
    pub fn prepare<'q>(&self, query: &'q PlainQuery) -> Prepared<'q> {
        let segments = self.segments();
        let living = vec![Living::AllBut(&[]); segments.len()];
        Prepared { query, terms: weigh(&segments, &query.terms(), &living) }
    }

    /// The number and score of the `k` best documents; best first, equal scores by number.
    #[must_use]
    pub fn search(&self, query: &Prepared<'_>, k: usize, scratch: &mut Scratch) -> Vec<Scored> {
        let in_order = |_: &_, _: &_| Ordering::Equal;
        let found = search_weighted(&self.segments(), &query.terms, Wanted::best(k), in_order, scratch);
        let base = self.base.documents();
        found
            .into_iter()
            .map(|found| {
                (if found.segment == 0 { found.number } else { base.saturating_add(found.number) }, found.score)
            })
            .collect()
    }

    /// The score of every searchable document, by number.
    #[must_use]
    pub fn scores(&self, query: &Prepared<'_>) -> Vec<u32> {
        let of = |(number, segment): (usize, &&Segment<S>)| {
            scores(&lists_of(&query.terms, number, *segment), segment.documents())
        };
        self.segments().iter().enumerate().flat_map(of).collect()
    }

    /// The parts of a document's score, each as term, weight and impact; `None` if there is no such document.
    #[must_use]
    pub fn explain<'q>(&self, query: &Prepared<'q>, number: u32) -> Option<Vec<(&'q [u8], u32, u8)>> {
        if number >= self.documents() {
            return None;
        }
        let (place, segment, number) = match self.delta() {
            Some(delta) if number >= self.base.documents() => (1, delta, number - self.base.documents()),
            _ => (0, &*self.base, number),
        };
        let impact = |term: &Weighted| {
            let entry = term.entries.get(place).copied().flatten()?;
            let mut runs = runs(segment.term_postings(), &entry);
            let run = runs.find(|run| u32::from(run.chunk) == number >> 16)?;
            let text = query.query.terms.text(low_u32(term.place));
            Some((text, term.weight, run.find(u16::try_from(number & 0xffff).ok()?)?))
        };
        Some(query.terms.iter().filter_map(impact).collect())
    }
}

fn add_totals(totals: [u64; FIELDS], more: [u64; FIELDS]) -> [u64; FIELDS] {
    let mut sums = totals;
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    sums
}
