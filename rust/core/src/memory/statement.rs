//! The main statement of a memory, and the key by which it is recognised in another text (SPEC 12.6).

use crate::memory::card::MAIN_FIELDS;
use crate::text::chars::is_white_space;
use crate::text::json_reader::Json;
use crate::text::sha256_hex;

/// A statement with fewer bytes can stand in another text by chance.
const LEAST_BYTES: usize = 12;
const KEY_CHARS: usize = 16;
/// The signs of Markdown around words, which say nothing.
const MARKUP: [char; 3] = ['*', '_', '`'];
/// The signs with which a statement may end or not.
const ENDS: [char; 7] = [' ', '.', '!', ';', ':', ',', '。'];

/// What the main field of a memory's category says; `None` unless it is one text.
#[must_use]
pub fn main_statement(record: &Json) -> Option<&str> {
    let category = record.get("category")?.as_text()?;
    let (_, field) = MAIN_FIELDS.iter().find(|(name, _)| *name == category)?;
    record.get("content")?.get(field)?.as_text()
}

/// The key of a statement, which is the same for all spellings that differ only in white space, ASCII case, Markdown and
/// the sign at the end; empty if the statement is too short to be recognised.
#[must_use]
pub fn statement_key(text: &str) -> String {
    let plain: String = text.chars().filter(|char| !MARKUP.contains(char)).collect();
    let words: Vec<&str> = plain.split(is_white_space).filter(|word| !word.is_empty()).collect();
    let said = words.join(" ").to_ascii_lowercase();
    let said = said.trim_end_matches(ENDS);
    if said.len() < LEAST_BYTES {
        return String::new();
    }
    let mut digits = sha256_hex(said.as_bytes());
    digits.truncate(KEY_CHARS);
    digits
}
