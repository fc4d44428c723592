//! Which writes are not for the agent's tools, and what to do instead (SPEC 16.2).

use cuecard_core::memory::is_memory;
use cuecard_core::memory::schema::is_id;
use cuecard_core::text::path_pattern::matches_path;

const MAX_SHOWN_CHARS: usize = 120;
/// No file system has longer names.
const MAX_NAME_BYTES: usize = 255;

/// Why a write must not happen; `None` where it may.
///
/// `path` is absolute or as a command has it, `action` is `write`, `remove` or `move`; whether links lead elsewhere is
/// for who can follow them, and so is `exists`: whether there is a file by that name.
#[must_use]
pub fn judge_write(path: &str, action: &str, exists: bool) -> Option<String> {
    let inside = split_store(path)?;
    let is_removal = action != "write";
    let holds_all = inside.is_empty();
    let mut what =
        if holds_all { "holds the memories of this project" } else { "belongs to the memories of this project" };
    let instead = match inside.as_slice() {
        [".staging" | "memory-config.json", ..] => return None,
        // Derived state may go; it comes back by itself.
        [".cuecard", ..] if is_removal => return None,
        [".cuecard", ..] | ["index.md"] => {
            what = "is derived from the memories";
            "`cuecard index rebuild`".into()
        }
        [folder, name] if is_memory(folder, name) => {
            what = if is_removal || exists { "is a memory" } else { "would be a memory" };
            let id = name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| is_id(stem)).unwrap_or("ID");
            match (is_removal, exists) {
                (true, _) => format!("`cuecard retire {id}` or `cuecard archive {id}`"),
                (false, true) => format!("`cuecard update {id}`"),
                (false, false) => "`cuecard add`".into(),
            }
        }
        _ if is_removal => "`cuecard retire ID` or `cuecard archive ID`".into(),
        _ => "`cuecard add`, or `cuecard update ID` for a memory that is there".into(),
    };
    // `?` stands for anything below a folder that a sweep goes through.
    let below = inside.iter().filter(|component| **component != "?").flat_map(|component| ["/", component]);
    let shown = std::iter::once(".claude/memory").chain(below).flat_map(str::chars);
    let shown: String = shown.filter(|char| !char.is_ascii_control() && *char != '`').take(MAX_SHOWN_CHARS).collect();
    Some(format!("`{shown}` {what}, which cuecard writes: use {instead}"))
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
            ".." => drop(components.pop()),
            _ => components.push(component),
        }
    }
    let is_store = |pair: &[&str]| could_be(pair[0], ".claude") && could_be(pair[1], "memory");
    let at = components.windows(2).position(is_store)?;
    Some(components.split_off(at + 2))
}

/// Whether a component could be of that name on some file system, or stand for it as a pattern.
fn could_be(component: &str, name: &str) -> bool {
    let known = component.rsplit('\0').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    // A pattern that does not begin with a dot never stands for a name that does.
    let is_pattern = known.contains(['*', '?']) && (known.starts_with('.') || !name.starts_with('.'));
    known.eq_ignore_ascii_case(name)
        || (is_pattern && known.len() <= MAX_NAME_BYTES && matches_path(&known.to_ascii_lowercase(), name))
}
