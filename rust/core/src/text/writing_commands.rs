//! The tables of the guard: tools and commands that write files (SPEC 16.1, 16.3).

use crate::text::tables::{Entries, WRITING_COMMANDS, rows, words};

/// Tools, each with the fields of its input that say what it writes or runs.
pub static TOOLS: Entries = rows!(WRITING_COMMANDS, "tools").sorted();
/// Shell commands, in lower case, each with what it does and its options that take a value.
pub static SHELL: Entries = rows!(WRITING_COMMANDS, "shell").sorted();
/// Options of commands whose value is not a path, in lower case.
pub static VALUES: Entries = words!(WRITING_COMMANDS, "values");
