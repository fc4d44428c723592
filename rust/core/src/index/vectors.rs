//! Builds the vectors of memories and prompts, and the section of vectors in a snapshot (SPEC 24).

use crate::index::layout::{VECTORS, u32_at};
use crate::index::lexicon::Lexicon;
use crate::index::other_words::shipped as other_words;
use crate::index::piece_index::PieceIndex;
use crate::index::question_vectors::QuestionVectors;
use crate::index::segment::Segment;
use crate::index::segment_writer::{LEFT_OUT, Lists, SegmentSource};
use crate::index::snapshot::Snapshot;
use crate::index::snapshot_part::SnapshotPart;
use crate::index::static_table::{fingerprint, shipped};
use crate::index::static_vector::{CODE_BYTES, DIMENSIONS, NORM_BYTES, Row, Sums, add_row, quantize, sign_code};
use crate::text::identifier::Identifier;
use crate::text::letters::Kind;
use crate::text::term_words::is_stop_word;
use crate::text::terms::{fit, for_each_chunk, hangul_word};
use std::ops::Range;

const HEADER_BYTES: usize = 8;
/// The weight of a word in a memory's title or tags; a word of the body has weight 1.
const HEADING_WEIGHT: u32 = 3;
/// The maximal number of rows of a text, so that the sums do not overflow. For a prompt, `MAX_WEIGHT` prevents the
/// overflow.
const MAX_TEXT_ROWS: usize = 1 << 21;
/// With at least this many distinct chunks, building a [`PieceIndex`] saves time.
const MANY_CHUNKS: usize = 3000;
const MAX_WEIGHT: u64 = (1 << 24) - 1;
/// The number of documents whose signs are compared at once.
pub(crate) const SIGN_BLOCK: u32 = 64;

/// The words whose rows make up the vector of a text, in text order, including repeated words.
#[must_use]
pub fn vector_words(text: &str) -> Vec<String> {
    let (mut words, mut found) = (ChunkWords::default(), Vec::new());
    for_each_chunk(text, &mut |kind, chunk| words.for_each(kind, chunk, &mut |word| found.push(word.to_owned())));
    found
}

/// The row and norm of a list of words with weights.
///
/// The words are read in order. Reading stops before the word with which the weights of all rows would add up to 2**24
/// or more.
#[must_use]
pub fn row_of_words<W: AsRef<str>>(weighted_words: &[(W, u32)]) -> (Row, u32) {
    let Some(table) = shipped() else { return quantize(&[0; DIMENSIONS]) };
    let (mut sums, mut found, mut total) = ([0; DIMENSIONS], Vec::new(), 0_u64);
    for (word, weight) in weighted_words.iter().filter(|(_, weight)| *weight > 0) {
        found.clear();
        let row = other_words().row(word.as_ref(), table);
        if row.is_none() {
            table.for_each_row(word.as_ref(), &mut |number| found.push(number));
        }
        let count = found.len() + usize::from(row.is_some());
        total = total.saturating_add(u64::from(*weight).saturating_mul(count as u64));
        if total > MAX_WEIGHT {
            break;
        }
        for row in found.iter().filter_map(|number| table.row(*number)).chain(&row) {
            add_row(&mut sums, row, *weight);
        }
    }
    quantize(&sums)
}

/// The checksum that identifies the shipped table and the shipped words of other languages.
#[must_use]
pub fn fingerprints() -> u32 {
    fingerprint() ^ other_words().fingerprint
}

/// Computes the rows of documents, and caches the rows of each distinct chunk.
#[derive(Debug, Default)]
pub struct RowMaker {
    words: ChunkWords,
    chunks: Lexicon,
    /// For each chunk, the index in `numbers` where the chunk's rows end.
    ends: Vec<usize>,
    /// The numbers of the rows of all chunks. Numbers below the number of rows in the table name a row of the table,
    /// higher numbers a row of `means`.
    numbers: Vec<u32>,
    /// The rows of words of other languages.
    means: Vec<Row>,
    /// Built only when there are many chunks, because building takes as long as finding some thousand pieces without
    /// it.
    index: Option<PieceIndex>,
}

/// The sum of the rows of a document's chunks.
#[derive(Debug)]
pub(crate) struct RowSum {
    sums: Sums,
    weight: u32,
    /// The number of rows of the current text.
    rows: usize,
}

impl RowSum {
    pub(crate) fn new() -> Self {
        Self { sums: [0; DIMENSIONS], weight: 1, rows: 0 }
    }

    /// Begins the next text, whose rows have the weight of a body if `is_body` is true, and else of a heading. Before
    /// the first call, rows have the weight of a body.
    pub(crate) fn begin_text(&mut self, is_body: bool) -> &mut Self {
        (self.weight, self.rows) = (if is_body { 1 } else { HEADING_WEIGHT }, 0);
        self
    }

