//! Reads the tables of instruction signs: classes of phrases, and patterns made of these classes (SPEC 46.4).

use crate::memory::sign_words::Words;
use crate::tables::{Keyed, keyed_rows, keyed_words, table};
use crate::text::chars::cut;
use foldhash::HashMap;
use memchr::memchr;
use std::collections::BTreeSet;
use std::iter::from_fn;

// The numbers of the classes that the search uses without a pattern.
pub(crate) const DENIAL: usize = 0;
pub(crate) const FILLER: usize = 1;
pub(crate) const NEUTRAL: usize = 2;

const CHARACTERS: &str = table!("instruction_signs", "characters");
const PATTERNS: &str = table!("instruction_signs", "patterns");
const WEIGHTS: &str = table!("instruction_signs", "weights");
/// The phrases by their first words. A phrase has, in place of its first word: the symbols before this word, the numbers
/// of the phrase's classes, and `^` if the word must be the first of its line. Then follow its other words, each with
/// the symbols before it, and the symbols after its last word.
static PHRASES: Keyed = keyed_rows!("instruction_signs", "phrases");
/// The phrases whose first word stands for every word that begins with it.
static OPENINGS: Keyed = keyed_rows!("instruction_signs", "openings");
/// The words of phrases that are not the first word of any phrase in [`PHRASES`].
static OTHER_WORDS: Keyed = keyed_words!("instruction_signs", "other_words");

/// A phrase that was found in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phrase {
    /// The numbers of the phrase's classes, separated by commas.
    kinds: &'static str,
    /// The position after the phrase's last word.
    pub(crate) end: usize,
    /// Whether its words are separated only by the symbols that are part of the phrase.
    pub(crate) is_unbroken: bool,
}

impl Phrase {
    /// The numbers of the phrase's classes.
    pub(crate) fn kinds(self) -> impl Iterator<Item = usize> {
        self.kinds.split(',').map(number)
    }

    /// Compares a phrase of a table with the words from `position` on, where its first word is already known to match.
    fn find(text: &'static str, position: usize, words: &Words) -> Option<Self> {
        let mut parts = parts_of(text, b' ');
        let (lead, head) = split_symbols(parts.next().unwrap_or_default());
        let (mut end, mut is_unbroken, mut trail) = (position + 1, true, "");
        for part in parts {
            let (separator, word) = split_symbols(part);
            if word.is_empty() {
                trail = separator;
                break;
            }
            let (found, symbols) = (words.texts.get(end)?, words.separators.get(end)?);
            let is_same = word.strip_suffix('*').map_or(found == word, |opening| found.starts_with(opening));
            if !is_same || !(separator.is_empty() || separator == symbols) {
                return None;
            }
            is_unbroken &= separator == symbols;
            end += 1;
        }
        let kinds = head.strip_suffix('^');
        let is_there = (kinds.is_none() || words.line_starts.get(position).copied().unwrap_or_default())
            && words.separators.get(position).is_some_and(|found| found.ends_with(lead))
            && words.separators.get(end).is_some_and(|found| found.starts_with(trail));
        is_there.then_some(Self { kinds: kinds.unwrap_or(head), end, is_unbroken })
    }
}

/// A combination of classes of phrases that is a sign of an instruction.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) reason: &'static str,
    /// The numbers of the classes, each with a flag: whether denied phrases of the class (`do not ...`) are left out.
    pub(crate) kinds: Vec<(usize, bool)>,
    /// The class of the phrases that must not follow: if one of them begins within the last gap after the phrases of
    /// the other classes, these phrases do not match. Only used with [`Layout::Ordered`].
    pub(crate) absent: Option<usize>,
    pub(crate) layout: Layout,
}

/// How the phrases of a pattern's classes must be arranged in the text. Distances are measured in half words: see
/// [`Words::offsets`](crate::memory::sign_words::Words::offsets).
#[derive(Debug)]
pub(crate) enum Layout {
    /// The phrases are in the order of the classes. The numbers are the maximal distance before each class
    /// except the first.
    Ordered(Vec<usize>),
    /// The phrases are in any order within a stretch of length `size` at most, and in one sentence if `is_one_sentence`
    /// is set.
    Window { size: usize, is_one_sentence: bool },
    /// Phrases of some of the classes are within a stretch of length `size` at most, and the sums of their weights are
    /// large enough.
    Weighed { size: usize, least: Vec<i64>, weights: Weights },
}

/// The weights of a pattern's classes.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    /// The weights of each class, one for each sum.
    pub(crate) own: Vec<Vec<i64>>,
    /// For a learned pattern, what the first sum gains where two classes stand together. Row and column are the places
    /// of the later and the earlier class.
    pub(crate) pairs: Vec<Vec<i64>>,
}

/// The instruction signs that every search needs.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// Maps characters to the ASCII letters and symbols that they are read as.
    pub(crate) letters: HashMap<char, char>,
    /// Maps letters of other scripts to the ASCII letters that they look like.
    pub(crate) alike: HashMap<char, char>,
    pub(crate) patterns: Vec<Pattern>,
    /// The patterns that count only for texts that nobody vouches for.
    pub(crate) learned: Vec<Pattern>,
    /// Pairs of classes: a phrase of the second one does not count near a phrase of the first one.
    pub(crate) harmless: Vec<Pattern>,
    /// The lengths, in characters, of the keys of [`OPENINGS`], ascending.
    lengths: Vec<usize>,
}

