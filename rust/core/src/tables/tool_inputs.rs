//! The table of what tools are told about an edit or a command (SPEC 40.2).

use crate::tables::{Keyed, TOOL_INPUTS, keyed_rows};

/// Tools, each with the fields of its input that have a path, texts or a command.
pub static TOOL_FIELDS: Keyed = keyed_rows!(TOOL_INPUTS, "tools");
