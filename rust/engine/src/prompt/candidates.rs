//! The stages of recall for programs that use cuecard as a library: find the memories for a question, and pack them
//! into a block.
//!
//! The hook runs the same stages. Here the caller passes the snapshot, and can inspect the memories before they are
//! packed.

use crate::environment::Environment;
use crate::prompt::judging::{self, Judged};
use crate::prompt::models::Verdict;
use crate::prompt::pack_items::items_of;
use crate::prompt::question::{Question, Review};
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory};
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::prompt::store_source::{JoinedStore, StoreSource};
use crate::store::root::Project;
use cuecard_core::index::Snapshot;
use cuecard_core::present::{Packed, pack};
use cuecard_core::retrieve::Scratch;
use std::path::Path;
use std::rc::Rc;

/// The result of a function of this module, and notes about problems with files.
#[derive(Debug)]
pub struct Answered<T> {
    /// The result itself.
    pub found: T,
    /// The problems with the files that were read, one sentence each.
    pub notes: Vec<String>,
}

/// Where the memories of a snapshot lie.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder of the project.
    pub root: &'a Path,
    /// The stores of a joined snapshot; empty for the snapshot of the project alone.
    pub stores: &'a [JoinedStore],
}

impl Place<'_> {
    /// Opens the stores. The error says why the project cannot be opened.
    fn sources(self, environment: &Environment) -> Result<Vec<StoreSource>, String> {
        if self.stores.is_empty() {
            let none = || format!("`{}` has no memories", self.root.display());
            let project = Project::at(self.root, environment)?.ok_or_else(none)?;
            return Ok(vec![StoreSource::only(&project)]);
        }
        let open = |store: &JoinedStore| {
            store.open(environment).ok_or_else(|| format!("`{}` has no memories", store.root.display()))
        };
        self.stores.iter().map(open).collect()
    }
}

/// Returns the memories for a question, best first, each verified against its own file. Reads the files of the memories
/// that are found; returns none if the project in `root` has no store that may be opened.
pub fn recall_memories<S: AsRef<[u8]>>(
    place: Place<'_>,
    snapshot: &Snapshot<S>,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Answered<Chosen> {
    answer(place, snapshot, question.review, |recall| {
        std::mem::swap(&mut recall.scratch, scratch);
        let found = recall.choose(question);
        std::mem::swap(&mut recall.scratch, scratch);
        found
    })
}

/// Returns the memories that a judge keeps, at most `limit`, in the place of those that the gate chose for a question.
///
/// `ungated` is the question without the gate; it asks for as many memories as the judge gets to see. `ask` asks the
/// judge about candidates.
pub fn judge_memories<S: AsRef<[u8]>>(
    place: Place<'_>,
    snapshot: &Snapshot<S>,
    ungated: &Question<'_>,
    chosen: Chosen,
    limit: usize,
    ask: impl FnOnce(&[RecalledMemory]) -> Verdict,
) -> Judged {
    // The search with the gate has noted what concerns the shown memories.
    let ranked = || answer(place, snapshot, ungated.review, |recall| recall.choose(ungated)).found.memories;
    judging::judge(chosen, limit, ungated.request.k, ranked, ask)
}

/// Reads the memory at a position from its own file, whatever its status; `None` if it must not be shown.
#[must_use]
pub fn verify_memory<S: AsRef<[u8]>>(
    place: Place<'_>,
    snapshot: &Snapshot<S>,
    position: u32,
    review: Review,
) -> Answered<Option<RecalledMemory>> {
    answer(place, snapshot, review, |recall| {
        recall.accept_statuses(&[]);
        let ranking = Ranking { found_as: position, ..Ranking::default() };
        recall.verify(position).map(|verified| verified.found(ranking))
    })
}

/// Returns the snapshot of the documents that the user vouches for, as recall searches them; `None` if the user vouches
/// for all documents or for none (SPEC 45.10).
#[must_use]
pub fn vouched_part<S: AsRef<[u8]>>(place: Place<'_>, snapshot: &Snapshot<S>, review: Review) -> Option<Snapshot<S>> {
    let sources = place.sources(&Environment::read()).ok()?;
    SnapshotRecall::of_stores(sources, snapshot, review, &mut Vec::new()).vouched_part()
}

/// Returns the block of some memories, the outcome of each memory, and the estimated tokens of the block (SPEC 39).
/// Looks at the times of the files that the memories are about, for the note "changed since". Of a memory with sections,
/// the block shows the one that fits `prompt`.
#[must_use]
pub fn pack_memories(
    root: &Path,
    memories: &[RecalledMemory],
    max_tokens: usize,
    budget_chars: usize,
    prompt: &str,
) -> Packed {
    pack(&items_of(root, memories, prompt), max_tokens, budget_chars)
}

fn answer<S: AsRef<[u8]>, T: Default>(
    place: Place<'_>,
    snapshot: &Snapshot<S>,
    review: Review,
    ask: impl FnOnce(&mut SnapshotRecall<'_, S>) -> T,
) -> Answered<T> {
    let mut notes = Vec::new();
    let sources = match place.sources(&Environment::read().for_cwd(place.root.to_str())) {
        Ok(sources) => sources,
        Err(problem) => return Answered { found: T::default(), notes: vec![problem] },
    };
    let owns: Vec<_> = sources.iter().map(|source| Rc::clone(&source.own)).collect();
    let mut recall = SnapshotRecall::of_stores(sources, snapshot, review, &mut notes);
    let found = ask(&mut recall);
    for (store, table) in recall.take_tables() {
        owns.get(store).into_iter().for_each(|own| table.write(own));
    }
    Answered { found, notes }
}
