//! The gist of a memory: the sentence that its author gave as the gist, or the first informative sentence of its
//! content (SPEC 32).

use crate::tables::{Entries, words};
use crate::text::chars::{cut, is_white_space, strip};
use crate::text::hangul;
use crate::text::json_reader::{Json, read_json};
use crate::text::letters::Kind;
use crate::text::stem::stem;
use crate::text::term_words::{is_stop_word, is_weak_word};
use crate::text::terms::{for_each_chunk, hangul_word, lower_ascii};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The maximal number of characters of a gist that the author gave.
const MAX_GIVEN_CHARS: usize = 200;
/// The maximal number of characters of a gist that is taken from the content.
const MAX_CHARS: usize = 160;
/// The maximal number of characters of a memory's content that are searched for a gist.
const MAX_TEXT_CHARS: usize = 2000;

/// Texts that stand for something which nobody said. They are not shown.
const PLACEHOLDERS: [&str; 2] = ["not stated", "not stated in the source"];

/// Fields whose value is one of a few fixed words; they are not searched.
const LABELS: [&str; 8] = ["active", "expires", "kind", "outcome", "priority", "severity", "status", "strength"];

/// The points that an ordinary word adds to its sentence.
const WORD: usize = 4;
/// The points that a number or a weak word adds to its sentence.
const WEAK: usize = 1;
/// The first sentence with at least this many points is the gist.
const ENOUGH: usize = 16;
const SHORT_CHARS: usize = 20;

const MARKERS: [&str; 5] = ["-", "*", "+", "•", ">"];
const CLOSERS: [char; 15] = [
    '"', '\'', '`', ')', ']', '}', '>', '*', '_', '\u{2019}', '\u{201d}', '\u{bb}', '\u{300d}', '\u{300f}', '\u{ff09}',
];
const OPENERS: [char; 12] = ['"', '\'', '`', '(', '[', '{', '<', '*', '_', '\u{2018}', '\u{201c}', '\u{ab}'];
/// Full-width characters that end a sentence; they need no blank after them.
pub(crate) const WIDE_ENDS: [char; 3] = ['\u{3002}', '\u{ff01}', '\u{ff1f}'];
pub(crate) const WIDE_CLOSERS: [char; 3] = ['\u{300d}', '\u{300f}', '\u{ff09}'];
static ABBREVIATIONS: Entries = words!("words", "abbreviations");
const LINKS: [&str; 3] = ["http://", "https://", "www."];

/// The most important fields of a category's content, most important first; empty for an unknown category.
pub(crate) fn fields_of(category: &str) -> &'static [&'static str] {
    match category {
        "session_summary" => &["goal", "completed", "next_actions", "key_changes", "in_progress", "blockers"],
        "decision" => &["decision", "rationale", "context", "consequences", "alternatives"],
        "runbook" => &["trigger", "symptoms", "root_cause", "steps", "verification", "environment"],
        "constraint" => &["rule", "impact", "workarounds"],
        "tech_debt" => &["description", "reason_deferred", "impact", "suggested_fix", "acceptance_criteria"],
        "preference" => &["value", "topic", "reason", "examples"],
        _ => &[],
    }
}

/// The sentence that sums up a memory file (its gist, SPEC 32); empty if the file is not valid JSON, or if [`gist_of`]
/// finds no such sentence.
#[must_use]
pub fn gist_of_file(data: &[u8]) -> String {
    read_json(data).map(|record| gist_of(&record)).unwrap_or_default()
}

/// The gist of a memory on one line: the one that its author gave, or a sentence of its content. Empty if no sentence
/// of the content adds anything to the title.
#[must_use]
pub fn gist_of(record: &Json) -> String {
    if let Some(given) = record.get("cuecard").and_then(|extension| extension.get("gist")).and_then(Json::as_text) {
        let given = words_of(given).join(" ");
        if !given.is_empty() {
            return shorten(&given, MAX_GIVEN_CHARS);
        }
    }
    let mut known = BTreeSet::new();
    if let Some(title) = record.get("title").and_then(Json::as_text) {
        for_each_weighed(title, &mut |word, _| {
            known.insert(word.to_owned());
            true
        });
    }
    let (mut best, mut most) = (String::new(), 0);
    for text in texts_to_read(record) {
        for Sentence { text, is_aside } in sentences(&text) {
            let points = points_of(&text, &known, is_aside);
            if points > most {
                (best, most) = (text, points);
            }
            if points >= ENOUGH {
                return shorten(&best, MAX_CHARS);
            }
        }
    }
    shorten(&best, MAX_CHARS)
}

