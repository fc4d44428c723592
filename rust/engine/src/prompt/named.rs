//! Memories whose titles are named where none is sure enough: between showing and silence (SPEC 28.5).

use crate::prompt::pack_items::named_item;
use crate::prompt::question::{Past, Question};
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory};
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::session::event::Outcome;
use cuecard_core::memory::Standing;
use cuecard_core::present::{Packed, pack_named};
use cuecard_core::rank::{NAMED_BELOW, Recalled};
use std::cmp::Reverse;

/// How many memories are named at most, and how many files are read to find them.
const MOST_NAMED: usize = 2;
const MOST_LOOKS: usize = 6;

impl<S: AsRef<[u8]>> SnapshotRecall<'_, S> {
    /// Where no memory passes, marks the surest of those that nearly do. Each is read from its own file, holds, is not
    /// withheld, and no memory has taken its place.
    pub(crate) fn find_named(&mut self, chosen: &mut Chosen, judged: &[Recalled], question: &Question<'_>) {
        let is_asked = question.request.settings.may_concern && question.past == Past::IfAsked;
        let Some(least) = chosen.least.filter(|_| is_asked && chosen.memories.is_empty()) else { return };
        let mut near: Vec<&Recalled> = judged.iter().filter(|found| found.logit >= least - NAMED_BELOW).collect();
        near.sort_by_key(|found| Reverse(found.logit));
        let mut named = Vec::new();
        for found in near.into_iter().take(MOST_LOOKS) {
            let position = found.position;
            if named.len() == MOST_NAMED || self.is_of_another_part(position) || self.successor(position) != position {
                continue;
            }
            let Some(verified) = self.verify(position) else { continue };
            let ranking = Ranking {
                found_as: position,
                score: found.score,
                recency: 0,
                logit: Some(found.logit),
                probability: Some(found.probability),
                count: question.request.k,
            };
            let ranking = self.heed_anchors(&verified, &question.request, ranking);
            let is_near = ranking.logit.is_some_and(|logit| logit >= least - NAMED_BELOW);
            let holds = verified.document.validity.at(question.request.now) == Standing::Holds;
            if is_near && holds && !verified.is_withheld() {
                named.push((verified.found(ranking), Outcome::Named));
            }
        }
        let is_named = |memory: &RecalledMemory| named.iter().any(|(named, _)| named.position == memory.position);
        chosen.passed_over.retain(|(memory, outcome)| *outcome != Outcome::Gate || !is_named(memory));
        chosen.passed_over.splice(0..0, named);
    }
}

impl Chosen {
    /// Leaves at most as many memories named as a line has room for, and none where a memory is shown. Those that the user
    /// vouches for were found first.
    pub(crate) fn limit_named(&mut self) {
        let mut left = if self.memories.is_empty() { MOST_NAMED } else { 0 };
        self.keep_named(|_| {
            let is_kept = left > 0;
            left = left.saturating_sub(1);
            is_kept
        });
    }

    /// Leaves only some memories named; the others count as kept back by the gate.
    pub(crate) fn keep_named(&mut self, mut is_kept: impl FnMut(&RecalledMemory) -> bool) {
        keep_named(&mut self.passed_over, &mut is_kept);
    }

    /// The memories that are named.
    pub(crate) fn named(&self) -> impl Iterator<Item = &RecalledMemory> {
        self.passed_over.iter().filter(|(_, outcome)| *outcome == Outcome::Named).map(|(memory, _)| memory)
    }
}

fn keep_named(passed_over: &mut [(RecalledMemory, Outcome)], is_kept: &mut impl FnMut(&RecalledMemory) -> bool) {
    for (memory, outcome) in passed_over.iter_mut().filter(|(_, outcome)| *outcome == Outcome::Named) {
        if !is_kept(memory) {
            *outcome = Outcome::Gate;
        }
    }
}

/// Returns the line of titles of some memories.
pub(crate) fn line_of<'a>(
    memories: impl Iterator<Item = &'a RecalledMemory>,
    max_tokens: usize,
    budget_chars: usize,
) -> Packed {
    let items: Vec<_> = memories.map(named_item).collect();
    pack_named(&items, max_tokens, budget_chars)
}
