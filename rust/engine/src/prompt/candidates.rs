//! What a library asks a store: the memories for a question before they are packed, and their block.
//!
//! The hook's stages do the same. Here the caller has the snapshot, and may look at the memories in between.

use crate::environment::Environment;
use crate::prompt::pack_items::items_of;
use crate::prompt::question::{Question, Review};
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory};
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::store::root::Project;
use cuecard_core::index::Snapshot;
use cuecard_core::present::{Packed, pack};
use cuecard_core::retrieve::Scratch;
use std::path::Path;

/// What a store answers.
#[derive(Debug)]
pub struct Answered<T> {
    /// The answer.
    pub found: T,
    /// What is wrong with the files that were read: a sentence each.
    pub notes: Vec<String>,
}

/// The memories for a question, each verified against its own file, best first. Reads the files of those that are found;
/// there are none where the project in `root` has no store that may be opened.
pub fn recall_memories<S: AsRef<[u8]>>(
    root: &Path,
    snapshot: &Snapshot<S>,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Answered<Chosen> {
    answer(root, snapshot, question.review, |recall| {
        std::mem::swap(&mut recall.scratch, scratch);
        let found = recall.choose(question);
        std::mem::swap(&mut recall.scratch, scratch);
        found
    })
}

/// The memory at a position as its own file has it, whatever its status; `None` where it must not be shown.
#[must_use]
pub fn verify_memory<S: AsRef<[u8]>>(
    root: &Path,
    snapshot: &Snapshot<S>,
    position: u32,
    review: Review,
) -> Answered<Option<RecalledMemory>> {
    answer(root, snapshot, review, |recall| {
        recall.accept_statuses(&[]);
        let ranking = Ranking { found_as: position, ..Ranking::default() };
        recall.verify(position).map(|verified| verified.found(ranking))
    })
}

/// The block of some memories, what becomes of each, and its estimated tokens (SPEC 39). Looks at the files that the
/// memories are about.
#[must_use]
pub fn pack_memories(
    root: &Path,
    prompt: &str,
    memories: &[RecalledMemory],
    max_tokens: usize,
    budget_chars: usize,
) -> Packed {
    pack(prompt, &items_of(root, memories), max_tokens, budget_chars)
}

fn answer<S: AsRef<[u8]>, T: Default>(
    root: &Path,
    snapshot: &Snapshot<S>,
    review: Review,
    ask: impl FnOnce(&mut SnapshotRecall<'_, S>) -> T,
) -> Answered<T> {
    let mut notes = Vec::new();
    let project = match Project::at(root, &Environment::read()) {
        Ok(Some(project)) => project,
        Ok(None) => {
            return Answered { found: T::default(), notes: vec![format!("`{}` has no memories", root.display())] };
        }
        Err(problem) => return Answered { found: T::default(), notes: vec![problem] },
    };
    let found = ask(&mut SnapshotRecall::new(&project, snapshot, review, &mut notes));
    Answered { found, notes }
}