    /// The sum as a quantized row, and the norm of the row.
    pub(crate) fn finish(&self) -> (Row, u32) {
        quantize(&self.sums)
    }
}

impl RowMaker {
    /// The row and norm of a document's vector.
    pub fn document_row(&mut self, title: &str, tags: &str, body: &str) -> (Row, u32) {
        let mut sum = RowSum::new();
        for (text, is_body) in [(title, false), (tags, false), (body, true)] {
            sum.begin_text(is_body);
            for_each_chunk(text, &mut |kind, chunk| {
                let number = self.chunk_number(kind, chunk);
                self.add_chunk(number, &mut sum);
            });
        }
        sum.finish()
    }

    /// The number of a chunk; chunks are numbered in the order of their first appearance.
    pub(crate) fn chunk_number(&mut self, kind: Kind, chunk: &str) -> usize {
        let number = self.chunks.number(chunk.as_bytes()) as usize;
        if number == self.ends.len() {
            self.find_rows(kind, chunk);
        }
        number
    }

    /// Adds the rows of a chunk to `sum`. Once the text would have too many rows, this chunk and all later chunks are
    /// left out.
    pub(crate) fn add_chunk(&self, number: usize, sum: &mut RowSum) {
        let Some(table) = shipped() else { return };
        if sum.rows > MAX_TEXT_ROWS {
            return;
        }
        let rows = range_of(&self.ends, &self.numbers, number);
        sum.rows += rows.len();
        if sum.rows <= MAX_TEXT_ROWS {
            for number in rows {
                let row = table.row(*number).or_else(|| self.means.get(number.wrapping_sub(table.rows()) as usize));
                if let Some(row) = row {
                    add_row(&mut sum.sums, row, sum.weight);
                }
            }
        }
    }

    fn find_rows(&mut self, kind: Kind, chunk: &str) {
        let Self { words, numbers, means, index, .. } = self;
        if let Some(table) = shipped() {
            if self.ends.len() == MANY_CHUNKS {
                *index = Some(PieceIndex::new(table));
            }
            words.for_each(kind, chunk, &mut |word| {
                if let Some(row) = other_words().row(word, table) {
                    numbers.push(table.rows().saturating_add(u32::try_from(means.len()).unwrap_or(u32::MAX)));
                    means.push(row);
                    return;
                }
                let mut found = |number| numbers.push(number);
                match index {
                    Some(index) => index.for_each_row(word, &mut found),
                    None => table.for_each_row(word, &mut found),
                }
            });
        }
        self.ends.push(self.numbers.len());
    }
}

/// The list at index `place` of several lists that are stored one after another; `ends` gives the end of each list.
pub(crate) fn range_of<'a>(ends: &[usize], numbers: &'a [u32], place: usize) -> &'a [u32] {
    let begin = place.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    numbers.get(begin..ends.get(place).copied().unwrap_or(begin)).unwrap_or_default()
}

