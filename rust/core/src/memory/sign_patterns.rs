//! Reads the file of instruction signs, which lists classes of phrases, and patterns made of these classes (SPEC 53.3).

use crate::memory::sign_words::split_words;
use crate::text::chars::cut;
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

// The names of classes that the search uses directly, without a pattern.
pub(crate) const DENIAL: &str = "@not";
pub(crate) const FILLER: &str = "@filler";
pub(crate) const NEUTRAL: &str = "@neutral";

/// A sequence of words, and the symbols around the words that are part of the phrase.
#[derive(Debug)]
pub(crate) struct Phrase<'a> {
    /// The number of the phrase's class.
    pub(crate) kind: usize,
    pub(crate) starts_line: bool,
    /// For each word: the symbols before it, the word, and whether it matches all words that begin with it.
    pub(crate) words: Vec<(Cow<'a, str>, Cow<'a, str>, bool)>,
    pub(crate) trail: Cow<'a, str>,
}

/// A combination of classes of phrases that is a sign of an instruction.
#[derive(Debug)]
pub(crate) struct Pattern<'a> {
    pub(crate) reason: &'a str,
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
    /// Phrases of some of the classes are within a stretch of length `size` at most, and the sum of their weights is
    /// large enough.
    Weighed { size: usize, least: Weight, least_sum: usize, weights: Vec<Weight> },
}

/// How strongly a class addresses a reader, and how dangerous it is.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Weight {
    pub(crate) address: usize,
    pub(crate) risk: usize,
}

/// The parsed file of instruction signs.
#[derive(Debug, Default)]
pub(crate) struct Signs<'a> {
    /// Maps characters to the ASCII letters and symbols that they are read as.
    pub(crate) letters: HashMap<char, char>,
    /// Maps letters of other scripts to the ASCII letters that they look like.
    pub(crate) alike: HashMap<char, char>,
    pub(crate) patterns: Vec<Pattern<'a>>,
    /// All words of all phrases.
    pub(crate) vocabulary: HashSet<Cow<'a, str>>,
    pub(crate) phrases: Vec<Phrase<'a>>,
    numbers: HashMap<&'a str, usize>,
    exact: HashMap<Cow<'a, str>, Vec<usize>>,
    opening: HashMap<Cow<'a, str>, Vec<usize>>,
    /// The lengths, in characters, of the keys of `opening`, ascending.
    lengths: Vec<usize>,
}

impl<'a> Signs<'a> {
    /// Parses the lines of the file, as [`logical_lines`] returns them.
    pub(crate) fn read(lines: &'a [String]) -> Self {
        let mut read = Signs::default();
        // Most phrases stand before a comma.
        let phrases = lines.iter().map(|line| line.bytes().filter(|byte| *byte == b',').count()).sum();
        read.phrases.reserve(phrases);
        read.vocabulary.reserve(phrases);
        read.exact.reserve(phrases);
        let mut classes = BTreeMap::new();
        let mut reason = "";
        for line in lines {
            let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
            match head {
                "letters" => read.add_letters(rest),
                "symbol" => {
                    let mut symbols = rest.chars().filter(|char| *char != ' ');
                    if let Some(symbol) = symbols.next() {
                        read.letters.extend(symbols.map(|char| (char, symbol)));
                    }
                }
                "alike" => {
                    let (letter, others) = rest.split_once(' ').unwrap_or((rest, ""));
                    if let Some(letter) = letter.chars().next() {
                        read.alike.extend(others.chars().filter(|char| *char != ' ').map(|char| (char, letter)));
                    }
                }
                "reason" => reason = rest,
                _ => match rest.strip_prefix("= ") {
                    Some(items) => {
                        let whole = whole_class(items, &classes);
                        classes.insert(head, whole);
                    }
                    None => read.add_pattern(reason, line, &classes),
                },
            }
        }
        for name in [DENIAL, FILLER, NEUTRAL] {
            read.number(name, &classes);
        }
        let lengths: BTreeSet<usize> = read.opening.keys().map(|word| word.chars().count()).collect();
        read.lengths = lengths.into_iter().collect();
        read
    }

    /// The number of a class; `None` if no pattern uses the class.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The phrases whose first word matches `word`.
    pub(crate) fn phrases_with(&self, word: &str) -> impl Iterator<Item = &Phrase<'a>> {
        let exact = self.exact.get(word).into_iter().flatten();
        let count = if self.lengths.is_empty() { 0 } else { word.chars().count() };
        let opening = self.lengths.iter().take_while(move |length| **length <= count);
        let opening = opening.filter_map(|length| self.opening.get(cut(word, *length))).flatten();
        exact.chain(opening).filter_map(|number| self.phrases.get(*number))
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

