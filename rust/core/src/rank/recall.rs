//! Answers a prompt: fuses the results of both retrievers, applies the priors and the gate, and explains the result
//! (SPEC 27 to 29).

use crate::classic::keyword::ScorePart;
use crate::index::bm25::FULL;
use crate::index::snapshot::Snapshot;
use crate::memory::validity::Standing;
use crate::rank::cues::{Cue, find_cues};
use crate::rank::evidence::PromptInformation;
use crate::rank::gate::{Gate, embedding_share};
use crate::rank::gate_model::{BIAS, Best, PATH_SHARE, UNIT, count_of, gate_threshold, lowest_shown, probability};
use crate::rank::hybrid::{Candidate, Candidates, PromptWord, Query};
use crate::rank::priors::{heeds_age, prior_points};
use crate::rank::request::Request;
use crate::rank::situation::Situated;
use crate::retrieve::model_vectors::Standings;
use crate::retrieve::prompt_terms::QueryTerm;
use crate::retrieve::top_k::Scratch;
use crate::settings::GateSetting;

/// The gate judges at least this many of the best candidates.
pub const JUDGED: usize = count_of("judged");
/// A short prompt with one of these cues may depend on the prompts before it.
const DEPENDENT: [Cue; 2] = [Cue::Continues, Cue::Refers];
/// A prompt with more strong words that memories have does not lean on the prompts before it: a memory must have one of
/// these words too.
const MOST_LEANING: usize = 1;

/// A document that was found, with the gate's judgment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recalled {
    /// The document's position in the snapshot.
    pub position: u32,
    /// The document's score, in 1/4096.
    pub score: i64,
    /// The gate's logit, in 1/1024.
    pub logit: i64,
    /// The probability that the document should be shown, in 1/1024.
    pub probability: i64,
}

/// The documents that were judged for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The documents, best first, whether or not they pass the gate.
    pub found: Vec<Recalled>,
    /// The lowest logit of a memory that the setting shows for this prompt, in 1/1024; `None` without a gate.
    pub least: Option<i64>,
}

/// The scores and ranks of a document in each stage. Ranks count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks {
    /// The rank by `score`.
    pub rank: usize,
    /// The score with priors, in 1/4096.
    pub score: i64,
    /// The score without priors, in 1/4096.
    pub fused: i64,
    /// The score of the lexical retriever; 0 if this retriever has not found the document.
    pub lexical: i64,
    /// The rank in the lexical retriever; `None` if this retriever has not found the document.
    pub lexical_rank: Option<usize>,
    /// The cosine of the prompt's vector and the document's vector, in 1/4096.
    pub cosine: i64,
    /// The rank by cosine among the candidates.
    pub semantic_rank: usize,
}

/// The answer to one prompt from one snapshot.
pub struct Recall<'a, S> {
    snapshot: &'a Snapshot<S>,
    request: Request<'a>,
    cues: Vec<Cue>,
    query: Query,
    candidates: Candidates,
    situated: Situated,
    standings: Option<Standings>,
    /// The recall of the same prompt without its history; `None` if the history is not used.
    alone: Option<Box<Recall<'a, S>>>,
}

