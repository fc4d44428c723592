//! What a session keeps of an earlier prompt: its terms, as far as a memory has them, and no text (SPEC 27.7).

use crate::index::bm25::{FULL, MAX_QUERY_TERMS, idf};
use crate::index::snapshot::Snapshot;
use crate::index::static_table::shipped_word_of;
use crate::rank::hybrid::{PromptWord, Reader, add_related};
use crate::rank::recall::Recall;
use crate::rank::request::Request;
use crate::retrieve::prompt_terms::{PromptText, QueryTerm, RUN};
use crate::settings::Settings;
use foldhash::HashMap;
use std::fmt::Write;

/// The number of words of an earlier prompt that are read.
const MAX_WORDS: usize = 100;
/// The number of terms of an earlier prompt that are kept.
const MAX_TERMS: usize = 256;
/// The largest number of unknown words that a line can have.
const MAX_UNKNOWN: u32 = 1024;

/// The weights of terms that a word brings, and that of near synonyms, which is also that of syllable pairs.
const LEVELS: [u32; 6] = [32, 48, 64, 80, 112, 128];

/// A word of an earlier prompt of which a memory has a term. An empty term stands for a term that no memory has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct EarlierWord {
    is_weak: bool,
    is_letters: bool,
    /// The terms of the word itself with their weights. For an identifier, its own term comes first.
    own: Vec<(String, u32)>,
    /// The terms that the word brings: synonyms, related terms, and terms that are spelled alike.
    others: Vec<(String, u32)>,
}

/// What is kept of an earlier prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct EarlierPrompt {
    /// How many strong words have no term that a memory has.
    unknown: u32,
    words: Vec<EarlierWord>,
}

impl EarlierPrompt {
    /// Reads a line; `None` if it has another form.
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(' ');
        let unknown = read_number(parts.next()?).filter(|number| *number <= MAX_UNKNOWN)?;
        let words = parts.map(EarlierWord::parse).collect::<Option<_>>()?;
        Some(Self { unknown, words })
    }

    /// The line. The words are sorted, so that it does not show the order of the prompt.
    fn to_line(&self) -> String {
        let mut words: Vec<String> = self.words.iter().map(EarlierWord::to_text).collect();
        words.sort_unstable();
        let mut line = self.unknown.min(MAX_UNKNOWN).to_string();
        for word in words {
            let _ = write!(line, " {word}");
        }
        line
    }
}

impl EarlierWord {
    /// What is kept of a word of a prompt; empty if no memory has a term of it.
    ///
    /// The parts of an identifier that no memory has become words of their own: together they would say too much of it.
    fn keep(word: &PromptWord, is_known: impl Fn(&str) -> bool) -> Vec<Self> {
        let is_own = |(term, weight): &(String, u32)| {
            if word.is_letters { *weight == word.weight() } else { word.text.contains(term.as_str()) }
        };
        let (mut own, mut others): (Vec<_>, Vec<_>) = word.terms.iter().cloned().partition(is_own);
        others.retain(|(term, _)| is_known(term));
        for (term, _) in own.iter_mut().filter(|(term, _)| !is_known(term)) {
            term.clear();
        }
        let has_own = own.iter().any(|(term, _)| !term.is_empty());
        if !has_own && others.is_empty() {
            return Vec::new();
        }
        for (_, weight) in &mut others {
            *weight = rounded(*weight);
        }
        others.sort_unstable();
        let (is_weak, is_letters) = (word.is_weak, word.is_letters);
        if is_letters {
            // The first is the identifier's own term, and the others are its parts.
            let Some((whole, parts)) = own.split_first_mut() else {
                return vec![Self { is_weak, is_letters, own, others }];
            };
            parts.sort_unstable();
            if whole.0.is_empty() && parts.iter().any(|(term, _)| !term.is_empty()) {
                let named = parts.iter().filter(|(term, _)| !term.is_empty());
                let of_part = |part: &(String, u32)| Self {
                    is_weak,
                    is_letters,
                    own: vec![part.clone()],
                    others: std::mem::take(&mut others),
                };
                return named.map(of_part).collect();
            }
        } else if has_own {
            own.retain(|(term, _)| !term.is_empty());
            own.sort_unstable();
        } else {
            let greatest = own.iter().map(|(_, weight)| *weight).max();
            own = greatest.map(|weight| (String::new(), weight)).into_iter().collect();
        }
        vec![Self { is_weak, is_letters, own, others }]
    }

