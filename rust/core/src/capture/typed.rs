//! Finds what the user typed in a message, without the text that hosts and hooks have inserted (SPEC 56.5).

use crate::text::chars::{is_white_space, strip, strip_start};
use crate::text::prompt_kind::{is_machine_made, is_slash_command};

/// The tags of the blocks that hosts and hooks insert; an entry that ends with `-` or `_` is a prefix of tags.
const INSERTED: [&str; 6] =
    ["memory-context", "system-reminder", "local-command-", "task-notification", "ide_", "hook_context"];
/// The beginnings of texts that a host or hook wrote in the user's name.
const NOTICES: [&str; 11] = [
    "[Request interrupted",
    "Stop hook feedback:",
    "cuecard: ",
    "Another language model started to solve this problem",
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted",
    "<skill",
    "<hook_prompt",
];
/// The beginnings of the tags in which Claude Code wraps commands.
const COMMANDS: [&str; 3] = ["<command-", "<local-command", "<bash-"];
/// The line after which Gemini CLI appends the content of files that a prompt names.
const REFERENCES: &str = "\n--- Content from referenced files ---";

/// Returns what the user typed; empty if the user typed nothing, or if the text is a command or a notice of the host.
#[must_use]
pub fn typed_text(text: &str) -> String {
    let begin = strip_start(text);
    let begins_with = |listed: &[&str]| listed.iter().any(|tag| begin.starts_with(tag));
    if begins_with(&NOTICES) || begins_with(&COMMANDS) || is_slash_command(begin) {
        return String::new();
    }
    let text = text.split(REFERENCES).next().unwrap_or_default();
    let text = without_inserted(text);
    let text = strip(&text);
    if is_machine_made(text) { String::new() } else { text.to_owned() }
}

/// Whether the user typed the same text in `prompt` and in `message`, a message of a transcript. Words with `@` are not
/// compared, because a host may replace the names of files (`@a`) with other text.
#[must_use]
pub fn is_same_prompt(prompt: &str, message: &str) -> bool {
    let (prompt, message) = (typed_text(prompt), typed_text(message));
    let words = |word: &&str| !word.is_empty() && !word.contains('@');
    prompt.split(is_white_space).filter(words).eq(message.split(is_white_space).filter(words))
}

/// Returns the text with each block that a host or hook inserted replaced by a blank.
#[must_use]
pub fn without_inserted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('<') {
        let (before, opened) = rest.split_at(place);
        kept.push_str(before);
        rest = if let Some(behind) = behind_block(opened) {
            kept.push(' ');
            behind
        } else {
            kept.push('<');
            opened.get(1..).unwrap_or_default()
        };
    }
    kept.push_str(rest);
    kept
}

/// The text after the inserted block that `text` begins with; `None` if it does not begin with one.
fn behind_block(text: &str) -> Option<&str> {
    let inside = text.get(1..)?;
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_';
    let length = inside.bytes().take_while(|byte| is_of_name(*byte)).count();
    let (name, rest) = inside.split_at(length);
    let is_open = |tag: &str| tag.ends_with(['-', '_']);
    let is_inserted =
        INSERTED.iter().any(|tag| name == *tag || (is_open(tag) && name.len() > tag.len() && name.starts_with(tag)));
    if !is_inserted || !rest.starts_with(|char| char == '>' || is_white_space(char)) {
        return None;
    }
    rest.split_once(format!("</{name}>").as_str()).map(|(_, behind)| behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_typed_is_left_out() {
        for text in
            ["[Request interrupted by user]", " <command-name>/x</command-name>", "/compact now", "cuecard: save"]
        {
            assert_eq!(typed_text(text), "", "{text}");
        }
        assert_eq!(typed_text("<ide_opened_file>x</ide_opened_file>fix it "), "fix it");
        assert_eq!(typed_text("a <b> c <system-reminder>\nno</system-reminder>."), "a <b> c  .");
        assert_eq!(typed_text("/etc/hosts is wrong"), "/etc/hosts is wrong");
        assert_eq!(without_inserted("<ide_>x</ide_>!"), " !");
        let other = "<system-reminderx>y</system-reminderx>";
        assert_eq!(without_inserted(other), other);
    }
}
