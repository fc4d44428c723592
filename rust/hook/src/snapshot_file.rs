//! The snapshot of a store: mapped as it is, brought up to date within a prompt's budget, written after the answer
//! (SPEC 23).

use crate::derived::{make_derived, open_derived};
use crate::files::StoreFiles;
use crate::folder::{Folder, Replacement};
use crate::freshness;
use crate::index_md::NewIndex;
use crate::mapped::Source;
use crate::root::Project;
use crate::seal::Seal;
use crate::status::{Status, now};
use cuecard_core::snapshot_writer::{Extent, build_snapshot};
use cuecard_core::{Documents, FOLDERS, MemoryFile, Settings, Snapshot, Stamp, index_text};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};

/// So many files of a stale store are looked at within a prompt, and so many of them read.
const LIST_LIMIT: usize = 10_000;
const READ_LIMIT: usize = 500;
/// A store without a snapshot is read within a prompt if it has no more files than these.
const BUILD_LIMIT: usize = 1000;
/// A folder that changed so lately may have changed once more within the same tick of the clock.
const YOUNG: i64 = 2_000_000_000;

const SNAPSHOT: &str = "snapshot";
const DELTA: &str = "snapshot.delta";

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
    name: &'static str,
    data: Option<Vec<u8>>,
}

/// The snapshot of a project; `None` where there is none and too much to make one within a prompt.
pub(crate) fn load(project: &Project, settings: &Settings) -> Option<Loaded> {
    let times = freshness::folder_times(project);
    let seen = times.map(mark_of);
    let found =
        open(project).filter(|snapshot| snapshot.has_settings(settings) && snapshot.watermark().len() == seen.len());
    let mut loaded = match found {
        Some(snapshot) if snapshot.watermark() == seen => Loaded::on_disk(snapshot),
        Some(snapshot) => heal(project, snapshot, &seen),
        None => build(project, settings, &seen)?,
    };
    let has_all_lines = loaded.is_complete && loaded.snapshot.len() <= LIST_LIMIT;
    if has_all_lines && freshness::is_missing_or_stale(project, &times) {
        let text = index_text(&loaded.snapshot.active_lines());
        if !text.is_empty() || freshness::index_time(project).is_some() {
            loaded.new_index = Some(NewIndex { text, made: freshness::watermark(&times) });
        }
    }
    Some(loaded)
}

/// The snapshot as it is on disk, if this user's cuecard has written it; a delta that somebody else wrote is left out.
fn open(project: &Project) -> Option<Snapshot<Source>> {
    let derived = open_derived(&project.memory)?;
    let seal = Seal::read(&project.own);
    let sealed = |name: &str| {
        let (source, status) = derived.map(name)?;
        seal.holds(name, &status, &project.own).then_some(source)
    };
    Snapshot::open(sealed(SNAPSHOT)?, sealed(DELTA)).ok()
}

/// The snapshot with what changed in the folders that are not in step, as far as the budget goes.
fn heal(project: &Project, snapshot: Snapshot<Source>, seen: &[i64; 6]) -> Loaded {
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
    let changed = Documents::read(&read_files(project, changed), 1);
    let Ok(Some(updated)) = snapshot.update(&changed, &removed, &watermark, Extent::OneDelta) else {
        let notes = vec!["the snapshot is damaged; `cuecard index rebuild` makes it anew".into()];
        return Loaded { notes, is_complete: false, ..Loaded::on_disk(snapshot) };
    };
    let notes = updated.skipped.iter().map(left_out).collect();
    let healed = match updated.delta.clone() {
        Some(delta) => snapshot.with_delta(Source::Owned(delta)),
        None => snapshot,
    };
    let new_files = vec![NewFile { name: DELTA, data: updated.delta }];
    Loaded { new_files, notes, is_complete, ..Loaded::on_disk(healed) }
}

/// A snapshot of all memory files, where there are few.
fn build(project: &Project, settings: &Settings, seen: &[i64; 6]) -> Option<Loaded> {
    let mut all = Vec::new();
    for (folder, category) in FOLDERS {
        let files = list_folder(project, folder, BUILD_LIMIT - all.len())?;
        all.extend(files.into_iter().map(|(path, stamp)| (category, path, stamp)));
    }
    let files = read_files(project, all);
    let (data, skipped) = build_snapshot(&files, &seen.map(sure), settings, 1);
    let snapshot = Snapshot::open(Source::Owned(data.clone()), None).ok()?;
    let new_files = vec![NewFile { name: SNAPSHOT, data: Some(data) }, NewFile { name: DELTA, data: None }];
    Some(Loaded { new_files, notes: skipped.iter().map(left_out).collect(), ..Loaded::on_disk(snapshot) })
}

fn left_out((path, reason): &(String, &'static str)) -> String {
    format!("left `{path}` out of the snapshot: {reason}")
}

/// Path and stamp of every memory file of a folder; `None` where they cannot be listed or are more than `limit`.
fn list_folder(project: &Project, folder: &str, limit: usize) -> Option<BTreeMap<String, Stamp>> {
    let place = match project.memory.folder(folder) {
        Ok(place) => place,
        // A link in the place of a folder has no memories.
        Err(error) => {
            let is_none = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            return (is_none || project.memory.is_link(folder)).then(BTreeMap::new);
        }
    };
    let names = place.list(limit, |name| name.strip_suffix(".json").is_some()).ok()??;
    let stamp = |name: &str| place.status(name).ok().filter(Status::is_file).map(|status| status.stamp());
    let path = |name: &str| format!(".claude/memory/{folder}/{name}");
    Some(names.iter().map(|name| (path(name), stamp(name).unwrap_or_default())).collect())
}

fn read_files(project: &Project, files: Vec<(&str, String, Stamp)>) -> Vec<MemoryFile> {
    let mut store = StoreFiles::new(project);
    let read = |(category, path, stamp): (&str, String, Stamp)| {
        let data = store.read(&path).ok().map(|(data, _)| data);
        MemoryFile { category: category.into(), path, data, stamp }
    };
    files.into_iter().map(read).collect()
}

/// Puts derived files in their places whole, or removes them, and notes in the seal that this user's cuecard did so.
pub(crate) fn write(project: &Project, new_files: &[NewFile]) -> Result<(), String> {
    if new_files.is_empty() {
        return Ok(());
    }
    let mut written = Vec::new();
    let result = make_derived(&project.memory).and_then(|derived| {
        for NewFile { name, data } in new_files {
            written.push((*name, put(&derived, name, data.as_deref())?));
        }
        Ok(())
    });
    Seal::update(&project.own, &written);
    result.map_err(|_| "the snapshot cannot be written".into())
}

fn put(derived: &Folder, name: &str, data: Option<&[u8]>) -> io::Result<Option<Status>> {
    match data {
        Some(data) => derived.replace(name, data, Replacement::SHARED).map(Some),
        None => match derived.remove(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(None),
        },
    }
}

/// A folder's time as a watermark has it.
fn mark_of(time: Option<i64>) -> i64 {
    time.filter(|time| *time != UNSURE).unwrap_or(MISSING)
}

/// A folder's time as the watermark keeps it: not one so young that a change could hide behind it.
fn sure(time: i64) -> i64 {
    if time > now().saturating_sub(YOUNG) { UNSURE } else { time }
}
