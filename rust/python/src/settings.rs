//! The Python class of a store's settings.

use crate::convert::to_python;
use crate::snapshot::Numbers;
use cuecard_core as core;
use cuecard_core::settings::Bm25Settings;
use pyo3::prelude::*;

/// The effective settings of a store.
#[pyclass(frozen, module = "cuecard._native")]
pub(crate) struct Settings(pub(crate) core::settings::Settings);

/// Defines the class's properties: each is a value of the settings, of which `$settings` is the name.
macro_rules! properties {
    ($settings:ident: $($name:ident: $type:ty = $value:expr;)*) => {
        #[pymethods]
        impl Settings {
            $(
                #[getter]
                fn $name(&self) -> $type {
                    let $settings = &self.0;
                    $value
                }
            )*

            #[getter]
            fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                to_python(py, &self.0.members)
            }
        }
    };
}

properties! { settings:
    enabled: bool = settings.enabled;
    max_inject: usize = settings.max_inject;
    max_tokens: u32 = settings.max_tokens;
    strategy: &'static str = settings.strategy.name();
    repository_strategy: &'static str = settings.repository_strategy.name();
    descriptions: Vec<(String, String)> = settings.descriptions.clone();
    user_descriptions: Vec<(String, String)> = settings.user_descriptions.clone();
    gate_setting: &'static str = settings.gate_setting.name();
    gate_shift: i64 = settings.gate_shift;
    candidate_pool: u32 = settings.candidate_pool;
    numbers: Numbers = numbers_of(&settings.lexical);
    synonyms: Vec<Vec<String>> = settings.synonyms.clone();
    session: bool = settings.session;
    situation_paths: bool = settings.situation_paths;
    situation_git: bool = settings.situation_git;
    situation_focus: bool = settings.situation_focus;
    situation_need: bool = settings.situation_need;
    has_embedder: bool = settings.has_embedder;
    embedding_ms: u32 = settings.embedding_ms;
    judge_ms: u32 = settings.judge_ms;
    user_embedding_place: Option<String> = settings.user_embedding_place.clone();
    user_judge_place: Option<String> = settings.user_judge_place.clone();
    log_events: bool = settings.log_events;
    log_prompts: bool = settings.log_prompts;
    holdout: u32 = settings.holdout;
    reviews_trust: bool = settings.reviews_trust;
    scopes_parent: bool = settings.scopes.parent;
    scopes_user: bool = settings.scopes.user;
    scopes_team: bool = settings.scopes.team;
    scopes_exclude: Vec<String> = settings.scopes.exclude.clone();
    scopes_teams: Vec<String> = settings.scopes.teams.clone();
    ignored: Vec<String> = settings.ignored.clone();
    problems: Vec<String> = settings.problems.clone();
    user_problems: Vec<String> = settings.user_problems.clone();
}

fn numbers_of(settings: &Bm25Settings) -> Numbers {
    let Bm25Settings { k1, weights, bs } = *settings;
    (k1, weights.into(), bs.into())
}

#[pyfunction]
#[pyo3(signature = (user, repository))]
pub(crate) fn read_settings(user: Option<&[u8]>, repository: Option<&[u8]>) -> Settings {
    Settings(core::settings::read_settings(user, repository))
}
