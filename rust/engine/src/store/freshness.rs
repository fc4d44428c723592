//! Tells whether `index.md` is as new as the memory files, by a few calls of `stat` (SPEC 13.2).

use crate::store::root::Project;
use crate::store::status::{Kind, now};
use cuecard_core::memory::FOLDERS;

/// How far, in nanoseconds, a file's modification time may be ahead of the clock. If it is further ahead, the file was
/// written before the clock was set back, and files that are written now get earlier times.
const FUTURE: i64 = 60_000_000_000;
/// If the last change is younger than `YOUNG` nanoseconds, the next change may get the same time, because some clocks
/// are coarse. Then the index gets a time that is `BEFORE` nanoseconds earlier, so that it counts as stale.
const YOUNG: i64 = 2_000_000_000;
const BEFORE: i64 = 10_000_000;
/// How far the time of the index may be off, in nanoseconds: some file systems round the times that programs set.
const INEXACT: i64 = 1000;

/// The name of the index in a store.
pub(crate) const INDEX: &str = "index.md";

/// The time when each category folder last gained, lost or replaced a file, in nanoseconds since 1970; `None` for a
/// missing folder and for a link in its place.
pub(crate) type FolderTimes = [Option<i64>; FOLDERS.len()];

/// Returns the times of a project's category folders.
pub(crate) fn folder_times(project: &Project) -> FolderTimes {
    FOLDERS.map(|(folder, _)| folder_time(project, folder))
}

/// Whether the index is missing or stale.
pub(crate) fn is_missing_or_stale(project: &Project, times: &FolderTimes) -> bool {
    index_time(project).is_none() || is_stale(project, times)
}

/// Whether memories changed, or may have changed, after the index was made; false if there is no index.
pub(crate) fn is_stale(project: &Project, times: &FolderTimes) -> bool {
    let Some(made) = index_time(project) else { return false };
    let latest = newest(times).map_or(made, |newest| newest.max(made));
    latest > made.saturating_add(INEXACT) || latest > now().saturating_add(FUTURE)
}

/// Returns the modification time for an index that was made without the lock, from files that were listed after
/// `times`. A later change is newer than this time.
///
/// If the last change is so young that another change may get the same time, the index gets an earlier time, so that
/// the next prompt makes it again.
pub(crate) fn watermark(times: &FolderTimes) -> i64 {
    let Some(newest) = newest(times) else { return 0 };
    if newest > now() - YOUNG { newest - BEFORE } else { newest }
}

fn newest(times: &FolderTimes) -> Option<i64> {
    times.iter().flatten().max().copied()
}

/// Returns the modification time of the index; `None` if there is none.
pub(crate) fn index_time(project: &Project) -> Option<i64> {
    project.memory.status(INDEX).ok().map(|status| status.modified)
}

fn folder_time(project: &Project, name: &str) -> Option<i64> {
    let status = project.memory.status(name).ok()?;
    (status.kind == Kind::Folder).then_some(status.modified)
}
