//! A line of a host's transcript as what it says and does (SPEC 56.5).
//!
//! The forms are internal to their hosts and promised by nobody: whatever is not understood is passed over.

use crate::capture::{record_claude, record_codex, record_gemini};
use crate::text::json_reader::{Json, read_json};

/// A longer line is passed over: a file that a tool has read.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// So much of a result is looked at.
pub(crate) const MAX_RESULT_CHARS: usize = 8000;

/// What a part of a record says or does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// The user typed a text, or refused a tool with it. `key` is the same where a record is written again.
    Prompt {
        /// What was typed.
        text: String,
        /// Whether it says why a tool was refused.
        is_refusal: bool,
        /// The host's name of the record; empty where it has none.
        key: String,
    },
    /// The agent said a text.
    Said(String),
    /// The agent called a tool.
    Called {
        /// The host's name of the call.
        id: String,
        /// What the tool does.
        action: Action,
    },
    /// A tool has ended.
    Ended {
        /// The host's name of the call.
        id: String,
        /// Whether it failed.
        has_failed: bool,
        /// The beginning of what it answered.
        answer: String,
    },
    /// The user stopped the agent.
    Interrupted,
    /// The host has replaced the conversation by a summary.
    Compacted,
    /// The run is not interactive: a program waits for its answer.
    NotInteractive,
    /// From here on the agent may not change anything, or may again.
    ReadOnly(bool),
}

/// What a tool does, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It runs a command.
    Command(String),
    /// It changes a file: what is replaced, and by what.
    Edit {
        /// The file as the tool names it.
        file: String,
        /// The old text; empty where it is not known.
        old: String,
        /// The new text.
        new: String,
    },
    /// It asks the user.
    Question(String),
    /// Anything else.
    Other,
}

/// What a line says and does, in its order; nothing for a line that is none of a transcript.
#[must_use]
pub fn read_record(line: &[u8]) -> Vec<Item> {
    if line.len() > MAX_LINE_BYTES || !line.starts_with(b"{") {
        return Vec::new();
    }
    let Ok(record) = read_json(line) else { return Vec::new() };
    let mut items = Vec::new();
    match text_of(&record, "type") {
        "user" | "assistant" if record.get("message").is_some() => record_claude::read_message(&record, &mut items),
        "system" if text_of(&record, "subtype") == "compact_boundary" => items.push(Item::Compacted),
        "user" | "gemini" if record.get("content").is_some() => record_gemini::read_message(&record, &mut items),
        "info" => record_gemini::read_notice(&record, &mut items),
        "" if record.get("$set").is_some() => record_gemini::read_change(&record, &mut items),
        _ => record_codex::read_item(&record, &mut items),
    }
    items
}

/// The text of a member; empty where it is none.
pub(crate) fn text_of<'a>(value: &'a Json, name: &str) -> &'a str {
    value.get(name).and_then(Json::as_text).unwrap_or_default()
}

/// The items of a list; none where it is none.
pub(crate) fn list_of<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    match value.get(name) {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

/// The first characters of a text.
pub(crate) fn beginning(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}
