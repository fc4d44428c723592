//! The tables of the guard: tools and commands that write files (SPEC 16.1, 16.3).

use crate::tables::{Entries, Keyed, keyed_rows, words};

/// Tools, each with the fields of its input that contain what the tool writes or runs.
pub static TOOLS: Keyed = keyed_rows!("writing_commands", "tools");
/// Shell commands, in lower case, each with what the command does and its options that take a value.
pub static SHELL: Keyed = keyed_rows!("writing_commands", "shell");
/// Options, in lower case, that take a value which is not a path.
pub static VALUES: Entries = words!("writing_commands", "values");
