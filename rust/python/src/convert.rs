//! Converts values between Python and the core: text with lone surrogates, JSON and errors.

use cuecard_core::Error;
use cuecard_core::index::layout;
use cuecard_core::text::json_reader::Json;
use pyo3::PyErr;
use pyo3::exceptions::PyTypeError;
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use std::path::Path;

import_exception!(cuecard.errors, PayloadError);
import_exception!(cuecard.errors, SegmentError);
import_exception!(cuecard.errors, StoreError);
import_exception!(cuecard.errors, UsageError);
import_exception!(cuecard.errors, WriteError);

/// A text from Python, with U+FFFD in place of each lone surrogate (SPEC 1).
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = object
            .cast::<PyString>()
            .map_err(|_| PyTypeError::new_err(format!("expected str, not {}", type_name(&object))))?;
        if let Ok(text) = text.to_str() {
            return Ok(Self(text.to_owned()));
        }
        let encoded = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
        let points = encoded.cast::<PyBytes>()?.as_bytes().chunks_exact(4);
        let char_of = |point: &[u8]| {
            let point = point.try_into().map_or(0xfffd, u32::from_le_bytes);
            char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        Ok(Self(points.map(char_of).collect()))
    }
}

pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().name();
    name.map_or_else(|_| "object".into(), |name| name.to_string_lossy().into_owned())
}

/// Converts a JSON value to a Python value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Json) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Json::Null => py.None().into_bound(py),
        Json::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Json::Integer(value) => value.into_pyobject(py)?.into_any(),
        Json::Float(value) => value.into_pyobject(py)?.into_any(),
        Json::Text(value) => value.into_pyobject(py)?.into_any(),
        Json::List(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Json::Object(members) => {
            let object = PyDict::new(py);
            for (name, member) in members {
                object.set_item(name, to_python(py, member)?)?;
            }
            object.into_any()
        }
    })
}

/// Converts pairs of Python texts to Rust strings.
pub(crate) fn pairs(descriptions: Vec<(Text, Text)>) -> Vec<(String, String)> {
    descriptions.into_iter().map(|(key, text)| (key.into_string(), text.into_string())).collect()
}

/// Converts Python texts to Rust strings.
pub(crate) fn strings(texts: Vec<Text>) -> Vec<String> {
    texts.into_iter().map(Text::into_string).collect()
}

/// An error of the core that becomes a Python exception.
pub(crate) struct Raised(Error);

impl From<Error> for Raised {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Raised> for PyErr {
    fn from(Raised(error): Raised) -> Self {
        let arguments = (error.to_string(), error.hint());
        match error {
            Error::Payload(_) => PayloadError::new_err(arguments),
            _ => UsageError::new_err(arguments),
        }
    }
}

/// Returns the exception for bytes that are not a segment.
pub(crate) fn segment_error(error: layout::SegmentError) -> PyErr {
    SegmentError::new_err((error.to_string(), error.hint()))
}

/// Returns the exception for a file that exists and cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> PyErr {
    StoreError::new_err((format!("`{}` cannot be read: {}", path.display(), reason(error)), "check its permissions"))
}

/// Returns the system's message about an error with a file.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let words = error.to_string();
    words.split(" (os error").next().unwrap_or_default().to_owned()
}
