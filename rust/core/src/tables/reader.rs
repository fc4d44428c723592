//! Tables of words and numbers, from the files in `python/cuecard/assets/tables` (SPEC 2.4).
//!
//! The tables are found and checked at compile time, so a wrong file is a compile error. A table of words is the text
//! of the file with 32-bit offsets of its words, so that the process that answers a prompt has nothing to parse and no
//! addresses to relocate. A table in which words are looked up also has a hash table, because most words of a prompt are
//! in none of these tables, which a hash tells at once.
//!
//! What reads a whole table takes it apart by slice patterns. The compiler interprets them several times faster than
//! indices or calls, and it reads half a megabyte each time that it compiles or checks the core.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
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

    /// The bytes from the beginning of an entry to the end of the table.
    const fn from(&self, number: usize) -> &'static [u8] {
        self.text.as_bytes().split_at(self.starts[number] as usize).1
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
            let length = word_length(entries.from(number));
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
    let (mut rest, name) = (file.as_bytes(), name.as_bytes());
    while let [byte, behind @ ..] = rest {
        if *byte == b'\n'
            && has_at(behind, 0, b"[")
            && has_at(behind, 1, name)
            && has_at(behind, name.len() + 1, b"]\n")
        {
            let table = behind.split_at(name.len() + 3).1;
            let mut ending = table;
            while let [byte, behind @ ..] = ending {
                if *byte == b'\n' && matches!(behind, [] | [b'\n', ..]) {
                    break;
                }
                ending = behind;
            }
            return as_text(table.split_at(table.len() - ending.len()).0);
        }
        rest = behind;
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

/// The number of entries of a text: its words if the separator is a blank, or its rows if the separator is a line end.
pub(crate) const fn count(text: &str, separator: u8) -> usize {
    let (mut rest, mut count) = (text.as_bytes(), 1);
    while let [byte, behind @ ..] = rest {
        if *byte == b'\n' || *byte == separator {
            count += 1;
        }
        rest = behind;
    }
    count
}

/// The offsets of the entries of a text, then the text's length plus 1. Exactly one separator must be between two
/// entries.
pub(crate) const fn places<const COUNT: usize>(text: &str, separator: u8) -> [u32; COUNT] {
    let (length, mut rest) = (text.len(), text.as_bytes());
    assert!(length < u32::MAX as usize, "the table is too long");
    let (mut places, mut number) = ([0; COUNT], 0);
    loop {
        match rest {
            [byte, behind @ ..] if *byte != b'\n' && *byte != separator => rest = behind,
            _ => {
                let place = (length - rest.len()) as u32;
                assert!(place > places[number], "an entry of the table is empty");
                number += 1;
                places[number] = place + 1;
                let [_, behind @ ..] = rest else { break };
                rest = behind;
            }
        }
    }
    assert!(number + 1 == COUNT);
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
        let key = key_of(entries.from(number));
        let mut slot = first_slot(key, COUNT);
        while slots[slot] != 0 {
            let known = entries.from(slots[slot] as usize - 1);
            let is_known = has_at(known, 0, key) && word_length(known) == key.len();
            assert!(!is_known, "the table has a key twice");
            slot = next_slot(slot, COUNT);
        }
        slots[slot] = number as u16 + 1;
        number += 1;
    }
    slots
}

/// The slot at which the search for a key begins (FNV-1a, whose high bits are the better ones).
const fn first_slot(key: &[u8], slots: usize) -> usize {
    let (mut hash, mut rest) = (0x811c_9dc5_u32, key);
    while let [byte, behind @ ..] = rest {
        hash = (hash ^ *byte as u32).wrapping_mul(0x0100_0193);
        rest = behind;
    }
    (hash ^ (hash >> 15)) as usize & (slots - 1)
}

const fn next_slot(slot: usize, slots: usize) -> usize {
    (slot + 1) & (slots - 1)
}

/// The first word of a text that begins with an entry.
const fn key_of(text: &[u8]) -> &[u8] {
    text.split_at(word_length(text)).0
}

/// The numbers of a text: decimal, or hexadecimal with the prefix `0x`.
pub(crate) const fn read_numbers<const COUNT: usize>(text: &str) -> [i32; COUNT] {
    let mut rest = text.as_bytes();
    let (mut numbers, mut number) = ([0; COUNT], 0);
    while number < COUNT {
        (numbers[number], rest) = read_number(rest);
        number += 1;
        if let [_, behind @ ..] = rest {
            assert!(number < COUNT, "the table does not have the expected number of numbers");
            rest = behind;
        }
    }
    numbers
}

/// The rows of a text, each of `WIDTH` numbers.
pub(crate) const fn read_rows<const WIDTH: usize, const ROWS: usize>(text: &str) -> [[i32; WIDTH]; ROWS] {
    let mut rest = text.as_bytes();
    let (mut numbers, mut row, mut column) = ([[0; WIDTH]; ROWS], 0, 0);
    while row < ROWS {
        (numbers[row][column], rest) = read_number(rest);
        column += 1;
        let is_row_end = !matches!(rest, [b' ', ..]);
        assert!(is_row_end == (column == WIDTH), "a row of the table does not have the expected number of numbers");
        if is_row_end {
            row += 1;
            column = 0;
        }
        if let [_, behind @ ..] = rest {
            assert!(row < ROWS, "the table does not have the expected number of rows");
            rest = behind;
        }
    }
    numbers
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
