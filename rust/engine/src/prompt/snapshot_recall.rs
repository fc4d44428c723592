//! From a snapshot to the lines of the memories that are shown, each verified against its own file (SPEC 8, 23.3).

use crate::session::event::Outcome;
use crate::store::files::StoreFiles;
use crate::store::mapped::Source;
use crate::store::root::Project;
use crate::store::status::Status as FileStatus;
use crate::store::trust::{TrustCheck, Unreviewed};
use cuecard_core::classic::recency_points;
use cuecard_core::index::{Filters, Snapshot};
use cuecard_core::memory::category_of;
use cuecard_core::memory::{Document, Status, StoredDocument, anchors_named};
use cuecard_core::rank::recall::JUDGED;
use cuecard_core::rank::{Context, Recall, Recalled, Request, Situation, gate_threshold};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{Settings, Strategy};
use cuecard_core::text::json_reader::Json;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

/// So many members of the keyword retriever's shortlist may gain points of recency.
const DEEP_CHECK_LIMIT: usize = 20;
/// So many more than are shown are found at first: some may turn out to be gone.
const SPARE: usize = 8;

/// So many of those that the gate holds back are told.
const PASSED_OVER: usize = 4;

/// What is asked, and in what situation.
#[derive(Clone, Copy)]
pub(crate) struct PromptQuery<'a> {
    pub(crate) prompt: &'a str,
    /// The prompts before, the oldest first.
    pub(crate) history: &'a [String],
    pub(crate) situation: &'a Situation,
}

/// A memory that was found.
#[derive(Debug, Clone)]
pub(crate) struct RecalledMemory {
    /// As its file has it now.
    pub(crate) document: StoredDocument,
    /// The content of its file; `None` for one that is not shown.
    pub(crate) record: Option<Rc<Json>>,
    pub(crate) score: i64,
    /// Of the gate, in 1/1024; `None` for strategies that have none.
    pub(crate) logit: Option<i64>,
    /// What is known of it if nobody vouches for it.
    pub(crate) unreviewed: Option<Rc<Unreviewed>>,
}

/// A memory as its own file has it.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    pub(crate) document: StoredDocument,
    pub(crate) record: Rc<Json>,
    /// What is known of it if nobody vouches for it.
    pub(crate) unreviewed: Option<Rc<Unreviewed>>,
}

impl RecalledMemory {
    /// One that is not shown, as the snapshot has it.
    pub(crate) fn held_back(document: StoredDocument, score: i64, logit: Option<i64>) -> Self {
        Self { document, record: None, score, logit, unreviewed: None }
    }
}

impl Verified {
    /// Whether agents are not shown it.
    pub(crate) fn is_withheld(&self) -> bool {
        self.unreviewed.as_ref().is_some_and(|unreviewed| unreviewed.is_withheld)
    }

    pub(crate) fn found(self, score: i64, logit: Option<i64>) -> RecalledMemory {
        RecalledMemory { document: self.document, record: Some(self.record), score, logit, unreviewed: self.unreviewed }
    }
}

/// What a prompt is answered with, and what it is not.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// To be shown, best first.
    pub(crate) memories: Vec<RecalledMemory>,
    /// The first of those that the gate holds back, those whose place another one has taken, and those withheld.
    pub(crate) passed_over: Vec<(RecalledMemory, Outcome)>,
    /// Whether the prompt is nothing but a courtesy.
    pub(crate) is_courtesy: bool,
}

impl Chosen {
    /// Adds a memory to those that are shown, or to those withheld, unless it is there.
    pub(crate) fn add(&mut self, found: RecalledMemory) {
        let is_same = |other: &RecalledMemory| other.document.path() == found.document.path();
        if self.memories.iter().any(is_same) {
            return;
        }
        if !found.unreviewed.as_ref().is_some_and(|unreviewed| unreviewed.is_withheld) {
            self.memories.push(found);
        } else if !self.passed_over.iter().any(|(other, _)| is_same(other)) {
            self.passed_over.push((found, Outcome::Withheld));
        }
    }
}

