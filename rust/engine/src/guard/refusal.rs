//! Decides which writes the agent's tools must not make, and says what to do instead (SPEC 16.2).

use crate::store::store_path::split_store_path;
use cuecard_core::memory::is_memory;
use cuecard_core::memory::schema::is_id;
use cuecard_core::text::json_writer::quote;

const MAX_SHOWN_CHARS: usize = 120;

/// Returns why a write must not happen; `None` if it may.
///
/// `path` is absolute or as it is in a command, `action` is `write`, `remove` or `move`. The caller must resolve links,
/// and `exists` says whether a file with this name exists.
#[must_use]
pub fn judge_write(path: &str, action: &str, exists: bool) -> Option<String> {
    let inside = split_store_path(path)?;
    let is_removal = action != "write";
    let holds_all = inside.is_empty();
    let mut what =
        if holds_all { "holds the memories of this project" } else { "belongs to the memories of this project" };
    let instead = match inside.as_slice() {
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
                (true, _) => format!("`cuecard retire {id}` or `cuecard archive {id}`"),
                (false, true) => format!("`cuecard update {id}`"),
                (false, false) => "`cuecard add`".into(),
            }
        }
        _ if is_removal => "`cuecard retire ID` or `cuecard archive ID`".into(),
        _ => "`cuecard add`, or `cuecard update ID` for an existing memory".into(),
    };
    // The component `?` means any path below a folder: the command visits all files there.
    let below = inside.iter().filter(|component| **component != "?").flat_map(|component| ["/", component]);
    let shown = std::iter::once(".claude/memory").chain(below).flat_map(str::chars);
    let shown: String = shown.filter(|char| !char.is_ascii_control() && *char != '`').take(MAX_SHOWN_CHARS).collect();
    Some(format!("`{shown}` {what}, which only cuecard writes: use {instead}"))
}

/// Returns the text for standard output that keeps a tool from running.
#[must_use]
pub fn write_denial(reason: &str) -> String {
    format!(
        "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\
         \"permissionDecisionReason\":{}}}}}\n",
        quote(reason)
    )
}
