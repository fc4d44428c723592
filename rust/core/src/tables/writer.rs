//! Takes the files of tables apart and writes each table as Rust expressions: the build script uses it.
//!
//! The compiler would take twelve seconds for the same each time that it compiles, checks or tests the core.

use super::slot::{first_slot, next_slot};
use std::collections::HashSet;
use std::fmt::Debug;

type Form = Result<String, &'static str>;

/// The tables of a file, each with its name and its text.
///
/// A table begins after a line with its name in brackets and ends before the next empty line.
pub(crate) fn tables_of(file: &str) -> Vec<(&str, &str)> {
    let mut tables = Vec::new();
    for block in file.trim_end_matches('\n').split("\n\n") {
        let mut rest = block;
        while let Some((line, behind)) = rest.split_once('\n') {
            rest = behind;
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                tables.push((name, rest));
                break;
            }
        }
    }
    tables
}

/// The forms of a table, each with the name of the macro that reads it: an expression, or why the table has no such form.
pub(crate) fn forms_of(text: &str) -> [(&'static str, Form); 6] {
    [
        ("words", entries(text, b' ')),
        ("rows", entries(text, b'\n')),
        ("keyed_words", keyed(text, b' ')),
        ("keyed_rows", keyed(text, b'\n')),
        ("numbers", numbers(text)),
        ("rows_of_numbers", rows_of_numbers(text)),
    ]
}

fn entries(text: &str, separator: u8) -> Form {
    Ok(format!(
        "{{ {} crate::tables::Entries::new({text:?}, STARTS) }}",
        list("STARTS: &[u32]", &starts(text, separator)?)
    ))
}

fn keyed(text: &str, separator: u8) -> Form {
    let keys = keys(text, &starts(text, separator)?);
    let (longest, slots) = (keys.iter().map(|key| key.len()).max().unwrap_or_default(), slots(&keys)?);
    let entries = entries(text, separator)?;
    Ok(format!("{{ {} crate::tables::Keyed::new({entries}, SLOTS, {longest}) }}", list("SLOTS: &[u16]", &slots)))
}

fn numbers(text: &str) -> Form {
    let numbers: Vec<i32> = text.split([' ', '\n']).map(read_number).collect::<Result<_, _>>()?;
    Ok(format!("{{ {} NUMBERS }}", list("NUMBERS: &[i32]", &numbers)))
}

fn rows_of_numbers(text: &str) -> Form {
    let rows: Vec<Vec<i32>> =
        text.split('\n').map(|row| row.split(' ').map(read_number).collect()).collect::<Result<_, _>>()?;
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return Err("a row of the table does not have the expected number of numbers");
    }
    Ok(format!("{{ {} ROWS }}", list(&format!("ROWS: &[[i32; {width}]]"), &rows)))
}

/// The offsets of the entries of a text, then the text's length plus 1. Exactly one separator must be between two
/// entries: a line end, or the given one.
fn starts(text: &str, separator: u8) -> Result<Vec<usize>, &'static str> {
    let ends =
        text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n' || *byte == separator).map(|(place, _)| place);
    let starts: Vec<usize> = [0].into_iter().chain(ends.map(|end| end + 1)).chain([text.len() + 1]).collect();
    if starts.windows(2).any(|place| place[0] + 1 == place[1]) {
        return Err("an entry of the table is empty");
    }
    Ok(starts)
}

/// The first words of the entries.
fn keys<'a>(text: &'a str, starts: &[usize]) -> Vec<&'a str> {
    let entries = starts.windows(2).map(|place| &text[place[0]..place[1] - 1]);
    entries.map(|entry| entry.split([' ', '\n']).next().unwrap_or_default()).collect()
}

/// A hash table of the keys, at most half full: the number of a key plus 1, or 0 for a free slot.
fn slots(keys: &[&str]) -> Result<Vec<u16>, &'static str> {
    if keys.iter().collect::<HashSet<_>>().len() < keys.len() {
        return Err("the table has a key twice");
    }
    let mut slots = vec![0; (2 * keys.len()).next_power_of_two()];
    for (number, key) in (1..).zip(keys) {
        let mut slot = first_slot(key.as_bytes(), slots.len());
        while slots[slot] != 0 {
            slot = next_slot(slot, slots.len());
        }
        slots[slot] = u16::try_from(number).map_err(|_| "the table is too long")?;
    }
    Ok(slots)
}

/// A number: decimal, or hexadecimal with the prefix `0x`.
fn read_number(text: &str) -> Result<i32, &'static str> {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let (base, digits) = text.strip_prefix("0x").map_or((10, text), |digits| (16, digits));
    if !digits.chars().all(|char| char.is_digit(base) && !char.is_ascii_uppercase()) {
        return Err("a number of the table has a character that is not a digit");
    }
    i32::from_str_radix(&format!("{sign}{digits}"), base).map_err(|_| "a number of the table is empty or too large")
}

fn list<T: Debug>(declaration: &str, items: &[T]) -> String {
    format!("#[allow(clippy::unreadable_literal)] const {declaration} = &{items:?};")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Words\n\n# Some.\n[some]\na bc\n[d]\n\n[more]\nkey x y\nkeys z\n\n[numbers]\n0x1f -2\n3 4\n";

    fn form_of(text: &str, name: &str) -> Form {
        forms_of(text).into_iter().find(|(form, _)| *form == name).unwrap().1
    }

    fn problem(text: &str, form: &str) -> &'static str {
        form_of(text, form).unwrap_err()
    }

    #[test]
    fn a_file_has_tables() {
        assert_eq!(tables_of(FILE), [("some", "a bc\n[d]"), ("more", "key x y\nkeys z"), ("numbers", "0x1f -2\n3 4")]);
    }

    #[test]
    fn a_table_has_words_or_rows_or_numbers() {
        let has = |text: &str, form: &str, part: &str| assert!(form_of(text, form).unwrap().contains(part), "{form}");
        has("a bc\n[d]", "words", "const STARTS: &[u32] = &[0, 2, 5, 9];");
        has("a bc\n[d]", "words", r#"crate::tables::Entries::new("a bc\n[d]", STARTS)"#);
        has("a bc\n[d]", "rows", "const STARTS: &[u32] = &[0, 5, 9];");
        has("0x1f -2\n3 4", "rows_of_numbers", "const ROWS: &[[i32; 2]] = &[[31, -2], [3, 4]];");
        has("0x1f -2\n3 4", "numbers", "const NUMBERS: &[i32] = &[31, -2, 3, 4];");
        has("key x y\nkeys z", "keyed_rows", ", SLOTS, 4)");
        has("key keys", "keyed_words", ", SLOTS, 4)");
    }

    #[test]
    fn what_is_wrong_is_noticed() {
        assert_eq!(problem("a b\na c", "keyed_rows"), "the table has a key twice");
        assert_eq!(problem("a a", "keyed_words"), "the table has a key twice");
        assert_eq!(problem("a  b", "words"), "an entry of the table is empty");
        assert_eq!(problem("", "rows"), "an entry of the table is empty");
        let width = "a row of the table does not have the expected number of numbers";
        assert_eq!([problem("1 2\n3", "rows_of_numbers"), problem("1\n2 3", "rows_of_numbers")], [width; 2]);
        let digit = "a number of the table has a character that is not a digit";
        assert_eq!(["12l", "0xA", "+1", "1f"].map(|text| problem(text, "numbers")), [digit; 4]);
        assert_eq!(problem("1  2", "numbers"), "a number of the table is empty or too large");
        assert_eq!(problem("2147483648", "numbers"), "a number of the table is empty or too large");
    }
}
