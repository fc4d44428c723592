//! Answers the events of hosts. Reads and writes the files for this: the store, the sessions, the snapshot, Git's
//! state.
//!
//! The hook executable and the Python module call the same functions. The computations without files are in
//! `cuecard-core`. The modules are called rooms here; each room imports only rooms above it in this table
//! (`tests/rooms.rs` checks that):
//!
//! | room | what it does |
//! | --- | --- |
//! | `store` | the project and its files, its settings, the snapshot on disk, trust |
//! | `session` | what a session was asked and shown, whether a stop has anything to do, and the log of decisions |
//! | `situation` | the branch and the files that are being worked on |
//! | `notices` | what the user, and not the agent, is told with an answer |
//! | `prompt` | all steps from a prompt to its answer |
//! | `guard` | which writes of tools are refused |
//! | `tool` | the memories for an agent before it touches a file or after a failure; the check of written files |
//!
//! No input makes the engine panic. If something fails, the host gets an empty answer and the log gets a line.

pub mod environment;
pub mod guard;
pub mod hook;
pub mod host;
mod notices;
mod payload_input;
pub mod prompt;
pub mod session;
pub mod situation;
pub mod store;
mod surroundings;
pub mod tool;
pub mod tool_use;

pub use environment::Environment;
pub use host::Host;
pub use prompt::answer::Answer;
pub use prompt::candidates::{
    Answered, Place, judge_memories, pack_memories, recall_memories, verify_memory, vouched_part,
};
pub use prompt::judging::Judged;
pub use prompt::models::{ModelPrompt, Models, OpenModels, Similarities, Verdict};
pub use prompt::question::{Past, Question, Review};
pub use prompt::recalled_memory::{Beside, Chosen, Ranking, RecalledMemory};
pub use prompt::store_source::{JoinedStore, Origin};
pub use session::event::Outcome;
pub use session::model_use::{JudgeRun, Sent};
pub use store::budget::Limits;
pub use store::index_md::NewIndex;
pub use store::mapped::Source;
pub use store::snapshot_file::{
    Changes, Loaded, NewFile, follow_changes, inspect_snapshot, load_snapshot, write_snapshot,
};
pub use store::trust::Level;
use store::{log, root};

/// The kinds of events that a host sends to its hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostEvent {
    /// The user has sent a prompt; the answer takes the form of this host.
    Prompt(Host),
    /// A tool is about to run, which might write into a store.
    Guard(Host),
    /// A tool has run, which may have written into a store.
    Validate(Host),
    /// A session of this host has started, was cleared or compacted, or has ended.
    Session(Host),
    /// A tool is about to touch a file, or a command has failed.
    ToolContext(Host),
    /// The agent stops; the answer takes the form of this host.
    Stop(Host),
}

impl HostEvent {
    /// Returns the event's name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt(_) => "prompt",
            Self::Guard(_) => "guard",
            Self::Validate(_) => "validate",
            Self::Session(_) => "session",
            Self::ToolContext(_) => "need",
            Self::Stop(_) => "stop",
        }
    }
}

/// Answers an event. `payload` is the JSON that the host sent, or the reason why there is none. Without `models`, a
/// prompt whose settings name a model is delegated to the Python beside this executable.
pub fn answer(
    event: HostEvent,
    payload: Result<&[u8], String>,
    environment: &Environment,
    models: Option<&dyn Models>,
) -> Answer {
    let mut answer = match (payload, event) {
        (Err(problem), _) => Answer::failed(problem),
        (Ok(payload), HostEvent::Prompt(host)) => prompt::stages::answer(payload, host, environment, models),
        (Ok(payload), HostEvent::Guard(host)) => guard::answer::answer(payload, host, environment),
        (Ok(payload), HostEvent::Validate(host)) => tool::validate::answer(payload, host, environment),
        (Ok(payload), HostEvent::Session(host)) => note_session(payload, host, environment),
        (Ok(payload), HostEvent::ToolContext(host)) => match tool::owed::take(payload, host, environment) {
            Some(owed) if !owed.is_of_tool => owed.answer(host),
            owed => tool::subagent::answer(payload, host, environment, models)
                .unwrap_or_else(|| tool::context_answer::answer(payload, host, environment, &owed.unwrap_or_default())),
        },
        (Ok(payload), HostEvent::Stop(host)) => note_stop(payload, host, environment),
    };
    let is_guard = matches!(event, HostEvent::Guard(_) | HostEvent::Validate(_));
    if is_guard && answer.project.is_none() && !answer.notes.is_empty() {
        let cwd = std::path::absolute(".").ok();
        answer.project = cwd.and_then(|cwd| root::find(&cwd, environment).ok().flatten());
    }
    answer
}

/// Writes a line to the user's log about a problem that belongs to no store.
pub fn log_problem(environment: &Environment, event: &str, problem: String) {
    log::append(environment, None, event, &[problem]);
}

/// Decides whether Python must answer a stop; usually there is nothing to do.
fn note_stop(payload: &[u8], host: Host, environment: &Environment) -> Answer {
    match session::stop::decide(payload, host, environment) {
        Ok(decision) => Answer {
            notes: decision.notes,
            project: decision.project,
            needs_python: decision.is_due,
            session: decision.file.filter(|_| decision.is_due || decision.is_changed),
            ..Answer::default()
        },
        Err(problem) => Answer::failed(problem),
    }
}

/// Updates the session's file after an event of the session, and decides whether Python must complete its ledger;
/// nothing is printed.
fn note_session(payload: &[u8], host: Host, environment: &Environment) -> Answer {
    let mut answer = match session::session_file::note_event(payload, environment) {
        Ok(Some((project, problem))) => {
            Answer { notes: problem.into_iter().collect(), project: Some(project), ..Answer::default() }
        }
        Ok(None) => Answer::default(),
        Err(problem) => return Answer::failed(problem),
    };
    match session::stop::note_event(payload, host, environment) {
        Ok(decision) => {
            answer.needs_python = decision.is_due;
            answer.begins = decision.begins;
            answer.session = decision.file.filter(|_| decision.is_changed);
            answer.project = answer.project.or(decision.project);
        }
        Err(problem) => answer.notes.push(problem),
    }
    answer
}

// `tests/` names the crate as its users do.
#[cfg(test)]
extern crate self as cuecard_engine;
#[cfg(test)]
#[path = "../tests/mod.rs"]
mod tests;
