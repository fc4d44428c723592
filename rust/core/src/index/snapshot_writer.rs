//! Writes snapshots from memory files, and updates them when files change (SPEC 22).

use crate::index::bm25::AVERAGE_LENGTHS;
use crate::index::documents::{Documents, MemoryFile, Skipped};
use crate::index::layout::{
    Analyzer, BY_PATH, DEAD, Header, KINDS, NAMES, PLACES, QUESTIONS, RECORDS, SegmentError, TRUST, UNFIT, VECTORS,
    WATERMARK,
};
use crate::index::question_vectors::write_questions;
use crate::index::segment::{Statistics, dead_documents};
use crate::index::segment_writer::{LEFT_OUT, Lists, SegmentSource, write_segment};
use crate::index::snapshot::{MAX_DELTAS, PARTIAL, Snapshot, unfit_in};
use crate::index::snapshot_part::{Slice, SnapshotPart, UNKNOWN_NAME};
use crate::index::unfit_files::write_unfit;
use crate::index::vectors::write_vectors;
use crate::memory::stored_document::{Stamp, StoredDocument};
use crate::settings::Bm25Settings;
use std::collections::BTreeMap;

/// A snapshot of up to this many documents is written as a whole.
const WHOLE_MAX: usize = 2048;
const DELTA_MAX: usize = 256;
const DELTA_SHARE: usize = 16;
/// A delta of up to this size is always merged with the new documents. A larger delta is merged only if there are
/// at least half as many newer documents as it has.
const SMALL_DELTA_BYTES: usize = 262_144;

/// How much of the existing snapshot an update may write again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A snapshot that is small, or whose deltas have grown too large, becomes one base. Otherwise all its deltas
    /// become one delta.
    Whole,
    /// The base stays, and all deltas become one delta.
    OneDelta,
    /// The base stays. The newest deltas, up to this many bytes in total, are merged with the new documents, so that
    /// little is written again.
    Merging(usize),
}

/// The new contents of a snapshot's files after an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The bytes of a new base; `None` if the old base stays.
    pub base: Option<Vec<u8>>,
    /// The bytes of the new file of deltas; `None` if the snapshot has no deltas after the update.
    pub delta: Option<Vec<u8>>,
    /// The files that have no document, with the reasons.
    pub skipped: Skipped,
}

/// Builds the bytes of a snapshot from memory files in any order. Also returns each file without a document, with the
/// reason.
///
/// At most `threads` threads are used; the bytes do not depend on the number of threads.
#[must_use]
pub fn build_snapshot(
    files: &[MemoryFile],
    watermark: &[i64; 6],
    settings: &Bm25Settings,
    threads: usize,
) -> (Vec<u8>, Skipped) {
    let documents = Documents::read(files, threads);
    let data = snapshot_of(&documents, watermark, settings, threads);
    (data, documents.skipped)
}

/// Builds the bytes of a snapshot from documents that were already read.
#[must_use]
pub fn snapshot_of(documents: &Documents, watermark: &[i64; 6], settings: &Bm25Settings, threads: usize) -> Vec<u8> {
    let (parts, stored) = renumber::<&[u8]>(&[], &[], documents);
    let contents = Contents {
        statistics: Statistics { settings: *settings, averages: AVERAGE_LENGTHS },
        base: (0, 0),
        watermark,
        dead: &[],
        unfit: write_unfit(&BTreeMap::new(), &documents.unfit),
        stored: &stored,
    };
    contents.write(&parts, threads)
}

