//! Reads the branch and the changed files from a Git repository's files, without running Git (SPEC 35).

use crate::situation::git_index::{IndexEntry, read_index};
use crate::store::folder::{Replacement, read_elsewhere};
use crate::store::root::{Project, normalize};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A larger index is not read.
const MAX_INDEX_BYTES: u64 = 8 << 20;
const MAX_ENTRIES: usize = 20_000;
/// How many changed files are returned.
const MAX_CHANGED: usize = 64;
/// The most bytes that are read of `HEAD`, and of the `.git` file of a worktree.
const MAX_POINTER_BYTES: u64 = 4096;
/// How many seconds the list of changed files is reused while the index does not change.
const LIFE: u64 = 10;
const CACHE: &str = "git";
const HEADER: &str = "cuecard changed 1";
const MAX_CACHE_BYTES: u64 = 1 << 20;
const BRANCHES: &str = "ref: refs/heads/";
/// The placeholder that `HEAD` contains in a repository with the reftable format.
const NO_BRANCH: &str = ".invalid";
const MEMORIES: &str = ".claude/memory/";
/// Words in the name of a branch that tell the kind of the work, not its subject.
const KINDS_OF_WORK: [&str; 11] =
    ["feature", "feat", "fix", "bugfix", "hotfix", "chore", "main", "master", "develop", "dev", "release"];

/// Branch and changed files of a working tree.
#[derive(Debug, Default)]
pub(crate) struct GitState {
    /// The branch; `None` if no branch is checked out.
    pub(crate) branch: Option<String>,
    /// The first 64 files, sorted, whose size or time differs from the index. The paths are relative to the project and
    /// use `/`.
    pub(crate) changed: Vec<String>,
    /// The new content of the cache file; `None` if it is up to date.
    cache: Option<String>,
}

/// The size and time of an index file, by which a change of the index is noticed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct IndexStamp {
    modified: u128,
    size: u64,
}

impl GitState {
    /// Reads the state of the project's repository, or of the other worktree in which the host works. Without a
    /// repository the state is empty.
    pub(crate) fn read(project: &Project, cwd: Option<&str>) -> Self {
        let folder = working_folder(&project.root, cwd);
        let Some((top, git_dir)) = find_repository(&folder) else { return Self::default() };
        let branch = read_branch(&git_dir);
        let index = git_dir.join("index");
        let Some(stamp) = fs::metadata(&index).ok().and_then(|metadata| index_stamp(&metadata)) else {
            return Self { branch, ..Self::default() };
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let cached = project.own.open().and_then(|own| own.read(CACHE, MAX_CACHE_BYTES).ok());
        if let Some(changed) = cached.and_then(|data| read_cache(&data, stamp, now)) {
            return Self { branch, changed, cache: None };
        }
        let changed = find_changed(&index, &top, &folder);
        let mut cache = format!("{HEADER} {} {} {now}\n", stamp.modified, stamp.size);
        for path in &changed {
            cache.push_str(path);
            cache.push('\n');
        }
        Self { branch, changed, cache: Some(cache) }
    }

    /// Writes the cache file that the next prompts read. Nothing is written if the user has no data folder.
    pub(crate) fn write(&self, project: &Project) -> Result<(), String> {
        let (Some(cache), Some(own)) = (&self.cache, project.own.make()) else { return Ok(()) };
        let written = own.replace(CACHE, cache.as_bytes(), Replacement::PRIVATE);
        written.map(|_| ()).map_err(|_| "the list of changed files cannot be written".into())
    }
}

/// Returns the words in the name of a branch that tell the subject of the work, separated by blanks.
pub(crate) fn branch_words(name: &str) -> String {
    let parts = name.split(|char: char| char.is_ascii() && !char.is_ascii_alphanumeric());
    let says_something = |part: &&str| {
        let is_kind = KINDS_OF_WORK.iter().any(|kind| part.eq_ignore_ascii_case(kind));
        !is_kind && !part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.filter(says_something).collect::<Vec<_>>().join(" ")
}

/// Returns the folder that paths in the project are relative to: the project's root, or the top of another worktree of
/// the repository if `cwd` is in it.
pub(crate) fn working_folder(root: &Path, cwd: Option<&str>) -> PathBuf {
    let cwd = cwd.filter(|cwd| !cwd.is_empty()).and_then(|cwd| std::path::absolute(cwd).ok());
    let top = cwd.map(|cwd| normalize(&cwd)).and_then(|cwd| {
        let top = cwd.ancestors().find(|folder| folder.join(".git").exists())?;
        Some(top.to_owned())
    });
    match top {
        Some(top) if top.join(".git").is_file() && !root.starts_with(&top) => top,
        _ => root.to_owned(),
    }
}

/// Returns the top of the working tree that contains a folder, and the Git folder of its repository.
fn find_repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    let git = top.join(".git");
    if git.is_dir() {
        return Some((top.to_owned(), git));
    }
    let pointer = String::from_utf8(read_elsewhere(&git, MAX_POINTER_BYTES).ok()?).ok()?;
    Some((top.to_owned(), top.join(pointer.strip_prefix("gitdir:")?.trim_matches([' ', '\t', '\r', '\n']))))
}

fn read_branch(git_dir: &Path) -> Option<String> {
    let head = String::from_utf8(read_elsewhere(&git_dir.join("HEAD"), MAX_POINTER_BYTES).ok()?).ok()?;
    let name = head.trim_matches([' ', '\t', '\r', '\n']).strip_prefix(BRANCHES)?;
    (!name.is_empty() && name != NO_BRANCH).then(|| name.to_owned())
}

fn index_stamp(metadata: &Metadata) -> Option<IndexStamp> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(IndexStamp { modified, size: metadata.len() })
}

