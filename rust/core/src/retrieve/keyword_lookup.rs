//! The keyword retriever on the dictionary of words (SPEC 22.3); it finds the same documents as a scan of the index
//! lines.

use crate::classic::keyword::{PREFIX_LENGTH, PREFIX_POINTS, Query, TAG_POINTS, TITLE_POINTS};
use crate::index::dictionary::{Dictionary, Entry};
use crate::index::postings::{CHUNK, Run, runs};
use crate::index::segment::Segment;
use crate::text::tokenize::Revision;
use std::iter::Peekable;

/// The points for each value of a posting's two low bits: bit 1 means a word of the title, bit 2 a word of the tags.
const POINTS: [u16; 4] = [0, TITLE_POINTS, TAG_POINTS, TITLE_POINTS + TAG_POINTS];

/// Calls `keep` with the number and points of every document that matches a token of the prompt, in no particular
/// order. With `also_untouched`, `keep` is called for all documents. Points of category descriptions are not included.
pub(crate) fn score_words<S: AsRef<[u8]>>(
    segment: &Segment<S>,
    query: &Query,
    also_untouched: bool,
    mut keep: impl FnMut(u32, i64),
) {
    let (words, section) = (segment.words(), segment.word_postings());
    let mut lists: Vec<_> = query.tokens().iter().map(|token| Match::find(token, query, &words, section)).collect();
    let documents = segment.documents();
    let size = CHUNK.min(documents as usize);
    // A prompt has at most 4,096 tokens of at most five points, so 16 bits are enough, and the sums stay in the cache.
    let mut scores = vec![0_u16; size];
    // For each document, the number (from 1) of the last token that has matched it.
    let mut matched_by = vec![0_u16; size];
    let mut touched: Vec<u16> = Vec::new();
    for (chunk, first) in (0..=u16::MAX).zip((0..documents).step_by(CHUNK)) {
        let within = CHUNK.min((documents - first) as usize);
        for (token, found) in (1..=u16::MAX).zip(&mut lists) {
            let (exact, begun) = (found.exact.as_mut(), found.begun.iter_mut());
            for (is_exact, list) in exact.map(|list| (true, list)).into_iter().chain(begun.map(|list| (false, list))) {
                let Some(run) = list.next_if(|run| run.chunk == chunk) else { continue };
                for (number, byte) in run.postings().filter(|(number, _)| usize::from(*number) < within) {
                    let place = usize::from(number);
                    let (Some(score), Some(matched)) = (scores.get_mut(place), matched_by.get_mut(place)) else {
                        continue;
                    };
                    if *matched == token {
                        continue;
                    }
                    *matched = token;
                    if *score == 0 {
                        touched.push(number);
                    }
                    let points = POINTS.get(usize::from(byte & 3)).copied().unwrap_or_default();
                    *score += if is_exact { points } else { PREFIX_POINTS };
                }
            }
        }
        if also_untouched {
            for (number, score) in (first..).zip(scores.iter_mut().take(within)) {
                keep(number, i64::from(std::mem::take(score)));
            }
            matched_by.fill(0);
        } else {
            for number in &touched {
                let place = usize::from(*number);
                if let (Some(score), Some(matched)) = (scores.get_mut(place), matched_by.get_mut(place)) {
                    keep(first + u32::from(*number), i64::from(std::mem::take(score)));
                    *matched = 0;
                }
            }
        }
        touched.clear();
    }
}

/// The posting lists of the words that a token matches, exactly and by prefix.
struct Match<'a, I: Iterator<Item = Run<'a>>> {
    exact: Option<Peekable<I>>,
    begun: Vec<Peekable<I>>,
}

impl<'a> Match<'a, crate::index::postings::Runs<'a>> {
    fn find(token: &str, query: &Query, words: &Dictionary<'a>, section: &'a [u8]) -> Self {
        let text = token.as_bytes();
        let list = |entry: Entry| runs(section, &entry).peekable();
        let exact = words.find(text);
        let mut begun = Vec::new();
        if text.len() >= PREFIX_LENGTH {
            begun.extend(words.range(text).filter(|entry| Some(*entry) != exact));
            if query.revision() == Revision::Current {
                begun.extend((PREFIX_LENGTH..text.len()).filter_map(|length| words.find(text.get(..length)?)));
            }
        }
        let lists = |entry| words.entry(entry).map(list);
        Self { exact: exact.and_then(lists), begun: begun.into_iter().filter_map(lists).collect() }
    }
}
