//! Snapshots from memory files, and what a change of files does to one (SPEC 22).

use crate::bm25::{Settings, grid_average};
use crate::document::Document;
use crate::layout::{Analyzer, BY_PATH, DEAD, Header, KINDS, NAMES, PLACES, RECORDS, SegmentError, VECTORS, WATERMARK};
use crate::segment::Statistics;
use crate::segment_builder::Builder;
use crate::segment_writer::{LEFT_OUT, Lists, Part, write_segment};
use crate::snapshot::{Snapshot, SnapshotPart, UNKNOWN_NAME};
use crate::stored_document::{Stamp, StoredDocument};
use crate::threads::map_shares;
use crate::tokenize::{Revision, for_each_token};
use crate::vectors::{RowMaker, write_vectors};

/// A snapshot up to this size is written as a whole.
const WHOLE_MAX: usize = 2048;
const DELTA_MAX: usize = 256;
const DELTA_SHARE: usize = 16;

const IN_TITLE: u8 = 1;
const IN_TAGS: u8 = 2;

const BAD_LINE: &str = "a `category` or `tags` that no index line can hold";

/// A memory file.
#[derive(Debug, Clone)]
pub struct MemoryFile {
    /// Category by its folder.
    pub category: String,
    /// Path relative to the project, with forward slashes.
    pub path: String,
    /// Content; `None` where it cannot be read.
    pub data: Option<Vec<u8>>,
    /// Size and modification time.
    pub stamp: Stamp,
}

/// Path and reason of each file that has no document and does not say itself that it takes no part.
pub type Skipped = Vec<(String, &'static str)>;

/// What becomes of a snapshot's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The bytes of a new base; `None` where the old one stays.
    pub base: Option<Vec<u8>>,
    /// The bytes of the delta; `None` where there is to be none.
    pub delta: Option<Vec<u8>>,
    /// What has no document.
    pub skipped: Skipped,
}

/// Documents that are in no snapshot yet, in their order, with what a segment keeps of them.
struct Loose {
    builders: Vec<Builder>,
    stored: Vec<StoredDocument>,
}

type Read = ((String, String, usize, String), Document, StoredDocument);

impl Loose {
    /// Read from files in at most `threads` threads.
    fn read(files: &[MemoryFile], skipped: &mut Skipped, threads: usize) -> Self {
        let read = map_shares(files, threads, |share| share.iter().map(read_file).collect::<Vec<_>>());
        let mut found: Vec<Read> = Vec::with_capacity(files.len());
        for (file, result) in files.iter().zip(read.into_iter().flatten()) {
            match result {
                Ok(document) => found.push(document),
                Err(Some(reason)) => skipped.push((file.path.clone(), reason)),
                Err(None) => {}
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let builders = map_shares(&found, threads, build);
        let mut stored: Vec<_> = found.iter().map(|(_, _, stored)| stored.clone()).collect();
        let lengths =
            builders.iter().flat_map(|builder| (0..builder.documents()).map(|number| builder.lengths(number)));
        stored.iter_mut().zip(lengths).for_each(|(stored, lengths)| stored.lengths = lengths);
        Self { builders, stored }
    }

    /// A part for each builder, `numbers` being those of all documents.
    fn parts<S>(&self, numbers: &[u32]) -> Vec<Part<'_, S>> {
        let mut rest = numbers;
        let part = |builder| {
            let (numbers, behind) = rest.split_at_checked(Builder::documents(builder) as usize).unwrap_or((rest, &[]));
            rest = behind;
            Part { lists: Lists::Builder(builder), numbers: numbers.to_vec() }
        };
        self.builders.iter().map(part).collect()
    }
}

/// A document with its sort key, or why the file has none, if that is to be told.
fn read_file(file: &MemoryFile) -> Result<Read, Option<&'static str>> {
    let document = Document::read(&file.category, &file.path, file.data.as_deref());
    let document = document.map_err(|unfit| (!unfit.is_inactive).then_some(unfit.reason))?;
    let stored = StoredDocument::new(&document, file.stamp).ok_or(Some(BAD_LINE))?;
    Ok((stored.order_key(), document, stored))
}

