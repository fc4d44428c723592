//! The lexical retriever on a snapshot: finds and explains the best documents for weighted terms (SPEC 21).

use crate::classic::keyword::ScorePart;
use crate::index::filters::Filters;
use crate::index::postings::find_byte;
use crate::index::snapshot::Snapshot;
use crate::memory::stored_document::StoredDocument;
use crate::retrieve::prefixes::expand_prefixes;
use crate::retrieve::prompt_terms::{PromptText, QueryTerm, terms_of};
use crate::retrieve::segment_search::{CategoryPoints, SegmentHit, Wanted, Weighted, search_living};
use crate::retrieve::top_k::Scratch;
use crate::text::terms::document_terms;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The impact of a prompt term that occurs in the description of a memory's category.
const DESCRIPTION_IMPACT: u32 = 32;

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The terms of a prompt, followed by similar terms for each term that no document has.
    pub(crate) fn query_terms(&self, prompt: &str, synonyms: &[Vec<String>]) -> Vec<QueryTerm> {
        self.terms_of(&PromptText::read(prompt), synonyms)
    }

    /// Like [`Snapshot::query_terms`], for a prompt that was read.
    pub(crate) fn terms_of(&self, prompt: &PromptText<'_>, synonyms: &[Vec<String>]) -> Vec<QueryTerm> {
        expand_prefixes(self, terms_of(prompt, synonyms))
    }

    /// The position and score of the best `k` accepted documents, best first.
    pub(crate) fn search_lexical(
        &self,
        weighted: &[Weighted],
        k: usize,
        bonuses: &BTreeMap<String, u32>,
        filters: &Filters,
        scratch: &mut Scratch,
    ) -> Vec<(u32, i64)> {
        let bonus_of = |name: &str| bonuses.get(name).copied().unwrap_or_default();
        let tables: Vec<Vec<u32>> = if bonuses.is_empty() {
            Vec::new()
        } else {
            self.parts.iter().map(|part| part.names().into_iter().map(bonus_of).collect()).collect()
        };
        let bonus = |place: usize, number: u32| {
            let part = self.parts.get(place).zip(tables.get(place));
            part.map_or(0, |(part, table)| {
                let known = table.get(usize::from(part.kind(number))).copied();
                known.unwrap_or_else(|| bonus_of(&part.recorded_category(number)))
            })
        };
        let bonus = bonuses.values().max().map(|max| (&bonus as &CategoryPoints<'_>, *max));
        let mut takes = |place: usize, number: u32| {
            self.parts
                .get(place)
                .is_some_and(|part| filters.takes_status(part.status(number)) && part.takes(number, filters))
        };
        let order = |a: &SegmentHit, b: &SegmentHit| self.compare((a.segment, a.number), (b.segment, b.number));
        let wanted = Wanted { k, bonus, accept: Some(&mut takes) };
        let found = search_living((&self.segments(), &self.living()), weighted, wanted, order, scratch);
        found.into_iter().map(|hit| (self.position(hit.segment, hit.number), i64::from(hit.score))).collect()
    }

    /// The best score, without the points for categories, of an accepted document that is not in the part `left_out` of
    /// this snapshot; 0 if there is none.
    pub(crate) fn best_score(
        &self,
        weighted: &[Weighted],
        filters: &Filters,
        left_out: Option<&Self>,
        scratch: &mut Scratch,
    ) -> u64 {
        let mut takes = |place: usize, number: u32| {
            let is_left_out = left_out.and_then(|left| left.parts.get(place)).is_some_and(|part| !part.is_dead(number));
            let part = self.parts.get(place).filter(|_| !is_left_out);
            part.is_some_and(|part| filters.takes_status(part.status(number)) && part.takes(number, filters))
        };
        let wanted = Wanted { k: 1, bonus: None, accept: Some(&mut takes) };
        let in_order = |_: &_, _: &_| Ordering::Equal;
        let found = search_living((&self.segments(), &self.living()), weighted, wanted, in_order, scratch);
        found.first().map_or(0, |hit| hit.score.into())
    }

    /// The parts of the score of the document at a position; their sum is the score. Empty if there is no such
    /// document.
    pub(crate) fn lexical_parts(
        &self,
        position: u32,
        terms: &[QueryTerm],
        descriptions: &[(String, String)],
    ) -> Vec<ScorePart> {
        let document = self.document(position);
        let line = document.as_ref().and_then(StoredDocument::parts);
        let place = self.place(position).and_then(|(place, number)| Some((place, self.parts.get(place)?, number)));
        let Some(((place, part, number), line)) = place.zip(line) else { return Vec::new() };
        let listed = part.field_terms(number);
        let all = self.weigh(terms);
        let mut parts = Vec::new();
        for weighted in &all {
            let Some(entry) = weighted.entries.get(place).copied().flatten() else { continue };
            let Some(term) = terms.get(weighted.place) else { continue };
            let Some(impact) = find_byte(part.segment.term_postings(), &entry, number) else { continue };
            let kind = listed.fields_of(&term.term).first();
            let points = i64::from(weighted.weight) * i64::from(impact);
            parts.push(ScorePart { kind, token: term.word.clone(), matched: term.term.clone(), points });
        }
        let bonus = category_bonuses(&all, terms, descriptions).get(line.category).copied();
        if let Some(bonus) = bonus.filter(|_| !parts.is_empty()) {
            let (token, matched) = (String::new(), line.category.to_owned());
            parts.push(ScorePart { kind: "description", token, matched, points: bonus.into() });
        }
        parts
    }
}

/// The bonus that each category's description adds to its documents (SPEC 21.3), by category name; only bonuses above 0.
/// `weighted` are the known terms of the query.
pub(crate) fn category_bonuses(
    weighted: &[Weighted],
    terms: &[QueryTerm],
    descriptions: &[(String, String)],
) -> BTreeMap<String, u32> {
    let mut bonuses = BTreeMap::new();
    for (key, text) in descriptions.iter().filter(|(key, _)| key.is_ascii()) {
        let described = document_terms(text);
        let is_described =
            |weighted: &&Weighted| terms.get(weighted.place).is_some_and(|term| described.contains(&term.term));
        let weight: u32 = weighted.iter().filter(is_described).map(|term| term.weight).sum();
        if weight > 0 {
            bonuses.insert(key.to_ascii_uppercase(), weight * DESCRIPTION_IMPACT);
        }
    }
    bonuses
}
