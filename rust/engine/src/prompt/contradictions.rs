//! Finds the memories that contradict a shown memory. The link may be in either memory (SPEC 33.4, 39.2).

use crate::prompt::recalled_memory::{Chosen, RecalledMemory, Verified};
use crate::prompt::snapshot_recall::SnapshotRecall;
use cuecard_core::memory::{Card, Standing};
use cuecard_core::text::chars::cut;

/// How many contradictions of a memory the agent is told.
const MOST: usize = 2;
/// How many files of memories are read to find the contradictions of one memory.
const MOST_LOOKS: usize = 8;
/// A longer title is cut, so that the month after it fits into the label.
const MAX_TITLE_CHARS: usize = 56;
/// The length of a month as text, `YYYY-MM`.
const MONTH_BYTES: usize = 7;

impl<S: AsRef<[u8]>> SnapshotRecall<'_, S> {
    /// Records for each shown memory which other memories contradict it.
    pub(crate) fn note_contradictions(&mut self, chosen: &mut Chosen, now: i64) {
        for memory in &mut chosen.memories {
            memory.contradictions = self.contradictions_of(memory, now);
        }
    }

    /// Returns the labels about memories that contradict a memory; empty if the memory is not valid now, or nobody
    /// vouches for it.
    fn contradictions_of(&mut self, memory: &RecalledMemory, now: i64) -> Vec<String> {
        let is_told = !memory.is_unreviewed() && memory.standing == Standing::Holds;
        let Some(record) = memory.record.clone().filter(|_| is_told) else { return Vec::new() };
        let named = self.snapshot.contradicted(&record, memory.position);
        let naming = self.snapshot.contradicting(memory.position);
        let mut looked_at: Vec<u32> = Vec::new();
        let mut labels = Vec::new();
        for other in named.iter().chain(&naming).copied() {
            if labels.len() == MOST || looked_at.len() == MOST_LOOKS {
                break;
            }
            if other == memory.position || looked_at.contains(&other) {
                continue;
            }
            looked_at.push(other);
            let Some(verified) = self.verify(other) else { continue };
            // The links that the snapshot has for the other memory may be out of date, so its file is checked too.
            let is_named = named.contains(&other)
                || self.snapshot.contradicted(&verified.record, other).contains(&memory.position);
            if is_named && self.is_standing(&verified, now) {
                labels.extend(label(&verified));
            }
        }
        labels
    }

    /// Whether a memory counts as a contradiction: somebody vouches for it, it is valid now, and no memory supersedes
    /// it.
    fn is_standing(&mut self, verified: &Verified, now: i64) -> bool {
        verified.unreviewed.is_none()
            && verified.document.validity.at(now) == Standing::Holds
            && self.successor(verified.position) == verified.position
    }
}

/// Returns the label for the agent with title and month of a contradicting memory.
fn label(verified: &Verified) -> Option<String> {
    let title = verified.document.parts()?.title;
    let short = cut(title, MAX_TITLE_CHARS);
    let end = if short.len() < title.len() { "…" } else { "" };
    let date = Card::of(&verified.record).date;
    let month = date.get(..MONTH_BYTES).map_or_else(String::new, |month| format!(" of {month}"));
    Some(format!("contradicts {short}{end}{month}"))
}
