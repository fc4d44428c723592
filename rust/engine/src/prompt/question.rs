//! A question to a store: the request, the strategy, and which memories may be shown.

use cuecard_core::index::Filters;
use cuecard_core::rank::{Context, Request};
use cuecard_core::settings::{GateSetting, Settings, Strategy};
use std::time::{SystemTime, UNIX_EPOCH};

/// A request to the snapshot of a store, and how its candidates are filtered.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The prompt with its settings, history and situation, and how many memories are wanted.
    pub request: Request<'a>,
    /// The strategy that finds the memories.
    pub strategy: Strategy,
    /// The setting of the gate of `hybrid`.
    pub setting: GateSetting,
    /// How memories that nobody vouches for are treated.
    pub review: Review,
    /// Whether a superseded memory is replaced by the memory that supersedes it.
    pub follows_successors: bool,
    /// Which memories that are not valid now are shown.
    pub past: Past,
}

/// Which memories are shown whose validity has ended or has not begun yet (SPEC 27.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Past {
    /// All such memories are shown.
    Shown,
    /// All such memories are shown if the prompt asks about the past; otherwise none.
    IfAsked,
    /// No such memory is shown.
    Hidden,
}

/// How memories that nobody vouches for are treated (SPEC 45).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// Each memory counts as reviewed.
    Ignored,
    /// All memories are found, and each memory is marked with its trust.
    Marked,
    /// As `Marked`. In addition, anchors of unreviewed memories that name more than one file count less, and unreviewed
    /// memories that address the model are withheld.
    Heeded,
}

impl Past {
    /// Returns the value with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let known = [("shown", Self::Shown), ("asked", Self::IfAsked), ("hidden", Self::Hidden)];
        known.into_iter().find(|(known, _)| *known == name).map(|(_, past)| past)
    }
}

impl Review {
    /// Returns the treatment for output to an agent under these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        if settings.reviews_trust { Self::Heeded } else { Self::Ignored }
    }

    /// Returns the treatment with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let known = [("ignored", Self::Ignored), ("marked", Self::Marked), ("heeded", Self::Heeded)];
        known.into_iter().find(|(known, _)| *known == name).map(|(_, review)| review)
    }
}

impl<'a> Question<'a> {
    /// Creates the question for a prompt that is asked now, by the settings of a project.
    pub(crate) fn of_prompt(prompt: &'a str, settings: &'a Settings, filters: &'a Filters, wanted: usize) -> Self {
        let context = Context { descriptions: &settings.descriptions, synonyms: &settings.synonyms };
        let alone = Request::of_prompt(prompt, context, settings, filters, wanted);
        Self {
            request: Request { now: now_micros(), ..alone },
            strategy: settings.strategy,
            setting: settings.gate_setting,
            review: Review::of(settings),
            follows_successors: true,
            past: Past::IfAsked,
        }
    }
}

/// Returns the current time in microseconds since 1970.
pub(crate) fn now_micros() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
    i64::try_from(now).unwrap_or(i64::MAX)
}
