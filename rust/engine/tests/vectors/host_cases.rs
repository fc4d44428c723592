//! Runs the test vectors of payloads, prompts and answers of hosts.

use super::{Failure, Input, Value, number, row};
use cuecard_engine::host::{Host, is_slash_command, is_too_short, read_payload, typed_text};

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(match function {
        "read_payload" => payload(input),
        "prompt_source" => {
            host(input).and_then(|host| Ok(read_payload(&input.bytes("data"), host)?.source.name().into()))
        }
        "may_drop_answer" => host(input).and_then(|host| {
            let may_drop = read_payload(&input.bytes("data"), host)?.may_drop_answer;
            Ok(may_drop.map_or(Value::None, Value::Bool))
        }),
        "is_slash_command" => Ok(Value::Bool(is_slash_command(&input.text("prompt")))),
        "typed_text" => Ok(typed_text(&input.text("text")).into_owned().into()),
        "is_too_short" => Ok(Value::Bool(is_too_short(&input.text("prompt")))),
        "budget_of" => host(input).map(|host| number(host.budget_chars())),
        "keeps_context" => host(input).map(|host| Value::Bool(host.keeps_context())),
        "write_answer" => answer(input),
        "shows_notices" => host(input).map(|host| Value::Bool(host.shows_notices())),
        "add_notice" => add_notice(input),
        _ => return None,
    })
}

fn host(input: &Input) -> Result<Host, Failure> {
    Ok(Host::from_name(&input.text("host"))?)
}

fn payload(input: &Input) -> Result<Value, Failure> {
    let payload = read_payload(&input.bytes("data"), Host::default())?;
    Ok(row([
        payload.prompt.into(),
        payload.cwd.into(),
        payload.session_id.into(),
        payload.transformed_prompt.into(),
        payload.transcript_path.into(),
    ]))
}

fn answer(input: &Input) -> Result<Value, Failure> {
    let transformed_prompt = input.0.contains_key("transformed_prompt").then(|| input.text("transformed_prompt"));
    Ok(host(input)?.write_answer(&input.text("block"), transformed_prompt.as_deref()).into())
}

fn add_notice(input: &Input) -> Result<Value, Failure> {
    Ok(host(input)?.add_notice(input.text("answer"), &input.bytes("notice")).into())
}
