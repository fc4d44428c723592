//! Reads the transcript records of Gemini CLI, which writes a message again when something is added to it.

use crate::capture::record::{Action, Item, MAX_RESULT_CHARS, beginning, list_of, text_of};
use crate::capture::typed::{typed_text, without_inserted};
use crate::text::chars::strip;
use crate::text::json_reader::Json;

const COMPRESSED: &str = "Chat history compressed";
/// The answer that Gemini CLI writes in the model's name after the summary of a compaction.
const THANKS: &str = "Got it. Thanks for the additional context!";

/// Adds the items of a message of the user or of the agent to `items`.
pub(crate) fn read_message(record: &Json, items: &mut Vec<Item>) {
    let said = content_of(record);
    if text_of(record, "type") == "user" {
        let text = typed_text(&said);
        if !text.is_empty() {
            items.push(Item::Prompt { text, is_refusal: false, key: text_of(record, "id").into() });
        }
        return;
    }
    let said = without_inserted(&said);
    let said = strip(&said);
    if !said.is_empty() {
        items.push(Item::Said(said.to_owned()));
    }
    for call in list_of(record, "toolCalls") {
        read_call(call, items);
    }
}

/// Adds an item for a notice of the host to the user if the notice reports a compression.
pub(crate) fn read_notice(record: &Json, items: &mut Vec<Item>) {
    if content_of(record).starts_with(COMPRESSED) {
        items.push(Item::Compacted { id: String::new() });
    }
}

/// Adds an item to `items` if the messages in a change of the conversation contain the model's `THANKS` for the summary
/// of a compaction. The host writes all messages when a conversation begins, when it is resumed, and after a
/// compaction.
pub(crate) fn read_change(record: &Json, items: &mut Vec<Item>) {
    let Some(change) = record.get("$set") else { return };
    if let Some(thanks) = list_of(change, "messages").iter().rfind(|message| is_thanks(message)) {
        items.push(Item::Compacted { id: text_of(thanks, "id").to_owned() });
    }
}

fn is_thanks(message: &Json) -> bool {
    text_of(message, "type") == "gemini" && content_of(message).starts_with(THANKS)
}

fn content_of(record: &Json) -> String {
    if let Some(text) = record.get("content").and_then(Json::as_text) {
        return text.to_owned();
    }
    list_of(record, "content").iter().filter_map(|part| part.get("text")?.as_text()).collect::<Vec<_>>().join("\n")
}

/// Adds the items of a tool call to `items`; a call that has not ended yet is skipped.
fn read_call(call: &Json, items: &mut Vec<Item>) {
    let has_failed = match text_of(call, "status") {
        "success" => false,
        "error" => true,
        _ => return,
    };
    let arguments = call.get("args").unwrap_or(&Json::Null);
    let text = |name: &str| text_of(arguments, name).to_owned();
    let action = match text_of(call, "name") {
        "run_shell_command" => Action::Command(text("command")),
        "replace" => Action::Edit { file: text("file_path"), old: text("old_string"), new: text("new_string") },
        "write_file" => Action::Edit { file: text("file_path"), old: String::new(), new: String::new() },
        "ask_user" => {
            let questions = list_of(arguments, "questions").iter().map(|question| text_of(question, "question"));
            Action::Question(questions.collect::<Vec<_>>().join("\n"))
        }
        _ => Action::Other,
    };
    let id = text_of(call, "id").to_owned();
    let output = list_of(call, "result")
        .iter()
        .find_map(|part| part.get("functionResponse")?.get("response")?.get("output")?.as_text());
    let answer = beginning(output.unwrap_or_default(), MAX_RESULT_CHARS).to_owned();
    let has_failed = has_failed || answer.lines().any(is_failure);
    items.push(Item::Called { id: id.clone(), action });
    items.push(Item::Ended { id, has_failed, answer });
}

/// Whether a line of a command's output reports a failure. The host counts a call with such a line as a success.
fn is_failure(line: &str) -> bool {
    line.strip_prefix("Exit Code: ").is_some_and(|status| status.starts_with(|char: char| ('1'..='9').contains(&char)))
}
