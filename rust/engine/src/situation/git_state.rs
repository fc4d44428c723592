//! What git knows about the work at hand, without running it: the branch and the files that have changed (SPEC 35).

use crate::situation::git_index::{IndexEntry, read_index};
use crate::store::folder::{Replacement, read_elsewhere};
use crate::store::root::{Project, normalize};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A larger index is not read.
const MAX_INDEX_BYTES: u64 = 8 << 20;
const MAX_ENTRIES: usize = 20_000;
/// So many changed files are named.
const MAX_CHANGED: usize = 64;
/// `HEAD`, and the `.git` of a worktree.
const MAX_POINTER_BYTES: u64 = 4096;
/// What was found is believed for so long, in seconds, while the index stays as it is.
const LIFE: u64 = 10;
const CACHE: &str = "git";
const HEADER: &str = "cuecard changed 1";
const MAX_CACHE_BYTES: u64 = 1 << 20;
const BRANCHES: &str = "ref: refs/heads/";
/// The branch of a repository whose references are in a table: there is no such one.
const NO_BRANCH: &str = ".invalid";
const MEMORIES: &str = ".claude/memory/";
/// What the name of a branch says about the kind of its work rather than about what it is on.
const KINDS_OF_WORK: [&str; 11] =
    ["feature", "feat", "fix", "bugfix", "hotfix", "chore", "main", "master", "develop", "dev", "release"];

/// Branch and changed files of a working tree.
#[derive(Debug, Default)]
pub(crate) struct GitState {
    /// The branch; `None` where no branch is checked out.
    pub(crate) branch: Option<String>,
    /// Files below the project whose size or time is not that of the index, sorted, the first 64, separated by `/`.
    pub(crate) changed: Vec<String>,
    /// The cache's new content.
    cache: Option<String>,
}

/// Size and time of an index file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct IndexStamp {
    modified: u128,
    size: u64,
}

impl GitState {
    /// Reads the repository that a project lies in, or the other worktree of it in which the host works.
    pub(crate) fn read(project: &Project, cwd: Option<&str>) -> Self {
        let folder = working_folder(project, cwd);
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

    /// Keeps what was found for the prompts that follow at once; without a data folder of the user nothing is kept.
    pub(crate) fn write(&self, project: &Project) -> Result<(), String> {
        let (Some(cache), Some(own)) = (&self.cache, project.own.make()) else { return Ok(()) };
        let written = own.replace(CACHE, cache.as_bytes(), Replacement::PRIVATE);
        written.map(|_| ()).map_err(|_| "the list of changed files cannot be written".into())
    }
}

/// The words of a branch's name that say what the work is on.
pub(crate) fn branch_words(name: &str) -> String {
    let parts = name.split(|char: char| char.is_ascii() && !char.is_ascii_alphanumeric());
    let says_something = |part: &&str| {
        let is_kind = KINDS_OF_WORK.iter().any(|kind| part.eq_ignore_ascii_case(kind));
        !is_kind && !part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.filter(says_something).collect::<Vec<_>>().join(" ")
}

/// The folder that paths below the project are counted from: that of the project, in another of its worktrees the top
/// of that one.
pub(crate) fn working_folder(project: &Project, cwd: Option<&str>) -> PathBuf {
    let cwd = cwd.filter(|cwd| !cwd.is_empty()).and_then(|cwd| std::path::absolute(cwd).ok());
    let top = cwd.map(|cwd| normalize(&cwd)).and_then(|cwd| {
        let top = cwd.ancestors().find(|folder| folder.join(".git").exists())?;
        Some(top.to_owned())
    });
    match top {
        Some(top) if top.join(".git").is_file() && !project.root.starts_with(&top) => top,
        _ => project.root.clone(),
    }
}

/// The top of the working tree that a folder lies in, and the folder of its repository.
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

/// What a cache says, if it is of the index as it is and young; `None` if it is damaged.
fn read_cache(data: &[u8], stamp: IndexStamp, now: u64) -> Option<Vec<String>> {
    let text = std::str::from_utf8(data).ok()?.strip_suffix('\n')?;
    let mut lines = text.split('\n');
    let about = lines.next()?.strip_prefix(&format!("{HEADER} {} {} ", stamp.modified, stamp.size))?;
    let time: u64 = about.parse().ok().filter(|time: &u64| time.to_string() == about)?;
    now.checked_sub(time).filter(|age| *age < LIFE)?;
    let changed: Vec<String> = lines.map(str::to_owned).collect();
    (changed.len() <= MAX_CHANGED && changed.iter().all(|path| !path.is_empty())).then_some(changed)
}

/// The files below `folder` that are not as an index has them.
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

/// Whether a file has another size or time than git remembers, or is not a file.
fn is_changed(entry: &IndexEntry, path: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return true };
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    // Some programs write indexes without nanoseconds.
    let is_same_instant = entry.nanoseconds == 0 || entry.nanoseconds == modified.subsec_nanos();
    !metadata.is_file()
        || metadata.len() & u64::from(u32::MAX) != u64::from(entry.size)
        || modified.as_secs() & u64::from(u32::MAX) != u64::from(entry.seconds)
        || !is_same_instant
}
