//! Reads the events of Copilot CLI, which writes one on each line of a session's `events.jsonl`.

use crate::capture::record::{Action, Item, MAX_RESULT_CHARS, beginning, text_of};
use crate::capture::typed::{typed_text, without_inserted};
use crate::text::chars::strip;
use crate::text::json_reader::Json;

/// This text is near the beginning of the instructions to the model if a user reads the answers. With `copilot -p`, the
/// instructions say instead that the session is not interactive. Nothing else in a transcript or an event shows which
/// of the two it is.
const INTERACTIVE: &str = "You are an interactive tool";
const INTERACTIVE_CHARS: usize = 2000;

/// Adds the items of one event to `items`.
pub(crate) fn read_event(record: &Json, items: &mut Vec<Item>) {
    let Some(data) = record.get("data") else { return };
    let is_set = |name: &str| data.get(name) == Some(&Json::Bool(true));
    // A subagent does what the agent asks of it.
    if !text_of(record, "agentId").is_empty() || !text_of(data, "parentToolCallId").is_empty() {
        return;
    }
    match text_of(record, "type") {
        // Skills and other agents name themselves as the source.
        "user.message" if text_of(data, "source").is_empty() => {
            items.push(Item::ReadOnly(text_of(data, "agentMode") == "plan"));
            let text = typed_text(text_of(data, "content"));
            if !text.is_empty() && !is_set("isAutopilotContinuation") {
                items.push(Item::Prompt { text, is_refusal: false, key: text_of(record, "id").into() });
            }
        }
        "system.message" if text_of(data, "role") == "system" => {
            let is_interactive = beginning(text_of(data, "content"), INTERACTIVE_CHARS).contains(INTERACTIVE);
            items.push(Item::TurnNotInteractive(!is_interactive));
        }
        "assistant.message" => {
            let said = without_inserted(text_of(data, "content"));
            let said = strip(&said);
            if !said.is_empty() {
                items.push(Item::Said(said.to_owned()));
            }
        }
        "tool.execution_start" => {
            items.push(Item::Called { id: text_of(data, "toolCallId").into(), action: action_of(data) });
        }
        "permission.completed" => {
            let reason = typed_text(data.get("result").map(|result| text_of(result, "feedback")).unwrap_or_default());
            if !reason.is_empty() {
                items.push(Item::Prompt { text: reason, is_refusal: true, key: text_of(record, "id").into() });
            }
        }
        "tool.execution_complete" => items.push(end_of(data, is_set("success"))),
        "session.compaction_complete" if is_set("success") => items.push(Item::Compacted { id: String::new() }),
        "session.mode_changed" => items.push(Item::ReadOnly(text_of(data, "newMode") == "plan")),
        "abort" => items.push(Item::Interrupted),
        kind @ ("hook.start" | "hook.end") if text_of(data, "hookType") == "agentStop" => {
            items.push(Item::Stopping(kind == "hook.start"));
        }
        _ => {}
    }
}

fn action_of(data: &Json) -> Action {
    let arguments = data.get("arguments").unwrap_or(&Json::Null);
    let text = |name: &str| text_of(arguments, name).to_owned();
    match text_of(data, "toolName") {
        "bash" | "powershell" => Action::Command(text("command")),
        "edit" => Action::Edit { file: text("path"), old: text("old_str"), new: text("new_str") },
        "create" => Action::Edit { file: text("path"), old: String::new(), new: String::new() },
        "ask_user" => {
            let asked = text("message");
            Action::Question(if asked.is_empty() { text("question") } else { asked })
        }
        _ => Action::Other,
    }
}

/// The end of a tool call. The host counts a command with an exit status other than 0 as a success.
fn end_of(data: &Json, is_success: bool) -> Item {
    let status = data.get("shellExecution").and_then(|execution| execution.get("exitCode"));
    let is_passed = status.is_none_or(|status| matches!(status, Json::Integer(0)));
    let answer = data.get("result").map(|result| text_of(result, "content")).unwrap_or_default();
    Item::Ended {
        id: text_of(data, "toolCallId").into(),
        has_failed: !is_success || !is_passed,
        answer: beginning(answer, MAX_RESULT_CHARS).into(),
    }
}
