//! The snapshot of a store: mapped as it is, brought up to date within a prompt's budget, written after the answer
//! (SPEC 23).

use crate::files::{Containment, MAX_RECORD_BYTES, read_bounded};
use crate::freshness;
use crate::index_md::NewIndex;
use crate::log::ensure_derived_folder;
use crate::mapped::{Source, map};
use crate::root::Project;
use cuecard_core::snapshot_writer::{MemoryFile, build_snapshot};
use cuecard_core::{FOLDERS, Settings, Snapshot, Stamp, index_text};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So many files of a stale store are looked at within a prompt, and so many of them read.
const LIST_LIMIT: usize = 10_000;
const READ_LIMIT: usize = 500;
/// A store without a snapshot is read within a prompt if it has no more files than these.
const BUILD_LIMIT: usize = 1000;
/// A folder that changed so lately may have changed once more within the same tick of the clock.
const YOUNG: Duration = Duration::from_secs(2);

const MISSING: i64 = -1;
const UNSURE: i64 = 0;

/// A snapshot to answer from, and what is to be written after the answer.
pub(crate) struct Loaded {
    pub(crate) snapshot: Snapshot<Source>,
    pub(crate) new_files: Vec<NewFile>,
    pub(crate) new_index: Option<NewIndex>,
    pub(crate) notes: Vec<String>,
    /// Whether nothing is known to be missing from it.
    is_complete: bool,
}

impl Loaded {
    /// A snapshot that is on disk as it is.
    fn on_disk(snapshot: Snapshot<Source>) -> Self {
        Self { snapshot, new_files: Vec::new(), new_index: None, notes: Vec::new(), is_complete: true }
    }
}

/// A derived file to be put in its place, or to be removed.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    data: Option<Vec<u8>>,
}

/// The snapshot of a project; `None` where there is none and too much to make one within a prompt.
pub(crate) fn load(project: &Project, settings: &Settings) -> Option<Loaded> {
    let path = project.memory_dir.join(".cuecard").join("snapshot");
    let times = freshness::folder_times(project);
    let seen = times.map(nanoseconds);
    let open = || Snapshot::open(map(&path)?, map(&delta_of(&path))).ok();
    let found = open().filter(|snapshot| snapshot.has_settings(settings) && snapshot.watermark().len() == seen.len());
    let mut loaded = match found {
        Some(snapshot) if snapshot.watermark() == seen => Loaded::on_disk(snapshot),
        Some(snapshot) => heal(project, &path, snapshot, &seen),
        None => build(project, &path, settings, &seen)?,
    };
    let has_all_lines = loaded.is_complete && loaded.snapshot.len() <= LIST_LIMIT;
    if has_all_lines && freshness::is_missing_or_stale(project, &times) {
        let text = index_text(&loaded.snapshot.active_lines());
        let path = project.memory_dir.join("index.md");
        if !text.is_empty() || path.exists() {
            loaded.new_index = Some(NewIndex { path, text, made: freshness::watermark(&times) });
        }
    }
    Some(loaded)
}

/// The snapshot with what changed in the folders that are not in step, as far as the budget goes.
fn heal(project: &Project, path: &Path, snapshot: Snapshot<Source>, seen: &[i64; 6]) -> Loaded {
    let mut watermark = *seen;
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    let mut listed = 0;
    let mut is_complete = true;
    let old = snapshot.watermark();
    for (((folder, category), time), old) in FOLDERS.into_iter().zip(&mut watermark).zip(old) {
        if *time == old {
            continue;
        }
        let Some(files) = list_folder(project, folder, LIST_LIMIT - listed) else {
            *time = old;
            is_complete = false;
            continue;
        };
        listed += files.len();
        let known = snapshot.files(folder).into_iter().collect::<BTreeMap<_, _>>();
        removed.extend(known.keys().filter(|path| !files.contains_key(*path)).cloned());
        let is_changed = |(path, stamp): &(&String, &Stamp)| known.get(*path) != Some(*stamp);
        for (path, stamp) in files.iter().filter(is_changed) {
            if changed.len() == READ_LIMIT {
                *time = UNSURE;
                is_complete = false;
                break;
            }
            changed.push((category, path.clone(), *stamp));
        }
        *time = sure(*time);
    }
    if changed.is_empty() && removed.is_empty() && snapshot.watermark() == watermark {
        return Loaded { is_complete, ..Loaded::on_disk(snapshot) };
    }
    let files = read_files(project, changed);
    let Ok(Some(updated)) = snapshot.update(&files, &removed, &watermark, false) else {
        let notes = vec!["the snapshot is damaged; `cuecard index rebuild` makes it anew".into()];
        return Loaded { notes, is_complete: false, ..Loaded::on_disk(snapshot) };
    };
    let notes = updated.skipped.iter().map(left_out).collect();
    let healed = match updated.delta.clone() {
        Some(delta) => snapshot.with_delta(Source::Owned(delta)),
        None => snapshot,
    };
    let new_files = vec![NewFile { path: delta_of(path), data: updated.delta }];
    Loaded { new_files, notes, is_complete, ..Loaded::on_disk(healed) }
}

