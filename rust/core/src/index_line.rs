//! One line of `index.md` to its parts (SPEC 5).
//!
//! ```text
//! - [CATEGORY] title -> path #tags:first,second
//! ```

use crate::chars::{fold, is_white_space, strip, strip_end, strip_start};
use std::borrow::Cow;

const ARROW: &str = "->";
const TAGS_MARK: &str = "#tags:";

/// The parts of an index line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine<'a> {
    /// The category's display name, capitals and underscores.
    pub category: &'a str,
    /// The title, without blanks at its ends.
    pub title: &'a str,
    /// The path relative to the project, free of white space.
    pub path: &'a str,
    /// The tags in lower case, distinct, sorted by code point.
    pub tags: Vec<Cow<'a, str>>,
}

/// Why a line that begins like a memory is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadLine {
    /// No `[CATEGORY]` after the dash.
    Category,
    /// No title with ` -> path` after it.
    Title,
    /// What follows the path is not a list of tags.
    Tags,
    /// Not UTF-8.
    Encoding,
    /// Longer than 8 KiB.
    Length,
}

impl BadLine {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Title => "title",
            Self::Tags => "tags",
            Self::Encoding => "encoding",
            Self::Length => "length",
        }
    }
}

/// The parts of a line with its tags as they are listed.
pub(crate) struct ReadLine<'a> {
    pub(crate) category: &'a str,
    pub(crate) title: &'a str,
    pub(crate) path: &'a str,
    pub(crate) listed_tags: &'a str,
}

/// The parts of an index line, or the reason why it has none. Total: any text is parsed or refused.
pub fn parse_index_line(line: &str) -> Result<IndexLine<'_>, BadLine> {
    let ReadLine { category, title, path, listed_tags } = read_line(strip(line))?;
    let mut tags: Vec<_> = split_tags(listed_tags).collect();
    tags.sort_unstable();
    tags.dedup();
    Ok(IndexLine { category, title, path, tags })
}

/// The tags of a list in lower case, in its order.
pub(crate) fn split_tags(listed: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut begin = 0;
    std::iter::from_fn(move || {
        let rest = listed.get(begin..)?;
        // Most tags are as they should be: visible ASCII without capitals.
        let mut is_plain = true;
        let mut length = 0;
        for byte in rest.bytes().take_while(|byte| *byte != b',') {
            is_plain &= TAG_BYTES[byte as usize];
            length += 1;
        }
        begin += length + 1;
        let tag = rest.get(..length)?;
        Some(if is_plain { Cow::Borrowed(tag) } else { fold(strip(tag)) })
    })
    .filter(|tag| !tag.is_empty())
}

/// Whether a byte can stand in a tag as it is.
static TAG_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        table[byte as usize] = !byte.is_ascii_uppercase();
        byte += 1;
    }
    table
};

/// The parts of a stripped line, or the reason why it has none.
pub(crate) fn read_line(line: &str) -> Result<ReadLine<'_>, BadLine> {
    let rest = line.strip_prefix('-').ok_or(BadLine::Category)?;
    let rest = after_blanks(rest).and_then(|rest| rest.strip_prefix('[')).ok_or(BadLine::Category)?;
    let length = rest.bytes().position(|byte| !(byte.is_ascii_uppercase() || byte == b'_')).unwrap_or(rest.len());
    let (category, rest) = rest.split_at(length);
    let rest = rest.strip_prefix(']').filter(|_| length > 0).ok_or(BadLine::Category)?;
    let text = after_blanks(rest).ok_or(BadLine::Category)?;

    // The first arrow that leaves a title before it and a well-formed rest behind it.
    let mut reason = BadLine::Title;
    let mut searched = 1;
    while let Some(arrow) = find_arrow(text, searched) {
        searched = arrow + 1;
        let (before, behind) = text.split_at(arrow);
        let title = strip_end(before);
        if title.len() == before.len() {
            continue;
        }
        if title.as_bytes().contains(&b'\n') {
            break;
        }
        if let Some((path, listed_tags)) = read_tail(behind) {
            return Ok(ReadLine { category, title, path, listed_tags });
        }
        reason = BadLine::Tags;
    }

    // A title of nothing but blanks, as in `- [DECISION]   -> path`.
    if text.starts_with(ARROW) {
        let blanks = rest.strip_suffix(text).unwrap_or_default();
        let mut inner = blanks.chars();
        inner.next();
        inner.next_back();
        if inner.any(|blank| blank != '\n') {
            if let Some((path, listed_tags)) = read_tail(text) {
                return Ok(ReadLine { category, title: "", path, listed_tags });
            }
        }
    }
    Err(reason)
}

/// Path and list of tags from an arrow on, where they fill the rest of the line.
fn read_tail(arrow_on: &str) -> Option<(&str, &str)> {
    let rest = after_blanks(arrow_on.strip_prefix(ARROW)?)?;
    // Over ASCII the search is by byte; the first byte beyond makes it one by character.
    let ascii_end = rest.bytes().position(|byte| byte <= b' ' || byte >= 0x80).unwrap_or(rest.len());
    let unread = rest.get(ascii_end..).unwrap_or_default();
    let end = ascii_end + unread.find(is_white_space).unwrap_or(unread.len());
    let (path, rest) = rest.split_at(end);
    if path.is_empty() {
        return None;
    }
    if rest.is_empty() {
        return Some((path, ""));
    }
    let listed = after_blanks(rest)?.strip_prefix(TAGS_MARK)?;
    if listed.is_empty() || listed.as_bytes().contains(&b'\n') {
        return None;
    }
    Some((path, listed))
}

/// Where the next arrow begins, from a byte offset on.
fn find_arrow(text: &str, from: usize) -> Option<usize> {
    memchr::memchr_iter(b'>', text.as_bytes().get(from..)?)
        .map(|place| from + place)
        .find(|place| *place > from && text.as_bytes().get(place - 1) == Some(&b'-'))
        .map(|place| place - 1)
}

/// The text behind at least one character of white space.
fn after_blanks(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(' ').unwrap_or(text);
    let rest = strip_start(rest);
    (rest.len() < text.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_in_a_title_stays_in_it() {
        let line = parse_index_line("- [DECISION] a -> b -> c.json #tags:X,b").unwrap();
        assert_eq!((line.title, line.path), ("a -> b", "c.json"));
        assert_eq!(line.tags, ["b", "x"]);
    }

    #[test]
    fn a_refused_line_says_why() {
        assert_eq!(parse_index_line("- decision"), Err(BadLine::Category));
        assert_eq!(parse_index_line("- [DECISION] title"), Err(BadLine::Title));
        assert_eq!(parse_index_line("- [DECISION] t -> p #tags:"), Err(BadLine::Tags));
    }
}