fn build(documents: &[Read]) -> Builder {
    let (mut builder, mut rows) = (Builder::new(Analyzer::Terms), RowMaker::default());
    for (_, document, stored) in documents {
        let [title, tags, body] = document.fields();
        builder.push([&title, &tags, &body]);
        builder.push_row(rows.document_row(&title, &tags, &body));
        if let Some(line) = stored.parts() {
            for_each_token(line.title, Revision::Current, &mut |word| builder.push_word(word.as_bytes(), IN_TITLE));
            line.tags.iter().for_each(|tag| builder.push_word(tag.as_bytes(), IN_TAGS));
        }
        document.links().iter().for_each(|link| builder.push_link(link.as_bytes()));
    }
    builder
}

/// The bytes of a snapshot of memory files in any order, and what has no document.
///
/// At most `threads` threads work at it; the bytes do not depend on them.
#[must_use]
pub fn build_snapshot(
    files: &[MemoryFile],
    watermark: &[i64; 6],
    settings: &Settings,
    threads: usize,
) -> (Vec<u8>, Skipped) {
    let mut skipped = Vec::new();
    let loose = Loose::read(files, &mut skipped, threads);
    let documents = count(loose.stored.len());
    let totals = totals(&loose.stored);
    let statistics = Statistics { settings: *settings, averages: averages(totals, documents), totals };
    let header = Header { documents, analyzer: Analyzer::Terms, base_checksum: 0, base_documents: 0 };
    let numbers: Vec<u32> = (0..documents).collect();
    let parts = loose.parts::<&[u8]>(&numbers);
    (write(&header, &statistics, &parts, &loose.stored, watermark, Vec::new(), threads), skipped)
}

impl<S: AsRef<[u8]> + Sync> Snapshot<S> {
    /// What becomes of base and delta when files were written or removed.
    ///
    /// With `is_whole` a small snapshot, or one whose delta has grown too large, becomes one file. `None` where that
    /// takes impacts that only a new build can make. An error where the snapshot is damaged.
    pub fn update(
        &self,
        changed: &[MemoryFile],
        removed: &[String],
        watermark: &[i64; 6],
        is_whole: bool,
    ) -> Result<Option<Updated>, SegmentError> {
        let mut skipped = Vec::new();
        let loose = Loose::read(changed, &mut skipped, 1);
        let mut gone: Vec<Vec<u32>> = self.parts.iter().map(|part| part.dead.clone()).collect();
        for path in removed.iter().chain(changed.iter().map(|file| &file.path)) {
            let place = self.find(path).and_then(|position| self.place(position));
            if let Some((numbers, number)) = place.and_then(|(place, number)| Some((gone.get_mut(place)?, number))) {
                numbers.push(number);
            }
        }
        for numbers in &mut gone {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let Some((base, deltas)) = self.parts.split_first() else { return Ok(None) };
        let (gone_of_base, gone_of_deltas) =
            gone.split_first().map_or((&[][..], &[][..]), |(first, rest)| (first, rest));
        let living =
            |part: &SnapshotPart<S>, gone: &[u32]| (part.segment.documents() as usize).saturating_sub(gone.len());
        let in_delta = loose.stored.len()
            + deltas.iter().zip(gone_of_deltas).map(|(part, gone)| living(part, gone)).sum::<usize>();
        let limit = DELTA_MAX.max(base.segment.documents() as usize / DELTA_SHARE);
        let whole = living(base, gone_of_base) + in_delta;
        if is_whole && (whole <= WHOLE_MAX || in_delta.max(gone_of_base.len()) > limit) {
            self.check()?;
            let merged = self.merge(&gone, &loose, watermark);
            return Ok(merged.map(|base| Updated { base: Some(base), delta: None, skipped }));
        }
        let Some(of_base) = base.segment.statistics().filter(|_| self.has_vectors()) else { return Ok(None) };
        deltas.iter().try_for_each(|part| part.segment.check())?;
        let (parts, stored) = renumber(deltas, gone_of_deltas, &loose);
        let header = Header {
            documents: count(stored.len()),
            analyzer: Analyzer::Terms,
            base_checksum: base.segment.checksum(),
            base_documents: base.segment.documents(),
        };
        let dead = gone_of_base.iter().flat_map(|number| number.to_le_bytes()).collect();
        let statistics = Statistics { totals: totals(&stored), ..of_base };
        let delta = write(&header, &statistics, &parts, &stored, watermark, dead, 1);
        Ok(Some(Updated { base: None, delta: Some(delta), skipped }))
    }

    /// One segment of everything that lives; `None` where the averages have moved.
    fn merge(&self, gone: &[Vec<u32>], loose: &Loose, watermark: &[i64; 6]) -> Option<Vec<u8>> {
        let of_base = self.parts.first()?.segment.statistics().filter(|_| self.has_vectors())?;
        let (parts, stored) = renumber(&self.parts, gone, loose);
        let (documents, totals) = (count(stored.len()), totals(&stored));
        if of_base.averages.map(f64::to_bits) != averages(totals, documents).map(f64::to_bits) {
            return None;
        }
        let header = Header { documents, analyzer: Analyzer::Terms, base_checksum: 0, base_documents: 0 };
        Some(write(&header, &Statistics { totals, ..of_base }, &parts, &stored, watermark, Vec::new(), 1))
    }
}

/// The parts of a new segment and its documents in their order.
fn renumber<'a, S: AsRef<[u8]>>(
    sources: &'a [SnapshotPart<S>],
    gone: &[Vec<u32>],
    loose: &'a Loose,
) -> (Vec<Part<'a, S>>, Vec<StoredDocument>) {
    let mut merged = Vec::new();
    for (place, (part, gone)) in sources.iter().zip(gone).enumerate() {
        let living = (0..part.segment.documents()).filter(|number| gone.binary_search(number).is_err());
        let documents = living.filter_map(|number| Some((number, part.document(number)?)));
        merged.extend(documents.map(|(number, document)| (document.order_key(), place, number, document)));
    }
    let loose_documents = (0_u32..).zip(&loose.stored);
    merged.extend(
        loose_documents.map(|(number, document)| (document.order_key(), sources.len(), number, document.clone())),
    );
    merged.sort_by(|a, b| (&a.0, a.1, a.2).cmp(&(&b.0, b.1, b.2)));
    let mut maps: Vec<Vec<u32>> =
        sources.iter().map(|part| vec![LEFT_OUT; part.segment.documents() as usize]).collect();
    maps.push(vec![LEFT_OUT; loose.stored.len()]);
    for (new, (_, place, number, _)) in (0..).zip(&merged) {
        if let Some(slot) = maps.get_mut(*place).and_then(|map| map.get_mut(*number as usize)) {
            *slot = new;
        }
    }
    let of_loose = maps.pop().unwrap_or_default();
    let mut parts: Vec<Part<'a, S>> = sources
        .iter()
        .zip(maps)
        .map(|(part, numbers)| Part { lists: Lists::Segment(&part.segment), numbers })
        .collect();
    parts.extend(loose.parts(&of_loose));
    (parts, merged.into_iter().map(|(_, _, _, document)| document).collect())
}

