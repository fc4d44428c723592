//! Searches a snapshot for the memories to show, and verifies each against its own file (SPEC 23.3, 27).

use crate::prompt::placing::Placing;
use crate::prompt::question::{Past, Question, Review};
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory, Verified};
use crate::prompt::store_source::{Origin, StoreSource};
use crate::prompt::verdicts;
use crate::session::event::Outcome;
use crate::store::status::Status as FileStatus;
use crate::store::trust::{Level, TrustCheck};
use crate::store::vouched::{VouchedTable, VouchedTables};
use cuecard_core::index::Snapshot;
use cuecard_core::memory::category_of;
use cuecard_core::memory::{Document, Status, StoredDocument, anchors_named, trust_prefix_of};
use cuecard_core::rank::recall::JUDGED;
use cuecard_core::rank::{Judged, Recall, Recalled, Request, Verdicts};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{GateSetting, Strategy};
use cuecard_core::text::json_reader::read_json;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// How many memories are searched in addition to the wanted number, because the files of some may have been removed.
pub(super) const SPARE: usize = 8;
/// How many memories that the gate held back are reported.
const PASSED_OVER: usize = 4;

/// For at most this many memories it is looked up whether the user vouches for them, to follow what supersedes what.
const MOST_LOOKS: usize = 32;
/// How many withheld memories are passed over, so that they do not take the places of others that the gate looks at.
const MOST_WITHHELD: usize = 64;

/// The unreviewed documents are searched only if the lexical score of one of them is at least this many eighths of the
/// best one: where no vouched memory is shown, and where one is. On the judged prompts this saves about half of the second
/// searches and loses at most one of two hundred unreviewed memories that one would show.
const NEAR_ALONE: u64 = 7;
const NEAR_BESIDE: u64 = 4;

/// The documents that a recall looks at (SPEC 45.10). Where a store has both kinds, those that the user vouches for are
/// found first, as if there were no others; the others get what is left.
#[derive(Debug)]
enum Part<'a, S> {
    /// All documents of the snapshot.
    Every,
    /// Only documents that the user vouches for: the snapshot has no others. It is a part of this one.
    Vouched(&'a Snapshot<S>),
    /// Only documents that this snapshot does not have, because nobody vouches for them.
    Others(&'a Snapshot<S>),
}

/// Finds the memories that answer a prompt.
pub(crate) struct SnapshotRecall<'a, S> {
    pub(crate) snapshot: &'a Snapshot<S>,
    notes: &'a mut Vec<String>,
    /// The stores that have the documents of the snapshot.
    sources: Vec<StoreSource>,
    part: Part<'a, S>,
    /// How many of the wanted memories another part has found already.
    taken: usize,
    /// Whether the others need not be searched after the vouched documents.
    pub(super) is_complete: bool,
    /// Which documents the user vouches for; `None` until it is asked, and if trust is ignored.
    table: Option<VouchedTables>,
    /// Whether the table is wrong about a memory that was read.
    is_table_wrong: bool,
    /// The statuses that a memory may have; if empty, any status.
    statuses: Vec<Status>,
    pub(super) review: Review,
    pub(crate) scratch: Scratch,
    /// The memories that were verified already, by position; `None` for a memory that must not be shown.
    seen: BTreeMap<u32, Option<Verified>>,
    /// Whether the user vouches for the memories that were looked at because they supersede one or are superseded.
    vouched: BTreeMap<u32, bool>,
    /// The check of trust for each store; `None` if every memory counts as reviewed.
    pub(crate) trust: Option<Vec<TrustCheck>>,
    /// What the session keeps of the prompt (SPEC 27.7). It is made in hybrid recall, if this is set to an empty text.
    pub(crate) kept_terms: Option<String>,
    /// What the user has said of memories of the store, as far as it counts for the question.
    verdicts: Option<Rc<Verdicts>>,
}