impl<'a, S: AsRef<[u8]>> Recall<'a, S> {
    /// Finds and ranks the candidates for a request: at least the best `k` documents that the filters accept.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot<S>, request: Request<'a>, scratch: &mut Scratch) -> Self {
        let Request { prompt, settings, embedded, .. } = request;
        let cues = find_cues(prompt);
        let by_itself = Request { history: &[], earlier: &[], ..request };
        let request = if DEPENDENT.iter().any(|cue| cues.contains(cue)) { request } else { by_itself };
        let own_words = if goes_on(&cues, &request) { "" } else { prompt };
        let query = snapshot.read_query(own_words, &request);
        // Earlier prompts may add memories to those that the prompt finds by itself, but must not hide any of them.
        let reads_history = query.words.iter().any(|word| word.share < FULL);
        let alone = reads_history.then(|| Box::new(Self::new(snapshot, by_itself, scratch)));
        let situated = request.situation.map(|situation| Situated::find(snapshot, situation)).unwrap_or_default();
        let standings = (!embedded.is_empty()).then(|| Standings::new(snapshot, embedded));
        let mut candidates = snapshot.find_candidates(&query, &request, &situated.named, standings.as_ref(), scratch);
        if reads_history {
            leave_out_unrelated(snapshot, &query, &mut candidates);
        }
        let mut recall = Self { snapshot, request, cues, query, candidates, situated, standings, alone };
        if settings.priors {
            recall.apply_priors();
        }
        recall
    }

    pub(crate) fn snapshot(&self) -> &'a Snapshot<S> {
        self.snapshot
    }

    pub(crate) fn request(&self) -> &Request<'a> {
        &self.request
    }

    /// The words of the prompt itself; `None` if they were not read, because the prompt only continues earlier ones.
    pub(crate) fn own_words(&self) -> Option<&[PromptWord]> {
        let own = self.alone.as_deref().unwrap_or(self);
        (!goes_on(&own.cues, &own.request)).then_some(&own.query.words)
    }

    /// The cues of the prompt.
    #[must_use]
    pub fn cues(&self) -> &[Cue] {
        &self.cues
    }

    /// The position and score of the best `k` documents, best first, without applying the gate.
    #[must_use]
    pub fn search(&self, k: usize) -> Vec<(u32, i64)> {
        self.candidates.ranked.iter().take(k).map(|candidate| (candidate.position, candidate.score())).collect()
    }

    /// The memories to show, best first. Without a gate, these are the best `k` documents. With a gate, these are the
    /// documents among the best `k` (at least ten) that pass the gate; none if the prompt is only a courtesy.
    #[must_use]
    pub fn choose(&self, k: usize, setting: GateSetting) -> Vec<Recalled> {
        if setting != GateSetting::Off && self.is_courtesy() {
            return Vec::new();
        }
        let Judged { found, least } = self.judge(if setting == GateSetting::Off { k } else { k.max(JUDGED) }, setting);
        let Some(least) = least else { return found.into_iter().take(k).collect() };
        found.into_iter().filter(|recalled| recalled.logit >= least).collect()
    }

    /// The best `k` documents with the gate's judgment, best first, including documents that do not pass the gate; and
    /// the lowest logit of a memory that a setting shows for this prompt.
    ///
    /// If the history is used, the prompt is judged with and without its history. The best `k` documents of both are
    /// returned, each with the judgment that has the higher logit, and the lower one of both lowest logits.
    #[must_use]
    pub fn judge(&self, k: usize, setting: GateSetting) -> Judged {
        self.judge_at(&self.first(k), setting)
    }

    /// The same as `judge` for the candidates at some positions instead of the best ones.
    #[must_use]
    pub fn judge_at(&self, positions: &[u32], setting: GateSetting) -> Judged {
        let mut judged = self.judge_some(positions, setting);
        let Some(alone) = &self.alone else { return judged };
        let of_alone = alone.judge_some(positions, setting);
        for found in of_alone.found {
            match judged.found.iter_mut().find(|known| known.position == found.position) {
                Some(known) if found.logit >= known.logit => *known = found,
                Some(_) => {}
                None => judged.found.push(found),
            }
        }
        judged.found.sort_by_key(|found| -found.score);
        judged.least = judged.least.min(of_alone.least);
        judged
    }

    /// The gate's logit, in 1/1024, of several documents as if they were one memory of the first one's category; `None` if
    /// one of them is not a candidate.
    #[must_use]
    pub fn judge_together(&self, positions: &[u32]) -> Option<i64> {
        let logit = |reading: &Self| {
            let group: Option<Vec<&Candidate>> = positions.iter().map(|position| reading.find(*position)).collect();
            Some(reading.gate().logit_together(&group?))
        };
        logit(self).max(self.alone.as_deref().and_then(logit))
    }

    /// The positions of the best `count` documents, with or without history.
    #[must_use]
    pub fn first(&self, count: usize) -> Vec<u32> {
        let first = |reading: &Self| -> Vec<u32> {
            reading.candidates.ranked.iter().take(count).map(|candidate| candidate.position).collect()
        };
        let mut found = first(self);
        found.extend(self.alone.as_deref().map(first).unwrap_or_default());
        found
    }

    /// The best rank of the document at a position, with or without history, counted from 0; `None` if it is not a
    /// candidate.
    #[must_use]
    pub fn best_rank(&self, position: u32) -> Option<usize> {
        let rank = |reading: &Self| reading.candidates.ranked.iter().position(|found| found.position == position);
        let with = rank(self);
        self.alone.as_deref().and_then(rank).into_iter().chain(with).min()
    }

    /// The same as `judge_at` in this recall alone (with or without history).
    fn judge_some(&self, wanted: &[u32], setting: GateSetting) -> Judged {
        let gate = self.gate();
        let first = self.candidates.ranked.iter().take(JUDGED);
        let first: Vec<i64> = first.map(|candidate| self.logit(&gate, candidate)).collect();
        let candidates = self.candidates.ranked.iter().enumerate();
        let some = candidates.filter(|(_, candidate)| wanted.contains(&candidate.position));
        let recalled = |(place, candidate): (usize, &Candidate)| {
            let logit = first.get(place).copied().unwrap_or_else(|| self.logit(&gate, candidate));
            Recalled { position: candidate.position, score: candidate.score(), logit, probability: probability(logit) }
        };
        let least = gate_threshold(setting).map(|least| least + self.request.settings.gate_shift);
        let least = least.map(|least| lowest_shown(least, self.best_of(&first)));
        Judged { found: some.map(recalled).collect(), least }
    }

    /// The recall of the prompt, with or without its history, that gives the document at a position the higher logit.
    #[must_use]
    pub fn reading_of(&self, position: u32) -> &Self {
        let Some(alone) = self.alone.as_deref() else { return self };
        let logit = |reading: &Self| Some(reading.logit(&reading.gate(), reading.find(position)?));
        match (logit(self), logit(alone)) {
            (with, Some(without)) if with.is_none_or(|with| with <= without) => alone,
            _ => self,
        }
    }

    fn gate(&self) -> Gate<'_, S> {
        Gate::new(self.snapshot, self.request.prompt, &self.cues, &self.query, &self.candidates)
    }

    /// The gate's logit of a candidate, in 1/1024.
    fn logit(&self, gate: &Gate<'_, S>, candidate: &Candidate) -> i64 {
        let embedding = self.embedding_margin(candidate).map_or(0, embedding_share);
        let path = if self.situated.is_singled_out(candidate.position) { PATH_SHARE } else { 0 };
        gate.logit(candidate, embedding + path)
    }

    /// The scores and ranks of the document at a position; `None` if it is not a candidate.
    #[must_use]
    pub fn ranks(&self, position: u32) -> Option<Ranks> {
        let rank = self.candidates.ranked.iter().position(|candidate| candidate.position == position)?;
        let candidate = self.candidates.ranked.get(rank)?;
        let is_lexical = candidate.lexical > 0;
        Some(Ranks {
            rank,
            score: candidate.score(),
            fused: candidate.fused,
            lexical: candidate.lexical,
            lexical_rank: is_lexical.then_some(candidate.lexical_rank),
            cosine: candidate.cosine,
            semantic_rank: candidate.semantic_rank,
        })
    }

    /// The query's terms, with their weights of 1 to 256 and the words of the prompt that they come from.
    #[must_use]
    pub fn terms(&self) -> &[QueryTerm] {
        &self.query.terms
    }

    /// The parts of the score of the document at a position; they add up to the score. Empty if the document is not a
    /// candidate.
    #[must_use]
    pub fn explain(&self, position: u32) -> Vec<ScorePart> {
        let Some(candidate) = self.find(position) else { return Vec::new() };
        let best = self.candidates.lexical_scores.first().copied().unwrap_or_default();
        let (lexical, semantic, embedding) = candidate.retriever_points(best, self.request.settings);
        let mut parts = Vec::new();
        if lexical > 0 {
            // The points of the lexical retriever are divided among the parts, and rounded so that the parts add up to
            // these points.
            let (mut reached, mut before) = (0, 0);
            let descriptions = self.request.context.descriptions;
            for part in self.snapshot.lexical_parts(position, &self.query.terms, descriptions) {
                reached += part.points;
                let so_far = lexical * reached / candidate.lexical;
                parts.push(ScorePart { points: so_far - before, ..part });
                before = so_far;
            }
        }
        let retrievers =
            [("semantic", candidate.semantic_rank, semantic), ("embedding", candidate.embedding_rank, embedding)];
        for (kind, rank, points) in retrievers.into_iter().filter(|(_, _, points)| *points > 0) {
            let by_question = kind == "semantic" && candidate.cosines.questions > Some(candidate.cosines.content);
            let matched = format!("rank {}{}", rank + 1, if by_question { " by a question" } else { "" });
            parts.push(ScorePart { kind, token: String::new(), matched, points });
        }
        let prior = |(kind, points): &(&'static str, i64)| ScorePart {
            kind,
            token: String::new(),
            matched: String::new(),
            points: *points,
        };
        parts.extend(candidate.priors.iter().map(prior));
        parts
    }

    /// The parts of the gate's logit for a document, each as name, value and share, in 1/1024. The bias comes first.
    /// Empty if the document is not a candidate.
    #[must_use]
    pub fn features(&self, position: u32) -> Vec<(&'static str, i64, i64)> {
        let Some(candidate) = self.find(position) else { return Vec::new() };
        let features: Vec<_> = self.gate().features(candidate).collect();
        let embedding = self.embedding_margin(candidate).map(|margin| ("embedding", margin, embedding_share(margin)));
        let path = self.situated.is_singled_out(position).then_some(("path", UNIT, PATH_SHARE));
        std::iter::once(("bias", UNIT, BIAS)).chain(features).chain(embedding).chain(path).collect()
    }

    /// Whether the prompt contains only courtesies and does not continue an earlier prompt.
    #[must_use]
    pub fn is_courtesy(&self) -> bool {
        self.cues.contains(&Cue::Chat) && !goes_on(&self.cues, &self.request)
    }

    /// The first of the first candidates with the highest of their logits. Only memories that are valid now count, unless
    /// the prompt asks about the past.
    fn best_of(&self, logits: &[i64]) -> Option<Best> {
        let is_past = self.cues.contains(&Cue::AsksPast);
        let counts = |candidate: &Candidate| {
            is_past || self.snapshot.validity(candidate.position).at(self.request.now) == Standing::Holds
        };
        let first = self.candidates.ranked.iter().zip(logits);
        let (candidate, logit) =
            first.filter(|(candidate, _)| counts(candidate)).rev().max_by_key(|(_, logit)| **logit)?;
        let mut terms = self.snapshot.field_terms(candidate.position).iter();
        Some(Best { logit: *logit, has_questions: terms.any(|(_, fields)| fields.has_questions()) })
    }

    /// Whether a document of `whole` that this recall's snapshot, a part of it, does not have comes near the best one of
    /// `whole` by the words of the prompt (SPEC 45.10): whether its lexical score is at least `eighths` of the best one.
    #[must_use]
    pub fn has_rival(&self, whole: &Snapshot<S>, eighths: u64, scratch: &mut Scratch) -> bool {
        let mut readings = std::iter::once(self).chain(self.alone.as_deref());
        readings.any(|reading| {
            let weighted = whole.weigh(&reading.query.terms);
            let filters = self.request.filters;
            let best = whole.best_score(&weighted, filters, None, scratch);
            let other = whole.best_score(&weighted, filters, Some(self.snapshot), scratch);
            other > 0 && 8 * other >= eighths * best
        })
    }

    /// How far the standing of a candidate's model vector (SPEC 42.4) is above the background, in 1/1024; `None` if the
    /// standing or the background is unknown.
    fn embedding_margin(&self, candidate: &Candidate) -> Option<i64> {
        Some(candidate.standing? - self.standings.as_ref()?.background?)
    }

    fn find(&self, position: u32) -> Option<&Candidate> {
        self.candidates.ranked.iter().find(|candidate| candidate.position == position)
    }

    /// Sets the priors of each candidate and sorts the candidates again.
    fn apply_priors(&mut self) {
        let settings = self.request.settings;
        for candidate in &mut self.candidates.ranked {
            let place = self.snapshot.place(candidate.position);
            let part = place.and_then(|(place, number)| Some((self.snapshot.parts.get(place)?, number)));
            let category = part.map(|(part, number)| part.category(number)).unwrap_or_default();
            // The record is read only if the age of memories of this category matters.
            let document = heeds_age(&category, settings).then(|| self.snapshot.document(candidate.position)).flatten();
            let updated_at = document.and_then(|document| document.updated_at);
            let situational = self.situated.points(candidate.position, &category);
            candidate.priors =
                prior_points(&self.cues, &category, updated_at, self.request.now, settings, &situational);
        }
        self.snapshot.order_candidates(&mut self.candidates);
    }
}

/// Leaves out the candidates that only the earlier prompts bring, if the prompt itself says what it is about.
fn leave_out_unrelated<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, query: &Query, candidates: &mut Candidates) {
    let information = PromptInformation::new(snapshot, query, &candidates.weighted);
    if information.own_words() > MOST_LEANING {
        candidates.ranked.retain(|candidate| information.has_own_word(candidate.position));
    }
}

/// Whether a prompt says nothing but that the work before it goes on, such as "continue".
fn goes_on(cues: &[Cue], request: &Request<'_>) -> bool {
    cues.contains(&Cue::Chat) && cues.contains(&Cue::Continues) && request.has_history()
}
