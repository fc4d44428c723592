//! Searches a text for secrets by all rules, around the rules' literals (SPEC 55.2).

use super::checks::{Candidate, judge};
use super::matcher::{Found, Matcher};
use super::reading::{LongWords, Reading};
use super::rules::{Check, Compiled, Rule, table};

/// The size of a window before and after a literal, in characters; every match with the literal is shorter.
const BEFORE: usize = 2048;
const AFTER: usize = 2304;
/// Occurrences of a literal that are fewer than this many characters apart share a window.
const STEP: usize = 1 << 8;
/// The kind of an example that a vendor documents; spans that overlap it are not secrets.
pub(super) const DOCUMENTED: &str = "";

/// A secret in a text: its begin and end, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
}

/// Whether a span overlaps one of the ranges, which are sorted and disjoint.
pub(super) fn meets(ranges: &[(usize, usize)], start: usize, end: usize) -> bool {
    let position = ranges.partition_point(|range| *range < (end, end));
    position.checked_sub(1).and_then(|last| ranges.get(last)).is_some_and(|range| range.1 > start)
}

/// The rules that can match in a text, judged by their literals.
pub(super) fn rules_for(text: &str) -> Vec<&'static Rule> {
    // Collecting all pairs of bytes first is faster than hundreds of searches in the text.
    let low = text.to_ascii_lowercase();
    let mut pairs = vec![0_u64; 1 << 10];
    let pair = |pair: &[u8]| match pair {
        [one, next] => usize::from(one.to_ascii_lowercase()) << 8 | usize::from(next.to_ascii_lowercase()),
        _ => 0,
    };
    for bytes in low.as_bytes().windows(2) {
        let bit = pair(bytes);
        if let Some(word) = pairs.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }
    let may_stand = |literal: &str| {
        literal
            .as_bytes()
            .windows(2)
            .map(pair)
            .all(|bit| pairs.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1))
    };
    let stands = |rule: &Rule, literal: &str| {
        let text = if rule.is_folded { &*low } else { text };
        memchr::memmem::find(text.as_bytes(), literal.as_bytes()).is_some()
    };
    let can_match = |rule: &&'static Rule| {
        let mut literals = rule.literals().peekable();
        literals.peek().is_none() || literals.any(|literal| may_stand(literal) && stands(rule, literal))
    };
    table().rules.iter().filter(can_match).collect()
}

/// The secrets that the rules find in a text, in the order of the rules; rules with the check `left_out` are skipped.
pub(super) fn find_secrets(text: &str, rules: &[&'static Rule], left_out: Option<Check>, depth: usize) -> Vec<Span> {
    let reading = Reading::between_lines(text);
    let marks = BlockMarks::new(&reading);
    let mut long_words: Option<LongWords> = None;
    let mut spans = Vec::new();
    for rule in rules.iter().filter(|rule| Some(rule.check) != left_out) {
        let Some(compiled) = rule.compiled() else { continue };
        let words = if compiled.is_one_word {
            Some(&*long_words.get_or_insert_with(|| LongWords::new(&reading)))
        } else {
            None
        };
        let Some(mut search) = Search::new(rule, compiled, words.map_or(&reading, |words| &words.reading)) else {
            continue;
        };
        let mut position = 0;
        while let Some(found) = search.next(words.map_or(position, |words| words.place_of(position))) {
            let group = ["secret", "double", "single"].into_iter().find_map(|name| found.group(name));
            let Some((start, end)) = group else { break };
            let shift = words.map_or(0, |words| words.shift(start));
            let (start, end) = (start + shift, end + shift);
            let candidate = Candidate { rule, found, shift, reading: &reading, marks: &marks, start, end, depth };
            // The value of one name may be the name of the next value.
            let is_read_again = matches!(rule.check, Check::Assigned | Check::Prose | Check::Pair);
            let span = judge(&candidate);
            position = span.map_or(if is_read_again { start } else { end }, |span| span.end);
            spans.extend(span.map(|span| Span { start: span.start - 1, end: span.end - 1, kind: span.kind }));
        }
    }
    let mut documented: Vec<(usize, usize)> =
        spans.iter().filter(|span| span.kind == DOCUMENTED).map(|span| (span.start, span.end)).collect();
    documented.sort_unstable();
    if !documented.is_empty() {
        spans.retain(|span| !meets(&documented, span.start, span.end));
    }
    spans
}

/// The places of the begin marks and end marks of PEM blocks.
pub(super) struct BlockMarks {
    pub(super) begins: Vec<usize>,
    pub(super) ends: Vec<usize>,
}

impl BlockMarks {
    fn new(reading: &Reading) -> Self {
        Self { begins: reading.places_of("-----BEGIN ", false), ends: reading.places_of("-----END ", false) }
    }
}

/// Searches for the matches of a rule around its literals.
struct Search<'a> {
    matcher: Matcher<'a>,
    /// Ranges of the text that contain every match.
    windows: Vec<(usize, usize)>,
    /// Ranges of the places where a match can begin.
    starts: Vec<(usize, usize)>,
}

impl<'a> Search<'a> {
    /// Prepares the search; `None` if the text has none of the literals.
    fn new(rule: &Rule, compiled: &'a Compiled, reading: &'a Reading) -> Option<Self> {
        let size = reading.len();
        let matcher = Matcher::new(&compiled.pattern, &reading.chars, rule.is_folded);
        let literals = rule.literals();
        if literals.clone().next().is_none() {
            return Some(Self { matcher, windows: vec![(0, size)], starts: vec![(0, size)] });
        }
        let places: Vec<Vec<usize>> = literals.map(|literal| reading.places_of(literal, rule.is_folded)).collect();
        let mut all: Vec<usize> = places.iter().flatten().copied().collect();
        all.sort_unstable();
        all.first()?;
        let has_windows = compiled.is_bounded && !compiled.is_one_word;
        let windows = if has_windows { windows(&places, size) } else { vec![(0, size)] };
        let starts = match compiled.reach {
            Some(reach) => merged(all.iter().map(|place| (place.saturating_sub(reach), place + 1))),
            None => vec![(0, size)],
        };
        Some(Self { matcher, windows, starts })
    }

    /// The first match that begins at or after a position.
    fn next(&mut self, position: usize) -> Option<Found> {
        let window = self.windows.partition_point(|(_, end)| *end <= position);
        for (start, end) in self.windows.iter().skip(window) {
            let from = position.max(*start);
            let first = self.starts.partition_point(|(_, to)| *to <= from);
            for (low, high) in self.starts.iter().skip(first).take_while(|(low, _)| low < end) {
                if let Some(found) = self.matcher.search(from.max(*low), *high.min(end), *end) {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// The windows around the places of each literal.
fn windows(places: &[Vec<usize>], size: usize) -> Vec<(usize, usize)> {
    let mut chosen = Vec::new();
    for places in places {
        let mut next = 0;
        for place in places {
            if *place >= next {
                chosen.push(*place);
                next = place + STEP;
            }
        }
    }
    chosen.sort_unstable();
    merged(chosen.iter().map(|place| (place.saturating_sub(BEFORE), size.min(place + AFTER))))
}

/// Merges ranges that overlap or touch; the ranges are sorted by their begin.
fn merged(ranges: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}
