//! Reads the transcript records of Claude Code, as of client 2.1.

use crate::capture::record::{Action, Item, MAX_RESULT_CHARS, beginning, list_of, text_of};
use crate::capture::typed::{typed_text, without_inserted};
use crate::text::chars::strip;
use crate::text::json_reader::Json;

const REFUSED: &str = "The user doesn't want to proceed with this tool use.";
const BECAUSE: &str = "the user said:\n";
const INTERRUPTED: &str = "[Request interrupted";

/// Adds the items of a message of the user or of the agent to `items`.
pub(crate) fn read_message(record: &Json, items: &mut Vec<Item>) {
    if text_of(record, "entrypoint").starts_with("sdk") {
        items.push(Item::NotInteractive(true));
    }
    let is_set = |name: &str| record.get(name).is_some_and(Json::is_truthy);
    if is_set("isSidechain") || is_set("isMeta") {
        return;
    }
    if is_set("isCompactSummary") {
        items.push(Item::Compacted { id: String::new() });
        return;
    }
    let Some(message) = record.get("message") else { return };
    if text_of(record, "type") == "user" {
        read_user(message, text_of(record, "uuid"), items);
    } else if !is_set("isApiErrorMessage") {
        read_agent(message, items);
    }
}

fn read_user(message: &Json, uuid: &str, items: &mut Vec<Item>) {
    let mut texts: Vec<&str> = message.get("content").and_then(Json::as_text).into_iter().collect();
    let mut has_result = false;
    for block in list_of(message, "content") {
        match text_of(block, "type") {
            "text" => texts.push(text_of(block, "text")),
            "tool_result" => {
                has_result = true;
                read_result(block, uuid, items);
            }
            _ => {}
        }
    }
    let text = texts.join("\n");
    if text.starts_with(INTERRUPTED) {
        items.push(Item::Interrupted);
    } else if !has_result {
        push_prompt(&text, false, uuid, items);
    }
}

fn push_prompt(text: &str, is_refusal: bool, key: &str, items: &mut Vec<Item>) {
    let text = typed_text(text);
    if !text.is_empty() {
        items.push(Item::Prompt { text, is_refusal, key: key.into() });
    }
}

fn read_result(block: &Json, uuid: &str, items: &mut Vec<Item>) {
    let texts = list_of(block, "content").iter().filter_map(|part| part.get("text")?.as_text());
    let answer =
        block.get("content").and_then(Json::as_text).map_or_else(|| texts.collect::<Vec<_>>().join("\n"), Into::into);
    let is_refused = answer.starts_with(REFUSED);
    if is_refused {
        if let Some((_, why)) = answer.split_once(BECAUSE) {
            push_prompt(why, true, uuid, items);
        }
    }
    let has_failed = !is_refused && block.get("is_error").is_some_and(Json::is_truthy);
    let id = text_of(block, "tool_use_id").to_owned();
    items.push(Item::Ended { id, has_failed, answer: beginning(&answer, MAX_RESULT_CHARS).into() });
}

fn read_agent(message: &Json, items: &mut Vec<Item>) {
    if let Some(text) = message.get("content").and_then(Json::as_text) {
        push_said(text, items);
    }
    for block in list_of(message, "content") {
        match text_of(block, "type") {
            "text" => push_said(text_of(block, "text"), items),
            "tool_use" => {
                let id = text_of(block, "id").to_owned();
                items.push(Item::Called { id, action: action_of(block) });
            }
            _ => {}
        }
    }
}

fn push_said(text: &str, items: &mut Vec<Item>) {
    let text = without_inserted(text);
    let text = strip(&text);
    if !text.is_empty() {
        items.push(Item::Said(text.to_owned()));
    }
}

fn action_of(block: &Json) -> Action {
    let input = block.get("input").unwrap_or(&Json::Null);
    let text = |name: &str| text_of(input, name).to_owned();
    match text_of(block, "name") {
        "Bash" | "PowerShell" => Action::Command(text("command")),
        "Edit" => Action::Edit { file: text("file_path"), old: text("old_string"), new: text("new_string") },
        "Write" | "MultiEdit" => Action::Edit { file: text("file_path"), old: String::new(), new: String::new() },
        "NotebookEdit" => Action::Edit { file: text("notebook_path"), old: String::new(), new: String::new() },
        "AskUserQuestion" => {
            let questions = list_of(input, "questions").iter().map(|question| text_of(question, "question"));
            Action::Question(questions.collect::<Vec<_>>().join("\n"))
        }
        _ => Action::Other,
    }
}
