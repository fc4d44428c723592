//! Searches a snapshot for the memories to show, and verifies each against its own file (SPEC 8, 23.3).

use crate::prompt::placing::Placing;
use crate::prompt::question::{Past, Question, Review};
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory, Verified};
use crate::session::event::Outcome;
use crate::store::files::StoreFiles;
use crate::store::root::Project;
use crate::store::status::Status as FileStatus;
use crate::store::trust::TrustCheck;
use cuecard_core::classic::recency_points;
use cuecard_core::index::Snapshot;
use cuecard_core::memory::category_of;
use cuecard_core::memory::{Document, Status, StoredDocument, anchors_named};
use cuecard_core::rank::recall::JUDGED;
use cuecard_core::rank::{Judged, Recall, Recalled, Request, find_cues};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{GateSetting, Strategy};
use cuecard_core::text::json_reader::read_json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many memories of the keyword retriever's shortlist can get recency points.
const DEEP_CHECK_LIMIT: usize = 20;
/// How many memories are searched in addition to the wanted number, because the files of some may have been removed.
const SPARE: usize = 8;
/// How many memories that the gate held back are reported.
const PASSED_OVER: usize = 4;

/// For at most this many memories it is looked up whether the user vouches for them, to follow what supersedes what.
const MOST_LOOKS: usize = 32;
/// How many withheld memories are passed over, so that they do not take the places of others that the gate looks at.
const MOST_WITHHELD: usize = 64;

/// Finds the memories that answer a prompt.
pub(crate) struct SnapshotRecall<'a, S> {
    pub(crate) snapshot: &'a Snapshot<S>,
    notes: &'a mut Vec<String>,
    files: StoreFiles,
    /// The statuses that a memory may have; if empty, any status.
    statuses: Vec<Status>,
    review: Review,
    pub(crate) scratch: Scratch,
    /// The memories that were verified already, by position; `None` for a memory that must not be shown.
    seen: BTreeMap<u32, Option<Verified>>,
    /// Whether the user vouches for the memories that were looked at because they supersede one or are superseded.
    vouched: BTreeMap<u32, bool>,
    /// The check of trust; `None` if every memory counts as reviewed.
    pub(crate) trust: Option<TrustCheck>,
    /// What the session keeps of the prompt (SPEC 27.7). It is made in hybrid recall, if this is set to an empty text.
    pub(crate) kept_terms: Option<String>,
}

impl<'a, S: AsRef<[u8]>> SnapshotRecall<'a, S> {
    pub(crate) fn new(
        project: &Project,
        snapshot: &'a Snapshot<S>,
        review: Review,
        notes: &'a mut Vec<String>,
    ) -> Self {
        Self {
            snapshot,
            notes,
            files: StoreFiles::new(project),
            statuses: vec![Status::Active],
            review,
            scratch: Scratch::default(),
            seen: BTreeMap::new(),
            vouched: BTreeMap::new(),
            trust: (review != Review::Ignored).then(|| TrustCheck::new(&project.own)),
            kept_terms: None,
        }
    }

    /// Sets the statuses that a memory may have from now on; if empty, any status.
    pub(crate) fn accept_statuses(&mut self, statuses: &[Status]) {
        self.statuses = statuses.to_vec();
        self.seen.clear();
    }

    /// Returns the best memories for a question, at most as many as the question asks for.
    pub(crate) fn choose(&mut self, question: &Question<'_>) -> Chosen {
        self.accept_statuses(&question.request.filters.statuses);
        if question.strategy != Strategy::Hybrid {
            return self.choose_ranked(question);
        }
        let mut chosen = self.choose_judged(question);
        if question.past != Past::Shown && self.review != Review::Marked {
            self.note_contradictions(&mut chosen, question.request.now);
        }
        chosen
    }

