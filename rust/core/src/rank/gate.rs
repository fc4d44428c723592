//! The gate: estimates how likely it is that a memory should be shown for a prompt (SPEC 28).
//!
//! The gate is a logistic model over integer features; each feature's contribution is piecewise linear with two knots.
//! This module computes the values of the features. `gate_model` has the model, whose numbers are in the gate's table.
//! A feature that only one of the two has is a compile error. `choose_judged` of the engine compares the logit with the
//! threshold of the setting.

use crate::index::bm25::FULL;
use crate::index::snapshot::Snapshot;
use crate::rank::cues::{Cue, count_sentences, general_words};
use crate::rank::evidence::{Evidence, PromptInformation, SMALL_STORE};
use crate::rank::gate_model::{BIAS, FEATURE_COUNT, FEATURES, Feature, UNIT, constant, count_of, logarithm};
use crate::rank::hybrid::{Candidate, Candidates, Query};
use crate::tables::is_same;

/// The index of the tenth value among lexical scores sorted in descending order. It is taken as the background: the
/// typical score of memories that do not fit the prompt.
const BACKGROUND: usize = count_of("background");
/// In a small store, the points of a candidate are compared with those of this number of best candidates.
const COMPARED: usize = count_of("compared");
/// The number of best candidates whose scores may be close to the best score.
const CLOSE: usize = count_of("close");
/// The lines of a log do not make a prompt talk, so more sentences than this do not count.
const MOST_SENTENCES: usize = 8;
/// The categories of memories that say what to do and what not to do.
const RULES: [&str; 2] = ["CONSTRAINT", "PREFERENCE"];
/// The greatest impact of a term.
const MAX_IMPACT: i64 = 255;
/// What the standing of a memory's model vector adds to the logit (SPEC 42.4), in 1/1024: `EMBEDDING_BIAS`, plus
/// `EMBEDDING_SLOPE` times how far the standing is above the background. This distance counts up to `MAX_EMBEDDING`.
const EMBEDDING_BIAS: i64 = constant("embedding_bias");
const EMBEDDING_SLOPE: i64 = constant("embedding_slope");
const MAX_EMBEDDING: i64 = constant("max_embedding");

/// Defines a struct with a value for each of these features. The table of the gate has a row for each field.
macro_rules! feature_values {
    ($(#[$doc:meta])* $name:ident { $($feature:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name {
            $($feature: i64),*
        }

        impl $name {
            const NAMES: &[&str] = &[$(stringify!($feature)),*];

            const fn values(&self) -> [i64; Self::NAMES.len()] {
                [$(self.$feature),*]
            }
        }
    };
}

feature_values! {
    /// The features of a memory and a prompt, in 1/1024.
    OfMemory {
        lexical_margin,
        lexical_points,
        lexical_share,
        score,
        score_share,
        prompt_share,
        information,
        window_lead,
        title_words,
        prompt_share_of_title,
        title_information,
        prompt_share_of_question,
        question,
        has_questions,
        tech_debt,
        rule,
        edit_and_rule,
    }
}

feature_values! {
    /// The features of only the prompt, in 1/1024.
    OfPrompt {
        close_scores,
        unknown_words,
        prompt_words,
        sentences,
        general_words,
        history,
        question_mark,
        asks_why,
        asks_yes_no,
        refers,
        edit,
        tool_prefix,
    }
}

/// For each feature of the table, the place of its value: in [`OfMemory`] or, behind that, in [`OfPrompt`].
static PLACES: [usize; FEATURE_COUNT] = find_places();

/// The features of the table in the order of the values in [`OfMemory`] and [`OfPrompt`].
static MODEL: [Feature; FEATURE_COUNT] = order_features();

#[expect(clippy::indexing_slicing, reason = "the compiler works here, and reports an index out of bounds")]
const fn order_features() -> [Feature; FEATURE_COUNT] {
    let (features, places) = (&FEATURES, find_places());
    let mut model = FEATURES;
    let mut number = 0;
    while number < FEATURE_COUNT {
        model[places[number]] = features[number];
        number += 1;
    }
    model
}

#[expect(clippy::indexing_slicing, reason = "the compiler works here, and reports an index out of bounds")]
const fn find_places() -> [usize; FEATURE_COUNT] {
    let (of_memory, of_prompt) = (OfMemory::NAMES, OfPrompt::NAMES);
    let features = &FEATURES;
    let mut places = [0; FEATURE_COUNT];
    let mut taken = [false; OfMemory::NAMES.len() + OfPrompt::NAMES.len()];
    let mut number = 0;
    while number < FEATURE_COUNT {
        let mut place = 0;
        while place < taken.len() {
            let is_of_memory = place < of_memory.len();
            let name = if is_of_memory { of_memory[place] } else { of_prompt[place - of_memory.len()] };
            if is_same(name, features[number].name) {
                break;
            }
            place += 1;
        }
        assert!(place < taken.len(), "a feature of the table `features` has no value in `OfMemory` or `OfPrompt`");
        assert!(!taken[place], "a feature is twice in the table `features`");
        taken[place] = true;
        places[number] = place;
        number += 1;
    }
    assert!(taken.len() == FEATURE_COUNT, "a value of `OfMemory` or `OfPrompt` is not in the table `features`");
    places
}

