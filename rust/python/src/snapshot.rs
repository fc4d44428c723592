//! The opaque handle of a store's snapshot.

use crate::convert::{Raised, StoreError, Text, pairs, segment_error, unreadable};
#[cfg(unix)]
use crate::mapped::map_handle;
use crate::mapped::{Source, map};
use crate::settings::Settings;
use cuecard_core as core;
use cuecard_core::index::snapshot_writer::{Extent, build_snapshot as build_whole, snapshot_of};
use cuecard_core::index::{Filters, MemoryFile};
use cuecard_core::memory::{Stamp, Status, StoredDocument};
use cuecard_core::rank::recall::{JUDGED, Ranks};
use cuecard_core::rank::{Context, Recall, Recalled, Request, Situation};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{Bm25Settings, GateSetting, Strategy};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type File = (Text, Text, Option<Vec<u8>>, u64, i64);
pub(crate) type Triple = (f64, f64, f64);
pub(crate) type Numbers = (f64, Triple, Triple);
/// Position, score, logit, probability.
type RecalledValues = (u32, i64, i64, i64);
type FilterValues = (Vec<Text>, Vec<Text>, Vec<Text>, Option<i64>, Option<i64>, Text);
type SituationValues = (Vec<Text>, Vec<Text>, Vec<Text>);
type Described = (String, &'static str, Option<i64>, Option<i64>, u32, i64);
type ScorePartRow = (&'static str, String, String, i64);
// Rank, score, score without priors; lexical score, its rank; cosine, its rank.
type RanksOf = (usize, i64, i64, i64, Option<usize>, i64, usize);
// Cues, terms with weights and words; ranks, parts and features of a document.
type Traced =
    (Vec<&'static str>, Vec<(String, u32, String)>, Option<RanksOf>, Vec<ScorePartRow>, Vec<(&'static str, i64, i64)>);
type Skipped = Vec<(String, &'static str)>;
type Updated<'py> = (Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>, Skipped);

/// Memory files on their way into a snapshot.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct Documents(Mutex<core::index::Documents>);

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (files = None))]
    fn new(files: Option<Vec<File>>) -> Self {
        let mut documents = core::index::Documents::default();
        files.unwrap_or_default().into_iter().for_each(|file| documents.add(&file_of(file)));
        Self(Mutex::new(documents))
    }

    fn __len__(&self) -> usize {
        self.lock().files()
    }

    fn add(&self, category: Text, path: Text, data: Option<Vec<u8>>, size: u64, modified: i64) {
        self.lock().add(&file_of((category, path, data, size, modified)));
    }
}

impl Documents {
    fn lock(&self) -> MutexGuard<'_, core::index::Documents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory files as callers pass them: all at once, or read before.
#[derive(FromPyObject)]
pub(crate) enum Changed<'py> {
    Read(PyRef<'py, Documents>),
    Files(Vec<File>),
}

/// The memories of a store as they were when the snapshot was made.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct Snapshot {
    whole: core::index::Snapshot<Source>,
    base: Source,
    /// What searches work with; one that finds it in use makes its own.
    scratch: Mutex<Scratch>,
}

impl Snapshot {
    fn of(base: Source, delta: Option<Source>) -> PyResult<Self> {
        let snapshot = core::index::Snapshot::open(base.clone(), delta).map_err(segment_error)?;
        Ok(Self { whole: snapshot, base, scratch: Mutex::default() })
    }

    fn with_scratch<T>(&self, search: impl FnOnce(&mut Scratch) -> T) -> T {
        match self.scratch.try_lock() {
            Ok(mut scratch) => search(&mut scratch),
            Err(_) => search(&mut Scratch::default()),
        }
    }
}

#[pymethods]
impl Snapshot {
    #[new]
    #[pyo3(signature = (base, delta = None))]
    fn new(base: Bound<'_, PyBytes>, delta: Option<Bound<'_, PyBytes>>) -> PyResult<Self> {
        let lent = |data| Source::Lent(Arc::new(PyBackedBytes::from(data)));
        Self::of(lent(base), delta.map(lent))
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        let read = |path: &Path| map(path).map_err(|error| unreadable(path, &error));
        let base = read(&path)?.ok_or_else(|| missing(&path))?;
        let mut delta = path.into_os_string();
        delta.push(".delta");
        Self::of(base, read(Path::new(&delta)).ok().flatten())
    }

    /// Of the descriptors of open files, which stay the caller's.
    #[cfg(unix)]
    #[staticmethod]
    #[pyo3(signature = (base, delta = None))]
    fn of_files(base: i32, delta: Option<i32>) -> PyResult<Self> {
        let read = |handle| map_handle(handle).map_err(|error| unreadable(Path::new("snapshot"), &error));
        Self::of(read(base)?, delta.map(read).transpose()?)
    }

