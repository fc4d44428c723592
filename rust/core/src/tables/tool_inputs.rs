//! The table of what tools are told about an edit or a command (SPEC 40.2).

use crate::tables::{Entries, Keyed, keyed_rows, rows};

/// Tools, each with the fields of its input that have a path, texts or a command.
pub static TOOL_FIELDS: Keyed = keyed_rows!("tool_inputs", "tools");
/// Tools that read a file, each with the fields of its input that can have the path.
pub static READERS: Keyed = keyed_rows!("tool_inputs", "readers");
/// Tools that start a subagent, each with the field of its input that has the prompt.
pub static AGENTS: Keyed = keyed_rows!("tool_inputs", "agents");
/// The members of an event that can have a command's result, each with the words before the exit code.
pub static RESULTS: Entries = rows!("tool_inputs", "results");
/// The lines that hosts put around the output of a command.
pub static FRAME: Keyed = keyed_rows!("tool_inputs", "frame");
