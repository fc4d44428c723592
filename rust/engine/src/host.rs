//! Reads the payloads of hosts and writes answers in the form that each host takes (SPEC 12).

use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::text::chars::strip;
use cuecard_core::text::json_reader::{Json, read_json};
use cuecard_core::text::json_writer::quote;
use cuecard_core::text::letters::{Kind, classify};
pub use cuecard_core::text::prompt_kind::{is_machine_made, is_slash_command};
use std::path::Path;

const MIN_PROMPT_CHARS: usize = 10;
const BUDGET_CHARS: usize = 6000;
// Codex cuts a block at 10,000 bytes, which it counts as 2,500 tokens; a character of Hangul or Han has three bytes.
const CODEX_BUDGET_CHARS: usize = 3000;
const PLAIN_BUDGET_CHARS: usize = i32::MAX as usize;

const MAX_CWD_BYTES: usize = 4096;
const TEXT_FIELDS: [&str; 7] =
    ["prompt", "user_prompt", "cwd", "session_id", "transcript_path", "hook_event_name", "permission_mode"];
const SESSION_FIELDS: [&str; 4] = ["session_id", "conversation_id", "sessionId", "taskId"];
const ROOTS_FIELDS: [&str; 2] = ["workspace_roots", "workspaceRoots"];

/// The agent program that calls the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Claude Code, and programs with the same protocol.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// GitHub Copilot CLI.
    Copilot,
    /// `OpenCode`, through cuecard's plugin.
    OpenCode,
    /// Cline.
    Cline,
    /// Any program that reads the block itself, without JSON around it.
    Plain,
}

/// A prompt event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// What the user typed; may be empty.
    pub prompt: String,
    /// The host's working directory.
    pub cwd: Option<String>,
    /// The host's id for the session.
    pub session_id: Option<String>,
    /// The prompt as the host rewrote it for the model.
    pub transformed_prompt: Option<String>,
    /// The file in which the host keeps the conversation.
    pub transcript_path: Option<String>,
}

impl Host {
    const NAMES: &'static [&'static str] =
        &["claude-code", "codex", "gemini", "cursor", "copilot", "opencode", "cline", "plain"];

    /// Returns the host with this name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "claude-code" => Ok(Self::ClaudeCode),
            "codex" => Ok(Self::Codex),
            "gemini" => Ok(Self::Gemini),
            "cursor" => Ok(Self::Cursor),
            "copilot" => Ok(Self::Copilot),
            "opencode" => Ok(Self::OpenCode),
            "cline" => Ok(Self::Cline),
            "plain" => Ok(Self::Plain),
            _ => Err(Error::UnknownName { kind: "host", name: name.into(), known: Self::NAMES }),
        }
    }

    /// Returns the host's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::OpenCode => "opencode",
            Self::Cline => "cline",
            Self::Plain => "plain",
        }
    }

    /// Returns how many characters a block for the host may have.
    #[must_use]
    pub fn budget_chars(self) -> usize {
        match self {
            Self::Codex => CODEX_BUDGET_CHARS,
            Self::Plain => PLAIN_BUDGET_CHARS,
            _ => BUDGET_CHARS,
        }
    }

    /// Whether the host keeps the memory blocks of earlier prompts in the agent's context, and sends an event when it
    /// drops them.
    #[must_use]
    pub fn keeps_context(self) -> bool {
        !matches!(self, Self::Gemini | Self::Cursor | Self::Cline)
    }

    /// Whether the host shows messages of a hook to the user.
    #[must_use]
    pub fn shows_notices(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Codex | Self::Gemini)
    }

    /// Returns the text for standard output that gives a block to the agent; empty for an empty block.
    ///
    /// Copilot replaces the whole prompt by the answer, so without its `transformed_prompt` the answer is empty as
    /// well.
    #[must_use]
    pub fn write_answer(self, block: &str, transformed_prompt: Option<&str>) -> String {
        let text = block.trim_end_matches('\n');
        match self {
            _ if block.is_empty() => String::new(),
            Self::OpenCode | Self::Plain => block.to_owned(),
            Self::Cursor => format!("{{\"continue\":true,\"additional_context\":{}}}\n", quote(text)),
            Self::Copilot => transformed_prompt.map_or_else(String::new, |prompt| {
                format!("{{\"modifiedTransformedPrompt\":{}}}\n", quote(&format!("{prompt}\n\n{text}")))
            }),
            Self::Cline => {
                format!("{{\"cancel\":false,\"contextModification\":{},\"errorMessage\":\"\"}}\n", quote(text))
            }
            Self::ClaudeCode | Self::Codex | Self::Gemini => {
                let event = if self == Self::Gemini { "BeforeAgent" } else { "UserPromptSubmit" };
                let context = format!("\"hookEventName\":\"{event}\",\"additionalContext\":{}", quote(text));
                format!("{{\"hookSpecificOutput\":{{{context}}}}}\n")
            }
        }
    }
}

