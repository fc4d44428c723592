//! What is asked of a store, and how far its memories are trusted.

use cuecard_core::index::Filters;
use cuecard_core::rank::{Context, Request};
use cuecard_core::settings::{GateSetting, Settings, Strategy};
use std::time::{SystemTime, UNIX_EPOCH};

/// A request to the snapshot of a store, and what is made of its answer.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The prompt, what it is answered by, and how many memories are wanted.
    pub request: Request<'a>,
    /// The strategy that finds them.
    pub strategy: Strategy,
    /// How sure the gate of `hybrid` has to be.
    pub setting: GateSetting,
    /// What becomes of memories that nobody vouches for.
    pub review: Review,
    /// Whether in the place of a memory stands the one that supersedes it.
    pub follows_successors: bool,
}

/// What becomes of memories that nobody vouches for (SPEC 52).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// Each memory counts as reviewed.
    Ignored,
    /// Each memory is found, and says who vouches for it.
    Marked,
    /// Anchors that name more than one file count less, and what addresses the model is withheld.
    Heeded,
}

impl Review {
    /// For what an agent is shown under these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        if settings.reviews_trust { Self::Heeded } else { Self::Ignored }
    }

    /// The one of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let known = [("ignored", Self::Ignored), ("marked", Self::Marked), ("heeded", Self::Heeded)];
        known.into_iter().find(|(known, _)| *known == name).map(|(_, review)| review)
    }
}

impl<'a> Question<'a> {
    /// A prompt that is asked now, by the settings of a project.
    pub(crate) fn of_prompt(prompt: &'a str, settings: &'a Settings, filters: &'a Filters, wanted: usize) -> Self {
        let context = Context { descriptions: &settings.descriptions, synonyms: &settings.synonyms };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        let alone = Request::of_prompt(prompt, context, settings, filters, wanted);
        Self {
            request: Request { now: i64::try_from(now).unwrap_or(i64::MAX), ..alone },
            strategy: settings.strategy,
            setting: settings.gate_setting,
            review: Review::of(settings),
            follows_successors: true,
        }
    }
}
