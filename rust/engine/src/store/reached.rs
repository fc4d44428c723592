//! Resolves the path that a tool names to the file that it reaches through links (SPEC 16.2).

use crate::environment::Environment;
use crate::store::files::resolve;
#[cfg(unix)]
use crate::store::folder::{Folder, status_elsewhere};
use crate::store::root::{self, Project};
#[cfg(unix)]
use cuecard_core::memory::FOLDERS;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// A folder with more files than these is not searched for other names of a file.
#[cfg(unix)]
const MAX_FILES: usize = 100_000;

/// Returns the host's working directory, or this process's own if the host names none. The path is absolute, and may
/// contain `..`.
pub(crate) fn absolute_cwd(cwd: Option<&str>) -> Result<PathBuf, String> {
    let cwd = cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".");
    std::path::absolute(cwd).map_err(|_| "the working directory no longer exists".into())
}

/// Tells which file of the project's store a path reaches, directly or through links.
pub(crate) struct Reached<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) environment: &'a Environment,
    project: OnceCell<Option<(Project, PathBuf)>>,
}

impl<'a> Reached<'a> {
    pub(crate) fn new(cwd: &'a Path, environment: &'a Environment) -> Self {
        Self { cwd, environment, project: OnceCell::new() }
    }

    /// Returns the project, and the path of its memory folder with links resolved; `None` if there is none. The project
    /// is searched at the first call.
    pub(crate) fn project(&self) -> Option<&(Project, PathBuf)> {
        let find = || {
            let project = root::find(&root::normalize(self.cwd), self.environment).ok().flatten()?;
            let resolved = resolve(&project.memory_dir)?;
            Some((project, resolved))
        };
        self.project.get_or_init(find).as_ref()
    }

    /// Returns the path in the project, such as `.claude/memory/index.md`, for a path of which all links are resolved;
    /// `None` if it is outside of the store.
    pub(crate) fn name_in_project(&self, resolved: &Path) -> Option<String> {
        let (_, memory_dir) = self.project()?;
        let below = resolved.strip_prefix(memory_dir).ok()?;
        Some(format!(".claude/memory/{}", below.to_string_lossy()))
    }

    /// Returns the path in the project's store of a file that has several hard links; `None` if none of them is in the
    /// store.
    #[cfg(unix)]
    pub(crate) fn other_name(&self, path: &Path) -> Option<String> {
        let status = status_elsewhere(path).ok()?;
        if !status.is_file() || status.links < 2 {
            return None;
        }
        let (project, _) = self.project()?;
        let is_twin = |folder: &Folder, name: &str| folder.status(name).is_ok_and(|own| own.is_same_file(&status));
        let find = |folder: &Folder| {
            let names = folder.list(MAX_FILES, |_| true).ok().flatten().unwrap_or_default();
            names.into_iter().find(|name| is_twin(folder, name))
        };
        let in_folder =
            |(folder, _): &(&str, _)| Some(format!("{folder}/{}", find(&project.memory.folder(folder).ok()?)?));
        let below = FOLDERS.iter().find_map(in_folder).or_else(|| find(&project.memory))?;
        Some(format!(".claude/memory/{below}"))
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self, reason = "files tell their links on Unix alone")]
    pub(crate) fn other_name(&self, _path: &Path) -> Option<String> {
        None
    }
}