    fn parse(text: &str) -> Option<Self> {
        let (kind, terms) = text.split_once(':')?;
        let (is_weak, is_letters) = match kind {
            "s" => (false, true),
            "w" => (true, true),
            "sr" => (false, false),
            "wr" => (true, false),
            _ => return None,
        };
        let (own, others) = terms.split_once(';')?;
        Some(Self { is_weak, is_letters, own: read_terms(own)?, others: read_terms(others)? })
    }

    fn to_text(&self) -> String {
        let kind = if self.is_weak { "w" } else { "s" };
        let run = if self.is_letters { "" } else { "r" };
        format!("{kind}{run}:{};{}", write_terms(&self.own), write_terms(&self.others))
    }

    /// The word, as the gate and the retrievers take it.
    fn to_prompt_word(&self, share: u32) -> PromptWord {
        // The terms of the word itself are parts of its text. No term has a line feed.
        let text = self.own.iter().map(|(term, _)| term.as_str()).collect::<Vec<_>>().join("\n");
        let terms = self.own.iter().chain(&self.others).cloned().collect();
        PromptWord { text, is_letters: self.is_letters, share, is_weak: self.is_weak, terms }
    }

    /// The term that the word is known by; empty if no memory has it.
    fn main_term(&self) -> &str {
        self.own.first().map_or("", |(term, _)| term)
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// What a session keeps of a prompt for the prompts after it: the terms that a memory has, with their weights, in
    /// one line without any text of the prompt.
    #[must_use]
    pub fn kept_terms(&self, prompt: &str, synonyms: &[Vec<String>], settings: &Settings) -> String {
        let mut found = self.terms_of(&PromptText::read(prompt), synonyms);
        if settings.related_terms {
            add_related(&mut found);
        }
        let mut reader = Reader::default();
        for QueryTerm { term, weight, word } in &found {
            reader.add_to_word(word, FULL, term, *weight);
        }
        self.keep_words(&reader.words)
    }

    /// What a session keeps of the words of a prompt that was read.
    fn keep_words(&self, words: &[PromptWord]) -> String {
        let mut kept = EarlierPrompt::default();
        let mut count = 0;
        for word in words.iter().take(MAX_WORDS) {
            let words = EarlierWord::keep(word, |term| self.knows(term));
            kept.unknown += u32::from(words.is_empty() && !word.is_weak);
            count += words.iter().map(|word| word.own.len() + word.others.len()).sum::<usize>();
            if count > MAX_TERMS {
                break;
            }
            kept.words.extend(words);
        }
        kept.to_line()
    }

    /// Adds the terms and words of an earlier prompt to `reader`; `line` is what [`Snapshot::kept_terms`] returned, and
    /// a line of another form adds nothing. All weights are multiplied by `share` / 256.
    pub(crate) fn add_earlier(&self, line: &str, share: u32, settings: &Settings, reader: &mut Reader) {
        let Some(earlier) = EarlierPrompt::parse(line) else { return };
        let mains = reader.words.iter().enumerate().rev();
        let mains = mains.filter_map(|(place, word)| Some((word.terms.first()?.0.clone(), place)));
        let mut places: HashMap<String, usize> = mains.collect();
        places.remove("");
        for _ in 0..earlier.unknown {
            let unknown = EarlierWord { is_letters: true, own: vec![(String::new(), FULL)], ..EarlierWord::default() };
            reader.words.push(unknown.to_prompt_word(share));
        }
        let mut found: Vec<QueryTerm> = Vec::new();
        for word in &earlier.words {
            let prompt_word = word.to_prompt_word(share);
            let main = word.main_term();
            let named = prompt_word.terms.iter().filter(|(term, _)| !term.is_empty());
            let named = named.map(|(term, weight)| (term.clone(), *weight));
            let place = places.get(main).copied();
            found.extend(named.map(|(term, weight)| QueryTerm { term, weight, word: main.to_owned() }));
            if let Some(known) = place.and_then(|place| reader.words.get_mut(place)) {
                known.terms.extend(prompt_word.terms);
            } else {
                if !main.is_empty() {
                    places.insert(main.to_owned(), reader.words.len());
                }
                reader.words.push(prompt_word);
            }
            for (word, weight) in self.vector_words_of(word) {
                reader.weighted_words.push((word, (weight * share) >> 8));
            }
        }
        if settings.graph {
            self.add_concepts(&mut found, settings);
        }
        found.truncate(MAX_QUERY_TERMS.saturating_sub(reader.terms.len()));
        for QueryTerm { term, weight, word } in found {
            if reader.known.insert(term.clone()) {
                reader.terms.push(QueryTerm { term, weight: ((weight * share) >> 8).max(1), word });
            }
        }
    }

    /// The words of the vector that stand for a word of an earlier prompt, each with its weight. They are the words of
    /// the terms that memories have. Where memories have none of the word's own terms, it is the nearest other one.
    fn vector_words_of(&self, word: &EarlierWord) -> Vec<(String, u32)> {
        let documents = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let full = word.to_prompt_word(FULL).weight();
        let weigh = |frequency: u32| ((idf(documents, frequency) << 8).isqrt() * full) >> 8;
        let is_whole = |term: &str| term.chars().nth(2).is_some();
        let known = |term: &str| !term.is_empty();
        let own: Vec<&str> = word.own.iter().map(|(term, _)| term.as_str()).collect();
        let own: Vec<&str> = if word.is_letters {
            own.iter().copied().skip(usize::from(own.len() > 1)).filter(|term| known(term)).collect()
        } else if let Some(whole) = own.iter().find(|term| is_whole(term)) {
            vec![*whole]
        } else {
            own.into_iter().filter(|term| known(term)).collect()
        };
        if own.is_empty() {
            let nearest = word.others.iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
            let near = nearest.map(|(term, weight)| {
                let similarity = ((2 * weight) << 8).checked_div(full).unwrap_or_default().min(FULL);
                (shipped_word_of(term), (weigh(0) * similarity) >> 8)
            });
            return near.into_iter().collect();
        }
        let parts = if word.is_letters { 1 } else { u32::try_from(own.len()).unwrap_or(u32::MAX) };
        own.into_iter().map(|term| (shipped_word_of(term), weigh(self.frequency(term)) / parts)).collect()
    }
}

/// The weight of a term that a word brings. The exact cosine of a related term would say which word that was.
fn rounded(weight: u32) -> u32 {
    let level = LEVELS.iter().rev().find(|level| **level <= weight).copied();
    if weight == RUN { weight } else { level.unwrap_or(LEVELS[0]) }
}

impl<S: AsRef<[u8]>> Recall<'_, S> {
    /// The same as [`Snapshot::kept_terms`] for the prompt of this recall, without reading it again if possible.
    #[must_use]
    pub fn kept_terms(&self) -> String {
        let Request { prompt, context, settings, .. } = *self.request();
        let words = self.own_words().filter(|_| !settings.graph);
        match words {
            Some(words) => self.snapshot().keep_words(words),
            None => self.snapshot().kept_terms(prompt, context.synonyms, settings),
        }
    }
}

