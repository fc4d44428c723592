//! What a host sends, and the form in which it takes an answer (SPEC 12).

use crate::chars::strip;
use crate::error::{Error, PayloadProblem};
use crate::json_reader::{Json, read_json};
use crate::letters::{Kind, classify};
use std::fmt::Write;

const MIN_PROMPT_CHARS: usize = 10;
const CLAUDE_CODE_BUDGET_CHARS: usize = 6000;
const PLAIN_BUDGET_CHARS: usize = i32::MAX as usize;

const TEXT_FIELDS: [&str; 7] =
    ["prompt", "user_prompt", "cwd", "session_id", "transcript_path", "hook_event_name", "permission_mode"];

/// The agent program that calls the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Claude Code, and what speaks its protocol.
    ClaudeCode,
    /// Any program that takes the bare block.
    Plain,
}

/// A prompt event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// What the user typed; may be empty.
    pub prompt: String,
    /// Where the host works.
    pub cwd: Option<String>,
    /// The host's name for the session.
    pub session_id: Option<String>,
}

impl Host {
    const NAMES: &'static [&'static str] = &["claude-code", "plain"];

    /// The host of that name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "claude-code" => Ok(Self::ClaudeCode),
            "plain" => Ok(Self::Plain),
            _ => Err(Error::UnknownName { kind: "host", name: name.into(), known: Self::NAMES }),
        }
    }

    /// The most characters that an answer may have.
    #[must_use]
    pub fn budget_chars(self) -> usize {
        match self {
            Self::ClaudeCode => CLAUDE_CODE_BUDGET_CHARS,
            Self::Plain => PLAIN_BUDGET_CHARS,
        }
    }

    /// The bytes for standard output that hand a block to the agent; none for an empty block.
    #[must_use]
    pub fn write_answer(self, block: &str) -> String {
        match self {
            _ if block.is_empty() => String::new(),
            Self::Plain => block.to_owned(),
            Self::ClaudeCode => format!(
                "{{\"hookSpecificOutput\":{{\"hookEventName\":\"UserPromptSubmit\",\"additionalContext\":{}}}}}\n",
                quote(block.trim_end_matches('\n'))
            ),
        }
    }
}

/// Prompt, working directory and session of a prompt event.
///
/// The prompt is `prompt`, else `user_prompt`. Anything that is not a JSON object with text in the fields we
/// know and a prompt in one of the two is an error.
pub fn read_payload(data: &[u8]) -> Result<Payload, Error> {
    let payload = read_object(data)?;
    for field in TEXT_FIELDS {
        if !matches!(payload.get(field), None | Some(Json::Null | Json::Text(_))) {
            return Err(Error::Payload(PayloadProblem::NotString(field)));
        }
    }
    let text = |field| payload.get(field).and_then(Json::as_text);
    let prompts = [text("prompt"), text("user_prompt")];
    if prompts == [None, None] {
        return Err(Error::Payload(PayloadProblem::NoPrompt));
    }
    let prompt = prompts.into_iter().flatten().find(|prompt| !prompt.is_empty()).unwrap_or_default();
    Ok(Payload {
        prompt: prompt.to_owned(),
        cwd: text("cwd").map(str::to_owned),
        session_id: text("session_id").map(str::to_owned),
    })
}

/// The JSON object that a host sent.
pub(crate) fn read_object(data: &[u8]) -> Result<Json, Error> {
    if data.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        return Err(Error::Payload(PayloadProblem::Empty));
    }
    let payload = read_json(data).map_err(|_| Error::Payload(PayloadProblem::NotJson))?;
    if matches!(payload, Json::Object(_)) { Ok(payload) } else { Err(Error::Payload(PayloadProblem::NotObject)) }
}

/// Whether a prompt has under 10 characters between its blanks, those of Hangul, Han and kana counting as two: a
/// greeting, a go-ahead.
#[must_use]
pub fn is_too_short(prompt: &str) -> bool {
    let is_wide = |char: char| !char.is_ascii() && matches!(classify(char), Kind::Hangul | Kind::Ideographs);
    let widths = strip(prompt).chars().take(MIN_PROMPT_CHARS).map(|char| 1 + usize::from(is_wide(char)));
    widths.sum::<usize>() < MIN_PROMPT_CHARS
}

/// A text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 8);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\0'..='\u{1f}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(char));
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
