//! Whether `index.md` is as new as the memory files, told by a handful of `stat`s (SPEC 13.2).

use crate::store::root::Project;
use crate::store::status::{Kind, now};
use cuecard_core::memory::FOLDERS;

/// A time so far ahead of the clock comes from a clock that was put back, and says nothing about what came later.
const FUTURE: i64 = 60_000_000_000;
/// Changes this young may have others behind them that the same tick of a coarse clock hides: the index is dated that
/// much before them.
const YOUNG: i64 = 2_000_000_000;
const BEFORE: i64 = 10_000_000;
/// Some file systems keep the times that they are given less exactly than their own.
const INEXACT: i64 = 1000;

/// The name of the index in a store.
pub(crate) const INDEX: &str = "index.md";

/// When each category folder last gained, lost or replaced a file, in nanoseconds since 1970; `None` where there is
/// none. A link in the place of a folder counts as none.
pub(crate) type FolderTimes = [Option<i64>; FOLDERS.len()];

/// The times of a project's folders.
pub(crate) fn folder_times(project: &Project) -> FolderTimes {
    FOLDERS.map(|(folder, _)| folder_time(project, folder))
}

/// Whether there is no index, or one that is stale.
pub(crate) fn is_missing_or_stale(project: &Project, times: &FolderTimes) -> bool {
    index_time(project).is_none() || is_stale(project, times)
}

/// Whether memories changed after the index was made, or may have. A missing index is not stale.
pub(crate) fn is_stale(project: &Project, times: &FolderTimes) -> bool {
    let Some(made) = index_time(project) else { return false };
    let latest = newest(times).map_or(made, |newest| newest.max(made));
    latest > made.saturating_add(INEXACT) || latest > now().saturating_add(FUTURE)
}

/// The time to give an index made without the lock from files listed after `times`: a later change is newer.
///
/// Where the last change is so young that another may share its time, the index is dated before it and made once
/// more at the next look.
pub(crate) fn watermark(times: &FolderTimes) -> i64 {
    let Some(newest) = newest(times) else { return 0 };
    if newest > now() - YOUNG { newest - BEFORE } else { newest }
}

fn newest(times: &FolderTimes) -> Option<i64> {
    times.iter().flatten().max().copied()
}

/// When the index was made; `None` where there is none.
pub(crate) fn index_time(project: &Project) -> Option<i64> {
    project.memory.status(INDEX).ok().map(|status| status.modified)
}

fn folder_time(project: &Project, name: &str) -> Option<i64> {
    let status = project.memory.status(name).ok()?;
    (status.kind == Kind::Folder).then_some(status.modified)
}
