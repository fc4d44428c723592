//! Recognizes prompts that get no memories: commands to the host, and text that a host submits in a tag (SPEC 12.1).

use crate::tables::host_table::{MACHINE_TAGS, REQUEST};
use crate::text::chars::{is_white_space, strip};

/// Whether a prompt is a command to the host: it begins with `/` and a name. A first word with a second `/` is a path.
#[must_use]
pub fn is_slash_command(prompt: &str) -> bool {
    let name = strip(prompt).strip_prefix('/').and_then(|rest| rest.split(is_white_space).next());
    name.is_some_and(|name| {
        let initial = name.chars().next();
        !name.contains('/') && initial.is_some_and(|initial| initial.is_ascii_alphabetic() || !initial.is_ascii())
    })
}

/// Whether a prompt was not typed: it begins with one of the tags in which a host wraps its own texts, or it is our
/// request for memories.
#[must_use]
pub fn is_machine_made(prompt: &str) -> bool {
    let prompt = strip(prompt);
    let Some(opened) = prompt.strip_prefix('<') else {
        return prompt.strip_prefix(REQUEST).is_some_and(|rest| rest.starts_with(' '));
    };
    let rest = MACHINE_TAGS.iter().find_map(|tag| opened.strip_prefix(tag));
    rest.and_then(|rest| rest.chars().next()).is_some_and(|end| end == '>' || is_white_space(end))
}
