//! Which project's memories: from the host's working directory upwards (SPEC 14.2).

use crate::environment::Environment;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A project with memories.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// Its folder.
    pub(crate) root: PathBuf,
    /// Its `.claude/memory`.
    pub(crate) memory_dir: PathBuf,
}

impl Project {
    fn at(root: &Path) -> Option<Self> {
        let memory_dir = root.join(".claude").join("memory");
        memory_dir.is_dir().then(|| Self { root: root.to_owned(), memory_dir })
    }
}

/// The project that `CUECARD_ROOT` names, else the nearest one with memories from `cwd` upwards; `None` where
/// there is none. Not above the repository or the home folder; a worktree shares its main checkout's memories.
pub(crate) fn find(cwd: &Path, environment: &Environment) -> Result<Option<Project>, String> {
    if let Some(root) = &environment.root {
        let above = |folder: &Path| folder.ends_with(".claude/memory").then(|| folder.join("../.."));
        let project = Project::at(root).or_else(|| {
            let root = above(root)?;
            Project::at(&fs::canonicalize(root).ok()?)
        });
        return project.map(Some).ok_or_else(|| "`CUECARD_ROOT` is not a project with `.claude/memory`".into());
    }
    let mut nearest = None;
    for folder in cwd.ancestors() {
        nearest = nearest.or_else(|| Project::at(folder));
        let git = folder.join(".git");
        match fs::metadata(&git) {
            Ok(metadata) if metadata.is_file() => {
                return Ok(main_checkout(&git).and_then(|root| Project::at(&root)).or(nearest));
            }
            Ok(_) => break,
            Err(_) if environment.home.as_deref() == Some(folder) => break,
            Err(_) => {}
        }
    }
    Ok(nearest)
}

/// The project of a host's working directory; of the process's own where the host names none.
pub(crate) fn find_from(cwd: Option<&str>, environment: &Environment) -> Result<Option<Project>, String> {
    let cwd = cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".");
    find(&normalize(&std::path::absolute(cwd).map_err(|_| "the working directory is gone")?), environment)
}

/// An absolute path without dots, by its words alone.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            _ => normal.push(component),
        }
    }
    normal
}

/// The folder of the main checkout, from the `.git` file of a worktree.
fn main_checkout(git_file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(git_file).ok()?;
    let git_dir = git_file.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(git_dir.join("commondir")).ok()?;
    let common = fs::canonicalize(git_dir.join(common.trim())).ok()?;
    (common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
}
