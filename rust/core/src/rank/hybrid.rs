//! The hybrid strategy: fuses the results of the lexical and the semantic retriever for a prompt (SPEC 27).

use crate::index::bm25::{FULL, MAX_QUERY_TERMS};
use crate::index::concept_graph::HOPS;
use crate::index::filters::Filters;
use crate::index::other_words::shipped as other_words;
use crate::index::snapshot::Snapshot;
use crate::index::static_table::related;
use crate::index::static_vector::Row;
use crate::index::vectors::row_of_words;
use crate::rank::request::Request;
use crate::retrieve::lexical::category_bonuses;
use crate::retrieve::model_vectors::Standings;
use crate::retrieve::nearest::Cosines;
use crate::retrieve::prompt_terms::{PromptText, QueryTerm, RUN, WEAK};
use crate::retrieve::segment_search::Weighted;
use crate::retrieve::top_k::Scratch;
use crate::settings::{Fusion, Settings};
use crate::text::letters::Kind;
use crate::text::stem::stem;
use crate::text::term_words::is_weak_word;
use crate::text::terms::{kind_of, lower_ascii};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The highest fused score that one retriever of weight 1 can give.
pub(crate) const ONE: i64 = 4096;
/// The weight of the terms of the previous prompt, in 1/256. Terms of the prompt `n` prompts ago have 1/`n` of it.
const HISTORY: u32 = 77;
const HISTORY_MAX: usize = 5;
/// The history is used only if the prompt has at most this many strong words.
const THIN: usize = 3;
// For each term, the maximal number of related terms that are added (`RELATED_MAX`), their least cosine
// (`RELATED_MIN`), and the share of the cosine that becomes their weight (`RELATED`).
const RELATED_MAX: usize = 5;
const RELATED_MIN: u8 = 141;
const RELATED: u32 = 128;
/// The weight of the English translation of a word is this share, in 1/256, of how well the translation fits.
const TRANSLATED: u32 = 128;
/// The share of a weight that each hop in the concept graph keeps, in 1/256, if the graph has weight 1.
const GRAPH_DECAY: u32 = 192;
/// The lexical retriever finds this many times as many candidates as the semantic retriever.
const LEXICAL_POOLS: usize = 2;

/// A word of the prompt with its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptWord {
    pub(crate) text: String,
    pub(crate) is_letters: bool,
    /// The share of its weight with which the word counts, in 1/256: 256 for a word of the prompt itself, less for a
    /// word of an earlier prompt.
    pub(crate) share: u32,
    /// Whether the word is a weak word, which says little (SPEC 19.5).
    pub(crate) is_weak: bool,
    /// The terms of the word with their weights.
    pub(crate) terms: Vec<(String, u32)>,
}

impl PromptWord {
    fn new(text: &str, share: u32) -> Self {
        let is_weak = is_weak_word(&lower_ascii(text));
        Self { text: text.to_owned(), is_letters: is_letters(text), share, is_weak, terms: Vec::new() }
    }

    /// The greatest weight that the word's terms can have, 1 to 256.
    pub(crate) fn weight(&self) -> u32 {
        if self.is_weak { WEAK } else { FULL }
    }

    /// The weight of a syllable pair of the word.
    pub(crate) fn run_weight(&self) -> u32 {
        if self.is_letters { RUN } else { (RUN * self.weight()) >> 8 }
    }

    /// For a word of Hangul, Han or kana, returns the terms that occur in its text. If there are none, or for a word of
    /// letters, it returns all terms of the word.
    pub(crate) fn own_terms(&self) -> impl Iterator<Item = &(String, u32)> {
        let is_own = |term: &str| !self.is_letters && self.text.contains(term);
        let has_own = self.terms.iter().any(|(term, _)| is_own(term));
        self.terms.iter().filter(move |(term, _)| !has_own || is_own(term))
    }
}

/// A prompt, prepared for the retrievers of a snapshot.
#[derive(Debug)]
pub(crate) struct Query {
    /// The terms, with weights of 1 to 256.
    pub(crate) terms: Vec<QueryTerm>,
    /// The words that the terms come from.
    pub(crate) words: Vec<PromptWord>,
    /// The prompt's vector.
    pub(crate) row: Row,
    /// The norm of the prompt's vector.
    pub(crate) norm: u32,
}

