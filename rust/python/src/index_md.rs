//! The Python class `IndexMd`.

use crate::convert::{Raised, Text, pairs};
use crate::results::{result, score_parts};
use cuecard_core as core;
use cuecard_core::classic::{Query, Scored};
use cuecard_core::memory::Entry;
use cuecard_core::text::Revision;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// The memories in an `index.md`, in the order of their lines.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct IndexMd(core::classic::IndexMd<PyBackedBytes>);

#[pymethods]
impl IndexMd {
    #[new]
    fn new(py: Python<'_>, data: Bound<'_, PyBytes>) -> Self {
        let data = PyBackedBytes::from(data);
        Self(py.detach(|| core::classic::IndexMd::parse(data)))
    }

    #[getter]
    fn bad_lines(&self) -> Vec<(usize, &'static str)> {
        self.0.bad_lines().iter().map(|(line, reason)| (*line, reason.name())).collect()
    }

    #[getter]
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let made = |entry: Entry<'_>| {
            result(py, "IndexEntry", (entry.category, entry.title, entry.path, entry.tags, entry.line))
        };
        (0..self.0.len()).filter_map(|position| self.0.entry(position)).map(made).collect()
    }

    fn shortlist(
        &self,
        prompt: Text,
        revision: Text,
        descriptions: Vec<(Text, Text)>,
    ) -> Result<Vec<(usize, i64)>, Raised> {
        let query = Query::new(&prompt, Revision::from_name(&revision)?, &pairs(descriptions));
        Ok(self.0.shortlist(query).into_iter().map(|hit| (hit.position, hit.score)).collect())
    }

    fn rank(&self, shortlist: Vec<(isize, i64)>, verdicts: Vec<Option<i64>>) -> PyResult<Vec<(usize, i64)>> {
        let inside = |position| usize::try_from(position).ok().filter(|position| *position < self.0.len());
        let scored = |(position, score)| Some(Scored { position: inside(position)?, score });
        let shortlist: Vec<_> = shortlist.into_iter().map(scored).collect::<Option<_>>().ok_or_else(outside)?;
        Ok(self.0.rank(&shortlist, &verdicts).into_iter().map(|hit| (hit.position, hit.score)).collect())
    }

    fn explain<'py>(
        &self,
        py: Python<'py>,
        position: isize,
        prompt: Text,
        revision: Text,
        descriptions: Vec<(Text, Text)>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let revision = Revision::from_name(&revision).map_err(Raised::from)?;
        let query = Query::new(&prompt, revision, &pairs(descriptions));
        let position = usize::try_from(position).map_err(|_| outside())?;
        score_parts(py, self.0.explain(position, &query).ok_or_else(outside)?)
    }
}

fn outside() -> PyErr {
    PyIndexError::new_err("index position out of range")
}
