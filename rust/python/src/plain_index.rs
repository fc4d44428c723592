//! The plain index: it takes documents and returns numbers and scores, without a store (SPEC 21.6).

use crate::convert::{Raised, StoreError, Text, UsageError, segment_error, unreadable};
use crate::index_file::{absolute_path, delta_path, remove_file, write_whole};
use crate::index_input::{read_documents, read_queries, read_query};
use crate::mapped::{Source, map};
use crate::results::result;
use cuecard_core::index::layout::Analyzer;
use cuecard_core::index::segment::Segment;
use cuecard_core::index::threads::map_shares;
use cuecard_core::retrieve::plain_index::{PlainIndex, PlainQuery};
use cuecard_core::retrieve::top_k::{Scored, Scratch};
use cuecard_core::settings::Bm25Settings;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type State = Arc<PlainIndex<Source>>;

/// A search of more postings than this releases the interpreter's lock. A shorter search takes less time than the
/// release.
const DETACHED_FROM: u64 = 4_096;

/// A set of documents that can be searched.
#[pyclass(frozen, module = "cuecard")]
pub(crate) struct Index {
    state: Mutex<State>,
    /// The path at which the index was opened or saved, and the checksum of the base file there. This mutex is locked
    /// while the state changes.
    place: Mutex<Option<(PathBuf, u32)>>,
}

/// Working memory for searches, shared by all indexes: one for each search that ran at the same time.
static SCRATCHES: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

#[pymethods]
impl Index {
    #[staticmethod]
    #[pyo3(
        signature = (documents, *, analyzer = Text::from("terms"), k1 = 1.2, b = 0.75, threads = 0),
        text_signature = "(documents, *, analyzer='terms', k1=1.2, b=0.75, threads=0)"
    )]
    fn build(
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        analyzer: Text,
        k1: f64,
        b: f64,
        threads: i64,
    ) -> PyResult<Self> {
        let analyzer = Analyzer::from_name(&analyzer).map_err(Raised::from)?;
        check_number("k1", k1, 10)?;
        check_number("b", b, 1)?;
        let threads = threads_of(threads)?;
        let builders = read_documents(documents, analyzer, threads)?;
        let settings = Bm25Settings::plain(k1, b);
        let index = py.detach(|| PlainIndex::build(analyzer, settings, &builders, threads)).map_err(segment_error)?;
        Ok(Self::of(index, None))
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        let path = absolute_path(&path);
        let read = |path: &Path| -> PyResult<Option<Segment<Source>>> {
            let source = map(path).map_err(|error| unreadable(path, &error))?;
            source.map(Segment::open).transpose().map_err(segment_error)
        };
        let base = read(&path)?.ok_or_else(|| {
            StoreError::new_err((format!("there is no index at `{}`", path.display()), "save an index there first"))
        })?;
        let checksum = base.checksum();
        let index = PlainIndex::new(base, read(&delta_path(&path))?).map_err(segment_error)?;
        Ok(Self::of(index, Some((path, checksum))))
    }

    #[pyo3(signature = (path = None, *, fsync = true))]
    fn save(&self, py: Python<'_>, path: Option<PathBuf>, fsync: bool) -> PyResult<()> {
        py.detach(|| {
            let mut place = lock(&self.place);
            let path = match (path, &*place) {
                (Some(path), _) => absolute_path(&path),
                (None, Some((path, _))) => path.clone(),
                (None, None) => return Err(UsageError::new_err(("the index has no path yet", "give a path"))),
            };
            let index = self.settle(&place)?;
            let saved = (path, index.base().checksum());
            if place.as_ref() != Some(&saved) {
                write_whole(&saved.0, index.base().bytes(), fsync)?;
                *place = Some(saved.clone());
            }
            match index.delta() {
                Some(delta) => write_whole(&delta_path(&saved.0), delta.bytes(), fsync),
                None => remove_file(&delta_path(&saved.0)),
            }
        })
    }

    fn add(&self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some((builder, _)) = read_documents(documents, self.state().analyzer(), 1)?.pop() else { return Ok(()) };
        py.detach(|| {
            let _place = lock(&self.place);
            let index = self.state().add(builder).map_err(segment_error)?;
            *lock(&self.state) = Arc::new(index);
            Ok(())
        })
    }

    #[pyo3(signature = (query, k = 10))]
    fn search(&self, py: Python<'_>, query: &Bound<'_, PyAny>, k: i64) -> PyResult<Vec<Scored>> {
        let query = read_query(query, self.state().analyzer())?;
        let k = count_of("k", k)?;
        let index = self.settled(py)?;
        let prepared = index.prepare(&query);
        let search = || with_scratch(|scratch| index.search(&prepared, k, scratch));
        Ok(if prepared.postings() < DETACHED_FROM { search() } else { py.detach(search) })
    }

    #[pyo3(signature = (queries, k = 10, *, threads = 1))]
    fn search_many(
        &self,
        py: Python<'_>,
        queries: &Bound<'_, PyAny>,
        k: i64,
        threads: i64,
    ) -> PyResult<Vec<Vec<Scored>>> {
        let queries = read_queries(queries, self.state().analyzer())?;
        let (k, threads) = (count_of("k", k)?, threads_of(threads)?);
        let index = self.settled(py)?;
        Ok(py.detach(|| search_all(&index, &queries, k, threads)))
    }

    fn scores(&self, py: Python<'_>, query: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let query = read_query(query, self.state().analyzer())?;
        let index = self.settled(py)?;
        Ok(py.detach(|| index.scores(&index.prepare(&query))))
    }

    fn explain<'py>(&self, query: &Bound<'py, PyAny>, number: i64) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = query.py();
        let query = read_query(query, self.state().analyzer())?;
        let index = self.settled(py)?;
        let number = u32::try_from(number).ok();
        let parts = number.and_then(|number| index.explain(&index.prepare(&query), number));
        let parts = parts.ok_or_else(|| PyIndexError::new_err("document number out of range"))?;
        let made = |(term, weight, impact): (&[u8], u32, u8)| {
            result(py, "TermShare", (String::from_utf8_lossy(term).into_owned(), weight, impact))
        };
        parts.into_iter().map(made).collect()
    }

    fn __len__(&self) -> usize {
        self.state().documents() as usize
    }

    fn __repr__(&self) -> String {
        format!("<cuecard.Index of {} documents>", self.state().documents())
    }

    #[getter]
    fn analyzer(&self) -> &'static str {
        self.state().analyzer().name()
    }
}

