//! The models of Python, for the engine (docs/reference/models.md).

use crate::recalled_memory::RecalledMemory;
use crate::request::known_positions;
use crate::snapshot::Snapshot;
use cuecard_engine::{ModelPrompt, Models, OpenModels, Sent, Similarities, Source, Verdict};
use pyo3::prelude::*;
use std::sync::Arc;

/// A function of Python that opens the models for a prompt.
#[derive(Debug)]
pub(crate) struct PythonModels(Py<PyAny>);

/// The models that it opened, an object with the members of `PromptModels`; or why it failed.
struct PythonOpenModels(Result<Py<PyAny>, String>);

impl PythonModels {
    pub(crate) fn new(open: Py<PyAny>) -> Self {
        Self(open)
    }
}

impl Models for PythonModels {
    fn open(&self, prompt: &ModelPrompt<'_>) -> Box<dyn OpenModels> {
        let ModelPrompt { memory_dir, cwd, prompt, transcript } = *prompt;
        let arguments = (memory_dir.as_os_str(), cwd, prompt, transcript);
        Box::new(PythonOpenModels(attached(|py| self.0.call1(py, arguments))))
    }
}

impl PythonOpenModels {
    /// Calls a function with the open models. Without models, or if the function fails, returns the reason.
    fn call<T>(&self, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, String> {
        let models = self.0.as_ref().map_err(Clone::clone)?;
        attached(|py| ask(models.bind(py)))
    }
}

impl OpenModels for PythonOpenModels {
    fn notes(&self) -> Vec<String> {
        self.call(|models| models.getattr("notes")?.extract()).unwrap_or_else(|failure| vec![failure])
    }

    fn compare(&self, snapshot: &Arc<cuecard_core::index::Snapshot<Source>>) -> Option<Similarities> {
        type Compared = Option<(String, String, String, Option<Vec<(i64, i64)>>)>;
        let compared: Result<Compared, String> = self.call(|models| {
            let snapshot = Snapshot::from(Arc::clone(snapshot));
            models.call_method1("compare", (snapshot,))?.extract()
        });
        match compared {
            Ok(compared) => compared.map(|(embedder, note, problem, embedded)| {
                let embedded = embedded.map(known_positions).unwrap_or_default();
                Similarities { embedder, note, problem, embedded }
            }),
            Err(failure) => Some(Similarities { problem: failure, ..Similarities::default() }),
        }
    }

    fn pool(&self) -> Option<usize> {
        self.call(|models| models.getattr("pool")?.extract()).unwrap_or_default()
    }

    fn judge(&self, candidates: &[cuecard_engine::RecalledMemory]) -> Verdict {
        let candidates: Vec<_> = candidates.iter().cloned().map(RecalledMemory::from).collect();
        self.call(|models| verdict_of(&models.call_method1("judge", (candidates,))?))?
    }

    fn take_sent(&self) -> Vec<Sent> {
        type Counted = Vec<(String, String, u64, u64)>;
        let sent: Counted = self.call(|models| models.call_method0("take_sent")?.extract()).unwrap_or_default();
        let sent = sent.into_iter();
        sent.map(|(what, host, requests, bytes)| Sent { what, host, requests, bytes }).collect()
    }
}

/// Returns the verdict in a pair of Python: the places of the candidates that the judge keeps, or None and why it
/// failed.
pub(crate) fn verdict_of(answer: &Bound<'_, PyAny>) -> PyResult<Verdict> {
    let (kept, failure): (Option<Vec<usize>>, String) = answer.extract()?;
    Ok(kept.ok_or(failure))
}

/// Calls a function of Python. If it raises an exception, returns a sentence about that: a defect must not keep the
/// engine from answering.
pub(crate) fn attached<T>(call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, String> {
    Python::attach(|py| {
        call(py).map_err(|error| {
            let name = error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string());
            format!("defect in cuecard: {name}: {}", error.value(py))
        })
    })
}
