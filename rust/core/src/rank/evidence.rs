//! Measures what a prompt and a memory have in common (SPEC 28.1). Each common word counts by its information, i.e. its
//! rarity.

use crate::index::bm25::{FULL, idf, weight};
use crate::index::dictionary::Entry;
use crate::index::postings::find_byte;
use crate::index::snapshot::Snapshot;
use crate::memory::field_terms::TermFields;
use crate::rank::gate_model::{UNIT, constant, count_of};
use crate::rank::hybrid::{PromptWord, Query};
use crate::retrieve::prompt_terms::QueryTerm;
use crate::retrieve::segment_search::Weighted;
use foldhash::{HashMap, HashMapExt};
use std::cell::RefCell;

/// If a store has fewer documents, the information of words is computed as if it had this many documents.
pub(crate) const SMALL_STORE: usize = count_of("small_store");
/// The number of strong (not weak) words in a window of a long prompt; a new window begins every 5 words.
const WINDOW: usize = count_of("window");
/// A memory has a word if it matches at least this much of the word, in 1/256.
const HALF: i64 = constant("half");
/// The maximal number of questions of a memory.
const QUESTIONS: usize = 5;

/// A term of a prompt word: its index in `PromptInformation::known` (`None` if no document has the term), and its
/// weight in the word.
type WordTerm = (Option<usize>, u32);

/// A term of the prompt that at least one document has.
struct Known<'a> {
    /// The term's weight in the prompt. A term that is cut out of a piece of a script without blanks has the weight of
    /// the whole piece: such a piece has many terms of a low weight, and a question with all of them names all of it.
    named: u32,
    /// The term's weight in a score, computed for a store of at least [`SMALL_STORE`] documents.
    weight: i64,
    /// The term's dictionary entry in the base and in each delta; `None` if the term is not there.
    entries: &'a [Option<Entry>],
}

/// A word of the prompt, with the information that the word has in a store.
struct Word {
    is_weak: bool,
    /// Whether the word is one of the prompt itself, not of an earlier one.
    is_own: bool,
    weight: u32,
    run_weight: u32,
    terms: Vec<WordTerm>,
    /// For an identifier, its own term and then the terms of its parts; each with its index in `known` and its idf.
    /// Empty for a plain word.
    parts: Vec<(Option<usize>, i64)>,
    /// The word's information, in 1/256 like an idf.
    information: i64,
    /// Whether any document has a term of the word.
    is_known: bool,
}

/// The information that each word of a prompt has in a store.
pub(crate) struct PromptInformation<'a, S> {
    snapshot: &'a Snapshot<S>,
    documents: u32,
    /// The information of a word that no document has, which is the largest possible value.
    pub(crate) most: i64,
    /// The sum of the information of all strong words.
    pub(crate) total: i64,
    /// The sum of the weights, in a score, of all known terms.
    pub(crate) weight: i64,
    known: Vec<Known<'a>>,
    numbers: HashMap<&'a str, usize>,
    words: Vec<Word>,
    idfs: RefCell<HashMap<&'a str, i64>>,
}

