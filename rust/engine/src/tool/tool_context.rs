//! Reads the tool events at which an agent gets memories without asking: before it touches a file, and after a
//! command has failed (SPEC 37.1).

use crate::host::{check_cwd, read_object};
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::json_writer::quote;

/// What counts of a failed command, in characters: the end of what it says, the beginning of the command.
const MAX_ERROR_CHARS: usize = 2000;
const MAX_COMMAND_CHARS: usize = 200;

/// What a tool event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMoment {
    /// A tool is about to read or change a file.
    File,
    /// A command has failed.
    Failure,
    /// Any other.
    Other,
}

impl ToolMoment {
    /// The moment of that name.
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

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Failure => "failure",
            Self::Other => "other",
        }
    }
}

/// A tool event, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEvent {
    /// Its kind.
    pub moment: ToolMoment,
    /// The file, or what the command said, a line feed, and the command.
    pub subject: String,
    /// The host's working directory.
    pub cwd: Option<String>,
    /// The host's name for the session; within it a subagent, which sees nothing of what the others were shown, has
    /// one of its own.
    pub session_id: Option<String>,
}

/// The moment in a tool event.
///
/// Anything that is not a JSON object with a `tool_name` and text in the fields we know is an error.
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
    Ok(ToolEvent { moment, subject, cwd: cwd.map(str::to_owned), session_id })
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

/// The bytes for standard output that hand a block to the agent at a moment; none for an empty block.
#[must_use]
pub fn write_tool_context(moment: ToolMoment, block: &str) -> String {
    let event = match moment {
        ToolMoment::File => "PreToolUse",
        ToolMoment::Failure => "PostToolUseFailure",
        ToolMoment::Other => return String::new(),
    };
    if block.is_empty() {
        return String::new();
    }
    let context =
        format!("\"hookEventName\":\"{event}\",\"additionalContext\":{}", quote(block.trim_end_matches('\n')));
    format!("{{\"hookSpecificOutput\":{{{context}}}}}\n")
}
