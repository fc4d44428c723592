//! The snapshot of a store: mapped as it is, brought up to date within a prompt's budget, written after the answer
//! (SPEC 23).

use crate::store::budget::{Budget, DELTA_LIMIT, LIST_LIMIT, MERGE_LIMIT};
use crate::store::derived::{make_derived, open_derived};
use crate::store::files::{MAX_RECORD_BYTES, StoreFiles};
use crate::store::folder::{Folder, Replacement};
use crate::store::freshness;
use crate::store::index_md::NewIndex;
use crate::store::mapped::Source;
use crate::store::root::Project;
use crate::store::seal::Seal;
use crate::store::status::{Status, now};
use cuecard_core::classic::index_text;
use cuecard_core::index::documents::reading_order;
use cuecard_core::index::snapshot::PARTIAL;
use cuecard_core::index::snapshot_writer::{Extent, snapshot_of};
use cuecard_core::index::{Documents, MemoryFile, Snapshot};
use cuecard_core::memory::{FOLDERS, Stamp};
use cuecard_core::settings::Bm25Settings;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind};
use std::sync::Arc;

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
    data: Option<Arc<Vec<u8>>>,
}

/// The snapshot of a project, with what a prompt may do for it.
pub(crate) fn load(project: &Project, settings: &Bm25Settings) -> Option<Loaded> {
    load_within(project, settings, Budget::of_prompt())
}