impl Index {
    fn of(index: PlainIndex<Source>, place: Option<(PathBuf, u32)>) -> Self {
        Self { state: Mutex::new(Arc::new(index)), place: Mutex::new(place) }
    }

    fn state(&self) -> State {
        Arc::clone(&lock(&self.state))
    }

    /// Returns the state in which all documents are in segments.
    fn settled(&self, py: Python<'_>) -> PyResult<State> {
        let state = self.state();
        if !state.is_unsettled() {
            return Ok(state);
        }
        py.detach(|| self.settle(&lock(&self.place)))
    }

    /// Returns the same as `settled`. The caller must have locked `place`.
    fn settle(&self, _place: &MutexGuard<'_, Option<(PathBuf, u32)>>) -> PyResult<State> {
        let state = self.state();
        if !state.is_unsettled() {
            return Ok(state);
        }
        let settled = Arc::new(state.with_delta().map_err(segment_error)?);
        *lock(&self.state) = Arc::clone(&settled);
        Ok(settled)
    }
}

fn search_all(index: &PlainIndex<Source>, queries: &[PlainQuery], k: usize, threads: usize) -> Vec<Vec<Scored>> {
    let search = |queries: &[PlainQuery]| -> Vec<Vec<Scored>> {
        with_scratch(|scratch| queries.iter().map(|query| index.search(&index.prepare(query), k, scratch)).collect())
    };
    map_shares(queries, threads, search).into_iter().flatten().collect()
}

fn with_scratch<T>(search: impl FnOnce(&mut Scratch) -> T) -> T {
    let mut scratch = lock(&SCRATCHES).pop().unwrap_or_default();
    let found = search(&mut scratch);
    lock(&SCRATCHES).push(scratch);
    found
}

/// Locks a mutex, even if a panic has poisoned it: a panic cannot leave these values incomplete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count_of(name: &str, count: i64) -> PyResult<usize> {
    if count < 0 {
        return Err(UsageError::new_err((format!("`{name}` is below 0"), "use 0 or more")));
    }
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Returns how many threads to use; the argument 0 means as many as there are processors.
fn threads_of(threads: i64) -> PyResult<usize> {
    match count_of("threads", threads)? {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        threads => Ok(threads.min(MAX_THREADS)),
    }
}

/// More threads cost more than they save.
const MAX_THREADS: usize = 64;

fn check_number(name: &str, number: f64, most: u8) -> PyResult<()> {
    if number >= 0.0 && number <= f64::from(most) {
        return Ok(());
    }
    Err(UsageError::new_err((format!("`{name}` is out of bounds"), format!("use a number from 0 to {most}"))))
}