/// A snapshot of all memory files, where there are few.
fn build(project: &Project, path: &Path, settings: &Settings, seen: &[i64; 6]) -> Option<Loaded> {
    let mut all = Vec::new();
    for (folder, category) in FOLDERS {
        let files = list_folder(project, folder, BUILD_LIMIT - all.len())?;
        all.extend(files.into_iter().map(|(path, stamp)| (category, path, stamp)));
    }
    let files = read_files(project, all);
    let (data, skipped) = build_snapshot(&files, &seen.map(sure), settings, 1);
    let snapshot = Snapshot::open(Source::Owned(data.clone()), None).ok()?;
    let new_files =
        vec![NewFile { path: path.to_owned(), data: Some(data) }, NewFile { path: delta_of(path), data: None }];
    Some(Loaded { new_files, notes: skipped.iter().map(left_out).collect(), ..Loaded::on_disk(snapshot) })
}

fn left_out((path, reason): &(String, &'static str)) -> String {
    format!("left `{path}` out of the snapshot: {reason}")
}

/// Path and stamp of every memory file of a folder; `None` where they cannot be listed or are more than `limit`.
fn list_folder(project: &Project, folder: &str, limit: usize) -> Option<BTreeMap<String, Stamp>> {
    let mut files = BTreeMap::new();
    let place = project.memory_dir.join(folder);
    let Ok(entries) = fs::read_dir(&place) else { return (!place.is_dir()).then_some(files) };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.strip_suffix(".json").is_none() {
            continue;
        }
        if files.len() == limit {
            return None;
        }
        let stamp = fs::metadata(entry.path()).map(|metadata| stamp_of(&metadata)).unwrap_or_default();
        files.insert(format!(".claude/memory/{folder}/{name}"), stamp);
    }
    Some(files)
}

fn read_files(project: &Project, files: Vec<(&str, String, Stamp)>) -> Vec<MemoryFile> {
    let mut containment = Containment::new(&project.root, &project.memory_dir);
    let read = |(category, path, stamp): (&str, String, Stamp)| {
        let located = containment.locate(&path);
        let data = located.and_then(|located| read_bounded(&located, MAX_RECORD_BYTES).ok());
        MemoryFile { category: category.into(), path, data, stamp }
    };
    files.into_iter().map(read).collect()
}

/// Size and modification time of a file.
pub(crate) fn stamp_of(metadata: &fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok();
    Stamp { size: u32::try_from(metadata.len()).unwrap_or(u32::MAX), modified: modified.map_or(0, since_1970) }
}

impl NewFile {
    /// Puts it in its place whole, or removes what is there.
    pub(crate) fn write(&self, memory_dir: &Path) -> Result<(), String> {
        let Some(data) = &self.data else {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err("the snapshot cannot be written".into())
                }
                _ => Ok(()),
            };
        };
        let temporary = self.path.with_extension(format!("{}.tmp", std::process::id()));
        let write = || {
            ensure_derived_folder(memory_dir)?;
            fs::File::create(&temporary)?.write_all(data)?;
            fs::rename(&temporary, &self.path)
        };
        write().map_err(|_| {
            let _ = fs::remove_file(&temporary);
            "the snapshot cannot be written".into()
        })
    }
}

fn delta_of(path: &Path) -> PathBuf {
    path.with_extension("delta")
}

fn nanoseconds(time: Option<SystemTime>) -> i64 {
    time.map(since_1970).filter(|time| *time != UNSURE).unwrap_or(MISSING)
}

fn since_1970(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |before| -before),
    }
}

/// A folder's time as the watermark keeps it: not one so young that a change could hide behind it.
fn sure(time: i64) -> i64 {
    let now = since_1970(SystemTime::now());
    let young = i64::try_from(YOUNG.as_nanos()).unwrap_or(i64::MAX);
    if time > now.saturating_sub(young) { UNSURE } else { time }
}
