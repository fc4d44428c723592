//! Keeps the agent's own tools from writing into a store (SPEC 16.2).

use crate::environment::Environment;
use crate::guard::shell_scope::Place;
use crate::guard::shell_scope::UNKNOWN;
use crate::guard::tool_use::{Action, Tool, ToolUse, Write, find_writes, read_tool_use, write_denial};
use crate::guard::verdict::judge_write;
use crate::prompt::answer::Answer;
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

/// The answer to what a tool is about to do: a denial, or nothing.
pub(crate) fn answer(payload: &[u8], environment: &Environment) -> Answer {
    let denial = read_tool_use(payload).map_err(|error| error.to_string()).and_then(|event| deny(&event, environment));
    match denial {
        Ok(stdout) => Answer { stdout: stdout.unwrap_or_default(), ..Default::default() },
        Err(problem) => Answer::failed(problem),
    }
}

/// The denial of an event whose writes a store has to be kept from.
fn deny(event: &ToolUse, environment: &Environment) -> Result<Option<String>, String> {
    if event.tool == Tool::Other {
        return Ok(None);
    }
    let cwd = absolute_cwd(event)?;
    let writes = list_writes(event, &cwd, environment);
    let reached = Reached::new(&cwd, environment);
    Ok(writes.iter().find_map(|write| reached.refuse(write)).map(|reason| write_denial(&reason)))
}

/// The host's working directory.
pub(crate) fn absolute_cwd(event: &ToolUse) -> Result<PathBuf, String> {
    let cwd = event.cwd.as_deref().filter(|cwd| !cwd.is_empty()).unwrap_or(".");
    std::path::absolute(cwd).map_err(|_| "the working directory is gone".into())
}

/// What an event writes, by its words alone.
pub(crate) fn list_writes(event: &ToolUse, cwd: &Path, environment: &Environment) -> Vec<Write> {
    let home = environment.home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let place = Place {
        cwd: &cwd.to_string_lossy(),
        home: &home,
        project: environment.project_dir.as_deref().unwrap_or_default(),
    };
    find_writes(event.tool, &event.subject, &place)
}

/// What a path reaches once links are followed.
pub(crate) struct Reached<'a> {
    cwd: &'a Path,
    environment: &'a Environment,
    project: OnceCell<Option<(Project, PathBuf)>>,
}

impl<'a> Reached<'a> {
    pub(crate) fn new(cwd: &'a Path, environment: &'a Environment) -> Self {
        Self { cwd, environment, project: OnceCell::new() }
    }

    /// Why a write must not happen: for what its words say, and for what they lead to.
    fn refuse(&self, write: &Write) -> Option<String> {
        let path = Path::new(&write.path);
        let judge = |text: &str| {
            judge_write(text, write.action, false)?;
            judge_write(text, write.action, path.exists() || root::normalize(path).exists())
        };
        if let Some(reason) = judge(&write.path) {
            return Some(reason);
        }
        if write.path.contains(UNKNOWN) {
            return None;
        }
        // What removes or moves a link leaves its target alone.
        let resolved = match (write.action, path.parent(), path.file_name()) {
            (Action::Write, ..) | (_, None, _) | (_, _, None) => resolve(path)?,
            (_, Some(parent), Some(name)) => resolve(parent)?.join(name),
        };
        judge(&resolved.to_string_lossy())
            .or_else(|| judge(&self.name_in_project(&resolved)?))
            .or_else(|| self.refuse_above(write.action, &resolved))
            .or_else(|| self.refuse_twin(write, path))
    }

    /// The project, and its memory folder as it really is; looked for when somebody asks.
    pub(crate) fn project(&self) -> Option<&(Project, PathBuf)> {
        let find = || {
            let project = root::find(&root::normalize(self.cwd), self.environment).ok().flatten()?;
            let resolved = resolve(&project.memory_dir)?;
            Some((project, resolved))
        };
        self.project.get_or_init(find).as_ref()
    }

    /// The path of a file of the project's store by its plain name, where links have given it another.
    pub(crate) fn name_in_project(&self, resolved: &Path) -> Option<String> {
        let (_, memory_dir) = self.project()?;
        let below = resolved.strip_prefix(memory_dir).ok()?;
        Some(format!(".claude/memory/{}", below.to_string_lossy()))
    }

    /// Why a folder must stay: it holds a store.
    fn refuse_above(&self, action: Action, resolved: &Path) -> Option<String> {
        if !matches!(action, Action::RemoveTree | Action::Move) {
            return None;
        }
        let reason = judge_write(".claude/memory", action, true)?;
        let folder = resolved.join("memory");
        if judge_write(&folder.to_string_lossy(), action, true).is_some() {
            // Whatever pattern stands in the last place: this is the name that it would find.
            let store = resolved.with_file_name(".claude").join("memory");
            return store.is_dir().then_some(reason);
        }
        let holds = action == Action::RemoveTree && self.project()?.1.starts_with(resolved);
        holds.then_some(reason)
    }

    /// Why a file must not be written: under another name it is one of the store's.
    #[cfg(unix)]
    fn refuse_twin(&self, write: &Write, path: &Path) -> Option<String> {
        let status = status_elsewhere(path).ok()?;
        if write.action != Action::Write || !status.is_file() || status.links < 2 {
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
        judge_write(&format!(".claude/memory/{below}"), write.action, true)
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self, reason = "files tell their links on Unix alone")]
    fn refuse_twin(&self, _write: &Write, _path: &Path) -> Option<String> {
        None
    }
}
