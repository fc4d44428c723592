//! The Python class of a store's snapshot.

use crate::convert::{Raised, Text, segment_error, strings};
use crate::request::{Asked, known_positions, review_of};
use crate::results::result;
use cuecard_core as core;
use cuecard_core::memory::{FOLDERS, Stamp, StoredDocument};
use cuecard_core::rank::recall::{JUDGED, Ranks};
use cuecard_core::rank::{Recall, Recalled, Request};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{Bm25Settings, GateSetting, Strategy};
use cuecard_engine::{JoinedStore, Place, Source};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub(crate) type OfFields = (f64, f64, f64, f64);
pub(crate) type Numbers = (f64, OfFields, OfFields);
/// Position, score, logit and probability of a memory.
type RecalledValues = (u32, i64, i64, i64);
type Described = (String, &'static str, Option<i64>, Option<i64>, u32, i64);
type ScorePartRow = (&'static str, String, String, i64);
// The ranks of a document: rank, score, score without priors; lexical score and its rank; cosine and its rank.
type RanksOf = (usize, i64, i64, i64, Option<usize>, i64, usize);
// A trace: the cues, and the terms with weights and words, of the prompt; ranks, parts and features of a document.
type Traced =
    (Vec<&'static str>, Vec<(String, u32, String)>, Option<RanksOf>, Vec<ScorePartRow>, Vec<(&'static str, i64, i64)>);

/// The indexed memories of a store, as their files were when the snapshot was made.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct Snapshot {
    whole: Arc<core::index::Snapshot<Source>>,
    /// Working memory for searches. If another search uses it, a search makes its own.
    scratch: Mutex<Scratch>,
    /// The stores of a joined snapshot; empty for the snapshot of one store.
    stores: Vec<JoinedStore>,
}

impl From<core::index::Snapshot<Source>> for Snapshot {
    fn from(whole: core::index::Snapshot<Source>) -> Self {
        Arc::new(whole).into()
    }
}

impl From<Arc<core::index::Snapshot<Source>>> for Snapshot {
    fn from(whole: Arc<core::index::Snapshot<Source>>) -> Self {
        Self { whole, scratch: Mutex::default(), stores: Vec::new() }
    }
}

impl Snapshot {
    pub(crate) fn whole(&self) -> &core::index::Snapshot<Source> {
        &self.whole
    }

    /// Where the memories lie, for the project in a folder.
    pub(crate) fn place<'a>(&'a self, root: &'a Path) -> Place<'a> {
        Place { root, stores: &self.stores }
    }

    pub(crate) fn with_scratch<T>(&self, search: impl FnOnce(&mut Scratch) -> T) -> T {
        match self.scratch.try_lock() {
            Ok(mut scratch) => search(&mut scratch),
            Err(_) => search(&mut Scratch::default()),
        }
    }

    fn recalled<T>(&self, request: Request<'_>, answer: impl FnOnce(&Recall<'_, Source>) -> T) -> T {
        self.with_scratch(|scratch| answer(&Recall::new(&self.whole, request, scratch)))
    }
}

