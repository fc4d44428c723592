//! Adds the other memories of a subject to the memories that pass the gate, so that an agent gets all that was decided
//! about it (SPEC 28.4).

use crate::prompt::question::{Past, Question};
use crate::prompt::recalled_memory::{Beside, Chosen, Ranking, RecalledMemory, Verified};
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::session::event::Outcome;
use cuecard_core::memory::Standing;
use cuecard_core::rank::{Recall, Recalled, probability};
use cuecard_core::retrieve::Subjects;
use cuecard_core::settings::GateSetting;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The maximal number of siblings in an answer. A decision that was cut into memories has four to six.
const MOST_SIBLINGS: usize = 6;
/// How many files of memories are read to find the siblings of an answer.
const MOST_LOOKS: usize = 24;
/// A subject with more other memories than this is cut by what the prompt says: a sibling must be among the first
/// candidates, and the gate must give it some chance.
const FEW: usize = 8;
const FIRST: usize = 20;
const LEAST_LOGIT: i64 = -3584;
/// Where no memory passes, the subjects of this number of the surest ones are judged, if so many memories of the subject
/// have some chance: one or two have words of a long prompt by accident.
const MOST_JUDGED: usize = 3;
const LEAST_TOGETHER: usize = 3;

impl<S: AsRef<[u8]>> SnapshotRecall<'_, S> {
    /// Where no memory passes, lets the surest one pass whose subject does, if there is one. The subject is judged as if
    /// those of its memories that have some chance were one memory; `add_siblings` adds the others.
    pub(crate) fn find_subject(
        &mut self,
        chosen: &mut Chosen,
        judged: &[Recalled],
        question: &Question<'_>,
        recall: &Recall<'_, S>,
    ) {
        let Some(least) = chosen.least.filter(|_| may_have_siblings(question)) else { return };
        let mut surest: Vec<&Recalled> = judged.iter().filter(|found| found.logit >= LEAST_LOGIT).collect();
        surest.sort_by_key(|found| Reverse(found.logit));
        if !chosen.memories.is_empty() || surest.len() < LEAST_TOGETHER {
            return;
        }
        for found in surest.into_iter().take(MOST_JUDGED) {
            let position = found.position;
            let verified = if self.is_of_another_part(position) { None } else { self.verify(position) };
            let holds = |verified: &Verified| verified.document.validity.at(question.request.now) == Standing::Holds;
            let Some(verified) = verified.filter(|verified| !verified.is_withheld() && holds(verified)) else {
                continue;
            };
            if self.successor(position) != position {
                continue;
            }
            let subjects = self.snapshot.subjects_of(&verified.record, position);
            let mut members = self.snapshot.sharing(&subjects, position, &recall.first(FIRST));
            members.retain(|member| !self.is_of_another_part(*member));
            let others = recall.judge_at(&members, question.setting).found.into_iter();
            let others = others.filter(|other| other.logit >= LEAST_LOGIT).map(|other| other.position);
            let group: Vec<u32> = std::iter::once(position).chain(others).collect();
            let logit = if group.len() < LEAST_TOGETHER { None } else { recall.judge_together(&group) };
            if let Some(logit) = logit.filter(|logit| *logit >= least) {
                let ranking = Ranking {
                    found_as: position,
                    score: found.score,
                    recency: 0,
                    logit: Some(logit),
                    probability: Some(probability(logit)),
                    count: question.request.k,
                };
                chosen.passed_over.retain(|(other, _)| other.position != position);
                chosen.memories.push(verified.found(ranking));
                return;
            }
        }
    }

    /// Adds the siblings of the chosen memories behind them, those of the surest memory first. A chosen memory of the
    /// same subject as a surer one is marked as standing beside it.
    pub(crate) fn add_siblings(&mut self, chosen: &mut Chosen, question: &Question<'_>, recall: &Recall<'_, S>) {
        if !may_have_siblings(question) {
            return;
        }
        let near = recall.first(FIRST);
        let mut leads: Vec<&RecalledMemory> = chosen.memories.iter().collect();
        leads.retain(|memory| memory.standing == Standing::Holds);
        leads.sort_by_key(|memory| Reverse(memory.ranking.logit));
        let (mut added, mut looks): (Vec<RecalledMemory>, usize) = (Vec::new(), 0);
        let mut marks: BTreeMap<u32, Beside> = BTreeMap::new();
        for (place, lead) in leads.iter().enumerate() {
            let Some(record) = lead.record.as_deref() else { continue };
            let subjects = self.snapshot.subjects_of(record, lead.position);
            let mut members = self.snapshot.sharing(&subjects, lead.position, &near);
            members.retain(|position| !self.is_of_another_part(*position));
            let first = Beside { position: lead.position, logit: lead.ranking.logit.unwrap_or_default(), passes: true };
            let beside = marks.get(&lead.position).copied().unwrap_or(first);
            let less_sure = leads.get(place + 1..).unwrap_or_default().iter();
            for other in less_sure.filter(|other| members.contains(&other.position)) {
                if other.is_unreviewed() == lead.is_unreviewed() {
                    marks.entry(other.position).or_insert(beside);
                }
            }
            for (position, judged) in order(&members, question.setting, recall) {
                let is_known = chosen.memories.iter().chain(&added).any(|memory| memory.position == position);
                if added.len() == MOST_SIBLINGS || looks == MOST_LOOKS || is_known {
                    continue;
                }
                looks += 1;
                let Some(verified) = self.verify(position) else { continue };
                if self.may_join(&verified, lead, &subjects, question) {
                    let mut sibling = verified.found(ranking_of(position, judged, &lead.ranking));
                    sibling.beside = Some(Beside { passes: false, ..beside });
                    added.push(sibling);
                }
            }
        }
        let is_added = |found: &RecalledMemory| added.iter().any(|sibling| sibling.position == found.position);
        chosen.passed_over.retain(|(found, outcome)| *outcome != Outcome::Gate || !is_added(found));
        for memory in &mut chosen.memories {
            memory.beside = marks.get(&memory.position).copied();
        }
        chosen.memories.extend(added);
    }

    /// Whether a memory may be shown beside another one. The snapshot may be out of date, so the memory's own
    /// file must name the subject. It must hold, not be superseded or withheld, and have the same kind of trust.
    fn may_join(
        &mut self,
        verified: &Verified,
        lead: &RecalledMemory,
        subjects: &Subjects,
        question: &Question<'_>,
    ) -> bool {
        verified.unreviewed.is_some() == lead.is_unreviewed()
            && !verified.is_withheld()
            && verified.document.validity.at(question.request.now) == Standing::Holds
            && self.snapshot.subjects_of(&verified.record, verified.position).meets(subjects)
            && self.successor(verified.position) == verified.position
    }
}

