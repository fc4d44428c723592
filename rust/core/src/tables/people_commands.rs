//! The tables of the commands that are for people (SPEC 16.6).

use crate::tables::{Entries, Keyed, keyed_rows, keyed_words, words};

/// Commands of cuecard, each with the conditions under which it widens what is trusted.
pub static COMMANDS: Keyed = keyed_rows!("commands_for_people", "commands");
/// Options without a value.
pub static FLAGS: Keyed = keyed_words!("commands_for_people", "flags");
/// Settings that widen what is trusted, by name or by the beginning of the name.
pub static SETTINGS: Entries = words!("commands_for_people", "settings");
