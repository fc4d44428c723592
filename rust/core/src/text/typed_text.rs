//! Finds what the user typed in a text that a host submits or records: the text without what hosts and hooks put around
//! it (SPEC 12.5).

use crate::tables::Entries;
use crate::tables::host_table::{
    COMMANDS_WITHOUT_TEXT, INSERTED_TAGS, INTRODUCTIONS, MACHINE_TAGS, NOTICES, PLACEHOLDERS, REFERENCES, REQUEST,
    REQUEST_HEADINGS,
};
use crate::text::chars::{is_white_space, strip, strip_start};
use memchr::{memchr_iter, memchr2, memchr2_iter};
use std::borrow::Cow;

/// The tags in which Claude Code records a command, its name and its text.
const COMMAND_TAGS: [&str; 2] = ["<command-message>", "<command-name>"];
const NAME: (&str, &str) = ("<command-name>", "</command-name>");
const ARGUMENTS: (&str, &str) = ("<command-args>", "</command-args>");
const MAX_TAG_BYTES: usize = 40;
/// A placeholder has at most this many bytes.
const MAX_PLACEHOLDER_BYTES: usize = 300;

/// Returns what the user typed; an empty text if that is nothing, as in a notice of the host or a bare command.
#[must_use]
pub fn typed_text(text: &str) -> Cow<'_, str> {
    let text = strip(text);
    if COMMAND_TAGS.iter().any(|tag| text.starts_with(tag)) {
        return Cow::Owned(text_of_record(text));
    }
    if is_notice(text) {
        return Cow::Borrowed("");
    }
    let text = map(Cow::Borrowed(behind_heading(text)), before_references);
    let text = map(change(change(text, without_inserted), without_placeholders), strip);
    if is_notice(&text) { Cow::Borrowed("") } else { map(text, without_command) }
}

/// Returns a text with a blank in place of each block that a host or a hook inserted.
///
/// A block ends at the last end of its tag, because what stands in it may have such an end too.
#[must_use]
pub fn without_inserted(text: &str) -> Cow<'_, str> {
    let (mut kept, mut place) = (String::new(), 0);
    let mut searched = [false; INSERTED_TAGS.len()];
    for open in memchr_iter(b'<', text.as_bytes()) {
        let Some((number, tag)) = find_tag(&INSERTED_TAGS, from(text, open)) else { continue };
        // Behind the last end of a tag there is no other one, so each tag is searched once.
        if open < place || searched.get_mut(number).is_none_or(|searched| std::mem::replace(searched, true)) {
            continue;
        }
        let closing = format!("</{tag}>");
        let Some(end) = from(text, open).rfind(&closing).map(|end| open + end + closing.len()) else { continue };
        kept.push_str(text.get(place..open).unwrap_or_default());
        kept.push(' ');
        place = end;
    }
    if place == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(from(text, place));
    Cow::Owned(kept)
}

/// Whether a prompt is a command to the host: it begins with `/` and a name. A first word with a second `/` is a path.
#[must_use]
pub fn is_slash_command(prompt: &str) -> bool {
    let name = strip(prompt).strip_prefix('/').and_then(|rest| rest.split(is_white_space).next());
    name.is_some_and(|name| {
        let initial = name.chars().next();
        !name.contains('/') && initial.is_some_and(|initial| initial.is_ascii_alphabetic() || !initial.is_ascii())
    })
}

/// Whether a stripped text begins as one that a host, a hook or cuecard has written.
fn is_notice(text: &str) -> bool {
    // A block that never ends is the host's as a whole.
    let is_endless = |(_, tag): (usize, &str)| !text.contains(&format!("</{tag}>"));
    NOTICES.iter().any(|notice| text.starts_with(notice))
        || text.strip_prefix(REQUEST).is_some_and(|rest| rest.starts_with(' '))
        || find_tag(&MACHINE_TAGS, text).is_some()
        || find_tag(&INSERTED_TAGS, text).is_some_and(is_endless)
}

/// Returns the tag of the table with which a text begins, and its number.
fn find_tag(tags: &Entries, text: &str) -> Option<(usize, &'static str)> {
    let opened = text.strip_prefix('<')?;
    // No name in the table is longer, and a text may consist of brackets.
    let end = opened.bytes().take(MAX_TAG_BYTES).position(|byte| !matches!(byte, b'a'..=b'z' | b'_' | b'-'))?;
    let (name, rest) = opened.split_at(end);
    let is_open = |end: char| end == '>' || is_white_space(end);
    rest.starts_with(is_open).then(|| tags.iter().enumerate().find(|(_, tag)| *tag == name)).flatten()
}

