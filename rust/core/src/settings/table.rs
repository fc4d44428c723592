//! The table of settings: all settings, their values, and who may set them (SPEC 47.2).
//!
//! The table is the file `python/cuecard/assets/settings.tsv`, which Python reads, too. It is parsed when this crate is
//! compiled, so that no prompt waits for it and an unknown name is a compile error.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "the compiler runs what reads the table")]

const TEXT: &str = include_str!("../../../../python/cuecard/assets/settings.tsv");

/// The least length of the last part of an unknown name for which a setting with the same last part is suggested;
/// shorter parts are ambiguous.
const MIN_LAST_BYTES: usize = 4;

/// The rows of the table.
pub(crate) static ROWS: [Row; count_rows(TEXT.as_bytes())] = read_rows();

/// Who may set a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// Only the user.
    User,
    /// The user and a repository.
    Project,
    /// The user and a repository, but a repository can only choose a stricter value.
    Stricter,
    /// The user and a repository, but nothing is sent to an endpoint of a repository without the user's consent.
    Consent,
    /// Nobody: it is a setting of the claude-memory plugin, which cuecard ignores.
    Plugin,
}

/// The values that a repository may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Any value.
    None,
    /// Only `false`.
    Off,
    /// A number that is at least this.
    AtLeast(i32),
    /// A number that is at most this.
    AtMost(i32),
    /// One of these names, strictest first, separated by `, `.
    OneOf(&'static str),
}

/// The type of a setting's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `true` or `false`.
    Switch,
    /// An integer within two bounds; [`Kind::Number`] is a number within two bounds.
    Integer(i32, i32),
    Number(i32, i32),
    /// One of these names, separated by `, `.
    OneOf(&'static str),
    /// Another type, which a separate function reads.
    Other,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The full name: the names of the groups and of the setting, separated by dots; `*` stands for any name.
    pub(crate) name: &'static str,
    pub(crate) who: Who,
    pub(crate) limit: Limit,
    /// The limit as the table writes it, for messages: `at least -1`.
    pub(crate) words: &'static str,
    pub(crate) kind: Kind,
    /// The default as JSON text; empty if there is none.
    pub(crate) default: &'static str,
}

impl Row {
    /// Whether the default is `true`.
    pub(crate) fn is_on(&self) -> bool {
        self.default == "true"
    }

    /// The default as a number.
    pub(crate) fn number(&self) -> f64 {
        self.default.parse().unwrap_or_default()
    }

    /// The default as a text, without quotes.
    pub(crate) fn text(&self) -> &'static str {
        self.default.trim_matches('"')
    }

    /// The last part of the name, without the groups.
    pub(crate) fn last_name(&self) -> &'static str {
        last_part(self.name)
    }
}

/// A name that the table has: a setting or a group.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    Setting(&'static Row),
    /// A group of settings, with its full name in the table.
    Group(String),
}

/// Looks up a member of a group; `None` if the table does not have it.
pub(crate) fn find(group: &str, name: &str) -> Option<Known> {
    if name.contains('.') {
        return None;
    }
    let above = if group.is_empty() { String::new() } else { format!("{group}.") };
    [format!("{above}{name}"), format!("{above}*")].into_iter().find_map(|full| {
        if let Some(row) = ROWS.iter().find(|row| row.name == full) {
            return Some(Known::Setting(row));
        }
        let is_below = |row: &Row| row.name.strip_prefix(full.as_str()).is_some_and(|rest| rest.starts_with('.'));
        ROWS.iter().any(is_below).then(|| Known::Group(full.clone()))
    })
}

