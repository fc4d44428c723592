//! Finds the documents whose word vectors are nearest to a prompt, for the strategies `vectors` and `hybrid` (SPEC 24).

use crate::classic::keyword::ScorePart;
use crate::index::bm25::idf;
use crate::index::filters::Filters;
use crate::index::layout::TERMS;
use crate::index::snapshot::Snapshot;
use crate::index::snapshot_part::SnapshotPart;
use crate::index::static_vector::{COSINE_ONE, Row, cosine, dot, sign_code};
use crate::index::vectors::{SIGN_BLOCK, row_of_words, vector_words};
use crate::retrieve::prompt_terms::PromptText;
use crate::text::term_words::is_weak_word;
use crate::text::terms::WordTerms;
use foldhash::{HashSet, HashSetExt};
use std::collections::BinaryHeap;

/// The weights of a prompt's words, in 1/256.
const FULL: u32 = 256;
const WEAK: u32 = 154;
const MAX_PROMPT_WORDS: usize = 1024;
/// The maximal size of a store for the search by signs: in larger stores too many distant documents have similar signs.
const MAX_BY_SIGNS: usize = 65_536;

/// The cosines between a row (a vector of signed bytes) and the rows of a memory, in 1/4096.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cosines {
    /// The cosine of the memory's title, tags and body.
    pub content: i64,
    /// The cosine of the memory's nearest question; `None` if the memory has no questions.
    pub questions: Option<i64>,
}

impl Cosines {
    /// The greater of the two cosines.
    #[must_use]
    pub fn best(self) -> i64 {
        self.questions.map_or(self.content, |questions| questions.max(self.content))
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The words of a prompt, each once and with a weight by its rarity in the snapshot.
    #[must_use]
    pub fn prompt_words(&self, text: &str) -> Vec<(String, u32)> {
        self.words_of(&PromptText::read(text))
    }

    /// Like [`Snapshot::prompt_words`], for a prompt that was read.
    pub(crate) fn words_of(&self, prompt: &PromptText<'_>) -> Vec<(String, u32)> {
        let documents = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let left_out = &prompt.function_words;
        let mut words = vector_words(&prompt.text);
        let mut known = HashSet::with_capacity(words.len());
        words.retain(|word| !left_out.contains(word) && known.insert(word.clone()));
        words.truncate(MAX_PROMPT_WORDS);
        let mut terms = WordTerms::default();
        let weigh = |word: String| {
            let mut rarity = None;
            terms.for_each_of(&word, &mut |term| {
                rarity.get_or_insert_with(|| (idf(documents, self.frequency(term)) << 8).isqrt());
            });
            let rarity = rarity.unwrap_or_default();
            let share = if is_weak_word(&word) { WEAK } else { FULL };
            (word, (rarity * share) >> 8)
        };
        words.into_iter().map(weigh).collect()
    }

    /// The number of living documents that have a term.
    #[must_use]
    pub fn frequency(&self, term: &str) -> u32 {
        let in_part = |part: &SnapshotPart<S>| part.count_living(TERMS, part.segment.terms().find(term.as_bytes())?);
        self.parts.iter().filter_map(in_part).fold(0, u32::saturating_add)
    }

    /// Whether a living document has a term.
    #[must_use]
    pub fn knows(&self, term: &str) -> bool {
        let in_part =
            |part: &SnapshotPart<S>| Some(part.has_living(TERMS, part.segment.terms().find(term.as_bytes())?));
        self.parts.iter().filter_map(in_part).any(|has| has)
    }

    /// The cosines of the document at a position with a row of this norm; 0 if there is no such document.
    #[must_use]
    pub fn cosines_at(&self, position: u32, row: &Row, norm: u32) -> Cosines {
        let found = self.place(position).and_then(|(place, number)| {
            let (vectors, questions) = (self.parts.get(place)?.vectors(), self.parts.get(place)?.question_vectors());
            let cosine_of = |place| Some(cosine(row, norm, questions.row(place)?, questions.norm(place)));
            Some(Cosines {
                content: cosine(row, norm, vectors.row(number)?, vectors.norm(number)),
                questions: questions.places(number).filter_map(cosine_of).max(),
            })
        });
        found.unwrap_or_default()
    }

    /// The position and cosine of the `k` accepted documents nearest to a row; only cosines above 0.
    ///
    /// All documents are compared. The nearest comes first; equally near documents are in document order.
    #[must_use]
    pub fn nearest(&self, row: &Row, norm: u32, k: usize, filters: &Filters) -> Vec<(u32, i64)> {
        if norm == 0 {
            return Vec::new();
        }
        let scan = |part: &SnapshotPart<S>, first: &mut First<'_, S>| {
            let mut least = 1_i64.saturating_sub(first.limit().min(0));
            let questions = part.question_vectors();
            let mut asked = questions.rows().peekable();
            for (number, other, of_document) in part.vectors().rows() {
                let product = i64::from(dot(row, of_document)) * 256 * COSINE_ONE;
                let norms = i64::from(norm).saturating_mul(i64::from(other));
                // Divide only if the document is near enough.
                let is_near = norms > 0 && product >= norms.saturating_mul(least);
                let mut found = if is_near { product / norms } else { 0 };
                while let Some((owner, other, of_question)) = asked.next_if(|(owner, _, _)| *owner <= number) {
                    if owner == number {
                        found = found.max(cosine(row, norm, of_question, other));
                    }
                }
                if found >= least {
                    first.offer(-found, number);
                    least = 1_i64.saturating_sub(first.limit().min(0));
                }
            }
        };
        self.first(k, filters, scan).into_iter().map(|(position, key)| (position, -key)).collect()
    }

