//! Finds the best documents of a snapshot for a prompt, by one of the strategies, and explains their scores (SPEC 21,
//! 22.3 to 22.7).

use crate::classic::keyword::{Query, ScorePart, priority};
use crate::index::filters::Filters;
use crate::index::postings::Living;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::snapshot_part::{Slice, SnapshotPart};
use crate::rank::recall::Recall;
use crate::rank::request::{Context, Request};
use crate::retrieve::keyword_lookup::score_words;
use crate::retrieve::lexical::category_bonuses;
use crate::retrieve::prompt_terms::QueryTerm;
use crate::retrieve::segment_search::{QueryTerm as Lookup, Weighted, weigh};
use crate::retrieve::tf_idf::{POOL, fuse, score_cosines};
use crate::retrieve::top_k::Scratch;
use crate::settings::reader::Settings;
use crate::settings::strategy::Strategy;
use crate::text::tokenize::Revision;
use std::cmp::Ordering;

/// The number of wanted documents with which [`Snapshot::explain`] repeats a `hybrid` search.
const EXPLAINED: usize = 10;

/// The sort key of documents in document order (SPEC 22.1).
type OrderKey = (String, String, usize, String);

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The position and score of the best `k` accepted documents, best first; `hybrid` uses the default settings.
    #[must_use]
    pub fn search(&self, request: Request<'_>, strategy: Strategy, scratch: &mut Scratch) -> Vec<(u32, i64)> {
        let Request { prompt, k, context, filters, .. } = request;
        match strategy {
            Strategy::Hybrid => {
                let settings = &Settings::default();
                Recall::new(self, Request { settings, ..request }, scratch).search(k)
            }
            Strategy::Bm25 => {
                let terms = self.query_terms(prompt, context.synonyms);
                let weighted = self.weigh(&terms);
                let bonuses = category_bonuses(&weighted, &terms, context.descriptions);
                self.search_lexical(&weighted, k, &bonuses, filters, scratch)
            }
            Strategy::TfIdf => self.search_tf_idf(prompt, k, context, filters),
            Strategy::Vectors => self.search_vectors(prompt, k, filters),
            Strategy::Keyword | Strategy::KeywordClassic => {
                self.search_keyword(&Query::new(prompt, strategy.revision(), context.descriptions), k, filters)
            }
        }
    }

    /// The parts of the score of the document at a position; they add up to the score. `None` if there is no such
    /// document.
    ///
    /// For `tfidf`, the parts are the document's ranks among all active documents, because there are no filters here.
    /// For `hybrid`, they are the parts in a recall of ten documents with the default settings; there are none if this
    /// recall does not find the document.
    #[must_use]
    pub fn explain(
        &self,
        position: u32,
        prompt: &str,
        strategy: Strategy,
        context: Context<'_>,
    ) -> Option<Vec<ScorePart>> {
        let document = self.document(position)?;
        let line = document.parts()?;
        let tags: Vec<&str> = line.tags.iter().map(|tag| &**tag).collect();
        match strategy {
            Strategy::Hybrid => {
                let settings = Settings::default();
                let filters = Filters::default();
                let request = Request::of_prompt(prompt, context, &settings, &filters, EXPLAINED);
                Some(Recall::new(self, request, &mut Scratch::default()).explain(position))
            }
            Strategy::Bm25 => {
                Some(self.lexical_parts(position, &self.query_terms(prompt, context.synonyms), context.descriptions))
            }
            Strategy::TfIdf => Some(self.explain_ranks(position, prompt, context)),
            Strategy::Vectors => Some(self.vector_parts(position, prompt)),
            Strategy::Keyword | Strategy::KeywordClassic => {
                let query = Query::new(prompt, strategy.revision(), context.descriptions);
                Some(query.explain_entry(line.category, line.title, &tags))
            }
        }
    }

    /// Sorts hits of the keyword retriever again after their scores were changed: by score, then by the priority of the
    /// category, then by their order in `hits` (SPEC 8.3).
    #[must_use]
    pub fn order_keyword(&self, hits: &[(u32, i64)]) -> Vec<(u32, i64)> {
        let priorities: Vec<Vec<u8>> =
            self.parts.iter().map(|part| part.names().into_iter().map(priority).collect()).collect();
        let priority_of = |position: u32| {
            let (place, number) = self.place(position)?;
            let part = self.parts.get(place)?;
            let known = priorities.get(place)?.get(usize::from(part.kind(number))).copied();
            Some(known.unwrap_or_else(|| priority(&part.recorded_category(number))))
        };
        let mut ordered = hits.to_vec();
        ordered.sort_by_cached_key(|(position, score)| (-score, priority_of(*position).unwrap_or(priority(""))));
        ordered
    }

    /// The shortlist of the keyword retriever (SPEC 7.4), restricted to accepted documents.
    fn search_keyword(&self, query: &Query, k: usize, filters: &Filters) -> Vec<(u32, i64)> {
        if query.is_empty() || k == 0 {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (place, part) in self.parts.iter().enumerate() {
            let names = part.names();
            let by_kind: Vec<_> =
                names.iter().map(|name| (query.points_of_description(name), priority(name))).collect();
            let of_unknown = |number: u32| {
                let name = part.recorded_category(number);
                (query.points_of_description(&name), priority(&name))
            };
            let mut ranked = Ranked::new(k, filters);
            score_words(&part.segment, query, query.describes_unmatched(), |number, points| {
                if part.is_dead(number) || !filters.takes_status(part.status(number)) {
                    return;
                }
                let known = by_kind.get(usize::from(part.kind(number))).copied();
                let (described, priority) = known.unwrap_or_else(|| of_unknown(number));
                if points + described > 0 {
                    ranked.offer((-points - described, priority, number));
                }
            });
            let best = ranked.finish(|(_, _, number)| part.takes(*number, filters));
            found.extend(best.into_iter().map(|(score, priority, number)| (score, priority, place, number)));
        }
        self.order_found(&mut found, |(score, priority, _, _)| (*score, *priority));
        found.truncate(k);
        found.into_iter().map(|(score, _, place, number)| (self.position(place, number), -score)).collect()
    }

    fn search_tf_idf(&self, prompt: &str, k: usize, context: Context<'_>, filters: &Filters) -> Vec<(u32, i64)> {
        let mut fused: Vec<_> = fuse(&self.rankings(prompt, context, filters)).into_iter().collect();
        fused
            .sort_by_cached_key(|(position, points)| (-points, self.store_of(*position), self.order_key_at(*position)));
        fused.truncate(k);
        fused
    }

    /// Two rankings for a prompt, as positions, best first: the ranking of the keyword retriever, and that of the
    /// tf-idf vectors.
    fn rankings(&self, prompt: &str, context: Context<'_>, filters: &Filters) -> [Vec<u32>; 2] {
        let terms = self.query_terms(prompt, context.synonyms);
        let weighted = self.weigh(&terms);
        let documents = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let mut found = Vec::new();
        for (place, part) in self.parts.iter().enumerate() {
            let mut ranked = Ranked::new(POOL, filters);
            score_cosines(&part.segment, place, &weighted, documents, |number, score| {
                if !part.is_dead(number) && filters.takes_status(part.status(number)) {
                    ranked.offer((-i64::try_from(score).unwrap_or(i64::MAX), number));
                }
            });
            let best = ranked.finish(|(_, number)| part.takes(*number, filters));
            found.extend(best.into_iter().map(|(score, number)| (score, 0, place, number)));
        }
        self.order_found(&mut found, |(score, _, _, _)| *score);
        let query = Query::new(prompt, Revision::Current, context.descriptions);
        let by_keyword = self.search_keyword(&query, POOL, filters);
        [
            by_keyword.into_iter().map(|(position, _)| position).collect(),
            found.into_iter().take(POOL).map(|(_, _, place, number)| self.position(place, number)).collect(),
        ]
    }

    fn explain_ranks(&self, position: u32, prompt: &str, context: Context<'_>) -> Vec<ScorePart> {
        let rankings = self.rankings(prompt, context, &Filters::default());
        let part = |(kind, ranking): (&'static str, Vec<u32>)| {
            let place = ranking.iter().position(|other| *other == position)?;
            let points = fuse(&[ranking]).get(&position).copied()?;
            Some(ScorePart { kind, token: String::new(), matched: format!("rank {}", place + 1), points })
        };
        ["keyword", "tfidf"].into_iter().zip(rankings).filter_map(part).collect()
    }

    /// The terms of a query that a living document has, with their weights.
    pub(crate) fn weigh(&self, terms: &[QueryTerm]) -> Vec<Weighted> {
        let query: Vec<_> = terms.iter().map(|term| Lookup { text: term.term.as_bytes(), q: term.weight }).collect();
        weigh(&self.segments(), &query, &self.living())
    }

    /// For each part, which documents are living.
    pub(crate) fn living(&self) -> Vec<Living<'_>> {
        self.parts.iter().map(SnapshotPart::living).collect()
    }

    pub(crate) fn segments(&self) -> Vec<&Segment<Slice<S>>> {
        self.parts.iter().map(|part| &part.segment).collect()
    }

    /// Sorts the documents that were found in all parts by a key; documents with equal keys are in document order.
    fn order_found<K: Ord>(&self, found: &mut [(i64, u8, usize, u32)], key: impl Fn(&(i64, u8, usize, u32)) -> K) {
        found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| self.compare((a.2, a.3), (b.2, b.3))));
    }

    /// Compares two documents by document order; those of nearer stores come first (SPEC 48.6). `a` and `b` are pairs: the
    /// part, and the number in the part.
    pub(crate) fn compare(&self, a: (usize, u32), b: (usize, u32)) -> Ordering {
        if a.0 == b.0 {
            return a.1.cmp(&b.1);
        }
        let store = |place: usize| self.parts.get(place).map(|part| part.store);
        store(a.0).cmp(&store(b.0)).then_with(|| self.order_key(a).cmp(&self.order_key(b)))
    }

    fn order_key(&self, (place, number): (usize, u32)) -> OrderKey {
        let document = self.parts.get(place).and_then(|part| part.document(number));
        document.map(|document| document.order_key()).unwrap_or_default()
    }

    fn order_key_at(&self, position: u32) -> OrderKey {
        self.place(position).map(|place| self.order_key(place)).unwrap_or_default()
    }
}

