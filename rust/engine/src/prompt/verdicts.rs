//! What the user has said of memories that were shown (SPEC 49): a memory that was wrong for a similar prompt is not shown
//! again, and near-ties are reordered.

use crate::prompt::question::{Past, Question};
use crate::prompt::recalled_memory::{Chosen, RecalledMemory};
use crate::session::event::Outcome;
use crate::store::user_folder::StoreFolder;
use cuecard_core::index::Snapshot;
use cuecard_core::memory::trust_hash_of;
use cuecard_core::rank::{Judged, Verdicts};
use cuecard_core::settings::Strategy;
use std::cmp::Reverse;

const FILE: &str = "verdicts";
/// The writer keeps the file far below this size. A larger file is ignored.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the verdicts that count for a question; `None` if there are none.
pub(crate) fn read(own: &StoreFolder, question: &Question<'_>) -> Option<Verdicts> {
    let is_asked = question.strategy == Strategy::Hybrid && question.past == Past::IfAsked;
    let data = own.open().filter(|_| is_asked)?.read(FILE, MAX_BYTES).ok()?;
    Some(Verdicts::read(&data))
}

/// Moves the gate and the memories of near-ties as the verdicts say.
pub(crate) fn learn<S: AsRef<[u8]>>(verdicts: &Verdicts, snapshot: &Snapshot<S>, judged: &mut Judged) {
    judged.least = judged.least.map(|least| least + verdicts.shift());
    if !verdicts.has_no_priors() {
        let prior = |position| {
            let document = snapshot.document(position);
            document.map_or(0, |document| verdicts.prior(document.path(), snapshot.trust_prefix_at(position)))
        };
        judged.found.sort_by_cached_key(|found| Reverse(found.score + prior(found.position)));
    }
}

/// Passes over the memories that were wrong for a similar prompt, and the memories that are shown only beside one of
/// them. Such memories are not named either. `kept` returns what is kept of the prompt, and is called only if a verdict
/// names one of the memories.
pub(crate) fn pass_over_wrong(verdicts: &Verdicts, chosen: &mut Chosen, kept: impl FnOnce() -> String) {
    let is_meant = |memory: &RecalledMemory| verdicts.names(memory.document.path());
    if !chosen.memories.iter().chain(chosen.named()).any(is_meant) {
        return;
    }
    let kept = kept();
    let is_wrong = |memory: &RecalledMemory| {
        let path = memory.document.path();
        verdicts.names(path)
            && memory.record.as_deref().is_some_and(|record| verdicts.is_wrong(path, &trust_hash_of(record), &kept))
    };
    chosen.keep_named(|memory| !is_wrong(memory));
    let passed = take_out(&mut chosen.memories, is_wrong);
    chosen.passed_over.splice(0..0, passed.into_iter().map(|memory| (memory, Outcome::Verdict)));
}

/// Takes memories out, and the memories that are shown only beside one of them.
pub(crate) fn take_out(
    memories: &mut Vec<RecalledMemory>,
    is_out: impl Fn(&RecalledMemory) -> bool,
) -> Vec<RecalledMemory> {
    let out: Vec<u32> = memories.iter().filter(|memory| is_out(memory)).map(|found| found.position).collect();
    let beside = |memory: &RecalledMemory| memory.beside.is_some_and(|beside| out.contains(&beside.position));
    let goes = |memory: &RecalledMemory| out.contains(&memory.position) || (memory.is_sibling() && beside(memory));
    let (taken, mut left): (Vec<_>, Vec<_>) = memories.drain(..).partition(goes);
    for memory in &mut left {
        if beside(memory) {
            memory.beside = None;
        }
    }
    *memories = left;
    taken
}