impl<'a, S: AsRef<[u8]>> PromptInformation<'a, S> {
    /// `weighted` are the terms of the query that a document has.
    pub(crate) fn new(snapshot: &'a Snapshot<S>, query: &'a Query, weighted: &'a [Weighted]) -> Self {
        let documents = u32::try_from(snapshot.len().max(SMALL_STORE)).unwrap_or(u32::MAX);
        let (mut known, mut numbers, mut frequencies) = (Vec::new(), HashMap::new(), Vec::new());
        for Weighted { place, documents: frequency, entries, .. } in weighted {
            let Some(QueryTerm { term, weight: q, .. }) = query.terms.get(*place) else { continue };
            let weight = weight(idf(documents, *frequency), *q).into();
            frequencies.push(*frequency);
            numbers.insert(term.as_str(), known.len());
            known.push(Known { named: *q, weight, entries });
        }
        for word in query.words.iter().filter(|word| !word.is_letters) {
            let whole = (word.weight() * word.share) >> 8;
            for (term, _) in word.terms.iter().filter(|(term, _)| word.text.contains(term)) {
                let Some(term) = numbers.get(term.as_str()).and_then(|number| known.get_mut(*number)) else { continue };
                term.named = term.named.max(whole);
            }
        }
        let idf_of = |number: Option<usize>| {
            i64::from(idf(documents, number.and_then(|number| frequencies.get(number)).copied().unwrap_or_default()))
        };
        let make = |word: &PromptWord| {
            let number = |term: &str| numbers.get(term).copied();
            // Take the first known term among the word's own terms with the greatest weight; if none is known, the
            // first term.
            let mut best: Option<(u32, bool, Option<usize>)> = None;
            for (term, weight) in word.own_terms() {
                let found = number(term);
                if best
                    .is_none_or(|(weight_before, was_known, _)| (*weight, found.is_some()) > (weight_before, was_known))
                {
                    best = Some((*weight, found.is_some(), found));
                }
            }
            let full = idf_of(best.and_then(|(_, _, number)| number));
            let own = word.terms.iter().filter(|(_, weight)| word.is_letters && *weight == word.weight());
            let parts: Vec<_> = own.map(|(term, _)| (number(term), idf_of(number(term)))).collect();
            Word {
                is_weak: word.is_weak,
                is_own: word.share == FULL,
                weight: word.weight(),
                run_weight: word.run_weight(),
                terms: word.terms.iter().map(|(term, weight)| (number(term), *weight)).collect(),
                parts: if parts.len() > 1 { parts } else { Vec::new() },
                information: (((full * i64::from(word.weight())) >> 8) * i64::from(word.share)) >> 8,
                is_known: word.terms.iter().any(|(term, _)| number(term).is_some()),
            }
        };
        let words: Vec<Word> = query.words.iter().map(make).collect();
        let total = words.iter().filter(|word| !word.is_weak).map(|word| word.information).sum();
        let most = idf(documents, 0).into();
        let weight = known.iter().map(|term| term.weight).sum();
        let idfs = RefCell::default();
        Self { snapshot, documents, most, total, weight, known, numbers, words, idfs }
    }

    /// The number of strong words that no document has.
    pub(crate) fn unknown_words(&self) -> usize {
        self.strong().filter(|word| !word.is_known).count()
    }

    /// The number of strong words of the prompt itself, not of earlier ones, that some document has.
    pub(crate) fn own_words(&self) -> usize {
        self.own().count()
    }

    /// Whether the document at a position has one of these words.
    pub(crate) fn has_own_word(&self, position: u32) -> bool {
        let Some(found) = Matches::find(self, self.snapshot, position) else { return false };
        let fields: Vec<TermFields> = found.terms.iter().map(|(_, fields)| *fields).collect();
        self.own().any(|word| word.matched(&fields, TermFields::ALL) >= HALF)
    }

    fn own(&self) -> impl Iterator<Item = &Word> {
        self.strong().filter(|word| word.is_own && word.is_known)
    }

    /// The share of `found` in the information of all strong words, in 1/1024.
    pub(crate) fn share(&self, found: i64) -> i64 {
        if self.total > 0 { UNIT * found / self.total } else { 0 }
    }

    fn strong(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| !word.is_weak)
    }

    /// For each strong word, how much of its information is covered by the terms that were found in the `wanted`
    /// fields.
    fn found(&self, fields: &[TermFields], wanted: TermFields) -> Vec<i64> {
        if !fields.iter().any(|found| found.has_any(wanted)) {
            return vec![0; self.strong().count()];
        }
        self.strong().map(|word| (word.information * word.matched(fields, wanted)) >> 8).collect()
    }

    /// The rarity (idf) of a term, in 1/256.
    fn idf(&self, term: &'a str) -> i64 {
        *self
            .idfs
            .borrow_mut()
            .entry(term)
            .or_insert_with(|| i64::from(idf(self.documents, self.snapshot.frequency(term))))
    }
}