impl<'a, S: AsRef<[u8]>> SnapshotRecall<'a, S> {
    /// Creates the recall for a snapshot of the documents of these stores.
    pub(crate) fn of_stores(
        sources: Vec<StoreSource>,
        snapshot: &'a Snapshot<S>,
        review: Review,
        notes: &'a mut Vec<String>,
    ) -> Self {
        let trust = (review != Review::Ignored).then(|| {
            let mut checks: Vec<TrustCheck> = Vec::with_capacity(sources.len());
            for source in &sources {
                let check = checks.first().map(|first| first.beside(&source.own));
                checks.push(check.unwrap_or_else(|| TrustCheck::new(&source.own)));
            }
            checks
        });
        Self {
            snapshot,
            notes,
            sources,
            part: Part::Every,
            taken: 0,
            is_complete: false,
            table: None,
            is_table_wrong: false,
            statuses: vec![Status::Active],
            review,
            scratch: Scratch::default(),
            seen: BTreeMap::new(),
            vouched: BTreeMap::new(),
            trust,
            kept_terms: None,
            verdicts: None,
        }
    }

    /// Sets the statuses that a memory may have from now on; if empty, any status.
    pub(crate) fn accept_statuses(&mut self, statuses: &[Status]) {
        self.statuses = statuses.to_vec();
        self.seen.clear();
    }

    /// Returns the best memories for a question, at most as many as the question asks for.
    pub(crate) fn choose(&mut self, question: &Question<'_>) -> Chosen {
        // Verdicts are kept beside the nearest store, wherever a memory comes from.
        self.verdicts = self.sources.first().and_then(|nearest| verdicts::read(&nearest.own, question)).map(Rc::new);
        let mut chosen = self.in_parts(|part| part.choose_in_part(question));
        let (request, snapshot) = (question.request, self.snapshot);
        if let Some(kept) = self.kept_terms.as_mut().filter(|kept| kept.is_empty()) {
            // The parts were searched one by one, and a later prompt may be about the memories of both.
            *kept = snapshot.kept_terms(request.prompt, request.context.synonyms, request.settings);
        }
        chosen.limit_named();
        if let Some(verdicts) = &self.verdicts {
            let read = || snapshot.kept_terms(request.prompt, request.context.synonyms, request.settings);
            verdicts::pass_over_wrong(verdicts, &mut chosen, || self.kept_terms.clone().unwrap_or_else(read));
        }
        chosen
    }