fn write_terms(terms: &[(String, u32)]) -> String {
    terms.iter().map(|(term, weight)| format!("{term}={weight}")).collect::<Vec<_>>().join(",")
}

fn read_terms(text: &str) -> Option<Vec<(String, u32)>> {
    let read = |pair: &str| {
        let (term, weight) = pair.split_once('=')?;
        let weight = read_number(weight).filter(|weight| (1..=FULL).contains(weight))?;
        Some((term.to_owned(), weight))
    };
    if text.is_empty() { Some(Vec::new()) } else { text.split(',').map(read).collect() }
}

/// Reads a decimal number without leading zeros of at most four digits.
fn read_number(text: &str) -> Option<u32> {
    let is_plain = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_shortest = text == "0" || !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain && is_shortest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let line = "2 s:=256,bar=256,queue=256;gate=96 sr:배포=96;deploy=128 w:;left=77 wr:=57;right=64";
        assert_eq!(EarlierPrompt::parse(line).map(|prompt| prompt.to_line()).as_deref(), Some(line));
    }

    #[test]
    fn a_line_of_another_form_is_nothing() {
        for line in
            ["", "why docker", "01", "2000", "1 s:a=1", "1 s:a=0;", "1 s:a=257;", "1 x:a=1;", "1  s:a=1;", "1 s:a;"]
        {
            assert_eq!(EarlierPrompt::parse(line), None, "{line}");
        }
    }
}
