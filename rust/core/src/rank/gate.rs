//! The gate: how sure it is that a memory should be shown for a prompt (SPEC 28).
//!
//! A logistic model over whole numbers, each with a meaning of its own; what one adds bends at two knots. The numbers are
//! in the file of `gate_model`, which `tools/gate/train.py` writes. `recall` compares the logit with the threshold of the
//! setting.

use crate::index::bm25::idf;
use crate::index::dictionary::Entry;
use crate::index::postings::find_byte;
use crate::index::snapshot::Snapshot;
use crate::rank::cues::Cue;
use crate::rank::gate_model::{BALANCED, BIAS, EAGER, KNOTS, LOGARITHMS, PRECISE, SIGMOID, SIGMOID_STEP, SLOPES};
use crate::rank::hybrid::{Candidate, Candidates, PromptWord, Query};
use crate::retrieve::lexical::lookups;
use crate::settings::choices::GateSetting;
use crate::text::terms::document_terms;
use std::collections::{HashMap, HashSet};

/// Features and probabilities count in 1/1024.
pub const UNIT: i64 = 1024;

/// What the gate looks at, in the order of its model; the last are cues of the prompt.
pub const FEATURES: [&str; 12] = [
    "lexical_margin",
    "semantic_margin",
    "semantic_rank",
    "title_words",
    "title_share",
    "missing_known",
    "missing_unknown",
    "prompt_words",
    "asks_how",
    "asks_yes_no",
    "edit",
    "tool_prefix",
];
const CUES: [Cue; 4] = [Cue::AsksHow, Cue::AsksYesNo, Cue::Edit, Cue::ToolPrefix];
/// With so many before it a candidate is part of the background.
const BACKGROUND: usize = 9;
/// A small store, or fewer candidates, is judged before the background that others have: the median over the judged
/// prompts.
const TYPICAL_COSINE: i64 = 1123;
/// In a smaller store a word says as much as in one of this size.
const SMALL_STORE: u32 = 100;
/// What a memory gets that is one of a few at a path of the prompt (SPEC 34.4), in 1/1024: as much as the words of such
/// a path take from it on the judged prompts. More lets the wrong ones through.
pub(crate) const PATH_SHARE: i64 = 1536;
/// What the standing of a memory's model vector adds (SPEC 49.4), in 1/1024: at the background, and for each spread above
/// it; no more than so many of those count. By `tools/gate/embedding.py`, on the judged prompts.
const EMBEDDING_BIAS: i64 = -600;
const EMBEDDING_SLOPE: i64 = 709;
const MAX_EMBEDDING: i64 = 4096;
/// A memory that has so much of a word, in 1/256, has the word.
const HALF: i64 = 102;

/// The least logit of a memory that is shown, in 1/1024; `None` where all are.
#[must_use]
pub fn gate_threshold(setting: GateSetting) -> Option<i64> {
    match setting {
        GateSetting::Precise => Some(PRECISE),
        GateSetting::Balanced => Some(BALANCED),
        GateSetting::Eager => Some(EAGER),
        GateSetting::Off => None,
    }
}

/// What the gate says of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgment {
    /// The features in 1/1024.
    pub(crate) features: Vec<i64>,
    /// What each adds to the logit, in 1/1024.
    pub(crate) shares: Vec<i64>,
    /// Their sum and the bias.
    pub(crate) logit: i64,
}

impl Judgment {
    fn new(features: Vec<i64>) -> Self {
        let share = |((value, knots), slopes): ((&i64, &[i32; 2]), &[i32; 3])| {
            let ([first, second], [slope, from_first, from_second]) = (knots.map(i64::from), slopes.map(i64::from));
            let bent = from_first * (value - first).max(0) + from_second * (value - second).max(0);
            (slope * value + bent).div_euclid(UNIT)
        };
        let shares: Vec<i64> = features.iter().zip(&KNOTS).zip(&SLOPES).map(share).collect();
        let logit = BIAS + shares.iter().sum::<i64>();
        Self { features, shares, logit }
    }

    /// The same with what is beside the features: the shares of a model vector and of a path of the prompt.
    pub(crate) fn with(mut self, more: i64) -> Self {
        self.logit += more;
        self
    }

    /// That the memory should be shown, in 1/1024.
    pub(crate) fn probability(&self) -> i64 {
        probability(self.logit)
    }
}

