//! The Python class of a store's settings.

use crate::convert::to_python;
use crate::snapshot::Numbers;
use cuecard_core as core;
use cuecard_core::settings::Bm25Settings;
use pyo3::prelude::*;

/// The effective settings of a store.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct Settings(pub(crate) core::settings::Settings);

#[pymethods]
impl Settings {
    #[getter]
    fn enabled(&self) -> bool {
        self.0.enabled
    }

    #[getter]
    fn max_inject(&self) -> usize {
        self.0.max_inject
    }

    #[getter]
    fn max_tokens(&self) -> u32 {
        self.0.max_tokens
    }

    #[getter]
    fn strategy(&self) -> &'static str {
        self.0.strategy.name()
    }

    #[getter]
    fn repository_strategy(&self) -> &'static str {
        self.0.repository_strategy.name()
    }

    #[getter]
    fn descriptions(&self) -> Vec<(String, String)> {
        self.0.descriptions.clone()
    }

    #[getter]
    fn user_descriptions(&self) -> Vec<(String, String)> {
        self.0.user_descriptions.clone()
    }

    #[getter]
    fn gate_setting(&self) -> &'static str {
        self.0.gate_setting.name()
    }

    #[getter]
    fn gate_shift(&self) -> i64 {
        self.0.gate_shift
    }

    #[getter]
    fn candidate_pool(&self) -> u32 {
        self.0.candidate_pool
    }

    #[getter]
    fn numbers(&self) -> Numbers {
        let Bm25Settings { k1, weights, bs } = self.0.lexical;
        (k1, weights.into(), bs.into())
    }

    #[getter]
    fn synonyms(&self) -> Vec<Vec<String>> {
        self.0.synonyms.clone()
    }

    #[getter]
    fn session(&self) -> bool {
        self.0.session
    }

    #[getter]
    fn situation_paths(&self) -> bool {
        self.0.situation_paths
    }

    #[getter]
    fn situation_git(&self) -> bool {
        self.0.situation_git
    }

    #[getter]
    fn situation_focus(&self) -> bool {
        self.0.situation_focus
    }

    #[getter]
    fn situation_need(&self) -> bool {
        self.0.situation_need
    }

    #[getter]
    fn has_embedder(&self) -> bool {
        self.0.has_embedder
    }

    #[getter]
    fn embedding_ms(&self) -> u32 {
        self.0.embedding_ms
    }

    #[getter]
    fn judge_ms(&self) -> u32 {
        self.0.judge_ms
    }

    #[getter]
    fn user_embedding_place(&self) -> Option<&str> {
        self.0.user_embedding_place.as_deref()
    }

    #[getter]
    fn user_judge_place(&self) -> Option<&str> {
        self.0.user_judge_place.as_deref()
    }

    #[getter]
    fn log_events(&self) -> bool {
        self.0.log_events
    }

    #[getter]
    fn log_prompts(&self) -> bool {
        self.0.log_prompts
    }

    #[getter]
    fn holdout(&self) -> u32 {
        self.0.holdout
    }

    #[getter]
    fn reviews_trust(&self) -> bool {
        self.0.reviews_trust
    }

    #[getter]
    fn scopes_parent(&self) -> bool {
        self.0.scopes.parent
    }

    #[getter]
    fn scopes_user(&self) -> bool {
        self.0.scopes.user
    }

    #[getter]
    fn scopes_team(&self) -> bool {
        self.0.scopes.team
    }

    #[getter]
    fn scopes_exclude(&self) -> Vec<String> {
        self.0.scopes.exclude.clone()
    }

    #[getter]
    fn scopes_teams(&self) -> Vec<String> {
        self.0.scopes.teams.clone()
    }

    #[getter]
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.members)
    }

    #[getter]
    fn ignored(&self) -> Vec<String> {
        self.0.ignored.clone()
    }

    #[getter]
    fn problems(&self) -> Vec<String> {
        self.0.problems.clone()
    }

    #[getter]
    fn user_problems(&self) -> Vec<String> {
        self.0.user_problems.clone()
    }
}

#[pyfunction]
#[pyo3(signature = (user, repository))]
pub(crate) fn read_settings(user: Option<&[u8]>, repository: Option<&[u8]>) -> Settings {
    Settings(core::settings::read_settings(user, repository))
}
