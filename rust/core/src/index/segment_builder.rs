//! Counts the terms of documents for a segment (SPEC 20, 21.6).

use crate::index::bm25::{denominators, impact_over};
use crate::index::dictionary::{MAX_TEXT_BYTES, key_of};
use crate::index::layout::{Analyzer, low_u32};
use crate::index::lexicon::Lexicon;
use crate::index::segment::Statistics;
use crate::index::static_vector::Row;
use crate::settings::FIELDS;
use crate::text::terms::for_each_term;
use crate::text::tokenize::lower_for_tokens;
use std::collections::BTreeMap;

/// The index of the title in arrays of a document's fields.
pub const TITLE: usize = 0;
/// The index of the tags in arrays of a document's fields.
pub const TAGS: usize = 1;
/// The index of the questions in arrays of a document's fields.
pub const QUESTIONS: usize = 2;
/// The index of the body in arrays of a document's fields.
pub const BODY: usize = 3;

/// Calls `keep` with the words of a text: the runs of `a-z0-9` of the folded text.
pub fn for_each_word(text: &str, keep: &mut impl FnMut(&[u8])) {
    let lowered = lower_for_tokens(text);
    let words = lowered.split(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit());
    words.filter(|word| !word.is_empty()).for_each(keep);
}

/// Calls `keep` with the terms that an analyzer makes of a text.
pub fn for_each_term_of(analyzer: Analyzer, text: &str, keep: &mut impl FnMut(&[u8])) {
    match analyzer {
        Analyzer::Words => for_each_word(text, keep),
        Analyzer::Terms => for_each_term(text, &mut |term: &str| keep(term.as_bytes())),
    }
}

/// Counts the terms and words of documents. Documents are numbered in the order in which they are added.
#[derive(Debug)]
pub struct Builder {
    analyzer: Analyzer,
    lengths: Vec<[u32; FIELDS]>,
    pub(crate) terms: Counted,
    pub(crate) words: Counted,
    pub(crate) links: Counted,
    /// The counts that do not fit into the packed bits, by the index of the posting in `terms`.
    beyond: BTreeMap<usize, [u32; FIELDS]>,
    rows: Vec<(Row, u32)>,
    /// The document number, row and norm of each question.
    questions: Vec<(u32, Row, u32)>,
}

/// The postings of a builder's terms, words or links, in the order of documents.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) lexicon: Lexicon,
    /// For each text: the number of its postings so far, and the index of its last posting.
    places: Vec<(u32, usize)>,
    /// Each posting: the number of a text, and its count or flags.
    postings: Vec<(u32, u32)>,
    /// The index of each document's first posting.
    begins: Vec<usize>,
}

impl Counted {
    fn begin_document(&mut self) {
        self.begins.push(self.postings.len());
    }

    /// Calls `update` with the posting of a text in the last document (its index and its count). If there is no such
    /// posting, it is created.
    #[inline]
    fn count(&mut self, text: &[u8], update: impl FnOnce(usize, &mut u32)) {
        let number = self.lexicon.number(text);
        self.count_number(number, update);
    }

    /// Like [`Counted::count`], but with the number of the text instead of the text.
    #[inline]
    fn count_number(&mut self, number: u32, update: impl FnOnce(usize, &mut u32)) {
        let begin = self.begins.last().copied().unwrap_or(0);
        let next = self.postings.len();
        let place = match self.places.get_mut(number as usize) {
            Some((documents, place)) if *documents > 0 && *place >= begin => *place,
            Some((documents, place)) => {
                *documents += 1;
                *place = next;
                next
            }
            None => {
                // Texts with lower numbers may have no postings yet; they get empty places.
                self.places.resize(number as usize, (0, 0));
                self.places.push((1, next));
                next
            }
        };
        if place == next {
            self.postings.push((number, 0));
        }
        if let Some((_, counted)) = self.postings.get_mut(place) {
            update(place, counted);
        }
    }

    /// The count in the last document of the text with this number; 0 if the document does not have it.
    fn last_count(&self, number: u32) -> u32 {
        let begin = self.begins.last().copied().unwrap_or(0);
        let place = self.places.get(number as usize).filter(|(documents, place)| *documents > 0 && *place >= begin);
        place.and_then(|(_, place)| self.postings.get(*place)).map_or(0, |(_, counted)| *counted)
    }

    /// For each document, the index of its first posting, and all its postings.
    fn documents(&self) -> impl Iterator<Item = (usize, &[(u32, u32)])> {
        let ends = self.begins.iter().skip(1).copied().chain([self.postings.len()]);
        self.begins.iter().zip(ends).map(|(begin, end)| (*begin, self.postings.get(*begin..end).unwrap_or_default()))
    }

