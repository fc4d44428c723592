//! Runs the test vectors of the effective settings, as `tests/support/settings_cases.py` does in Python.

use super::segment_cases::float;
use super::{Failure, Input, Value, bytes, list, number, row};
use cuecard_core::settings::{Bm25Settings, Settings, read_settings};
use cuecard_core::text::json_reader::Json;

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "read_settings" => changed_settings(&input.bytes("data")),
        "settings_that_count" => settings_that_count(input),
        _ => return None,
    }))
}

fn settings_that_count(input: &Input) -> Value {
    let file = |name| match input.value(name) {
        Value::None => None,
        value => Some(bytes(&value)),
    };
    let (user, repository) = (file("user"), file("repository"));
    let settings = read_settings(user.as_deref(), repository.as_deref());
    row([json_value(&settings.members), list(settings.ignored)])
}

/// Converts a JSON value; an object becomes pairs of name and value.
fn json_value(value: &Json) -> Value {
    match value {
        Json::Null => Value::None,
        Json::Bool(value) => Value::Bool(*value),
        Json::Integer(value) => (*value).into(),
        Json::Float(value) => float(*value),
        Json::Text(value) => value.clone().into(),
        Json::List(items) => list(items.iter().map(json_value)),
        Json::Object(members) => {
            list(members.iter().map(|(name, member)| row([name.clone().into(), json_value(member)])))
        }
    }
}

/// Returns name and value of each setting in a user's file that differs from its default, and the problems in the file.
fn changed_settings(data: &[u8]) -> Value {
    let settings = read_settings(Some(data), None);
    let of_file = settings.ignored.iter().filter_map(|words| words.strip_prefix("config.json: "));
    let of_file = of_file.filter(|words| words.starts_with("the file ")).map(str::to_owned);
    let problems: Vec<_> = of_file.chain(settings.problems.clone()).collect();
    let changed = values_of(settings).into_iter().zip(values_of(Settings::default()));
    let changed = changed.filter(|(value, default)| value != default);
    row([list(changed.map(|((name, value), _)| row([name.into(), value]))), list(problems)])
}

fn values_of(settings: Settings) -> Vec<(&'static str, Value)> {
    let count = |value: u32| i64::from(value).into();
    let Bm25Settings { k1, weights, bs } = settings.lexical;
    let descriptions = settings.descriptions.into_iter().map(|(key, text)| row([key.into(), text.into()]));
    vec![
        ("enabled", Value::Bool(settings.enabled)),
        ("max_inject", number(settings.max_inject)),
        ("max_tokens", count(settings.max_tokens)),
        ("strategy", settings.strategy.name().into()),
        ("descriptions", list(descriptions)),
        ("gate_setting", settings.gate_setting.name().into()),
        ("gate_shift", settings.gate_shift.into()),
        ("may_concern", Value::Bool(settings.may_concern)),
        ("fusion", settings.fusion.name().into()),
        ("rrf_k", count(settings.rrf_k)),
        ("lexical_weight", count(settings.lexical_weight)),
        ("semantic_weight", count(settings.semantic_weight)),
        ("graph_weight", count(settings.graph_weight)),
        ("embedding_weight", count(settings.embedding_weight)),
        ("candidate_pool", count(settings.candidate_pool)),
        ("numbers", row([float(k1), list(weights.map(float)), list(bs.map(float))])),
        ("synonyms", list(settings.synonyms.into_iter().map(list))),
        ("related_terms", Value::Bool(settings.related_terms)),
        ("graph", Value::Bool(settings.graph)),
        ("priors", Value::Bool(settings.priors)),
        ("half_life_seconds", settings.half_life_seconds.into()),
        ("decay_categories", list(settings.decay_categories)),
        ("session", Value::Bool(settings.session)),
        ("situation_paths", Value::Bool(settings.situation_paths)),
        ("situation_git", Value::Bool(settings.situation_git)),
        ("situation_focus", Value::Bool(settings.situation_focus)),
        ("situation_need", Value::Bool(settings.situation_need)),
        ("has_embedder", Value::Bool(settings.has_embedder)),
        ("embedding_ms", count(settings.embedding_ms)),
        ("embedding_place", settings.embedding_place.into()),
        ("judge_ms", count(settings.judge_ms)),
        ("judge_place", settings.judge_place.into()),
        ("log_events", Value::Bool(settings.log_events)),
        ("log_prompts", Value::Bool(settings.log_prompts)),
        ("holdout", count(settings.holdout)),
        ("reviews_trust", Value::Bool(settings.reviews_trust)),
        ("scopes_parent", Value::Bool(settings.scopes.parent)),
        ("scopes_user", Value::Bool(settings.scopes.user)),
        ("scopes_team", Value::Bool(settings.scopes.team)),
        ("scopes_exclude", list(settings.scopes.exclude)),
        ("scopes_teams", list(settings.scopes.teams)),
    ]
}
