//! Finds text that addresses the model, its tools or secrets, or that asks for hidden actions (SPEC 46).

use crate::memory::sign_patterns::{DENIAL, FILLER, Layout, NEUTRAL, Pattern, Signs, Weights, is_known};
use crate::memory::sign_words::{Words, split_words};
use crate::text::chars::cut;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::borrow::Cow;
use std::sync::LazyLock;

const MAX_CHARS: usize = 1 << 18;
const TOO_LONG: &str = "is longer than the text that is searched for instructions";
/// At least this many single letters in a row are read as spelled-out words.
const MIN_SPELLED_LETTERS: usize = 5;
/// A word of at least this many characters is split into known words, if the result has at least `MIN_GLUED_WORDS`
/// words.
const MIN_GLUED_CHARS: usize = 12;
const MIN_GLUED_WORDS: usize = 3;
const MAX_PART_CHARS: usize = 20;
/// The maximal number of filler words between a denial, like `do not`, and the phrase that it denies.
const MAX_DENIAL_GAP: usize = 8;

static SHIPPED: LazyLock<Signs> = LazyLock::new(Signs::read);

/// Where a phrase is: the position of its first word, and the position after its last word.
type Span = (usize, usize);
/// The spans of a class.
type Places<'a> = Cow<'a, [Span]>;

static NOWHERE: Vec<Span> = Vec::new();

/// A text in which the phrases of all classes were found.
struct Searched {
    words: Words,
    found: HashMap<usize, Vec<Span>>,
    reasons: Vec<&'static str>,
}

/// The reasons why a text reads like instructions to the model; empty for ordinary text.
#[must_use]
pub fn instruction_signs(text: &str) -> Vec<&'static str> {
    Searched::new(text).reasons
}

/// The reasons to withhold a text that nobody vouches for: those of [`instruction_signs`], else a learned one.
#[must_use]
pub fn withholding_signs(text: &str) -> Vec<&'static str> {
    let searched = Searched::new(text);
    if !searched.reasons.is_empty() {
        return searched.reasons;
    }
    SHIPPED.learned.iter().filter(|pattern| searched.has(pattern)).map(|pattern| pattern.reason).collect()
}

impl Searched {
    fn new(text: &str) -> Self {
        let signs = &*SHIPPED;
        let searched = cut(text, MAX_CHARS);
        let reasons = if searched.len() < text.len() { vec![TOO_LONG] } else { Vec::new() };
        let words = repair(&split_words(searched, &signs.letters), signs);
        let mut found = find_phrases(&words, signs);
        drop_harmless(&mut found, signs, &words);
        let mut searched = Self { words, found, reasons };
        for pattern in &signs.patterns {
            if !searched.reasons.contains(&pattern.reason) && searched.has(pattern) {
                searched.reasons.push(pattern.reason);
            }
        }
        searched
    }

    fn has(&self, pattern: &Pattern) -> bool {
        let is_needed = !matches!(pattern.layout, Layout::Weighed { .. });
        let places: Option<Vec<Places>> = pattern
            .kinds
            .iter()
            .map(|(kind, is_undenied)| {
                let spans = self.found.get(kind).unwrap_or(&NOWHERE);
                if is_needed && spans.is_empty() {
                    return None;
                }
                Some(if *is_undenied { undenied(spans, &self.found, &self.words) } else { Cow::Borrowed(&spans[..]) })
            })
            .collect();
        let absent = pattern.absent.and_then(|kind| self.found.get(&kind)).map_or(&[][..], Vec::as_slice);
        places.is_some_and(|places| matches(pattern, &places, absent, &self.words))
    }
}

// --- words -----------------------------------------------------------------------------------------------------

/// Undoes disguises of words: digits instead of letters, words spelled letter by letter, and words without blanks
/// between them.
fn repair(words: &Words, signs: &Signs) -> Words {
    let mut repaired = Words::default();
    let mut position = 0;
    let is_letter = |text: &&String| matches!(text.as_bytes(), [b'a'..=b'z']);
    while let Some(text) = words.texts.get(position) {
        let rest = words.texts.get(position..).unwrap_or_default();
        let letters = rest.iter().take_while(is_letter).count();
        let (made, count) = if letters >= MIN_SPELLED_LETTERS {
            let spelled: String = rest.iter().take(letters).map(String::as_str).collect();
            let (parts, _) = take_apart(&spelled);
            let kept = || rest.iter().take(letters).cloned().collect();
            (if parts.is_empty() { kept() } else { parts }, letters)
        } else {
            (read_word(text, signs), 1)
        };
        let mut separator = words.separators.get(position).cloned().unwrap_or_default();
        let mut is_line_start = words.line_starts.get(position).copied().unwrap_or_default();
        let sentence = words.sentences.get(position).copied().unwrap_or_default();
        for text in made {
            repaired.add(text, std::mem::take(&mut separator), is_line_start, sentence);
            is_line_start = false;
        }
        position += count;
    }
    repaired.separators.extend(words.separators.last().cloned());
    repaired
}