/// Finds the memories that a prompt is answered with.
pub(crate) struct SnapshotRecall<'a> {
    snapshot: &'a Snapshot<Source>,
    settings: &'a Settings,
    notes: &'a mut Vec<String>,
    files: StoreFiles,
    now: i64,
    scratch: Scratch,
    /// By position: what has been found out about the memories that were looked at.
    seen: BTreeMap<u32, Option<Verified>>,
    /// `None` where every memory counts as reviewed.
    pub(crate) trust: Option<TrustCheck>,
}

impl<'a> SnapshotRecall<'a> {
    pub(crate) fn new(
        project: &Project,
        snapshot: &'a Snapshot<Source>,
        settings: &'a Settings,
        notes: &'a mut Vec<String>,
    ) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        Self {
            snapshot,
            settings,
            notes,
            files: StoreFiles::new(project),
            now: i64::try_from(now).unwrap_or(i64::MAX),
            scratch: Scratch::default(),
            seen: BTreeMap::new(),
            trust: settings.reviews_trust.then(|| TrustCheck::new(&project.own)),
        }
    }

    /// The best memories for what is asked, at most as many as are wanted. In the place of a memory stands the one
    /// that supersedes it, unless filters narrow what is wanted.
    pub(crate) fn choose(&mut self, query: &PromptQuery<'_>, wanted: usize, filters: Option<&Filters>) -> Chosen {
        if self.settings.strategy == Strategy::Hybrid {
            self.choose_judged(query, wanted, filters)
        } else {
            self.choose_ranked(query.prompt, wanted, filters)
        }
    }

    /// By hybrid recall, whose gate looks at no more than the first few.
    fn choose_judged(&mut self, query: &PromptQuery<'_>, wanted: usize, filters: Option<&Filters>) -> Chosen {
        let least = gate_threshold(self.settings.gate_setting);
        let least = least.map(|least| least + self.settings.gate_shift);
        let mut count = if least.is_some() { wanted } else { wanted + SPARE };
        loop {
            let PromptQuery { prompt, history, situation } = *query;
            let context = Context { descriptions: &self.settings.descriptions, synonyms: &self.settings.synonyms };
            let (config, situation) = (self.settings, Some(situation));
            let active = Filters::default();
            let accepted = filters.unwrap_or(&active);
            let alone = Request::of_prompt(prompt, context, config, accepted, count);
            let request = Request { history, now: self.now, situation, ..alone };
            let recall = Recall::new(self.snapshot, request, &mut self.scratch);
            let mut chosen = Chosen { is_courtesy: least.is_some() && recall.is_courtesy(), ..Chosen::default() };
            if chosen.is_courtesy {
                return chosen;
            }
            let judged = recall.judge(if least.is_some() { count.max(JUDGED) } else { count });
            let is_all = judged.len() < count;
            for Recalled { position, score, logit, .. } in judged {
                if least.is_some_and(|least| logit < least) {
                    if chosen.passed_over.len() < PASSED_OVER {
                        let held_back = self.snapshot.document(position);
                        let held_back =
                            held_back.map(|document| RecalledMemory::held_back(document, score, Some(logit)));
                        chosen.passed_over.extend(held_back.map(|found| (found, Outcome::Gate)));
                    }
                    continue;
                }
                if chosen.memories.len() == wanted {
                    break;
                }
                let head = if filters.is_none() { self.snapshot.successor(position) } else { position };
                let Some(verified) = self.verify(position) else { continue };
                let logit = self.heeded_logit(position, &verified, query.situation, logit);
                let found = verified.found(score, Some(logit));
                if least.is_some_and(|least| logit < least) {
                    chosen.passed_over.push((found, Outcome::Gate));
                } else if head == position {
                    chosen.add(found);
                } else {
                    chosen.passed_over.push((found, Outcome::Superseded));
                    if let Some(verified) = self.verify(head) {
                        chosen.add(verified.found(score, Some(logit)));
                    }
                }
            }
            if is_all || least.is_some() || chosen.memories.len() == wanted {
                return chosen;
            }
            count *= 4;
        }
    }

    /// By the other strategies, which have no gate.
    fn choose_ranked(&mut self, prompt: &str, wanted: usize, filters: Option<&Filters>) -> Chosen {
        let is_keyword = matches!(self.settings.strategy, Strategy::Keyword | Strategy::KeywordClassic);
        let mut count = wanted + SPARE + if is_keyword { DEEP_CHECK_LIMIT } else { 0 };
        loop {
            let context = Context { descriptions: &self.settings.descriptions, synonyms: &self.settings.synonyms };
            let strategy = self.settings.strategy;
            let active = Filters::default();
            let accepted = filters.unwrap_or(&active);
            let request = Request::of_prompt(prompt, context, self.settings, accepted, count);
            let mut found = self.snapshot.search(request, strategy, &mut self.scratch);
            let is_all = found.len() < count;
            if is_keyword {
                found = self.deep_check(&found);
            }
            let mut chosen = Chosen::default();
            for (position, score) in found {
                if chosen.memories.len() == wanted {
                    break;
                }
                let head = if filters.is_none() { self.snapshot.successor(position) } else { position };
                if let Some(verified) = self.verify(head) {
                    chosen.add(verified.found(score, None));
                }
            }
            if is_all || chosen.memories.len() == wanted {
                return chosen;
            }
            count *= 4;
        }
    }

    /// The logit of a memory, for an unreviewed one without what the gate has added for anchors that do not name one
    /// file (SPEC 52.4).
    fn heeded_logit(&self, position: u32, verified: &Verified, situation: &Situation, logit: i64) -> i64 {
        match &verified.unreviewed {
            Some(unreviewed) if !situation.paths.is_empty() => {
                let is_named = anchors_named(&unreviewed.anchors, &situation.paths);
                if is_named { logit } else { self.snapshot.without_path(position, &situation.paths, logit).0 }
            }
            _ => logit,
        }
    }

    /// The shortlist with the points of recency of its first members, in its order then (SPEC 8.1, 8.3).
    fn deep_check(&mut self, shortlist: &[(u32, i64)]) -> Vec<(u32, i64)> {
        let mut checked = Vec::new();
        for (place, (position, score)) in shortlist.iter().copied().enumerate() {
            if place >= DEEP_CHECK_LIMIT {
                checked.push((position, score));
            } else if let Some(document) = self.check(position) {
                checked.push((position, score + recency_points(document.updated_at, self.now)));
            }
        }
        self.snapshot.order_keyword(&checked)
    }

    /// The memory at a position as its file has it now; `None` where it must not be shown. The file is read, once.
    pub(crate) fn verify(&mut self, position: u32) -> Option<Verified> {
        if let Some(known) = self.seen.get(&position) {
            return known.clone();
        }
        let verified = self.snapshot.document(position).and_then(|document| self.read(&document));
        self.seen.insert(position, verified.clone());
        verified
    }

    /// As `verify`, for what is not shown yet: a file with the size and time that the snapshot has is not read.
    pub(crate) fn check(&mut self, position: u32) -> Option<StoredDocument> {
        let document = self.snapshot.document(position)?;
        let stamp = self.files.status(document.path()).ok().filter(FileStatus::is_file).map(|status| status.stamp());
        if stamp == Some(document.stamp) {
            return Some(document);
        }
        self.verify(position).map(|verified| verified.document)
    }

    fn read(&mut self, document: &StoredDocument) -> Option<Verified> {
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
        if changed.status != Status::Active {
            return None;
        }
        let record = Rc::new(changed.into_record());
        let unreviewed = self.trust.as_ref().and_then(|trust| trust.look_at(document.path(), &record));
        Some(Verified { document, record, unreviewed })
    }
}

/// The category of the folder that a memory's file lies in.
fn category_of_path(path: &str) -> Option<&'static str> {
    let (folder, _) = path.strip_prefix(".claude/memory/")?.split_once('/')?;
    category_of(folder)
}