impl<S: AsRef<[u8]> + Send + Sync> Snapshot<S> {
    /// The new base and deltas after some files were written (`changed`) and some removed (`removed`).
    ///
    /// `None` if the snapshot must be rebuilt, because its impacts or vectors were computed in another way. An error if
    /// the snapshot is damaged.
    pub fn update(
        &self,
        changed: &Documents,
        removed: &[String],
        watermark: &[i64; 6],
        extent: Extent,
    ) -> Result<Option<Updated>, SegmentError> {
        let gone = self.find_gone(changed, removed);
        let Some((base, deltas)) = self.parts.split_first() else { return Ok(None) };
        let is_known = self.has_vectors() && self.has_trust();
        let Some(statistics) = self.statistics().filter(|_| is_known) else { return Ok(None) };
        let skipped = changed.skipped.clone();
        if self.becomes_whole(&gone, changed, extent) || self.is_finished(watermark, extent) {
            self.check()?;
            let base = self.merge(statistics, &gone, (changed, removed), watermark);
            return Ok(Some(Updated { base: Some(base), delta: None, skipped }));
        }
        let kept = self.count_kept(&gone, changed, extent);
        let (before, merged) = self.parts.split_at_checked(1 + kept).unwrap_or((&self.parts, &[]));
        let gone_of_merged = gone.get(before.len()..).unwrap_or_default();
        merged.iter().try_for_each(|part| part.segment.check())?;
        let (parts, stored) = renumber(merged, gone_of_merged, changed);
        let (dead, documents) = newly_dead(before, &gone);
        let contents = Contents {
            statistics,
            base: (base.segment.checksum(), documents),
            watermark,
            dead: &dead,
            unfit: write_unfit(&unfit_in(before), &self.unfit_after(changed, removed)),
            stored: &stored,
        };
        let written = contents.write(&parts, 1);
        let kept = deltas.get(..kept).unwrap_or_default();
        let kept_bytes: usize = kept.iter().map(|part| part.segment.bytes().len().next_multiple_of(8)).sum();
        let mut delta = Vec::with_capacity(kept_bytes + written.len());
        for part in kept {
            delta.extend_from_slice(part.segment.bytes());
            delta.resize(delta.len().next_multiple_of(8), 0);
        }
        delta.extend(written);
        Ok(Some(Updated { base: None, delta: Some(delta), skipped }))
    }

    /// For each part, the numbers of the documents that are dead, or whose files were written again or removed.
    fn find_gone(&self, changed: &Documents, removed: &[String]) -> Vec<Vec<u32>> {
        let mut gone: Vec<Vec<u32>> = self.parts.iter().map(|part| part.dead.clone()).collect();
        for path in removed.iter().chain(&changed.paths) {
            let place = self.find(path).and_then(|position| self.place(position));
            if let Some((numbers, number)) = place.and_then(|(place, number)| Some((gone.get_mut(place)?, number))) {
                numbers.push(number);
            }
        }
        for numbers in &mut gone {
            numbers.sort_unstable();
            numbers.dedup();
        }
        gone
    }

    /// The files without a document after the update.
    fn unfit_after(&self, changed: &Documents, removed: &[String]) -> BTreeMap<String, Stamp> {
        let mut files = unfit_in(&self.parts);
        for path in removed.iter().chain(&changed.paths) {
            files.remove(path);
        }
        files.extend(changed.unfit.iter().map(|(path, stamp)| (path.clone(), *stamp)));
        files
    }

    /// Whether the update writes everything into a new base.
    fn becomes_whole(&self, gone: &[Vec<u32>], changed: &Documents, extent: Extent) -> bool {
        if extent != Extent::Whole {
            return false;
        }
        let mut living = self.parts.iter().zip(gone).map(|(part, gone)| count_living(part, gone));
        let of_base = living.next().unwrap_or_default();
        let in_deltas = changed.stored().len() + living.sum::<usize>();
        let base_documents = self.parts.first().map_or(0, |base| base.segment.documents() as usize);
        let limit = DELTA_MAX.max(base_documents / DELTA_SHARE);
        of_base + in_deltas <= WHOLE_MAX || in_deltas.max(gone.first().map_or(0, Vec::len)) > limit
    }