fn read_word(word: &str, signs: &Signs) -> Vec<String> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    if (is_plain && word.len() < MIN_GLUED_CHARS) || is_known(word) {
        return vec![word.to_owned()];
    }
    if is_plain {
        let (parts, is_whole) = take_apart(word);
        return if is_whole && parts.len() >= MIN_GLUED_WORDS { parts } else { vec![word.to_owned()] };
    }
    let plain: String = word.chars().map(|char| signs.alike.get(&char).copied().unwrap_or(char)).collect();
    let letters: String = plain.chars().map(letter_of_digit).collect();
    vec![[plain, letters].into_iter().find(|plain| is_known(plain)).unwrap_or_else(|| word.to_owned())]
}

fn letter_of_digit(char: char) -> char {
    match char {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        '8' => 'b',
        _ => char,
    }
}

/// Splits letters into the longest known words, from left to right. The flag is true if the words cover all letters.
fn take_apart(letters: &str) -> (Vec<String>, bool) {
    let (mut parts, mut position, mut is_whole) = (Vec::new(), 0, true);
    while position < letters.len() {
        let longest = MAX_PART_CHARS.min(letters.len() - position);
        let words = (2..=longest).rev().filter_map(|length| letters.get(position..position + length));
        let found = words.into_iter().find(|word| is_known(word));
        position += found.map_or(1, str::len);
        is_whole &= found.is_some();
        parts.extend(found.map(str::to_owned));
    }
    (parts, is_whole)
}

// --- phrases ---------------------------------------------------------------------------------------------------

/// The spans of the phrases of each class, in text order; phrases that begin within a neutral phrase are left out.
fn find_phrases(words: &Words, signs: &Signs) -> HashMap<usize, Vec<Span>> {
    let mut found: HashMap<usize, Vec<Span>> = HashMap::new();
    let mut behind_neutral = 0;
    for position in 0..words.texts.len() {
        let here = signs.phrases_at(position, words);
        let neutral = here.iter().filter(|phrase| phrase.is_unbroken && phrase.kinds().any(|kind| kind == NEUTRAL));
        behind_neutral = neutral.map(|phrase| phrase.end).fold(behind_neutral, usize::max);
        if position >= behind_neutral {
            for phrase in here {
                for kind in phrase.kinds() {
                    found.entry(kind).or_default().push((position, phrase.end));
                }
            }
        }
    }
    found
}

/// Removes the spans that a phrase near them makes harmless: `must not delete` before `without asking`.
fn drop_harmless(found: &mut HashMap<usize, Vec<Span>>, signs: &Signs, words: &Words) {
    let mut dropped: HashSet<usize> = HashSet::new();
    for pattern in &signs.harmless {
        let ([(near, _), (kind, _)], Layout::Window { size, .. }) = (pattern.kinds.as_slice(), &pattern.layout) else {
            continue;
        };
        let Some(mut others) = found.get(near).cloned() else { continue };
        others.sort_unstable();
        for (start, end) in found.get(kind).unwrap_or(&NOWHERE) {
            let after = others.partition_point(|other| other < &(*start, *end));
            let neighbours = others.iter().skip(after.saturating_sub(1)).take(if after == 0 { 1 } else { 2 });
            for (first, last) in neighbours {
                let room = words.room(*start.min(first), *end.max(last));
                if room <= *size && words.are_together(*first, *start) {
                    dropped.extend(*start..*end);
                }
            }
        }
    }
    if !dropped.is_empty() {
        found.retain(|_, spans| {
            spans.retain(|(start, _)| !dropped.contains(start));
            !spans.is_empty()
        });
    }
}

/// The spans that are not denied. A span is denied if `do not` or the like comes before its phrase, with only filler
/// words between the two.
fn undenied<'a>(spans: &'a [Span], found: &HashMap<usize, Vec<Span>>, words: &Words) -> Places<'a> {
    if spans.is_empty() || !found.contains_key(&DENIAL) {
        return Cow::Borrowed(spans);
    }
    let spans_of = |kind: usize| found.get(&kind).into_iter().flatten();
    let ends: HashSet<usize> = spans_of(DENIAL).map(|(_, end)| *end).collect();
    let fillers: HashSet<usize> = spans_of(FILLER).map(|(start, _)| *start).collect();
    let is_denied = |start: usize| {
        for before in (start.saturating_sub(MAX_DENIAL_GAP)..=start).rev() {
            if ends.contains(&before) {
                return words.are_together(before - 1, start);
            }
            if !before.checked_sub(1).is_some_and(|filler| fillers.contains(&filler)) {
                return false;
            }
        }
        false
    };
    Cow::Owned(spans.iter().copied().filter(|(start, _)| !is_denied(*start)).collect())
}

// --- patterns --------------------------------------------------------------------------------------------------

