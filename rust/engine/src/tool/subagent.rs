//! Gives a subagent the memories for its prompt, by adding them to the prompt before the agent starts (SPEC 37.5).

use crate::environment::Environment;
use crate::host::{Host, read_object};
use crate::prompt::answer::Answer;
use crate::prompt::models::Models;
use crate::prompt::stages;
use cuecard_core::tables::tool_inputs::AGENTS;
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::json_writer::quote;

/// The beginning of a block. A prompt that has one already gets no other.
const BLOCK: &str = "<memory-context";
/// The host that takes a block as it is.
const PLAIN: &str = "plain";

/// Returns the answer to the event of a tool that is about to start a subagent; `None` for all other events.
pub(crate) fn answer(
    payload: &[u8],
    host: Host,
    environment: &Environment,
    models: Option<&dyn Models>,
) -> Option<Answer> {
    // Most events are of other tools. To parse their payload here would double the work.
    let names = AGENTS.iter().filter_map(|row| row.split_once(' ')).map(|(name, _)| quote(name));
    if !names.into_iter().any(|name| memchr::memmem::find(payload, name.as_bytes()).is_some()) {
        return None;
    }
    let event = read_object(payload).ok()?;
    if event.get("hook_event_name")?.as_text()? != "PreToolUse" {
        return None;
    }
    let field = AGENTS.row(event.get("tool_name")?.as_text()?)?;
    let Some(prompt) = event.get("tool_input").and_then(|input| input.get(field)).and_then(Json::as_text) else {
        return Some(Answer::default());
    };
    let Some(Json::Object(input)) = event.get("tool_input") else { return Some(Answer::default()) };
    if prompt.contains(BLOCK) || write_input(input, field, "").is_none() || host.write_new_input("").is_empty() {
        return Some(Answer::default());
    }
    let cwd = event.get("cwd").and_then(Json::as_text).map(|cwd| format!(",\"cwd\":{}", quote(cwd)));
    let asked = format!("{{\"prompt\":{}{}}}", quote(prompt), cwd.unwrap_or_default());
    let mut answer = stages::answer(asked.as_bytes(), Host::from_name(PLAIN).ok()?, environment, models);
    answer.event.host = host.name();
    if !answer.stdout.is_empty() {
        let prompt = format!("{prompt}\n\n{}", answer.stdout.trim_end_matches('\n'));
        answer.stdout = host.write_new_input(&write_input(input, field, &prompt)?);
    }
    Some(answer)
}

/// Returns the input of a tool as JSON with another text in one member; `None` if a member is neither text, a whole number,
/// a truth value nor null.
fn write_input(input: &[(String, Json)], field: &str, text: &str) -> Option<String> {
    let mut members = Vec::new();
    for (name, value) in input {
        let value = match value {
            _ if name == field => quote(text),
            Json::Text(text) => quote(text),
            Json::Integer(number) => number.to_string(),
            Json::Bool(value) => value.to_string(),
            Json::Null => "null".to_owned(),
            _ => return None,
        };
        members.push(format!("{}:{value}", quote(name)));
    }
    Some(format!("{{{}}}", members.join(",")))
}