    /// Whether the update completes a partial snapshot that is small enough to be written again as one base.
    fn is_finished(&self, watermark: &[i64; 6], extent: Extent) -> bool {
        let Extent::Merging(limit) = extent else { return false };
        let bytes = self.parts.iter().map(|part| part.segment.bytes().len()).sum::<usize>();
        self.is_partial() && !watermark.contains(&PARTIAL) && bytes <= limit
    }

    /// The number of deltas that stay unchanged; the deltas after them are merged with the new documents.
    fn count_kept(&self, gone: &[Vec<u32>], changed: &Documents, extent: Extent) -> usize {
        let Extent::Merging(limit) = extent else { return 0 };
        let (mut kept, mut bytes, mut documents) = (self.deltas(), 0_usize, changed.stored().len());
        for (part, gone) in self.parts.iter().zip(gone).skip(1).rev() {
            let size = part.segment.bytes().len();
            bytes = bytes.saturating_add(size);
            let is_light = size <= SMALL_DELTA_BYTES || part.segment.documents() as usize <= 2 * documents;
            if kept < MAX_DELTAS && (bytes > limit || !is_light) {
                break;
            }
            kept -= 1;
            documents += count_living(part, gone);
        }
        kept
    }

    /// The bytes of one segment with all documents that are living after the update.
    fn merge(
        &self,
        statistics: Statistics,
        gone: &[Vec<u32>],
        (changed, removed): (&Documents, &[String]),
        watermark: &[i64; 6],
    ) -> Vec<u8> {
        let (parts, stored) = renumber(&self.parts, gone, changed);
        let contents = Contents {
            statistics,
            base: (0, 0),
            watermark,
            dead: &[],
            unfit: write_unfit(&BTreeMap::new(), &self.unfit_after(changed, removed)),
            stored: &stored,
        };
        contents.write(&parts, 1)
    }
}

fn count_living<S: AsRef<[u8]>>(part: &SnapshotPart<S>, gone: &[u32]) -> usize {
    (part.segment.documents() as usize).saturating_sub(gone.len())
}

/// The positions of the documents that a new delta must list as dead, and the number of documents in `parts`. Documents
/// that are already listed as dead are left out.
fn newly_dead<S: AsRef<[u8]>>(parts: &[SnapshotPart<S>], gone: &[Vec<u32>]) -> (Vec<u32>, u32) {
    let segments: Vec<_> = parts.iter().map(|part| &part.segment).collect();
    let (mut dead, mut begin) = (Vec::new(), 0_u32);
    for ((segment, gone), named) in segments.iter().zip(gone).zip(dead_documents(&segments)) {
        let unnamed = gone.iter().filter(|number| named.binary_search(number).is_err());
        dead.extend(unnamed.map(|number| begin.saturating_add(*number)));
        begin = begin.saturating_add(segment.documents());
    }
    (dead, begin)
}

/// The sources of a new segment, and the segment's documents in document order.
fn renumber<'a, S: AsRef<[u8]>>(
    sources: &'a [SnapshotPart<S>],
    gone: &[Vec<u32>],
    new: &'a Documents,
) -> (Vec<SegmentSource<'a, Slice<S>>>, Vec<StoredDocument>) {
    let mut merged = Vec::new();
    for (place, (part, gone)) in sources.iter().zip(gone).enumerate() {
        let living = (0..part.segment.documents()).filter(|number| gone.binary_search(number).is_err());
        let documents = living.filter_map(|number| {
            let mut document = part.document(number)?;
            document.set_trust(part.trust_prefix(number));
            Some((number, document))
        });
        merged.extend(documents.map(|(number, document)| (document.order_key(), place, number, document)));
    }
    let of_new = (0_u32..).zip(new.stored());
    merged.extend(of_new.map(|(number, document)| (document.order_key(), sources.len(), number, document.clone())));
    merged.sort_by(|a, b| (&a.0, a.1, a.2).cmp(&(&b.0, b.1, b.2)));
    let mut maps: Vec<Vec<u32>> =
        sources.iter().map(|part| vec![LEFT_OUT; part.segment.documents() as usize]).collect();
    maps.push(vec![LEFT_OUT; new.stored().len()]);
    for (number, (_, place, old, _)) in (0..).zip(&merged) {
        if let Some(slot) = maps.get_mut(*place).and_then(|map| map.get_mut(*old as usize)) {
            *slot = number;
        }
    }
    let of_new = maps.pop().unwrap_or_default();
    let mut parts: Vec<SegmentSource<'a, Slice<S>>> = sources
        .iter()
        .zip(maps)
        .map(|(part, numbers)| SegmentSource { lists: Lists::Segment(&part.segment), numbers })
        .collect();
    parts.extend(new.parts(&of_new));
    (parts, merged.into_iter().map(|(_, _, _, document)| document).collect())
}

