//! Makes the results that have several fields, in the classes that Python defines for both backends.

use cuecard_core::classic::ScorePart;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// Returns an object of a class that `_backend` offers, with its fields in their order.
pub(crate) fn result<'py>(py: Python<'py>, class: &str, fields: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("cuecard._backend")?.getattr(class)?.call1(fields)
}

/// Returns the parts of a score.
pub(crate) fn score_parts(py: Python<'_>, parts: Vec<ScorePart>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let made = |part: ScorePart| result(py, "ScorePart", (part.kind, part.token, part.matched, part.points));
    parts.into_iter().map(made).collect()
}
