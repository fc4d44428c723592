//! Which writes are not for the agent's tools, and what to do instead (SPEC 16.2).

use crate::guard::shell_scope::UNKNOWN;
use crate::guard::tool_use::Action;
use cuecard_core::memory::is_memory;
use cuecard_core::memory::schema::is_id;

const STORE: [&str; 2] = [".claude", "memory"];
const MAX_SHOWN_CHARS: usize = 120;
/// No file system has longer names.
const MAX_NAME_BYTES: usize = 255;

/// Why a write must not happen; `None` where it may.
///
/// `path` is absolute or as a command has it; whether links lead elsewhere is for who can follow them, and so is
/// `exists`: whether there is a file by that name.
#[must_use]
pub fn judge_write(path: &str, action: Action, exists: bool) -> Option<String> {
    let inside = split_store(path)?;
    let is_removal = action != Action::Write;
    let shown = show(&inside);
    let (what, instead) = match inside.as_slice() {
        // Below a file there is nothing: such a path is a guess at what a folder of that name would get.
        [first, ..] if *first == ".staging" || *first == "memory-config.json" => return None,
        // Derived state may go; it comes back by itself.
        [first, ..] if *first == ".cuecard" && is_removal => return None,
        [first, ..] if *first == ".cuecard" || inside == ["index.md"] => {
            ("is derived from the memories", "`cuecard index rebuild`".into())
        }
        [] => ("holds the memories of this project", general(is_removal)),
        [folder, name] if is_memory(folder, name) => {
            let id = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
            let id = if is_id(id) { id } else { "ID" };
            let what = if is_removal || exists { "is a memory" } else { "would be a memory" };
            let instead = match (is_removal, exists) {
                (true, _) => format!("`cuecard retire {id}` or `cuecard archive {id}`"),
                (false, true) => format!("`cuecard update {id}`"),
                (false, false) => "`cuecard add`".into(),
            };
            (what, instead)
        }
        _ => ("belongs to the memories of this project", general(is_removal)),
    };
    Some(format!("`{shown}` {what}, which cuecard writes: use {instead}"))
}

fn general(is_removal: bool) -> String {
    if is_removal {
        "`cuecard retire ID` or `cuecard archive ID`".into()
    } else {
        "`cuecard add`, or `cuecard update ID` for a memory that is there".into()
    }
}

/// The part of a path below the memory folder it lies in, its components joined by `/`; `None` outside of any.
#[must_use]
pub fn find_store_part(path: &str) -> Option<String> {
    split_store(path).map(|inside| inside.join("/"))
}

/// The components below the first `.claude/memory` of a path.
fn split_store(path: &str) -> Option<Vec<&str>> {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split(['/', '\\']) {
        match component {
            "" | "." => {}
            ".." => {
                components.pop();
            }
            _ => components.push(component),
        }
    }
    let at =
        components.windows(2).position(|pair| pair.iter().zip(STORE).all(|(found, name)| could_be(found, name)))?;
    Some(components.split_off(at + 2))
}

/// Whether a component could be of that name on some file system, or stand for it as a pattern.
fn could_be(component: &str, name: &str) -> bool {
    let component = component.rsplit(UNKNOWN).next().unwrap_or_default();
    let component = component.trim_end_matches(['.', ' ']);
    if component.eq_ignore_ascii_case(name) {
        return true;
    }
    if component.len() > MAX_NAME_BYTES {
        return false;
    }
    // A pattern that does not begin with a dot never stands for a name that does.
    if !component.contains(['*', '?', '[', '{']) || (name.starts_with('.') && !component.starts_with('.')) {
        return false;
    }
    if let Some((before, (choices, behind))) =
        component.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        return choices.split(',').any(|choice| fits(&format!("{before}{choice}{behind}"), name));
    }
    fits(component, name)
}

/// Whether a pattern of `*`, `?` and `[...]` fits a name; letters of any case, any character for brackets.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Which beginnings of the name fit the pattern up to here.
    let mut reached = vec![false; name.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    let mut place = 0;
    while let Some(char) = pattern.get(place) {
        place += 1;
        if *char == '*' {
            let first = reached.iter().position(|fits| *fits).unwrap_or(reached.len());
            reached.iter_mut().skip(first).for_each(|fits| *fits = true);
            continue;
        }
        let close = if *char == '[' { pattern.iter().skip(place).position(|char| *char == ']') } else { None };
        place += close.map_or(0, |close| close + 1);
        let is_any = *char == '?' || close.is_some();
        let advanced = name.iter().zip(&reached).map(|(own, fits)| *fits && (is_any || own.eq_ignore_ascii_case(char)));
        reached = std::iter::once(false).chain(advanced).collect();
    }
    reached.last().copied().unwrap_or(false)
}

/// A path of the store as a person would write it.
fn show(inside: &[&str]) -> String {
    let mut shown = STORE.join("/");
    // `?` stands for anything below a folder that a sweep goes through.
    for component in inside.iter().filter(|component| **component != "?") {
        shown.push('/');
        shown.push_str(component);
    }
    let is_plain = |char: &char| !char.is_ascii_control() && *char != '`';
    shown.chars().filter(is_plain).take(MAX_SHOWN_CHARS).collect()
}