/// A document that is considered for the answer. Ranks count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) position: u32,
    /// The score of the lexical retriever; 0 if this retriever has not found the document.
    pub(crate) lexical: i64,
    /// The rank in the lexical retriever. For a document that this retriever has not found, it is the number of
    /// documents that the retriever has found.
    pub(crate) lexical_rank: usize,
    /// The greater number of `cosines`, in 1/4096.
    pub(crate) cosine: i64,
    /// The cosines of the prompt with the document's content and with its nearest question.
    pub(crate) cosines: Cosines,
    pub(crate) semantic_rank: usize,
    /// How far the cosine of the document's model vector stands out (its standing, SPEC 42.4), in 1/1024; `None` if it
    /// has no model vector.
    pub(crate) standing: Option<i64>,
    /// The rank by `standing` among the candidates with a model vector.
    pub(crate) embedding_rank: usize,
    /// The sum of the points of all retrievers, in 1/4096.
    pub(crate) fused: i64,
    /// The priors: name and points, in 1/4096.
    pub(crate) priors: Vec<(&'static str, i64)>,
}

impl Candidate {
    fn new(position: u32, lexical: i64, lexical_rank: usize, cosines: Cosines) -> Self {
        let cosine = cosines.best();
        let (standing, embedding_rank, semantic_rank, fused) = (None, 0, 0, 0);
        let priors = Vec::new();
        Self {
            position,
            lexical,
            lexical_rank,
            cosine,
            cosines,
            semantic_rank,
            standing,
            embedding_rank,
            fused,
            priors,
        }
    }

    /// The fused score plus the points of the priors, in 1/4096.
    pub(crate) fn score(&self) -> i64 {
        self.fused + self.priors.iter().map(|(_, points)| points).sum::<i64>()
    }

    /// The points of the lexical retriever, the semantic retriever and the model vectors, in 1/4096; `best` is the
    /// highest lexical score of all candidates.
    pub(crate) fn retriever_points(&self, best: i64, settings: &Settings) -> (i64, i64, i64) {
        let standing = self.standing.unwrap_or_default().max(0);
        let (lexical, semantic, embedding) = match settings.fusion {
            Fusion::Rrf => {
                let first = i64::from(settings.rrf_k) + 1;
                let at = |rank: usize| ONE * first / (first + i64::try_from(rank).unwrap_or(i64::from(u32::MAX)));
                let lexical = if self.lexical > 0 { at(self.lexical_rank) } else { 0 };
                let semantic = if self.cosine > 0 { at(self.semantic_rank) } else { 0 };
                (lexical, semantic, if standing > 0 { at(self.embedding_rank) } else { 0 })
            }
            Fusion::Score => {
                let lexical = if self.lexical > 0 && best > 0 { ONE * self.lexical / best } else { 0 };
                (lexical, self.cosine.max(0), standing)
            }
        };
        let weigh = |points: i64, weight: u32| (points * i64::from(weight)) >> 10;
        (
            weigh(lexical, settings.lexical_weight),
            weigh(semantic, settings.semantic_weight),
            weigh(embedding, settings.embedding_weight),
        )
    }
}

/// The candidates of all retrievers, best first, and the scores of the lexical retriever.
#[derive(Debug)]
pub(crate) struct Candidates {
    pub(crate) ranked: Vec<Candidate>,
    pub(crate) lexical_scores: Vec<i64>,
    /// The terms of the query that a document has.
    pub(crate) weighted: Vec<Weighted>,
}

/// Collects the terms and words of a prompt and its history, and the weighted words of the prompt's vector.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) terms: Vec<QueryTerm>,
    pub(crate) known: HashSet<String>,
    pub(crate) words: Vec<PromptWord>,
    places: HashMap<String, usize>,
    pub(crate) weighted_words: Vec<(String, u32)>,
}

