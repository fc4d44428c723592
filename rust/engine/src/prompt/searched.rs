//! The documents of the stores that count, joined for one search (SPEC 48.6).

use crate::prompt::answer::{Answer, Upkeep};
use crate::prompt::question::Review;
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::prompt::store_source::StoreSource;
use crate::store::mapped::Source;
use crate::store::scopes::ScopedStore;
use crate::store::snapshot_file::Loaded;
use crate::store::vouched::VouchedTable;
use cuecard_core::index::Snapshot;
use std::sync::Arc;

/// The documents that a prompt or a tool event is answered from.
pub(crate) struct Searched {
    pub(crate) snapshot: Arc<Snapshot<Source>>,
    sources: Vec<StoreSource>,
    /// For each joined store its place among the stores that count.
    pub(crate) places: Vec<usize>,
    /// For each joined store its place among the others in `Answer`; `None` for the first.
    kept: Vec<Option<usize>>,
}

impl Searched {
    /// Joins the snapshots of the stores that could be loaded, and puts into `answer` what is to be written; `None` if there
    /// are none.
    pub(crate) fn join(stores: &[ScopedStore], loaded: Vec<Option<Loaded>>, answer: &mut Answer) -> Option<Self> {
        let (mut sources, mut places, mut kept, mut snapshots) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (place, (store, loaded)) in stores.iter().zip(loaded).enumerate() {
            let Some(loaded) = loaded else { continue };
            answer.notes.extend(loaded.notes);
            if place == 0 {
                (answer.new_files, answer.rebuilt_index) = (loaded.new_files, loaded.new_index);
                kept.push(None);
            } else {
                kept.push(Some(answer.others.len()));
                answer.others.push(Upkeep {
                    project: store.project.clone(),
                    new_files: loaded.new_files,
                    rebuilt_index: loaded.new_index,
                    vouched: None,
                });
            }
            sources.push(StoreSource::of(store, place == 0));
            places.push(place);
            snapshots.push((loaded.snapshot, store.is_counterpart && !snapshots.is_empty()));
        }
        let snapshot = match snapshots.len() {
            0 => return None,
            1 => snapshots.pop()?.0,
            _ => Snapshot::join(snapshots),
        };
        Some(Self { snapshot: Arc::new(snapshot), sources, places, kept })
    }

    /// Returns a recall in these documents.
    pub(crate) fn recall<'a>(&'a self, review: Review, notes: &'a mut Vec<String>) -> SnapshotRecall<'a, Source> {
        SnapshotRecall::of_stores(self.sources.clone(), &self.snapshot, review, notes)
    }

    /// Puts tables, each with the place of its store, into `answer`, which writes them.
    pub(crate) fn keep_all(&self, tables: Vec<(usize, VouchedTable)>, answer: &mut Answer) {
        for (place, table) in tables {
            self.keep(place, table, answer);
        }
    }

    /// Puts the table of the store at a place into `answer`, which writes it.
    fn keep(&self, place: usize, table: VouchedTable, answer: &mut Answer) {
        match self.kept.get(place).copied().flatten() {
            None => answer.vouched = Some(table),
            Some(other) => {
                if let Some(upkeep) = answer.others.get_mut(other) {
                    upkeep.vouched = Some(table);
                }
            }
        }
    }
}
