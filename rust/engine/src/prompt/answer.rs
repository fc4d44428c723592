//! The answer to an event of a host: what is printed, and what is written after that.

use crate::environment::Environment;
use crate::prompt::delegate::Delegate;
use crate::session::event::{self, Event};
use crate::session::session_file::SessionFile;
use crate::situation::git_state::GitState;
use crate::store::index_md::NewIndex;
use crate::store::root::Project;
use crate::store::snapshot_file::{self, NewFile};
use crate::store::{log, settings_files};

/// What is to be done about an event of a host.
///
/// Print `stdout` first, then call [`Answer::finish`]: the agent does not wait for what is written.
#[derive(Debug, Default)]
#[must_use]
pub struct Answer {
    /// What the host reads. If it is empty, nothing is printed.
    pub stdout: String,
    /// What it logs.
    pub(crate) notes: Vec<String>,
    /// The index that it writes after printing.
    pub(crate) rebuilt_index: Option<NewIndex>,
    /// The snapshot's files that it writes after printing.
    pub(crate) new_files: Vec<NewFile>,
    /// What the session has been asked and shown, written after printing.
    pub(crate) session: Option<SessionFile>,
    /// What git says of the working tree, kept after printing.
    pub(crate) git: Option<GitState>,
    /// The project whose store was asked.
    pub(crate) project: Option<Project>,
    /// What the user is told about the store.
    pub(crate) greeting: String,
    /// The decision.
    pub(crate) event: Event,
    /// Where the settings ask a model, the other process that answers the same prompt.
    pub(crate) delegate: Option<Delegate>,
    /// Whether a model has to be asked, which is left to the caller: then nothing else counts.
    pub(crate) asks_model: bool,
    /// Whether the decision is logged; `None` where the settings were not read.
    pub(crate) is_logged: Option<bool>,
}

impl Answer {
    /// The answer to an event that cannot be read.
    pub(crate) fn failed(problem: String) -> Self {
        Self { notes: vec![problem], ..Self::default() }
    }

    /// Writes what the answer leaves behind: the snapshot, the session, the log. Call it after printing; `event` is
    /// the event's name in the log. What cannot be written is a line in the log.
    pub fn finish(self, environment: &Environment, event: &str) {
        let mut notes = self.notes;
        if let Some(project) = &self.project {
            notes.extend(snapshot_file::write(project, &self.new_files).err());
            notes.extend(self.rebuilt_index.and_then(|index| index.write(project).err()));
            notes.extend(self.session.and_then(|session| session.write().err()));
            notes.extend(self.git.and_then(|git| git.write(project).err()));
        }
        log::append(environment, self.project.as_ref(), event, &notes);
        if let Some(project) = self.project.filter(|_| !self.event.kind.is_empty()) {
            log_event(&project, self.event, self.is_logged, environment);
        }
    }
}

/// Logs a decision, unless the settings forbid it.
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
