//! A memory that was found, as its own file has it, and what a prompt is answered with.

use crate::session::event::Outcome;
use crate::store::trust::{Level, Unreviewed};
use cuecard_core::memory::{Card, Standing, StoredDocument, anchors_named};
use cuecard_core::present::is_more_than_title;
use cuecard_core::text::json_reader::Json;
use std::sync::Arc;

/// What the ranking says of a memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranking {
    /// The position at which it was found; another one where the memory has taken the place of that one.
    pub found_as: u32,
    /// Its score, with the points of its recency.
    pub score: i64,
    /// The points that the keyword retriever gives it for its recency.
    pub recency: i64,
    /// The logit of the gate in 1/1024; `None` for strategies that have none.
    pub logit: Option<i64>,
    /// That it should be shown, in 1/1024.
    pub probability: Option<i64>,
    /// How many `hybrid` was asked for when it was found.
    pub count: usize,
}

/// A memory that was found.
#[derive(Debug, Clone)]
pub struct RecalledMemory {
    /// Its position in the snapshot.
    pub position: u32,
    /// As its file has it now.
    pub document: StoredDocument,
    /// What the ranking says of it.
    pub ranking: Ranking,
    /// What it is at the time of the prompt.
    pub standing: Standing,
    /// Who vouches for it; `None` where nobody has asked.
    pub level: Option<Level>,
    /// The content of its file; `None` for one that is not shown.
    pub(crate) record: Option<Arc<Json>>,
    /// What is known of it if nobody vouches for it.
    pub(crate) unreviewed: Option<Arc<Unreviewed>>,
}

impl RecalledMemory {
    /// One that is not shown, as the snapshot has it.
    pub(crate) fn held_back(position: u32, document: StoredDocument, ranking: Ranking) -> Self {
        Self { position, document, ranking, standing: Standing::Holds, level: None, record: None, unreviewed: None }
    }

    /// Whether more than its title may be shown.
    #[must_use]
    pub fn is_more_than_title(&self) -> bool {
        self.ranking.logit.is_none_or(is_more_than_title)
    }

    /// Whether nobody vouches for it, as far as somebody has asked.
    #[must_use]
    pub fn is_unreviewed(&self) -> bool {
        self.unreviewed.is_some()
    }

    /// Whether agents are not shown it.
    #[must_use]
    pub fn is_withheld(&self) -> bool {
        self.unreviewed.as_ref().is_some_and(|unreviewed| unreviewed.is_withheld)
    }

    /// Whether the gate may heed that a prompt names these paths (SPEC 52.4).
    #[must_use]
    pub fn heeds_paths(&self, paths: &[String]) -> bool {
        self.unreviewed.as_ref().is_none_or(|unreviewed| anchors_named(&unreviewed.anchors, paths))
    }

    /// What can be said of it from its file.
    #[must_use]
    pub fn card(&self) -> Card {
        self.record.as_deref().map(Card::of).unwrap_or_default()
    }
}

/// A memory as its own file has it.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    pub(crate) position: u32,
    pub(crate) document: StoredDocument,
    pub(crate) record: Arc<Json>,
    pub(crate) level: Option<Level>,
    /// What is known of it if nobody vouches for it.
    pub(crate) unreviewed: Option<Arc<Unreviewed>>,
}

impl Verified {
    /// Whether agents are not shown it.
    pub(crate) fn is_withheld(&self) -> bool {
        self.unreviewed.as_ref().is_some_and(|unreviewed| unreviewed.is_withheld)
    }

    pub(crate) fn found(self, ranking: Ranking) -> RecalledMemory {
        let Self { position, document, record, level, unreviewed } = self;
        let standing = Standing::Holds;
        RecalledMemory { position, document, ranking, standing, level, record: Some(record), unreviewed }
    }
}

/// What a prompt is answered with, and what it is not.
#[derive(Debug, Default)]
pub struct Chosen {
    /// To be shown, best first.
    pub memories: Vec<RecalledMemory>,
    /// The first of those that the gate holds back, those whose place another one has taken, and those withheld.
    pub passed_over: Vec<(RecalledMemory, Outcome)>,
    /// Whether the prompt is nothing but a courtesy.
    pub is_courtesy: bool,
}

impl Chosen {
    /// Adds a memory to those that are shown, or to those withheld, unless it is there.
    pub(crate) fn add(&mut self, found: RecalledMemory) {
        self.insert(found, true);
    }

    /// The same; without `withholds` every memory is shown.
    pub(crate) fn insert(&mut self, found: RecalledMemory, withholds: bool) {
        let is_same = |other: &RecalledMemory| other.document.path() == found.document.path();
        if self.memories.iter().any(is_same) {
            return;
        }
        if !withholds || !found.is_withheld() {
            self.memories.push(found);
        } else if !self.passed_over.iter().any(|(other, _)| is_same(other)) {
            self.passed_over.push((found, Outcome::Withheld));
        }
    }
}
