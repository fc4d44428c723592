//! Turns a line of a host's transcript into items: what was said and done (SPEC 56.5).
//!
//! The formats are internal to the hosts and may change at any time, so records of an unknown form are skipped.

use crate::capture::{record_claude, record_codex, record_copilot, record_gemini};
use crate::text::json_reader::{Json, read_json};

/// The maximal size of a line in bytes. Longer lines are skipped: they usually contain a file that a tool has read.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// The number of characters of a tool's result that are read.
pub(crate) const MAX_RESULT_CHARS: usize = 8000;

/// One thing that was said or done, according to a transcript record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// The user typed a prompt, or a reason for refusing a tool call.
    Prompt {
        /// The typed text.
        text: String,
        /// Whether the text is the reason for refusing a tool call.
        is_refusal: bool,
        /// The host's identifier of the record, which stays the same if the record is written again; empty if the
        /// record has no identifier.
        key: String,
    },
    /// The agent wrote this text.
    Said(String),
    /// The agent called a tool.
    Called {
        /// The host's identifier of the call.
        id: String,
        /// What the tool does.
        action: Action,
    },
    /// A tool call has ended.
    Ended {
        /// The host's identifier of the call.
        id: String,
        /// Whether the call failed.
        has_failed: bool,
        /// The beginning of the tool's result.
        answer: String,
    },
    /// The user stopped the agent.
    Interrupted,
    /// The host has replaced the conversation by a summary.
    Compacted {
        /// The host's identifier of the message behind the summary, which stays the same if the conversation is written
        /// again; empty if there is none.
        id: String,
    },
    /// From here on, a program waits for the agent's answer (`true`), or a user reads it again (`false`).
    NotInteractive(bool),
    /// Like `NotInteractive`, but also for the prompt directly before this item.
    TurnNotInteractive(bool),
    /// The host's hooks for the end of a turn are running (`true`), or have run (`false`).
    Stopping(bool),
    /// From here on, the agent may not change anything (`true`), or may change things again (`false`).
    ReadOnly(bool),
}

/// What a tool call does, as far as the ledger needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Runs this shell command.
    Command(String),
    /// Changes a file.
    Edit {
        /// The file's path, as the tool call gives it.
        file: String,
        /// The text that is replaced; empty if it is not known.
        old: String,
        /// The text that replaces `old`; empty if it is not known.
        new: String,
    },
    /// Asks the user this question.
    Question(String),
    /// Does something else.
    Other,
}

/// Returns the items of a transcript line, in order; empty if the line is not a known transcript record.
#[must_use]
pub fn read_record(line: &[u8]) -> Vec<Item> {
    if line.len() > MAX_LINE_BYTES || !line.starts_with(b"{") {
        return Vec::new();
    }
    let Ok(record) = read_json(line) else { return Vec::new() };
    let mut items = Vec::new();
    match text_of(&record, "type") {
        "user" | "assistant" if record.get("message").is_some() => record_claude::read_message(&record, &mut items),
        "system" if text_of(&record, "subtype") == "compact_boundary" => {
            items.push(Item::Compacted { id: String::new() });
        }
        "user" | "gemini" if record.get("content").is_some() => record_gemini::read_message(&record, &mut items),
        "info" => record_gemini::read_notice(&record, &mut items),
        "" if record.get("$set").is_some() => record_gemini::read_change(&record, &mut items),
        _ if record.get("data").is_some() => record_copilot::read_event(&record, &mut items),
        _ => record_codex::read_item(&record, &mut items),
    }
    items
}

/// The text of an object's member; empty if the member is missing or not a string.
pub(crate) fn text_of<'a>(value: &'a Json, name: &str) -> &'a str {
    value.get(name).and_then(Json::as_text).unwrap_or_default()
}

/// The items of an object's member; empty if the member is missing or not a list.
pub(crate) fn list_of<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    match value.get(name) {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

/// Returns the first `chars` characters of a text.
pub(crate) fn beginning(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}
