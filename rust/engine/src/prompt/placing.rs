//! Decides whether and where memories are shown that are not valid at the time of the prompt (SPEC 27.6).

use crate::prompt::question::{Past, Question, Review};
use crate::prompt::recalled_memory::{Chosen, RecalledMemory};
use crate::session::event::Outcome;
use cuecard_core::index::Snapshot;
use cuecard_core::memory::Standing;
use cuecard_core::rank::{Cue, Judged, Recall};
use cuecard_core::settings::GateSetting;

/// Orders the memories for a prompt. Memories that are not valid now come last, and are shown only if the prompt asks
/// about the past.
pub(crate) struct Placing {
    now: i64,
    /// Whether memories that are not valid now are treated differently from valid memories.
    heeds: bool,
    asks_past: bool,
    withholds: bool,
    late: Vec<RecalledMemory>,
}

impl Placing {
    /// `cues` returns the cues of the prompt, and is called only if they matter.
    pub(crate) fn new(question: &Question<'_>, review: Review, cues: impl FnOnce() -> Vec<Cue>) -> Self {
        let asks = || cues().contains(&Cue::AsksPast);
        Self {
            now: question.request.now,
            heeds: question.past != Past::Shown && review != Review::Marked,
            asks_past: question.past == Past::IfAsked && review != Review::Marked && asks(),
            withholds: review == Review::Heeded,
            late: Vec::new(),
        }
    }

    /// Returns the best memories with the gate's judgment: `count` memories that are valid now (or all of these, if
    /// there are fewer), and the memories ranked between them that are not valid now.
    pub(crate) fn judge<S: AsRef<[u8]>>(
        &self,
        recall: &Recall<'_, S>,
        snapshot: &Snapshot<S>,
        count: usize,
        setting: GateSetting,
    ) -> Judged {
        let mut wanted = count;
        loop {
            let judged = recall.judge(wanted, setting);
            let others = judged.found.iter().filter(|found| !self.holds(snapshot, found.position)).count();
            if judged.found.len() < wanted || wanted == count + others {
                return judged;
            }
            wanted = count + others;
        }
    }

    /// Adds a memory to the shown memories, keeps it for the end, or records it as passed over.
    pub(crate) fn place(&mut self, mut found: RecalledMemory, chosen: &mut Chosen) {
        found.standing = found.document.validity.at(self.now);
        match found.standing {
            _ if !self.heeds => chosen.insert(found, self.withholds),
            Standing::Holds => chosen.insert(found, self.withholds),
            _ if self.asks_past => self.late.push(found),
            Standing::Over => chosen.passed_over.push((found, Outcome::Over)),
            Standing::Ahead => chosen.passed_over.push((found, Outcome::Ahead)),
        }
    }

    /// Records a superseded memory as passed over. If it is not valid now and the prompt asks about the past, it is
    /// kept for the end instead.
    pub(crate) fn pass_over(&mut self, found: RecalledMemory, chosen: &mut Chosen) {
        if self.asks_past && found.document.validity.at(self.now) != Standing::Holds {
            self.place(found, chosen);
        } else {
            chosen.passed_over.push((found, Outcome::Superseded));
        }
    }

    /// Adds the memories that were kept for the end until `wanted` memories are shown.
    pub(crate) fn finish(self, chosen: &mut Chosen, wanted: usize) {
        for found in self.late {
            if chosen.memories.len() < wanted {
                chosen.insert(found, self.withholds);
            }
        }
    }

    fn holds<S: AsRef<[u8]>>(&self, snapshot: &Snapshot<S>, position: u32) -> bool {
        !self.heeds || snapshot.validity(position).at(self.now) == Standing::Holds
    }
}
