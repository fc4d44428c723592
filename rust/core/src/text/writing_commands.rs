//! What tools and commands write: the tables of the guard (SPEC 16.1, 16.3).

use crate::text::tables::{Entries, WRITING_COMMANDS, rows, words};

/// Tools, and the fields of their input that say what they write or run.
pub static TOOLS: Entries = rows!(WRITING_COMMANDS, "tools").sorted();
/// Commands of POSIX shells: what they do, and their options that take a value.
pub static SHELL: Entries = rows!(WRITING_COMMANDS, "shell").sorted();
/// Words that stand before a command.
pub static KEYWORDS: Entries = words!(WRITING_COMMANDS, "keywords").sorted();
/// Commands of PowerShell: what they do.
pub static POWERSHELL: Entries = rows!(WRITING_COMMANDS, "powershell").sorted();
/// Parameters of PowerShell with a value that is no path.
pub static POWERSHELL_VALUES: Entries = words!(WRITING_COMMANDS, "powershell_values");
