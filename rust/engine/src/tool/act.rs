//! Reads what a tool is about to add or to run, or has added or run (SPEC 40.2).

use crate::host::read_object;
use crate::tool_use::known_name;
use cuecard_core::error::Error;
use cuecard_core::tables::host_table::TOOL_EVENTS;
use cuecard_core::tables::tool_inputs::TOOL_FIELDS;
use cuecard_core::text::chars::cut;
use cuecard_core::text::json_reader::Json;

/// How many characters are read of each text of an edit.
const MAX_TEXT_CHARS: usize = 200_000;
/// How many files and how many replacements of an act are looked at.
pub(crate) const MAX_EDITS: usize = 64;
const MAX_CHANGES: usize = 64;
/// The lines of a patch before the changes of a file.
const FILE_LINES: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// What an edit replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Old {
    /// This text.
    Text(String),
    /// The whole file.
    File,
    /// The cell with this id in a notebook.
    Cell(String),
}

/// A text that takes the place of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is replaced.
    pub old: Old,
    /// The new text.
    pub new: String,
}

/// The changes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The path, as the tool was given it.
    pub path: String,
    /// The changes; none if the file is only removed or moved.
    pub changes: Vec<Change>,
}

/// What a tool changes and runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// The host's name of the event.
    pub event: String,
    /// Whether the tool has run already.
    pub is_over: bool,
    /// The files that are changed.
    pub edits: Vec<Edit>,
    /// The command that is run; empty if there is none.
    pub script: String,
}

/// Reads the act of a tool from a host's event, as [`read_act`] does.
pub fn read_act_of(data: &[u8]) -> Result<Option<Act>, Error> {
    Ok(read_act(&read_object(data)?))
}

/// Reads the act of a tool; `None` if the event or the tool is not one of those that change a file or run a command.
#[must_use]
pub fn read_act(payload: &Json) -> Option<Act> {
    let event = payload.get("hook_event_name")?.as_text()?;
    let is_over = match TOOL_EVENTS.row(event)? {
        "before" => false,
        "after" => true,
        _ => return None,
    };
    let name = known_name(payload.get("tool_name")?.as_text()?)?;
    let fields = Fields { row: TOOL_FIELDS.row(name)?, input: payload.get("tool_input")? };
    let script = cut(fields.text("command").unwrap_or_default(), MAX_TEXT_CHARS).to_owned();
    let edits = match fields.text("patch") {
        Some(patch) => read_patch(cut(patch, MAX_TEXT_CHARS)),
        None => fields.edit().into_iter().collect(),
    };
    let is_act = !script.is_empty() || !edits.is_empty();
    is_act.then(|| Act { event: event.to_owned(), is_over, edits, script })
}

/// The input of a tool, and the row of the table that says what its fields have.
struct Fields<'a> {
    row: &'static str,
    input: &'a Json,
}

impl<'a> Fields<'a> {
    /// The fields of the input that have this role.
    fn names(&self, role: &str) -> impl Iterator<Item = &'static str> {
        let pairs = self.row.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.filter(move |(known, _)| *known == role).map(|(_, field)| field)
    }

    /// The first text in a field with this role.
    fn text(&self, role: &str) -> Option<&'a str> {
        self.text_in(self.input, role)
    }

    fn text_in(&self, members: &'a Json, role: &str) -> Option<&'a str> {
        self.names(role).find_map(|field| members.get(field)?.as_text())
    }

    fn edit(&self) -> Option<Edit> {
        let path = self.text("path").filter(|path| !path.is_empty())?.to_owned();
        let text = |text: &str| cut(text, MAX_TEXT_CHARS).to_owned();
        let mut changes = Vec::new();
        if let Some(new) = self.text("all") {
            changes.push(Change { old: Old::File, new: text(new) });
        }
        let listed = self.names("list").find_map(|field| self.input.get(field));
        let members = match listed {
            Some(Json::List(members)) => members.as_slice(),
            _ => std::slice::from_ref(self.input),
        };
        for member in members.iter().take(MAX_CHANGES) {
            if let Some(new) = self.text_in(member, "new") {
                let old = match self.text_in(member, "cell").filter(|_| !is_inserted(self.input)) {
                    Some(cell) => Old::Cell(text(cell)),
                    None => Old::Text(text(self.text_in(member, "old").unwrap_or_default())),
                };
                changes.push(Change { old, new: text(new) });
            }
        }
        Some(Edit { path, changes })
    }
}

/// Whether a cell is added to a notebook behind the named one.
fn is_inserted(input: &Json) -> bool {
    input.get("edit_mode").and_then(Json::as_text) == Some("insert")
}

/// Reads the files of a patch, with the lines that it removes and adds.
fn read_patch(patch: &str) -> Vec<Edit> {
    let mut files: Vec<(String, String, String)> = Vec::new();
    for line in patch.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(path) = FILE_LINES.iter().find_map(|begin| line.strip_prefix(begin)) {
            if files.len() == MAX_EDITS {
                break;
            }
            files.push((path.to_owned(), String::new(), String::new()));
        } else if let Some((_, old, new)) = files.last_mut() {
            if let Some(line) = line.strip_prefix('-') {
                old.push_str(line);
                old.push('\n');
            } else if let Some(line) = line.strip_prefix('+') {
                new.push_str(line);
                new.push('\n');
            }
        }
    }
    let change = |old, new| Change { old: Old::Text(old), new };
    files.into_iter().map(|(path, old, new)| Edit { path, changes: vec![change(old, new)] }).collect()
}
