//! Decides when an agent is asked to draft memories (SPEC 56.7).

use crate::capture::entry::{Entry, EntryKind};
use crate::capture::ledger::Ledger;
use crate::capture::phrases::{says_handover, says_remember};

/// An agent is asked about earlier sessions if they left at least this many substantial prompts (SPEC 56.6) that no
/// completed request covers.
const LEAST_LEFT: usize = 3;
/// With this many signals of something to remember, the agent is asked after [`Moment::every`] substantial prompts.
const MANY_SIGNALS: usize = 3;
/// With fewer signals, the agent is asked after a quarter more prompts: `every + every / LATER_SHARE`.
const LATER_SHARE: usize = 4;

/// Why an agent is asked for memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The user asked to remember something.
    Word,
    /// The conversation was compacted.
    Compaction,
    /// Earlier sessions left entries that no agent has processed.
    Earlier,
    /// The session has had enough substantial prompts since its agent was last asked.
    Prompts,
}

impl Cause {
    /// The name of the cause in the ledger.
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

/// What [`decide`] takes into account when the agent stops.
pub struct Moment<'a> {
    /// The session's ledger, including the new entries.
    pub ledger: &'a Ledger,
    /// The name of the session.
    pub session: &'a str,
    /// The position of the first new entry.
    pub from: i64,
    /// The ledgers of other sessions that have ended or were quiet for a long time.
    pub earlier: &'a [Ledger],
    /// After this number of substantial prompts (SPEC 56.6), the agent is asked to draft memories.
    pub every: usize,
}

/// Decides whether the agent is asked for memories now, and why; `None` if it is not asked.
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
    } else if substantial > 0 && open.iter().any(|entry| matches!(entry.kind, EntryKind::Compaction { .. })) {
        Some(Cause::Compaction)
    } else if !moment.ledger.has_looked && left() >= LEAST_LEFT {
        Some(Cause::Earlier)
    } else if substantial >= later || (substantial >= moment.every && signals >= MANY_SIGNALS) {
        Some(Cause::Prompts)
    } else {
        None
    }
}

/// Whether the agent is also asked for a session summary: after a compaction, for an earlier session, or when the user
/// hands the work over.
#[must_use]
pub fn wants_summary(cause: Cause, moment: &Moment<'_>) -> bool {
    let is_new = |entry: &&Entry| entry.at >= moment.from;
    matches!(cause, Cause::Compaction | Cause::Earlier)
        || moment.ledger.entries.iter().filter(is_new).any(|entry| says_handover(&entry.own_words()))
}
