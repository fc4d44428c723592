//! Finds the part of a path that is inside a store, by the text of the path alone (SPEC 16.2).

use cuecard_core::text::path_pattern::matches_path;

/// No file system has longer names.
const MAX_NAME_BYTES: usize = 255;

/// Returns the part of a path below its memory folder, with components joined by `/`; `None` for a path outside of a
/// memory folder.
#[must_use]
pub fn find_store_part(path: &str) -> Option<String> {
    split_store_path(path).map(|inside| inside.join("/"))
}

/// Returns the components of a path; `.` and `..` are resolved as text.
pub(crate) fn path_components(path: &str) -> Vec<&str> {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split(['/', '\\']) {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()),
            _ => components.push(component),
        }
    }
    components
}

/// Returns the components below the first `.claude/memory` in a path; `None` if it has none.
pub(crate) fn split_store_path(path: &str) -> Option<Vec<&str>> {
    let mut components = path_components(path);
    let is_store = |pair: &[&str]| could_be(pair[0], ".claude") && could_be(pair[1], "memory");
    let at = components.windows(2).position(is_store)?;
    Some(components.split_off(at + 2))
}

/// Whether a component of a path could name the file `name` on some file system, or match it as a pattern.
pub(crate) fn could_be(component: &str, name: &str) -> bool {
    let known = component.rsplit('\0').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    // A pattern that does not begin with a dot never matches a name that begins with a dot.
    let is_pattern = known.contains(['*', '?']) && (known.starts_with('.') || !name.starts_with('.'));
    known.eq_ignore_ascii_case(name)
        || (is_pattern && known.len() <= MAX_NAME_BYTES && matches_path(&known.to_ascii_lowercase(), name))
}