/// A segment with the sections of a snapshot.
fn write<S: AsRef<[u8]> + Sync>(
    header: &Header,
    statistics: &Statistics,
    parts: &[Part<'_, S>],
    stored: &[StoredDocument],
    watermark: &[i64; 6],
    dead: Vec<u8>,
    threads: usize,
) -> Vec<u8> {
    let categories: Vec<&str> =
        stored.iter().map(|document| document.parts().map_or("", |line| line.category)).collect();
    let mut names = categories.clone();
    names.sort_unstable();
    names.dedup();
    let kind_of =
        |name: &&str| names.binary_search(name).ok().and_then(|place| u8::try_from(place).ok()).unwrap_or(UNKNOWN_NAME);
    let kinds = categories.iter().zip(stored).flat_map(|(name, document)| [kind_of(name), document.status.number()]);
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
        (WATERMARK, watermark.iter().flat_map(|time| time.to_le_bytes()).collect()),
        (NAMES, write_names(&names)),
        (KINDS, kinds.collect()),
        (PLACES, places),
        (RECORDS, records),
        (BY_PATH, by_path.into_iter().flat_map(u32::to_le_bytes).collect()),
        (DEAD, dead),
        (VECTORS, write_vectors(parts, header.documents)),
    ];
    write_segment(header, statistics, parts, extra, true, threads)
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

fn totals(stored: &[StoredDocument]) -> [u64; 3] {
    stored.iter().fold([0; 3], |mut totals, document| {
        totals.iter_mut().zip(document.lengths).for_each(|(total, length)| *total += u64::from(length));
        totals
    })
}

fn averages(totals: [u64; 3], documents: u32) -> [f64; 3] {
    totals.map(|total| grid_average(total, documents))
}

/// Numbers and places are 32 bits wide: a snapshot ends at 4 GiB.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