    /// Chooses memories by hybrid recall, whose gate judges only the first few memories.
    fn choose_judged(&mut self, question: &Question<'_>) -> Chosen {
        let (request, wanted) = (question.request, question.request.k);
        let is_gated = question.setting != GateSetting::Off;
        let mut count = if is_gated { wanted } else { wanted + SPARE };
        let mut more = 0;
        loop {
            let recall = Recall::new(self.snapshot, Request { k: count, ..request }, &mut self.scratch);
            if let Some(kept) = self.kept_terms.as_mut().filter(|kept| kept.is_empty()) {
                *kept = recall.kept_terms();
            }
            let mut chosen = Chosen { is_courtesy: is_gated && recall.is_courtesy(), ..Chosen::default() };
            if chosen.is_courtesy {
                return chosen;
            }
            let mut placing = Placing::new(question, self.review, || recall.cues().to_vec());
            let looked_at = if is_gated { count.max(JUDGED) + more } else { count };
            let Judged { found: judged, least } = placing.judge(&recall, self.snapshot, looked_at, question.setting);
            chosen.least = least;
            let is_all = judged.len() < count;
            for Recalled { position, score, logit, probability } in judged {
                let (certainty, likelihood) = (Some(logit), Some(probability));
                let ranking =
                    Ranking { found_as: position, score, recency: 0, logit: certainty, probability: likelihood, count };
                if least.is_some_and(|least| logit < least) {
                    if chosen.passed_over.len() < PASSED_OVER {
                        let held_back = self.snapshot.document(position);
                        let held_back =
                            held_back.map(|document| RecalledMemory::held_back(position, document, ranking));
                        chosen.passed_over.extend(held_back.map(|found| (found, Outcome::Gate)));
                    }
                    continue;
                }
                if chosen.memories.len() == wanted {
                    break;
                }
                let Some(verified) = self.verify(position) else { continue };
                let ranking = self.heed_anchors(&verified, &request, ranking);
                let found = verified.found(ranking);
                let head = self.head(question, position);
                if least.is_some_and(|least| ranking.logit.is_some_and(|logit| logit < least)) {
                    chosen.passed_over.push((found, Outcome::Gate));
                } else if head == position {
                    placing.place(found, &mut chosen);
                } else {
                    placing.pass_over(found, &mut chosen);
                    let verified = self.verify(head);
                    if let Some(verified) = verified.filter(|verified| request.filters.takes(&verified.document)) {
                        placing.place(verified.found(ranking), &mut chosen);
                    }
                }
            }
            let withheld = chosen.passed_over.iter().filter(|(_, outcome)| *outcome == Outcome::Withheld).count();
            if is_gated && withheld > more && more < MOST_WITHHELD {
                more = withheld;
                continue;
            }
            if is_all || is_gated || chosen.memories.len() == wanted {
                placing.finish(&mut chosen, wanted);
                return chosen;
            }
            count *= 4;
        }
    }

