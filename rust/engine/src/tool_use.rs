//! What a host says about a tool that is about to run, or that ran (SPEC 16.1).

use crate::host::{check_cwd, read_object};
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::writing_commands::TOOLS;

/// A tool event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// What the tool does, and to what: it writes, removes or moves a file (`write`, `remove`, `move`, with its path),
    /// or runs a command (`shell`, `powershell`).
    pub uses: Vec<(&'static str, String)>,
    /// The host's working directory.
    pub cwd: Option<String>,
}

/// What a tool does, as far as a guard cares.
///
/// Anything that is not a JSON object with a `tool_name` and text in the fields we know is an error.
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
    let row = match name.rsplit_once("__") {
        // Servers for git hosts have tools of the same names, for files elsewhere.
        Some((server, tool)) if server.starts_with("mcp__") => TOOLS.row(tool).filter(|_| !server.contains("git")),
        _ => TOOLS.row(&name),
    };
    let mut uses = Vec::new();
    for (action, field) in row.unwrap_or_default().split(' ').filter_map(|part| part.split_once('=')) {
        let subject = payload.get("tool_input").map_or(Ok(None), |input| text(input, field))?;
        uses.extend(subject.filter(|subject| !subject.is_empty()).map(|subject| (action, subject)));
    }
    Ok(ToolUse { uses, cwd })
}