/// Returns the text of the command that a record of Claude Code names.
fn text_of_record(text: &str) -> String {
    let name =
        text.split_once(NAME.0).and_then(|(_, rest)| rest.split_once(NAME.1)).map_or("", |(name, _)| strip(name));
    let given = text.split_once(ARGUMENTS.0).and_then(|(_, rest)| rest.rsplit_once(ARGUMENTS.1));
    let arguments = given.map_or("", |(arguments, _)| strip(arguments));
    if is_slash_command(name) { without_command(&format!("{name} {arguments}")).to_owned() } else { String::new() }
}

/// Returns a stripped text without the command at its beginning; an empty one if the command's text is not for the agent.
fn without_command(text: &str) -> &str {
    if !is_slash_command(text) {
        return text;
    }
    let name = from(text, 1);
    let (name, rest) = name.split_at(name.find(is_white_space).unwrap_or(name.len()));
    let takes_none = COMMANDS_WITHOUT_TEXT
        .iter()
        .any(|command| name == command || (command.ends_with(':') && name.starts_with(command)));
    if takes_none { "" } else { strip_start(rest) }
}

/// Returns what stands behind the last heading, in a text that begins as Codex introduces a prompt.
fn behind_heading(text: &str) -> &str {
    if !INTRODUCTIONS.iter().any(|line| text.starts_with(line)) {
        return text;
    }
    let ends = REQUEST_HEADINGS.iter().filter_map(|heading| {
        let place = text.rmatch_indices(heading).find(|(place, _)| is_line_start(text, *place))?.0;
        Some(place + heading.len())
    });
    ends.max().map_or("", |end| from(text, end))
}

/// Returns what stands before the contents of files that Gemini CLI appends.
fn before_references(text: &str) -> &str {
    let place = text.match_indices(REFERENCES).find(|(place, _)| is_line_start(text, *place));
    place.and_then(|(place, _)| text.get(..place)).unwrap_or(text)
}

/// Returns a text with a blank in place of each placeholder.
fn without_placeholders(text: &str) -> Cow<'_, str> {
    let (mut kept, mut place) = (String::new(), 0);
    for open in memchr2_iter(b'[', b'(', text.as_bytes()) {
        let rest = from(text, open);
        if open < place || !PLACEHOLDERS.iter().any(|begin| rest.starts_with(begin)) {
            continue;
        }
        let bytes = rest.as_bytes();
        let bytes = bytes.get(..MAX_PLACEHOLDER_BYTES).unwrap_or(bytes);
        let closing = if bytes.first() == Some(&b'[') { b']' } else { b')' };
        let Some(end) = memchr2(closing, b'\n', bytes).filter(|end| bytes.get(*end) == Some(&closing)) else {
            continue;
        };
        kept.push_str(without_name(text.get(place..open).unwrap_or_default()));
        kept.push(' ');
        place = open + end + 1;
    }
    if place == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(from(text, place));
    Cow::Owned(kept)
}

/// Returns the text before a placeholder without the quoted name that Cline writes there in place of a file's `@name`.
fn without_name(text: &str) -> &str {
    let name = text.strip_suffix("' ").and_then(|rest| rest.rsplit_once('\''));
    name.filter(|(_, name)| !name.contains('\n')).map_or(text, |(before, _)| before)
}

fn is_line_start(text: &str, place: usize) -> bool {
    place.checked_sub(1).is_none_or(|before| text.as_bytes().get(before) == Some(&b'\n'))
}

fn from(text: &str, place: usize) -> &str {
    text.get(place..).unwrap_or_default()
}

/// Returns a part of a text.
fn map(text: Cow<'_, str>, part: fn(&str) -> &str) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(part(text)),
        Cow::Owned(text) => Cow::Owned(part(&text).to_owned()),
    }
}

/// Returns a text in which something may be replaced.
fn change(text: Cow<'_, str>, replace: fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => replace(text),
        Cow::Owned(text) => Cow::Owned(replace(&text).into_owned()),
    }
}