    /// The postings sorted by text. `byte_of` computes the byte of a posting from its document, index and count.
    fn sort(&self, mut byte_of: impl FnMut(usize, usize, u32) -> u8) -> Sorted<'_> {
        let mut texts: Vec<(u64, u32)> =
            (0..low_u32(self.lexicon.len())).map(|number| (key_of(self.lexicon.text(number)), number)).collect();
        texts.sort_unstable_by(|(a_key, a), (b_key, b)| {
            a_key.cmp(b_key).then_with(|| self.lexicon.text(*a).cmp(self.lexicon.text(*b)))
        });
        let mut next = vec![0; texts.len()];
        let mut ends = Vec::with_capacity(texts.len());
        let mut end = 0;
        for (_, number) in &texts {
            let place = *number as usize;
            if let (Some(next), Some((documents, _))) = (next.get_mut(place), self.places.get(place)) {
                *next = end;
                end += *documents as usize;
            }
            ends.push(end);
        }
        let (mut numbers, mut bytes) = (vec![0; end], vec![0; end]);
        for (document, (begin, postings)) in self.documents().enumerate() {
            for (place, (text, counted)) in (begin..).zip(postings) {
                let Some(next) = next.get_mut(*text as usize) else { continue };
                if let (Some(number), Some(byte)) = (numbers.get_mut(*next), bytes.get_mut(*next)) {
                    *number = low_u32(document);
                    *byte = byte_of(document, place, *counted);
                }
                *next += 1;
            }
        }
        Sorted { lexicon: &self.lexicon, texts, ends, numbers, bytes }
    }
}

/// Postings, sorted by text, then by document.
pub(crate) struct Sorted<'a> {
    lexicon: &'a Lexicon,
    texts: Vec<(u64, u32)>,
    ends: Vec<usize>,
    numbers: Vec<u32>,
    bytes: Vec<u8>,
}

impl Sorted<'_> {
    /// The text at an index in sorted order; `None` beyond the last text.
    pub(crate) fn text(&self, place: usize) -> Option<&[u8]> {
        self.texts.get(place).map(|(_, number)| self.lexicon.text(*number))
    }

    pub(crate) fn list(&self, place: usize) -> impl Iterator<Item = (u32, u8)> {
        let begin = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let range = begin..self.ends.get(place).copied().unwrap_or(begin);
        let numbers = self.numbers.get(range.clone()).unwrap_or_default();
        numbers.iter().copied().zip(self.bytes.get(range).unwrap_or_default().iter().copied())
    }
}

/// The shift and mask of each field's count in a packed 32-bit number; larger counts go to `Builder::beyond`.
const FIELD_BITS: [(u32, u32); FIELDS] = [(26, 0x3f), (20, 0x3f), (14, 0x3f), (0, 0x3fff)];

fn unpack(counted: u32) -> [u32; FIELDS] {
    FIELD_BITS.map(|(shift, most)| counted >> shift & most)
}

impl Builder {
    /// A builder without documents.
    #[must_use]
    pub fn new(analyzer: Analyzer) -> Self {
        Self {
            analyzer,
            lengths: Vec::new(),
            terms: Counted::default(),
            words: Counted::default(),
            links: Counted::default(),
            beyond: BTreeMap::new(),
            rows: Vec::new(),
            questions: Vec::new(),
        }
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> u32 {
        low_u32(self.lengths.len())
    }

    /// The number of terms in each field of a document.
    #[must_use]
    pub fn lengths(&self, number: u32) -> [u32; FIELDS] {
        self.lengths.get(number as usize).copied().unwrap_or_default()
    }

    /// The total number of terms in each field of all documents.
    #[must_use]
    pub fn totals(&self) -> [u64; FIELDS] {
        self.lengths.iter().fold([0; FIELDS], |mut totals, lengths| {
            totals.iter_mut().zip(lengths).for_each(|(total, length)| *total += u64::from(*length));
            totals
        })
    }

    /// Adds a document with the texts of title, tags, questions and body.
    pub fn push(&mut self, fields: [&str; FIELDS]) {
        let analyzer = self.analyzer;
        self.begin_document();
        let mut lengths = [0; FIELDS];
        for ((field, text), length) in fields.into_iter().enumerate().zip(&mut lengths) {
            if !text.is_empty() {
                for_each_term_of(analyzer, text, &mut |term| *length += u32::from(self.count_term(field, term)));
            }
        }
        self.lengths.push(lengths);
    }

    /// Adds a document that has these terms in its body and no other fields.
    pub fn push_terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t [u8]>) {
        self.begin_document();
        let length = terms.into_iter().map(|term| u32::from(self.count_term(BODY, term))).sum();
        self.lengths.push([0, 0, 0, length]);
    }

    /// The number of a term, as [`Builder::count_terms`] takes it; `None` if the term is empty or too long.
    pub(crate) fn term_number(&mut self, term: &[u8]) -> Option<u32> {
        is_text(term).then(|| self.terms.lexicon.number(term))
    }

