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

/// The index of the tenth value among values sorted in descending order. It is taken as the background: the typical
/// value of memories that do not fit the prompt.
const BACKGROUND: usize = 9;
/// The number of best candidates whose evidence is measured first, so that a memory's question can be compared with
/// theirs.
const COMPARED: usize = 12;
/// The greatest impact of a term.
const MAX_IMPACT: i64 = 255;
const CUES: [Cue; 4] = [Cue::AsksWhy, Cue::AsksYesNo, Cue::Edit, Cue::ToolPrefix];
/// What the gate adds to the logit of a memory, in 1/1024, if the memory is anchored to a path in the prompt to which
/// only few memories are anchored (SPEC 34.4). On the judged prompts, the words of a path lower the logit by about as
/// much. A larger value lets wrong memories through.
pub(crate) const PATH_SHARE: i64 = 1536;
/// What the standing of a memory's model vector adds to the logit (SPEC 49.4), in 1/1024: `EMBEDDING_BIAS`, plus
/// `EMBEDDING_SLOPE` times how far the standing is above the background. This distance counts up to `MAX_EMBEDDING`.
/// `tools/gate/embedding.py` fitted the numbers on the judged prompts.
const EMBEDDING_BIAS: i64 = -600;
const EMBEDDING_SLOPE: i64 = 260;
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
    /// The evidence of the best candidates, by position.
    first: Vec<(u32, Evidence)>,
    /// The tenth highest lexical score; 0 if there are fewer than ten.
    tenth_points: i64,
    /// The tenth highest `product` of the best candidates' [`Question`](crate::rank::evidence::Question); 0 if there
    /// are fewer than ten.
    tenth_question: i64,
}

impl<'a, S: AsRef<[u8]>> Gate<'a, S> {
    pub(crate) fn new(
        snapshot: &'a Snapshot<S>,
        prompt: &str,
        cues: &[Cue],
        query: &'a Query,
        candidates: &'a Candidates,
    ) -> Self {
        let information = PromptInformation::new(snapshot, query);
        let (length, general, has_question_mark) = general_words(prompt);
        let flag = |holds: bool| if holds { UNIT } else { 0 };
        let mut of_prompt = vec![
            logarithm(information.unknown_words()),
            logarithm(length),
            UNIT * information.total / information.most,
            general,
            flag(query.words.iter().any(|word| word.share < FULL)),
            flag(!query.words.iter().all(|word| word.text.is_ascii())),
            flag(has_question_mark),
        ];
        of_prompt.extend(CUES.iter().map(|cue| flag(cues.contains(cue))));
        let first = candidates.ranked.iter().take(COMPARED).map(|candidate| candidate.position);
        let first: Vec<(u32, Evidence)> =
            first.filter_map(|position| Some((position, Evidence::find(&information, snapshot, position)?))).collect();
        // The retriever computes scores with the idf of the store's real size. In a small store, the scores of the
        // evidence are used instead.
        let tenth_points = if snapshot.len() < SMALL_STORE as usize {
            tenth(first.iter().map(|(_, found)| found.points))
        } else {
            tenth(candidates.lexical_scores.iter().copied())
        };
        let tenth_question = tenth(first.iter().map(|(_, found)| found.question.product));
        let reachable = MAX_IMPACT * information.weight;
        Self { snapshot, candidates, prompt: information, of_prompt, reachable, first, tenth_points, tenth_question }
    }

    /// Judges one of the candidates. `more` is added to the logit, for what the features do not include.
    pub(crate) fn judge(&self, candidate: &Candidate, more: i64) -> Judgment {
        Judgment::new(self.features(candidate).unwrap_or_else(|| vec![0; FEATURES.len()]), more)
    }

    /// The values of [`FEATURES`] for a candidate; `None` if there is no such document.
    fn features(&self, candidate: &Candidate) -> Option<Vec<i64>> {
        let known = self.first.iter().find(|(position, _)| *position == candidate.position);
        let made =
            if known.is_none() { Some(Evidence::find(&self.prompt, self.snapshot, candidate.position)?) } else { None };
        let found = known.map(|(_, found)| found).or(made.as_ref())?;
        let prompt = &self.prompt;
        let most = MAX_IMPACT * prompt.most;
        let best = self.candidates.ranked.first().map_or(0, Candidate::score);
        let question = &found.question;
        let others = self.first.iter().filter(|(position, _)| *position != candidate.position);
        let lead = question.product - others.map(|(_, other)| other.question.product).max().unwrap_or_default();
        let (place, number) = self.snapshot.place(candidate.position)?;
        let category = self.snapshot.parts.get(place)?.category(number);
        let mut values = vec![
            (UNIT * (found.points - self.tenth_points)).div_euclid(most),
            UNIT * found.points / most,
            if self.reachable > 0 { UNIT * found.points / self.reachable } else { 0 },
            logarithm(candidate.semantic_rank),
            candidate.score().div_euclid(4),
            if best > 0 { (UNIT * candidate.score()).div_euclid(best) } else { 0 },
            prompt.share(found.anywhere),
            UNIT * found.anywhere / prompt.most,
            found.window,
            UNIT * found.missing / prompt.most,
            logarithm(found.head_words),
            prompt.share(found.title),
            UNIT * found.title / prompt.most,
            found.title_share,
            question.prompt_share,
            question.own_share,
            question.product,
            question.product - self.tenth_question,
            lead,
            if category == "TECH_DEBT" { UNIT } else { 0 },
        ];
        values.extend(&self.of_prompt);
        Some(values)
    }
}

/// What the standing of a model vector adds to the logit if it is `margin` above the background; both are in 1/1024.
pub(crate) fn embedding_share(margin: i64) -> i64 {
    EMBEDDING_BIAS + ((EMBEDDING_SLOPE * margin.clamp(-MAX_EMBEDDING, MAX_EMBEDDING)) >> 10)
}

/// The tenth highest value, which is taken as the background; 0 if there are fewer than ten values.
fn tenth(values: impl Iterator<Item = i64>) -> i64 {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.get(BACKGROUND).copied().unwrap_or_default()
}
