//! The hybrid strategy: what the lexical and the semantic retriever find for a prompt, fused (SPEC 27).

use crate::index::bm25::{FULL, MAX_QUERY_TERMS};
use crate::index::concept_graph::HOPS;
use crate::index::filters::Filters;
use crate::index::other_words::shipped as other_words;
use crate::index::snapshot::Snapshot;
use crate::index::static_table::related;
use crate::index::static_vector::Row;
use crate::index::vectors::row_of_words;
use crate::rank::request::Request;
use crate::retrieve::model_vectors::Standings;
use crate::retrieve::nearest::Cosines;
use crate::retrieve::prompt_terms::{QueryTerm, RUN, WEAK};
use crate::retrieve::top_k::Scratch;
use crate::settings::{Fusion, Settings};
use crate::text::letters::Kind;
use crate::text::stem::stem;
use crate::text::term_words::is_weak_word;
use crate::text::terms::{kind_of, lower_ascii};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// A fused score in full, by one retriever of weight 1.
pub(crate) const ONE: i64 = 4096;
/// What a term of the previous prompt counts; one of the prompt before that half of it, and so on.
const HISTORY: u32 = 77;
const HISTORY_MAX: usize = 5;
/// With more words than this a prompt speaks for itself.
const THIN: usize = 3;
// Only terms this near stand for one another, each for so much of its cosine.
const RELATED_MAX: usize = 5;
const RELATED_MIN: u8 = 141;
const RELATED: u32 = 128;
/// An English word for a word of another language counts for so much of how well it fits.
const TRANSLATED: u32 = 128;
/// What a hop in the concept graph leaves of a weight, in 1/256, where the graph has the weight 1.
const GRAPH_DECAY: u32 = 192;
/// The lexical retriever finds twice the pool of the semantic one.
const LEXICAL_POOLS: usize = 2;

/// A piece of the prompt with its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptWord {
    pub(crate) text: String,
    pub(crate) is_letters: bool,
    /// 256 for a word of the prompt itself, less for one of those before it.
    pub(crate) share: u32,
    /// Whether it says little.
    pub(crate) is_weak: bool,
    /// Its terms with their weights.
    pub(crate) terms: Vec<(String, u32)>,
}

impl PromptWord {
    fn new(text: &str, share: u32) -> Self {
        let is_weak = is_weak_word(&lower_ascii(text));
        Self { text: text.to_owned(), is_letters: is_letters(text), share, is_weak, terms: Vec::new() }
    }

    /// The greatest weight that its terms can have, 1 to 256.
    pub(crate) fn weight(&self) -> u32 {
        if self.is_weak { WEAK } else { FULL }
    }

    /// What a syllable pair in it weighs.
    pub(crate) fn run_weight(&self) -> u32 {
        if self.is_letters { RUN } else { (RUN * self.weight()) >> 8 }
    }

    /// The terms that are cut out of a word of Hangul, Han or kana; all terms where it has none, or is of letters.
    pub(crate) fn own_terms(&self) -> impl Iterator<Item = &(String, u32)> {
        let is_own = |term: &str| !self.is_letters && self.text.contains(term);
        let has_own = self.terms.iter().any(|(term, _)| is_own(term));
        self.terms.iter().filter(move |(term, _)| !has_own || is_own(term))
    }
}

/// A prompt made ready for the retrievers of a snapshot.
#[derive(Debug)]
pub(crate) struct Query {
    /// Terms with weights of 1 to 256.
    pub(crate) terms: Vec<QueryTerm>,
    /// The pieces that they come from.
    pub(crate) words: Vec<PromptWord>,
    /// The prompt's vector.
    pub(crate) row: Row,
    /// Its norm.
    pub(crate) norm: u32,
}

/// A document that a retriever has found; ranks count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) position: u32,
    /// The score of the lexical retriever, 0 where that has not found it.
    pub(crate) lexical: i64,
    /// The number of those that the lexical retriever has found where it has not found this one.
    pub(crate) lexical_rank: usize,
    /// The best of the next two, in 1/4096.
    pub(crate) cosine: i64,
    /// How near its content is, and its nearest question.
    pub(crate) cosines: Cosines,
    pub(crate) semantic_rank: usize,
    /// How far its model vector stands out, in 1/1024; `None` where it has none.
    pub(crate) standing: Option<i64>,
    /// The rank by that of those that have one.
    pub(crate) embedding_rank: usize,
    /// What the retrievers give it together, in 1/4096.
    pub(crate) fused: i64,
    /// What the priors add, each with its name.
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

    /// The fused score with the points of the priors, in 1/4096.
    pub(crate) fn score(&self) -> i64 {
        self.fused + self.priors.iter().map(|(_, points)| points).sum::<i64>()
    }

    /// What the lexical retriever, the semantic retriever and the model vectors give it, in 1/4096; `best` is the
    /// highest lexical score.
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