    /// The term with a number.
    pub(crate) fn term(&self, number: u32) -> &[u8] {
        self.terms.lexicon.text(number)
    }

    /// How often a term occurs in a field of the last document; at most the largest number that fits into the packed
    /// bits.
    pub(crate) fn count_of(&self, number: u32, field: usize) -> u32 {
        unpack(self.terms.last_count(number)).get(field).copied().unwrap_or_default()
    }

    /// Begins a document whose terms are added by [`Builder::count_terms`].
    pub(crate) fn begin_counted(&mut self) {
        self.begin_document();
        self.lengths.push([0; FIELDS]);
    }

    /// Adds the terms with these numbers to a field of the last document.
    pub(crate) fn count_terms(&mut self, field: usize, numbers: &[u32]) {
        for number in numbers {
            self.count_number(field, *number);
        }
        if let Some(length) = self.lengths.last_mut().and_then(|lengths| lengths.get_mut(field)) {
            *length += low_u32(numbers.len());
        }
    }

    /// Adds a word of the keyword retriever to the last document; `byte` is 1 for a title and 2 for a tag.
    pub fn push_word(&mut self, text: &[u8], byte: u8) {
        if is_text(text) && !self.lengths.is_empty() {
            self.words.count(text, |_, counted| *counted |= u32::from(byte));
        }
    }

    /// Adds a link to the last document (SPEC 33.1).
    pub fn push_link(&mut self, text: &[u8]) {
        if is_text(text) && !self.lengths.is_empty() {
            self.links.count(text, |_, counted| *counted = 1);
        }
    }

    /// Adds the row and norm of the last document; either all documents of a builder have a row, or none.
    pub fn push_row(&mut self, (row, norm): (Row, u32)) {
        self.rows.push((row, norm));
    }

    /// Adds the row and norm of a question of the last document.
    pub fn push_question(&mut self, (row, norm): (Row, u32)) {
        self.questions.push((self.documents().saturating_sub(1), row, norm));
    }

    /// The document number, row and norm of each question, in the order of the documents.
    pub(crate) fn questions(&self) -> &[(u32, Row, u32)] {
        &self.questions
    }

    /// The row and norm of a document; `None` if it has none.
    pub(crate) fn row(&self, number: u32) -> Option<(&Row, u32)> {
        self.rows.get(number as usize).map(|(row, norm)| (row, *norm))
    }

    fn begin_document(&mut self) {
        self.terms.begin_document();
        self.words.begin_document();
        self.links.begin_document();
    }

    /// Counts a term in a field of the last document; returns false if the term is empty or too long.
    #[inline]
    fn count_term(&mut self, field: usize, term: &[u8]) -> bool {
        let Some(number) = self.term_number(term) else { return false };
        self.count_number(field, number);
        true
    }

    #[inline]
    fn count_number(&mut self, field: usize, number: u32) {
        let beyond = &mut self.beyond;
        let (shift, most) = FIELD_BITS.get(field).copied().unwrap_or_default();
        self.terms.count_number(number, |place, counted| {
            if *counted >> shift & most < most {
                *counted += 1 << shift;
            } else if let Some(count) = beyond.entry(place).or_default().get_mut(field) {
                *count += 1;
            }
        });
    }

    /// The postings of the terms, sorted by text; the byte of a posting is its impact.
    pub(crate) fn sorted_terms(&self, statistics: &Statistics) -> Sorted<'_> {
        let (settings, averages) = (&statistics.settings, &statistics.averages);
        let mut document_at_hand = usize::MAX;
        let mut divisors = [1.0; FIELDS];
        self.terms.sort(|document, place, counted| {
            if document != document_at_hand {
                document_at_hand = document;
                divisors = denominators(settings, averages, &self.lengths(low_u32(document)));
            }
            let mut counts = unpack(counted);
            if !self.beyond.is_empty() {
                if let Some(beyond) = self.beyond.get(&place) {
                    counts.iter_mut().zip(beyond).for_each(|(count, more)| *count += more);
                }
            }
            impact_over(settings, &divisors, &counts)
        })
    }

    /// The postings of the words, sorted by text; the byte of a posting is its flags.
    pub(crate) fn sorted_words(&self) -> Sorted<'_> {
        self.words.sort(|_, _, counted| counted.to_le_bytes()[0])
    }

    /// The postings of the links, sorted by text; the byte of each posting is 1.
    pub(crate) fn sorted_links(&self) -> Sorted<'_> {
        self.links.sort(|_, _, counted| counted.to_le_bytes()[0])
    }
}

/// Whether a text can be a term: it is not empty and not too long.
pub(crate) fn is_text(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= MAX_TEXT_BYTES
}