impl Signs {
    /// Reads the tables.
    pub(crate) fn read() -> Self {
        let mut read = Signs::default();
        for line in CHARACTERS.lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or_default();
            if kind == "letters" {
                read.add_letters(rest);
                continue;
            }
            let table = if kind == "symbol" { &mut read.letters } else { &mut read.alike };
            let mut chars = rest.chars().filter(|char| *char != ' ');
            if let Some(first) = chars.next() {
                table.extend(chars.map(|char| (char, first)));
            }
        }
        let mut reason = "";
        for line in PATTERNS.lines() {
            match line.strip_prefix("reason ") {
                Some(text) => reason = text,
                None if line.starts_with("harmless ") => read.harmless.push(read_pattern("", line)),
                None if line.starts_with("learned ") => read.learned.push(read_pattern(reason, line)),
                None => read.patterns.push(read_pattern(reason, line)),
            }
        }
        let openings = OPENINGS.iter().filter_map(|row| row.split(' ').next());
        let lengths: BTreeSet<usize> = openings.map(|word| word.chars().count()).collect();
        read.lengths = lengths.into_iter().collect();
        read
    }

    /// The phrases at a position of a text.
    pub(crate) fn phrases_at(&self, position: usize, words: &Words) -> Vec<Phrase> {
        let Some(word) = words.texts.get(position) else { return Vec::new() };
        let count = word.chars().count();
        let lengths = self.lengths.iter().take_while(|length| **length <= count);
        let openings = lengths.filter_map(|length| OPENINGS.row(cut(word, *length)));
        let rows = PHRASES.row(word).into_iter().chain(openings);
        rows.flat_map(|row| parts_of(row, b';')).filter_map(|text| Phrase::find(text, position, words)).collect()
    }

    fn add_letters(&mut self, range: &str) {
        let Some((first, last)) = range.split_once('-') else { return };
        let point = |text: &str| u32::from_str_radix(text, 16).unwrap_or_default();
        for (place, point) in (point(first)..=point(last)).enumerate() {
            let letter = u8::try_from(place % 26).map(|place| char::from(b'a' + place));
            if let (Some(char), Ok(letter)) = (char::from_u32(point), letter) {
                self.letters.insert(char, letter);
            }
        }
    }
}

/// Whether a phrase contains the word.
pub(crate) fn is_known(word: &str) -> bool {
    PHRASES.has(word) || OTHER_WORDS.has(word)
}

fn read_pattern(reason: &'static str, line: &str) -> Pattern {
    let (head, rest) = line.rsplit_once(": ").unwrap_or(("", line));
    let (mut kinds, mut gaps, mut gap, mut absent) = (Vec::new(), Vec::new(), 0, None);
    let (mut weights, mut weight) = (Vec::new(), Vec::new());
    for word in rest.split(' ') {
        let Some((mark, class)) = word.split_once('@') else {
            match word.split_once('/') {
                Some((address, risk)) => {
                    let (address, risk) = (weight_of(address), weight_of(risk));
                    weight = vec![address, risk, address + risk];
                }
                None => gap = 2 * number(word),
            }
            continue;
        };
        if !kinds.is_empty() {
            gaps.push(gap);
        }
        gap = 0;
        if mark == "!" {
            absent = Some(number(class));
        } else {
            kinds.push((number(class), mark == "+"));
            weights.push(weight.clone());
        }
    }
    let mut head = head.split(' ');
    let scope = head.next().unwrap_or_default();
    let size = 2 * head.next().map(number).unwrap_or_default();
    let least = head.map(weight_of).collect();
    let layout = match scope {
        "all" | "near" | "harmless" => Layout::Window { size, is_one_sentence: scope != "near" },
        "weigh" => Layout::Weighed { size, least, weights: Weights { own: weights, pairs: Vec::new() } },
        "learned" => Layout::Weighed { size, least, weights: learned_weights() },
        _ => Layout::Ordered(gaps),
    };
    Pattern { reason, kinds, absent, layout }
}

/// The table of learned weights: the row of a class has the weights of its pairs, and then its own.
fn learned_weights() -> Weights {
    let mut weights = Weights::default();
    for line in WEIGHTS.lines() {
        let mut pairs: Vec<i64> = line.split(' ').map(weight_of).collect();
        weights.own.push(pairs.pop().into_iter().collect());
        weights.pairs.push(pairs);
    }
    weights
}

/// Splits a text as `str::split` does, but faster: the parts are short, and there are many of them.
fn parts_of(text: &'static str, separator: u8) -> impl Iterator<Item = &'static str> {
    let mut rest = Some(text);
    from_fn(move || {
        let text = rest?;
        let end = memchr(separator, text.as_bytes());
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// The symbols at the start of a part of a phrase, and the rest.
fn split_symbols(part: &str) -> (&str, &str) {
    let end = part.bytes().position(|byte| !byte.is_ascii_punctuation()).unwrap_or(part.len());
    part.split_at(end)
}

fn weight_of(digits: &str) -> i64 {
    digits.parse().unwrap_or_default()
}

fn number(digits: &str) -> usize {
    digits.parse().unwrap_or_default()
}