    fn add_pattern(&mut self, reason: &'a str, line: &'a str, classes: &BTreeMap<&'a str, Vec<&'a str>>) {
        let (head, rest) = line.split_once(": ").unwrap_or(("", line));
        let (mut kinds, mut gaps, mut gap, mut absent) = (Vec::new(), Vec::new(), 0, None);
        let (mut weights, mut weight) = (Vec::new(), Weight::default());
        for word in rest.split(' ') {
            if let Ok(words) = word.parse::<usize>() {
                gap = 2 * words;
                continue;
            }
            if let Some((address, risk)) = word.split_once('/') {
                weight = Weight { address: number(address), risk: number(risk) };
                continue;
            }
            if !kinds.is_empty() {
                gaps.push(gap);
            }
            gap = 0;
            if let Some(name) = word.strip_prefix('!') {
                absent = Some(self.number(name, classes));
                continue;
            }
            let name = word.strip_prefix('+');
            kinds.push((self.number(name.unwrap_or(word), classes), name.is_some()));
            weights.push(weight);
        }
        let mut head = head.split(' ');
        let scope = head.next().unwrap_or_default();
        let mut next = || head.next().map(number).unwrap_or_default();
        let layout = match scope {
            "all" | "near" => Layout::Window { size: 2 * next(), is_one_sentence: scope == "all" },
            "weigh" => Layout::Weighed {
                size: 2 * next(),
                least: Weight { address: next(), risk: next() },
                least_sum: next(),
                weights,
            },
            _ => Layout::Ordered(gaps),
        };
        self.patterns.push(Pattern { reason, kinds, absent, layout });
    }

    /// The number of a class; the first call for a class parses the phrases of the class.
    fn number(&mut self, name: &'a str, classes: &BTreeMap<&'a str, Vec<&'a str>>) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.numbers.len();
        self.numbers.insert(name, number);
        for item in classes.get(name).map_or(&[name][..], Vec::as_slice) {
            let phrase = self.read_phrase(item, number);
            self.vocabulary.extend(phrase.words.iter().map(|(_, word, _)| word.clone()));
            if let Some((_, word, is_open)) = phrase.words.first() {
                let table = if *is_open { &mut self.opening } else { &mut self.exact };
                table.entry(word.clone()).or_default().push(self.phrases.len());
                self.phrases.push(phrase);
            }
        }
        number
    }

    /// Parses a phrase of the file; a word that ends with a star matches all words that begin with the text before the
    /// star.
    fn read_phrase(&self, item: &'a str, kind: usize) -> Phrase<'a> {
        let starts_line = item.starts_with('^');
        let item = item.strip_prefix('^').unwrap_or(item);
        let ends_open = item.ends_with('*');
        let item = item.strip_suffix('*').unwrap_or(item);
        let mut phrase = Phrase { kind, starts_line, words: Vec::new(), trail: Cow::default() };
        if item.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ') {
            // Nearly all phrases are plain: they have no symbols, and no characters that `letters` maps.
            phrase.words.extend(item.split_ascii_whitespace().map(|word| (Cow::default(), word.into(), false)));
            if let Some((_, _, is_open)) = phrase.words.last_mut() {
                *is_open = ends_open;
            }
            return phrase;
        }
        let mut parts = item.split("* ").peekable();
        while let Some(part) = parts.next() {
            let mut found = split_words(part, &self.letters);
            phrase.trail = found.separators.pop().unwrap_or_default().into();
            let found = found.separators.into_iter().zip(found.texts);
            phrase.words.extend(found.map(|(lead, word)| (lead.into(), word.into(), false)));
            if let Some((_, _, is_open)) = phrase.words.last_mut() {
                *is_open = parts.peek().is_some() || ends_open;
            }
        }
        phrase
    }
}

fn number(digits: &str) -> usize {
    digits.parse().unwrap_or_default()
}

/// The lines of the file without comments and empty lines; an indented line is joined to the line before it.
pub(crate) fn logical_lines(data: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in data.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        match lines.last_mut() {
            Some(last) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.trim().to_owned()),
        }
    }
    lines
}

/// The phrases of a class, and the phrases of the other classes that the class names.
fn whole_class<'a>(items: &'a str, classes: &BTreeMap<&'a str, Vec<&'a str>>) -> Vec<&'a str> {
    let mut whole = Vec::new();
    for item in items.split(',').map(str::trim) {
        match item.starts_with('@').then(|| classes.get(item)).flatten() {
            Some(inner) => whole.extend(inner),
            None => whole.push(item),
        }
    }
    whole
}
