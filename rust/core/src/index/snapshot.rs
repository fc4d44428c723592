//! The snapshot of a store: a base and optional deltas, which are read without decoding them first (SPEC 22).

use crate::index::bm25::AVERAGE_LENGTHS;
use crate::index::concept_graph::ConceptGraph;
use crate::index::dictionary::Dictionary;
use crate::index::filters::STORE_PREFIX;
use crate::index::layout::{GRAPH, KINDS, SegmentError, TRUST, UNFIT, WATERMARK, u64_at};
use crate::index::postings::{LIVING, Living};
use crate::index::segment::{Segment, Statistics, dead_documents};
use crate::index::segment_writer::{LEFT_OUT, Lists, SegmentSource, graph_of};
use crate::index::snapshot_part::{Slice, SnapshotPart};
use crate::index::unfit_files::read_unfit;
use crate::memory::document::Status;
use crate::memory::field_terms::FieldTerms;
use crate::memory::stored_document::{Stamp, StoredDocument};
use crate::memory::trust_hash::TrustPrefix;
use crate::memory::validity::Validity;
use crate::settings::Bm25Settings;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The value in a watermark that says that not every file of a folder was read (SPEC 23.1).
pub const PARTIAL: i64 = -2;

/// The maximal number of deltas in a file.
pub(crate) const MAX_DELTAS: usize = 63;

/// The memories of a store at the time when the snapshot was written.
///
/// A document's position is its number in its segment plus the number of documents in all earlier segments.
#[derive(Debug)]
pub struct Snapshot<S> {
    pub(crate) parts: Vec<SnapshotPart<S>>,
    /// The dictionary and graph of the living documents; computed on first use, and only if there are deltas or dead
    /// documents.
    graph: OnceLock<(Vec<u8>, Vec<u8>)>,
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// Opens a base and a file of deltas. A delta that is damaged or does not belong to the segments before it is
    /// ignored, and so are all later deltas.
    pub fn open(base: S, deltas: Option<S>) -> Result<Self, SegmentError> {
        let range = 0..base.as_ref().len();
        let segment = open_part(Slice { source: Arc::new(base), range })?;
        let parts = vec![SnapshotPart { segment, dead: Vec::new(), only: None, store: 0 }];
        let snapshot = Self { parts, graph: OnceLock::new() };
        Ok(match deltas {
            Some(deltas) => snapshot.with_delta(deltas),
            None => snapshot,
        })
    }

    /// The snapshot with the same base and another file of deltas; see [`Snapshot::open`].
    #[must_use]
    pub fn with_delta(mut self, deltas: S) -> Self {
        self.parts.truncate(1);
        self.graph = OnceLock::new();
        let source = Arc::new(deltas);
        let Some(base) = self.parts.first().map(|base| (base.segment.checksum(), base.segment.documents())) else {
            return self;
        };
        let mut documents = base.1;
        for range in segment_ranges((*source).as_ref()) {
            let opened = open_part(Slice { source: Arc::clone(&source), range });
            let Some(segment) = opened.ok().filter(|delta| delta.follows(base.0, documents)) else { break };
            let Some(sum) = documents.checked_add(segment.documents()) else { break };
            documents = sum;
            self.parts.push(SnapshotPart { segment, dead: Vec::new(), only: None, store: 0 });
        }
        let segments: Vec<_> = self.parts.iter().map(|part| &part.segment).collect();
        let dead: Vec<Vec<u32>> = dead_documents(&segments).into_iter().map(std::borrow::Cow::into_owned).collect();
        self.parts.iter_mut().zip(dead).for_each(|(part, dead)| part.dead = dead);
        self
    }

    /// The snapshot with only some of its documents, as if there were no others: these count in no frequency and are
    /// found by nothing. All positions stay the same. `flags` has a byte for each document of each part: [`LIVING`] for
    /// those that stay.
    pub fn only(&self, flags: Vec<Vec<u8>>) -> Result<Self, SegmentError> {
        let mut only = self.reopen()?;
        for (part, mut flags) in only.parts.iter_mut().zip(flags) {
            for dead in &part.dead {
                flags.get_mut(*dead as usize).into_iter().for_each(|flag| *flag = !LIVING);
            }
            part.only = Some(flags);
        }
        Ok(only)
    }

    /// The snapshot of all documents of several stores, given the nearest first (SPEC 48.6). A snapshot that comes with `true`
    /// is the counterpart of the one before it, whose documents hide its own at the same paths.
    #[must_use]
    pub fn join(snapshots: Vec<(Self, bool)>) -> Self {
        let mut parts: Vec<SnapshotPart<S>> = Vec::new();
        for (store, (snapshot, is_counterpart)) in snapshots.into_iter().enumerate() {
            let begin = parts.len();
            for part in snapshot.parts {
                let mut part = SnapshotPart { store, ..part };
                if is_counterpart {
                    let nearer = parts.get(..begin).unwrap_or_default();
                    part.hide(nearer.iter().filter(|nearer| nearer.store + 1 == store));
                }
                parts.push(part);
            }
        }
        Self { parts, graph: OnceLock::new() }
    }

