//! What tools and commands write: the tables of the guard (SPEC 16.1, 16.3).

use crate::text::tables::{Entries, WRITING_COMMANDS, rows, words};

/// Tools, and the fields of their input that say what they write or run.
pub static TOOLS: Entries = rows!(WRITING_COMMANDS, "tools").sorted();
/// Commands of shells, in small letters: what they do, and their options that take a value.
pub static SHELL: Entries = rows!(WRITING_COMMANDS, "shell").sorted();
/// Options of commands with a value that is no path, in small letters.
pub static VALUES: Entries = words!(WRITING_COMMANDS, "values");