/// The gate before a prompt's candidates.
pub(crate) struct Gate<'a, S> {
    snapshot: &'a Snapshot<S>,
    cues: &'a [Cue],
    query: &'a Query,
    documents: u32,
    /// The information of a word that no document has.
    most: i64,
    /// Entries in base and delta of the terms that stand anywhere.
    entries: Vec<(&'a str, Vec<Option<Entry>>)>,
    weights: HashMap<&'a str, u32>,
    /// How much each word says, and whether any document has it.
    informations: Vec<(i64, bool)>,
}

impl<'a, S: AsRef<[u8]>> Gate<'a, S> {
    pub(crate) fn new(snapshot: &'a Snapshot<S>, cues: &'a [Cue], query: &'a Query) -> Self {
        let documents = u32::try_from(snapshot.len()).unwrap_or(u32::MAX).max(SMALL_STORE);
        let found = snapshot.weigh(&lookups(&query.terms));
        let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
        let frequencies: HashMap<&str, u32> = found.iter().map(|term| (text(term.text), term.documents)).collect();
        let entries: Vec<_> = found.into_iter().map(|term| (text(term.text), term.entries)).collect();
        let information = |word: &PromptWord| {
            let frequency = |term: &str| frequencies.get(term).copied();
            // The first of its own terms with the greatest weight, preferably one that occurs somewhere.
            let mut best: Option<(u32, bool, &str)> = None;
            for (term, weight) in word.own_terms() {
                let key = (*weight, frequency(term).is_some());
                if best.is_none_or(|(weight, is_known, _)| key > (weight, is_known)) {
                    best = Some((key.0, key.1, term));
                }
            }
            let idf = idf(documents, best.and_then(|(_, _, term)| frequency(term)).unwrap_or_default());
            let is_known = word.terms.iter().any(|(term, _)| frequency(term).is_some());
            (i64::from((((idf * word.weight()) >> 8) * word.share) >> 8), is_known)
        };
        let informations = query.words.iter().map(information).collect();
        let weights = query.terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
        Self { snapshot, cues, query, documents, most: idf(documents, 0).into(), entries, weights, informations }
    }

    /// How sure it is that one of the candidates should be shown.
    pub(crate) fn judge(&self, candidate: &Candidate, candidates: &Candidates) -> Judgment {
        Judgment::new(self.features(candidate, candidates).unwrap_or_else(|| vec![0; FEATURES.len()]))
    }

    /// The values of [`FEATURES`]; `None` where there is no such document.
    fn features(&self, candidate: &Candidate, candidates: &Candidates) -> Option<Vec<i64>> {
        let (place, number) = self.snapshot.place(candidate.position)?;
        let document = self.snapshot.document(candidate.position)?;
        let line = document.parts()?;
        let title = document_terms(line.title);
        let tags: Vec<&str> = line.tags.iter().map(|tag| &**tag).collect();
        let in_tags = document_terms(&tags.join("\n"));
        let in_head: HashSet<&str> = title.iter().chain(&in_tags).map(String::as_str).collect();
        let section = self.snapshot.parts.get(place)?.segment.term_postings();
        let is_present = |entries: &[Option<Entry>]| {
            let entry = entries.get(place).copied().flatten();
            entry.is_some_and(|entry| find_byte(section, &entry, number).is_some())
        };
        let present: HashSet<&str> =
            self.entries.iter().filter(|(_, entries)| is_present(entries)).map(|(term, _)| *term).collect();
        let (mut in_title, mut missing_known, mut missing_unknown) = (0, 0, 0);
        for (word, (information, is_known)) in self.query.words.iter().zip(&self.informations) {
            in_title += usize::from(matched(word, &in_head) >= HALF);
            if !word.is_weak {
                let missing = (information * (256 - matched(word, &present))) >> 8;
                let most = if *is_known { &mut missing_known } else { &mut missing_unknown };
                *most = missing.max(*most);
            }
        }
        let mut values = vec![
            self.lexical_margin(candidate, candidates),
            (candidate.cosine - self.find_background(candidates)).div_euclid(4),
            logarithm(candidate.semantic_rank),
            logarithm(in_title),
            self.title_share(&title),
            UNIT * missing_known / self.most,
            UNIT * missing_unknown / self.most,
            logarithm(self.query.words.iter().filter(|word| !word.is_weak).count()),
        ];
        values.extend(CUES.iter().map(|cue| if self.cues.contains(cue) { UNIT } else { 0 }));
        Some(values)
    }

