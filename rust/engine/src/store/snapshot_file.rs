//! The snapshot of a store: it is mapped from disk, brought up to date within a prompt's limits, and written after the
//! answer (SPEC 23).

use crate::environment::Environment;
use crate::store::budget::{Budget, LIST_LIMIT, Limits};
use crate::store::derived::{make_derived, open_derived};
use crate::store::files::{MAX_RECORD_BYTES, StoreFiles};
use crate::store::folder::{Folder, Replacement, Unread};
use crate::store::freshness;
use crate::store::index_md::NewIndex;
use crate::store::mapped::Source;
use crate::store::root::Project;
use crate::store::seal::Seal;
use crate::store::status::{Status, now};
use cuecard_core::classic::index_text;
use cuecard_core::index::documents::reading_order;
use cuecard_core::index::layout::SegmentError;
use cuecard_core::index::snapshot::PARTIAL;
use cuecard_core::index::snapshot_writer::{Extent, Updated, snapshot_of};
use cuecard_core::index::{Documents, MemoryFile, Snapshot};
use cuecard_core::memory::{FOLDERS, Stamp};
use cuecard_core::settings::Bm25Settings;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// A folder that changed less than this many nanoseconds ago may change again and keep the same time, because some
/// clocks are coarse.
const YOUNG: i64 = 2_000_000_000;

const SNAPSHOT: &str = "snapshot";
const DELTA: &str = "snapshot.delta";

/// The folder of derived files in the store's folder of the user.
const OWN_DERIVED: &str = "derived";

const MISSING: i64 = -1;
const UNSURE: i64 = 0;

