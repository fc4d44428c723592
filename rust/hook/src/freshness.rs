//! Whether `index.md` is as new as the memory files, told by a handful of `stat`s (SPEC 13.2).

use crate::root::Project;
use cuecard_core::FOLDERS;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A time so far ahead of the clock comes from a clock that was put back, and says nothing about what came later.
const FUTURE: Duration = Duration::from_secs(60);
/// Changes this young may have others behind them that the same tick of a coarse clock hides: the index is dated that
/// much before them.
const YOUNG: Duration = Duration::from_secs(2);
const BEFORE: Duration = Duration::from_millis(10);
/// Some file systems keep the times that they are given less exactly than their own.
const INEXACT: Duration = Duration::from_micros(1);

/// When each category folder last gained, lost or replaced a file; `None` where there is none.
pub(crate) type FolderTimes = [Option<SystemTime>; FOLDERS.len()];

/// The times of a project's folders.
pub(crate) fn folder_times(project: &Project) -> FolderTimes {
    FOLDERS.map(|(folder, _)| changed(&project.memory_dir.join(folder)))
}

/// Whether there is no index, or one that is stale.
pub(crate) fn is_missing_or_stale(project: &Project, times: &FolderTimes) -> bool {
    changed(&project.memory_dir.join("index.md")).is_none() || is_stale(project, times)
}

/// Whether memories changed after the index was made, or may have. A missing index is not stale.
pub(crate) fn is_stale(project: &Project, times: &FolderTimes) -> bool {
    let Some(made) = changed(&project.memory_dir.join("index.md")) else { return false };
    let latest = newest(times).map_or(made, |newest| newest.max(made));
    latest > made + INEXACT || latest > SystemTime::now() + FUTURE
}

/// The time to give an index made without the lock from files listed after `times`: a later change is newer.
///
/// Where the last change is so young that another may share its time, the index is dated before it and made once
/// more at the next look.
pub(crate) fn watermark(times: &FolderTimes) -> SystemTime {
    let Some(newest) = newest(times) else { return SystemTime::UNIX_EPOCH };
    if newest > SystemTime::now() - YOUNG { newest - BEFORE } else { newest }
}

fn newest(times: &FolderTimes) -> Option<SystemTime> {
    times.iter().flatten().max().copied()
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
