//! The file of a session: it is read before an answer, and written after the answer and after events of the host (SPEC
//! 30).

use crate::environment::Environment;
use crate::session::left;
use crate::session::state::{
    Kept, Session, SessionEvent, count_blocks, read_session_event, session_file_name, was_compressed,
};
use crate::session::typed::Typed;
use crate::store::folder::{Folder, PRIVATE_FOLDER, Replacement, read_end_elsewhere};
use crate::store::root::{self, Project};
use crate::store::status::{Status, now};
use crate::store::user_folder::StoreFolder;
use std::path::Path;
use std::rc::Rc;

/// The most bytes that are read of a session's file; no session needs as many.
const MAX_BYTES: u64 = 1 << 20;
/// The time without a write, in nanoseconds, after which the file of a session is removed.
const LIFE: i64 = 7 * 24 * 60 * 60 * 1_000_000_000;
/// The same for a session with prompts that are in no ledger yet: as long as a ledger is kept.
const UNREAD_LIFE: i64 = 2 * LIFE;
/// A block that is older, in nanoseconds, is no debt: its memories may have changed.
const OWED_LIFE: i64 = 10 * 60 * 1_000_000_000;
/// A folder with more session files than this is not pruned.
const MAX_FILES: usize = 100_000;
const FOLDER: &str = "sessions";
/// Up to this number of prompts, each new one is told to later sessions. More make no difference to them.
const TELLING: u32 = 3;
/// How many bytes at the end of a transcript are read. A conversation that fits into a model is shorter.
const MAX_TRANSCRIPT_BYTES: u64 = 16 << 20;

/// A session and its file.
#[derive(Debug, Clone)]
pub(crate) struct SessionFile {
    own: Rc<StoreFolder>,
    name: String,
    pub(crate) session: Session,
    is_missing: bool,
    is_new: bool,
    /// Whether the store's file `left` gets a line with the next write.
    pub(crate) tells_left: bool,
    /// The block that the host may have dropped, for the next event that reaches the agent; empty if there is none, and
    /// `None` if nothing changes.
    pub(crate) owed: Option<String>,
}

impl SessionFile {
    /// Reads the file of a session; `None` if the session has no id, or an id that cannot be a file name.
    pub(crate) fn load(project: &Project, session_id: Option<&str>) -> Option<Self> {
        Self::load_in(&project.own, session_id?)
    }

    /// Reads the file of a session in the user's folder of a store, which need not exist.
    pub(crate) fn load_in(own: &Rc<StoreFolder>, session_id: &str) -> Option<Self> {
        let name = session_file_name(session_id)?.to_owned();
        let own = Rc::clone(own);
        let data = own.open_below(FOLDER).and_then(|folder| folder.read(&name, MAX_BYTES).ok());
        // A session whose file has the old form begins again, which removes the other files of that form too.
        let data = data.filter(|data| !Session::is_old_form(data));
        let session = data.as_deref().map(Session::read).unwrap_or_default();
        let is_missing = data.is_none();
        let is_new = is_missing || session.typed.as_ref().is_some_and(|typed| typed.is_unused);
        Some(Self { own, name, session, is_missing, is_new, tells_left: false, owed: None })
    }

    /// Counts a prompt that was typed, or only begins to count if `prompt` is `None`. `transcript` is that of the host.
    /// Returns whether the file has changed.
    pub(crate) fn note_typed(&mut self, prompt: Option<&str>, host: &str, transcript: Option<&str>) -> bool {
        let before = self.session.typed.clone();
        let is_unused = self.is_missing;
        let typed = self.session.typed.get_or_insert_with(|| Typed { is_unused, ..Typed::default() });
        let (open, had_ended) = (typed.open, typed.has_ended);
        if let Some(prompt) = prompt {
            typed.note(prompt);
        }
        if let Some(path) = transcript.filter(|path| Path::new(path).is_absolute() && *path != typed.transcript) {
            (typed.host, typed.transcript) = (host.into(), path.into());
        }
        self.tells_left = (typed.open != open && typed.open <= TELLING) || (had_ended && !typed.has_ended);
        before.as_ref() != Some(typed)
    }

    /// Whether recall has not used the session yet: this is the first prompt that it uses.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Forgets which memories were shown if the host's transcript has fewer blocks than were printed: then the host has
    /// compressed or rewound the conversation.
    pub(crate) fn compare(&mut self, blocks: u32) {
        if blocks < self.session.blocks {
            self.session.forget_shown();
        }
    }

    /// Takes the block that the session's agent is owed; empty if there is none, or if it is old. Nobody gets it a second
    /// time.
    pub(crate) fn take_owed(&self) -> String {
        let take = |folder: Folder| {
            let name = self.name_of_owed();
            let (block, status) = folder.read_with_status(&name, MAX_BYTES).ok()?;
            folder.remove(&name).ok()?;
            String::from_utf8(block).ok().filter(|_| now() - status.modified <= OWED_LIFE)
        };
        self.own.open_below(FOLDER).and_then(take).unwrap_or_default()
    }

    /// Returns the name of the file with what the agent is owed. No id of a session has a dot.
    fn name_of_owed(&self) -> String {
        format!("{}.owed", self.name)
    }

    /// Removes the session's file if it has the old form. A failure is not reported: the next prompt tries again.
    fn remove_old_form(&self) {
        if let Some(folder) = self.own.open_below(FOLDER) {
            remove_old_form(&folder, &self.name);
        }
    }

