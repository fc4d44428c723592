//! The tables of words, numbers and rows in `python/cuecard/assets/tables`, which Python reads too (SPEC 2.4).
//!
//! [`reader`] finds the tables in the texts of the files when the code is compiled. Imports no other room.

pub mod host_table;
pub mod people_commands;
pub(crate) mod reader;
pub(crate) mod sources;
pub mod tool_inputs;
pub mod writing_commands;

pub use reader::{Entries, Keyed};
pub(crate) use reader::{
    as_text, count, entries, find_number, find_place, find_row, find_table, find_word, is_same, keyed, keyed_rows,
    keyed_words, numbers, places, read_numbers, read_rows, slot_count, slots, words,
};
pub(crate) use sources::{
    CAPTURE_PHRASES, CHARACTERS, COMMANDS_FOR_PEOPLE, COMPOSITION, CUES, GATE, HOSTS, LANGUAGES, SECRET_WORDS, SIGNS,
    SYNONYMS, TOOL_INPUTS, WORDS, WRITING_COMMANDS,
};
