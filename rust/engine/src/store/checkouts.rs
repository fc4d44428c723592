//! Reads how git ties worktrees and submodules to other folders (SPEC 48.2). Only pointers in both directions count: anyone
//! can write a `.git` file that names another repository, but only git also writes the way back.

use crate::store::folder::{Folder, read_elsewhere};
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes that are read of a `.git` file, and of a file that points back to it.
const MAX_POINTER_BYTES: u64 = 4096;
const MAX_CONFIG_BYTES: u64 = 1 << 16;
/// A file of the user's data folder: lines `COMMON FOLDER`, a tab, and the checkout that the user works in.
const CHECKOUTS: &str = "checkouts";
const MAX_CHECKOUTS_BYTES: u64 = 1 << 20;

/// Where a checkout with a `.git` file belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tie {
    /// It is a worktree. All worktrees of the repository share this folder.
    Worktree(PathBuf),
    /// It is a submodule of the checkout in this folder.
    Submodule(PathBuf),
}

/// Returns where the checkout of a `.git` file belongs; `None` if git does not say so in both directions.
///
/// `home` and `data` are the user's home folder and data folder.
pub(crate) fn tie_of(git_file: &Path, home: Option<&Path>, data: Option<&Path>) -> Option<Tie> {
    let git_dir = named(git_file, git_file.parent()?, "gitdir:")?;
    let worktree = || shared_folder(git_file, &git_dir, home, data).map(Tie::Worktree);
    worktree().or_else(|| superproject(git_file.parent()?, &git_dir).map(Tie::Submodule))
}

/// Returns the folder that the worktrees of a repository share.
fn shared_folder(git_file: &Path, git_dir: &Path, home: Option<&Path>, data: Option<&Path>) -> Option<PathBuf> {
    let common = named(&git_dir.join("commondir"), git_dir, "")?;
    let git_file = fs::canonicalize(git_file).ok()?;
    if git_dir.parent() != Some(&common.join("worktrees")) || named(&git_dir.join("gitdir"), git_dir, "")? != git_file {
        return None;
    }
    let beside = common.parent()?;
    if common.file_name()? == ".git" {
        return Some(beside.to_owned());
    }
    // The home folder has memories of its own, and a worktree in the common folder would choose what lies around it.
    let home = home.and_then(|home| fs::canonicalize(home).ok());
    let is_hub = git_file.starts_with(beside) && !git_file.starts_with(&common) && home.as_deref() != Some(beside);
    recorded_checkout(&common, data).or_else(|| is_hub.then(|| beside.to_owned()))
}

/// Returns the checkout that the user works in for a common folder, if its `.git` file still names that folder.
fn recorded_checkout(common: &Path, data: Option<&Path>) -> Option<PathBuf> {
    let data = Folder::open(data?).ok()?.read(CHECKOUTS, MAX_CHECKOUTS_BYTES).ok()?;
    let text = String::from_utf8(data).ok()?;
    let beginning = format!("{}\t", common.to_str()?);
    let checkout = PathBuf::from(text.lines().rev().find_map(|line| line.strip_prefix(&beginning))?);
    (named(&checkout.join(".git"), &checkout, "gitdir:")? == common).then_some(checkout)
}

/// Returns the superproject of a submodule: the folder above it in whose git folder the submodule's own git folder lies.
fn superproject(submodule: &Path, git_dir: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(submodule).ok()?;
    let config = String::from_utf8(read_elsewhere(&git_dir.join("config"), MAX_CONFIG_BYTES).ok()?).ok()?;
    let back = worktree_in(&config)?;
    if fs::canonicalize(git_dir.join(back)).ok()? != real {
        return None;
    }
    submodule
        .ancestors()
        .skip(1)
        .find(|above| {
            let git = above.join(".git");
            let own = if git.is_file() { named(&git, above, "gitdir:") } else { fs::canonicalize(&git).ok() };
            own.is_some_and(|own| git_dir.starts_with(own.join("modules")))
        })
        .map(Path::to_owned)
}

/// Returns the value of `core.worktree` in the text of a git configuration.
fn worktree_in(config: &str) -> Option<&str> {
    let mut is_core = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        } else if let Some((name, value)) = line.split_once('=').filter(|_| is_core) {
            if name.trim().eq_ignore_ascii_case("worktree") {
                found = Some(value.trim().trim_matches('"'));
            }
        }
    }
    found.filter(|value| !value.is_empty())
}

/// Returns the real path that a file names behind `beginning`, relative to a folder.
fn named(file: &Path, folder: &Path, beginning: &str) -> Option<PathBuf> {
    let text = String::from_utf8(read_elsewhere(file, MAX_POINTER_BYTES).ok()?).ok()?;
    let path = text.strip_prefix(beginning)?.trim();
    if path.is_empty() { None } else { fs::canonicalize(folder.join(path)).ok() }
}