    /// Replaces the session's file atomically. A new session also removes the files of old sessions. Nothing is written
    /// if the user has no data folder.
    pub(crate) fn write(&self) -> Result<(), String> {
        let Some(own) = self.own.of_project().make() else { return Ok(()) };
        let write = || {
            let folder = own.make_folder(FOLDER, PRIVATE_FOLDER)?;
            if self.is_missing {
                prune(&folder);
            }
            match &self.owed {
                Some(block) if block.is_empty() => drop(folder.remove(&self.name_of_owed())),
                Some(block) => drop(folder.replace(&self.name_of_owed(), block.as_bytes(), Replacement::PRIVATE)?),
                None => {}
            }
            folder.replace(&self.name, &self.session.to_bytes(), Replacement::PRIVATE)
        };
        let written = write().map(|_| ()).map_err(|_| "the session's file cannot be written".into());
        if let Some(typed) = self.session.typed.as_ref().filter(|_| self.tells_left) {
            left::note(&self.own, &self.name, typed);
        }
        written
    }
}

/// Returns how many blocks of memories a transcript contains; `None` if it cannot be read.
pub(crate) fn read_blocks(transcript_path: Option<&str>) -> Option<u32> {
    let path = transcript_path.filter(|path| !path.is_empty())?;
    read_end_elsewhere(Path::new(path), MAX_TRANSCRIPT_BYTES).ok().map(|data| count_blocks(&data))
}

/// Whether a transcript shows that the conversation was just compressed; false if it cannot be read.
pub(crate) fn reads_compression(transcript: &Path) -> bool {
    read_end_elsewhere(transcript, MAX_TRANSCRIPT_BYTES).is_ok_and(|data| was_compressed(&data))
}

/// Changes a session's file after an event of the host. Returns the project, and a sentence if the file cannot be
/// written; `None` if nothing changes.
pub(crate) fn note_event(
    payload: &[u8],
    environment: &Environment,
) -> Result<Option<(Project, Option<String>)>, String> {
    let SessionEvent { cwd, session_id, kept } = read_session_event(payload).map_err(|error| error.to_string())?;
    if kept == Kept::All {
        return Ok(None);
    }
    let Some(project) = root::find_from(cwd.as_deref(), environment)? else { return Ok(None) };
    let Some(mut file) = SessionFile::load(&project, session_id.as_deref()) else { return Ok(None) };
    if file.is_missing {
        file.remove_old_form();
        return Ok(None);
    }
    file.session.forget_shown();
    file.session.blocks = 0;
    if let Some(typed) = file.session.typed.as_mut().filter(|_| kept == Kept::Prompts) {
        typed.is_compacted = true;
    }
    if kept == Kept::Nothing {
        file.session.prompts.clear();
    }
    let problem = file.write().err();
    Ok(Some((project, problem)))
}

/// Removes a file if it has the old form of a session's file, which held the texts of prompts.
fn remove_old_form(folder: &Folder, name: &str) {
    if folder.read(name, MAX_BYTES).is_ok_and(|data| Session::is_old_form(&data)) {
        let _ = folder.remove(name);
    }
}

/// Removes the files of sessions that were not written for a week, and those of the old form. A session with prompts in
/// no ledger has two weeks.
fn prune(folder: &Folder) {
    for name in folder.list(MAX_FILES, |_| true).ok().flatten().unwrap_or_default() {
        let aged = folder.status(&name).ok().filter(Status::is_file).map(|status| now() - status.modified);
        let is_unread = || {
            let typed = folder.read(&name, MAX_BYTES).ok().and_then(|data| Session::read(&data).typed);
            typed.is_some_and(|typed| typed.open > typed.read && !typed.transcript.is_empty())
        };
        if aged.is_some_and(|aged| aged > LIFE && (aged > UNREAD_LIFE || !is_unread())) {
            let _ = folder.remove(&name);
        } else {
            // Also a temporary file that a crash has left.
            remove_old_form(folder, &name);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::test_store::TestStore;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, SystemTime};

    /// Creates a folder with a file that is eight days old.
    fn old_file(store: &TestStore, folder: &str) -> std::path::PathBuf {
        let folder = store.path.join(folder);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("old");
        fs::write(&file, "mine").unwrap();
        let then = SystemTime::now() - Duration::from_secs(8 * 24 * 60 * 60);
        fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
        file
    }

    #[test]
    fn the_first_prompt_of_a_session_removes_old_sessions_and_nothing_else() {
        let store = TestStore::new("prune");
        let mine = old_file(&store, "mine");
        let derived = store.memory_dir().join(".cuecard");
        fs::create_dir(&derived).unwrap();
        symlink(store.path.join("mine"), derived.join("sessions")).unwrap();
        let session = |id| SessionFile::load(&store.project(), Some(id)).unwrap();
        session("first").write().unwrap();
        let sessions = store.own_folder().join("sessions");
        let old = old_file(&store, sessions.strip_prefix(&store.path).unwrap().to_str().unwrap());
        session("second").write().unwrap();
        assert!(!old.exists() && sessions.join("first").exists() && sessions.join("second").exists());

        // Links in the user's own folder are not followed either.
        fs::remove_dir_all(&sessions).unwrap();
        symlink(store.path.join("mine"), &sessions).unwrap();
        assert_eq!(session("third").write(), Err("the session's file cannot be written".into()));
        assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
        assert_eq!(fs::read_dir(store.path.join("mine")).unwrap().count(), 1);
    }
}
