//! Decides which writes the agent's tools must not make, and says what to do instead (SPEC 16.2).

use crate::store::store_path::split_store_path;
use cuecard_core::memory::schema::is_id;
use cuecard_core::memory::{category_of, instruction_signs, is_memory};
use cuecard_core::text::sanitize::legible_path;

const STORE: &str = ".claude/memory";
/// The id of a memory behind a link is named only if it is not longer: more words could be a sentence of a stranger.
const MAX_TARGET_ID_CHARS: usize = 32;
const MAX_TARGET_ID_HYPHENS: usize = 2;

/// Returns why a write must not happen; `None` if it may.
///
/// `path` is absolute or as it is in a command, `action` is `write`, `remove` or `move`. The caller must resolve links,
/// and `exists` says whether a file with this name exists.
#[must_use]
pub fn judge_write(path: &str, action: &str, exists: bool) -> Option<String> {
    let inside = split_store_path(path)?;
    let (what, instead) = verdict(&inside, action, exists)?;
    // The component `?` means any path below a folder: the command visits all files there.
    let below = inside.iter().filter(|component| **component != "?");
    let shown = legible_path(&std::iter::once(&STORE).chain(below).copied().collect::<Vec<_>>().join("/"));
    // Only the path is judged: the words of the reason are cuecard's own.
    let (shown, instead) = if instruction_signs(&shown).is_empty() {
        (shown, instead)
    } else {
        (format!("{STORE}/..."), without_id(&inside, action, exists))
    };
    Some(format!("`{shown}` {what}, which only cuecard writes: use {instead}"))
}

/// Returns why a write must not happen whose path `given` leads to `target`, through links or as another name of the
/// same file; `None` if it may. `action` and `exists` are as in [`judge_write`].
///
/// A repository chooses the targets of its links, so the target is named only if it is a memory with a short plain id,
/// or a name that cuecard chose.
#[must_use]
pub fn judge_target(target: &str, given: &str, action: &str, exists: bool) -> Option<String> {
    let inside = split_store_path(target)?;
    let is_own_name = match inside.as_slice() {
        ["index.md"] => true,
        [folder] => category_of(folder).is_some(),
        [folder, name] if is_memory(folder, name) => {
            let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
            let is_short = stem.len() <= MAX_TARGET_ID_CHARS && stem.matches('-').count() <= MAX_TARGET_ID_HYPHENS;
            is_short && is_id(stem) && instruction_signs(stem).is_empty()
        }
        _ => false,
    };
    let (_, instead) = verdict(&inside, action, exists)?;
    let (shown, instead) = if is_own_name {
        (format!("{STORE}/{}", inside.join("/")), instead)
    } else {
        let folder = inside.first().filter(|folder| category_of(folder).is_some());
        let shown = folder.map_or_else(|| format!("{STORE}/"), |folder| format!("{STORE}/{folder}/"));
        (shown, without_id(&inside, action, exists))
    };
    let path = legible_path(given);
    let named = if instruction_signs(&path).is_empty() { format!("`{path}`") } else { "the path".into() };
    Some(format!("{named} leads to `{shown}`, which only cuecard writes: use {instead}"))
}

/// Returns the command to use instead of a write, without the id of the memory.
fn without_id(inside: &[&str], action: &str, exists: bool) -> String {
    let unnamed = match inside {
        [folder, name] if is_memory(folder, name) => vec![*folder, "?.json"],
        _ => inside.to_vec(),
    };
    verdict(&unnamed, action, exists).map(|(_, instead)| instead).unwrap_or_default()
}

/// Returns what a path below the store is, and the command to use instead of the write; `None` if the write may happen.
fn verdict(inside: &[&str], action: &str, exists: bool) -> Option<(&'static str, String)> {
    let is_removal = action != "write";
    let holds_all = inside.is_empty();
    let mut what =
        if holds_all { "holds the memories of this project" } else { "belongs to the memories of this project" };
    let instead = match inside {
        [".staging" | "memory-config.json", ..] => return None,
        // Derived files may be removed, because cuecard makes them again.
        [".cuecard", ..] if is_removal => return None,
        [".cuecard", ..] | ["index.md"] => {
            what = "is derived from the memories";
            "`cuecard index rebuild`".into()
        }
        [folder, name] if is_memory(folder, name) => {
            what = if is_removal || exists { "is a memory" } else { "would be a memory" };
            let id = name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| is_id(stem)).unwrap_or("ID");
            match (is_removal, exists) {
                (true, _) => format!("`cuecard retire {id}`"),
                (false, true) => format!("`cuecard update {id}`"),
                (false, false) => "`cuecard add`".into(),
            }
        }
        _ if is_removal => "`cuecard retire ID`".into(),
        _ => "`cuecard add`, or `cuecard update ID` for an existing memory".into(),
    };
    Some((what, instead))
}