fn matches(pattern: &Pattern, places: &[Places], absent: &[Span], words: &Words) -> bool {
    match &pattern.layout {
        Layout::Ordered(gaps) => {
            let last = gaps.last().copied().unwrap_or_default() / 2;
            let starts: HashSet<usize> = absent.iter().map(|(start, _)| *start).collect();
            let mut ends = follow(gaps, places, words).into_iter();
            ends.any(|end| starts.is_empty() || (end..=end + last).all(|start| !starts.contains(&start)))
        }
        Layout::Window { size, is_one_sentence } => stand_together(*size, *is_one_sentence, places, words),
        Layout::Weighed { size, least, weights } => {
            let mut sums = Sums { weights, counts: vec![0; places.len()], now: vec![0; least.len()] };
            outweigh(*size, places, words, &mut sums, least)
        }
    }
}

/// The positions after sequences of phrases that have one phrase of each class, in the order of the classes. `gaps` has
/// the maximal distance between two successive phrases, in half words (see [`Words::offsets`]).
fn follow(gaps: &[usize], places: &[Places], words: &Words) -> Vec<usize> {
    let mut ends: Vec<usize> = places.first().into_iter().flat_map(|spans| spans.iter()).map(|(_, end)| *end).collect();
    ends.sort_unstable();
    for (gap, spans) in gaps.iter().zip(places.iter().skip(1)) {
        let mut reached: Vec<usize> = Vec::new();
        for (start, end) in spans.iter() {
            let place = ends.partition_point(|end| end <= start);
            let before = place.checked_sub(1).and_then(|place| ends.get(place));
            if before
                .is_some_and(|before| words.room(*before, *start) <= *gap && words.are_together(before - 1, *start))
            {
                reached.push(*end);
            }
        }
        reached.sort_unstable();
        ends = reached;
    }
    ends
}

/// The spans of all classes in text order, each as: position of the first word, position after the last word, class.
fn in_order(places: &[Places]) -> Vec<(usize, usize, usize)> {
    let all = places.iter().enumerate();
    let mut all: Vec<_> =
        all.flat_map(|(kind, spans)| spans.iter().map(move |(start, end)| (*start, *end, kind))).collect();
    all.sort_unstable();
    all
}

/// Whether some stretch of at most `size` half words (see [`Words::offsets`]) has a phrase of each class. No two of
/// these phrases may begin at the same word. With `is_one_sentence` they must begin in the same sentence.
fn stand_together(size: usize, is_one_sentence: bool, places: &[Places], words: &Words) -> bool {
    let mut last: Vec<Option<usize>> = vec![None; places.len()];
    for (start, end, kind) in in_order(places) {
        if let Some(place) = last.get_mut(kind) {
            *place = Some(start);
        }
        let Some(first) = last.iter().copied().min().flatten() else { continue };
        let distinct: HashSet<Option<usize>> = last.iter().copied().collect();
        if words.room(first, end) <= size
            && distinct.len() == last.len()
            && (!is_one_sentence || words.are_together(first, start))
        {
            return true;
        }
    }
    false
}

/// The sums of the weights of the classes that have a phrase in the present window, each counted once.
struct Sums<'a> {
    weights: &'a Weights,
    /// How many phrases of each class are in the window.
    counts: Vec<usize>,
    now: Vec<i64>,
}

impl Sums<'_> {
    /// Takes in a phrase of a class.
    fn enter(&mut self, kind: usize) {
        let Some(count) = self.counts.get_mut(kind) else { return };
        *count += 1;
        if *count == 1 {
            self.add(kind, 1);
        }
    }

    /// Removes a phrase of a class.
    fn leave(&mut self, kind: usize) {
        let Some(count) = self.counts.get_mut(kind) else { return };
        *count -= 1;
        if *count == 0 {
            self.add(kind, -1);
        }
    }

    fn add(&mut self, kind: usize, sign: i64) {
        for (sum, weight) in self.now.iter_mut().zip(self.weights.own.get(kind).into_iter().flatten()) {
            *sum += sign * weight;
        }
        let pairs = &self.weights.pairs;
        let earlier = self.counts.iter().zip(pairs.get(kind).into_iter().flatten());
        let later =
            self.counts.iter().zip(pairs).skip(kind + 1).filter_map(|(count, row)| Some((count, row.get(kind)?)));
        let present: i64 = earlier.chain(later).filter(|(count, _)| **count > 0).map(|(_, weight)| weight).sum();
        if let Some(sum) = self.now.first_mut() {
            *sum += sign * present;
        }
    }
}

/// Whether the weights of the classes that occur in some stretch of at most `size` half words (see [`Words::offsets`])
/// reach the least sums.
fn outweigh(size: usize, places: &[Places], words: &Words, sums: &mut Sums<'_>, least: &[i64]) -> bool {
    let events = in_order(places);
    let mut first = 0;
    for (start, end, kind) in &events {
        sums.enter(*kind);
        while let Some((left, _, kind)) = events.get(first) {
            if left >= start || words.room(*left, *end) <= size {
                break;
            }
            sums.leave(*kind);
            first += 1;
        }
        if sums.now.iter().zip(least).all(|(sum, least)| sum >= least) {
            return true;
        }
    }
    false
}
