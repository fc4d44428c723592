//! The answer to an event of a host: what is printed, and what is written after that.

use crate::environment::Environment;
use crate::prompt::delegate::{Delegate, Unanswered};
use crate::session::event::{self, Event};
use crate::session::session_file::SessionFile;
use crate::situation::git_state::GitState;
use crate::store::folder::PRIVATE_FILE;
use crate::store::index_md::NewIndex;
use crate::store::root::Project;
use crate::store::snapshot_file::{self, NewFile};
use crate::store::vouched::VouchedTable;
use crate::store::{log, settings_files};
use cuecard_core::settings::Settings;

/// The name of an empty file beside a store's log: the log says that there is no Python.
const TOLD: &str = "without-python";

/// What an answer leaves to write for a store besides the first one.
#[derive(Debug)]
pub(crate) struct Upkeep {
    pub(crate) project: Project,
    pub(crate) new_files: Vec<NewFile>,
    pub(crate) rebuilt_index: Option<NewIndex>,
    pub(crate) vouched: Option<VouchedTable>,
}

impl Upkeep {
    fn finish(self, notes: &mut Vec<String>) {
        notes.extend(snapshot_file::write(&self.project, &self.new_files).err());
        notes.extend(self.rebuilt_index.and_then(|index| index.write(&self.project).err()));
        if let Some(vouched) = self.vouched {
            vouched.write(&self.project.own);
        }
    }
}

/// The answer to an event of a host: the text to print, and what to write and log afterwards.
///
/// Print `stdout` first, then call [`Answer::finish`], so that the agent does not wait for the writes.
#[derive(Debug, Default)]
#[must_use]
pub struct Answer {
    /// The text for the host. If it is empty, nothing is printed.
    pub stdout: String,
    /// The lines for the log.
    pub(crate) notes: Vec<String>,
    /// The rebuilt index, written after printing.
    pub(crate) rebuilt_index: Option<NewIndex>,
    /// The files of the snapshot that are written after printing.
    pub(crate) new_files: Vec<NewFile>,
    /// The session's prompts and shown memories, written after printing.
    pub(crate) session: Option<SessionFile>,
    /// The session with what is noted of the typed prompt, written after printing if `session` is not.
    pub(crate) noted: Option<SessionFile>,
    /// The branch and the changed files that Git reported, cached after printing.
    pub(crate) git: Option<GitState>,
    /// Which memories the user vouches for, if that is to be kept; written after printing.
    pub(crate) vouched: Option<VouchedTable>,
    /// What is written for the other stores that were searched.
    pub(crate) others: Vec<Upkeep>,
    /// The session of a folder without memories, in which a wish to remember something was noted.
    pub(crate) wish: Option<SessionFile>,
    /// The project whose store was searched.
    pub(crate) project: Option<Project>,
    /// The messages to the user about unreviewed memories and files in conflict, on a line each; empty if there is none.
    pub(crate) greeting: String,
    /// The entry for the event log: what was shown and why.
    pub(crate) event: Event,
    /// The Python process that answers the same prompt with a model, if the settings name one.
    pub(crate) delegate: Option<Delegate>,
    /// Whether Python must answer the event, or do its work after a session event.
    pub(crate) needs_python: bool,
    /// Whether a session begins in the project, so that the files which the host shows by itself may have to be read.
    pub(crate) begins: bool,
    /// Whether the decision is logged; `None` if the settings were not read.
    pub(crate) is_logged: Option<bool>,
}

impl Answer {
    /// Returns the answer to an event that cannot be read.
    pub(crate) fn failed(problem: String) -> Self {
        Self { notes: vec![problem], ..Self::default() }
    }

    /// Notes what the settings say of the event.
    pub(crate) fn note_settings(&mut self, settings: &Settings) {
        self.is_logged = Some(settings.log_events);
        self.event.keeps_texts = settings.log_prompts;
        self.event.strategy = Some(settings.strategy.name());
    }

    /// Returns the output of the other process if it answered the prompt; `None` if this process must print its own
    /// answer.
    pub(crate) fn take_printed(&mut self) -> Option<String> {
        self.delegate.take()?.wait().map_err(|problem| self.notes.push(problem)).ok()
    }

    /// Records that Python has not answered a stop: until something new is typed, no stop starts it again.
    pub(crate) fn give_up(&mut self, unanswered: Unanswered) {
        if let Some(typed) = self.session.as_mut().and_then(|file| file.session.typed.as_mut()) {
            typed.give_up();
        }
        // Where there is no Python, each store says so once.
        let is_told = unanswered == Unanswered::Missing
            && self.project.as_ref().is_some_and(|project| {
                project.own.make_below(log::FOLDER).is_ok_and(|folder| folder.create(TOLD, PRIVATE_FILE).is_err())
            });
        if !is_told {
            self.notes.push(unanswered.words().to_owned());
        }
    }

    /// Writes the snapshot, the index, the session and the logs. Call it after printing; `event` is the event's name in
    /// the log. A file that cannot be written becomes a line in the log.
    pub fn finish(self, environment: &Environment, event: &str) {
        let mut notes = self.notes;
        if let Some(project) = &self.project {
            notes.extend(snapshot_file::write(project, &self.new_files).err());
            notes.extend(self.rebuilt_index.and_then(|index| index.write(project).err()));
            if let Some(vouched) = &self.vouched {
                vouched.write(&project.own);
            }
            notes.extend(self.git.and_then(|git| git.write(project).err()));
        }
        for upkeep in self.others {
            upkeep.finish(&mut notes);
        }
        notes.extend(self.wish.and_then(|session| session.write().err()));
        notes.extend(self.session.or(self.noted).and_then(|session| session.write().err()));
        log::append(environment, self.project.as_ref(), event, &notes);
        if let Some(project) = self.project.filter(|_| !self.event.kind.is_empty()) {
            log_event(&project, self.event, self.is_logged, environment);
        }
    }
}

/// Appends the decision to the event log, unless the settings switch the log off.
fn log_event(project: &Project, mut event: Event, is_logged: Option<bool>, environment: &Environment) {
    let is_logged = is_logged.unwrap_or_else(|| {
        let (is_logged, keeps_texts) = settings_files::log_settings(project, environment);
        event.keeps_texts = keeps_texts;
        is_logged
    });
    if is_logged {
        event::append(environment, project, &event);
    }
}