#[pymethods]
impl Snapshot {
    #[staticmethod]
    fn join(stores: Vec<(PyRef<'_, Self>, PathBuf, Text, bool, bool)>) -> PyResult<Self> {
        let (mut snapshots, mut joined) = (Vec::new(), Vec::new());
        for (snapshot, root, label, is_users, is_counterpart) in stores {
            snapshots.push((snapshot.whole.reopen().map_err(segment_error)?, is_counterpart));
            joined.push(JoinedStore { root, label: label.into_string(), is_users });
        }
        Ok(Self { stores: joined, ..core::index::Snapshot::join(snapshots).into() })
    }

    fn __len__(&self) -> usize {
        self.whole.len()
    }

    fn document(&self, position: i64) -> Option<Described> {
        self.whole.document(u32::try_from(position).ok()?).map(describe)
    }

    fn without_path(&self, position: i64, paths: Vec<Text>, logit: i64) -> (i64, i64) {
        self.whole.without_path(u32::try_from(position).unwrap_or(u32::MAX), &strings(paths), logit)
    }

    fn find(&self, path: Text) -> Option<u32> {
        self.whole.find(&path)
    }

    fn files(&self, folder: Text) -> Vec<(String, u32, i64)> {
        let files = self.whole.files(&folder);
        files.into_iter().map(|(path, stamp)| (path, stamp.size, stamp.modified)).collect()
    }

    fn find_unchanged(&self, files: Vec<(Text, i64, i64)>) -> Vec<Option<u32>> {
        let unchanged = |(path, size, modified): (Text, i64, i64)| {
            self.whole.find_unchanged(&path, Stamp { size: u32::try_from(size).ok()?, modified })
        };
        files.into_iter().map(unchanged).collect()
    }

    fn active_lines(&self) -> Vec<String> {
        self.whole.active_lines()
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.whole.check()).map_err(segment_error)
    }

    fn search(&self, py: Python<'_>, request: Asked<'_>, strategy: Text) -> PyResult<Vec<(u32, i64)>> {
        let strategy = Strategy::from_name(&strategy).map_err(Raised::from)?;
        let search = |request: Request<'_>| self.with_scratch(|scratch| self.whole.search(request, strategy, scratch));
        Ok(request.answer(py, search)?)
    }

    fn explain(
        &self,
        py: Python<'_>,
        position: i64,
        request: Asked<'_>,
        strategy: Text,
    ) -> PyResult<Vec<ScorePartRow>> {
        let strategy = Strategy::from_name(&strategy).map_err(Raised::from)?;
        let position = u32::try_from(position).map_err(|_| outside())?;
        let explain =
            |Request { prompt, context, .. }: Request<'_>| self.whole.explain(position, prompt, strategy, context);
        let parts = request.answer(py, explain)?.ok_or_else(outside)?;
        Ok(parts.into_iter().map(part_of).collect())
    }

    fn recall(&self, py: Python<'_>, request: Asked<'_>, setting: Text) -> PyResult<Vec<RecalledValues>> {
        let setting = GateSetting::from_name(&setting).map_err(Raised::from)?;
        let chosen =
            request.answer(py, |request| self.recalled(request, |recall| recall.choose(request.k, setting)))?;
        Ok(chosen.into_iter().map(recalled_values).collect())
    }

    fn judge(&self, py: Python<'_>, request: Asked<'_>) -> PyResult<(bool, Vec<RecalledValues>)> {
        let (is_courtesy, judged) = request.answer(py, |request| {
            self.recalled(request, |recall| {
                (recall.is_courtesy(), recall.judge(request.k.max(JUDGED), GateSetting::Off).found)
            })
        })?;
        Ok((is_courtesy, judged.into_iter().map(recalled_values).collect()))
    }

    fn trace(&self, py: Python<'_>, position: i64, request: Asked<'_>) -> PyResult<Traced> {
        let position = u32::try_from(position).map_err(|_| outside())?;
        if self.whole.document(position).is_none() {
            return Err(outside());
        }
        Ok(request.answer(py, |request| self.recalled(request, |recall| trace_of(recall, position)))?)
    }

