//! The gate: estimates how likely it is that a memory should be shown for a prompt (SPEC 28).
//!
//! The gate is a logistic model over integer features; each feature's contribution is piecewise linear with two knots.
//! `tools/gate/train.py` writes the file with the coefficients, and `gate_model` reads it. `recall` compares the logit
//! with the threshold of the setting.

use crate::index::bm25::FULL;
use crate::index::snapshot::Snapshot;
use crate::rank::cues::{Cue, general_words};
use crate::rank::evidence::{Evidence, PromptInformation, SMALL_STORE};
use crate::rank::gate_model::{FEATURES, Judgment, UNIT, logarithm};
use crate::rank::hybrid::{Candidate, Candidates, Query};

/// The index of the tenth value among lexical scores sorted in descending order. It is taken as the background: the
/// typical score of memories that do not fit the prompt.
const BACKGROUND: usize = 9;
/// In a small store, the points of a candidate are compared with those of this number of best candidates.
const COMPARED: usize = 12;
/// The number of candidates whose scores may be close to the best score.
const FIRST: usize = 10;
/// The greatest impact of a term.
const MAX_IMPACT: i64 = 255;
const CUES: [Cue; 4] = [Cue::AsksWhy, Cue::AsksYesNo, Cue::Edit, Cue::ToolPrefix];
/// What the gate adds to the logit of a memory, in 1/1024, if the memory is anchored to a path in the prompt to which
/// only few memories are anchored (SPEC 34.4). On the judged prompts, the words of a path lower the logit by about as
/// much. A larger value lets wrong memories through.
pub(crate) const PATH_SHARE: i64 = 1536;
/// What the standing of a memory's model vector adds to the logit (SPEC 49.4), in 1/1024: `EMBEDDING_BIAS`, plus
/// `EMBEDDING_SLOPE` times how far the standing is above the background. This distance counts up to `MAX_EMBEDDING`.
/// `tools/gate/embedding.py` fitted the slope on the judged prompts; the bias is as low as the limits of the settings for
/// false injections need.
const EMBEDDING_BIAS: i64 = -1000;
const EMBEDDING_SLOPE: i64 = 88;
const MAX_EMBEDDING: i64 = 4096;

/// The gate for one prompt and its candidates.
pub(crate) struct Gate<'a, S> {
    snapshot: &'a Snapshot<S>,
    candidates: &'a Candidates,
    prompt: PromptInformation<'a, S>,
    /// The values of the features that depend only on the prompt.
    of_prompt: Vec<i64>,
    /// The largest possible lexical score: the score of a memory in which every known term has the maximal impact.
    reachable: i64,
    /// The tenth highest lexical score; 0 if there are fewer than ten.
    tenth_points: i64,
}

impl<'a, S: AsRef<[u8]>> Gate<'a, S> {
    pub(crate) fn new(
        snapshot: &'a Snapshot<S>,
        prompt: &str,
        cues: &[Cue],
        query: &'a Query,
        candidates: &'a Candidates,
    ) -> Self {
        let information = PromptInformation::new(snapshot, query, &candidates.weighted);
        let (length, general, has_question_mark) = general_words(prompt);
        let mut of_prompt = vec![
            logarithm(close_scores(candidates)),
            logarithm(information.unknown_words()),
            logarithm(length),
            general,
            flag(query.words.iter().any(|word| word.share < FULL)),
            flag(has_question_mark),
        ];
        of_prompt.extend(CUES.iter().map(|cue| flag(cues.contains(cue))));
        // The retriever computes scores with the idf of the store's real size. In a small store, the scores of the
        // evidence are used instead.
        let mut points = if snapshot.len() < SMALL_STORE as usize {
            let first = candidates.ranked.iter().take(COMPARED);
            let found = first.filter_map(|candidate| Evidence::find(&information, snapshot, candidate.position));
            found.map(|found| found.points).collect()
        } else {
            candidates.lexical_scores.clone()
        };
        points.sort_unstable_by(|a, b| b.cmp(a));
        let tenth_points = points.get(BACKGROUND).copied().unwrap_or_default();
        let reachable = MAX_IMPACT * information.weight;
        Self { snapshot, candidates, prompt: information, of_prompt, reachable, tenth_points }
    }

    /// Judges one of the candidates. `more` is added to the logit, for what the features do not include.
    pub(crate) fn judge(&self, candidate: &Candidate, more: i64) -> Judgment {
        Judgment::new(self.features(candidate).unwrap_or_else(|| vec![0; FEATURES.len()]), more)
    }

    /// The values of [`FEATURES`] for a candidate; `None` if there is no such document.
    fn features(&self, candidate: &Candidate) -> Option<Vec<i64>> {
        let found = Evidence::find(&self.prompt, self.snapshot, candidate.position)?;
        let prompt = &self.prompt;
        let most = MAX_IMPACT * prompt.most;
        let best = self.candidates.ranked.first().map_or(0, Candidate::score);
        let (place, number) = self.snapshot.place(candidate.position)?;
        let category = self.snapshot.parts.get(place)?.category(number);
        let mut values = vec![
            (UNIT * (found.points - self.tenth_points)).div_euclid(most),
            UNIT * found.points / most,
            if self.reachable > 0 { UNIT * found.points / self.reachable } else { 0 },
            candidate.score().div_euclid(4),
            if best > 0 { (UNIT * candidate.score()).div_euclid(best) } else { 0 },
            prompt.share(found.anywhere),
            UNIT * found.anywhere / prompt.most,
            found.window - prompt.share(found.anywhere),
            logarithm(found.head_words),
            prompt.share(found.title),
            UNIT * found.title / prompt.most,
            found.question.prompt_share,
            found.question.product,
            flag(found.has_questions),
            flag(category == "TECH_DEBT"),
        ];
        values.extend(&self.of_prompt);
        Some(values)
    }
}

/// The value of a feature that holds or does not.
fn flag(holds: bool) -> i64 {
    if holds { UNIT } else { 0 }
}

/// What the standing of a model vector adds to the logit if it is `margin` above the background; both are in 1/1024.
pub(crate) fn embedding_share(margin: i64) -> i64 {
    EMBEDDING_BIAS + ((EMBEDDING_SLOPE * margin.clamp(-MAX_EMBEDDING, MAX_EMBEDDING)) >> 10)
}

/// The number of first candidates, the best one included, whose score is more than three quarters of the best score.
fn close_scores(candidates: &Candidates) -> usize {
    let best = candidates.ranked.first().map_or(0, Candidate::score);
    let first = candidates.ranked.iter().take(FIRST);
    first.filter(|candidate| best > 0 && 4 * candidate.score() > 3 * best).count()
}
