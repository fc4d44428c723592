//! The file of a session: read before the answer, written after it, and what the host's events do to it (SPEC 30).

use crate::environment::Environment;
use crate::event::Outcome;
use crate::files::read_bounded;
use crate::log::ensure_derived_folder;
use crate::root;
use crate::snapshot_recall::Found;
use cuecard_core::{Kept, Session, SessionEvent, Shown, is_more_than_title, read_session_event, session_file_name};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Far more than a session's file has.
const MAX_BYTES: u64 = 1 << 20;
/// A session that was quiet for so long is forgotten.
const LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A session and its file.
#[derive(Debug, Clone)]
pub(crate) struct SessionFile {
    path: PathBuf,
    pub(crate) session: Session,
    is_new: bool,
}

impl SessionFile {
    /// What is known of a session of that id; `None` where the host gives none that a file can be named after.
    pub(crate) fn load(memory_dir: &Path, session_id: Option<&str>) -> Option<Self> {
        let path = memory_dir.join(".cuecard").join("sessions").join(session_file_name(session_id?)?);
        let data = read_bounded(&path, MAX_BYTES);
        let session = data.as_deref().map(Session::read).unwrap_or_default();
        Some(Self { path, session, is_new: data.is_err() })
    }

    /// Whether the session's agent would get more of a memory than it has.
    pub(crate) fn lacks(&self, memory: &Found) -> bool {
        let is_more = memory.logit.is_none_or(is_more_than_title);
        !self.session.has(memory.document.path(), memory.document.stamp, is_more)
    }

    /// Notes what of some memories is shown.
    pub(crate) fn note(&mut self, memories: &[Found], outcomes: &[Outcome]) {
        for (memory, outcome) in memories.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_shown()) {
            let Session { shown, titled, .. } = &mut self.session;
            let path = memory.document.path().to_owned();
            shown.retain(|earlier| earlier.path != path);
            titled.retain(|earlier| earlier.path != path);
            let list = if *outcome == Outcome::Title { titled } else { shown };
            list.push(Shown { path, stamp: memory.document.stamp });
        }
    }

    /// Puts it in its place whole, and with a new one removes those of old sessions.
    pub(crate) fn write(&self, memory_dir: &Path) -> Result<(), String> {
        let temporary = self.path.with_extension(format!("{}.tmp", std::process::id()));
        let write = || {
            let folder = ensure_derived_folder(memory_dir)?.join("sessions");
            create_private_folder(&folder)?;
            if self.is_new {
                prune(&folder);
            }
            create_private(&temporary)?.write_all(&self.session.to_bytes())?;
            fs::rename(&temporary, &self.path)
        };
        write().map_err(|_| {
            let _ = fs::remove_file(&temporary);
            "the session's file cannot be written".into()
        })
    }
}

/// What an event of the host leaves of its session; notes for the log, and the store that they are about.
pub(crate) fn note_event(payload: &[u8], environment: &Environment) -> (Vec<String>, Option<PathBuf>) {
    match change(payload, environment) {
        Ok(Some((memory_dir, problem))) => (problem.into_iter().collect(), Some(memory_dir)),
        Ok(None) => (Vec::new(), None),
        Err(problem) => (vec![problem], None),
    }
}

fn change(payload: &[u8], environment: &Environment) -> Result<Option<(PathBuf, Option<String>)>, String> {
    let SessionEvent { cwd, session_id, kept } = read_session_event(payload).map_err(|error| error.to_string())?;
    if kept == Kept::All {
        return Ok(None);
    }
    let Some(project) = root::find_from(cwd.as_deref(), environment)? else { return Ok(None) };
    let Some(mut file) = SessionFile::load(&project.memory_dir, session_id.as_deref()) else { return Ok(None) };
    if file.is_new {
        return Ok(None);
    }
    file.session.shown.clear();
    file.session.titled.clear();
    if kept == Kept::Nothing {
        file.session.prompts.clear();
    }
    let problem = file.write(&project.memory_dir).err();
    Ok(Some((project.memory_dir, problem)))
}

/// Removes the files that nobody has written for a week.
fn prune(folder: &Path) {
    let Some(least) = SystemTime::now().checked_sub(LIFE) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let is_old = entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|modified| modified < least);
        if is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if folder.is_dir() { Ok(()) } else { fs::DirBuilder::new().recursive(true).mode(0o700).create(folder) }
}

#[cfg(not(unix))]
fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(unix)]
pub(crate) fn create_private(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
pub(crate) fn create_private(path: &Path) -> std::io::Result<fs::File> {
    fs::File::create(path)
}
