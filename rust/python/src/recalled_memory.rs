//! Recalls the memories for a question, each verified against its own file, and packs memories into a block.

use crate::convert::{Text, strings};
use crate::models::verdict_of;
use crate::request::{AskedOfStore, review_of};
use crate::results::result;
use crate::snapshot::Snapshot;
use cuecard_engine::{Answered, Chosen, Judged, Outcome};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Category, title, path and tags of a memory.
type Line = (String, String, String, Vec<String>);
/// The memories to show; the memories that are not shown, each with the reason; and whether the prompt is only a
/// courtesy.
type ChosenValues<'py> = (Vec<PyRef<'py, RecalledMemory>>, Vec<(PyRef<'py, RecalledMemory>, Text)>, bool);

/// A memory that recall found.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct RecalledMemory {
    memory: cuecard_engine::RecalledMemory,
    parts: Line,
}

impl From<cuecard_engine::RecalledMemory> for RecalledMemory {
    fn from(memory: cuecard_engine::RecalledMemory) -> Self {
        let parts = memory.document.parts().map_or_else(Line::default, |parts| {
            let tags = parts.tags.iter().map(ToString::to_string).collect();
            (parts.category.to_owned(), parts.title.to_owned(), parts.path.to_owned(), tags)
        });
        Self { memory, parts }
    }
}

#[pymethods]
impl RecalledMemory {
    #[getter]
    fn position(&self) -> u32 {
        self.memory.position
    }

    #[getter]
    fn found_as(&self) -> u32 {
        self.memory.ranking.found_as
    }

    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        result(py, "IndexLine", self.parts.clone())
    }

    #[getter]
    fn status(&self) -> &'static str {
        self.memory.document.status.name()
    }

    #[getter]
    fn holds(&self) -> &'static str {
        self.memory.standing.name()
    }

    #[getter]
    fn score(&self) -> i64 {
        self.memory.ranking.score
    }

    #[getter]
    fn recency(&self) -> i64 {
        self.memory.ranking.recency
    }

    #[getter]
    fn logit(&self) -> Option<i64> {
        self.memory.ranking.logit
    }

    #[getter]
    fn probability(&self) -> Option<i64> {
        self.memory.ranking.probability
    }

    #[getter]
    fn count(&self) -> usize {
        self.memory.ranking.count
    }

    #[getter]
    fn seen<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stamp = self.memory.document.stamp;
        result(py, "FileStamp", (self.memory.known_path(), stamp.size, stamp.modified))
    }

    #[getter]
    fn is_more(&self) -> bool {
        self.memory.is_more_than_title()
    }

    #[getter]
    fn scope(&self) -> &str {
        self.memory.scope()
    }

    #[getter]
    fn root(&self) -> Option<PathBuf> {
        self.memory.origin.as_ref().map(|origin| origin.root.clone())
    }

    #[getter]
    fn level(&self) -> Option<&'static str> {
        self.memory.level.map(cuecard_engine::Level::name)
    }

    #[getter]
    fn is_unreviewed(&self) -> bool {
        self.memory.is_unreviewed()
    }

    #[getter]
    fn is_withheld(&self) -> bool {
        self.memory.is_withheld()
    }

    #[getter]
    fn beside<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let beside = self.memory.beside;
        beside.map(|beside| result(py, "Beside", (beside.position, beside.logit, beside.passes))).transpose()
    }

    #[getter]
    fn gist(&self) -> String {
        self.memory.card().gist
    }

    fn heeds_paths(&self, paths: Vec<Text>) -> bool {
        self.memory.heeds_paths(&strings(paths))
    }
}

#[pyfunction]
pub(crate) fn recall_memories<'py>(
    py: Python<'py>,
    snapshot: PyRef<'_, Snapshot>,
    root: PathBuf,
    question: AskedOfStore<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let snapshot = &*snapshot;
    let answered = question.answer(py, |question| {
        snapshot.with_scratch(|scratch| {
            cuecard_engine::recall_memories(snapshot.place(&root), snapshot.whole(), &question, scratch)
        })
    })?;
    let Answered { found: Chosen { memories, passed_over, is_courtesy, least }, notes } = answered;
    result(py, "Recalled", (of_engine(memories), with_reasons(passed_over), is_courtesy, least, notes))
}

