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

/// The parts of an index line, or the reason why it has none. Total: any text is parsed or refused.
pub fn parse_index_line(line: &str) -> Result<IndexLine<'_>, BadLine> {
    let line = strip(line);
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
        if let Some((path, tags)) = read_tail(behind) {
            return Ok(IndexLine { category, title, path, tags });
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
            if let Some((path, tags)) = read_tail(text) {
                return Ok(IndexLine { category, title: "", path, tags });
            }
        }
    }
    Err(reason)
}

/// Path and tags from an arrow on, where they fill the rest of the line.
fn read_tail(arrow_on: &str) -> Option<(&str, Vec<Cow<'_, str>>)> {
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
        return Some((path, Vec::new()));
    }
    let listed = after_blanks(rest)?.strip_prefix(TAGS_MARK)?;
    if listed.is_empty() || listed.as_bytes().contains(&b'\n') {
        return None;
    }
    let mut tags = Vec::with_capacity(8);
    tags.extend(listed.split(',').map(strip).filter(|tag| !tag.is_empty()).map(fold));
    if !tags.is_sorted_by(|a, b| a < b) {
        tags.sort_unstable();
        tags.dedup();
    }
    Some((path, tags))
}

/// Where the next arrow begins, from a byte offset on.
fn find_arrow(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(from..)?;
    bytes.windows(ARROW.len()).position(|pair| pair == ARROW.as_bytes()).map(|place| from + place)
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