    fn kept_terms(&self, py: Python<'_>, request: Asked<'_>) -> PyResult<String> {
        let kept = |Request { prompt, context, settings, .. }: Request<'_>| {
            self.whole.kept_terms(prompt, context.synonyms, settings)
        };
        Ok(request.answer(py, kept)?)
    }

    fn anchored(&self, path: Text) -> Vec<u32> {
        self.whole.anchored(&path)
    }

    fn anchored_name(&self, name: Text) -> Vec<u32> {
        self.whole.anchored_name(&name)
    }

    fn anchored_below(&self, folder: Text) -> Vec<u32> {
        self.whole.anchored_below(&folder)
    }

    fn forbids(&self) -> Vec<&str> {
        self.whole.forbids()
    }

    fn forbidding(&self, entry: Text) -> Vec<u32> {
        self.whole.forbidding(&entry)
    }

    fn successor(&self, position: i64) -> i64 {
        u32::try_from(position).map_or(position, |position| self.whole.successor(position, |_, _| true).into())
    }

    fn vouched_part(&self, py: Python<'_>, root: PathBuf, review: Text) -> Option<Self> {
        let review = review_of(&review);
        let place = self.place(&root);
        let part = py.detach(|| cuecard_engine::vouched_part(place, &self.whole, review))?;
        Some(Self { stores: self.stores.clone(), ..part.into() })
    }

    fn order_keyword(&self, hits: Vec<(i64, i64)>) -> Vec<(u32, i64)> {
        self.whole.order_keyword(&known_positions(hits))
    }
}

#[pyfunction]
pub(crate) fn inspect_snapshot(py: Python<'_>, root: PathBuf, numbers: Numbers) -> PyResult<Bound<'_, PyAny>> {
    let settings = settings_of(numbers);
    let (found, state, reason) = py.detach(|| cuecard_engine::inspect_snapshot(&root, &settings));
    let Some(whole) = found else { return result(py, "Inspected", (state, reason)) };
    let files = |of_folder: &dyn Fn(&str) -> Vec<(String, Stamp)>| -> PyResult<Vec<_>> {
        let stamps = FOLDERS.into_iter().flat_map(|(folder, _)| of_folder(folder));
        stamps.map(|(path, stamp)| result(py, "FileStamp", (path, stamp.size, stamp.modified))).collect()
    };
    let known = files(&|folder| whole.files(folder))?;
    let unfit = files(&|folder| whole.unfit_files(folder))?;
    let (watermark, deltas) = (whole.watermark(), whole.deltas());
    result(py, "Inspected", (state, reason, Snapshot::from(whole), known, unfit, watermark, deltas))
}

#[pyfunction]
pub(crate) fn describe_file(category: Text, path: Text, data: &[u8], size: u64, modified: i64) -> Option<Described> {
    let document = core::memory::Document::read(&category, &path, Some(data)).ok()?;
    StoredDocument::new(&document, stamp_of(size, modified)).map(describe)
}

fn part_of(part: core::classic::ScorePart) -> ScorePartRow {
    (part.kind, part.token, part.matched, part.points)
}

fn describe(document: StoredDocument) -> Described {
    let Stamp { size, modified } = document.stamp;
    (document.line, document.status.name(), document.updated_at, document.created_at, size, modified)
}

fn stamp_of(size: u64, modified: i64) -> Stamp {
    Stamp { size: u32::try_from(size).unwrap_or(u32::MAX), modified }
}

pub(crate) fn settings_of((k1, weights, bs): Numbers) -> Bm25Settings {
    Bm25Settings { k1, weights: weights.into(), bs: bs.into() }
}

fn recalled_values(found: Recalled) -> RecalledValues {
    (found.position, found.score, found.logit, found.probability)
}

fn trace_of(recall: &Recall<'_, Source>, position: u32) -> Traced {
    let recall = recall.reading_of(position);
    let terms = recall.terms().iter().map(|term| (term.term.clone(), term.weight, term.word.clone())).collect();
    let ranks = recall.ranks(position).map(|ranks| {
        let Ranks { rank, score, fused, lexical, lexical_rank, cosine, semantic_rank } = ranks;
        (rank, score, fused, lexical, lexical_rank, cosine, semantic_rank)
    });
    let parts = recall.explain(position).into_iter().map(part_of).collect();
    let cues = recall.cues().iter().map(|cue| cue.name()).collect();
    (cues, terms, ranks, parts, recall.features(position))
}

fn outside() -> PyErr {
    PyIndexError::new_err("snapshot position out of range")
}
