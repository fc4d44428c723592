//! Writes segments from documents and other segments by merging and renumbering their lists (SPEC 20, 22.6).

use crate::index::concept_graph_writer::GraphWriter;
use crate::index::dictionary::{Dictionary, DictionaryWriter};
use crate::index::layout::{
    GRAPH, Header, LINK_POSTINGS, LINKS, NORMS, STATISTICS, TERM_POSTINGS, TERMS, WORD_POSTINGS, WORDS, write_file,
};
use crate::index::postings::{PostingsWriter, postings};
use crate::index::segment::{Segment, Statistics};
use crate::index::segment_builder::{Builder, Sorted};
use crate::index::threads::map_shares;

/// The value in [`SegmentSource::numbers`] for a document that is left out.
pub const LEFT_OUT: u32 = u32::MAX;

/// Where the posting lists of a source come from.
#[derive(Debug)]
pub enum Lists<'a, S> {
    /// Counted documents; their impacts are computed from the statistics of the new segment.
    Builder(&'a Builder),
    /// An existing segment; its impacts are copied.
    Segment(&'a Segment<S>),
}

/// A source of documents for a new segment.
#[derive(Debug)]
pub struct SegmentSource<'a, S> {
    /// The posting lists of the documents.
    pub lists: Lists<'a, S>,
    /// The number of each document in the new segment, ascending; [`LEFT_OUT`] for a document that is left out.
    pub numbers: Vec<u32>,
}

/// Writes the bytes of a segment with the documents of `parts`.
///
/// `extra` contains further sections. `has_norms` adds the norms of the tf-idf vectors and, in a base, the concept
/// graph. At most `threads` threads are used. The bytes depend neither on the number of threads nor on how the
/// documents were split into parts.
#[must_use]
pub fn write_segment<S: AsRef<[u8]> + Sync>(
    header: &Header,
    statistics: &Statistics,
    parts: &[SegmentSource<'_, S>],
    extra: Vec<(u32, Vec<u8>)>,
    has_norms: bool,
    threads: usize,
) -> Vec<u8> {
    let mut norms = vec![0_u64; if has_norms { header.documents as usize } else { 0 }];
    let is_base = header.base_checksum == 0 && header.base_documents == 0;
    let mut graph = GraphWriter::new(if has_norms && is_base { header.documents } else { 0 });
    let mut sections = extra;
    sections.push((STATISTICS, statistics.write()));
    let terms = merge_parts(parts, TERMS, statistics, threads, |list| {
        if has_norms {
            add_squares(&mut norms, list);
        }
        graph.push(list);
    });
    sections.extend([(TERMS, terms.0), (TERM_POSTINGS, terms.1)]);
    let words = merge_parts(parts, WORDS, statistics, threads, |_| ());
    sections.extend([(WORDS, words.0), (WORD_POSTINGS, words.1)]);
    let links = merge_parts(parts, LINKS, statistics, threads, |_| ());
    sections.extend([(LINKS, links.0), (LINK_POSTINGS, links.1)]);
    let norms = norms.into_iter().map(|sum| u32::try_from(sum.isqrt().max(1)).unwrap_or(u32::MAX));
    sections.push((NORMS, norms.flat_map(u32::to_le_bytes).collect()));
    sections.push((GRAPH, graph.finish()));
    sections.sort_by_key(|(kind, _)| *kind);
    write_file(header, &sections)
}

/// The dictionary and concept graph of a segment with all documents of `parts`; `documents` is the number of documents.
#[must_use]
pub(crate) fn graph_of<S: AsRef<[u8]>>(parts: &[SegmentSource<'_, S>], documents: u32) -> (Vec<u8>, Vec<u8>) {
    let mut graph = GraphWriter::new(documents);
    let mut sources: Vec<_> = parts.iter().map(|part| part.cursor(TERMS, None)).collect();
    let (dictionary, _) = merge(&mut sources, |list| graph.push(list));
    (dictionary, graph.finish())
}

/// For each posting of a term, adds the square of the posting's byte to the sum of its document in `norms`.
fn add_squares(norms: &mut [u64], list: &[(u32, u8)]) {
    for (number, byte) in list {
        if let Some(sum) = norms.get_mut(*number as usize) {
            *sum += u64::from(*byte).pow(2);
        }
    }
}

/// Merges the terms, words or links of the parts into a dictionary and posting lists; `see` is called with every list.
fn merge_parts<S: AsRef<[u8]> + Sync>(
    parts: &[SegmentSource<'_, S>],
    kind: u32,
    statistics: &Statistics,
    threads: usize,
    see: impl FnMut(&[(u32, u8)]),
) -> (Vec<u8>, Vec<u8>) {
    let sorted = sort_parts(parts, kind, statistics, threads);
    let mut sources: Vec<_> =
        parts.iter().zip(&sorted).map(|(part, sorted)| part.cursor(kind, sorted.as_ref())).collect();
    merge(&mut sources, see)
}

/// For each part: the sorted postings if the part is a builder, or `None` if it is a segment, which is sorted already.
/// Builders are sorted in several threads.
fn sort_parts<'a, S: AsRef<[u8]> + Sync>(
    parts: &'a [SegmentSource<'_, S>],
    kind: u32,
    statistics: &Statistics,
    threads: usize,
) -> Vec<Option<Sorted<'a>>> {
    let sort =
        |parts: &'a [SegmentSource<'_, S>]| parts.iter().map(|part| part.sort(kind, statistics)).collect::<Vec<_>>();
    map_shares(parts, threads, sort).into_iter().flatten().collect()
}

