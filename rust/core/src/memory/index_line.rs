//! Parses one line of `index.md` (SPEC 5).
//!
//! ```text
//! - [CATEGORY] title -> path #tags:first,second
//! ```

use crate::text::chars::{fold, is_white_space, strip, strip_end, strip_start};
use std::borrow::Cow;

const ARROW: &str = "->";
const TAGS_MARK: &str = "#tags:";

pub(crate) const MAX_LINE_BYTES: usize = 8192;

/// The parts of an index line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine<'a> {
    /// The category's display name: capital letters and underscores.
    pub category: &'a str,
    /// The title, without blanks at its ends.
    pub title: &'a str,
    /// The path relative to the project, without white space.
    pub path: &'a str,
    /// The tags in lower case, distinct, sorted by code point.
    pub tags: Vec<Cow<'a, str>>,
}

/// One memory of an `index.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The category's display name.
    pub category: &'a str,
    /// The title.
    pub title: &'a str,
    /// The path relative to the project.
    pub path: &'a str,
    /// The tags in lower case, sorted.
    pub tags: Vec<&'a str>,
    /// The number of the line, from 1; 0 if unknown.
    pub line: usize,
}

impl IndexLine<'_> {
    /// This line as an [`Entry`] with the line number 0.
    #[must_use]
    pub fn as_entry(&self) -> Entry<'_> {
        let tags = self.tags.iter().map(|tag| &**tag).collect();
        Entry { category: self.category, title: self.title, path: self.path, tags, line: 0 }
    }
}

/// Why a line that begins like the line of a memory cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadLine {
    /// There is no `[CATEGORY]` after the dash.
    Category,
    /// There is no title followed by ` -> path`.
    Title,
    /// The text after the path is not a list of tags.
    Tags,
    /// The line is not UTF-8.
    Encoding,
    /// The line is longer than 8 KiB.
    Length,
}

impl BadLine {
    /// The name of the reason, in one word.
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

/// The parts of an index line, with the list of tags not yet split.
pub(crate) struct ReadLine<'a> {
    pub(crate) category: &'a str,
    pub(crate) title: &'a str,
    pub(crate) path: &'a str,
    pub(crate) listed_tags: &'a str,
}

/// Parses an index line into its parts; the error is the reason why the line cannot be read. It never panics.
pub fn parse_index_line(line: &str) -> Result<IndexLine<'_>, BadLine> {
    let ReadLine { category, title, path, listed_tags } = read_line(strip(line))?;
    let mut tags: Vec<_> = listed_tags.split(',').map(strip).filter(|tag| !tag.is_empty()).map(fold).collect();
    tags.sort_unstable();
    tags.dedup();
    Ok(IndexLine { category, title, path, tags })
}

/// Like [`parse_index_line`], for a line without white space at its ends; the tags are not split.
pub(crate) fn read_line(line: &str) -> Result<ReadLine<'_>, BadLine> {
    let rest = line.strip_prefix('-').ok_or(BadLine::Category)?;
    let rest = after_blanks(rest).and_then(|rest| rest.strip_prefix('[')).ok_or(BadLine::Category)?;
    let length = rest.bytes().position(|byte| !(byte.is_ascii_uppercase() || byte == b'_')).unwrap_or(rest.len());
    let (category, rest) = rest.split_at(length);
    let rest = rest.strip_prefix(']').filter(|_| length > 0).ok_or(BadLine::Category)?;
    let text = after_blanks(rest).ok_or(BadLine::Category)?;

    // Look for the first arrow that has a title before it, and a well-formed path and list of tags after it.
    let mut reason = BadLine::Title;
    let newline = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    let mut searched = 1;
    while let Some(arrow) = find_arrow(text, searched) {
        searched = arrow + 1;
        let (before, behind) = text.split_at(arrow);
        let title = strip_end(before);
        if title.len() == before.len() {
            continue;
        }
        if newline < title.len() {
            break;
        }
        if let Some((path, listed_tags)) = read_tail(behind, newline < text.len()) {
            return Ok(ReadLine { category, title, path, listed_tags });
        }
        // The line has no white space at its end, so a blank after the arrow means that a path follows.
        if behind.strip_prefix(ARROW).and_then(after_blanks).is_some() {
            reason = BadLine::Tags;
        }
    }

    // A title that is only blanks is accepted, as in `- [DECISION]   -> path`.
    if text.starts_with(ARROW) {
        let blanks = rest.strip_suffix(text).unwrap_or_default();
        let mut inner = blanks.chars();
        inner.next();
        inner.next_back();
        if inner.any(|blank| blank != '\n') {
            if let Some((path, listed_tags)) = read_tail(text, newline < text.len()) {
                return Ok(ReadLine { category, title: "", path, listed_tags });
            }
        }
    }
    Err(reason)
}

/// Reads the path and the list of tags after an arrow. `None` if the text after the arrow has anything else.
fn read_tail(arrow_on: &str, has_newline: bool) -> Option<(&str, &str)> {
    let rest = after_blanks(arrow_on.strip_prefix(ARROW)?)?;
    // Usually the path is visible ASCII and ends at a blank; only other paths are searched character by character.
    let blank = memchr::memchr(b' ', rest.as_bytes()).unwrap_or(rest.len());
    let is_plain = rest.bytes().take(blank).fold(true, |plain, byte| plain & matches!(byte, b'!'..=b'~'));
    let end = if is_plain { blank } else { rest.find(is_white_space).unwrap_or(rest.len()) };
    let (path, rest) = rest.split_at(end);
    if path.is_empty() {
        return None;
    }
    if rest.is_empty() {
        return Some((path, ""));
    }
    let listed = after_blanks(rest)?.strip_prefix(TAGS_MARK)?;
    if listed.is_empty() || has_newline && listed.contains('\n') {
        return None;
    }
    Some((path, listed))
}

/// The byte offset of the next arrow at or after `from`.
fn find_arrow(text: &str, from: usize) -> Option<usize> {
    memchr::memchr_iter(b'>', text.as_bytes().get(from..)?)
        .map(|place| from + place)
        .find(|place| *place > from && text.as_bytes().get(place - 1) == Some(&b'-'))
        .map(|place| place - 1)
}

/// The text after its leading white space; `None` if it has no leading white space.
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
        assert_eq!(parse_index_line("- [DECISION] title ->path"), Err(BadLine::Title));
        assert_eq!(parse_index_line("- [DECISION] t -> p #tags:"), Err(BadLine::Tags));
    }
}
