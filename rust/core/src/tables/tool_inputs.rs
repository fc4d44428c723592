//! The table of what tools are told about an edit or a command (SPEC 40.2).

use crate::tables::{Entries, Keyed, TOOL_INPUTS, entries, find_table, keyed_rows};

/// Tools, each with the fields of its input that have a path, texts or a command.
pub static TOOL_FIELDS: Keyed = keyed_rows!(TOOL_INPUTS, "tools");
/// Tools that read a file, each with the fields of its input that can have the path.
pub static READERS: Keyed = keyed_rows!(TOOL_INPUTS, "readers");
/// Tools that start a subagent, each with the field of its input that has the prompt.
pub static AGENTS: Keyed = keyed_rows!(TOOL_INPUTS, "agents");
/// The members of an event that can have a command's result, each with the words before the exit code.
pub static RESULTS: Entries = entries!(find_table(TOOL_INPUTS, "results"), b'\n');
/// The lines that hosts put around the output of a command.
pub static FRAME: Keyed = keyed_rows!(TOOL_INPUTS, "frame");