fn of_engine(memories: Vec<cuecard_engine::RecalledMemory>) -> Vec<RecalledMemory> {
    memories.into_iter().map(RecalledMemory::from).collect()
}

fn with_reasons(passed_over: Vec<(cuecard_engine::RecalledMemory, Outcome)>) -> Vec<(RecalledMemory, &'static str)> {
    passed_over.into_iter().map(|(memory, outcome)| (memory.into(), outcome.name())).collect()
}

#[pyfunction]
pub(crate) fn judge_memories<'py>(
    snapshot: PyRef<'_, Snapshot>,
    root: PathBuf,
    ungated: AskedOfStore<'_>,
    chosen: ChosenValues<'_>,
    limit: usize,
    judge: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, judge) = (judge.py(), judge.unbind());
    let snapshot = &*snapshot;
    let (memories, passed_over, is_courtesy) = chosen;
    let memories = memories.iter().map(|memory| memory.memory.clone()).collect();
    let passed_over =
        passed_over.iter().filter_map(|(memory, outcome)| Some((memory.memory.clone(), Outcome::find(outcome)?)));
    let chosen = Chosen { memories, passed_over: passed_over.collect(), is_courtesy, ..Chosen::default() };
    let mut raised = None;
    let judged = ungated.answer(py, |ungated| {
        let ask = |candidates: &[cuecard_engine::RecalledMemory]| {
            Python::attach(|py| {
                let candidates: Vec<_> = candidates.iter().cloned().map(RecalledMemory::from).collect();
                judge.call1(py, (candidates,)).and_then(|answer| verdict_of(answer.bind(py))).unwrap_or_else(|error| {
                    raised = Some(error);
                    Err(String::new())
                })
            })
        };
        cuecard_engine::judge_memories(snapshot.place(&root), snapshot.whole(), &ungated, chosen, limit, ask)
    })?;
    if let Some(error) = raised {
        return Err(error);
    }
    let Judged { chosen: Chosen { memories, passed_over, .. }, run, note } = judged;
    let run = run.map(|run| result(py, "JudgeRun", (run.asked, run.kept, run.micros, run.failure))).transpose()?;
    let notes: Vec<String> = note.into_iter().collect();
    result(py, "Judged", (of_engine(memories), with_reasons(passed_over), run, notes))
}

#[pyfunction]
pub(crate) fn verify_memory(
    py: Python<'_>,
    snapshot: PyRef<'_, Snapshot>,
    root: PathBuf,
    position: u32,
    review: Text,
) -> (Option<RecalledMemory>, Vec<String>) {
    let (whole, place, review) = (snapshot.whole(), snapshot.place(&root), review_of(&review));
    let Answered { found, notes } = py.detach(|| cuecard_engine::verify_memory(place, whole, position, review));
    (found.map(RecalledMemory::from), notes)
}

#[pyfunction]
#[pyo3(signature = (root, memories, max_tokens, budget_chars, prompt = None))]
pub(crate) fn pack_memories<'py>(
    py: Python<'py>,
    root: PathBuf,
    memories: Vec<PyRef<'_, RecalledMemory>>,
    max_tokens: usize,
    budget_chars: usize,
    prompt: Option<Text>,
) -> PyResult<Bound<'py, PyAny>> {
    let memories: Vec<_> = memories.iter().map(|memory| memory.memory.clone()).collect();
    let prompt = prompt.map(Text::into_string).unwrap_or_default();
    let packed = cuecard_engine::pack_memories(&root, &memories, max_tokens, budget_chars, &prompt);
    let outcomes: Vec<_> = packed.outcomes.iter().map(|outcome| outcome.name()).collect();
    result(py, "Packed", (packed.block, outcomes, packed.tokens))
}
