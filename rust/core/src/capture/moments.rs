//! When an agent is asked (SPEC 56.7).

use crate::capture::entry::{Entry, EntryKind};
use crate::capture::ledger::Ledger;
use crate::capture::phrases::{says_handover, says_remember};

/// So many substantial prompts of earlier sessions are worth an ask.
const LEAST_LEFT: usize = 3;
/// So many signals make the ask come early.
const MANY_SIGNALS: usize = 3;
/// Without them it comes after this part more prompts.
const LATER_SHARE: usize = 4;

/// Why an agent is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The user has said that something is to be remembered.
    Word,
    /// The conversation was compacted.
    Compaction,
    /// An earlier session has left something.
    Earlier,
    /// There were many prompts.
    Prompts,
}

impl Cause {
    /// Its name in the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Compaction => "compaction",
            Self::Earlier => "earlier",
            Self::Prompts => "prompts",
        }
    }
}

/// What is known at a stop.
pub struct Moment<'a> {
    /// The session's ledger, with what is new.
    pub ledger: &'a Ledger,
    /// The session.
    pub session: &'a str,
    /// From which position on it is new.
    pub from: i64,
    /// The ledgers of sessions that have ended, or were quiet for long.
    pub earlier: &'a [Ledger],
    /// After how many substantial prompts an agent is asked.
    pub every: usize,
}

/// Why the agent is asked now; `None` where it is not.
#[must_use]
pub fn decide(moment: &Moment<'_>) -> Option<Cause> {
    let open: Vec<&Entry> = moment.ledger.open_entries(moment.session).collect();
    let is_prompt = |entry: &&&Entry| matches!(entry.kind, EntryKind::Prompt { .. });
    let last = open.iter().rev().find(is_prompt).filter(|entry| entry.at >= moment.from);
    let substantial = open.iter().filter(|entry| entry.is_substantial()).count();
    let signals: usize = open.iter().map(|entry| entry.signals()).sum();
    let left = || moment.earlier.iter().flat_map(Ledger::left_entries).filter(|entry| entry.is_substantial()).count();
    let later = moment.every + moment.every / LATER_SHARE;
    if last.is_some_and(|entry| says_remember(&entry.own_words())) {
        Some(Cause::Word)
    } else if substantial > 0 && open.iter().any(|entry| entry.kind == EntryKind::Compaction) {
        Some(Cause::Compaction)
    } else if !moment.ledger.has_looked && left() >= LEAST_LEFT {
        Some(Cause::Earlier)
    } else if substantial >= later || (substantial >= moment.every && signals >= MANY_SIGNALS) {
        Some(Cause::Prompts)
    } else {
        None
    }
}

/// Whether a summary of the session is wanted too: where the conversation was lost, or the user hands over.
#[must_use]
pub fn wants_summary(cause: Cause, moment: &Moment<'_>) -> bool {
    let is_new = |entry: &&Entry| entry.at >= moment.from;
    matches!(cause, Cause::Compaction | Cause::Earlier)
        || moment.ledger.entries.iter().filter(is_new).any(|entry| says_handover(&entry.own_words()))
}
