//! Makes the results that have several fields, in the classes that Python defines for both backends.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// Returns an object of a class that `_backend` offers, with its fields in their order.
pub(crate) fn result<'py>(py: Python<'py>, class: &str, fields: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("cuecard._backend")?.getattr(class)?.call1(fields)
}
