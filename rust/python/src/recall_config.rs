//! The opaque settings of hybrid recall.

use crate::convert::{Raised, Text};
use cuecard_core as core;
use pyo3::prelude::*;

/// How hybrid recall is set.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct RecallConfig(pub(crate) core::settings::RecallConfig);

#[pymethods]
impl RecallConfig {
    #[new]
    fn new() -> Self {
        Self(core::settings::RecallConfig::default())
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
    fn fusion(&self) -> &'static str {
        self.0.fusion.name()
    }

    #[getter]
    fn rrf_k(&self) -> u32 {
        self.0.rrf_k
    }

    #[getter]
    fn lexical_weight(&self) -> u32 {
        self.0.lexical_weight
    }

    #[getter]
    fn semantic_weight(&self) -> u32 {
        self.0.semantic_weight
    }

    #[getter]
    fn graph_weight(&self) -> u32 {
        self.0.graph_weight
    }

    #[getter]
    fn embedding_weight(&self) -> u32 {
        self.0.embedding_weight
    }

    #[getter]
    fn candidate_pool(&self) -> u32 {
        self.0.candidate_pool
    }

    #[getter]
    fn related_terms(&self) -> bool {
        self.0.related_terms
    }

    #[getter]
    fn graph(&self) -> bool {
        self.0.graph
    }

    #[getter]
    fn priors(&self) -> bool {
        self.0.priors
    }

    #[getter]
    fn reviews_trust(&self) -> bool {
        self.0.reviews_trust
    }

    #[getter]
    fn session(&self) -> bool {
        self.0.session
    }

    #[getter]
    fn max_tokens(&self) -> u32 {
        self.0.max_tokens
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
    fn embedding_ms(&self) -> u32 {
        self.0.embedding_ms
    }

    #[getter]
    fn embedding_place(&self) -> Option<&str> {
        self.0.embedding_place.as_deref()
    }

    #[getter]
    fn judge_place(&self) -> Option<&str> {
        self.0.judge_place.as_deref()
    }

    #[getter]
    fn judge_ms(&self) -> u32 {
        self.0.judge_ms
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
    fn half_life_seconds(&self) -> i64 {
        self.0.half_life_seconds
    }

    #[getter]
    fn decay_categories(&self) -> Vec<String> {
        self.0.decay_categories.clone()
    }

    #[getter]
    fn problems(&self) -> Vec<String> {
        self.0.problems.clone()
    }
}

#[pyfunction]
pub(crate) fn read_recall_config(data: &[u8]) -> RecallConfig {
    RecallConfig(core::settings::read_recall_config(data))
}

#[pyfunction]
pub(crate) fn gate_threshold(setting: Text) -> PyResult<Option<i64>> {
    Ok(core::rank::gate_threshold(core::settings::GateSetting::from_name(&setting).map_err(Raised::from)?))
}
