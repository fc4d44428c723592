//! Tables of words and numbers, from the files in `python/cuecard/assets/tables` (SPEC 2.4).
//!
//! The build script finds and checks the tables, so a wrong file is a compile error. A table of words is its text with
//! 32-bit offsets of its words, so that the process that answers a prompt has nothing to parse and no addresses to
//! relocate. A table in which words are looked up also has a hash table, because most words of a prompt are in none of
//! these tables, which a hash tells at once.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the build script has checked the tables, and the compiler works in the other functions"
)]

use crate::tables::slot::{first_slot, next_slot};

/// The entries of a table: its words or its rows.
#[derive(Debug, Clone, Copy)]
pub struct Entries {
    text: &'static str,
    /// The offset of each entry, then the length of the text plus 1.
    starts: &'static [u32],
}

impl Entries {
    /// A table of this text, with these offsets.
    pub(crate) const fn new(text: &'static str, starts: &'static [u32]) -> Self {
        Self { text, starts }
    }

    /// The number of entries.
    pub(crate) const fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of an entry.
    pub(crate) const fn bytes(&self, number: usize) -> &'static [u8] {
        let (before, _) = self.text.as_bytes().split_at(self.starts[number + 1] as usize - 1);
        before.split_at(self.starts[number] as usize).1
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        let text = self.text;
        self.starts.windows(2).map(move |place| text.get(place[0] as usize..place[1] as usize - 1).unwrap_or_default())
    }
}

/// A table in which entries are looked up by their key: a word, or the first word of a row.
#[derive(Debug, Clone, Copy)]
pub struct Keyed {
    entries: Entries,
    /// A hash table with linear probing: the number of an entry plus 1, or 0 for a free slot. Its length is a power of
    /// two.
    slots: &'static [u16],
    /// The length of the longest key in bytes.
    longest: usize,
}

impl Keyed {
    /// A table of these entries and slots.
    pub(crate) const fn new(entries: Entries, slots: &'static [u16], longest: usize) -> Self {
        Self { entries, slots, longest }
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter()
    }

    /// The length of the longest key in bytes.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether the table has an entry with this key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// The rest of the row whose first word is `key`; `None` if there is no such row.
    #[must_use]
    pub fn row(&self, key: &str) -> Option<&'static str> {
        let number = self.find(key)?;
        let (start, end) = (self.entries.starts[number] as usize, self.entries.starts[number + 1] as usize - 1);
        self.entries.text.get(start + key.len() + 1..end)
    }

    fn find(&self, key: &str) -> Option<usize> {
        let key = key.as_bytes();
        if key.len() > self.longest {
            return None;
        }
        let mut slot = first_slot(key, self.slots.len());
        loop {
            let number = usize::from(self.slots[slot]).checked_sub(1)?;
            let behind = self.entries.bytes(number).strip_prefix(key);
            if behind.is_some_and(|behind| behind.is_empty() || behind[0] == b' ') {
                return Some(number);
            }
            slot = next_slot(slot, self.slots.len());
        }
    }
}

/// The text of a table.
macro_rules! table {
    ($file:literal, $name:literal) => {
        $crate::tables::written!($file, $name, "table")
    };
}

/// The words of a table, which blanks and line ends separate.
macro_rules! words {
    ($file:literal, $name:literal) => {
        $crate::tables::written!($file, $name, "words")
    };
}

/// The rows of a table.
macro_rules! rows {
    ($file:literal, $name:literal) => {
        $crate::tables::written!($file, $name, "rows")
    };
}

/// The words of a table, for looking words up.
macro_rules! keyed_words {
    ($file:literal, $name:literal) => {
        $crate::tables::written!($file, $name, "keyed_words")
    };
}

/// The rows of a table, for looking rows up by their first word.
macro_rules! keyed_rows {
    ($file:literal, $name:literal) => {
        $crate::tables::written!($file, $name, "keyed_rows")
    };
}

/// The numbers of a table, or its rows of `$width` numbers each.
macro_rules! numbers {
    ($file:literal, $name:literal) => {
        $crate::tables::written!($file, $name, "numbers")
    };
    ($file:literal, $name:literal, $width:literal) => {{
        const ROWS: &[[i32; $width]] = $crate::tables::written!($file, $name, "rows_of_numbers");
        ROWS
    }};
}

/// What the build script has written of a table.
macro_rules! written {
    ($file:literal, $name:literal, $form:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $file, ".", $name, ".", $form))
    };
}

pub(crate) use {keyed_rows, keyed_words, numbers, rows, table, words, written};