/// What a new segment contains in addition to its posting lists.
struct Contents<'a> {
    statistics: Statistics,
    /// In a delta, the checksum of its base and the number of documents in the segments before the delta; else zeros.
    base: (u32, u32),
    watermark: &'a [i64; 6],
    dead: &'a [u32],
    unfit: Vec<u8>,
    stored: &'a [StoredDocument],
}

impl Contents<'_> {
    /// The bytes of a segment with all sections of a snapshot.
    fn write<S: AsRef<[u8]> + Sync>(&self, parts: &[SegmentSource<'_, S>], threads: usize) -> Vec<u8> {
        let stored = self.stored;
        let (base_checksum, base_documents) = self.base;
        let header =
            Header { documents: count(stored.len()), analyzer: Analyzer::Terms, base_checksum, base_documents };
        let categories: Vec<&str> =
            stored.iter().map(|document| document.parts().map_or("", |line| line.category)).collect();
        let mut names = categories.clone();
        names.sort_unstable();
        names.dedup();
        let number_of = |name: &&str| names.binary_search(name).ok().and_then(|place| u8::try_from(place).ok());
        let kind_of = |name: &&str| number_of(name).unwrap_or(UNKNOWN_NAME);
        let kinds =
            categories.iter().zip(stored).flat_map(|(name, document)| [kind_of(name), document.status.number()]);
        let (mut places, mut records) = (Vec::new(), Vec::new());
        for document in stored {
            places.extend(count(records.len()).to_le_bytes());
            records.extend(document.encode());
        }
        if !stored.is_empty() {
            places.extend(count(records.len()).to_le_bytes());
        }
        let mut by_path: Vec<u32> = (0..header.documents).collect();
        by_path.sort_by_key(|number| stored.get(*number as usize).map(StoredDocument::path));
        let extra = vec![
            (WATERMARK, self.watermark.iter().flat_map(|time| time.to_le_bytes()).collect()),
            (NAMES, write_names(&names)),
            (KINDS, kinds.collect()),
            (PLACES, places),
            (RECORDS, records),
            (BY_PATH, by_path.into_iter().flat_map(u32::to_le_bytes).collect()),
            (DEAD, self.dead.iter().flat_map(|number| number.to_le_bytes()).collect()),
            (VECTORS, write_vectors(parts, header.documents)),
            (UNFIT, self.unfit.clone()),
            (QUESTIONS, write_questions(parts)),
            (TRUST, stored.iter().flat_map(|document| document.trust).collect()),
        ];
        write_segment(&header, &self.statistics, parts, extra, true, threads)
    }
}

fn write_names(names: &[&str]) -> Vec<u8> {
    if names.is_empty() {
        return Vec::new();
    }
    let mut end = 0;
    let ends = names.iter().flat_map(|name| {
        end += name.len();
        count(end).to_le_bytes()
    });
    let mut section: Vec<u8> = count(names.len()).to_le_bytes().into_iter().chain(ends).collect();
    section.extend(names.iter().flat_map(|name| name.bytes()));
    section
}

/// Converts a number or offset to 32 bits, which is enough because a snapshot can have at most 4 GiB.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
