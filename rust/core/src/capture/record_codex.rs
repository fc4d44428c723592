//! Reads the items of a Codex rollout file; the older file format has items without the outer `payload` object.

use crate::capture::record::{Action, Item, MAX_RESULT_CHARS, beginning, list_of, text_of};
use crate::capture::typed::{typed_text, without_inserted};
use crate::text::chars::strip;
use crate::text::json_reader::{Json, read_json};

/// The texts that precede the exit status in a command's result, and how many characters at the beginning of the result
/// are searched for them.
const STATUS: [&str; 4] = ["exited with code ", "Exit code: ", "\"exit_code\":", "\"exit_code\": "];
const STATUS_CHARS: usize = 400;
const FILE_MARKS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// Adds the items of one line of a rollout file to `items`.
pub(crate) fn read_item(record: &Json, items: &mut Vec<Item>) {
    let payload = record.get("payload").unwrap_or(&Json::Null);
    match text_of(record, "type") {
        "session_meta" => {
            if text_of(payload, "source") == "exec" || text_of(payload, "originator").starts_with("codex_exec") {
                items.push(Item::NotInteractive(true));
            }
        }
        "turn_context" => {
            let member =
                |name: &str, kind: &str| payload.get(name).map(|value| text_of(value, kind)).unwrap_or_default();
            let is_plan = member("collaboration_mode", "mode") == "plan";
            items.push(Item::ReadOnly(is_plan || member("sandbox_policy", "type") == "read-only"));
        }
        "compacted" => items.push(Item::Compacted { id: String::new() }),
        "event_msg" if text_of(payload, "type") == "turn_aborted" => items.push(Item::Interrupted),
        "event_msg" => {
            // Says who began the turn: `codex exec` can continue a session that a user began in a terminal.
            match payload.get("turn_attribution").map(|turn| text_of(turn, "turn_trigger")) {
                Some("exec") => items.push(Item::NotInteractive(true)),
                Some("user") => items.push(Item::NotInteractive(false)),
                _ => {}
            }
        }
        "response_item" => read_response(payload, items),
        _ => read_response(record, items),
    }
}

fn read_response(item: &Json, items: &mut Vec<Item>) {
    let id = || text_of(item, "call_id").to_owned();
    let name = text_of(item, "name");
    match text_of(item, "type") {
        "message" => read_message(item, items),
        "function_call" => {
            let arguments = read_json(text_of(item, "arguments").as_bytes()).unwrap_or(Json::Null);
            items.push(Item::Called { id: id(), action: action_of(name, &arguments) });
        }
        "custom_tool_call" => {
            let patch = text_of(item, "input");
            let action = if name == "apply_patch" { edit_of(patch) } else { Action::Other };
            items.push(Item::Called { id: id(), action });
        }
        "local_shell_call" => {
            let action = item.get("action").unwrap_or(&Json::Null);
            items.push(Item::Called { id: id(), action: action_of("shell", action) });
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = item.get("output").unwrap_or(&Json::Null);
            let answer = output.as_text().unwrap_or_else(|| text_of(output, "content"));
            let has_failed = has_failed(answer) || output.get("success") == Some(&Json::Bool(false));
            items.push(Item::Ended { id: id(), has_failed, answer: beginning(answer, MAX_RESULT_CHARS).into() });
        }
        _ => {}
    }
}

fn read_message(item: &Json, items: &mut Vec<Item>) {
    let is_text = |block: &&Json| matches!(text_of(block, "type"), "input_text" | "output_text" | "text");
    let texts = list_of(item, "content").iter().filter(is_text).map(|block| text_of(block, "text"));
    match text_of(item, "role") {
        "user" => {
            let texts: Vec<&str> = texts.collect();
            if texts.iter().any(|text| text.starts_with("<turn_aborted")) {
                items.push(Item::Interrupted);
            }
            let typed: Vec<String> = texts.into_iter().map(typed_text).filter(|text| !text.is_empty()).collect();
            if !typed.is_empty() {
                items.push(Item::Prompt { text: typed.join("\n"), is_refusal: false, key: String::new() });
            }
        }
        "assistant" => {
            let said = texts.map(without_inserted).collect::<Vec<_>>().join("\n");
            let said = strip(&said);
            if !said.is_empty() {
                items.push(Item::Said(said.to_owned()));
            }
        }
        _ => {}
    }
}

fn action_of(name: &str, arguments: &Json) -> Action {
    let words = list_of(arguments, "command").iter().filter_map(Json::as_text).collect::<Vec<_>>();
    let command = match text_of(arguments, "cmd") {
        // The form is `bash -lc COMMAND`.
        "" if words.len() == 3 && words.get(1).is_some_and(|word| word.starts_with('-')) => {
            words.get(2).map(|word| (*word).to_owned()).unwrap_or_default()
        }
        "" if !words.is_empty() => words.join(" "),
        "" => text_of(arguments, "command").to_owned(),
        command => command.to_owned(),
    };
    if command.contains("*** Begin Patch") {
        return edit_of(&command);
    }
    match name {
        "apply_patch" => edit_of(text_of(arguments, "input")),
        "request_user_input" => {
            let questions = list_of(arguments, "questions").iter().map(|question| text_of(question, "question"));
            Action::Question(questions.collect::<Vec<_>>().join("\n"))
        }
        _ if command.is_empty() => Action::Other,
        _ => Action::Command(command),
    }
}

/// The edit of the first file that a patch changes, without the old and the new text.
fn edit_of(patch: &str) -> Action {
    let file = patch.lines().find_map(|line| FILE_MARKS.iter().find_map(|mark| line.strip_prefix(mark)));
    Action::Edit { file: file.unwrap_or_default().to_owned(), old: String::new(), new: String::new() }
}

fn has_failed(answer: &str) -> bool {
    let begin = beginning(answer, STATUS_CHARS);
    let status = STATUS.iter().find_map(|mark| begin.split_once(mark).map(|(_, rest)| rest));
    status.is_some_and(|status| status.starts_with(|char: char| ('1'..='9').contains(&char)))
}