    /// The position and cosine of the `k` accepted documents nearest to a prompt.
    pub(crate) fn search_vectors(&self, prompt: &str, k: usize, filters: &Filters) -> Vec<(u32, i64)> {
        let (row, norm) = row_of_words(&self.prompt_words(prompt));
        self.nearest(&row, norm, k, filters)
    }

    /// The parts of a document's score in the strategy `vectors`: only its cosine; empty if the cosine is not above 0.
    pub(crate) fn vector_parts(&self, position: u32, prompt: &str) -> Vec<ScorePart> {
        let (row, norm) = row_of_words(&self.prompt_words(prompt));
        let points = self.cosines_at(position, &row, norm).best();
        let piece = ScorePart { kind: "semantic", token: String::new(), matched: String::new(), points };
        if points > 0 { vec![piece] } else { Vec::new() }
    }

    /// The positions of the `k` accepted documents that differ from a row in the signs of the fewest columns; of a
    /// document's own row and the rows of its questions, the nearest counts.
    ///
    /// Equally near documents are in document order. Rows of zeros are never found. The result is empty for a row of
    /// zeros, and in a store of more than 65,536 documents.
    #[must_use]
    pub fn near_by_signs(&self, row: &Row, k: usize, filters: &Filters) -> Vec<u32> {
        if self.len() > MAX_BY_SIGNS || row.iter().all(|byte| *byte == 0) {
            return Vec::new();
        }
        let code = sign_code(row);
        let scan = |part: &SnapshotPart<S>, first: &mut First<'_, S>| {
            let vectors = part.vectors();
            let questions = part.question_vectors();
            let mut asked = questions.distances(code).peekable();
            let mut limit = first.limit();
            for (base, distances) in vectors.distances(code) {
                let distances = distances.each();
                let end = base.saturating_add(SIGN_BLOCK);
                let is_asked = asked.peek().is_some_and(|(owner, _)| *owner < end);
                if !is_asked && distances.iter().all(|distance| i64::from(*distance) >= limit) {
                    continue;
                }
                for (number, distance) in (base..).zip(distances) {
                    let is_near = i64::from(*distance) < limit && vectors.norm(number) > 0;
                    let mut found = if is_near { i64::from(*distance) } else { i64::MAX };
                    while let Some((owner, distance)) = asked.next_if(|(owner, _)| *owner <= number) {
                        if owner == number {
                            found = found.min(distance.into());
                        }
                    }
                    if found < limit {
                        first.offer(found, number);
                        limit = first.limit();
                    }
                }
            }
        };
        self.first(k, filters, scan).into_iter().map(|(position, _)| position).collect()
    }

    /// The position and key of the first `k` accepted documents, by ascending key, then in document order.
    ///
    /// `scan` offers the documents of a part in the order of their numbers.
    fn first(
        &self,
        k: usize,
        filters: &Filters,
        scan: impl Fn(&SnapshotPart<S>, &mut First<'_, S>),
    ) -> Vec<(u32, i64)> {
        if k == 0 {
            return Vec::new();
        }
        let mut found: Vec<(i64, usize, u32)> = Vec::new();
        let mut bound = i64::MAX;
        for (place, part) in self.parts.iter().enumerate() {
            let mut first = First { part, filters, k, bound, heap: BinaryHeap::new() };
            scan(part, &mut first);
            found.extend(first.heap.into_iter().map(|(key, number)| (key, place, number)));
            if found.len() >= k && place + 1 < self.parts.len() {
                // A document of another part with the key of the last one may stand before it.
                let (_, last, _) = found.select_nth_unstable_by_key(k - 1, |(key, _, _)| *key);
                bound = last.0.saturating_add(1);
            }
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.compare((a.1, a.2), (b.1, b.2))));
        found.truncate(k);
        found.into_iter().map(|(key, place, number)| (self.position(place, number), key)).collect()
    }
}

/// Collects the first `k` documents of a part: the documents with the lowest keys and, among equal keys, the lowest
/// numbers.
struct First<'a, S> {
    part: &'a SnapshotPart<S>,
    filters: &'a Filters,
    k: usize,
    /// Every key must be below it, because other parts have enough documents that come first.
    bound: i64,
    heap: BinaryHeap<(i64, u32)>,
}

impl<S: AsRef<[u8]>> First<'_, S> {
    /// The limit that the key of the next document must be below; documents are offered in ascending order of number.
    fn limit(&self) -> i64 {
        let last = self.heap.peek().filter(|_| self.heap.len() >= self.k).map_or(i64::MAX, |(key, _)| *key);
        last.min(self.bound)
    }

    fn offer(&mut self, key: i64, number: u32) {
        if key >= self.limit() || !self.accepts(number) {
            return;
        }
        if self.heap.len() >= self.k {
            self.heap.pop();
        }
        self.heap.push((key, number));
    }

    fn accepts(&self, number: u32) -> bool {
        let Self { part, filters, .. } = self;
        !part.is_dead(number) && filters.takes_status(part.status(number)) && part.takes(number, filters)
    }
}