/// The bytes of the section of vectors for a segment made of `parts`.
pub(crate) fn write_vectors<S: AsRef<[u8]>>(parts: &[SegmentSource<'_, S>], documents: u32) -> Vec<u8> {
    let (codes, rows) = places(documents);
    let mut section = vec![0; rows + DIMENSIONS * documents as usize];
    let mut put = |at: usize, bytes: &[u8]| {
        if let Some(place) = section.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    put(0, &fingerprints().to_le_bytes());
    for part in parts {
        let vectors = match &part.lists {
            Lists::Segment(segment) => Some(Vectors::of(segment)),
            Lists::Builder(_) => None,
        };
        for (number, new) in (0..).zip(&part.numbers).filter(|(_, new)| **new != LEFT_OUT) {
            let found = match &part.lists {
                Lists::Builder(builder) => builder.row(number),
                Lists::Segment(_) => vectors.and_then(|vectors| Some((vectors.row(number)?, vectors.norm(number)))),
            };
            let (Some((row, norm)), new) = (found, *new as usize) else { continue };
            put(HEADER_BYTES + NORM_BYTES * new, &norm.to_le_bytes());
            put(codes + CODE_BYTES * new, &sign_code(row).to_le_bytes());
            put(rows + DIMENSIONS * new, row);
        }
    }
    section
}

/// The byte offsets, in the section, of the codes and of the rows.
fn places(documents: u32) -> (usize, usize) {
    let codes = HEADER_BYTES + NORM_BYTES * documents as usize;
    (codes, codes + CODE_BYTES * documents as usize)
}

/// A view of a segment's section of vectors. If the segment has no such section, no document has a vector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vectors<'a> {
    /// The [`fingerprints`] of the tables that the vectors were made with; `None` without a section.
    fingerprint: Option<u32>,
    norms: &'a [u8],
    codes: &'a [u8],
    rows: &'a [u8],
}

impl<'a> Vectors<'a> {
    /// The vectors of a segment; opening the segment has checked the length of the section.
    pub(crate) fn of<S: AsRef<[u8]>>(segment: &'a Segment<S>) -> Self {
        let section = segment.section(VECTORS);
        let (codes, rows) = places(segment.documents());
        let within = |range: Range<usize>| section.get(range).unwrap_or_default();
        Self {
            fingerprint: u32_at(section, 0),
            norms: within(HEADER_BYTES..codes),
            codes: within(codes..rows),
            rows: within(rows..section.len()),
        }
    }

    /// The norm of a document's row.
    pub(crate) fn norm(&self, number: u32) -> u32 {
        u32_at(self.norms, NORM_BYTES * number as usize).unwrap_or_default()
    }

    /// A document's row.
    pub(crate) fn row(&self, number: u32) -> Option<&'a Row> {
        self.rows.get(DIMENSIONS * number as usize..)?.first_chunk()
    }

    /// The number, norm and row of each document.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, u32, &'a Row)> {
        let norms = self.norms.chunks_exact(NORM_BYTES).filter_map(<[u8]>::first_chunk).copied();
        let rows = self.rows.chunks_exact(DIMENSIONS).filter_map(<[u8]>::first_chunk);
        (0..).zip(norms.map(u32::from_le_bytes).zip(rows)).map(|(number, (norm, row))| (number, norm, row))
    }

    /// For each block of documents, the number of its first document, and for each of its documents the number of columns
    /// in which the signs of its row differ from `code`.
    pub(crate) fn distances(&self, code: u128) -> impl Iterator<Item = (u32, SignDistances)> {
        let blocks = self.codes.chunks(CODE_BYTES * SIGN_BLOCK as usize);
        (0..).step_by(SIGN_BLOCK as usize).zip(blocks.map(move |codes| SignDistances::of(codes, code)))
    }
}

/// The distances of a block of documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignDistances {
    distances: [u8; SIGN_BLOCK as usize],
    len: usize,
}

impl SignDistances {
    #[expect(clippy::cast_possible_truncation, reason = "a count of at most 128")]
    fn of(codes: &[u8], code: u128) -> Self {
        let mut distances = [0; SIGN_BLOCK as usize];
        for (distance, other) in distances.iter_mut().zip(codes.chunks_exact(CODE_BYTES)) {
            let other = other.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
            *distance = (other ^ code).count_ones() as u8;
        }
        Self { distances, len: codes.len() / CODE_BYTES }
    }

    /// The distance of each document.
    pub(crate) fn each(&self) -> &[u8] {
        self.distances.get(..self.len).unwrap_or_default()
    }
}

impl<S: AsRef<[u8]>> SnapshotPart<S> {
    pub(crate) fn vectors(&self) -> Vectors<'_> {
        Vectors::of(&self.segment)
    }

    pub(crate) fn question_vectors(&self) -> QuestionVectors<'_> {
        QuestionVectors::of(&self.segment)
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// Whether all vectors were made with the tables of this program.
    pub(crate) fn has_vectors(&self) -> bool {
        self.parts.iter().all(|part| part.vectors().fingerprint == Some(fingerprints()))
    }
}

/// Splits chunks into words; one value is reused for many chunks.
#[derive(Debug, Default)]
struct ChunkWords {
    identifier: Identifier,
}

impl ChunkWords {
    /// Calls `keep` with the words of a chunk: the parts of an identifier, a plain word, or a Korean word including its
    /// particles.
    fn for_each(&mut self, kind: Kind, chunk: &str, keep: &mut impl FnMut(&str)) {
        match kind {
            Kind::Letter => {
                self.identifier.split(chunk);
                let mut parts = self.identifier.parts().peekable();
                let whole = parts.peek().is_none().then_some(self.identifier.whole());
                parts.chain(whole).filter(|word| !is_stop_word(word)).filter_map(fit).for_each(keep);
            }
            Kind::Hangul => {
                if let Some(run) = hangul_word(chunk).and(fit(chunk)) {
                    let mut is_found = false;
                    other_words().for_each_word(kind, run, &mut |word| {
                        is_found = true;
                        keep(word);
                    });
                    if !is_found {
                        keep(run);
                    }
                }
            }
            Kind::Ideographs | Kind::Unspaced | Kind::Separator => other_words().for_each_word(kind, chunk, keep),
        }
    }
}
