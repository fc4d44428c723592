//! Finds the parts of a prompt that the user quoted or pasted (SPEC 56.5). Positions count characters.

use crate::text::chars::{is_white_space, strip};

/// A part of a text: the position of its first character, and the position after its last character.
pub type Span = (usize, usize);

const FENCE: &str = "```";
const MIN_QUOTATION: usize = 25;
const MANY_LINES: usize = 12;
const MAX_QUOTED: usize = 400;
const QUOTED_HEAD: usize = 300;
const QUOTED_TAIL: usize = 80;
const ELLIPSIS: &str = " ... ";
/// Each opening quotation mark with the marks that can close it.
const MARKS: [(char, &str); 7] = [
    ('"', "\""),
    ('\u{201c}', "\u{201d}"),
    ('\u{201e}', "\u{201c}\u{201d}"),
    ('\u{ab}', "\u{bb}"),
    ('\u{bb}', "\u{ab}"),
    ('\u{300c}', "\u{300d}"),
    ('\u{300e}', "\u{300f}"),
];

/// The quoted parts of a text, in the order of the text; they do not overlap or touch.
#[must_use]
pub fn find_quotes(text: &str) -> Vec<Span> {
    let chars: Vec<char> = text.chars().collect();
    let mut quoted = vec![false; chars.len()];
    mark_fences(&chars, &mut quoted);
    let lines = lines_of(&chars);
    mark_lines(&chars, &lines, &mut quoted);
    mark_quotations(&chars, &mut quoted);
    mark_pasted(&chars, &lines, &mut quoted);
    spans_of(&quoted)
}

/// The user's own words: the text with each quoted part replaced by one blank.
#[must_use]
pub fn own_words(text: &str, quoted: &[Span]) -> String {
    let mut own = String::with_capacity(text.len());
    let mut spans = quoted.iter().peekable();
    for (place, char) in text.chars().enumerate() {
        while spans.next_if(|span| span.1 <= place).is_some() {}
        match spans.peek() {
            Some(span) if span.0 == place => own.push(' '),
            Some(span) if span.0 < place => {}
            _ => own.push(char),
        }
    }
    own
}

/// Cuts the middle out of long quotations, then cuts the text to `limit` characters. Returns the new text and the spans
/// of its quotations.
#[must_use]
pub fn shorten_quotes(text: &str, quoted: &[Span], limit: usize) -> (String, Vec<Span>) {
    let chars: Vec<char> = text.chars().collect();
    let part = |begin: usize, end: usize| chars.get(begin..end).unwrap_or_default();
    let (mut kept, mut spans, mut place): (Vec<char>, Vec<Span>, usize) = (Vec::new(), Vec::new(), 0);
    for &(begin, end) in quoted {
        kept.extend(part(place, begin));
        let first = kept.len();
        if end - begin > MAX_QUOTED {
            kept.extend(part(begin, begin + QUOTED_HEAD));
            kept.extend(ELLIPSIS.chars());
            kept.extend(part(end - QUOTED_TAIL, end));
        } else {
            kept.extend(part(begin, end));
        }
        spans.push((first, kept.len()));
        place = end;
    }
    kept.extend(part(place, chars.len()));
    kept.truncate(limit);
    let within = |span: Span| (span.0 < limit).then(|| (span.0, span.1.min(limit)));
    (kept.into_iter().collect(), spans.into_iter().filter_map(within).collect())
}

/// Marks everything from three back-ticks to the next three, or to the end of the text.
fn mark_fences(chars: &[char], quoted: &mut [bool]) {
    let is_fence = |place: usize| FENCE.chars().enumerate().all(|(step, tick)| chars.get(place + step) == Some(&tick));
    let mut place = 0;
    while place < chars.len() {
        if !is_fence(place) {
            place += 1;
            continue;
        }
        let mut end = place + 3;
        while end < chars.len() && !is_fence(end) {
            end += 1;
        }
        let end = (end + 3).min(chars.len());
        fill(quoted, place, end);
        place = end;
    }
}

/// Marks the lines whose first character other than white space is `>`.
fn mark_lines(chars: &[char], lines: &[Span], quoted: &mut [bool]) {
    for &(begin, end) in lines {
        let first = chars.get(begin..end).unwrap_or_default().iter().find(|char| !is_white_space(**char));
        if first == Some(&'>') {
            fill(quoted, begin, end);
        }
    }
}

/// Marks each text in quotation marks that has at least `MIN_QUOTATION` characters; shorter texts may be names.
fn mark_quotations(chars: &[char], quoted: &mut [bool]) {
    let mut place = 0;
    while place < chars.len() {
        let char = chars.get(place).copied().unwrap_or_default();
        let is_free = |place: usize| quoted.get(place) == Some(&false);
        let marks = MARKS.iter().find(|(opens, _)| *opens == char).filter(|_| is_free(place));
        let closes = marks.and_then(|(_, closing)| {
            let rest = chars.get(place + 1..).unwrap_or_default();
            let length = rest.iter().position(|char| closing.contains(*char))?;
            Some(place + 1 + length).filter(|end| is_free(*end))
        });
        match closes {
            Some(end) => {
                if end - place > MIN_QUOTATION {
                    fill(quoted, place, end + 1);
                }
                place = end + 1;
            }
            None => place += 1,
        }
    }
}

/// Marks runs of at least `MANY_LINES` non-empty lines: such a run was pasted, not typed.
fn mark_pasted(chars: &[char], lines: &[Span], quoted: &mut [bool]) {
    let is_empty = |span: &Span| chars.get(span.0..span.1).unwrap_or_default().iter().all(|char| is_white_space(*char));
    for run in lines.split(is_empty) {
        if let (true, Some(first), Some(last)) = (run.len() >= MANY_LINES, run.first(), run.last()) {
            fill(quoted, first.0, last.1);
        }
    }
}

/// The span of each line, without its line feed.
fn lines_of(chars: &[char]) -> Vec<Span> {
    let mut lines = Vec::new();
    let mut begin = 0;
    for line in chars.split(|char| *char == '\n') {
        lines.push((begin, begin + line.len()));
        begin += line.len() + 1;
    }
    lines
}

fn fill(quoted: &mut [bool], begin: usize, end: usize) {
    quoted.get_mut(begin..end).unwrap_or_default().fill(true);
}

fn spans_of(quoted: &[bool]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (place, _) in quoted.iter().enumerate().filter(|(_, is_quoted)| **is_quoted) {
        match spans.last_mut() {
            Some(last) if last.1 == place => last.1 = place + 1,
            _ => spans.push((place, place + 1)),
        }
    }
    spans
}

/// Whether a text contains only quotations and white space.
#[must_use]
pub fn is_all_quoted(text: &str, quoted: &[Span]) -> bool {
    strip(&own_words(text, quoted)).is_empty()
}