/// A snapshot that is ready for searches, and its files that are not on disk yet.
#[derive(Debug)]
pub struct Loaded {
    /// The snapshot.
    pub snapshot: Snapshot<Source>,
    /// The files to write so that the snapshot is on disk; empty if it is on disk already.
    pub new_files: Vec<NewFile>,
    /// The `index.md` to write, with its modification time.
    pub new_index: Option<NewIndex>,
    /// A sentence for each file that was left out, and one for the files that later prompts read.
    pub notes: Vec<String>,
    /// Path and reason of each file that was left out when the snapshot was built from all memories.
    pub skipped: Vec<(String, &'static str)>,
    /// Whether the snapshot contains all memories, as far as is known.
    pub is_complete: bool,
    /// Whether this snapshot is one file and replaces a snapshot on disk that is partial or has several parts.
    pub completes: bool,
}

impl Loaded {
    /// Returns a snapshot that is on disk already.
    fn on_disk(snapshot: Snapshot<Source>) -> Self {
        Self {
            snapshot,
            new_files: Vec::new(),
            new_index: None,
            notes: Vec::new(),
            skipped: Vec::new(),
            is_complete: true,
            completes: false,
        }
    }
}

/// The changes that a writer made under the store's lock.
#[derive(Debug)]
pub struct Changes {
    /// The times of the folders before the writer's first change; `None` to read every file again.
    pub before: Option<[i64; FOLDERS.len()]>,
    /// The times of the folders after the writer's last change.
    pub after: [i64; FOLDERS.len()],
    /// The memory files that the writer wrote or removed.
    pub paths: Vec<String>,
}

/// A derived file to write or to remove.
#[derive(Debug, Clone)]
pub struct NewFile {
    name: &'static str,
    data: Option<Arc<Vec<u8>>>,
}

/// Loads the snapshot of the project in a folder and brings it up to date within limits; nothing is written. `None` if
/// the project has no store that may be opened. Without a limit on merging, `None` also if a folder cannot be listed.
#[must_use]
pub fn load_snapshot(root: &Path, settings: &Bm25Settings, limits: &Limits) -> Option<Loaded> {
    load(&open_project(root)?, settings, limits)
}

/// Returns the snapshot of the project in a folder after a writer's changes; nothing is written. `None` as in
/// `load_snapshot`, and also if a folder cannot be listed, so that no memory of it gets lost.
///
/// The cost depends on the snapshot on disk. If it was up to date, only the changed files are read. If some folders
/// differ, these folders are listed. If it is missing, damaged or made with other settings, every memory is read.
#[must_use]
pub fn follow_changes(root: &Path, settings: &Bm25Settings, changes: &Changes) -> Option<Loaded> {
    let project = open_project(root)?;
    let found = changes.before.and_then(|before| follow(&project, open_usable(&project, settings)?, &before, changes));
    found.or_else(|| build(&project, settings, &changes.after))
}

/// Writes the files of a snapshot.
///
/// # Errors
///
/// The error of the operating system if a file cannot be written.
pub fn write_snapshot(root: &Path, new_files: &[NewFile]) -> io::Result<()> {
    let Some(project) = open_project(root) else { return Err(ErrorKind::NotFound.into()) };
    write_files(&project, new_files)
}

/// Returns the state of the snapshot on disk (`missing`, `damaged`, `other settings`, `partial` or `whole`), and why it
/// is damaged. Checks every byte of the file.
#[must_use]
pub fn inspect_snapshot(root: &Path, settings: &Bm25Settings) -> (Option<Snapshot<Source>>, &'static str, String) {
    let none = |state, reason: &str| (None, state, reason.to_owned());
    let Some(project) = open_project(root) else { return none("missing", "") };
    let sealed = Derived::open(&project).and_then(|derived| {
        let status = derived.folder.status(SNAPSHOT).ok()?;
        derived.holds(&project, SNAPSHOT, &status).then_some((derived, status))
    });
    let Some((derived, status)) = sealed else { return none("missing", "") };
    if !status.is_file() {
        return none("damaged", "it cannot be read");
    }
    let snapshot = match open_parts(&project, &derived) {
        None => return none("damaged", "it cannot be read"),
        Some(Err(error)) => return none("damaged", &error.to_string()),
        Some(Ok(snapshot)) => snapshot,
    };
    if let Err(error) = snapshot.check() {
        return none("damaged", &error.to_string());
    }
    if !snapshot.has_settings(settings) || snapshot.watermark().len() != FOLDERS.len() {
        return none("other settings", "");
    }
    let state = if snapshot.is_partial() { "partial" } else { "whole" };
    (Some(snapshot), state, String::new())
}

fn open_project(root: &Path) -> Option<Project> {
    Project::at(root, &Environment::read().for_cwd(root.to_str())).ok().flatten()
}

/// Loads the snapshot of a project and brings it up to date within limits.
pub(crate) fn load(project: &Project, settings: &Bm25Settings, limits: &Limits) -> Option<Loaded> {
    let times = freshness::folder_times(project);
    let seen = times.map(mark_of);
    let is_scattered = |found: &Snapshot<Source>| found.is_partial() || found.deltas() > 1;
    let mut loaded = match open_usable(project, settings) {
        Some(snapshot) if snapshot.watermark() == seen => Loaded::on_disk(snapshot),
        found if limits.merge.is_none() && found.as_ref().is_none_or(is_scattered) => {
            Loaded { completes: found.is_some(), ..build(project, settings, &seen.map(sure))? }
        }
        found => bring_up_to_date(project, found, settings, &seen, limits)?,
    };
    let has_all_lines = loaded.is_complete && loaded.snapshot.len() <= limits.list;
    // Where the user has derived files of their own, the store cannot be written.
    let is_writable = || project.own.open_below(OWN_DERIVED).is_none() || project.memory.is_writable();
    if has_all_lines && freshness::is_missing_or_stale(project, &times) && is_writable() {
        let text = index_text(&loaded.snapshot.active_lines());
        if !text.is_empty() || freshness::index_time(project).is_some() {
            loaded.new_index = Some(NewIndex { text, made: freshness::watermark(&times) });
        }
    }
    Some(loaded)
}

/// Opens the snapshot on disk, if it was made with these settings.
fn open_usable(project: &Project, settings: &Bm25Settings) -> Option<Snapshot<Source>> {
    open(project).filter(|found| found.has_settings(settings) && found.watermark().len() == FOLDERS.len())
}

/// Opens the snapshot on disk, if this user's cuecard has written it. Deltas that this user's cuecard has not written
/// are left out.
fn open(project: &Project) -> Option<Snapshot<Source>> {
    open_parts(project, &Derived::open(project)?)?.ok()
}

/// The folder of derived files that counts: `.cuecard` of the store, or the user's own where that one cannot be written, or
/// where somebody else writes it too (SPEC 43.7).
struct Derived {
    folder: Folder,
    is_own: bool,
    seal: Seal,
}

impl Derived {
    fn open(project: &Project) -> Option<Self> {
        match project.own.open_below(OWN_DERIVED) {
            Some(folder) => Some(Self { folder, is_own: true, seal: Seal::default() }),
            None => {
                Some(Self { folder: open_derived(&project.memory)?, is_own: false, seal: Seal::read(&project.own) })
            }
        }
    }