/// The setting or group whose name is most similar to an unknown name; `None` if none is similar enough.
///
/// A name is similar enough if its edit distance from the unknown name is at most 1, or at most a third of the length
/// of the unknown name's last part, which is the part after the last dot. If no name is similar enough, the setting
/// with the same last part is returned, provided that only one setting has this part and that it has at least four
/// bytes.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let last = last_part(name);
    let mut bound = (last.len() / 3).max(1) + 1;
    let mut best = None;
    for row in &ROWS {
        let dots = row.name.match_indices('.').map(|(place, _)| place);
        for full in dots.chain([row.name.len()]).filter_map(|end| row.name.get(..end)) {
            if full.len().abs_diff(name.len()) < bound {
                let distance = count_edits(name, full);
                if distance < bound {
                    (best, bound) = (Some(full), distance);
                }
            }
        }
    }
    if best.is_some() || last.len() < MIN_LAST_BYTES {
        return best;
    }
    let mut same = ROWS.iter().map(|row| row.name).filter(|row| last_part(row) == last);
    same.next().filter(|_| same.next().is_none())
}

/// Whether a member of a group sets the endpoint of a model or the API key for this endpoint.
pub(crate) fn is_endpoint_of(group: &str, name: &str) -> bool {
    let is_it = |row: &&Row| {
        let rest = row.name.strip_prefix(group).and_then(|rest| rest.strip_prefix('.'));
        rest == Some(name)
    };
    ROWS.iter().find(is_it).is_some_and(|row| matches!(row.who, Who::User | Who::Consent))
}

pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// The edit distance of two names: the number of bytes to change, add or remove.
fn count_edits(one: &str, other: &str) -> usize {
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for (row, byte) in one.bytes().enumerate() {
        let mut left = row + 1;
        let mut now = vec![left];
        for (wanted, pair) in other.bytes().zip(before.windows(2)) {
            let [diagonal, above] = pair else { continue };
            left = (above + 1).min(left + 1).min(diagonal + usize::from(byte != wanted));
            now.push(left);
        }
        before = now;
    }
    before.last().copied().unwrap_or_default()
}

/// The row of a setting, looked up at compile time: a name that the table does not have does not compile.
#[macro_export]
macro_rules! setting {
    ($name:literal) => {
        const { $crate::settings::table::row_of($name) }
    };
}
pub use setting;

/// The row with this name; panics if the table does not have it.
#[must_use]
pub const fn row_of(name: &str) -> &'static Row {
    let mut place = 0;
    while place < ROWS.len() {
        if is_same(ROWS[place].name.as_bytes(), name.as_bytes()) {
            return &ROWS[place];
        }
        place += 1;
    }
    panic!("the table of settings has no such name")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && after(one, other).is_some()
}

/// The rest of `text` after the prefix `begin`; `None` if `text` does not begin with `begin`.
const fn after<'a>(text: &'a [u8], begin: &[u8]) -> Option<&'a [u8]> {
    if text.len() < begin.len() {
        return None;
    }
    let mut place = 0;
    while place < begin.len() {
        if text[place] != begin[place] {
            return None;
        }
        place += 1;
    }
    Some(text.split_at(begin.len()).1)
}

/// Splits a text at the first occurrence of a byte, which is dropped. If the text does not contain the byte, the
/// second part is empty.
const fn split(text: &[u8], byte: u8) -> (&[u8], &[u8]) {
    let mut place = 0;
    while place < text.len() {
        if text[place] == byte {
            let (before, rest) = text.split_at(place);
            return (before, rest.split_at(1).1);
        }
        place += 1;
    }
    (text, &[])
}

const fn count_rows(mut text: &[u8]) -> usize {
    let mut count = 0;
    while !text.is_empty() {
        let (line, rest) = split(text, b'\n');
        if is_row(line) {
            count += 1;
        }
        text = rest;
    }
    count
}

const fn is_row(line: &[u8]) -> bool {
    !line.is_empty() && line[0] != b'#'
}

const fn read_rows<const COUNT: usize>() -> [Row; COUNT] {
    let none = Row { name: "", who: Who::Plugin, limit: Limit::None, words: "", kind: Kind::Other, default: "" };
    let mut rows = [none; COUNT];
    let (mut text, mut count) = (TEXT.as_bytes(), 0);
    while !text.is_empty() {
        let (line, rest) = split(text, b'\n');
        if is_row(line) {
            rows[count] = read_row(line);
            count += 1;
        }
        text = rest;
    }
    rows
}