impl<S: AsRef<[u8]>> SnapshotPart<S> {
    /// Whether a document meets the conditions of the filters, except the condition on its status.
    pub(crate) fn takes(&self, number: u32, filters: &Filters) -> bool {
        filters.is_by_status() || self.document(number).is_some_and(|document| filters.takes(&document))
    }
}

/// Collects the first `k` accepted candidates in ascending order.
struct Ranked<T> {
    k: usize,
    /// Whether the filters accept all candidates, so that candidates beyond the first `k` can be dropped.
    is_final: bool,
    /// The last of the first `k` candidates, at the time when candidates were last dropped. Candidates after it are
    /// rejected at once.
    last: Option<T>,
    best: Vec<T>,
}

impl<T: Ord + Copy> Ranked<T> {
    fn new(k: usize, filters: &Filters) -> Self {
        Self { k, is_final: filters.is_by_status(), last: None, best: Vec::new() }
    }

    fn offer(&mut self, candidate: T) {
        if self.last.is_some_and(|last| candidate > last) {
            return;
        }
        self.best.push(candidate);
        if self.is_final && self.best.len() >= self.k.saturating_mul(4).max(256) {
            self.best.select_nth_unstable(self.k);
            self.best.truncate(self.k);
            self.last = self.best.iter().max().copied();
        }
    }

    /// The first `k` accepted candidates, in ascending order.
    fn finish(mut self, accept: impl Fn(&T) -> bool) -> Vec<T> {
        self.best.sort_unstable();
        self.best.into_iter().filter(accept).take(self.k).collect()
    }
}
