//! Reads the tool events at which an agent gets memories without a prompt: when a tool touches a file, and after a
//! command failed (SPEC 37.1).

use crate::host::{check_cwd, read_object, session_in};
use crate::tool::act::{Act, read_act};
use crate::tool_use::known_name;
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::tables::host_table::TOOL_EVENTS;
use cuecard_core::tables::tool_inputs::{FRAME, READERS, RESULTS, TOOL_FIELDS};
use cuecard_core::text::json_reader::{Json, read_json};

/// How many characters are used of the end of a failed command's output, and of the beginning of the command.
const MAX_ERROR_CHARS: usize = 2000;
const MAX_COMMAND_CHARS: usize = 200;

/// The kind of a tool event, which says when the agent gets memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMoment {
    /// A tool reads or changes a file.
    File,
    /// A command has failed.
    Failure,
    /// A command has run, and only the host's transcript says whether it failed.
    Unsure,
    /// Any other event.
    Other,
}

impl ToolMoment {
    /// Returns the name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Failure => "failure",
            Self::Unsure => "unsure",
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
    /// The host's name of the event.
    pub event: String,
    /// The host's working directory.
    pub cwd: Option<String>,
    /// The host's id for the session. A subagent has a session of its own, because it does not see what other agents
    /// were shown.
    pub session_id: Option<String>,
    /// What the tool changes or runs, if it does (SPEC 40.2).
    pub act: Option<Act>,
    /// Where the transcript says whether the command of `Unsure` failed.
    pub record: Option<CommandRecord>,
}

/// The record of a command in a host's transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    /// The path of the transcript.
    pub transcript: String,
    /// The host's id of the call.
    pub call: String,
}

/// Reads a tool event.
///
/// Anything that is not a JSON object with a `tool_name` and text in the known fields is an error.
pub fn read_tool_event(data: &[u8]) -> Result<ToolEvent, Error> {
    let payload = read_object(data)?;
    let (event, tool) = (text(&payload, "hook_event_name")?.unwrap_or_default(), text(&payload, "tool_name")?);
    let (cwd, session, agent) =
        (check_cwd(text(&payload, "cwd")?)?, text(&payload, "session_id")?, text(&payload, "agent_id")?);
    let session = session.or_else(|| session_in(&payload));
    let name = known_name(tool.ok_or(Error::Payload(PayloadProblem::NoTool))?);
    let fields = name.and_then(|name| TOOL_FIELDS.row(name)).unwrap_or_default();
    let is_of = |kind: &str| TOOL_EVENTS.row(event) == Some(kind);
    let input = |role| first_text(payload.get("tool_input"), fields_of(fields, role));
    let act = read_act(&payload);
    let (mut moment, mut subject) = (ToolMoment::Other, String::new());
    if is_of("failed") && fields.starts_with("command=") {
        let command = input("command")?.unwrap_or_default();
        let error = text(&payload, "error")?.filter(|_| payload.get("is_interrupt") != Some(&Json::Bool(true)));
        (moment, subject) = (ToolMoment::Failure, describe_failure(error.unwrap_or_default(), command));
    } else if is_of("after") && fields.starts_with("command=") {
        let command = input("command")?.unwrap_or_default();
        (moment, subject) = match (failed_output(&payload), payload.get("tool_response").and_then(Json::as_text)) {
            (Some(output), _) => (ToolMoment::Failure, describe_failure(output, command)),
            (None, Some(output)) => (ToolMoment::Unsure, describe_failure(output, command)),
            (None, None) => (moment, subject),
        };
    } else if is_of("before") || is_of("after") {
        let reader = name.and_then(|name| READERS.row(name)).unwrap_or_default();
        let path = match first_text(payload.get("tool_input"), reader.split(' '))? {
            Some(path) => Some(path.to_owned()),
            None => input("path")?
                .map(str::to_owned)
                .or_else(|| Some(act.as_ref()?.edits.iter().find(|edit| !edit.path.is_empty())?.path.clone())),
        };
        (moment, subject) = (ToolMoment::File, path.unwrap_or_default());
    }
    let session_id = session.map(|session| agent.map_or(session.to_owned(), |agent| format!("{session}-{agent}")));
    let named = |field| payload.get(field).and_then(Json::as_text).map(str::to_owned);
    let record = match (moment, named("transcript_path"), named("tool_use_id")) {
        (ToolMoment::Unsure, Some(transcript), Some(call)) => Some(CommandRecord { transcript, call }),
        _ => None,
    };
    let is_known = !subject.is_empty() && (moment != ToolMoment::Unsure || record.is_some());
    let moment = if is_known { moment } else { ToolMoment::Other };
    let subject = if is_known { subject } else { String::new() };
    Ok(ToolEvent { moment, subject, event: event.to_owned(), cwd: cwd.map(str::to_owned), session_id, act, record })
}