/// The texts of the content that are searched for a gist, `MAX_TEXT_CHARS` in total. The most important fields of the
/// category come first.
fn texts_to_read(record: &Json) -> Vec<Cow<'_, str>> {
    let mut texts = Vec::new();
    match record.get("content") {
        Some(content @ Json::Object(members)) => {
            let first = fields_of(record.get("category").and_then(Json::as_text).unwrap_or_default());
            let is_other = |name: &str| !first.contains(&name) && !LABELS.contains(&name);
            let others = members.iter().filter(|(name, _)| is_other(name)).map(|(_, value)| value);
            first
                .iter()
                .filter_map(|name| content.get(name))
                .chain(others)
                .for_each(|value| push_texts(value, &mut texts));
        }
        Some(content) => push_texts(content, &mut texts),
        None => {}
    }
    let (mut left, mut read) = (MAX_TEXT_CHARS, Vec::new());
    for text in texts {
        let begin = cut(text, left);
        read.push(if begin.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{begin}…")) });
        left = left.saturating_sub(begin.chars().count());
        if left == 0 {
            break;
        }
    }
    read
}

fn push_texts<'a>(value: &'a Json, texts: &mut Vec<&'a str>) {
    match value {
        Json::Text(text) if is_placeholder(strip(text)) => {}
        Json::Text(text) => texts.push(text),
        Json::List(items) => items.iter().for_each(|item| push_texts(item, texts)),
        Json::Object(members) => members.iter().for_each(|(_, member)| push_texts(member, texts)),
        _ => {}
    }
}

/// Whether a text only says that nobody has said anything.
pub(crate) fn is_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|known| text.trim_end_matches('.').eq_ignore_ascii_case(known))
}

/// A sentence on one line. `is_aside` is set for a heading, a table row or a line of code.
struct Sentence {
    text: String,
    is_aside: bool,
}

fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut is_code = false;
    for line in text.split(['\n', '\r']) {
        let line = part_wide(line);
        let mut words = words_of(&line);
        if words.first().is_some_and(|word| word.starts_with("```") || word.starts_with("~~~")) {
            is_code = !is_code;
            continue;
        }
        let mut is_aside = is_code || words.first() == Some(&"|");
        let markers = words.iter().take_while(|word| is_marker(word)).count();
        is_aside |= words.drain(..markers).any(|word| word.starts_with('#'));
        let mut rest = &*words;
        while !rest.is_empty() {
            let end = rest.iter().position(|word| ends_sentence(word)).map_or(rest.len(), |place| place + 1);
            let (sentence, after) = rest.split_at(end);
            sentences.push(Sentence { text: sentence.join(" "), is_aside });
            rest = after;
        }
    }
    sentences
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(is_white_space).filter(|word| !word.is_empty()).collect()
}

/// Inserts a blank after each full-width character that ends a sentence in a line.
fn part_wide(line: &str) -> Cow<'_, str> {
    let mut line = Cow::Borrowed(line);
    for end in WIDE_ENDS {
        if line.contains(end) {
            let mut parted = line.replace(end, &format!("{end} "));
            for closer in WIDE_CLOSERS {
                parted = parted.replace(&format!("{end} {closer}"), &format!("{end}{closer} "));
            }
            line = Cow::Owned(parted);
        }
    }
    line
}

/// Whether a word at the beginning of a line marks a list item, a heading or a quotation.
fn is_marker(word: &str) -> bool {
    let is_number = |number: &str| (1..4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    MARKERS.contains(&word)
        || word.bytes().all(|byte| byte == b'#')
        || word.strip_suffix(['.', ')']).is_some_and(is_number)
}

/// Whether a sentence ends with this word.
pub(crate) fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(CLOSERS);
    word.ends_with(['!', '?'])
        || word.ends_with(WIDE_ENDS)
        || word.strip_suffix('.').is_some_and(|word| !is_abbreviation(word))
}

