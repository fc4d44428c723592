//! The extension module `cuecard._native`: the engine for Python, and the parts of the core that Python needs to be
//! fast.
//!
//! It only converts arguments, results and errors. `_native.pyi` documents the functions; `cuecard._pure` implements
//! the same functions in Python.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has converted")]

mod convert;
mod engine;
mod index_file;
mod index_input;
mod index_md;
mod loaded;
mod mapped;
mod models;
mod plain_index;
mod recalled_memory;
mod request;
mod results;
mod settings;
mod snapshot;

use convert::{Raised, Text};
use cuecard_core as core;
use cuecard_core::text::Revision;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use results::result;

#[pyfunction]
fn tokenize(text: Text, revision: Text) -> Result<Vec<String>, Raised> {
    Ok(core::text::tokenize(&text, Revision::from_name(&revision)?))
}

#[pyfunction]
fn parse_index_line(py: Python<'_>, line: Text) -> PyResult<Option<Bound<'_, PyAny>>> {
    let Ok(parts) = core::memory::parse_index_line(&line) else { return Ok(None) };
    let tags: Vec<_> = parts.tags.into_iter().map(std::borrow::Cow::into_owned).collect();
    result(py, "IndexLine", (parts.category, parts.title, parts.path, tags)).map(Some)
}

#[pyfunction]
#[pyo3(signature = (text, *, learned = false))]
fn instruction_signs(text: Text, learned: bool) -> Vec<&'static str> {
    if learned { core::memory::withholding_signs(&text) } else { core::memory::instruction_signs(&text) }
}

#[pyfunction]
fn trust_hash(data: &[u8]) -> Option<String> {
    core::memory::trust_hash(data)
}

#[pyfunction]
fn nearest_rows(py: Python<'_>, rows: PyBackedBytes, dimension: usize, query: &[u8], k: usize) -> Vec<(u32, i64)> {
    py.detach(|| core::retrieve::nearest_rows(&rows, dimension, query, k))
}

#[pyfunction]
fn document_row(title: Text, tags: Text, body: Text) -> (Vec<i8>, u32) {
    let (row, norm) = core::index::vectors::RowMaker::default().document_row(&title, &tags, &body);
    (row.map(|value| i8::from_ne_bytes([value])).to_vec(), norm)
}

/// The native backend; `_native.pyi` documents every name.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::engine::{answer_prompt, run_hook};
    #[pymodule_export]
    use super::index_md::IndexMd;
    #[pymodule_export]
    use super::loaded::{Loaded, load_snapshot};
    #[pymodule_export]
    use super::plain_index::Index;
    #[pymodule_export]
    use super::recalled_memory::{RecalledMemory, judge_memories, pack_memories, recall_memories, verify_memory};
    #[pymodule_export]
    use super::settings::{Settings, read_settings};
    #[pymodule_export]
    use super::snapshot::{Snapshot, inspect_snapshot};
    #[pymodule_export]
    use super::{document_row, instruction_signs, nearest_rows, parse_index_line, tokenize, trust_hash};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = cuecard_core::VERSION;
}
