//! Finds private keys in PEM format: the text between their begin and end marks (SPEC 55.6).

use super::matcher::Matcher;
use super::pattern::Pattern;
use super::reading::{BLANKS, Reading};
use super::search::Span;
use super::values::is_stand_in;
use std::sync::OnceLock;

/// The least number of characters in a line of a key.
const LINE_CHARS: usize = 16;
/// The maximal number of characters at the end of a key that are checked for blanks and quotes.
const CLOSING_CHARS: usize = 64;

/// Returns whether the text ends within a private key, and the spans between the marks of private keys.
///
/// `in_key` says that the previous text ended within a private key, e.g. in a list with one line per item.
pub(super) fn find_private_keys(text: &Reading, mut in_key: bool) -> (bool, Vec<Span>) {
    let mut spans = Vec::new();
    let mut position = 0;
    let size = text.len();
    let ends = text.places_of("-----END ", false);
    let mut begins = KeyBegins::new(text);
    loop {
        if !in_key {
            let Some(begin) = begins.next(position) else { return (false, spans) };
            position = begin;
        }
        in_key = false;
        let end = material_end(text, position, &ends);
        let first = key_line(text, position, end);
        let is_whole = ends.binary_search(&end).is_ok();
        let closed = closed_end(text, position, end);
        match first {
            Some((start, line_end)) if is_whole || is_key(text, start, line_end, end) => {
                spans.push(Span { start, end: closed, kind: "private-key" });
            }
            _ if end == size => {
                let rest = text.slice(position, end);
                if !rest.trim_matches(BLANKS).is_empty() && rest.contains('=') {
                    spans.push(Span { start: position, end, kind: "private-key" });
                }
            }
            _ => {}
        }
        if end == size {
            return (true, spans);
        }
        position = end;
    }
}

/// Whether a block without an end mark is a key: its first line is not a stand-in, and the block contains a digit.
fn is_key(text: &Reading, start: usize, line_end: usize, end: usize) -> bool {
    !is_stand_in(text.slice(start, line_end)) && text.slice(start, end).bytes().any(|byte| byte.is_ascii_digit())
}

/// Finds the marks that begin a private key.
struct KeyBegins<'a> {
    places: Vec<usize>,
    matcher: Option<Matcher<'a>>,
    size: usize,
}

impl<'a> KeyBegins<'a> {
    fn new(text: &'a Reading) -> Self {
        static BEGIN: OnceLock<Option<Pattern>> = OnceLock::new();
        let begin = BEGIN.get_or_init(|| Pattern::read("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
        Self {
            places: text.places_of("-----BEGIN ", false),
            matcher: begin.as_ref().map(|begin| Matcher::new(begin, &text.chars, false)),
            size: text.len(),
        }
    }

    /// The end of the first begin mark at or after a position; `None` if there is none.
    fn next(&mut self, position: usize) -> Option<usize> {
        let matcher = self.matcher.as_mut()?;
        let first = self.places.partition_point(|place| *place < position);
        let mut places = self.places.iter().skip(first);
        places.find_map(|place| matcher.match_at(*place, self.size)).map(|found| found.end)
    }
}

/// The end of the key whose lines begin at `position`. The lines of a PEM body belong to a key, and so do the
/// characters that code puts around these lines.
fn material_end(text: &Reading, position: usize, ends: &[usize]) -> usize {
    let chars = text.chars.get(position..).unwrap_or_default();
    let mut place = 0;
    while let Some(rest) = chars.get(place..).filter(|rest| !rest.is_empty()) {
        let size = match rest.first() {
            Some(char) if is_around(*char) => 1,
            _ => header(rest).or_else(|| line(rest)).unwrap_or_else(|| last_line(rest, position + place, ends)),
        };
        if size == 0 {
            break;
        }
        place += size;
    }
    position + place
}

fn is_around(char: char) -> bool {
    BLANKS.contains(&char) || char == '"' || char == '\'' || char == ','
}

fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '+' || char == '/'
}

fn run(chars: &[char], test: impl Fn(char) -> bool) -> usize {
    chars.iter().take_while(|char| test(**char)).count()
}

/// The length of a PEM header like `Proc-Type: 4,ENCRYPTED` at the beginning of `rest`; `None` if there is none.
fn header(rest: &[char]) -> Option<usize> {
    if !rest.first()?.is_ascii_uppercase() {
        return None;
    }
    let name = run(rest, |char| char.is_ascii_alphabetic() || char == '-');
    if !(3..=21).contains(&name) || rest.get(name..name + 2)? != [':', ' '] {
        return None;
    }
    let value = run(rest.get(name + 2..name + 82).unwrap_or(rest.get(name + 2..)?), |char| {
        !BLANKS.contains(&char) && char != '\\'
    });
    if value == 0 { None } else { Some(name + 2 + value) }
}

/// The length of a line of base64, or of a short line with padding, at the beginning of `rest`; `None` if there is
/// none.
fn line(rest: &[char]) -> Option<usize> {
    let long = run(rest, |char| is_key_char(char) || char == '=');
    if long >= LINE_CHARS {
        return Some(long);
    }
    let short = run(rest, is_key_char);
    let padding = run(rest.get(short..)?, |char| char == '=').min(2);
    if padding == 0 { None } else { Some(short + padding) }
}

/// The length of a short line that is directly followed by the end mark of the key; 0 if there is none.
fn last_line(rest: &[char], place: usize, ends: &[usize]) -> usize {
    let short = run(rest, is_key_char);
    let after = rest.get(short..).unwrap_or_default();
    let around = run(after.get(..9).unwrap_or(after), is_around);
    let is_last =
        (1..LINE_CHARS).contains(&short) && around <= 8 && ends.binary_search(&(place + short + around)).is_ok();
    if is_last { short } else { 0 }
}

/// The begin and end of the first line of a key between two places; `None` if there is none.
fn key_line(text: &Reading, start: usize, end: usize) -> Option<(usize, usize)> {
    let chars = text.chars.get(start..end)?;
    let mut place = 0;
    while let Some(rest) = chars.get(place..).filter(|rest| !rest.is_empty()) {
        let size = run(rest, |char| is_key_char(char) || char == '=');
        if size >= LINE_CHARS {
            return Some((start + place, start + place + size));
        }
        place += size.max(1);
    }
    None
}

/// The end of a span without the blanks, quotes, commas and line ends at its end.
fn closed_end(text: &Reading, start: usize, end: usize) -> usize {
    let from = start.max(end.saturating_sub(CLOSING_CHARS));
    let chars = text.chars.get(from..end).unwrap_or_default();
    end - chars.iter().rev().take_while(|char| is_around(**char)).count()
}
