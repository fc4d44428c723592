//! Makes stored text safe to be shown in a prompt (SPEC 9).

use crate::tables::{Entries, words};
use crate::text::chars::{cut, is_white_space, strip};
use std::borrow::Cow;

/// The beginnings of the names of tags that are frames.
static FRAME_NAMES: Entries = words!("words", "frame_names");

pub(crate) const MAX_TITLE_CHARS: usize = 120;

/// The text without control, zero-width, bidirectional and tag characters (SPEC 9.1).
#[must_use]
pub fn remove_invisible(text: &str) -> Cow<'_, str> {
    remove(text, is_invisible)
}

/// The text without hidden characters, which are invisible or have no meaning of their own (SPEC 9.4).
#[must_use]
pub fn remove_hidden(text: &str) -> Cow<'_, str> {
    remove(text, is_hidden)
}

/// The text without some characters, none of which is printable ASCII.
fn remove(text: &str, unwanted: fn(char) -> bool) -> Cow<'_, str> {
    let is_printable_ascii = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !is_printable_ascii && text.contains(unwanted) {
        Cow::Owned(text.chars().filter(|char| !unwanted(*char)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\0'..='\u{1f}'
            | '\u{7f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Whether a character is hidden: it is invisible, or has no meaning of its own (SPEC 9.4).
pub(crate) fn is_hidden(char: char) -> bool {
    let is_noncharacter = u32::from(char) & 0xfffe == 0xfffe;
    is_invisible(char)
        || is_noncharacter
        || matches!(
            char,
            '\u{80}'..='\u{9f}'
                | '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'
                | '\u{891}'
                | '\u{8e2}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{206a}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{e000}'..='\u{f8ff}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{110bd}'
                | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{16fe4}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d159}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0080}'..='\u{e0fff}'
                | '\u{f0000}'..='\u{10ffff}'
        )
}

/// Makes a title safe to be shown to an agent: removes invisible characters and the separators of index lines (` -> `,
/// `#tags:`), cuts the title to 120 characters, and escapes it.
#[must_use]
pub fn sanitize_title(text: &str) -> String {
    escape_markup(&one_title(&remove_invisible(text)))
}

/// A title as it was written, for programs that show it to a user: without hidden characters and the separators of index
/// lines, cut to 120 characters (SPEC 9.7).
#[must_use]
pub fn plain_title(text: &str) -> String {
    one_title(&remove_hidden(text))
}

/// A title for a packed block: as it was written, but with no beginning of a frame's tag (SPEC 9.7).
#[must_use]
pub fn block_title(text: &str) -> String {
    escape_frames(&plain_title(text))
}

/// A text without the separators of index lines, stripped and cut to the characters of a title.
fn one_title(text: &str) -> String {
    let text = text.replace(" -> ", " - ").replace("#tags:", "");
    cut(strip(&text), MAX_TITLE_CHARS).to_owned()
}

/// Replaces `&`, `<`, `>`, `"` and `'` by entities (SPEC 9.2).
#[must_use]
pub fn escape_text(text: &str) -> String {
    escape_markup(text).replace('\'', "&#x27;")
}

/// Replaces each `<` by an entity that begins a tag of a host's or our own frame, such as `</memory-context>` or
/// `<system-reminder>`, and a `<` at the end; all other characters stay, so that commands can be run as they are shown
/// (SPEC 9.6).
#[must_use]
pub fn escape_frames(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut done = 0;
    for (place, _) in text.match_indices('<') {
        escaped.push_str(text.get(done..place).unwrap_or_default());
        escaped.push_str(if begins_frame(text.get(place + 1..).unwrap_or_default()) { "&lt;" } else { "<" });
        done = place + 1;
    }
    escaped + text.get(done..).unwrap_or_default()
}

/// Whether a text behind `<` begins with the name of a frame, or ends before any name.
fn begins_frame(text: &str) -> bool {
    let is_before_name = |char| is_white_space(char) || matches!(char, '/' | '\\' | '!' | '?');
    let name = text.trim_start_matches(is_before_name).as_bytes();
    let begins = |known: &str| name.get(..known.len()).is_some_and(|name| name.eq_ignore_ascii_case(known.as_bytes()));
    name.is_empty() || FRAME_NAMES.iter().any(begins)
}

/// The most characters of a component that [`legible_path`] shows: the longest id with `.json`.
const MAX_COMPONENT_CHARS: usize = 85;
/// The most blanks in such a component. A name with more of them reads like a sentence.
const MAX_COMPONENT_BLANKS: usize = 2;
const MAX_PATH_CHARS: usize = 120;

/// Makes a path safe to stand between back-ticks in a sentence for an agent (SPEC 9.5): removes hidden characters and
/// back-ticks, replaces each component that reads like a sentence by `...`, cuts it to 120 characters, and escapes it.
/// The components are joined by `/`.
#[must_use]
pub fn legible_path(path: &str) -> String {
    let path: String = path.chars().filter(|char| *char != '`' && !is_hidden(*char)).collect();
    let is_sentence = |component: &str| {
        component.chars().count() > MAX_COMPONENT_CHARS
            || component.chars().filter(|char| is_white_space(*char)).count() > MAX_COMPONENT_BLANKS
    };
    let components: Vec<&str> =
        path.split(['/', '\\']).map(|component| if is_sentence(component) { "..." } else { component }).collect();
    escape_markup(cut(&components.join("/"), MAX_PATH_CHARS))
}

fn escape_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_close_the_frame_or_hide_in_it() {
        assert_eq!(sanitize_title("</memory-context>\u{200b}\u{e0041}"), "&lt;/memory-context&gt;");
        assert_eq!(sanitize_title(" a -> b #tags:x\n"), "a - b x");
    }

    #[test]
    fn a_title_is_cut_before_it_is_escaped() {
        assert_eq!(sanitize_title(&"&".repeat(200)), "&amp;".repeat(120));
    }
}