impl Word {
    /// How much of the word, in 1/256, is matched by the terms that were found in the `wanted` fields. If only some
    /// parts of an identifier were found, this is their share in the idf of all parts.
    fn matched(&self, fields: &[TermFields], wanted: TermFields) -> i64 {
        let has = |number: Option<usize>| {
            number.and_then(|number| fields.get(number)).is_some_and(|found| found.has_any(wanted))
        };
        // The weights of syllable pairs are added up; of all other terms only the one with the greatest weight counts.
        let (mut runs, mut best) = (0, 0);
        for (_, weight) in self.terms.iter().filter(|(number, _)| has(*number)) {
            if *weight == self.run_weight {
                runs += weight;
            }
            best = best.max(*weight);
        }
        let found = i64::from((runs.max(best) << 8) / self.weight).min(i64::from(FULL));
        let Some(((whole, _), parts)) = self.parts.split_first() else { return found };
        if found < i64::from(FULL) || has(*whole) {
            return found;
        }
        let total: i64 = parts.iter().map(|(_, idf)| idf).sum();
        let some: i64 = parts.iter().filter(|(number, _)| has(*number)).map(|(_, idf)| idf).sum();
        i64::from(FULL) * some / total
    }
}

/// What the prompt and the best matching question of a memory have in common, in 1/1024.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Question {
    /// The share of the prompt's information that is in the question.
    pub(crate) prompt_share: i64,
    /// The product of this share and the share of the question's information that is in the prompt.
    pub(crate) product: i64,
}

/// What a memory, or several memories taken together, have in common with a prompt.
pub(crate) struct Evidence {
    /// The score of the lexical retriever. Of several memories, the greatest impact of each term counts.
    pub(crate) points: i64,
    /// The information of the prompt's words that occur in any field of the memory, in 1/256.
    pub(crate) anywhere: i64,
    /// The information of the prompt's words that occur in the memory's title, in 1/256.
    pub(crate) title: i64,
    /// The number of the prompt's words that occur in the memory's title or tags.
    pub(crate) head_words: usize,
    /// The greatest share of a window's information that is in the memory, in 1/1024. A window is a part of a long
    /// prompt.
    pub(crate) window: i64,
    pub(crate) question: Question,
    /// Whether the memory has questions.
    pub(crate) has_questions: bool,
}

/// The terms of the prompt that a document has, and its best question.
struct Matches {
    /// For each known term: its impact, and the fields in which it occurs.
    terms: Vec<(Option<u8>, TermFields)>,
    question: Question,
    has_questions: bool,
}

impl Evidence {
    /// Measures the evidence for the documents at some positions, taken together. A position without a document has
    /// none.
    pub(crate) fn find<'a, S: AsRef<[u8]>>(
        prompt: &PromptInformation<'a, S>,
        snapshot: &'a Snapshot<S>,
        positions: &[u32],
    ) -> Self {
        let mut terms = vec![(None, TermFields::default()); prompt.known.len()];
        let (mut question, mut has_questions) = (Question::default(), false);
        for found in positions.iter().filter_map(|position| Matches::find(prompt, snapshot, *position)) {
            for ((impact, fields), (other, added)) in terms.iter_mut().zip(found.terms) {
                *impact = (*impact).max(other);
                fields.add(added);
            }
            if found.question.product > question.product {
                question = found.question;
            }
            has_questions |= found.has_questions;
        }
        let weights = prompt.known.iter().map(|term| term.weight).zip(&terms);
        let points = weights.filter_map(|(weight, (impact, _))| Some(weight * i64::from((*impact)?))).sum();
        let fields: Vec<TermFields> = terms.into_iter().map(|(_, fields)| fields).collect();
        let anywhere = prompt.found(&fields, TermFields::ALL);
        let in_head = TermFields::TITLE.with(TermFields::TAGS);
        let informations: Vec<i64> = prompt.strong().map(|word| word.information).collect();
        Self {
            points,
            anywhere: anywhere.iter().sum(),
            title: prompt.found(&fields, TermFields::TITLE).iter().sum(),
            head_words: prompt.words.iter().filter(|word| word.matched(&fields, in_head) >= HALF).count(),
            window: best_window(&informations, &anywhere),
            question,
            has_questions,
        }
    }
}

