//! The tables of words, numbers and rows in `python/cuecard/assets/tables`, which Python reads too (SPEC 2.4).
//!
//! The build script takes the files apart with [`writer`]; [`reader`] includes what it has written. Imports no other room.

pub mod host_table;
pub mod people_commands;
pub(crate) mod reader;
pub(crate) mod slot;
pub mod tool_inputs;
#[cfg(test)]
pub(crate) mod writer;
pub mod writing_commands;

pub use reader::{Entries, Keyed};
pub(crate) use reader::{
    as_text, find_number, find_place, find_row, find_word, is_same, keyed_rows, keyed_words, numbers, rows, table,
    words, written,
};