    /// The cosine of what has nothing to do with the prompt.
    fn find_background(&self, candidates: &Candidates) -> i64 {
        let mut cosines: Vec<i64> = candidates.ranked.iter().map(|candidate| candidate.cosine).collect();
        cosines.sort_unstable_by(|a, b| b.cmp(a));
        let is_small = self.snapshot.len() < SMALL_STORE as usize;
        let background = cosines.get(BACKGROUND).copied();
        background.map_or(TYPICAL_COSINE, |found| if is_small { found.max(TYPICAL_COSINE) } else { found })
    }

    /// How far the lexical score is above the background, in words that no document has.
    fn lexical_margin(&self, candidate: &Candidate, candidates: &Candidates) -> i64 {
        let background = candidates.lexical_scores.get(BACKGROUND).copied().unwrap_or_default();
        // Scores are made with the idf of the store as it is.
        let most = i64::from(idf(u32::try_from(self.snapshot.len()).unwrap_or(u32::MAX), 0));
        ((candidate.lexical - background) * UNIT).div_euclid(255 * most)
    }

    /// How much of what a title says the prompt names.
    fn title_share(&self, title: &[String]) -> i64 {
        let (mut total, mut named) = (0, 0);
        let mut seen = HashSet::new();
        for term in title.iter().filter(|term| seen.insert(term.as_str())) {
            let information = i64::from(idf(self.documents, self.snapshot.frequency(term)));
            total += information;
            named += (information * i64::from(self.weights.get(term.as_str()).copied().unwrap_or_default())) >> 8;
        }
        if total > 0 { UNIT * named / total } else { 0 }
    }
}

/// What a standing so far above the background adds to the logit, both in 1/1024.
pub(crate) fn embedding_share(margin: i64) -> i64 {
    EMBEDDING_BIAS + ((EMBEDDING_SLOPE * margin.clamp(-MAX_EMBEDDING, MAX_EMBEDDING)) >> 10)
}

/// 1 / (1 + e^-x) in 1/1024, of a logit in 1/1024; between the entries of a table straight lines.
pub(crate) fn probability(logit: i64) -> i64 {
    let last = i64::try_from(SIGMOID.len()).unwrap_or_default() - 1;
    let place = logit.saturating_abs().min(SIGMOID_STEP * last - 1);
    let entry = |number: i64| {
        usize::try_from(number).ok().and_then(|number| SIGMOID.get(number)).map_or(0, |value| i64::from(*value))
    };
    let (number, rest) = (place / SIGMOID_STEP, place % SIGMOID_STEP);
    let (below, above) = (entry(number), entry(number + 1));
    let value = below + (above - below) * rest / SIGMOID_STEP;
    if logit >= 0 { value } else { UNIT - value }
}

/// ln(1 + count) in 1/1024, of at most 50.
pub(crate) fn logarithm(count: usize) -> i64 {
    LOGARITHMS.get(count).or(LOGARITHMS.last()).map_or(0, |value| i64::from(*value))
}

/// How much of a word a memory has, in 1/256 of it: syllable pairs add up, of other terms the best one counts.
fn matched(word: &PromptWord, present: &HashSet<&str>) -> i64 {
    let (mut runs, mut best) = (0, 0);
    for (_, weight) in word.terms.iter().filter(|(term, _)| present.contains(term.as_str())) {
        if *weight == word.run_weight() {
            runs += weight;
        }
        best = best.max(*weight);
    }
    i64::from((runs.max(best) << 8) / word.weight()).min(256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_rise_with_the_logit() {
        assert_eq!((probability(0), probability(i64::MIN), probability(i64::MAX)), (512, 0, 1024));
        assert!((-9000..9000).all(|logit| probability(logit) <= probability(logit + 1)));
        assert!((-9000..9000).all(|logit| probability(logit) + probability(-logit) == 1024));
    }

    #[test]
    fn counts_have_logarithms_up_to_fifty() {
        assert_eq!((logarithm(0), logarithm(1), logarithm(50), logarithm(51)), (0, 710, 4026, 4026));
    }
}