/// Returns the fields of a tool's row that have a role.
fn fields_of<'a>(row: &'a str, role: &str) -> impl Iterator<Item = &'a str> {
    row.split(' ')
        .filter_map(move |pair| pair.split_once('=').filter(|(known, _)| *known == role))
        .map(|(_, field)| field)
}

/// Returns the first text that is not empty in one of the fields of an object. Another value than text is an error.
fn first_text(object: Option<&Json>, fields: impl Iterator<Item = &'static str>) -> Result<Option<&str>, Error> {
    let Some(object) = object else { return Ok(None) };
    for field in fields.filter(|field| !field.is_empty()) {
        if let Some(found) = text(object, field)?.filter(|found| !found.is_empty()) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the result of a command whose text ends with an exit code other than 0; `None` if the result tells no failure.
fn failed_output(payload: &Json) -> Option<&str> {
    RESULTS.iter().find_map(|row| {
        let (members, words) = row.split_once(' ')?;
        let output = members.split('.').try_fold(payload, |object, member| object.get(member))?.as_text()?;
        let (_, behind) = output.rsplit_once(words)?;
        let digits: String = behind.trim_start_matches(' ').chars().take_while(char::is_ascii_digit).collect();
        (digits.bytes().any(|digit| digit != b'0')).then_some(output)
    })
}

/// Whether the transcript says that a command has failed; `lines` are its last lines.
#[must_use]
pub fn has_failed(lines: &[u8], call: &str) -> bool {
    const KIND: &[u8] = b"\"CommandExecution\"";
    let finders = [KIND, call.as_bytes()].map(memchr::memmem::Finder::new);
    let mut found =
        lines.rsplit(|byte| *byte == b'\n').filter(|line| finders.iter().all(|one| one.find(line).is_some()));
    found.find_map(|line| {
        let record = read_json(line).ok()?;
        let item = record.get("payload")?.get("item")?;
        (item.get("id")?.as_text() == Some(call))
            .then(|| matches!(item.get("exit_code"), Some(Json::Integer(code)) if *code != 0))
    }) == Some(true)
}

fn text<'a>(object: &'a Json, field: &'static str) -> Result<Option<&'a str>, Error> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(_) => Err(Error::Payload(PayloadProblem::NotString(field))),
    }
}

/// Returns the output of a command without the lines that a host puts around it; the whole text if it has no such lines.
fn unframed(text: &str) -> &str {
    let row = |key| FRAME.row(key).unwrap_or_default();
    let is_framed = row("first").split(' ').any(|first| text.starts_with(first));
    let output = || {
        let before = format!("\n{}", row("before"));
        let rest = text.strip_prefix(row("before")).or_else(|| Some(text.split_once(&before)?.1))?;
        let output = rest.rsplit_once(&format!("\n{}", row("behind")))?.0;
        Some(output.strip_suffix(&format!("\n{}", row("none"))).unwrap_or(output).trim_start_matches(' '))
    };
    output().filter(|_| is_framed).unwrap_or(text)
}

fn describe_failure(error: &str, command: &str) -> String {
    let error = unframed(error);
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
