//! Reads the documents and queries that Python passes to a plain index (SPEC 21.6).

use crate::convert::{Text, UsageError, type_name};
use cuecard_core::index::layout::Analyzer;
use cuecard_core::index::segment_builder::Builder;
use cuecard_core::index::threads::map_shares;
use cuecard_core::retrieve::plain_index::{Numbered, PlainQuery};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};
use std::sync::{Mutex, PoisonError};

const FIELDS: [&str; 3] = ["title", "tags", "body"];
const DOCUMENT_HINT: &str = "give a str, a list of str, or a dict with `title`, `tags` or `body`";
const QUERY_HINT: &str = "give a str or a list of str";

/// How many documents are taken from Python before their terms are counted.
const BATCH: usize = 1 << 14;

/// A document as Python passed it.
enum GivenDocument {
    Text(String),
    Terms(Vec<Text>),
    Fields([String; 3]),
}

impl GivenDocument {
    fn push_to(&self, builder: &mut Builder) {
        match self {
            Self::Text(text) => builder.push(["", "", "", text]),
            Self::Terms(terms) => builder.push_terms(terms.iter().map(|term| term.as_bytes())),
            Self::Fields([title, tags, body]) => builder.push([title, tags, "", body]),
        }
    }
}

/// Reads the documents of an iterable, and counts their terms in several threads. The order of the documents stays.
/// Raises `UsageError` for a malformed document.
pub(crate) fn read_documents(
    documents: &Bound<'_, PyAny>,
    analyzer: Analyzer,
    threads: usize,
) -> PyResult<Vec<Numbered>> {
    let mut builders: Vec<Numbered> = (0..threads.max(1)).map(|_| (Builder::new(analyzer), Vec::new())).collect();
    let mut items = items_of(documents, "documents")?.enumerate();
    let mut first = 0;
    loop {
        let batch = items.by_ref().take(BATCH).map(|(position, item)| read_document(&item?, position));
        let batch = batch.collect::<PyResult<Vec<GivenDocument>>>()?;
        let count = u32::try_from(batch.len()).unwrap_or_default();
        if count == 0 {
            break;
        }
        documents.py().detach(|| count_documents(&batch, first, &mut builders));
        first += count;
    }
    builders.retain(|(builder, _)| builder.documents() > 0);
    Ok(builders)
}

fn count_documents(batch: &[GivenDocument], first: u32, builders: &mut [Numbered]) {
    let share = batch.len().div_ceil(builders.len()).max(BATCH / 16);
    let shares = (first..).step_by(share).zip(batch.chunks(share)).zip(builders);
    let shares: Vec<_> = shares.map(Mutex::new).collect();
    map_shares(&shares, shares.len(), |shares| {
        for share in shares {
            let mut share = share.lock().unwrap_or_else(PoisonError::into_inner);
            let ((first, documents), (builder, numbers)) = &mut *share;
            numbers.extend((*first..).take(documents.len()));
            for document in *documents {
                document.push_to(builder);
            }
        }
    });
}

fn read_document(document: &Bound<'_, PyAny>, position: usize) -> PyResult<GivenDocument> {
    if document.is_instance_of::<PyString>() {
        return Ok(GivenDocument::Text(document.extract::<Text>()?.into_string()));
    }
    if let Ok(document) = document.cast::<PyDict>() {
        return read_fields(document, position).map(GivenDocument::Fields);
    }
    if !is_list(document) {
        let what = format!("document {position} is {}, not a text, a list of terms or a dict", type_name(document));
        return Err(UsageError::new_err((what, DOCUMENT_HINT)));
    }
    let read = |term: PyResult<Bound<'_, PyAny>>| {
        let term = term?;
        term.extract::<Text>().map_err(|_| {
            let what = format!("document {position} has {} among its terms", type_name(&term));
            UsageError::new_err((what, DOCUMENT_HINT))
        })
    };
    Ok(GivenDocument::Terms(document.try_iter()?.map(read).collect::<PyResult<_>>()?))
}

fn read_fields(document: &Bound<'_, PyDict>, position: usize) -> PyResult<[String; 3]> {
    let mut fields = [const { String::new() }; 3];
    let mut is_empty = true;
    for (name, field) in FIELDS.into_iter().zip(&mut fields) {
        if let Some(text) = document.get_item(name)? {
            is_empty = false;
            let text = text.extract::<Text>().map_err(|_| {
                let what = format!("`{name}` of document {position} is {}, not a text", type_name(&text));
                UsageError::new_err((what, DOCUMENT_HINT))
            })?;
            *field = text.into_string();
        }
    }
    if is_empty {
        let what = format!("document {position} has no `title`, `tags` or `body`");
        return Err(UsageError::new_err((what, DOCUMENT_HINT)));
    }
    Ok(fields)
}

/// Reads the queries of an iterable. Raises `UsageError` for a malformed query.
pub(crate) fn read_queries(queries: &Bound<'_, PyAny>, analyzer: Analyzer) -> PyResult<Vec<PlainQuery>> {
    items_of(queries, "queries")?.map(|query| read_query(&query?, analyzer)).collect()
}

/// Returns the distinct terms of a text or of a list of terms. Raises `UsageError` for any other type.
pub(crate) fn read_query(query: &Bound<'_, PyAny>, analyzer: Analyzer) -> PyResult<PlainQuery> {
    if let Ok(text) = query.cast::<PyString>() {
        if let Ok(text) = text.to_str() {
            return Ok(PlainQuery::of_text(analyzer, text));
        }
        return Ok(PlainQuery::of_text(analyzer, &query.extract::<Text>()?));
    }
    if !is_list(query) {
        let what = format!("the query is {}, not a text or a list of terms", type_name(query));
        return Err(UsageError::new_err((what, QUERY_HINT)));
    }
    let mut terms = PlainQuery::new();
    for term in query.try_iter()? {
        let term = term?;
        let Ok(text) = term.cast::<PyString>() else {
            let what = format!("the query has {} among its terms", type_name(&term));
            return Err(UsageError::new_err((what, QUERY_HINT)));
        };
        match text.to_str() {
            Ok(text) => terms.push(text),
            Err(_) => terms.push(&term.extract::<Text>()?),
        }
    }
    Ok(terms)
}

fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

fn items_of<'py>(items: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyIterator>> {
    let hint = format!("give a list of {name}");
    if items.is_instance_of::<PyString>() {
        return Err(UsageError::new_err((format!("the {name} are a single text, not a list"), hint)));
    }
    // A dict is refused: it is a single document, and an iteration would take its keys for documents.
    let iterator = if items.is_instance_of::<PyDict>() { Err(PyTypeError::new_err(())) } else { items.try_iter() };
    iterator.map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(items.py()) {
            return error;
        }
        UsageError::new_err((format!("the {name} are {}, not a list", type_name(items)), hint))
    })
}
