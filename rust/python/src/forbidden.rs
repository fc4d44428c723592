//! Functions on what memories forbid, for the parity tests.

use crate::convert::{Raised, Text};
use cuecard_core::memory::{forbidden_code, forbids};
use cuecard_engine::guard::{forbidden_command, shell_commands};
use cuecard_engine::tool::act::{Act, Old, read_act_of};
use pyo3::prelude::*;

// What is replaced, its text or id, and the new text.
type ChangeRow = (&'static str, String, String);
// The event, whether the tool has run, the files with their changes, and the command.
type ActRow = (String, bool, Vec<(String, Vec<ChangeRow>)>, String);

#[pyfunction]
pub(crate) fn normalize_forbid(entry: Text) -> Option<String> {
    forbids::normalize_forbid(&entry)
}

#[pyfunction]
pub(crate) fn covers(pattern: Text, path: Text) -> bool {
    forbids::covers(&pattern, &path)
}

#[pyfunction]
pub(crate) fn count_code(text: Text, code: Text) -> usize {
    forbidden_code::count_code(&text, &code)
}

#[pyfunction]
pub(crate) fn imported_modules(text: Text, path: Text) -> Vec<String> {
    forbidden_code::imported_modules(&text, &path)
}

#[pyfunction]
pub(crate) fn is_module(name: Text, module: Text) -> bool {
    forbidden_code::is_module(&name, &module)
}

#[pyfunction]
pub(crate) fn runs_forbidden(script: Text, forbidden: Text) -> Vec<String> {
    let commands = shell_commands::read_script(&script, "/p", "/h", "/c").commands;
    let found = commands.into_iter().filter(|(_, words)| forbidden_command::is_forbidden(words, &forbidden));
    found.map(|(folder, _)| folder).collect()
}

#[pyfunction]
pub(crate) fn read_act(data: &[u8]) -> Result<Option<ActRow>, Raised> {
    Ok(read_act_of(data)?.map(|Act { event, is_over, edits, script }| {
        let row = |old, new| match old {
            Old::Text(text) => ("text", text, new),
            Old::File => ("file", String::new(), new),
            Old::Cell(id) => ("cell", id, new),
        };
        let edits = edits
            .into_iter()
            .map(|edit| (edit.path, edit.changes.into_iter().map(|change| row(change.old, change.new)).collect()));
        (event, is_over, edits.collect(), script)
    }))
}
