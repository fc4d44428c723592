//! Runs the test vectors of cues, priors and the choice of the gate, as `tests/support/recall_cases.py` does in Python.

use super::{Failure, Input, Value, as_number, list, row};
use cuecard_core::rank::{Best, Cue, find_cues, lowest_shown, prior_points};
use cuecard_core::settings::read_settings;

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "find_cues" => list(find_cues(&input.text("prompt")).into_iter().map(Cue::name)),
        "lowest_shown" => {
            let best =
                Best { logit: input.number("best"), has_questions: input.value("has_questions") == Value::Bool(true) };
            lowest_shown(input.number("least"), Some(best)).into()
        }
        "prior_points" => priors(input),
        _ => return None,
    }))
}

fn priors(input: &Input) -> Value {
    let names = input.texts("cues");
    let cues: Vec<_> = Cue::ALL.into_iter().filter(|cue| names.iter().any(|name| name == cue.name())).collect();
    let updated_at = input.value("updated_at");
    let updated_at = (updated_at != Value::None).then(|| as_number(&updated_at));
    let settings = read_settings(Some(&input.bytes("config")), None);
    let found = prior_points(&cues, &input.text("category"), updated_at, input.number("now"), &settings, &[]);
    list(found.into_iter().map(|(name, points)| row([name.into(), points.into()])))
}
