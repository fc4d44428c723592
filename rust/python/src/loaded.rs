//! The snapshot of a store, brought up to date by the engine.

use crate::convert::{Text, reason, strings};
use crate::snapshot::{Numbers, Snapshot, settings_of};
use cuecard_engine::{Changes, Limits, NewFile, follow_changes, write_snapshot};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The fields of a `cuecard._pure.requests.budget.Budget` that do not depend on the speed of the machine.
#[derive(FromPyObject)]
pub(crate) struct Budget {
    files: usize,
    weight: u64,
    merge: Option<usize>,
    list: usize,
    deltas: usize,
}

/// The times of the folders before and after a writer's changes, and the paths of the changed files.
type ChangeValues = (Option<[i64; 6]>, [i64; 6], Vec<Text>);

/// A snapshot that is ready for searches, and its files that are not on disk yet.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct Loaded {
    #[pyo3(get)]
    snapshot: Py<Snapshot>,
    #[pyo3(get)]
    index_text: Option<String>,
    #[pyo3(get)]
    index_made: i64,
    #[pyo3(get)]
    notes: Vec<String>,
    #[pyo3(get)]
    skipped: Vec<(String, &'static str)>,
    #[pyo3(get)]
    is_complete: bool,
    #[pyo3(get)]
    completes: bool,
    root: PathBuf,
    new_files: Vec<NewFile>,
}

#[pymethods]
impl Loaded {
    #[getter]
    fn is_on_disk(&self) -> bool {
        self.new_files.is_empty()
    }

    fn write(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| write_snapshot(&self.root, &self.new_files))
            .map_err(|error| PyOSError::new_err((error.raw_os_error(), reason(&error))))
    }
}

#[pyfunction]
#[pyo3(signature = (root, numbers, budget = None, changes = None))]
pub(crate) fn load_snapshot(
    py: Python<'_>,
    root: PathBuf,
    numbers: Numbers,
    budget: Option<Budget>,
    changes: Option<ChangeValues>,
) -> PyResult<Option<Loaded>> {
    let settings = settings_of(numbers);
    let limits = budget.map_or(Limits::PROMPT, |Budget { files, weight, merge, list, deltas }| Limits {
        files,
        weight,
        merge,
        list,
        deltas,
        ..Limits::NONE
    });
    let changes = changes.map(|(before, after, paths)| Changes { before, after, paths: strings(paths) });
    let loaded = py.detach(|| match &changes {
        Some(changes) => follow_changes(&root, &settings, changes),
        None => cuecard_engine::load_snapshot(&root, &settings, &limits),
    });
    let Some(loaded) = loaded else { return Ok(None) };
    let (index_text, index_made) = loaded.new_index.map_or((None, 0), |index| (Some(index.text), index.made));
    Ok(Some(Loaded {
        snapshot: Py::new(py, Snapshot::from(loaded.snapshot))?,
        index_text,
        index_made,
        notes: loaded.notes,
        skipped: loaded.skipped,
        is_complete: loaded.is_complete,
        completes: loaded.completes,
        root,
        new_files: loaded.new_files,
    }))
}
