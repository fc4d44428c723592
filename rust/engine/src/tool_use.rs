//! Reads a host's event about a tool that is about to run or has run (SPEC 16.1).

use crate::host::{Host, check_cwd, read_object};
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::tables::writing_commands::TOOLS;
use cuecard_core::text::json_reader::Json;

/// How many files of a patch are looked at.
const MAX_PATCHED: usize = 1000;
/// The lines of a patch that name a file, and what happens to the file.
const PATCH_LINES: [(&str, &str); 4] = [
    ("*** Add File: ", "write"),
    ("*** Update File: ", "write"),
    ("*** Delete File: ", "remove"),
    ("*** Move to: ", "write"),
];

/// The event of a tool that is about to run or has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The actions of the tool, each with its subject: `write`, `remove` and `move` with the path of a file, and
    /// `shell` and `powershell` with a command.
    pub uses: Vec<(&'static str, String)>,
    /// The host's working directory.
    pub cwd: Option<String>,
}

/// Reads the actions of a tool from a host's event.
///
/// Anything that is not a JSON object with a `tool_name` and text in the known fields is an error.
pub fn read_tool_use(data: &[u8]) -> Result<ToolUse, Error> {
    let payload = read_object(data)?;
    let text = |members: &Json, field| match members.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Error::Payload(PayloadProblem::NotString(field))),
    };
    let (name, cwd) = (text(&payload, "tool_name")?, text(&payload, "cwd")?);
    check_cwd(cwd.as_deref())?;
    let name = name.ok_or(Error::Payload(PayloadProblem::NoTool))?;
    let row = known_name(&name).and_then(|name| TOOLS.row(name));
    let mut uses = Vec::new();
    for (action, field) in row.unwrap_or_default().split(' ').filter_map(|part| part.split_once('=')) {
        let subject = payload.get("tool_input").map_or(Ok(None), |input| text(input, field))?;
        let Some(subject) = subject.filter(|subject| !subject.is_empty()) else { continue };
        if action == "patch" {
            uses.extend(files_of_patch(&subject).take(MAX_PATCHED));
        } else {
            uses.push((action, subject));
        }
    }
    Ok(ToolUse { uses, cwd })
}

/// What Mistral Vibe puts before the names of its own tools.
const OWN_TOOLS: &str = "file_system.";

/// Returns the name under which the tables have a tool, which is behind the last `__` for a tool of an MCP server; `None`
/// for a tool that they do not have.
#[must_use]
pub fn known_name(name: &str) -> Option<&str> {
    let name = name.strip_prefix(OWN_TOOLS).unwrap_or(name);
    match name.rsplit_once("__") {
        // MCP servers for Git hosts have tools with the same names, which write files on the host and not here.
        Some((server, tool)) if server.starts_with("mcp__") => Some(tool).filter(|_| !server.contains("git")),
        _ => Some(name),
    }
}

/// Returns the files that a patch writes and removes.
fn files_of_patch(text: &str) -> impl Iterator<Item = (&'static str, String)> {
    text.split('\n').filter_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let (action, path) =
            PATCH_LINES.iter().find_map(|(begin, action)| Some((*action, line.strip_prefix(begin)?)))?;
        Some((action, path.to_owned()))
    })
}

/// Whether the host can ask the user before a tool runs; `data` is an event that `read_tool_use` has read.
///
/// Claude Code can, unless its user has switched questions off. Other hosts send events of the same form with members
/// that Claude Code does not send. Codex runs the tool if a hook wants a question.
#[must_use]
pub fn can_ask(data: &[u8], host: Host) -> bool {
    let Ok(payload) = read_object(data) else { return false };
    let has = |name: &str| !matches!(payload.get(name), None | Some(Json::Null));
    let asks_nothing = matches!(payload.get("permission_mode"), Some(Json::Text(mode)) if mode == "bypassPermissions");
    host.is_default() && !has("turn_id") && !has("timestamp") && !asks_nothing
}