fn load_within(project: &Project, settings: &Bm25Settings, budget: Budget) -> Option<Loaded> {
    let times = freshness::folder_times(project);
    let seen = times.map(mark_of);
    let found =
        open(project).filter(|snapshot| snapshot.has_settings(settings) && snapshot.watermark().len() == seen.len());
    let mut loaded = match found {
        Some(snapshot) if snapshot.watermark() == seen => Loaded::on_disk(snapshot),
        found => bring_up_to_date(project, found, settings, &seen, budget)?,
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

/// The snapshot, or an empty one, with what differs from it in the store, as far as the budget goes.
fn bring_up_to_date(
    project: &Project,
    found: Option<Snapshot<Source>>,
    settings: &Bm25Settings,
    seen: &[i64; 6],
    budget: Budget,
) -> Option<Loaded> {
    let survey = Survey::make(project, found.as_ref(), seen);
    let is_known = |snapshot: &Snapshot<Source>| snapshot.watermark() == survey.watermark;
    if survey.changed.is_empty() && survey.removed.is_empty() && found.as_ref().is_some_and(is_known) {
        // Nothing can be done about what is missing.
        let is_complete = survey.is_complete;
        return found.map(|snapshot| Loaded { is_complete, ..Loaded::on_disk(snapshot) });
    }
    let Survey { changed, removed, mut watermark, is_complete } = survey;
    let count = changed.len();
    let documents = read_files(project, changed, budget_for(found.as_ref(), budget), &mut watermark);
    let mut notes: Vec<String> = documents.skipped().iter().map(left_out).collect();
    let is_complete = is_complete && !watermark.contains(&PARTIAL);
    if documents.files() < count {
        let left = count - documents.files();
        notes.push(format!("memory files left for the next prompts: {left}"));
    }
    let Some(snapshot) = found else {
        let data = snapshot_of(&documents, &watermark, settings, 1);
        let data = Arc::new(data);
        let base = NewFile { name: SNAPSHOT, data: Some(Arc::clone(&data)) };
        let new_files = vec![base, NewFile { name: DELTA, data: None }];
        let made = Snapshot::open(Source::Owned(data), None).ok()?;
        return Some(Loaded { new_files, notes, is_complete, ..Loaded::on_disk(made) });
    };
    let Ok(Some(updated)) = snapshot.update(&documents, &removed, &watermark, Extent::Merging(MERGE_LIMIT)) else {
        let notes = vec!["the snapshot is damaged; `cuecard index rebuild` makes it anew".into()];
        return Some(Loaded { notes, is_complete: false, ..Loaded::on_disk(snapshot) });
    };
    // Shared, not copied: they may be large.
    let (base, delta) = (updated.base.map(Arc::new), updated.delta.map(Arc::new));
    let healed = match (base.clone(), delta.clone()) {
        (Some(base), delta) => Snapshot::open(Source::Owned(base), delta.map(Source::Owned)).ok()?,
        (None, Some(delta)) => snapshot.with_delta(Source::Owned(delta)),
        (None, None) => snapshot,
    };
    let base = base.map(|base| NewFile { name: SNAPSHOT, data: Some(base) });
    let new_files = base.into_iter().chain([NewFile { name: DELTA, data: delta }]).collect();
    Some(Loaded { new_files, notes, is_complete, ..Loaded::on_disk(healed) })
}

/// The budget, or none where the deltas are too large to be copied once more.
fn budget_for(snapshot: Option<&Snapshot<Source>>, budget: Budget) -> Budget {
    let is_large = snapshot.is_some_and(|snapshot| snapshot.delta_bytes() > DELTA_LIMIT);
    if is_large { Budget::new(0, 0) } else { budget }
}

/// A file of a store that is not in the snapshot as it is on disk.
struct Changed {
    /// The place of its folder among those of a store.
    place: usize,
    path: String,
    stamp: Stamp,
}

/// How the files of a store differ from its snapshot.
struct Survey {
    /// In the order in which they are read.
    changed: Vec<Changed>,
    removed: Vec<String>,
    /// What the folders looked like, were all changed files read.
    watermark: [i64; 6],
    /// Whether every folder could be listed to its end.
    is_complete: bool,
}

impl Survey {
    fn make(project: &Project, snapshot: Option<&Snapshot<Source>>, seen: &[i64; 6]) -> Self {
        let before = snapshot.map(Snapshot::watermark);
        let mut survey = Self { changed: Vec::new(), removed: Vec::new(), watermark: *seen, is_complete: true };
        let mut left = LIST_LIMIT;
        for (place, (folder, _)) in FOLDERS.into_iter().enumerate() {
            let old = before.as_ref().and_then(|before| before.get(place)).copied();
            let Some(time) = survey.watermark.get_mut(place).filter(|time| Some(**time) != old) else { continue };
            // What is listed of a folder with more files than a prompt may list says nothing new.
            let is_too_large = snapshot.is_some_and(|snapshot| snapshot.count_files(folder) >= LIST_LIMIT);
            let listed = if is_too_large { None } else { list_folder(project, folder, left) };
            let Some((files, is_whole)) = listed else {
                (*time, survey.is_complete) = (old.unwrap_or(PARTIAL), false);
                continue;
            };
            (*time, survey.is_complete) = if is_whole { (sure(*time), survey.is_complete) } else { (PARTIAL, false) };
            left -= files.len();
            let mut known: BTreeMap<String, Stamp> = BTreeMap::new();
            if let Some(snapshot) = snapshot {
                known.extend(snapshot.unfit_files(folder));
                known.extend(snapshot.files(folder));
            }
            if is_whole {
                survey.removed.extend(known.keys().filter(|path| !files.contains_key(*path)).cloned());
            }
            let changed = files.into_iter().filter(|(path, stamp)| known.get(path) != Some(stamp));
            survey.changed.extend(changed.map(|(path, stamp)| Changed { place, path, stamp }));
        }
        survey.changed.sort_by_cached_key(|file| (reading_order(&file.path), file.path.clone()));
        survey
    }
}

fn left_out((path, reason): &(String, &'static str)) -> String {
    format!("left `{path}` out of the snapshot: {reason}")
}

/// Path and stamp of the first `limit` memory files of a folder, and whether these are all; `None` where they cannot be
/// listed.
fn list_folder(project: &Project, folder: &str, limit: usize) -> Option<(BTreeMap<String, Stamp>, bool)> {
    let place = match project.memory.folder(folder) {
        Ok(place) => place,
        // A link in the place of a folder has no memories.
        Err(error) => {
            let is_none = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            return (is_none || project.memory.is_link(folder)).then(|| (BTreeMap::new(), true));
        }
    };
    let (names, is_whole) = place.list_first(limit, |name| name.strip_suffix(".json").is_some()).ok()?;
    let stamp = |name: &str| place.status(name).ok().filter(Status::is_file).map(|status| status.stamp());
    let path = |name: &str| format!(".claude/memory/{folder}/{name}");
    let files = names.iter().map(|name| (path(name), stamp(name).unwrap_or_default())).collect();
    Some((files, is_whole))
}

/// Folder and name of memory files that were changed at a moment or later and that the snapshot does not have as they are,
/// the first `limit` of them; no more files are listed than for a prompt. Without a snapshot nothing is known to have
/// changed.
pub(crate) fn changed_files(project: &Project, since: i64, limit: usize) -> Vec<(&'static str, String)> {
    let (mut left, mut young) = (LIST_LIMIT, Vec::new());
    for (folder, _) in FOLDERS {
        let Ok(place) = project.memory.folder(folder) else { continue };
        let Ok((mut names, _)) = place.list_first(left, |name| name.strip_suffix(".json").is_some()) else { continue };
        left -= names.len();
        names.sort_unstable();
        let is_young = |status: &Status| status.is_file() && status.changed.max(status.modified) >= since;
        let status =
            |name: String| place.status(&name).ok().filter(is_young).map(|status| (folder, name, status.stamp()));
        young.extend(names.into_iter().filter_map(status));
    }
    let snapshot = if young.is_empty() { None } else { open(project) };
    let Some(snapshot) = snapshot else { return Vec::new() };
    let of_folder = |(folder, _)| [snapshot.files(folder), snapshot.unfit_files(folder)].concat();
    let known: HashMap<String, Stamp> = FOLDERS.into_iter().flat_map(of_folder).collect();
    young.retain(|(folder, name, stamp)| known.get(&format!(".claude/memory/{folder}/{name}")) != Some(stamp));
    young.into_iter().take(limit).map(|(folder, name, _)| (folder, name)).collect()
}

/// The documents of as many files as the budget has room for; the folders of the others are marked as partial.
fn read_files(project: &Project, files: Vec<Changed>, mut budget: Budget, watermark: &mut [i64; 6]) -> Documents {
    let mut store = StoreFiles::new(project);
    let mut documents = Documents::default();
    for Changed { place, path, stamp } in files {
        let size = u64::from(stamp.size);
        if !budget.takes(size) {
            if let Some(mark) = watermark.get_mut(place) {
                *mark = PARTIAL;
            }
            continue;
        }
        let category = FOLDERS.get(place).map_or("", |(_, category)| category).into();
        let is_small = size <= MAX_RECORD_BYTES;
        let data = if is_small { store.read(&path).ok().map(|(data, _)| data) } else { None };
        documents.add(&MemoryFile { category, path, data, stamp });
    }
    documents
}

/// Puts derived files in their places whole, or removes them, and notes in the seal that this user's cuecard did so.
pub(crate) fn write(project: &Project, new_files: &[NewFile]) -> Result<(), String> {
    if new_files.is_empty() {
        return Ok(());
    }
    let mut written = Vec::new();
    let result = make_derived(&project.memory).and_then(|derived| {
        for NewFile { name, data } in new_files {
            written.push((*name, put(project, &derived, name, data.as_ref().map(|data| data.as_slice()))?));
        }
        Ok(())
    });
    Seal::update(&project.own, &written);
    result.map_err(|_| "the snapshot cannot be written".into())
}

fn put(project: &Project, derived: &Folder, name: &str, data: Option<&[u8]>) -> io::Result<Option<Status>> {
    let announce = |status: &Status| Seal::announce(&project.own, name, status);
    match data {
        Some(data) => derived.replace_announced(name, data, Replacement::SHARED, announce).map(Some),
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
