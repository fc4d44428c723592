//! Records the outcome of each found memory in the session and in the event log.

use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory};
use crate::session::event::{Considered, Event, Outcome, SkipReason};
use crate::session::session_file::SessionFile;
use crate::session::state::{Session, Shown};

impl SessionFile {
    /// Whether the agent would be shown more of a memory than this session has shown already.
    pub(crate) fn lacks(&self, memory: &RecalledMemory) -> bool {
        !self.session.has(&memory.known_path(), memory.document.stamp, memory.is_more_than_title())
    }

    /// Records which memories are shown, and for each whether only its title is shown.
    pub(crate) fn note(&mut self, memories: &[RecalledMemory], outcomes: &[Outcome]) {
        for (memory, outcome) in memories.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_shown()) {
            let Session { shown, titled, .. } = &mut self.session;
            let path = memory.known_path();
            shown.retain(|earlier| earlier.path != path);
            titled.retain(|earlier| earlier.path != path);
            let list = if *outcome == Outcome::Title { titled } else { shown };
            list.push(Shown { path, stamp: memory.document.stamp });
        }
    }

    /// Whether the agent does not know the title of a memory yet.
    pub(crate) fn lacks_title(&self, memory: &RecalledMemory) -> bool {
        !self.session.has_title(&memory.known_path(), memory.document.stamp)
    }

    /// Records that the titles of memories are named.
    pub(crate) fn note_named<'a>(&mut self, memories: impl Iterator<Item = &'a RecalledMemory>) {
        for memory in memories {
            let path = memory.known_path();
            self.session.named.retain(|earlier| earlier.path != path);
            self.session.named.push(Shown { path, stamp: memory.document.stamp });
        }
    }
}

impl Event {
    /// Records the outcome of each found memory. `known` contains the memories that the session was shown before.
    pub(crate) fn note_choice(
        &mut self,
        memories: Vec<(RecalledMemory, Outcome)>,
        known: Vec<RecalledMemory>,
        passed_over: Vec<(RecalledMemory, Outcome)>,
    ) {
        let held_back = known.into_iter().map(|memory| (memory, Outcome::Session)).chain(passed_over);
        let considered = memories.into_iter().chain(held_back);
        self.memories = considered.map(|(memory, outcome)| Considered::new(&memory, outcome)).collect();
    }
}

impl SkipReason {
    /// Returns the skip reason that applies if none of the memories is shown. `has_known` says whether the session was
    /// shown some before.
    pub(crate) fn of_choice(memories: &[RecalledMemory], has_known: bool, chosen: &Chosen) -> Self {
        let has = |wanted| chosen.passed_over.iter().any(|(_, outcome)| *outcome == wanted);
        match (memories.is_empty(), has_known, chosen.passed_over.is_empty()) {
            (false, ..) => Self::Budget,
            (_, true, _) => Self::Session,
            _ if has(Outcome::Hosted) => Self::Hosted,
            _ if has(Outcome::Judge) => Self::Judge,
            _ if has(Outcome::Verdict) => Self::Verdict,
            _ if has(Outcome::Holdout) => Self::Holdout,
            _ if has(Outcome::Withheld) => Self::Withheld,
            _ if chosen.is_courtesy => Self::Courtesy,
            (.., true) => Self::NoMatch,
            _ => Self::Gate,
        }
    }
}

impl Considered {
    /// Returns the entry of the event log for a found memory and its outcome.
    pub(crate) fn new(found: &RecalledMemory, outcome: Outcome) -> Self {
        let category = found.document.parts().map_or_else(String::new, |parts| parts.category.to_owned());
        let path = found.document.path().to_owned();
        let Ranking { logit, score, .. } = found.ranking;
        let scope = found.scope().to_owned();
        Self { category, path, scope, outcome, logit, score, forbids: String::new() }
    }
}

impl From<cuecard_core::present::Outcome> for Outcome {
    fn from(outcome: cuecard_core::present::Outcome) -> Self {
        match outcome {
            cuecard_core::present::Outcome::Full => Self::Full,
            cuecard_core::present::Outcome::Gist => Self::Gist,
            cuecard_core::present::Outcome::Title => Self::Title,
            cuecard_core::present::Outcome::Line => Self::Line,
            cuecard_core::present::Outcome::Sibling => Self::Sibling,
            cuecard_core::present::Outcome::Named => Self::Named,
            cuecard_core::present::Outcome::Duplicate => Self::Duplicate,
            cuecard_core::present::Outcome::Budget => Self::Budget,
        }
    }
}
