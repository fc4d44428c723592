//! From a snapshot to the lines of the memories that are shown, each verified against its own file (SPEC 8, 23.3).

use crate::files::{Containment, MAX_RECORD_BYTES, Unread, read_bounded};
use crate::mapped::Source;
use crate::root::Project;
use crate::snapshot_file::stamp_of;
use cuecard_core::{
    Config, Context, Document, Filters, GateSetting, LexicalConfig, Recall, RecallConfig, Request, Scratch, Snapshot,
    Status, StoredDocument, Strategy, recency_points,
};
use std::collections::BTreeMap;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// So many members of the keyword leg's shortlist may gain points of recency.
const DEEP_CHECK_LIMIT: usize = 20;
/// So many more than are shown are found at first: some may turn out to be gone.
const SPARE: usize = 8;

/// The settings of a store.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub(crate) config: &'a Config,
    pub(crate) lexical: &'a LexicalConfig,
    pub(crate) recall: &'a RecallConfig,
}

/// The memories that a prompt is answered with.
pub(crate) struct SnapshotRecall<'a> {
    snapshot: &'a Snapshot<Source>,
    settings: Settings<'a>,
    notes: &'a mut Vec<String>,
    containment: Containment,
    now: i64,
    scratch: Scratch,
    /// By position: what has been found out about the memories that were looked at.
    seen: BTreeMap<u32, Option<StoredDocument>>,
}

impl<'a> SnapshotRecall<'a> {
    pub(crate) fn new(
        project: &Project,
        snapshot: &'a Snapshot<Source>,
        settings: Settings<'a>,
        notes: &'a mut Vec<String>,
    ) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        Self {
            snapshot,
            settings,
            notes,
            containment: Containment::new(&project.root, &project.memory_dir),
            now: i64::try_from(now).unwrap_or(i64::MAX),
            scratch: Scratch::default(),
            seen: BTreeMap::new(),
        }
    }

    /// The best memories, at most as many as are configured; `history` are the prompts before, the oldest first.
    pub(crate) fn choose(&mut self, prompt: &str, history: &[String]) -> Vec<StoredDocument> {
        let wanted = self.settings.config.max_inject;
        let is_gated =
            self.settings.config.strategy == Strategy::Hybrid && self.settings.recall.gate_setting != GateSetting::Off;
        // The gate looks at no more than the first few.
        let mut count = if is_gated { wanted } else { wanted + SPARE };
        let is_keyword = matches!(self.settings.config.strategy, Strategy::Keyword | Strategy::KeywordClassic);
        if is_keyword {
            count += DEEP_CHECK_LIMIT;
        }
        loop {
            let mut found = self.search(prompt, history, count);
            let is_all = found.len() < count;
            if is_keyword {
                found = self.deep_check(&found);
            }
            let mut memories = Vec::new();
            for (position, _) in found {
                if memories.len() == wanted {
                    break;
                }
                memories.extend(self.verify(position));
            }
            if is_all || is_gated || memories.len() == wanted {
                return memories;
            }
            count *= 4;
        }
    }

    fn search(&mut self, prompt: &str, history: &[String], count: usize) -> Vec<(u32, i64)> {
        let context =
            Context { descriptions: &self.settings.config.descriptions, synonyms: &self.settings.lexical.synonyms };
        let filters = Filters::default();
        if self.settings.config.strategy == Strategy::Hybrid {
            let request = Request { prompt, history, context, config: self.settings.recall, now: self.now };
            let recall = Recall::new(self.snapshot, request, count, &filters, &mut self.scratch);
            let chosen = recall.choose(count, self.settings.recall.gate_setting);
            return chosen.into_iter().map(|found| (found.position, found.score)).collect();
        }
        self.snapshot.search(prompt, self.settings.config.strategy, count, context, &filters, &mut self.scratch)
    }

    /// The shortlist with the points of recency of its first members, in its order then (SPEC 8.1, 8.3).
    fn deep_check(&mut self, shortlist: &[(u32, i64)]) -> Vec<(u32, i64)> {
        let mut checked = Vec::new();
        for (place, (position, score)) in shortlist.iter().copied().enumerate() {
            if place >= DEEP_CHECK_LIMIT {
                checked.push((position, score));
            } else if let Some(document) = self.verify(position) {
                checked.push((position, score + recency_points(document.updated_at, self.now)));
            }
        }
        self.snapshot.order_keyword(&checked)
    }

    /// The memory at a position as its file has it now; `None` where it must not be shown.
    fn verify(&mut self, position: u32) -> Option<StoredDocument> {
        if let Some(known) = self.seen.get(&position) {
            return known.clone();
        }
        let document = self.snapshot.document(position).and_then(|document| self.look_at(document));
        self.seen.insert(position, document.clone());
        document
    }

    fn look_at(&mut self, document: StoredDocument) -> Option<StoredDocument> {
        let path = document.path();
        let Some(located) = self.containment.locate(path) else {
            self.notes.push(format!("`{path}` is outside the store"));
            return None;
        };
        let stamp = fs::metadata(&located).ok().filter(fs::Metadata::is_file).map(|metadata| stamp_of(&metadata));
        if stamp == Some(document.stamp) {
            return Some(document);
        }
        match read_bounded(&located, MAX_RECORD_BYTES) {
            Ok(data) => {
                let category = document.parts()?.category.to_ascii_lowercase();
                let changed = Document::read(&category, path, Some(&data)).ok()?;
                let changed = StoredDocument::new(&changed, stamp.unwrap_or_default())?;
                (changed.status == Status::Active).then_some(changed)
            }
            // What cannot be read cannot say that it is retired.
            Err(unread) => {
                self.notes.push(format!("`{path}` {}", unread.words()));
                (unread != Unread::Missing).then_some(document)
            }
        }
    }
}