    fn with_delta(&self, delta: Vec<u8>) -> PyResult<Self> {
        Self::of(self.base.clone(), Some(Source::Owned(Arc::new(delta))))
    }

    fn __len__(&self) -> usize {
        self.whole.len()
    }

    fn watermark(&self) -> Vec<i64> {
        self.whole.watermark()
    }

    fn has_settings(&self, numbers: Numbers) -> bool {
        self.whole.has_settings(&settings_of(numbers))
    }

    fn deltas(&self) -> usize {
        self.whole.deltas()
    }

    fn delta_bytes(&self) -> usize {
        self.whole.delta_bytes()
    }

    fn is_partial(&self) -> bool {
        self.whole.is_partial()
    }

    fn count_files(&self, folder: Text) -> usize {
        self.whole.count_files(&folder)
    }

    fn unfit_files(&self, folder: Text) -> Vec<(String, u32, i64)> {
        let files = self.whole.unfit_files(&folder);
        files.into_iter().map(|(path, stamp)| (path, stamp.size, stamp.modified)).collect()
    }

    fn document(&self, position: i64) -> Option<Described> {
        self.whole.document(u32::try_from(position).ok()?).map(describe)
    }

    fn without_path(&self, position: i64, paths: Vec<Text>, logit: i64) -> (i64, i64) {
        let paths: Vec<String> = paths.into_iter().map(Text::into_string).collect();
        self.whole.without_path(u32::try_from(position).unwrap_or(u32::MAX), &paths, logit)
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

    #[pyo3(signature = (prompt, strategy, k, descriptions, synonyms, filters = None))]
    #[allow(clippy::too_many_arguments, reason = "the twin's signature")]
    fn search(
        &self,
        py: Python<'_>,
        prompt: Text,
        strategy: Text,
        k: usize,
        descriptions: Vec<(Text, Text)>,
        synonyms: Vec<Vec<Text>>,
        filters: Option<FilterValues>,
    ) -> PyResult<Vec<(u32, i64)>> {
        let strategy = Strategy::from_name(&strategy).map_err(Raised::from)?;
        let (descriptions, synonyms) = (pairs(descriptions), groups(synonyms));
        let filters = filters.map(filters_of).transpose()?.unwrap_or_default();
        let context = Context { descriptions: &descriptions, synonyms: &synonyms };
        let settings = core::settings::Settings::default();
        let request = Request::of_prompt(&prompt, context, &settings, &filters, k);
        let search = |scratch: &mut Scratch| self.whole.search(request, strategy, scratch);
        Ok(py.detach(|| self.with_scratch(search)))
    }

    fn explain(
        &self,
        position: i64,
        prompt: Text,
        strategy: Text,
        descriptions: Vec<(Text, Text)>,
        synonyms: Vec<Vec<Text>>,
    ) -> PyResult<Vec<ScorePartRow>> {
        let strategy = Strategy::from_name(&strategy).map_err(Raised::from)?;
        let (descriptions, synonyms) = (pairs(descriptions), groups(synonyms));
        let context = Context { descriptions: &descriptions, synonyms: &synonyms };
        let position = u32::try_from(position).map_err(|_| outside())?;
        let parts = self.whole.explain(position, &prompt, strategy, context).ok_or_else(outside)?;
        Ok(parts.into_iter().map(part_of).collect())
    }

    #[pyo3(signature = (prompt, history, k, descriptions, synonyms, settings, setting, now, filters = None, situation = None, embedded = None))]
    #[allow(clippy::too_many_arguments, reason = "the twin's signature")]
    fn recall(
        &self,
        py: Python<'_>,
        prompt: Text,
        history: Vec<Text>,
        k: usize,
        descriptions: Vec<(Text, Text)>,
        synonyms: Vec<Vec<Text>>,
        settings: &Settings,
        setting: Text,
        now: i64,
        filters: Option<FilterValues>,
        situation: Option<SituationValues>,
        embedded: Option<Vec<(i64, i64)>>,
    ) -> PyResult<Vec<RecalledValues>> {
        let setting = GateSetting::from_name(&setting).map_err(Raised::from)?;
        let (descriptions, synonyms) = (pairs(descriptions), groups(synonyms));
        let filters = filters.map(filters_of).transpose()?.unwrap_or_default();
        let context = Context { descriptions: &descriptions, synonyms: &synonyms };
        let history: Vec<_> = history.into_iter().map(Text::into_string).collect();
        let situation = situation.map(situation_of);
        let situation = situation.as_ref();
        let embedded = embedded.map(known_positions).unwrap_or_default();
        let (settings, embedded) = (&settings.0, &embedded[..]);
        let request = Request {
            prompt: &prompt,
            history: &history,
            context,
            settings,
            now,
            situation,
            embedded,
            filters: &filters,
            k,
        };
        let chosen =
            py.detach(|| self.with_scratch(|scratch| Recall::new(&self.whole, request, scratch).choose(k, setting)));
        Ok(chosen.into_iter().map(recalled_values).collect())
    }

    #[pyo3(signature = (prompt, history, k, descriptions, synonyms, settings, now, filters = None, situation = None, embedded = None))]
    #[allow(clippy::too_many_arguments, reason = "the twin's signature")]
    fn judge(
        &self,
        py: Python<'_>,
        prompt: Text,
        history: Vec<Text>,
        k: usize,
        descriptions: Vec<(Text, Text)>,
        synonyms: Vec<Vec<Text>>,
        settings: &Settings,
        now: i64,
        filters: Option<FilterValues>,
        situation: Option<SituationValues>,
        embedded: Option<Vec<(i64, i64)>>,
    ) -> PyResult<(bool, Vec<RecalledValues>)> {
        let (descriptions, synonyms) = (pairs(descriptions), groups(synonyms));
        let filters = filters.map(filters_of).transpose()?.unwrap_or_default();
        let context = Context { descriptions: &descriptions, synonyms: &synonyms };
        let history: Vec<_> = history.into_iter().map(Text::into_string).collect();
        let situation = situation.map(situation_of);
        let situation = situation.as_ref();
        let embedded = embedded.map(known_positions).unwrap_or_default();
        let (settings, embedded) = (&settings.0, &embedded[..]);
        let request = Request {
            prompt: &prompt,
            history: &history,
            context,
            settings,
            now,
            situation,
            embedded,
            filters: &filters,
            k,
        };
        let (is_courtesy, judged) = py.detach(|| {
            self.with_scratch(|scratch| {
                let recall = Recall::new(&self.whole, request, scratch);
                (recall.is_courtesy(), recall.judge(k.max(JUDGED)))
            })
        });
        Ok((is_courtesy, judged.into_iter().map(recalled_values).collect()))
    }

    #[pyo3(signature = (position, prompt, history, k, descriptions, synonyms, settings, now, filters = None, situation = None, embedded = None))]
    #[allow(clippy::too_many_arguments, reason = "the twin's signature")]
    fn trace(
        &self,
        position: i64,
        prompt: Text,
        history: Vec<Text>,
        k: usize,
        descriptions: Vec<(Text, Text)>,
        synonyms: Vec<Vec<Text>>,
        settings: &Settings,
        now: i64,
        filters: Option<FilterValues>,
        situation: Option<SituationValues>,
        embedded: Option<Vec<(i64, i64)>>,
    ) -> PyResult<Traced> {
        let position = u32::try_from(position).map_err(|_| outside())?;
        if self.whole.document(position).is_none() {
            return Err(outside());
        }
        let (descriptions, synonyms) = (pairs(descriptions), groups(synonyms));
        let context = Context { descriptions: &descriptions, synonyms: &synonyms };
        let history: Vec<_> = history.into_iter().map(Text::into_string).collect();
        let situation = situation.map(situation_of);
        let situation = situation.as_ref();
        let embedded = embedded.map(known_positions).unwrap_or_default();
        let (settings, embedded) = (&settings.0, &embedded[..]);
        let filters = filters.map(filters_of).transpose()?.unwrap_or_default();
        let request = Request {
            prompt: &prompt,
            history: &history,
            context,
            settings,
            now,
            situation,
            embedded,
            filters: &filters,
            k,
        };
        let recall = Recall::new(&self.whole, request, &mut Scratch::default());
        let terms = recall.terms().iter().map(|term| (term.term.clone(), term.weight, term.word.clone())).collect();
        let ranks = recall.ranks(position).map(|ranks| {
            let Ranks { rank, score, fused, lexical, lexical_rank, cosine, semantic_rank } = ranks;
            (rank, score, fused, lexical, lexical_rank, cosine, semantic_rank)
        });
        let parts = recall.explain(position).into_iter().map(part_of).collect();
        let cues = recall.cues().iter().map(|cue| cue.name()).collect();
        Ok((cues, terms, ranks, parts, recall.features(position)))
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

    fn successor(&self, position: i64) -> i64 {
        u32::try_from(position).map_or(position, |position| self.whole.successor(position).into())
    }

    fn order_keyword(&self, hits: Vec<(i64, i64)>) -> Vec<(u32, i64)> {
        self.whole.order_keyword(&known_positions(hits))
    }

    #[pyo3(signature = (changed, removed, watermark, is_whole, merge_limit = None))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        changed: Changed<'_>,
        removed: Vec<Text>,
        watermark: [i64; 6],
        is_whole: bool,
        merge_limit: Option<usize>,
    ) -> PyResult<Option<Updated<'py>>> {
        let removed: Vec<_> = removed.into_iter().map(Text::into_string).collect();
        let extent = match merge_limit {
            _ if is_whole => Extent::Whole,
            None => Extent::OneDelta,
            Some(limit) => Extent::Merging(limit),
        };
        let update = |changed: &core::index::Documents| self.whole.update(changed, &removed, &watermark, extent);
        let updated = match changed {
            Changed::Read(documents) => update(&documents.lock()),
            Changed::Files(files) => {
                let files: Vec<_> = files.into_iter().map(file_of).collect();
                py.detach(|| update(&core::index::Documents::read(&files, 1)))
            }
        };
        let updated = updated.map_err(segment_error)?;
        Ok(updated.map(|updated| {
            let delta = PyBytes::new(py, &updated.delta.unwrap_or_default());
            (updated.base.map(|base| PyBytes::new(py, &base)), delta, updated.skipped)
        }))
    }
}

