//! The Python class of a store's snapshot.

use crate::convert::{Raised, Text, segment_error};
use crate::request::{Asked, review_of};
use crate::results::{result, score_parts};
use cuecard_core as core;
use cuecard_core::memory::{FOLDERS, Stamp, StoredDocument};
use cuecard_core::rank::recall::Ranks;
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

    fn document<'py>(&self, py: Python<'py>, position: i64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let position = u32::try_from(position).ok();
        position.and_then(|position| self.whole.document(position)).map(|found| describe(py, found)).transpose()
    }

    #[pyo3(signature = (path, size=None, modified=None))]
    fn find(&self, path: Text, size: Option<i64>, modified: Option<i64>) -> Option<u32> {
        let (Some(size), Some(modified)) = (size, modified) else { return self.whole.find(&path) };
        self.whole.find_unchanged(&path, Stamp { size: u32::try_from(size).ok()?, modified })
    }

    #[getter]
    fn active_lines(&self) -> Vec<String> {
        self.whole.active_lines()
    }

    fn search(&self, py: Python<'_>, request: Asked<'_>, strategy: Text) -> PyResult<Vec<(u32, i64)>> {
        let strategy = Strategy::from_name(&strategy).map_err(Raised::from)?;
        let search = |request: Request<'_>| self.with_scratch(|scratch| self.whole.search(request, strategy, scratch));
        Ok(request.answer(py, search)?)
    }

    fn explain<'py>(
        &self,
        py: Python<'py>,
        position: i64,
        request: Asked<'_>,
        strategy: Text,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let strategy = Strategy::from_name(&strategy).map_err(Raised::from)?;
        let position = u32::try_from(position).map_err(|_| outside())?;
        let explain =
            |Request { prompt, context, .. }: Request<'_>| self.whole.explain(position, prompt, strategy, context);
        score_parts(py, request.answer(py, explain)?.ok_or_else(outside)?)
    }

    fn recall<'py>(&self, py: Python<'py>, request: Asked<'_>, setting: Text) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let setting = GateSetting::from_name(&setting).map_err(Raised::from)?;
        let chosen =
            request.answer(py, |request| self.recalled(request, |recall| recall.choose(request.k, setting)))?;
        let made =
            |found: Recalled| result(py, "Ranked", (found.position, found.score, found.logit, found.probability));
        chosen.into_iter().map(made).collect()
    }

    fn trace<'py>(&self, py: Python<'py>, position: i64, request: Asked<'_>) -> PyResult<Bound<'py, PyAny>> {
        let position = u32::try_from(position).map_err(|_| outside())?;
        if self.whole.document(position).is_none() {
            return Err(outside());
        }
        let traced = request.answer(py, |request| {
            self.recalled(request, |recall| {
                let recall = recall.reading_of(position);
                let of_memory = (recall.ranks(position), recall.explain(position), recall.features(position));
                (recall.cues().to_vec(), recall.terms().to_vec(), of_memory)
            })
        })?;
        let (cues, terms, (ranks, parts, features)) = traced;
        let cues: Vec<_> = cues.iter().map(|cue| cue.name()).collect();
        let terms = terms.into_iter().map(|term| result(py, "Term", (term.term, term.weight, term.word)));
        let ranks = ranks.map(|ranks| {
            let Ranks { rank, score, fused, lexical, lexical_rank, cosine, semantic_rank } = ranks;
            result(py, "Ranks", (rank, score, fused, lexical, lexical_rank, cosine, semantic_rank))
        });
        let features = features.into_iter().map(|feature| result(py, "Feature", feature));
        let (terms, features) = (terms.collect::<PyResult<Vec<_>>>()?, features.collect::<PyResult<Vec<_>>>()?);
        result(py, "Traced", (cues, terms, ranks.transpose()?, score_parts(py, parts)?, features))
    }

    fn is_anchored(&self, path: Text) -> bool {
        let whole = &self.whole;
        [whole.anchored(&path), whole.anchored_name(&path), whole.anchored_below(&path)]
            .iter()
            .any(|each| !each.is_empty())
    }

    fn vouched_part(&self, py: Python<'_>, root: PathBuf, review: Text) -> Option<Self> {
        let review = review_of(&review);
        let place = self.place(&root);
        let part = py.detach(|| cuecard_engine::vouched_part(place, &self.whole, review))?;
        Some(Self { stores: self.stores.clone(), ..part.into() })
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

fn describe(py: Python<'_>, document: StoredDocument) -> PyResult<Bound<'_, PyAny>> {
    let Stamp { size, modified } = document.stamp;
    let dates = (document.updated_at, document.created_at);
    result(py, "StoredMemory", (document.line, document.status.name(), dates.0, dates.1, size, modified))
}

pub(crate) fn settings_of((k1, weights, bs): Numbers) -> Bm25Settings {
    Bm25Settings { k1, weights: weights.into(), bs: bs.into() }
}

fn outside() -> PyErr {
    PyIndexError::new_err("snapshot position out of range")
}