/// Returns the changed files in a cache; `None` if it is damaged, too old, or belongs to another state of the index.
fn read_cache(data: &[u8], stamp: IndexStamp, now: u64) -> Option<Vec<String>> {
    let text = std::str::from_utf8(data).ok()?.strip_suffix('\n')?;
    let mut lines = text.split('\n');
    let about = lines.next()?.strip_prefix(&format!("{HEADER} {} {} ", stamp.modified, stamp.size))?;
    let time: u64 = about.parse().ok().filter(|time: &u64| time.to_string() == about)?;
    now.checked_sub(time).filter(|age| *age < LIFE)?;
    let changed: Vec<String> = lines.map(str::to_owned).collect();
    (changed.len() <= MAX_CHANGED && changed.iter().all(|path| !path.is_empty())).then_some(changed)
}

/// Returns the files below `folder` that differ from the index, at most `MAX_CHANGED`.
fn find_changed(index: &Path, top: &Path, folder: &Path) -> Vec<String> {
    let entries = read_elsewhere(index, MAX_INDEX_BYTES).ok().and_then(|data| read_index(&data, MAX_ENTRIES));
    let below = folder.strip_prefix(top).ok().and_then(Path::to_str);
    let (Some(entries), Some(below)) = (entries, below) else { return Vec::new() };
    let beginning = if below.is_empty() { String::new() } else { format!("{}/", below.replace('\\', "/")) };
    let mut changed: Vec<String> = Vec::new();
    for entry in &entries {
        let Some(path) = entry.name.strip_prefix(beginning.as_bytes()) else { continue };
        let Ok(path) = std::str::from_utf8(path) else { continue };
        let is_plain = !path.bytes().any(|byte| byte.is_ascii_control()) && !path.starts_with(MEMORIES);
        if is_plain && changed.last().is_none_or(|last| last != path) && is_changed(entry, &folder.join(path)) {
            changed.push(path.to_owned());
            if changed.len() == MAX_CHANGED {
                break;
            }
        }
    }
    changed
}

/// Whether the size or time of a file differs from the index, or the path is not a regular file.
fn is_changed(entry: &IndexEntry, path: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return true };
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    // Some programs write an index without nanoseconds.
    let is_same_instant = entry.nanoseconds == 0 || entry.nanoseconds == modified.subsec_nanos();
    !metadata.is_file()
        || metadata.len() & u64::from(u32::MAX) != u64::from(entry.size)
        || modified.as_secs() & u64::from(u32::MAX) != u64::from(entry.seconds)
        || !is_same_instant
}