#[pyfunction]
#[pyo3(signature = (files, watermark, numbers, threads = 1))]
pub(crate) fn build_snapshot<'py>(
    py: Python<'py>,
    files: Changed<'_>,
    watermark: [i64; 6],
    numbers: Numbers,
    threads: usize,
) -> (Bound<'py, PyBytes>, Skipped) {
    let settings = settings_of(numbers);
    let (data, skipped) = match files {
        Changed::Read(documents) => {
            let documents = documents.lock();
            (snapshot_of(&documents, &watermark, &settings, threads), documents.skipped().clone())
        }
        Changed::Files(files) => {
            let files: Vec<_> = files.into_iter().map(file_of).collect();
            py.detach(|| build_whole(&files, &watermark, &settings, threads))
        }
    };
    (PyBytes::new(py, &data), skipped)
}

#[pyfunction]
pub(crate) fn index_text(lines: Vec<Text>) -> String {
    core::classic::index_text(&lines.iter().map(|line| &**line).collect::<Vec<_>>())
}

#[pyfunction]
pub(crate) fn describe_file(category: Text, path: Text, data: &[u8], size: u64, modified: i64) -> Option<Described> {
    let document = core::memory::Document::read(&category, &path, Some(data)).ok()?;
    StoredDocument::new(&document, stamp_of(size, modified)).map(describe)
}