impl<S: AsRef<[u8]>> SegmentSource<'_, S> {
    fn sort(&self, kind: u32, statistics: &Statistics) -> Option<Sorted<'_>> {
        match self.lists {
            Lists::Builder(builder) => Some(match kind {
                TERMS => builder.sorted_terms(statistics),
                LINKS => builder.sorted_links(),
                _ => builder.sorted_words(),
            }),
            Lists::Segment(_) => None,
        }
    }

    fn cursor<'a>(&'a self, kind: u32, sorted: Option<&'a Sorted<'a>>) -> TextCursor<'a> {
        let texts = match (sorted, &self.lists) {
            (Some(sorted), _) => Texts::Sorted(sorted),
            (None, Lists::Segment(segment)) => {
                Texts::Stored(Dictionary::new(segment.section(kind)), segment.section(kind + 1))
            }
            (None, Lists::Builder(_)) => Texts::Stored(Dictionary::new(&[]), &[]),
        };
        TextCursor { texts, numbers: &self.numbers, place: 0 }
    }
}

enum Texts<'a> {
    Sorted(&'a Sorted<'a>),
    Stored(Dictionary<'a>, &'a [u8]),
}

/// A cursor over the sorted texts of a part.
struct TextCursor<'a> {
    texts: Texts<'a>,
    numbers: &'a [u32],
    place: u32,
}

impl<'a> TextCursor<'a> {
    fn text(&self) -> Option<&'a [u8]> {
        match &self.texts {
            Texts::Sorted(sorted) => sorted.text(self.place as usize),
            Texts::Stored(dictionary, _) => (self.place < dictionary.len()).then(|| dictionary.text(self.place)),
        }
    }

    /// Appends the posting list of the current text, with the document numbers of the new segment.
    fn read_list(&self, list: &mut Vec<(u32, u8)>) {
        let renumbered = |(number, byte): (u32, u8)| {
            let new = self.numbers.get(number as usize).copied().unwrap_or(LEFT_OUT);
            (new != LEFT_OUT).then_some((new, byte))
        };
        match &self.texts {
            Texts::Sorted(sorted) => list.extend(sorted.list(self.place as usize).filter_map(renumbered)),
            Texts::Stored(dictionary, section) => {
                if let Some(entry) = dictionary.entry(self.place) {
                    list.extend(postings(section, &entry).filter_map(renumbered));
                }
            }
        }
    }
}

/// Merges the texts of all sources into a dictionary and posting lists; `see` is called with every list.
fn merge(sources: &mut [TextCursor<'_>], mut see: impl FnMut(&[(u32, u8)])) -> (Vec<u8>, Vec<u8>) {
    let mut dictionary = DictionaryWriter::default();
    let mut lists = PostingsWriter::default();
    let mut list = Vec::new();
    while let Some(text) = sources.iter().filter_map(TextCursor::text).min() {
        list.clear();
        for source in sources.iter_mut().filter(|source| source.text() == Some(text)) {
            source.read_list(&mut list);
            source.place += 1;
        }
        if !list.is_sorted_by(|(a, _), (b, _)| a < b) {
            list.sort_by_key(|(number, _)| *number);
            list.dedup_by_key(|(number, _)| *number);
        }
        if !list.is_empty() && !text.is_empty() {
            dictionary.push(text, lists.push(&list));
            see(&list);
        }
    }
    (dictionary.finish(), lists.finish())
}