    /// The same snapshot once more, over the same bytes.
    pub fn reopen(&self) -> Result<Self, SegmentError> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let Slice { source, range } = part.segment.source();
            let segment = Segment::open(Slice { source: Arc::clone(source), range: range.clone() })?;
            parts.push(SnapshotPart { segment, dead: part.dead.clone(), only: part.only.clone(), store: part.store });
        }
        Ok(Self { parts, graph: OnceLock::new() })
    }

    /// The place, among the stores that were joined, of the store that has the document at a position; 0 for other
    /// snapshots.
    #[must_use]
    pub fn store_of(&self, position: u32) -> usize {
        let mut rest = position;
        for part in &self.parts {
            match rest.checked_sub(part.segment.documents()) {
                Some(left) => rest = left,
                None => return part.store,
            }
        }
        0
    }

    /// Whether the documents are those of several stores.
    pub(crate) fn is_joined(&self) -> bool {
        self.parts.last().is_some_and(|part| part.store > 0)
    }

    /// For each part, the store that it belongs to, the checksum that identifies it, and the number of its documents, dead
    /// ones included.
    #[must_use]
    pub fn part_sizes(&self) -> Vec<(usize, (u32, u32))> {
        self.parts.iter().map(|part| (part.store, (part.segment.checksum(), part.segment.documents()))).collect()
    }

    /// The beginning of the trust hash of the document at a position; zeros if there is no such document.
    #[must_use]
    pub fn trust_prefix_at(&self, position: u32) -> TrustPrefix {
        let part = self.place(position).and_then(|(place, number)| Some((self.parts.get(place)?, number)));
        part.map(|(part, number)| part.trust_prefix(number)).unwrap_or_default()
    }

    /// The beginning of the trust hash of each document of a part, dead ones included.
    pub fn trust_prefixes(&self, part: usize) -> impl Iterator<Item = TrustPrefix> + '_ {
        let part = self.parts.get(part);
        part.into_iter().flat_map(|part| (0..part.segment.documents()).map(|number| part.trust_prefix(number)))
    }

    /// Whether there is a living document at a position.
    #[must_use]
    pub fn has(&self, position: u32) -> bool {
        self.place(position).is_some()
    }

    /// The number of deltas.
    #[must_use]
    pub fn deltas(&self) -> usize {
        self.parts.len().saturating_sub(1)
    }

    /// The total size of the deltas in bytes.
    #[must_use]
    pub fn delta_bytes(&self) -> usize {
        self.parts.iter().skip(1).map(|part| part.segment.bytes().len()).sum()
    }

    /// Whether some files of a folder were not read when the snapshot was written (SPEC 23.1).
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.watermark().contains(&PARTIAL)
    }

    /// The number of living documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.living().count(part.segment.documents()) as usize).sum()
    }

    /// Whether there is no living document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The modification time of each category folder, in nanoseconds since 1970 (SPEC 23.1); empty if the section is
    /// missing.
    #[must_use]
    pub fn watermark(&self) -> Vec<i64> {
        let section = self.parts.last().map(|part| part.segment.section(WATERMARK)).unwrap_or_default();
        section.chunks_exact(8).filter_map(<[u8]>::first_chunk).map(|time| i64::from_le_bytes(*time)).collect()
    }

    /// Whether the impacts were computed with these settings, the vectors were computed with the embedding table that is
    /// built into this program, and the beginning of each document's trust hash is known.
    #[must_use]
    pub fn has_settings(&self, settings: &Bm25Settings) -> bool {
        self.statistics().is_some_and(|statistics| statistics.settings == *settings)
            && self.has_vectors()
            && self.has_trust()
    }

    /// Whether the beginning of each document's trust hash is known. A snapshot of an earlier version does not have it.
    pub(crate) fn has_trust(&self) -> bool {
        self.parts.iter().all(|part| part.segment.section(TRUST).len() == 8 * part.segment.documents() as usize)
    }

    /// The statistics that the impacts were computed with. `None` if the section is damaged or its average lengths are
    /// not [`AVERAGE_LENGTHS`].
    pub(crate) fn statistics(&self) -> Option<Statistics> {
        let statistics = self.parts.first()?.segment.statistics()?;
        (statistics.averages == AVERAGE_LENGTHS).then_some(statistics)
    }

    /// The concept graph of the living documents (SPEC 25); without deltas it is the graph in the base.
    pub(crate) fn concept_graph(&self) -> ConceptGraph<'_> {
        match self.parts.as_slice() {
            [whole] if matches!(whole.living(), Living::AllBut([])) => {
                ConceptGraph::new(whole.segment.section(GRAPH), whole.segment.terms())
            }
            _ => {
                let (dictionary, graph) = self.graph.get_or_init(|| self.join_graph());
                ConceptGraph::new(graph, Dictionary::new(dictionary))
            }
        }
    }

    /// Builds the dictionary and graph of the living documents of all parts.
    fn join_graph<'a>(&'a self) -> (Vec<u8>, Vec<u8>) {
        let mut documents = 0;
        let source = |part: &'a SnapshotPart<S>| {
            let number = |old| {
                let new = if part.is_dead(old) { LEFT_OUT } else { documents };
                documents += u32::from(new != LEFT_OUT);
                new
            };
            let numbers = (0..part.segment.documents()).map(number).collect();
            SegmentSource { lists: Lists::Segment(&part.segment), numbers }
        };
        let parts: Vec<_> = self.parts.iter().map(source).collect();
        graph_of(&parts, documents)
    }

    /// The document at a position; `None` if it is damaged, dead or out of bounds.
    #[must_use]
    pub fn document(&self, position: u32) -> Option<StoredDocument> {
        let (part, number) = self.place(position)?;
        self.parts.get(part)?.document(number)
    }

    /// The terms of title, tags and questions of the document at a position; empty if there is no such document.
    #[must_use]
    pub fn field_terms(&self, position: u32) -> FieldTerms<'_> {
        let part = self.place(position).and_then(|(place, number)| Some((self.parts.get(place)?, number)));
        part.map(|(part, number)| part.field_terms(number)).unwrap_or_default()
    }

    /// When the document at a position is valid; always, if there is no such document.
    #[must_use]
    pub fn validity(&self, position: u32) -> Validity {
        let part = self.place(position).and_then(|(place, number)| Some((self.parts.get(place)?, number)));
        part.map(|(part, number)| part.validity(number)).unwrap_or_default()
    }

    /// The position of the document with this path; `None` if there is none. Of joined stores, the nearest counts.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<u32> {
        self.find_from(0, path)
    }

    /// Like [`Snapshot::find`], in the store at a place and in those behind it.
    pub(crate) fn find_from(&self, store: usize, path: &str) -> Option<u32> {
        let find = |(place, part): (usize, &SnapshotPart<S>)| {
            let number = part.find(path.as_bytes())?;
            Some(self.position(place, number))
        };
        self.parts.iter().enumerate().filter(|(_, part)| part.store >= store).find_map(find)
    }

    /// The positions of the documents with this path in stores before the one at a place.
    pub(crate) fn nearer(&self, store: usize, path: &str) -> Vec<u32> {
        let before = self.parts.iter().enumerate().filter(|(_, part)| part.store < store);
        before.filter_map(|(place, part)| Some(self.position(place, part.find(path.as_bytes())?))).collect()
    }

    /// The position of the document with this path; `None` unless its file had this size and modification time.
    #[must_use]
    pub fn find_unchanged(&self, path: &str, stamp: Stamp) -> Option<u32> {
        self.find(path).filter(|found| self.document(*found).is_some_and(|document| document.stamp == stamp))
    }

    /// The path, size and modification time of every document of a category folder, sorted by path; damaged records are
    /// left out.
    #[must_use]
    pub fn files(&self, folder: &str) -> Vec<(String, Stamp)> {
        let beginning = format!("{STORE_PREFIX}{folder}/");
        let mut files: Vec<_> = self
            .parts
            .iter()
            .flat_map(|part| part.by_path(beginning.as_bytes()).filter_map(|number| part.document(number)))
            .map(|document| (document.path().to_owned(), document.stamp))
            .collect();
        files.sort_unstable();
        files
    }

    /// The number of documents of a category folder, including dead documents. The documents are not read.
    #[must_use]
    pub fn count_files(&self, folder: &str) -> usize {
        // The character after `/` is `0`, so all paths of the folder sort before `end`.
        let (begin, end) = (format!("{STORE_PREFIX}{folder}/"), format!("{STORE_PREFIX}{folder}0"));
        let count = |part: &SnapshotPart<S>| {
            part.count_before(end.as_bytes()).saturating_sub(part.count_before(begin.as_bytes()))
        };
        self.parts.iter().map(count).sum()
    }

    /// The path, size and modification time of each file of a category folder that was read and has no document; sorted
    /// by path.
    #[must_use]
    pub fn unfit_files(&self, folder: &str) -> Vec<(String, Stamp)> {
        let beginning = format!("{STORE_PREFIX}{folder}/");
        let mut files = self.all_unfit_files();
        files.retain(|(path, _)| path.starts_with(&beginning));
        files
    }

    /// What [`Self::unfit_files`] gives for all folders.
    #[must_use]
    pub fn all_unfit_files(&self) -> Vec<(String, Stamp)> {
        unfit_in(&self.parts).into_iter().collect()
    }

    /// The index lines of the active documents, in document order, without line feeds.
    #[must_use]
    pub fn active_lines(&self) -> Vec<String> {
        let mut documents: Vec<_> = self
            .parts
            .iter()
            .flat_map(|part| {
                let numbers = 0..part.segment.documents();
                let active = numbers.filter(|number| part.status(*number) == Status::Active && !part.is_dead(*number));
                active.filter_map(|number| part.document(number))
            })
            .collect();
        if self.parts.len() > 1 {
            documents.sort_by_cached_key(StoredDocument::order_key);
        }
        documents.into_iter().map(|document| document.line).collect()
    }

    /// Verifies the checksums of all sections of all parts.
    pub fn check(&self) -> Result<(), SegmentError> {
        self.parts.iter().try_for_each(|part| part.segment.check())
    }

    /// The part and the number of the document at a position; `None` if the document is dead or the position is out of
    /// bounds.
    pub(crate) fn place(&self, position: u32) -> Option<(usize, u32)> {
        let mut number = position;
        for (place, part) in self.parts.iter().enumerate() {
            match number.checked_sub(part.segment.documents()) {
                Some(rest) => number = rest,
                None => return (!part.is_dead(number)).then_some((place, number)),
            }
        }
        None
    }

    /// The position of the document with this number in this part.
    pub(crate) fn position(&self, part: usize, number: u32) -> u32 {
        let before: Range<usize> = 0..part;
        let documents = |part: &SnapshotPart<S>| part.segment.documents();
        self.parts.get(before).unwrap_or_default().iter().map(documents).sum::<u32>().saturating_add(number)
    }
}