/// The gate for one prompt and its candidates.
pub(crate) struct Gate<'a, S> {
    snapshot: &'a Snapshot<S>,
    candidates: &'a Candidates,
    prompt: PromptInformation<'a, S>,
    /// The values of the features that depend only on the prompt.
    of_prompt: OfPrompt,
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
        let cue = |cue| flag(cues.contains(&cue));
        let of_prompt = OfPrompt {
            close_scores: logarithm(close_scores(candidates)),
            unknown_words: logarithm(information.unknown_words()),
            prompt_words: logarithm(length),
            sentences: logarithm(count_sentences(prompt).min(MOST_SENTENCES)),
            general_words: general,
            history: flag(query.words.iter().any(|word| word.share < FULL)),
            question_mark: flag(has_question_mark),
            asks_why: cue(Cue::AsksWhy),
            asks_yes_no: cue(Cue::AsksYesNo),
            refers: cue(Cue::Refers),
            edit: cue(Cue::Edit),
            tool_prefix: cue(Cue::ToolPrefix),
        };
        // The retriever computes scores with the idf of the store's real size. In a small store, the scores of the
        // evidence are used instead.
        let mut points = if snapshot.len() < SMALL_STORE {
            let first = candidates.ranked.iter().take(COMPARED);
            let found = first.map(|candidate| Evidence::find(&information, snapshot, &[candidate.position]));
            found.map(|found| found.points).collect()
        } else {
            candidates.lexical_scores.clone()
        };
        points.sort_unstable_by(|a, b| b.cmp(a));
        let tenth_points = points.get(BACKGROUND).copied().unwrap_or_default();
        let reachable = MAX_IMPACT * information.weight;
        Self { snapshot, candidates, prompt: information, of_prompt, reachable, tenth_points }
    }

    /// The logit of one of the candidates, in 1/1024. `more` is added to it, for what the features do not include.
    pub(crate) fn logit(&self, candidate: &Candidate, more: i64) -> i64 {
        logit_of(&self.values(&[candidate])) + more
    }

    /// The logit of several candidates as if they were one memory of the first one's category, in 1/1024.
    pub(crate) fn logit_together(&self, group: &[&Candidate]) -> i64 {
        logit_of(&self.values(group))
    }

    /// The name, the value and the share in the logit of each feature of a candidate, in the order of the table.
    pub(crate) fn features(&self, candidate: &Candidate) -> impl Iterator<Item = (&'static str, i64, i64)> {
        let values = self.values(&[candidate]);
        PLACES.iter().filter_map(move |place| {
            let (feature, value) = (MODEL.get(*place)?, *values.get(*place)?);
            Some((feature.name, value, feature.share(value)))
        })
    }

    /// The values of the features of candidates taken together, in the order of [`MODEL`]; all 0 if there is no such
    /// document.
    fn values(&self, group: &[&Candidate]) -> [i64; FEATURE_COUNT] {
        let mut values = [0; FEATURE_COUNT];
        if let Some(of_memory) = self.of_memory(group) {
            let (first, rest) = values.split_at_mut(OfMemory::NAMES.len());
            first.copy_from_slice(&of_memory.values());
            rest.copy_from_slice(&self.of_prompt.values());
        }
        values
    }

    /// The values of the features that depend on candidates taken together; `None` if there is no such document.
    fn of_memory(&self, group: &[&Candidate]) -> Option<OfMemory> {
        let (place, number) = self.snapshot.place(group.first()?.position)?;
        let positions: Vec<u32> = group.iter().map(|candidate| candidate.position).collect();
        let found = Evidence::find(&self.prompt, self.snapshot, &positions);
        let score = group.iter().map(|candidate| candidate.score()).max()?;
        let prompt = &self.prompt;
        let most = MAX_IMPACT * prompt.most;
        let best = self.candidates.ranked.first().map_or(0, Candidate::score);
        let category = self.snapshot.parts.get(place)?.category(number);
        let rule = flag(RULES.contains(&&*category));
        Some(OfMemory {
            lexical_margin: (UNIT * (found.points - self.tenth_points)).div_euclid(most),
            lexical_points: UNIT * found.points / most,
            lexical_share: if self.reachable > 0 { UNIT * found.points / self.reachable } else { 0 },
            score: score.div_euclid(4),
            score_share: if best > 0 { (UNIT * score).div_euclid(best) } else { 0 },
            prompt_share: prompt.share(found.anywhere),
            information: UNIT * found.anywhere / prompt.most,
            window_lead: found.window - prompt.share(found.anywhere),
            title_words: logarithm(found.head_words),
            prompt_share_of_title: prompt.share(found.title),
            title_information: UNIT * found.title / prompt.most,
            prompt_share_of_question: found.question.prompt_share,
            question: found.question.product,
            has_questions: flag(found.has_questions),
            tech_debt: flag(category == "TECH_DEBT"),
            rule,
            edit_and_rule: rule.min(self.of_prompt.edit),
        })
    }
}

/// The logit for these values of the features, in the order of [`MODEL`].
fn logit_of(values: &[i64; FEATURE_COUNT]) -> i64 {
    BIAS + MODEL.iter().zip(values).map(|(feature, value)| feature.share(*value)).sum::<i64>()
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
    let first = candidates.ranked.iter().take(CLOSE);
    first.filter(|candidate| best > 0 && 4 * candidate.score() > 3 * best).count()
}