    /// Chooses memories by a strategy without a gate.
    fn choose_ranked(&mut self, question: &Question<'_>) -> Chosen {
        let (request, wanted, strategy) = (question.request, question.request.k, question.strategy);
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
                if chosen.memories.len() == wanted {
                    break;
                }
                let head = self.head(question, position);
                if let Some(verified) = self.verify(head) {
                    let recency = recency.get(&position).copied().unwrap_or_default();
                    let ranking = Ranking { found_as: position, score, recency, ..Ranking::default() };
                    placing.place(verified.found(ranking), &mut chosen);
                }
            }
            if is_all || chosen.memories.len() == wanted {
                placing.finish(&mut chosen, wanted);
                return chosen;
            }
            count *= 4;
        }
    }

    /// Returns the position of the memory that supersedes the memory at a position; the same position if none does.
    fn head(&mut self, question: &Question<'_>, position: u32) -> u32 {
        if question.follows_successors { self.successor(position) } else { position }
    }

    /// Returns the position of the memory that supersedes the memory at a position, directly or through others; the same
    /// position if none does. Only a memory that the user vouches for supersedes one that the user vouches for (SPEC
    /// 52.10).
    pub(crate) fn successor(&mut self, position: u32) -> u32 {
        let (snapshot, files, known) = (self.snapshot, &mut self.files, &mut self.vouched);
        let trust = self.trust.as_ref().filter(|_| self.review == Review::Heeded);
        // `None` if too many memories were looked at, so that a repository cannot make a prompt read all of its files.
        let mut is_vouched_for = |trust: &TrustCheck, position| {
            if !known.contains_key(&position) && known.len() < MOST_LOOKS {
                let document = snapshot.document(position);
                let data = document.and_then(|document| files.read(document.path()).ok());
                let record = data.and_then(|(data, _)| read_json(&data).ok());
                known.insert(position, record.is_some_and(|record| trust.is_vouched_for(&record)));
            }
            known.get(&position).copied()
        };
        snapshot.successor(position, |at, next| {
            trust.is_none_or(|trust| match is_vouched_for(trust, at) {
                Some(true) => is_vouched_for(trust, next) == Some(true),
                Some(false) => true,
                None => false,
            })
        })
    }

    /// Returns the ranking of a memory. For an unreviewed memory, the gate's points for anchors that name more than one
    /// file are removed (SPEC 52.4).
    fn heed_anchors(&self, verified: &Verified, request: &Request<'_>, ranking: Ranking) -> Ranking {
        let paths = request.situation.map_or(&[][..], |situation| &situation.paths);
        match (&verified.unreviewed, ranking.logit) {
            (Some(unreviewed), Some(logit))
                if self.review == Review::Heeded && !paths.is_empty() && !anchors_named(&unreviewed.anchors, paths) =>
            {
                let (logit, probability) = self.snapshot.without_path(verified.position, paths, logit);
                Ranking { logit: Some(logit), probability: Some(probability), ..ranking }
            }
            _ => ranking,
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

    /// Reads the memory at a position from its file; `None` if it must not be shown. Each file is read at most once.
    pub(crate) fn verify(&mut self, position: u32) -> Option<Verified> {
        if let Some(known) = self.seen.get(&position) {
            return known.clone();
        }
        let verified = self.snapshot.document(position).and_then(|document| self.read(position, &document));
        self.seen.insert(position, verified.clone());
        verified
    }

    /// Checks a memory as `verify` does, but without reading the file if its size and time are those in the snapshot.
    pub(crate) fn check(&mut self, position: u32) -> Option<StoredDocument> {
        let document = self.snapshot.document(position)?;
        let stamp = self.files.status(document.path()).ok().filter(FileStatus::is_file).map(|status| status.stamp());
        if stamp == Some(document.stamp) {
            return Some(document);
        }
        self.verify(position).map(|verified| verified.document)
    }

    fn read(&mut self, position: u32, document: &StoredDocument) -> Option<Verified> {
        let path = document.path();
        let (data, status) = match self.files.read(path) {
            Ok(read) => read,
            Err(unread) => {
                self.notes.push(format!("`{path}` {}", unread.words()));
                return None;
            }
        };
        let changed = Document::read(category_of_path(path)?, path, Some(&data)).ok()?;
        let document = StoredDocument::new(&changed, status.stamp())?;
        if !self.statuses.is_empty() && !self.statuses.contains(&changed.status) {
            return None;
        }
        let record = Arc::new(changed.into_record());
        let standing = self.trust.as_ref().map(|trust| trust.look_at(document.path(), &record));
        let (level, unreviewed) = standing.map_or((None, None), |(level, unreviewed)| (Some(level), unreviewed));
        Some(Verified { position, document, record, level, unreviewed })
    }
}

/// Returns the category of the folder that contains a memory's file.
fn category_of_path(path: &str) -> Option<&'static str> {
    let (folder, _) = path.strip_prefix(".claude/memory/")?.split_once('/')?;
    category_of(folder)
}