/// The texts that begin with `beginning`, from the dictionaries of the section `kind`. Only texts that a living
/// document has; ascending, without duplicates.
pub(crate) fn living_texts<'a, S: AsRef<[u8]>>(
    parts: &'a [SnapshotPart<S>],
    kind: u32,
    beginning: &[u8],
) -> impl Iterator<Item = &'a [u8]> + use<'a, S> {
    near_texts(parts, kind, beginning, &|_| true)
}

/// Like [`living_texts`], but returns only texts for which `is_like` is true.
pub(crate) fn near_texts<'a, S: AsRef<[u8]>, L: Fn(&[u8]) -> bool>(
    parts: &'a [SnapshotPart<S>],
    kind: u32,
    beginning: &[u8],
    is_like: &L,
) -> impl Iterator<Item = &'a [u8]> + use<'a, S, L> {
    let of_part = |part: &'a SnapshotPart<S>| {
        let (dictionary, _) = part.segment.lists(kind);
        // Most texts are rejected by `is_like`, so it is called before the more costly count of documents.
        let like: Vec<u32> = dictionary.range(beginning).filter(|place| is_like(dictionary.text(*place))).collect();
        let living = like.into_iter().filter(move |place| part.has_living(kind, *place));
        living.map(move |place| dictionary.text(place)).peekable()
    };
    let mut texts: Vec<_> = parts.iter().map(of_part).collect();
    std::iter::from_fn(move || {
        let first = texts.iter_mut().filter_map(|texts| texts.peek().copied()).min()?;
        for texts in &mut texts {
            _ = texts.next_if_eq(&first);
        }
        Some(first)
    })
}