const fn read_row(line: &'static [u8]) -> Row {
    let (name, rest) = split(line, b'\t');
    let (who, rest) = split(rest, b'\t');
    let (limit, rest) = split(rest, b'\t');
    let (kind, rest) = split(rest, b'\t');
    let (default, _meaning) = split(rest, b'\t');
    Row {
        name: text_of(name),
        who: read_who(who),
        limit: read_limit(limit),
        words: text_of(limit),
        kind: read_kind(kind),
        default: text_of(default),
    }
}

const fn read_who(text: &[u8]) -> Who {
    if is_same(text, b"user") {
        Who::User
    } else if is_same(text, b"project") {
        Who::Project
    } else if is_same(text, b"stricter") {
        Who::Stricter
    } else if is_same(text, b"consent") {
        Who::Consent
    } else {
        assert!(is_same(text, b"plugin"), "a row of the table does not say who may set it");
        Who::Plugin
    }
}

const fn read_limit(text: &'static [u8]) -> Limit {
    if text.is_empty() {
        Limit::None
    } else if is_same(text, b"off") {
        Limit::Off
    } else if let Some(number) = after(text, b"at least ") {
        Limit::AtLeast(number_of(number))
    } else if let Some(number) = after(text, b"at most ") {
        Limit::AtMost(number_of(number))
    } else {
        Limit::OneOf(text_of(text))
    }
}

const fn read_kind(text: &'static [u8]) -> Kind {
    if is_same(text, b"switch") {
        Kind::Switch
    } else if let Some(least) = after(text, b"integer from ") {
        Kind::Integer(number_of(least), i32::MAX)
    } else if let Some(bounds) = after(text, b"integer ") {
        let (least, most) = read_bounds(bounds);
        Kind::Integer(least, most)
    } else if let Some(bounds) = after(text, b"number ") {
        let (least, most) = read_bounds(bounds);
        Kind::Number(least, most)
    } else if let Some(names) = after(text, b"one of ") {
        Kind::OneOf(text_of(names))
    } else {
        Kind::Other
    }
}

/// Reads two numbers separated by ` to `.
const fn read_bounds(text: &[u8]) -> (i32, i32) {
    let (least, rest) = split(text, b' ');
    let Some(most) = after(rest, b"to ") else { panic!("a range of the table has no end") };
    (number_of(least), number_of(most))
}

const fn number_of(text: &[u8]) -> i32 {
    let (digits, sign) = if let Some(digits) = after(text, b"-") { (digits, -1) } else { (text, 1) };
    let (mut number, mut place) = (0, 0);
    while place < digits.len() {
        assert!(digits[place].is_ascii_digit(), "a number of the table has a character that is not a digit");
        number = number * 10 + (digits[place] - b'0') as i32;
        place += 1;
    }
    sign * number
}

const fn text_of(text: &[u8]) -> &str {
    match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => panic!("the table is not UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_row() {
        let lines: Vec<_> = TEXT.lines().filter(|line| !line.starts_with('#')).collect();
        let names: Vec<_> = lines.iter().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(ROWS.map(|row| row.name), names[..]);
        assert!(lines.iter().all(|line| line.split('\t').count() == 6));
    }

    #[test]
    fn a_row_has_what_its_line_says() {
        let shift = setting!("retrieval.gate_shift");
        assert_eq!((shift.who, shift.limit, shift.kind), (Who::Stricter, Limit::AtLeast(-1), Kind::Number(-2, 2)));
        assert_eq!((shift.words, shift.default, shift.last_name()), ("at least -1", "0", "gate_shift"));
        assert_eq!(setting!("delete.grace_period_days").kind, Kind::Integer(0, i32::MAX));
        assert_eq!(setting!("trust.review").kind, Kind::OneOf("on, off"));
        assert!(setting!("log.events").is_on());
    }

    #[test]
    fn a_star_stands_for_any_name() {
        assert!(matches!(find("", "categories"), Some(Known::Group(name)) if name == "categories"));
        assert!(matches!(find("categories", "x"), Some(Known::Group(name)) if name == "categories.*"));
        assert!(matches!(find("categories.*", "enabled"), Some(Known::Setting(_))));
        assert!(find("", "categories.x").is_none());
        assert!(find("", "ret").is_none());
    }
}