/// Whether the others of a subject come with a memory that is shown for a question.
fn may_have_siblings(question: &Question<'_>) -> bool {
    question.past == Past::IfAsked && question.setting != GateSetting::Off
}

/// Returns the members of a subject that may become siblings, each with the gate's judgment if it is a candidate: the
/// surest first, those that are no candidates last.
fn order<S: AsRef<[u8]>>(
    members: &[u32],
    setting: GateSetting,
    recall: &Recall<'_, S>,
) -> Vec<(u32, Option<Recalled>)> {
    if members.is_empty() {
        return Vec::new();
    }
    let judged = recall.judge_at(members, setting).found;
    let is_near = |found: &Recalled| {
        found.logit >= LEAST_LOGIT && recall.best_rank(found.position).is_some_and(|rank| rank < FIRST)
    };
    let of_judged = |position: u32| judged.iter().find(|found| found.position == position).copied();
    let mut ordered: Vec<_> = members.iter().map(|position| (*position, of_judged(*position))).collect();
    ordered.retain(|(_, judged)| members.len() <= FEW || judged.as_ref().is_some_and(is_near));
    ordered.sort_by_key(|(_, judged)| Reverse(judged.map(|judged| judged.logit)));
    ordered
}

fn ranking_of(position: u32, judged: Option<Recalled>, lead: &Ranking) -> Ranking {
    let (score, logit) = judged.map_or((0, None), |judged| (judged.score, Some(judged.logit)));
    let probability = judged.map(|judged| judged.probability);
    Ranking { found_as: position, score, recency: 0, logit, probability, count: lead.count }
}