/// The files that were read and have no document, as the parts list them.
pub(crate) fn unfit_in<S: AsRef<[u8]>>(parts: &[SnapshotPart<S>]) -> BTreeMap<String, Stamp> {
    read_unfit(parts.iter().map(|part| part.segment.section(UNFIT)))
}

/// The byte ranges of the segments in a file of deltas. The segments follow each other; each begins at the next
/// multiple of eight.
fn segment_ranges(data: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0_usize;
    let next = move || {
        let length = usize::try_from(u64_at(data.get(begin..)?, 16)?).ok()?;
        let range = begin..begin.checked_add(length).filter(|end| *end > begin && *end <= data.len())?;
        begin = range.end.checked_next_multiple_of(8)?;
        Some(range)
    };
    std::iter::from_fn(next).take(MAX_DELTAS)
}

/// Opens a segment of a snapshot. It is an error if the section `KINDS` does not have one entry per document.
fn open_part<S: AsRef<[u8]>>(source: S) -> Result<Segment<S>, SegmentError> {
    let segment = Segment::open(source)?;
    // With this check the file's size limits the number of documents, and with it the memory that is allocated for
    // them.
    let is_bounded = segment.section(KINDS).len() / 2 == segment.documents() as usize;
    if is_bounded { Ok(segment) } else { Err(SegmentError::Damaged) }
}
