//! The message that tells the user of files that a merge has left in conflict (SPEC 13.4).

use crate::store::files::StoreFiles;
use crate::store::folder::Replacement;
use crate::store::mapped::Source;
use crate::store::root::Project;
use cuecard_core::index::Snapshot;
use cuecard_core::text::conflict_markers::has_conflict_markers;
use std::fmt::Write as _;

/// The file in the user's folder of the store that lists what was looked at: path, size, time, and whether it was in
/// conflict.
const NAME: &str = "conflicts";
const MAX_BYTES: u64 = 64 << 10;
const INDEX: &str = ".claude/memory/index.md";
/// How many files are looked at besides `index.md`, because a prompt waits for the result.
const MAX_FILES: usize = 20;
const CONFLICT: &str = "conflict";

/// Returns the message; empty if there is no such file, or if the user was told of the same files before.
///
/// Files that are memories cannot have markers, so only those that the snapshot lists as unfit are read, and only once.
/// Before it returns the message, it records what was looked at. If this cannot be recorded, it returns an empty text,
/// because otherwise the message would appear at every prompt.
pub(crate) fn tell_of_conflicts(snapshot: &Snapshot<Source>, project: &Project) -> String {
    let Some(folder) = project.own.make() else { return String::new() };
    let recorded = folder.read(NAME, MAX_BYTES).unwrap_or_default();
    let recorded = String::from_utf8_lossy(&recorded);
    let mut files = StoreFiles::new(project);
    let unfit = snapshot.all_unfit_files().into_iter().take(MAX_FILES).map(|(path, _)| path);
    let mut seen = String::new();
    let (mut count, mut is_news) = (0, false);
    for path in unfit.chain([INDEX.to_owned()]) {
        let Ok(status) = files.status(&path) else { continue };
        let stamp = format!("{path}\t{}\t{}\t", status.size, status.modified);
        let known = recorded.lines().find_map(|line| line.strip_prefix(&stamp));
        let mark = known.unwrap_or_else(|| {
            let is_conflicted = files.read(&path).is_ok_and(|(data, _)| has_conflict_markers(&data));
            if is_conflicted { CONFLICT } else { "" }
        });
        count += usize::from(mark == CONFLICT);
        is_news |= known.is_none() && mark == CONFLICT;
        let _ = writeln!(seen, "{stamp}{mark}");
    }
    if recorded == seen || !folder.is_writable() {
        return String::new();
    }
    if folder.replace(NAME, seen.as_bytes(), Replacement::PRIVATE).is_err() || !is_news {
        return String::new();
    }
    let told =
        if count == 1 { "1 file of the memories has".into() } else { format!("{count} files of the memories have") };
    format!("cuecard: {told} the conflict markers of a merge; `cuecard merge` repairs them")
}