impl Matches {
    /// The matches of the document at a position; `None` if there is no such document.
    fn find<'a, S: AsRef<[u8]>>(
        prompt: &PromptInformation<'a, S>,
        snapshot: &'a Snapshot<S>,
        position: u32,
    ) -> Option<Self> {
        let (place, number) = snapshot.place(position)?;
        let section = snapshot.parts.get(place)?.segment.term_postings();
        let impact = |term: &Known<'_>| find_byte(section, &term.entries.get(place).copied().flatten()?, number);
        let impacts: Vec<Option<u8>> = prompt.known.iter().map(impact).collect();
        let body = |impact: &Option<u8>| if impact.is_some() { TermFields::BODY } else { TermFields::default() };
        let mut fields: Vec<TermFields> = impacts.iter().map(body).collect();
        // For each question: its information, and how much of this information is in the prompt.
        let mut questions = [Named::default(); QUESTIONS];
        let mut has_questions = false;
        for (term, found) in snapshot.field_terms(position).iter() {
            let number = prompt.numbers.get(term).copied();
            if let Some(field) = number.and_then(|number| fields.get_mut(number)) {
                *field = found;
            }
            if !found.has_questions() {
                continue;
            }
            has_questions = true;
            let weight = number.and_then(|number| prompt.known.get(number)).map_or(0, |term| i64::from(term.named));
            let idf = prompt.idf(term);
            let asked = questions.iter_mut().enumerate().filter(|(number, _)| found.has_question(*number));
            asked.for_each(|(_, question)| question.add(idf, weight));
        }
        let mut best = Question::default();
        for (number, named) in questions.iter().enumerate().filter(|(_, named)| named.total > 0) {
            let of_prompt = prompt.share(prompt.found(&fields, TermFields::question(number)).iter().sum());
            let product = (of_prompt * named.share()) >> 10;
            if product > best.product {
                best = Question { prompt_share: of_prompt, product };
            }
        }
        Some(Self { terms: impacts.into_iter().zip(fields).collect(), question: best, has_questions })
    }
}

/// The information of some terms (`total`), and how much of it is in the prompt (`named`), both in 1/256.
#[derive(Debug, Clone, Copy, Default)]
struct Named {
    total: i64,
    named: i64,
}

impl Named {
    fn add(&mut self, idf: i64, weight: i64) {
        self.total += idf;
        self.named += (idf * weight) >> 8;
    }

    /// The share of `named` in `total`, in 1/1024.
    fn share(self) -> i64 {
        if self.total > 0 { UNIT * self.named / self.total } else { 0 }
    }
}

/// The greatest share of a window's information that was found in the memory, in 1/1024; 0 if no window has
/// information.
fn best_window(informations: &[i64], found: &[i64]) -> i64 {
    let last = found.len().saturating_sub(WINDOW);
    let begins = (0..=last).step_by(WINDOW / 2).chain([last]);
    let share = |begin: usize| {
        let window = begin..(begin + WINDOW).min(found.len());
        let total: i64 = informations.get(window.clone())?.iter().sum();
        let some: i64 = found.get(window)?.iter().sum();
        (total > 0).then(|| UNIT * some / total)
    };
    begins.filter_map(share).max().unwrap_or_default()
}