impl Reader {
    pub(crate) fn add_to_word(&mut self, word: &str, share: u32, term: &str, weight: u32) {
        let place = self.places.get(word).copied().unwrap_or_else(|| {
            self.places.insert(word.to_owned(), self.words.len());
            self.words.push(PromptWord::new(word, share));
            self.words.len() - 1
        });
        if let Some(word) = self.words.get_mut(place) {
            word.terms.push((term.to_owned(), weight));
        }
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The terms, words and vector of a request's prompt and its history; `own_words` is the prompt, or empty if it has
    /// no words of its own.
    ///
    /// The history is used only if the prompt itself has at most `THIN` strong words.
    pub(crate) fn read_query(&self, own_words: &str, request: &Request<'_>) -> Query {
        let Request { history, earlier, context, settings, .. } = *request;
        let mut reader = Reader::default();
        self.add_prompt(own_words, context.synonyms, settings, &mut reader);
        if reader.words.iter().filter(|word| !word.is_weak).count() <= THIN {
            let kept = |text: &String| Cow::Owned(self.kept_terms(text, context.synonyms, settings));
            let lines = earlier.iter().rev().map(|line| Cow::Borrowed(line.as_str()));
            for (line, age) in lines.chain(history.iter().rev().map(kept)).take(HISTORY_MAX).zip(1..) {
                self.add_earlier(&line, HISTORY / age, settings, &mut reader);
            }
        }
        let (row, norm) = row_of_words(&reader.weighted_words);
        Query { terms: reader.terms, words: reader.words, row, norm }
    }

    /// The candidates of both retrievers and of the model vectors, with their fused scores, best first. Each of these
    /// sources gives at least `request.k` candidates if it has that many. Accepted documents of `also` become
    /// candidates even if no retriever has found them.
    pub(crate) fn find_candidates(
        &self,
        query: &Query,
        request: &Request<'_>,
        also: &[u32],
        standings: Option<&Standings>,
        scratch: &mut Scratch,
    ) -> Candidates {
        let Request { settings, filters, .. } = *request;
        let pool = (settings.candidate_pool as usize).max(request.k);
        let most = pool.saturating_mul(LEXICAL_POOLS);
        let weighted = self.weigh(&query.terms);
        let bonuses = category_bonuses(&weighted, &query.terms, request.context.descriptions);
        let found = self.search_lexical(&weighted, most, &bonuses, filters, scratch);
        let cosines_at = |position: u32| self.cosines_at(position, &query.row, query.norm);
        let mut candidates: Vec<Candidate> = Vec::with_capacity(found.len() + pool.min(self.len()));
        for (rank, (position, score)) in found.iter().enumerate() {
            candidates.push(Candidate::new(*position, *score, rank, cosines_at(*position)));
        }
        let mut known: HashSet<u32> = found.iter().map(|(position, _)| *position).collect();
        let also: Vec<u32> = also.iter().copied().filter(|position| self.accepts(*position, filters)).collect();
        let embedded = standings.map(|standings| standings.best(self, pool, filters)).unwrap_or_default();
        let near = self.near_by_signs(&query.row, pool, filters);
        for position in near.into_iter().chain(embedded).chain(also.iter().copied()) {
            if known.insert(position) {
                candidates.push(Candidate::new(position, 0, found.len(), cosines_at(position)));
            }
        }
        candidates.sort_by(|a, b| b.cosine.cmp(&a.cosine).then_with(|| self.compare_positions(a.position, b.position)));
        if let Some(standings) = standings {
            rank_standings(&mut candidates, standings);
        }
        let lexical_scores: Vec<i64> = found.iter().map(|(_, score)| *score).collect();
        let best = lexical_scores.first().copied().unwrap_or_default();
        for (rank, candidate) in candidates.iter_mut().enumerate() {
            candidate.semantic_rank = rank;
            let (lexical, semantic, embedding) = candidate.retriever_points(best, settings);
            candidate.fused = lexical + semantic + embedding;
        }
        candidates.retain(|candidate| candidate.fused > 0 || also.contains(&candidate.position));
        let mut candidates = Candidates { ranked: candidates, lexical_scores, weighted };
        self.order_candidates(&mut candidates);
        candidates
    }

    /// Whether a document exists at a position and the filters accept it.
    pub(crate) fn accepts(&self, position: u32, filters: &Filters) -> bool {
        let part = self.place(position).and_then(|(place, number)| Some((self.parts.get(place)?, number)));
        part.is_some_and(|(part, number)| filters.takes_status(part.status(number)) && part.takes(number, filters))
    }

    /// Sorts candidates by score, best first; candidates with equal scores are in document order.
    pub(crate) fn order_candidates(&self, candidates: &mut Candidates) {
        candidates
            .ranked
            .sort_by(|a, b| b.score().cmp(&a.score()).then_with(|| self.compare_positions(a.position, b.position)));
    }

    /// Compares two documents by document order; `a` and `b` are positions.
    pub(crate) fn compare_positions(&self, a: u32, b: u32) -> Ordering {
        match (self.place(a), self.place(b)) {
            (Some(a), Some(b)) => self.compare(a, b),
            _ => a.cmp(&b),
        }
    }

    /// Adds the terms and words of a text, and its words for the vector, to `reader`.
    fn add_prompt(&self, text: &str, synonyms: &[Vec<String>], settings: &Settings, reader: &mut Reader) {
        let prompt = PromptText::read(text);
        let mut found = self.terms_of(&prompt, synonyms);
        if settings.related_terms {
            add_related(&mut found);
        }
        if settings.graph {
            self.add_concepts(&mut found, settings);
        }
        found.truncate(MAX_QUERY_TERMS.saturating_sub(reader.terms.len()));
        for QueryTerm { term, weight, word } in found {
            // Terms from the concept graph do not come from a word of the prompt.
            if !word.is_empty() {
                reader.add_to_word(&word, FULL, &term, weight);
            }
            if reader.known.insert(term.clone()) {
                reader.terms.push(QueryTerm { term, weight: weight.max(1), word });
            }
        }
        reader.weighted_words.extend(self.words_of(&prompt));
    }

    /// Appends terms that often occur together with the given terms in the project's memories. Their `word` is empty.
    pub(crate) fn add_concepts(&self, terms: &mut Vec<QueryTerm>, settings: &Settings) {
        let query: Vec<(&str, u32)> = terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
        let found = self.concept_graph().expand(&query, HOPS, (GRAPH_DECAY * settings.graph_weight) >> 10);
        let of_no_piece = |(term, weight): (&str, u32)| QueryTerm {
            term: term.to_owned(),
            weight: weight.clamp(1, FULL),
            word: String::new(),
        };
        let found: Vec<QueryTerm> = found.into_iter().map(of_no_piece).collect();
        terms.extend(found);
    }
}

/// Sets the standing of each candidate's model vector, and its rank by standing. The candidates must be sorted by
/// cosine.
fn rank_standings(candidates: &mut [Candidate], standings: &Standings) {
    let mut with_vector = Vec::new();
    for candidate in candidates {
        candidate.standing = standings.at(candidate.position);
        with_vector.extend(candidate.standing.map(|standing| (standing, &mut candidate.embedding_rank)));
    }
    with_vector.sort_by_key(|(standing, _)| std::cmp::Reverse(*standing));
    for (place, (_, rank)) in with_vector.into_iter().enumerate() {
        *rank = place;
    }
}

fn is_letters(text: &str) -> bool {
    text.chars().next().is_none_or(|first| kind_of(first) == Kind::Letter)
}

/// Appends terms with nearly the same meaning as a term that has full weight, or that is a whole run of Hangul, Han or
/// kana. Also appends English translations of words of other languages.
pub(crate) fn add_related(terms: &mut Vec<QueryTerm>) {
    let known: HashSet<&str> = terms.iter().map(|term| term.term.as_str()).collect();
    let mut added: Vec<QueryTerm> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let is_run = |term: &QueryTerm| {
        let is_long = term.term.chars().nth(2).is_some() && !is_letters(&term.term);
        term.weight == RUN && is_long && term.word.starts_with(&term.term)
    };
    let mut offer =
        |other: &str, weight: u32, word: &str| match places.get(other).and_then(|place| added.get_mut(*place)) {
            _ if known.contains(other) => {}
            None => {
                places.insert(other.to_owned(), added.len());
                added.push(QueryTerm { term: other.to_owned(), weight, word: word.to_owned() });
            }
            Some(there) if there.weight < weight => {
                there.weight = weight;
                word.clone_into(&mut there.word);
            }
            Some(_) => {}
        };
    for term in terms.iter().filter(|term| term.weight == FULL || is_run(term)) {
        for (other, cosine) in related(&term.term).into_iter().take(RELATED_MAX) {
            if cosine >= RELATED_MIN {
                offer(other, (u32::from(cosine) * RELATED) >> 8, &term.word);
            }
        }
    }
    let mut seen = HashSet::new();
    for word in terms.iter().map(|term| term.word.as_str()).filter(|word| seen.insert(*word)) {
        for form in other_words().words_of(&lower_ascii(word)) {
            for (other, share) in other_words().find(&form) {
                offer(&stem(other), (u32::from(share) * TRANSLATED) >> 8, word);
            }
        }
    }
    terms.extend(added);
}