/// The row of a table whose first word is `key`; a compile error if there is no such row.
pub(crate) const fn find_row(table: &'static str, key: &str) -> &'static str {
    let text = table.as_bytes();
    let (mut begin, mut end) = (0, 0);
    while end <= text.len() {
        if end == text.len() || text[end] == b'\n' {
            let row = text.split_at(end).0.split_at(begin).1;
            let found = key_of(row);
            if is_same(as_text(found), key) {
                return as_text(row);
            }
            begin = end + 1;
        }
        end += 1;
    }
    panic!("the table does not have the row")
}

/// A word of a row, by its number; a compile error if the row has fewer words.
pub(crate) const fn find_word(row: &'static str, number: usize) -> &'static str {
    let (mut rest, mut before) = (row.as_bytes(), 0);
    while before < number {
        let [_, behind @ ..] = rest.split_at(word_length(rest)).1 else {
            panic!("a row of the table has too few words")
        };
        assert!(!behind.is_empty(), "a row of the table has too few words");
        rest = behind;
        before += 1;
    }
    as_text(key_of(rest))
}

/// The number that a word of a row is.
pub(crate) const fn find_number(row: &'static str, number: usize) -> i32 {
    let (found, rest) = read_number(find_word(row, number).as_bytes());
    assert!(rest.is_empty());
    found
}

pub(crate) const fn as_text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("the file is not UTF-8"),
    }
}

/// The place of a part in a text.
pub(crate) const fn find_place(text: &str, part: &str) -> Option<usize> {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let mut place = 0;
    while place + part.len() <= text.len() {
        if has_at(text, place, part) {
            return Some(place);
        }
        place += 1;
    }
    None
}

/// Whether two texts are equal.
pub(crate) const fn is_same(text: &str, other: &str) -> bool {
    text.len() == other.len() && has_at(text.as_bytes(), 0, other.as_bytes())
}

/// The first word of a text that begins with an entry.
const fn key_of(text: &[u8]) -> &[u8] {
    text.split_at(word_length(text)).0
}

/// The number that a text begins with, and what follows it.
const fn read_number(text: &[u8]) -> (i32, &[u8]) {
    let (is_negative, text) = match text {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, text),
    };
    let (base, digits) = match text {
        [b'0', b'x', digits @ ..] => (16, digits),
        _ => (10, text),
    };
    let (mut value, mut rest) = (0, digits);
    while let [byte, behind @ ..] = rest {
        let digit = match *byte {
            b'0'..=b'9' => *byte - b'0',
            b'a'..=b'f' if base == 16 => *byte - b'a' + 10,
            b' ' | b'\n' => break,
            _ => panic!("a number of the table has a character that is not a digit"),
        };
        value = value * base + digit as i32;
        rest = behind;
    }
    assert!(rest.len() < digits.len(), "a number of the table is empty");
    (if is_negative { -value } else { value }, rest)
}

/// The length of the word that a text begins with.
const fn word_length(text: &[u8]) -> usize {
    let mut rest = text;
    while let [byte, behind @ ..] = rest {
        if *byte == b'\n' || *byte == b' ' {
            break;
        }
        rest = behind;
    }
    text.len() - rest.len()
}

const fn has_at(text: &[u8], place: usize, name: &[u8]) -> bool {
    if text.len() < place + name.len() {
        return false;
    }
    let mut length = 0;
    while length < name.len() && text[place + length] == name[length] {
        length += 1;
    }
    length == name.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_words_or_rows() {
        assert_eq!(Entries::new("a bc\n[d]", &[0, 2, 5, 9]).iter().collect::<Vec<_>>(), ["a", "bc", "[d]"]);
        assert_eq!(Entries::new("a bc\n[d]", &[0, 5, 9]).iter().collect::<Vec<_>>(), ["a bc", "[d]"]);
    }

    #[test]
    fn an_entry_is_found_by_its_key() {
        let (weak, tools) = (keyed_words!("words", "weak_words"), keyed_rows!("tool_inputs", "tools"));
        assert!(weak.iter().all(|word| weak.has(word)));
        assert_eq!(["zzz", "", "a b"].map(|word| weak.has(word)), [false; 3]);
        assert_eq!(tools.longest(), tools.iter().map(|row| key_of(row.as_bytes()).len()).max().unwrap());
        for row in tools.iter() {
            let (key, rest) = row.split_once(' ').unwrap();
            assert_eq!(tools.row(key), Some(rest));
            assert_eq!([tools.row(&key[1..]), tools.row(&format!("{key}s"))], [None; 2]);
        }
    }
}