#[pyfunction]
pub(crate) fn recency_points(updated_at: Option<i64>, now: i64) -> i64 {
    core::classic::recency_points(updated_at, now)
}

fn part_of(part: core::classic::ScorePart) -> ScorePartRow {
    (part.kind, part.token, part.matched, part.points)
}

fn describe(document: StoredDocument) -> Described {
    let Stamp { size, modified } = document.stamp;
    (document.line, document.status.name(), document.updated_at, document.created_at, size, modified)
}

/// Pairs whose positions can be some.
fn known_positions(pairs: Vec<(i64, i64)>) -> Vec<(u32, i64)> {
    pairs.into_iter().filter_map(|(position, value)| Some((u32::try_from(position).ok()?, value))).collect()
}

fn stamp_of(size: u64, modified: i64) -> Stamp {
    Stamp { size: u32::try_from(size).unwrap_or(u32::MAX), modified }
}

fn file_of((category, path, data, size, modified): File) -> MemoryFile {
    let stamp = stamp_of(size, modified);
    MemoryFile { category: category.into_string(), path: path.into_string(), data, stamp }
}

fn settings_of((k1, weights, bs): Numbers) -> Bm25Settings {
    Bm25Settings { k1, weights: weights.into(), bs: bs.into() }
}

fn groups(synonyms: Vec<Vec<Text>>) -> Vec<Vec<String>> {
    synonyms.into_iter().map(|group| group.into_iter().map(Text::into_string).collect()).collect()
}

fn filters_of((categories, tags, statuses, since, until, path): FilterValues) -> Result<Filters, Raised> {
    let strings = |texts: Vec<Text>| texts.into_iter().map(Text::into_string).collect::<Vec<_>>();
    let statuses = statuses.iter().map(|name| Status::from_name(name)).collect::<Result<_, _>>()?;
    let (categories, tags) = (strings(categories), strings(tags));
    Ok(Filters { categories, tags, statuses, since, until, path: path.into_string() })
}

fn recalled_values(found: Recalled) -> RecalledValues {
    (found.position, found.score, found.logit, found.probability)
}

fn situation_of((paths, changed, focus): SituationValues) -> Situation {
    let strings = |texts: Vec<Text>| texts.into_iter().map(Text::into_string).collect();
    Situation { paths: strings(paths), changed: strings(changed), focus: strings(focus) }
}

fn missing(path: &Path) -> PyErr {
    StoreError::new_err((format!("there is no snapshot at `{}`", path.display()), "`cuecard index rebuild` makes one"))
}

fn outside() -> PyErr {
    PyIndexError::new_err("snapshot position out of range")
}
