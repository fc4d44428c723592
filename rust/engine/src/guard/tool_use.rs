//! What a host says about a tool, and what a guard answers it (SPEC 16.1 and 16.2).

use crate::guard::powershell_writes::find_powershell_writes;
use crate::guard::shell_scope::{Place, Scope};
use crate::guard::shell_writes::find_shell_writes;
use crate::host::{check_cwd, read_object};
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::json_writer::quote;

/// So many writes of one command are looked at.
pub const MAX_WRITES: usize = 1000;

/// What a tool does, as far as a guard cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// It writes one file.
    File,
    /// It runs a command of a POSIX shell.
    Shell,
    /// It runs a command of PowerShell.
    PowerShell,
    /// Nothing that a guard looks at.
    Other,
}

impl Tool {
    /// The tool of that name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "file" => Ok(Self::File),
            "shell" => Ok(Self::Shell),
            "powershell" => Ok(Self::PowerShell),
            "other" => Ok(Self::Other),
            _ => {
                let known = &["file", "shell", "powershell", "other"];
                Err(Error::UnknownName { kind: "tool", name: name.into(), known })
            }
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Shell => "shell",
            Self::PowerShell => "powershell",
            Self::Other => "other",
        }
    }
}

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A file is made or its content changed.
    Write,
    /// A file goes away, or something below a folder.
    Remove,
    /// A folder goes away with all that is in it.
    RemoveTree,
    /// A file or folder leaves its place.
    Move,
}

impl Action {
    /// The action of that name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "write" => Ok(Self::Write),
            "remove" => Ok(Self::Remove),
            "remove_tree" => Ok(Self::RemoveTree),
            "move" => Ok(Self::Move),
            _ => {
                let known = &["write", "remove", "remove_tree", "move"];
                Err(Error::UnknownName { kind: "action", name: name.into(), known })
            }
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Remove => "remove",
            Self::RemoveTree => "remove_tree",
            Self::Move => "move",
        }
    }
}

/// A path and what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// What happens.
    pub action: Action,
    /// The path, its dots and links as they are; [`UNKNOWN`](crate::guard::shell_scope::UNKNOWN) stands for what only the
    /// shell could know.
    pub path: String,
}

/// A tool event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// What the tool does.
    pub tool: Tool,
    /// The file it writes or the command it runs.
    pub subject: String,
    /// Where the host works.
    pub cwd: Option<String>,
}

/// Tool, subject and working directory of a tool event.
///
/// Anything that is not a JSON object with a `tool_name` and text in the fields we know is an error; a tool that no
/// guard looks at, or that names neither file nor command, is [`Tool::Other`].
pub fn read_tool_use(data: &[u8]) -> Result<ToolUse, Error> {
    let payload = read_object(data)?;
    let text = |field: &'static str| match payload.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Error::Payload(PayloadProblem::NotString(field))),
    };
    let (name, cwd) = (text("tool_name")?, text("cwd")?);
    check_cwd(cwd.as_deref())?;
    let name = name.ok_or(Error::Payload(PayloadProblem::NoTool))?;
    let (tool, field) = match name.as_str() {
        "Write" | "Edit" | "MultiEdit" => (Tool::File, "file_path"),
        "NotebookEdit" => (Tool::File, "notebook_path"),
        "Bash" => (Tool::Shell, "command"),
        "PowerShell" => (Tool::PowerShell, "command"),
        _ => (Tool::Other, ""),
    };
    let subject = match payload.get("tool_input").and_then(|input| input.get(field)) {
        Some(Json::Text(subject)) => subject.clone(),
        None | Some(Json::Null) => String::new(),
        Some(_) => return Err(Error::Payload(PayloadProblem::NotString(field))),
    };
    Ok(ToolUse { tool: if subject.is_empty() { Tool::Other } else { tool }, subject, cwd })
}

/// What a tool writes, in its order, at most [`MAX_WRITES`].
#[must_use]
pub fn find_writes(tool: Tool, subject: &str, place: &Place) -> Vec<Write> {
    match tool {
        Tool::File => {
            let scope = Scope::new(place);
            vec![Write { action: Action::Write, path: scope.locate(&scope.expand_home(subject)) }]
        }
        Tool::Shell => find_shell_writes(subject, place),
        Tool::PowerShell => find_powershell_writes(subject, place),
        Tool::Other => Vec::new(),
    }
}

/// The bytes for standard output that keep a tool from running.
#[must_use]
pub fn write_denial(reason: &str) -> String {
    format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\
         \"permissionDecisionReason\":{}}}}}\n",
        quote(reason)
    )
}

/// The bytes for standard output that tell the agent what is wrong with what a tool has done, and more about it.
#[must_use]
pub fn write_complaint(reason: &str, context: &str) -> String {
    format!(
        "{{\"decision\":\"block\",\"reason\":{},\"hookSpecificOutput\":{{\"hookEventName\":\"PostToolUse\",\
         \"additionalContext\":{}}}}}\n",
        quote(reason),
        quote(context)
    )
}