/// Whether a dot after this word is part of the word: a known abbreviation, a single letter, or letters with dots like
/// `e.g`.
fn is_abbreviation(word: &str) -> bool {
    let word = word.trim_start_matches(OPENERS);
    let is_letter = |part: &str| matches!(part.as_bytes(), [letter] if letter.is_ascii_alphabetic());
    ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known)) || word.split('.').all(is_letter)
}

/// The points of a sentence: how much it says beyond the words in `known`.
fn points_of(sentence: &str, known: &BTreeSet<String>, is_aside: bool) -> usize {
    let is_short = sentence.chars().nth(SHORT_CHARS - 1).is_none();
    let share = if is_aside || sentence.ends_with(':') { 4 } else { 1 } * if is_short { 2 } else { 1 };
    let (mut told, mut points) = (BTreeSet::new(), 0);
    for_each_weighed(sentence, &mut |word, of_word| {
        if !known.contains(word) && told.insert(word.to_owned()) {
            points += of_word;
        }
        // A sentence with this many points is the gist, whatever else it says.
        points < ENOUGH * share
    });
    points / share
}

/// Calls `found` with each informative word of a text and the points of the word, until `found` returns false; URLs and
/// stop words are skipped.
fn for_each_weighed(text: &str, found: &mut impl FnMut(&str, usize) -> bool) {
    let is_link = |word: &&str| LINKS.iter().any(|link| word.trim_start_matches(OPENERS).starts_with(link));
    let mut text = Cow::Borrowed(text);
    if LINKS.iter().any(|link| text.contains(link)) {
        text = Cow::Owned(text.split(' ').filter(|word| !is_link(word)).collect::<Vec<_>>().join(" "));
    }
    let mut goes_on = true;
    for_each_chunk(&text, &mut |kind, chunk| match kind {
        _ if !goes_on => {}
        Kind::Hangul => {
            if let Some(word) = hangul_word(chunk) {
                goes_on = found(word, if hangul::is_weak_word(chunk) { WEAK } else { WORD });
            }
        }
        Kind::Ideographs | Kind::Unspaced => goes_on = found(chunk, WORD * chunk.chars().count().div_ceil(3)),
        Kind::Letter | Kind::Separator => {
            let word = lower_ascii(chunk);
            if word.chars().nth(1).is_some() && !is_stop_word(&word) {
                let is_weak = word.starts_with(|char: char| char.is_ascii_digit()) || is_weak_word(&word);
                goes_on = found(&stem(&word), if is_weak { WEAK } else { WORD });
            }
        }
    });
}

/// The text itself if it has at most `limit` characters; else as many of its words as fit, and an ellipsis.
fn shorten(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mut head = cut(text, limit - 1);
    let is_cut = !text.get(head.len()..).unwrap_or_default().starts_with(' ');
    if let Some(place) = head.rfind(' ').filter(|_| is_cut) {
        let (words, _) = head.split_at(place);
        if words.chars().count() >= limit / 2 {
            head = words;
        }
    }
    format!("{}…", head.trim_end_matches([' ', ',', ';', ':', '-', '(', '–', '—']))
}

#[cfg(test)]
mod tests {
    use super::gist_of_file;

    #[test]
    fn a_decision_comes_before_its_context() {
        let record = r#"{"category": "decision", "title": "Queue", "content": {"status": "accepted",
            "context": "Requests took longer than thirty seconds while images were resized.",
            "decision": "Images are resized by workers, e.g. at night. They read a queue."}}"#;
        assert_eq!(gist_of_file(record.as_bytes()), "Images are resized by workers, e.g. at night.");
    }

    #[test]
    fn what_the_writer_gave_comes_first_on_one_line() {
        let record = r#"{"title": "T", "content": {"rule": "Long enough to be a gist of its own."}, "cuecard": {"gist": " Mine,\n one line "}}"#;
        assert_eq!(gist_of_file(record.as_bytes()), "Mine, one line");
    }
}
