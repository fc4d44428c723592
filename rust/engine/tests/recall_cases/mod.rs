//! Cues, priors and the settings of hybrid recall as the vectors describe them: the twin of `tests/recall_cases.py`.

use super::{Failure, Input, Value, as_number, list, row};
use cuecard_core::rank::{Cue, find_cues, prior_points};
use cuecard_core::settings::read_recall_config;

/// The answer to a case about these; none where the function is another's.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "find_cues" => list(find_cues(&input.text("prompt")).into_iter().map(Cue::name)),
        "prior_points" => priors(input),
        "model_settings" => model_settings(input),
        "places_of_models" => places_of_models(input),
        "review_of_trust" => {
            let config = read_recall_config(&input.bytes("data"));
            row([Value::Bool(config.reviews_trust), list(config.problems)])
        }
        "read_recall_config" => recall_config(input),
        _ => return None,
    }))
}

fn recall_config(input: &Input) -> Value {
    let config = read_recall_config(&input.bytes("data"));
    row([
        config.gate_setting.name().into(),
        config.gate_shift.into(),
        config.fusion.name().into(),
        i64::from(config.rrf_k).into(),
        i64::from(config.lexical_weight).into(),
        i64::from(config.semantic_weight).into(),
        i64::from(config.graph_weight).into(),
        i64::from(config.candidate_pool).into(),
        Value::Bool(config.related_terms),
        Value::Bool(config.graph),
        Value::Bool(config.priors),
        Value::Bool(config.session),
        i64::from(config.max_tokens).into(),
        row([config.situation_paths, config.situation_git, config.situation_focus, config.situation_need]
            .map(Value::Bool)),
        row([config.log_events, config.log_prompts].map(Value::Bool)),
        config.half_life_seconds.into(),
        list(config.decay_categories),
        list(config.problems),
    ])
}

fn model_settings(input: &Input) -> Value {
    let config = read_recall_config(&input.bytes("data"));
    let numbers = [config.embedding_weight, config.embedding_ms, config.judge_ms];
    let [weight, embedding, judge] = numbers.map(|number| i64::from(number).into());
    row([weight, embedding, judge, list(config.problems)])
}

fn places_of_models(input: &Input) -> Value {
    let config = read_recall_config(&input.bytes("data"));
    row([config.embedding_place.into(), config.judge_place.into()])
}

fn priors(input: &Input) -> Value {
    let names = input.texts("cues");
    let cues: Vec<_> = Cue::ALL.into_iter().filter(|cue| names.iter().any(|name| name == cue.name())).collect();
    let updated_at = input.value("updated_at");
    let updated_at = (updated_at != Value::None).then(|| as_number(&updated_at));
    let config = read_recall_config(&input.bytes("config"));
    let found = prior_points(&cues, &input.text("category"), updated_at, input.number("now"), &config, &[]);
    list(found.into_iter().map(|(name, points)| row([name.into(), points.into()])))
}
