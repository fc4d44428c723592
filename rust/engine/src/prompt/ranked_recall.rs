//! Chooses memories by a strategy without a gate: the best of a ranking (SPEC 7, 8, 21, 24).

use crate::prompt::placing::Placing;
use crate::prompt::question::Question;
use crate::prompt::recalled_memory::{Chosen, Ranking};
use crate::prompt::snapshot_recall::{SPARE, SnapshotRecall};
use cuecard_core::classic::recency_points;
use cuecard_core::rank::{Request, find_cues};
use cuecard_core::settings::Strategy;
use std::collections::BTreeMap;

/// How many memories of the keyword retriever's shortlist can get recency points.
const DEEP_CHECK_LIMIT: usize = 20;

impl<S: AsRef<[u8]>> SnapshotRecall<'_, S> {
    /// Chooses memories by a strategy without a gate.
    pub(super) fn choose_ranked(&mut self, question: &Question<'_>) -> Chosen {
        let (request, wanted, strategy) = (question.request, question.request.k, question.strategy);
        let places = self.places(wanted);
        let is_keyword = matches!(strategy, Strategy::Keyword | Strategy::KeywordClassic);
        let mut count = wanted + SPARE + if is_keyword { DEEP_CHECK_LIMIT } else { 0 };
        loop {
            let mut found = self.snapshot.search(Request { k: count, ..request }, strategy, &mut self.scratch);
            let is_all = found.len() < count;
            let mut recency = BTreeMap::new();
            if is_keyword {
                found = self.deep_check(&found, request.now, &mut recency);
            }
            let (mut chosen, mut placing) =
                (Chosen::default(), Placing::new(question, self.review, || find_cues(question.request.prompt)));
            for (position, score) in found {
                if chosen.memories.len() == places {
                    break;
                }
                let head = self.head(question, position);
                if self.is_of_another_part(position) || self.is_of_another_part(head) {
                    continue;
                }
                if let Some(verified) = self.verify(head) {
                    let recency = recency.get(&position).copied().unwrap_or_default();
                    let ranking = Ranking { found_as: position, score, recency, ..Ranking::default() };
                    placing.place(verified.found(ranking), &mut chosen);
                }
            }
            if is_all || chosen.memories.len() == places {
                placing.finish(&mut chosen, places);
                self.is_complete = chosen.memories.len() == wanted;
                return chosen;
            }
            count *= 4;
        }
    }

    /// Returns the shortlist sorted again after its first members got their recency points (SPEC 8.1, 8.3).
    fn deep_check(&mut self, shortlist: &[(u32, i64)], now: i64, recency: &mut BTreeMap<u32, i64>) -> Vec<(u32, i64)> {
        let mut checked = Vec::new();
        for (place, (position, score)) in shortlist.iter().copied().enumerate() {
            if place >= DEEP_CHECK_LIMIT {
                checked.push((position, score));
            } else if let Some(document) = self.check(position) {
                let points = recency_points(document.updated_at, now);
                recency.insert(position, points);
                checked.push((position, score + points));
            }
        }
        self.snapshot.order_keyword(&checked)
    }
}