/// Reads prompt, working directory, session, rewritten prompt and transcript of a prompt event.
///
/// The prompt is the first of `prompt`, `user_prompt` and `userPromptSubmit.prompt` that is not empty. It is an error
/// if the payload is not a JSON object, has none of these three, or has a value other than text in a field of Claude
/// Code.
pub fn read_payload(data: &[u8]) -> Result<Payload, Error> {
    let payload = read_object(data)?;
    for field in TEXT_FIELDS {
        if !matches!(payload.get(field), None | Some(Json::Null | Json::Text(_))) {
            return Err(Error::Payload(PayloadProblem::NotString(field)));
        }
    }
    let text = |field| payload.get(field).and_then(Json::as_text);
    let nested = payload.get("userPromptSubmit").and_then(|submitted| submitted.get("prompt")).and_then(Json::as_text);
    let prompts = [text("prompt"), text("user_prompt"), nested];
    if prompts == [None; 3] {
        return Err(Error::Payload(PayloadProblem::NoPrompt));
    }
    let prompt = prompts.into_iter().flatten().find(|prompt| !prompt.is_empty()).unwrap_or_default();
    let cwd = text("cwd").filter(|cwd| !cwd.is_empty()).or_else(|| first_root(&payload)).or_else(|| text("cwd"));
    Ok(Payload {
        prompt: prompt.to_owned(),
        cwd: check_cwd(cwd)?.map(str::to_owned),
        session_id: SESSION_FIELDS.into_iter().find_map(text).map(str::to_owned),
        transformed_prompt: text("transformedPrompt").map(str::to_owned),
        transcript_path: text("transcript_path").map(str::to_owned),
    })
}

/// Returns the working directory in an event of any host, if it is not that of this process.
pub(crate) fn other_cwd(data: &[u8]) -> Option<String> {
    // Most payloads name the folder of this process plainly and once. To parse them here would double the work.
    if names_own_cwd(data).is_some() {
        return None;
    }
    let payload = read_object(data).ok()?;
    let cwd = payload.get("cwd").and_then(Json::as_text).filter(|cwd| !cwd.is_empty());
    let cwd = cwd.or_else(|| first_root(&payload))?;
    (cwd.len() <= MAX_CWD_BYTES).then(|| cwd.to_owned())
}

/// Returns something if a payload names the working directory of this process as its only `cwd`, without escapes.
fn names_own_cwd(data: &[u8]) -> Option<()> {
    if ROOTS_FIELDS.iter().any(|field| memchr::memmem::find(data, field.as_bytes()).is_some()) {
        return None;
    }
    let mut places = memchr::memmem::find_iter(data, b"\"cwd\"");
    let place = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let value = data.get(place + b"\"cwd\"".len()..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"")?;
    let value = value.get(..memchr::memchr(b'"', value)?)?;
    let cwd = std::str::from_utf8(value).ok().filter(|cwd| !cwd.contains('\\'))?;
    std::env::current_dir().is_ok_and(|own| own == Path::new(cwd)).then_some(())
}

/// Returns the working directory. A path that is longer than any system allows is an error, because every component of
/// a path costs a call to the file system.
pub(crate) fn check_cwd(cwd: Option<&str>) -> Result<Option<&str>, Error> {
    match cwd {
        Some(cwd) if cwd.len() > MAX_CWD_BYTES => Err(Error::Payload(PayloadProblem::TooLong("cwd"))),
        _ => Ok(cwd),
    }
}

/// Returns the first folder of the workspace, if the payload has any.
fn first_root(payload: &Json) -> Option<&str> {
    ROOTS_FIELDS.into_iter().find_map(|field| match payload.get(field) {
        Some(Json::List(roots)) => roots.first().and_then(Json::as_text),
        _ => None,
    })
}

/// Parses the JSON object that a host sent; an error for any other data.
pub(crate) fn read_object(data: &[u8]) -> Result<Json, Error> {
    if data.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        return Err(Error::Payload(PayloadProblem::Empty));
    }
    let payload = read_json(data).map_err(|_| Error::Payload(PayloadProblem::NotJson))?;
    if matches!(payload, Json::Object(_)) { Ok(payload) } else { Err(Error::Payload(PayloadProblem::NotObject)) }
}

/// Whether a prompt, such as a greeting, has fewer than 10 characters without the blanks around it. A character of
/// Hangul, Han or kana counts as two.
#[must_use]
pub fn is_too_short(prompt: &str) -> bool {
    let is_wide = |char: char| !char.is_ascii() && matches!(classify(char), Kind::Hangul | Kind::Ideographs);
    let widths = strip(prompt).chars().take(MIN_PROMPT_CHARS).map(|char| 1 + usize::from(is_wide(char)));
    widths.sum::<usize>() < MIN_PROMPT_CHARS
}