    /// Looks for memories in all documents. If the user vouches for some of them only, looks among these first, as if
    /// there were no others, and then among the others.
    pub(crate) fn in_parts(&mut self, mut find: impl FnMut(&mut SnapshotRecall<'_, S>) -> Chosen) -> Chosen {
        let notes = self.notes.len();
        loop {
            let chosen = match self.vouched_part() {
                None => find(self),
                Some(vouched) => {
                    let snapshot = self.snapshot;
                    let mut chosen = self.within(&vouched, Part::Vouched(snapshot), 0, &mut find);
                    if !self.is_complete {
                        let others = self.within(snapshot, Part::Others(&vouched), chosen.count_passing(), &mut find);
                        chosen.memories.extend(others.memories);
                        chosen.passed_over.extend(others.passed_over);
                    }
                    chosen
                }
            };
            let is_new = self.table.as_ref().is_none_or(VouchedTables::is_new);
            if self.trust.is_none() || !self.is_table_wrong || is_new {
                return chosen;
            }
            // The lines of trust have changed without a line in the list of changes.
            self.table = self.load_table(true);
            self.notes.truncate(notes);
            self.seen.clear();
        }
    }

    /// Returns the snapshot of the documents that the user vouches for; `None` if the user vouches for all or for none.
    pub(crate) fn vouched_part(&mut self) -> Option<Snapshot<S>> {
        if self.table.is_none() {
            self.table = self.load_table(false);
        }
        self.table.as_ref()?.part_of(self.snapshot)
    }

    fn load_table(&self, is_fresh: bool) -> Option<VouchedTables> {
        let stores = self.trust.as_ref()?.iter().zip(&self.sources).map(|(trust, source)| (trust, &*source.own));
        Some(VouchedTables::load(self.snapshot, stores, is_fresh))
    }

    /// Runs a search on a part of the documents.
    fn within(
        &mut self,
        snapshot: &Snapshot<S>,
        part: Part<'_, S>,
        taken: usize,
        find: &mut impl FnMut(&mut SnapshotRecall<'_, S>) -> Chosen,
    ) -> Chosen {
        let mut inner = SnapshotRecall {
            snapshot,
            notes: self.notes,
            sources: self.sources.clone(),
            part,
            taken,
            is_complete: false,
            table: self.table.take(),
            is_table_wrong: self.is_table_wrong,
            statuses: self.statuses.clone(),
            review: self.review,
            scratch: std::mem::take(&mut self.scratch),
            seen: BTreeMap::new(),
            vouched: BTreeMap::new(),
            trust: self.trust.take(),
            kept_terms: None,
            verdicts: self.verdicts.clone(),
        };
        let chosen = find(&mut inner);
        let SnapshotRecall { sources, table, is_table_wrong, is_complete, scratch, trust, .. } = inner;
        (self.sources, self.table, self.is_table_wrong, self.is_complete) =
            (sources, table, is_table_wrong, is_complete);
        (self.scratch, self.trust) = (scratch, trust);
        chosen
    }

    /// Whether a search of another part looks at the document at a position.
    pub(crate) fn is_of_another_part(&self, position: u32) -> bool {
        matches!(self.part, Part::Others(vouched) if vouched.has(position))
    }

    /// Whether no other part was searched before.
    pub(crate) fn is_first_part(&self) -> bool {
        !matches!(self.part, Part::Others(_))
    }

    /// How many of `wanted` memories are not found yet.
    pub(crate) fn places(&self, wanted: usize) -> usize {
        wanted.saturating_sub(self.taken)
    }

    /// Returns the tables of the documents that the user vouches for that are to be written, each with the place of its store.
    pub(crate) fn take_tables(&mut self) -> Vec<(usize, VouchedTable)> {
        self.table.take().map_or_else(Vec::new, VouchedTables::into_new)
    }

    /// Returns where the memory at a position comes from; `None` for the store that leads.
    fn origin(&self, position: u32) -> Option<Arc<Origin>> {
        self.sources.get(self.snapshot.store_of(position)).and_then(|source| source.origin.clone())
    }

    fn choose_in_part(&mut self, question: &Question<'_>) -> Chosen {
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
        let places = self.places(wanted);
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
                self.is_complete = true;
                return chosen;
            }
            let mut placing = Placing::new(question, self.review, || recall.cues().to_vec());
            let looked_at = if is_gated { count.max(JUDGED) + more } else { count };
            let mut judged = placing.judge(&recall, self.snapshot, looked_at, question.setting);
            if let Some(verdicts) = &self.verdicts {
                verdicts::learn(verdicts, self.snapshot, &mut judged);
            }
            let Judged { found: judged, least } = judged;
            chosen.least = least;
            let is_all = judged.len() < count;
            for Recalled { position, score, logit, probability } in judged.iter().copied() {
                if self.is_of_another_part(position) {
                    continue;
                }
                let (certainty, likelihood) = (Some(logit), Some(probability));
                let ranking =
                    Ranking { found_as: position, score, recency: 0, logit: certainty, probability: likelihood, count };
                if least.is_some_and(|least| logit < least) {
                    if chosen.passed_over.len() < PASSED_OVER {
                        let held_back = self.snapshot.document(position);
                        let held_back = held_back.map(|document| RecalledMemory {
                            origin: self.origin(position),
                            ..RecalledMemory::held_back(position, document, ranking)
                        });
                        chosen.passed_over.extend(held_back.map(|found| (found, Outcome::Gate)));
                    }
                    continue;
                }
                if chosen.memories.len() == places {
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
                    let verified = if self.is_of_another_part(head) { None } else { self.verify(head) };
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
            if is_all || is_gated || chosen.memories.len() == places {
                placing.finish(&mut chosen, places);
                if places > 0 {
                    self.find_subject(&mut chosen, &judged, question, &recall);
                }
                self.find_named(&mut chosen, &judged, question);
                self.is_complete = chosen.memories.len() == wanted
                    || (is_gated && !self.has_rival(&recall, &request, chosen.memories.is_empty()));
                self.add_siblings(&mut chosen, question, &recall);
                return chosen;
            }
            count *= 4;
        }
    }

    /// Whether memories that nobody vouches for could be shown beside the vouched ones that were found (SPEC 45.10).
    fn has_rival(&mut self, recall: &Recall<'_, S>, request: &Request<'_>, is_silent: bool) -> bool {
        let Part::Vouched(whole) = self.part else { return true };
        let names_paths = request.situation.is_some_and(|situation| !situation.paths.is_empty());
        let eighths = if is_silent { NEAR_ALONE } else { NEAR_BESIDE };
        names_paths || !request.embedded.is_empty() || recall.has_rival(whole, eighths, &mut self.scratch)
    }

    /// Returns the position of the memory that supersedes the memory at a position; the same position if none does.
    pub(super) fn head(&mut self, question: &Question<'_>, position: u32) -> u32 {
        if question.follows_successors { self.successor(position) } else { position }
    }

    /// Returns the position of the memory that supersedes the memory at a position, directly or through others; the same
    /// position if none does. Only a memory that the user vouches for supersedes one that the user vouches for (SPEC
    /// 45.10).
    pub(crate) fn successor(&mut self, position: u32) -> u32 {
        let (snapshot, sources, known) = (self.snapshot, &mut self.sources, &mut self.vouched);
        let trust = self.trust.as_ref().filter(|_| self.review == Review::Heeded);
        // `None` if too many memories were looked at, so that a repository cannot make a prompt read all of its files.
        let mut is_vouched_for = |trust: &[TrustCheck], position| {
            if !known.contains_key(&position) && known.len() < MOST_LOOKS {
                let (document, store) = (snapshot.document(position), snapshot.store_of(position));
                let source = sources.get_mut(store);
                let data = document.zip(source).and_then(|(document, source)| source.files.read(document.path()).ok());
                let record = data.and_then(|(data, _)| read_json(&data).ok()).zip(trust.get(store));
                known.insert(position, record.is_some_and(|(record, trust)| trust.is_vouched_for(&record)));
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
    /// file are removed (SPEC 45.4).
    pub(crate) fn heed_anchors(&self, verified: &Verified, request: &Request<'_>, ranking: Ranking) -> Ranking {
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
        let source = self.sources.get_mut(self.snapshot.store_of(position))?;
        let stamp = source.files.status(document.path()).ok().filter(FileStatus::is_file).map(|status| status.stamp());
        if stamp == Some(document.stamp) {
            return Some(document);
        }
        self.verify(position).map(|verified| verified.document)
    }

    fn read(&mut self, position: u32, document: &StoredDocument) -> Option<Verified> {
        let path = document.path();
        let store = self.snapshot.store_of(position);
        let (data, status) = match self.sources.get_mut(store)?.files.read(path) {
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
        let trust = self.trust.as_ref().and_then(|trust| trust.get(store));
        let standing = trust.map(|trust| trust.look_at(document.path(), &record));
        let (level, unreviewed) = standing.map_or((None, None), |(level, unreviewed)| (Some(level), unreviewed));
        if let Some((level, table)) = level.zip(self.table.as_ref()) {
            let is_vouched_for = level != Level::Unreviewed;
            let is_wrong = table.says(position).is_some_and(|said| said != is_vouched_for);
            // A memory that was edited in place has another trust than the text that was indexed.
            self.is_table_wrong |= is_wrong && self.snapshot.trust_prefix_at(position) == trust_prefix_of(&record);
            if !is_vouched_for && matches!(self.part, Part::Vouched(_)) {
                return None;
            }
        }
        Some(Verified { position, document, record, level, unreviewed, origin: self.origin(position) })
    }
}

/// Returns the category of the folder that contains a memory's file.
fn category_of_path(path: &str) -> Option<&'static str> {
    let (folder, _) = path.strip_prefix(".claude/memory/")?.split_once('/')?;
    category_of(folder)
}
