//! Tables of words and numbers, from the files in `python/cuecard/assets/tables` (SPEC 2.4).
//!
//! The tables are found and checked at compile time, so a wrong file is a compile error. A table of words is the text
//! of the file with 32-bit offsets of its words, so that the process that answers a prompt has nothing to parse and no
//! addresses to relocate. A table in which words are looked up also has a hash table, because most words of a prompt are
//! in none of these tables, which a hash tells at once.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::panic,
    reason = "the compiler works here: it reports an index out of bounds, and a table is too short for large places"
)]

/// The entries of a table: its words or its rows.
#[derive(Debug, Clone, Copy)]
pub struct Entries {
    text: &'static str,
    /// The offset of each entry, then the length of the text plus 1.
    starts: &'static [u32],
}

impl Entries {
    /// A table of this text, with the offsets that [`places`] returns.
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
    /// A table of these entries, with the slots that [`slots`] returns.
    pub(crate) const fn new(entries: Entries, slots: &'static [u16]) -> Self {
        let (mut longest, mut number) = (0, 0);
        while number < entries.len() {
            let length = key_of(entries.bytes(number)).len();
            longest = if length > longest { length } else { longest };
            number += 1;
        }
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

/// The words of a table, which blanks and line ends separate.
macro_rules! words {
    ($file:expr, $name:literal) => {{
        const TEXT: &str = $crate::tables::find_table($file, $name);
        $crate::tables::entries!(TEXT, b' ')
    }};
}

/// The words of a table, for looking words up.
macro_rules! keyed_words {
    ($file:expr, $name:literal) => {
        $crate::tables::keyed!($crate::tables::find_table($file, $name), b' ')
    };
}

/// The rows of a table, for looking rows up by their first word.
macro_rules! keyed_rows {
    ($file:expr, $name:literal) => {
        $crate::tables::keyed!($crate::tables::find_table($file, $name), b'\n')
    };
}

/// The entries of a text, for looking them up.
macro_rules! keyed {
    ($text:expr, $separator:expr) => {{
        const TEXT: &str = $text;
        const ENTRIES: $crate::tables::Entries = $crate::tables::entries!(TEXT, $separator);
        static SLOTS: [u16; $crate::tables::slot_count(ENTRIES)] = $crate::tables::slots(ENTRIES);
        $crate::tables::Keyed::new(ENTRIES, &SLOTS)
    }};
}

macro_rules! entries {
    ($text:expr, $separator:expr) => {{
        const COUNT: usize = $crate::tables::count($text, $separator);
        static PLACES: [u32; COUNT + 1] = $crate::tables::places($text, $separator);
        $crate::tables::Entries::new($text, &PLACES)
    }};
}

/// The numbers of a table, or its rows of `$width` numbers each.
macro_rules! numbers {
    ($file:expr, $name:literal) => {{
        const TEXT: &str = $crate::tables::find_table($file, $name);
        const COUNT: usize = $crate::tables::count(TEXT, b' ');
        static NUMBERS: [i32; COUNT] = $crate::tables::read_numbers(TEXT);
        &NUMBERS
    }};
    ($file:expr, $name:literal, $width:literal) => {{
        const TEXT: &str = $crate::tables::find_table($file, $name);
        const ROWS: usize = $crate::tables::count(TEXT, b'\n');
        static NUMBERS: [[i32; $width]; ROWS] = $crate::tables::read_rows(TEXT);
        &NUMBERS
    }};
}

pub(crate) use {entries, keyed, keyed_rows, keyed_words, numbers, words};

/// The text of a table in a file; a compile error if the file does not have the table.
///
/// A table begins after a line with its name in brackets and ends before the next empty line.
pub(crate) const fn find_table(file: &'static str, name: &str) -> &'static str {
    let (text, name) = (file.as_bytes(), name.as_bytes());
    let mut place = 0;
    while place + name.len() + 4 < text.len() {
        if text[place] == b'\n' && text[place + 1] == b'[' {
            let begin = place + name.len() + 4;
            if text[begin - 2] == b']' && text[begin - 1] == b'\n' && has_at(text, place + 2, name) {
                let mut end = begin;
                while !(text[end] == b'\n' && (end + 1 == text.len() || text[end + 1] == b'\n')) {
                    end += 1;
                }
                let (before, _) = text.split_at(end);
                return as_text(before.split_at(begin).1);
            }
        }
        place += 1;
    }
    panic!("the file does not have the table")
}

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
    let text = row.as_bytes();
    let (mut begin, mut before) = (0, 0);
    while before < number {
        begin = find_end(text, begin) + 1;
        assert!(begin < text.len(), "a row of the table has too few words");
        before += 1;
    }
    as_text(text.split_at(find_end(text, begin)).0.split_at(begin).1)
}

/// The number that a word of a row is.
pub(crate) const fn find_number(row: &'static str, number: usize) -> i32 {
    read_number(find_word(row, number).as_bytes())
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

/// The number of entries of a text: its words if the separator is a blank, or its rows if the separator is a line end.
pub(crate) const fn count(text: &str, separator: u8) -> usize {
    let (text, mut place, mut count) = (text.as_bytes(), 0, 1);
    while place < text.len() {
        if is_end(text[place], separator) {
            count += 1;
        }
        place += 1;
    }
    count
}

/// The offsets of the entries of a text, then the text's length plus 1. Exactly one separator must be between two
/// entries.
pub(crate) const fn places<const COUNT: usize>(text: &str, separator: u8) -> [u32; COUNT] {
    let (text, mut place, mut number) = (text.as_bytes(), 0, 1);
    assert!(text.len() < u32::MAX as usize, "the table is too long");
    let mut places = [0; COUNT];
    while place <= text.len() {
        if place == text.len() || is_end(text[place], separator) {
            assert!(place as u32 > places[number - 1], "an entry of the table is empty");
            places[number] = place as u32 + 1;
            number += 1;
        }
        place += 1;
    }
    assert!(number == COUNT);
    places
}

/// The number of slots of a [`Keyed`] table, which are at most half full.
pub(crate) const fn slot_count(entries: Entries) -> usize {
    (2 * entries.len()).next_power_of_two()
}

/// The slots of a [`Keyed`] table; a compile error if two entries have the same key.
pub(crate) const fn slots<const COUNT: usize>(entries: Entries) -> [u16; COUNT] {
    let mut slots = [0; COUNT];
    let mut number = 0;
    while number < entries.len() {
        let key = key_of(entries.bytes(number));
        let mut slot = first_slot(key, COUNT);
        while slots[slot] != 0 {
            let known = key_of(entries.bytes(slots[slot] as usize - 1));
            assert!(!(known.len() == key.len() && has_at(known, 0, key)), "the table has a key twice");
            slot = next_slot(slot, COUNT);
        }
        slots[slot] = number as u16 + 1;
        number += 1;
    }
    slots
}

/// The slot at which the search for a key begins (FNV-1a, whose high bits are the better ones).
const fn first_slot(key: &[u8], slots: usize) -> usize {
    let (mut hash, mut place) = (0x811c_9dc5_u32, 0);
    while place < key.len() {
        hash = (hash ^ key[place] as u32).wrapping_mul(0x0100_0193);
        place += 1;
    }
    (hash ^ (hash >> 15)) as usize & (slots - 1)
}

const fn next_slot(slot: usize, slots: usize) -> usize {
    (slot + 1) & (slots - 1)
}

/// The first word of an entry.
const fn key_of(entry: &[u8]) -> &[u8] {
    let mut length = 0;
    while length < entry.len() && entry[length] != b' ' {
        length += 1;
    }
    entry.split_at(length).0
}

/// The numbers of a text: decimal, or hexadecimal with the prefix `0x`.
pub(crate) const fn read_numbers<const COUNT: usize>(text: &str) -> [i32; COUNT] {
    let text = text.as_bytes();
    let mut numbers = [0; COUNT];
    let (mut number, mut place) = (0, 0);
    while number < COUNT {
        let end = find_end(text, place);
        numbers[number] = read_number(text.split_at(end).0.split_at(place).1);
        number += 1;
        place = end + 1;
    }
    assert!(place > text.len(), "the table does not have the expected number of numbers");
    numbers
}

/// The rows of a text, each of `WIDTH` numbers.
pub(crate) const fn read_rows<const WIDTH: usize, const ROWS: usize>(text: &str) -> [[i32; WIDTH]; ROWS] {
    let text = text.as_bytes();
    let mut numbers = [[0; WIDTH]; ROWS];
    let (mut row, mut column, mut place) = (0, 0, 0);
    while row < ROWS {
        let end = find_end(text, place);
        numbers[row][column] = read_number(text.split_at(end).0.split_at(place).1);
        column += 1;
        let is_row_end = end == text.len() || text[end] == b'\n';
        assert!(is_row_end == (column == WIDTH), "a row of the table does not have the expected number of numbers");
        if is_row_end {
            row += 1;
            column = 0;
        }
        place = end + 1;
    }
    assert!(place > text.len(), "the table does not have the expected number of rows");
    numbers
}

const fn read_number(digits: &[u8]) -> i32 {
    let (is_negative, digits) = match digits {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, digits),
    };
    let (base, digits) = match digits {
        [b'0', b'x', digits @ ..] => (16, digits),
        _ => (10, digits),
    };
    assert!(!digits.is_empty(), "a number of the table is empty");
    let (mut value, mut place) = (0, 0);
    while place < digits.len() {
        match (digits[place] as char).to_digit(base) {
            Some(digit) => value = value * base as i32 + digit as i32,
            None => panic!("a number of the table has a character that is not a digit"),
        }
        place += 1;
    }
    if is_negative { -value } else { value }
}

/// The end of the word that begins at `place`.
const fn find_end(text: &[u8], mut place: usize) -> usize {
    while place < text.len() && !is_end(text[place], b' ') {
        place += 1;
    }
    place
}

const fn is_end(byte: u8, separator: u8) -> bool {
    byte == b'\n' || byte == separator
}

const fn has_at(text: &[u8], place: usize, name: &[u8]) -> bool {
    let mut length = 0;
    while length < name.len() && text[place + length] == name[length] {
        length += 1;
    }
    length == name.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::WORDS;

    const FILE: &str = "# Words\n\n# Some.\n[some]\na bc\n[d]\n\n[more]\nkey x y\nkeys z\n\n[numbers]\n0x1f -2\n3 4\n";

    fn entries_of(name: &'static str, separator: u8) -> Entries {
        let text = find_table(FILE, name);
        let starts = match count(text, separator) {
            2 => places::<3>(text, separator).to_vec(),
            3 => places::<4>(text, separator).to_vec(),
            count => panic!("{count} entries"),
        };
        Entries::new(text, starts.leak())
    }

    fn keyed_of(entries: Entries) -> Keyed {
        Keyed::new(entries, slots::<8>(entries).to_vec().leak())
    }

    #[test]
    fn a_table_has_words_or_rows_or_numbers() {
        assert_eq!(entries_of("some", b' ').iter().collect::<Vec<_>>(), ["a", "bc", "[d]"]);
        assert_eq!(entries_of("some", b'\n').iter().collect::<Vec<_>>(), ["a bc", "[d]"]);
        assert_eq!(read_rows::<2, 2>(find_table(FILE, "numbers")), [[31, -2], [3, 4]]);
        assert_eq!(read_numbers(find_table(FILE, "numbers")), [31, -2, 3, 4]);
    }

    #[test]
    fn an_entry_is_found_by_its_key() {
        let (weak, some) = (keyed_words!(WORDS, "weak_words"), keyed_of(entries_of("some", b' ')));
        assert!(weak.iter().all(|word| weak.has(word)) && !weak.has("zzz"));
        assert!(some.has("bc") && !some.has("b") && !some.has("bcd") && !some.has(""));
        let rows = keyed_of(entries_of("more", b'\n'));
        assert_eq!(
            ["key", "keys", "ke", "keyss", ""].map(|key| rows.row(key)),
            [Some("x y"), Some("z"), None, None, None]
        );
    }

    #[test]
    #[should_panic = "the table has a key twice"]
    fn a_key_that_comes_twice_is_noticed() {
        keyed_of(Entries::new("a b\na c", &[0, 4, 8]));
    }

    #[test]
    #[should_panic = "the file does not have the table"]
    fn a_missing_table_is_noticed() {
        find_table(FILE, "som");
    }

    #[test]
    #[should_panic = "an entry of the table is empty"]
    fn two_blanks_in_a_row_are_noticed() {
        places::<4>("a  b", b' ');
    }

    #[test]
    #[should_panic = "a row of the table does not have the expected number of numbers"]
    fn a_row_of_another_length_is_noticed() {
        read_rows::<2, 2>("1 2\n3");
    }

    #[test]
    #[should_panic = "the table does not have the expected number of rows"]
    fn a_row_more_is_noticed() {
        read_rows::<1, 2>("1\n2\n3");
    }

    #[test]
    #[should_panic = "a number of the table has a character that is not a digit"]
    fn a_number_that_is_none_is_noticed() {
        read_numbers::<1>("12l");
    }
}
