//! Reads the tool events at which an agent gets memories without a prompt: before a tool touches a file, and after a
//! command failed (SPEC 37.1).

use crate::host::{check_cwd, read_object};
use crate::tool::act::{Act, read_act};
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::json_writer::quote;

/// How many characters are used of the end of a failed command's output, and of the beginning of the command.
const MAX_ERROR_CHARS: usize = 2000;
const MAX_COMMAND_CHARS: usize = 200;

/// The kind of a tool event, which says when the agent gets memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMoment {
    /// A tool is about to read or change a file.
    File,
    /// A command has failed.
    Failure,
    /// Any other event.
    Other,
}

impl ToolMoment {
    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "file" => Ok(Self::File),
            "failure" => Ok(Self::Failure),
            "other" => Ok(Self::Other),
            _ => {
                let known = &["file", "failure", "other"];
                Err(Error::UnknownName { kind: "moment", name: name.into(), known })
            }
        }
    }

    /// Returns the name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Failure => "failure",
            Self::Other => "other",
        }
    }
}

/// A tool event, with the parts that recall needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEvent {
    /// The kind of the event.
    pub moment: ToolMoment,
    /// The path of the file; or the output of the failed command, a line feed, and the command.
    pub subject: String,
    /// The host's working directory.
    pub cwd: Option<String>,
    /// The host's id for the session. A subagent has a session of its own, because it does not see what other agents
    /// were shown.
    pub session_id: Option<String>,
    /// What the tool changes or runs, if it does (SPEC 40.2).
    pub act: Option<Act>,
}

/// Reads a tool event.
///
/// Anything that is not a JSON object with a `tool_name` and text in the known fields is an error.
pub fn read_tool_event(data: &[u8]) -> Result<ToolEvent, Error> {
    let payload = read_object(data)?;
    let (event, tool) = (text(&payload, "hook_event_name")?, text(&payload, "tool_name")?);
    let (cwd, session, agent) =
        (check_cwd(text(&payload, "cwd")?)?, text(&payload, "session_id")?, text(&payload, "agent_id")?);
    let tool = tool.ok_or(Error::Payload(PayloadProblem::NoTool))?;
    let (moment, field) = match (event.unwrap_or_default(), tool) {
        ("PreToolUse", "Read" | "Write" | "Edit" | "MultiEdit") => (ToolMoment::File, "file_path"),
        ("PreToolUse", "NotebookEdit") => (ToolMoment::File, "notebook_path"),
        ("PostToolUseFailure", "Bash") => (ToolMoment::Failure, "command"),
        _ => (ToolMoment::Other, ""),
    };
    let named = match payload.get("tool_input") {
        Some(input) if moment != ToolMoment::Other => text(input, field)?.unwrap_or_default(),
        _ => "",
    };
    let subject = match moment {
        ToolMoment::File => named.to_owned(),
        ToolMoment::Failure => match text(&payload, "error")? {
            Some(error) if payload.get("is_interrupt") != Some(&Json::Bool(true)) => describe_failure(error, named),
            _ => String::new(),
        },
        ToolMoment::Other => String::new(),
    };
    let session_id = session.map(|session| agent.map_or(session.to_owned(), |agent| format!("{session}-{agent}")));
    let moment = if subject.is_empty() { ToolMoment::Other } else { moment };
    Ok(ToolEvent { moment, subject, cwd: cwd.map(str::to_owned), session_id, act: read_act(&payload) })
}

fn text<'a>(object: &'a Json, field: &'static str) -> Result<Option<&'a str>, Error> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(_) => Err(Error::Payload(PayloadProblem::NotString(field))),
    }
}

fn describe_failure(error: &str, command: &str) -> String {
    if error.is_empty() {
        return String::new();
    }
    let end = error.char_indices().rev().nth(MAX_ERROR_CHARS - 1).map_or(0, |(place, _)| place);
    let error = error.get(end..).unwrap_or_default();
    if command.is_empty() {
        return error.to_owned();
    }
    format!("{error}\n{}", command.chars().take(MAX_COMMAND_CHARS).collect::<String>())
}

/// Returns the text for standard output that gives a block to the agent at an event of this kind; empty for an empty
/// block.
#[must_use]
pub fn write_tool_context(moment: ToolMoment, block: &str) -> String {
    let event = match moment {
        ToolMoment::File => "PreToolUse",
        ToolMoment::Failure => "PostToolUseFailure",
        ToolMoment::Other => return String::new(),
    };
    write_context(event, block)
}

/// Returns the text for standard output that gives a block to the agent at the event with this name; empty for an empty
/// block.
#[must_use]
pub fn write_context(event: &str, block: &str) -> String {
    if block.is_empty() {
        return String::new();
    }
    let context =
        format!("\"hookEventName\":\"{event}\",\"additionalContext\":{}", quote(block.trim_end_matches('\n')));
    format!("{{\"hookSpecificOutput\":{{{context}}}}}\n")
}