/// What the retrievers have found, best first, and the lexical scores.
#[derive(Debug)]
pub(crate) struct Candidates {
    pub(crate) ranked: Vec<Candidate>,
    pub(crate) lexical_scores: Vec<i64>,
}

/// Terms, words and the words of the vector, as they are collected.
#[derive(Default)]
struct Reader {
    terms: Vec<QueryTerm>,
    known: HashSet<String>,
    words: Vec<PromptWord>,
    places: HashMap<String, usize>,
    weighted_words: Vec<(String, u32)>,
}

impl Reader {
    fn add_to_word(&mut self, word: &str, share: u32, term: &str, weight: u32) {
        let place = *self.places.entry(word.to_owned()).or_insert_with(|| {
            self.words.push(PromptWord::new(word, share));
            self.words.len() - 1
        });
        if let Some(word) = self.words.get_mut(place) {
            word.terms.push((term.to_owned(), weight));
        }
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// Terms, words and vector of a prompt; `history` are the prompts before it, the oldest first.
    ///
    /// They count only where the prompt itself has few words that say something.
    pub(crate) fn read_query<H: AsRef<str>>(
        &self,
        prompt: &str,
        history: &[H],
        synonyms: &[Vec<String>],
        settings: &Settings,
    ) -> Query {
        let mut reader = Reader::default();
        self.add_prompt(prompt, FULL, synonyms, settings, &mut reader);
        if reader.words.iter().filter(|word| !word.is_weak).count() <= THIN {
            for (earlier, age) in history.iter().rev().take(HISTORY_MAX).zip(1..) {
                self.add_prompt(earlier.as_ref(), HISTORY / age, synonyms, settings, &mut reader);
            }
        }
        let (row, norm) = row_of_words(&reader.weighted_words);
        Query { terms: reader.terms, words: reader.words, row, norm }
    }

    /// The best of both retrievers and of the model vectors, fused; at least as many of each as are wanted, where there
    /// are so many. Behind them come those of `also` that the filters accept, found or not.
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
        let found = self.search_lexical(&query.terms, most, request.context.descriptions, filters, scratch);
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
        let mut candidates = Candidates { ranked: candidates, lexical_scores };
        self.order_candidates(&mut candidates);
        candidates
    }

    /// Whether there is a document at a position that the filters accept.
    pub(crate) fn accepts(&self, position: u32, filters: &Filters) -> bool {
        let part = self.place(position).and_then(|(place, number)| Some((self.parts.get(place)?, number)));
        part.is_some_and(|(part, number)| filters.takes_status(part.status(number)) && part.takes(number, filters))
    }

    /// Sorts candidates by their scores, then in the order of documents.
    pub(crate) fn order_candidates(&self, candidates: &mut Candidates) {
        candidates
            .ranked
            .sort_by(|a, b| b.score().cmp(&a.score()).then_with(|| self.compare_positions(a.position, b.position)));
    }

    /// The order of two documents by their positions.
    pub(crate) fn compare_positions(&self, a: u32, b: u32) -> Ordering {
        match (self.place(a), self.place(b)) {
            (Some(a), Some(b)) => self.compare(a, b),
            _ => a.cmp(&b),
        }
    }

    /// Adds a text's terms and words, whose weights are `share` of 256, and the words of its vector.
    fn add_prompt(&self, text: &str, share: u32, synonyms: &[Vec<String>], settings: &Settings, reader: &mut Reader) {
        let mut found = self.query_terms(text, synonyms);
        if settings.related_terms {
            add_related(&mut found);
        }
        if settings.graph {
            self.add_concepts(&mut found, settings);
        }
        found.truncate(MAX_QUERY_TERMS.saturating_sub(reader.terms.len()));
        for QueryTerm { term, weight, word } in found {
            // What the graph brings belongs to no word of the prompt.
            if !word.is_empty() {
                reader.add_to_word(&word, share, &term, weight);
            }
            if reader.known.insert(term.clone()) {
                reader.terms.push(QueryTerm { term, weight: ((weight * share) >> 8).max(1), word });
            }
        }
        let weighted = self.prompt_words(text).into_iter();
        reader.weighted_words.extend(weighted.map(|(word, weight)| (word, (weight * share) >> 8)));
    }

    /// Adds, behind the terms, those that the project's memories have together with them, of no piece.
    fn add_concepts(&self, terms: &mut Vec<QueryTerm>, settings: &Settings) {
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

/// Gives candidates, in the order of their cosines, the standings of their model vectors, and ranks by them.
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

/// Adds, behind the terms, those that mean nearly the same as one that counts in full or as a whole run, and the English
/// words for words of other languages.
fn add_related(terms: &mut Vec<QueryTerm>) {
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