    /// Whether this user's cuecard has written a file.
    fn holds(&self, project: &Project, name: &str, status: &Status) -> bool {
        self.is_own || self.seal.holds(name, status, &project.own)
    }
}

fn open_parts(project: &Project, derived: &Derived) -> Option<Result<Snapshot<Source>, SegmentError>> {
    let sealed = |name: &str| {
        let (source, status) = derived.folder.map(name)?;
        derived.holds(project, name, &status).then_some(source)
    };
    Some(Snapshot::open(sealed(SNAPSHOT)?, sealed(DELTA)))
}

/// Builds a snapshot of all memory files; `None` if a folder cannot be listed.
fn build(project: &Project, settings: &Bm25Settings, watermark: &[i64; 6]) -> Option<Loaded> {
    let mut listed = Vec::new();
    for (folder, category) in FOLDERS {
        listed.extend(list_folder(project, folder, usize::MAX)?.0.into_keys().map(|path| (category, path)));
    }
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let documents = Documents::read(&read_all(project, listed), threads);
    let data = Arc::new(snapshot_of(&documents, watermark, settings, threads));
    let skipped = documents.skipped().clone();
    let notes = skipped.iter().map(left_out).collect();
    let made = Snapshot::open(Source::Owned(Arc::clone(&data)), None).ok()?;
    Some(Loaded { new_files: files_of_base(data), notes, skipped, ..Loaded::on_disk(made) })
}

/// Returns the files to write for a snapshot that is one file.
fn files_of_base(data: Arc<Vec<u8>>) -> Vec<NewFile> {
    vec![NewFile { name: SNAPSHOT, data: Some(data) }, NewFile { name: DELTA, data: None }]
}

/// Reads the memory files with these categories and paths. A file that cannot be read gets `None` as its content.
fn read_all(project: &Project, listed: Vec<(&'static str, String)>) -> Vec<MemoryFile> {
    let mut store = StoreFiles::new(project);
    let mut read = |(category, path): (&str, String)| {
        let (data, stamp) = match store.read(&path) {
            Ok((data, status)) => (Some(data), status.stamp()),
            Err(Unread::TooLarge) => (None, store.status(&path).map(|status| status.stamp()).unwrap_or_default()),
            Err(_) => (None, Stamp::default()),
        };
        MemoryFile { category: category.into(), path, data, stamp }
    };
    listed.into_iter().map(&mut read).collect()
}

/// Returns a snapshot with a writer's changes; `None` if a new build is necessary.
fn follow(project: &Project, snapshot: Snapshot<Source>, before: &[i64; 6], changes: &Changes) -> Option<Loaded> {
    let watermark = snapshot.watermark();
    if changes.paths.is_empty() && watermark == changes.after {
        return Some(Loaded::on_disk(snapshot));
    }
    let mut store = StoreFiles::new(project);
    let (mut written, mut removed) = (Vec::new(), Vec::new());
    for ((folder, category), (known, before)) in FOLDERS.into_iter().zip(watermark.iter().zip(before)) {
        if known == before {
            let beginning = format!(".claude/memory/{folder}/");
            let mut own: Vec<&String> = changes.paths.iter().filter(|path| path.starts_with(&beginning)).collect();
            own.sort_unstable();
            let (there, gone): (Vec<_>, Vec<_>) =
                own.into_iter().cloned().partition(|path| store.status(path) != Err(Unread::Missing));
            written.extend(there.into_iter().map(|path| (category, path)));
            removed.extend(gone);
            continue;
        }
        let (files, _) = list_folder(project, folder, usize::MAX)?;
        let known = known_files(&snapshot, folder);
        removed.extend(known.keys().filter(|path| !files.contains_key(*path)).cloned());
        let differing = files.into_iter().filter(|(path, stamp)| known.get(path) != Some(stamp));
        written.extend(differing.map(|(path, _)| (category, path)));
    }
    let documents = Documents::read(&read_all(project, written), 1);
    let updated = snapshot.update(&documents, &removed, &changes.after, Extent::Whole).ok()??;
    apply(snapshot, updated)
}

/// Returns a snapshot after an update, with the files to write.
fn apply(snapshot: Snapshot<Source>, updated: Updated) -> Option<Loaded> {
    // The bytes are shared and not copied, because they may be large.
    let (base, delta) = (updated.base.map(Arc::new), updated.delta.map(Arc::new));
    let healed = match (base.clone(), delta.clone()) {
        (Some(base), delta) => Snapshot::open(Source::Owned(base), delta.map(Source::Owned)).ok()?,
        (None, Some(delta)) => snapshot.with_delta(Source::Owned(delta)),
        (None, None) => snapshot,
    };
    let base = base.map(|base| NewFile { name: SNAPSHOT, data: Some(base) });
    let new_files = base.into_iter().chain([NewFile { name: DELTA, data: delta }]).collect();
    Some(Loaded { new_files, ..Loaded::on_disk(healed) })
}

/// Returns the files of a folder that the snapshot knows, including files that are not a memory.
fn known_files(snapshot: &Snapshot<Source>, folder: &str) -> BTreeMap<String, Stamp> {
    snapshot.unfit_files(folder).into_iter().chain(snapshot.files(folder)).collect()
}

/// Brings a snapshot (or an empty one) up to date with the files of the store, as far as the budget allows.
fn bring_up_to_date(
    project: &Project,
    found: Option<Snapshot<Source>>,
    settings: &Bm25Settings,
    seen: &[i64; 6],
    limits: &Limits,
) -> Option<Loaded> {
    let survey = Survey::make(project, found.as_ref(), seen, limits.list);
    let is_known = |snapshot: &Snapshot<Source>| snapshot.watermark() == survey.watermark;
    if survey.changed.is_empty() && survey.removed.is_empty() && found.as_ref().is_some_and(is_known) {
        // A folder could not be listed to its end, so the snapshot stays incomplete.
        let is_complete = survey.is_complete;
        return found.map(|snapshot| Loaded { is_complete, ..Loaded::on_disk(snapshot) });
    }
    let Survey { changed, removed, mut watermark, is_complete } = survey;
    let count = changed.len();
    let documents = read_files(project, changed, budget_for(found.as_ref(), limits), &mut watermark);
    let mut notes: Vec<String> = documents.skipped().iter().map(left_out).collect();
    let is_complete = is_complete && !watermark.contains(&PARTIAL);
    if documents.files() < count {
        let left = count - documents.files();
        notes.push(format!("memory files left for the next prompts: {left}"));
    }
    let Some(snapshot) = found else {
        let data = Arc::new(snapshot_of(&documents, &watermark, settings, 1));
        let made = Snapshot::open(Source::Owned(Arc::clone(&data)), None).ok()?;
        return Some(Loaded { new_files: files_of_base(data), notes, is_complete, ..Loaded::on_disk(made) });
    };
    let extent = limits.merge.map_or(Extent::OneDelta, Extent::Merging);
    let Ok(Some(updated)) = snapshot.update(&documents, &removed, &watermark, extent) else {
        let notes = vec!["the snapshot is damaged; `cuecard index rebuild` rebuilds it".into()];
        return Some(Loaded { notes, is_complete: false, ..Loaded::on_disk(snapshot) });
    };
    Some(Loaded { notes, is_complete, ..apply(snapshot, updated)? })
}

/// Returns a budget with these limits; an empty budget if the deltas are too large to be copied again.
fn budget_for(snapshot: Option<&Snapshot<Source>>, limits: &Limits) -> Budget {
    let is_large = snapshot.is_some_and(|snapshot| snapshot.delta_bytes() > limits.deltas);
    Budget::new(&Limits { files: if is_large { 0 } else { limits.files }, ..*limits })
}

/// A file of a store that is new or differs from the snapshot on disk.
struct Changed {
    /// The position of its folder in the list of category folders.
    place: usize,
    path: String,
    stamp: Stamp,
}

/// The differences between the files of a store and its snapshot.
struct Survey {
    /// The changed files, in the order in which they are read.
    changed: Vec<Changed>,
    removed: Vec<String>,
    /// The times of the folders to write into the snapshot if all changed files are read.
    watermark: [i64; 6],
    /// Whether every folder could be listed to its end.
    is_complete: bool,
}

impl Survey {
    /// Lists the folders that changed since the snapshot; at most `limit` files in all.
    fn make(project: &Project, snapshot: Option<&Snapshot<Source>>, seen: &[i64; 6], limit: usize) -> Self {
        let before = snapshot.map(Snapshot::watermark);
        let mut survey = Self { changed: Vec::new(), removed: Vec::new(), watermark: *seen, is_complete: true };
        let mut left = limit;
        for (place, (folder, _)) in FOLDERS.into_iter().enumerate() {
            let old = before.as_ref().and_then(|before| before.get(place)).copied();
            let Some(time) = survey.watermark.get_mut(place).filter(|time| Some(**time) != old) else { continue };
            // A folder with more files than the limit is not listed, because the listing would be incomplete.
            let is_too_large = snapshot.is_some_and(|snapshot| snapshot.count_files(folder) >= limit);
            let listed = if is_too_large { None } else { list_folder(project, folder, left) };
            let Some((files, is_whole)) = listed else {
                (*time, survey.is_complete) = (old.unwrap_or(PARTIAL), false);
                continue;
            };
            (*time, survey.is_complete) = if is_whole { (sure(*time), survey.is_complete) } else { (PARTIAL, false) };
            left -= files.len();
            let known = snapshot.map(|snapshot| known_files(snapshot, folder)).unwrap_or_default();
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

/// Returns path and stamp of the first `limit` memory files of a folder, and whether these are all; `None` if the
/// folder cannot be listed.
fn list_folder(project: &Project, folder: &str, limit: usize) -> Option<(BTreeMap<String, Stamp>, bool)> {
    let place = match project.memory.folder(folder) {
        Ok(place) => place,
        // A link in the place of a folder counts as a folder without memories.
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

/// Returns folder and name of the first `limit` memory files that changed at or after `since` (nanoseconds since 1970)
/// and differ from the snapshot. At most `LIST_LIMIT` files are listed. Without a snapshot the result is empty.
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

/// Reads the documents of as many files as the budget allows; the folders of the other files are marked as partial.
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

/// Writes the files of a snapshot; the error is a sentence for the log.
pub(crate) fn write(project: &Project, new_files: &[NewFile]) -> Result<(), String> {
    write_files(project, new_files).map_err(|_| "the snapshot cannot be written".into())
}

/// Replaces or removes derived files, and records in the seal that this user's cuecard did so.
fn write_files(project: &Project, new_files: &[NewFile]) -> io::Result<()> {
    if new_files.is_empty() {
        return Ok(());
    }
    if let Some(own) = project.own.open_below(OWN_DERIVED) {
        return new_files.iter().try_for_each(|file| put_own(&own, file));
    }
    let mut written = Vec::new();
    let result = make_derived(&project.memory).and_then(|derived| {
        let seal = Seal::read(&project.own);
        if new_files.iter().any(|file| is_of_others(project, &derived, &seal, file.name)) {
            return Err(ErrorKind::PermissionDenied.into());
        }
        for NewFile { name, data } in new_files {
            written.push((*name, put(project, &derived, name, data.as_ref().map(|data| data.as_slice()))?));
        }
        Ok(())
    });
    Seal::update(&project.own, &written);
    result.or_else(|error| {
        if !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) {
            return Err(error);
        }
        let own = project.own.make_below(OWN_DERIVED).map_err(|_| error)?;
        new_files.iter().try_for_each(|file| put_own(&own, file))
    })
}

/// Whether somebody else has replaced a derived file that this user's cuecard had written.
fn is_of_others(project: &Project, derived: &Folder, seal: &Seal, name: &str) -> bool {
    let status = derived.status(name).ok();
    status.is_some_and(|status| status.is_file() && seal.is_of_others(name, &status, &project.own))
}

fn put_own(own: &Folder, NewFile { name, data }: &NewFile) -> io::Result<()> {
    match data {
        Some(data) => own.replace(name, data, Replacement::PRIVATE).map(|_| ()),
        None => own.remove(name).or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }),
    }
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

/// Returns the value that a snapshot records for a folder's time: the time, or `MISSING` if it is not known.
fn mark_of(time: Option<i64>) -> i64 {
    time.filter(|time| *time != UNSURE).unwrap_or(MISSING)
}

/// Returns the value that a snapshot records for a folder's time: the time, or `UNSURE` if it is so young that a later
/// change could have the same time.
fn sure(time: i64) -> i64 {
    if time > now().saturating_sub(YOUNG) { UNSURE } else { time }
}
