//! The anchors that are used for an unreviewed memory: only anchors that name exactly one file (SPEC 45.4).

use crate::memory::links::{FILE, normalize_path, read_links};
use crate::text::json_reader::{Json, read_json};

/// The maximal number of paths in a prompt that are compared with anchors (SPEC 34.2).
const MAX_NAMED: usize = 16;

/// The anchors in a memory's file that name one file of the project. Patterns, folders and absolute paths are left out.
#[must_use]
pub fn concrete_anchors(data: &[u8]) -> Vec<String> {
    let record = read_json(data).unwrap_or(Json::Null);
    concrete_anchors_of(&record)
}

/// Like [`concrete_anchors`], for a memory whose file was already parsed.
#[must_use]
pub fn concrete_anchors_of(record: &Json) -> Vec<String> {
    let links = read_links(record);
    let files = links.iter().filter_map(|link| link.strip_prefix(FILE));
    files.filter(|path| is_concrete(path)).map(str::to_owned).collect()
}

/// Whether an anchor can name only one file of the project.
#[must_use]
pub fn is_concrete(anchor: &str) -> bool {
    let Some(path) = normalize_path(anchor) else { return false };
    let has_drive = path.chars().nth(1) == Some(':');
    let leaves = path.split('/').any(|part| matches!(part, "" | "." | ".."));
    !(leaves || has_drive || path.starts_with('~') || path.contains(['*', '?', '[']))
}

/// Whether one of the anchors is equal to a path of the project.
#[must_use]
pub fn anchors_file(anchors: &[String], path: &str) -> bool {
    normalize_path(path).is_some_and(|path| anchors.contains(&path))
}

/// Whether one of the paths in a prompt may mean the file of one of the anchors, such as `src/app.py` (SPEC 34.2). A
/// path may lack leading folders (`app.py`), have more of them (`/home/me/src/app.py`), or be a folder (`src/`).
#[must_use]
pub fn anchors_named(anchors: &[String], paths: &[String]) -> bool {
    paths.iter().take(MAX_NAMED).filter_map(|path| normalize_path(path)).any(|path| {
        let last = path.rsplit('/').next().unwrap_or_default();
        let is_folder = path.contains('/') && !last.contains('.');
        anchors.iter().any(|anchor| {
            anchor == &path
                || ends_with_parts(anchor, &path)
                || (anchor.contains('/') && ends_with_parts(&path, anchor))
                || (is_folder && anchor.starts_with(&format!("{}/", path.trim_end_matches('/'))))
        })
    })
}

/// Whether `path` ends with all parts of `end` and has further parts before them.
fn ends_with_parts(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'))
}
