//! Which part of a path lies in a store, by its words alone (SPEC 16.2).

use cuecard_core::text::path_pattern::matches_path;

/// No file system has longer names.
const MAX_NAME_BYTES: usize = 255;

/// The part of a path below the memory folder it lies in, its components joined by `/`; `None` outside of any.
#[must_use]
pub fn find_store_part(path: &str) -> Option<String> {
    split_store_path(path).map(|inside| inside.join("/"))
}

/// The components below the first `.claude/memory` of a path.
pub(crate) fn split_store_path(path: &str) -> Option<Vec<&str>> {
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
