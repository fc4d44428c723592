//! Recalled memories, read from their own files, and the memories chosen for a prompt.

use crate::prompt::store_source::Origin;
use crate::session::event::Outcome;
use crate::store::trust::{Level, Unreviewed};
use cuecard_core::memory::{Card, Standing, StoredDocument, anchors_named, read_sections};
use cuecard_core::present::is_more_than_title;
use cuecard_core::text::json_reader::Json;
use std::sync::Arc;

/// The result of ranking for a memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranking {
    /// The position in the snapshot of the memory that was found. It is another memory's position if this memory is
    /// shown because it supersedes that one.
    pub found_as: u32,
    /// The score, including recency points.
    pub score: i64,
    /// The recency points that the keyword retriever adds.
    pub recency: i64,
    /// The gate's logit in 1/1024; `None` for strategies without a gate.
    pub logit: Option<i64>,
    /// The gate's probability, in 1/1024, that the memory should be shown.
    pub probability: Option<i64>,
    /// How many memories `hybrid` was asked for when this one was found.
    pub count: usize,
}

/// The surer memory of the same subject beside which a memory is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beside {
    /// The position of the memory in the snapshot.
    pub position: u32,
    /// The gate's logit of that memory, in 1/1024.
    pub logit: i64,
    /// Whether the memory beside it passes the gate too. Otherwise it is a sibling, shown because of the subject alone.
    pub passes: bool,
}

/// A memory that was found.
#[derive(Debug, Clone)]
pub struct RecalledMemory {
    /// The memory's position in the snapshot.
    pub position: u32,
    /// The document, which was just read from the memory's file.
    pub document: StoredDocument,
    /// The result of ranking for the memory.
    pub ranking: Ranking,
    /// The surer memory of the same subject beside which this one is shown (SPEC 28.4); `None` if there is none.
    pub beside: Option<Beside>,
    /// Whether the memory holds at the time of the prompt.
    pub standing: Standing,
    /// The texts for the agent about memories that contradict this memory.
    pub(crate) contradictions: Vec<String>,
    /// The trust in the memory; `None` if trust is ignored.
    pub level: Option<Level>,
    /// The content of the memory's file; `None` for a memory that is not shown.
    pub(crate) record: Option<Arc<Json>>,
    /// Facts about a memory that nobody vouches for; `None` for other memories.
    pub(crate) unreviewed: Option<Arc<Unreviewed>>,
    /// The store that the memory comes from; `None` for the store that leads.
    pub origin: Option<Arc<Origin>>,
}

impl RecalledMemory {
    /// Creates a memory that is not shown, from the snapshot alone.
    pub(crate) fn held_back(position: u32, document: StoredDocument, ranking: Ranking) -> Self {
        let (standing, contradictions) = (Standing::Holds, Vec::new());
        let (beside, level, record, unreviewed, origin) = (None, None, None, None, None);
        Self { position, document, ranking, beside, standing, contradictions, level, record, unreviewed, origin }
    }

    /// The scope of the memory's store; empty for the project's own.
    #[must_use]
    pub fn scope(&self) -> &str {
        self.origin.as_ref().map_or("", |origin| &origin.label)
    }

    /// The path by which a session knows the memory. Another scope stands before the path in the store.
    #[must_use]
    pub fn known_path(&self) -> String {
        let path = self.document.path();
        if self.scope().is_empty() { path.to_owned() } else { format!("{}:{path}", self.scope()) }
    }

    /// Whether more than the title of the memory may be shown.
    #[must_use]
    pub fn is_more_than_title(&self) -> bool {
        self.beside.is_some() || self.ranking.logit.is_none_or(is_more_than_title)
    }

    /// Whether the memory is shown only because another one of its subject passes the gate.
    #[must_use]
    pub fn is_sibling(&self) -> bool {
        self.beside.is_some_and(|beside| !beside.passes)
    }

    /// Whether nobody vouches for the memory; false if trust is ignored.
    #[must_use]
    pub fn is_unreviewed(&self) -> bool {
        self.unreviewed.is_some()
    }

    /// Whether the memory is withheld from agents.
    #[must_use]
    pub fn is_withheld(&self) -> bool {
        self.unreviewed.as_ref().is_some_and(|unreviewed| unreviewed.is_withheld)
    }

    /// Whether the gate may give the memory points because the prompt names these paths, which are its anchors (SPEC
    /// 45.4).
    #[must_use]
    pub fn heeds_paths(&self, paths: &[String]) -> bool {
        self.unreviewed.as_ref().is_none_or(|unreviewed| anchors_named(&unreviewed.anchors, paths))
    }

    /// Returns the texts of the memory that a block can show, from its file.
    #[must_use]
    pub fn card(&self) -> Card {
        self.record.as_deref().map(Card::of).unwrap_or_default()
    }

    /// Whether the memory has sections, of which a block shows the one that fits the prompt.
    pub(crate) fn has_sections(&self) -> bool {
        self.record.as_deref().is_some_and(|record| !read_sections(record).is_empty())
    }
}

/// A memory that was read from its own file.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    pub(crate) position: u32,
    pub(crate) document: StoredDocument,
    pub(crate) record: Arc<Json>,
    pub(crate) level: Option<Level>,
    /// Facts about a memory that nobody vouches for; `None` for other memories.
    pub(crate) unreviewed: Option<Arc<Unreviewed>>,
    pub(crate) origin: Option<Arc<Origin>>,
}

impl Verified {
    /// Whether the memory is withheld from agents.
    pub(crate) fn is_withheld(&self) -> bool {
        self.unreviewed.as_ref().is_some_and(|unreviewed| unreviewed.is_withheld)
    }

    pub(crate) fn found(self, ranking: Ranking) -> RecalledMemory {
        let Self { position, document, record, level, unreviewed, origin } = self;
        let (standing, contradictions) = (Standing::Holds, Vec::new());
        RecalledMemory {
            position,
            document,
            ranking,
            beside: None,
            standing,
            contradictions,
            level,
            record: Some(record),
            unreviewed,
            origin,
        }
    }
}

/// The memories that answer a prompt, and the memories that were passed over.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The memories to show, best first.
    pub memories: Vec<RecalledMemory>,
    /// The first memories that the gate held back, superseded memories, memories that are not valid now, and withheld
    /// memories.
    pub passed_over: Vec<(RecalledMemory, Outcome)>,
    /// Whether the prompt is only a courtesy such as "thanks".
    pub is_courtesy: bool,
    /// The lowest logit of a memory that the gate shows for this prompt, in 1/1024; `None` without a gate and for a courtesy.
    pub least: Option<i64>,
}

impl Chosen {
    /// Returns how many of the memories pass the gate by themselves.
    pub(crate) fn count_passing(&self) -> usize {
        self.memories.iter().filter(|memory| !memory.is_sibling()).count()
    }

    /// Adds a memory to the shown or to the withheld memories, unless it is already among them.
    pub(crate) fn add(&mut self, found: RecalledMemory) {
        self.insert(found, true);
    }

    /// Adds a memory as `add` does; without `withholds` every memory is shown.
    pub(crate) fn insert(&mut self, found: RecalledMemory, withholds: bool) {
        let is_same = |other: &RecalledMemory| other.position == found.position;
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
