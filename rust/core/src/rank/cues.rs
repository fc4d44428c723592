//! Cues: properties of a prompt that its words show, e.g. that it asks for a reason (SPEC 26.1).

use crate::text::chars::{fold, is_white_space, strip_start};
use crate::text::letters::{Kind, classify};
use crate::text::tables::{CUES, Entries, GATE, rows, words};
use std::collections::HashSet;

/// The number of characters of a prompt that are read. People who paste a log say before the log what it is about.
const MAX_CHARS: usize = 4096;
const QUESTION_MARKS: [char; 2] = ['?', '\u{ff1f}'];
const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];
const PREFIX_CHARS: [char; 5] = ['_', '.', '+', '-', '#'];
const MAX_PREFIX: usize = 40;

// For each cue, the phrases in `tools/cues.txt`. A `+` marks where a word begins or ends.
static ASKS_HOW: Entries = words!(CUES, "asks_how");
static ASKS_WHY: Entries = words!(CUES, "asks_why");
static ASKS_WHAT: Entries = words!(CUES, "asks_what");
static ASKS_YES_NO_START: Entries = words!(CUES, "asks_yes_no_start");
static ASKS_YES_NO_LAST: Entries = words!(CUES, "asks_yes_no_last");
static QUESTION_MARKED: Entries = words!(CUES, "question_marked");
static QUESTION_ENDINGS: Entries = words!(CUES, "question_endings");
static OPENERS: Entries = words!(CUES, "openers");
static EDIT_FIRST: Entries = words!(CUES, "edit_first");
static CHORES: Entries = words!(CUES, "chores");
static ASKS_FOR: Entries = words!(CUES, "asks_for");
static ERROR: Entries = words!(CUES, "error");
static CONTINUES: Entries = words!(CUES, "continues");
static CONTINUES_START: Entries = words!(CUES, "continues_start");
static CONTINUES_LAST: Entries = words!(CUES, "continues_last");
static REFERS: Entries = words!(CUES, "refers");
static CHAT: Entries = words!(CUES, "chat");
static ASKS_PAST: Entries = words!(CUES, "asks_past");
/// Words with weights. The weight says how strongly the word suggests that a prompt needs no memory.
static GENERAL_WORDS: Entries = rows!(GATE, "general_words").sorted();

/// A property of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cue {
    /// The prompt asks how to do something.
    AsksHow,
    /// The prompt asks for a reason.
    AsksWhy,
    /// The prompt asks for a thing, a place, a time or a person.
    AsksWhat,
    /// The prompt asks a question whose answer is yes or no.
    AsksYesNo,
    /// The prompt asks for an everyday task on code, text or data.
    Edit,
    /// The prompt begins with the name of a tool and a colon.
    ToolPrefix,
    /// The prompt is about an error.
    Error,
    /// The prompt continues earlier work.
    Continues,
    /// The prompt refers to something that was said before.
    Refers,
    /// The prompt contains only courtesies, like `thanks`.
    Chat,
    /// The prompt asks about the past.
    AsksPast,
}

impl Cue {
    /// All cues, in the order of their declaration.
    pub const ALL: [Self; 11] = [
        Self::AsksHow,
        Self::AsksWhy,
        Self::AsksWhat,
        Self::AsksYesNo,
        Self::Edit,
        Self::ToolPrefix,
        Self::Error,
        Self::Continues,
        Self::Refers,
        Self::Chat,
        Self::AsksPast,
    ];

    /// The name of the cue in test vectors, explanations and the gate's model.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsksHow => "asks_how",
            Self::AsksWhy => "asks_why",
            Self::AsksWhat => "asks_what",
            Self::AsksYesNo => "asks_yes_no",
            Self::Edit => "edit",
            Self::ToolPrefix => "tool_prefix",
            Self::Error => "error",
            Self::Continues => "continues",
            Self::Refers => "refers",
            Self::Chat => "chat",
            Self::AsksPast => "asks_past",
        }
    }
}

/// The cues that apply to a prompt, in the order of [`Cue`].
#[must_use]
pub fn find_cues(prompt: &str) -> Vec<Cue> {
    let prompt = beginning(prompt);
    let words = split_words(prompt);
    let text = join(&words);
    let begin = words.iter().take_while(|word| is_listed(word, OPENERS)).count();
    let asks_how = has(&text, ASKS_HOW);
    let asks_why = has(&text, ASKS_WHY);
    let asks_what = has(&text, ASKS_WHAT);
    let has_mark = prompt.contains(QUESTION_MARKS);
    let held = [
        (Cue::AsksHow, asks_how),
        (Cue::AsksWhy, asks_why),
        (Cue::AsksWhat, asks_what),
        (
            Cue::AsksYesNo,
            begins(&text, ASKS_YES_NO_START)
                || (ends_as_question(&words, &text, has_mark) && !(asks_how || asks_why || asks_what)),
        ),
        (Cue::Edit, begins(&join(words.get(begin..).unwrap_or_default()), EDIT_FIRST) || asks_for_chore(&words)),
        (Cue::ToolPrefix, has_tool_prefix(prompt)),
        (Cue::Error, is_error(&words, &text)),
        (Cue::Continues, has(&text, CONTINUES) || begins(&text, CONTINUES_START) || ends(&text, CONTINUES_LAST)),
        (Cue::Refers, has(&text, REFERS)),
        (Cue::Chat, words.iter().all(|word| is_listed(word, CHAT))),
        (Cue::AsksPast, has(&text, ASKS_PAST)),
    ];
    held.into_iter().filter_map(|(cue, holds)| holds.then_some(cue)).collect()
}

/// Returns the number of words in a prompt, the sum of the weights of its general words, and whether it has a question
/// mark (SPEC 28.1).
///
/// General words are words that prompts of many projects use. A weight is a logit, in 1/1024, that the prompt needs no
/// memory.
#[must_use]
pub fn general_words(prompt: &str) -> (usize, i64, bool) {
    let prompt = beginning(prompt);
    let words = split_words(prompt);
    let mut seen = HashSet::new();
    let distinct = words.iter().filter(|word| seen.insert(word.as_str()));
    let weight = |word: &String| GENERAL_WORDS.row(word)?.parse::<i64>().ok();
    (words.len(), distinct.filter_map(weight).sum(), prompt.contains(QUESTION_MARKS))
}

/// The first [`MAX_CHARS`] characters of a prompt, which are read for cues.
fn beginning(prompt: &str) -> &str {
    prompt.char_indices().nth(MAX_CHARS).map_or(prompt, |(end, _)| prompt.get(..end).unwrap_or(prompt))
}

/// Splits a text into runs of letters and digits, in lower case. Runs of Hangul are separate words, and so are runs of
/// Han and kana.
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = Kind::Separator;
    for char in fold(text).chars() {
        if APOSTROPHES.contains(&char) {
            continue;
        }
        let kind = kind_of(char);
        if kind != Kind::Separator {
            match words.last_mut() {
                Some(word) if kind == last => word.push(char),
                _ => words.push(char.into()),
            }
        }
        last = kind;
    }
    words
}

fn kind_of(char: char) -> Kind {
    match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Kind::Letter,
        '\0'..='\x7f' => Kind::Separator,
        _ => classify(char),
    }
}

/// Joins words with a `+` before and after each word, as in the tables of phrases.
pub(crate) fn join(words: &[String]) -> String {
    let mut text = String::from("+");
    for word in words {
        text.push_str(word);
        text.push('+');
    }
    text
}

fn is_listed(word: &str, words: Entries) -> bool {
    words.iter().any(|listed| listed == word)
}

fn has(text: &str, needles: Entries) -> bool {
    needles.iter().any(|needle| text.contains(needle))
}

fn begins(text: &str, needles: Entries) -> bool {
    needles.iter().any(|needle| text.starts_with(needle))
}

fn ends(text: &str, needles: Entries) -> bool {
    needles.iter().any(|needle| text.ends_with(needle))
}

/// Whether the last words of a prompt have the form of a question. In Korean, the ending of the last word shows it.
fn ends_as_question(words: &[String], text: &str, has_mark: bool) -> bool {
    let last = words.last().map_or("", String::as_str);
    ends(text, ASKS_YES_NO_LAST)
        || (has_mark && ends(last, QUESTION_MARKED))
        || (ends(last, QUESTION_ENDINGS) && !is_listed(last, QUESTION_ENDINGS))
}

/// Whether a Korean prompt asks for an everyday task. The verb of the task is the last word, or the word before a word
/// that asks.
fn asks_for_chore(words: &[String]) -> bool {
    let is_hangul = |word: &&String| word.chars().next().is_some_and(|char| kind_of(char) == Kind::Hangul);
    let mut last = words.iter().rev().filter(is_hangul);
    let (second, first) = (last.next(), last.next());
    let tail = [first, second].into_iter().flatten().map(String::as_str).collect::<String>();
    ends(&tail, ASKS_FOR) && has(&tail, CHORES)
}

/// Whether a prompt begins with a name, an optional second word in lower case, a colon and white space.
fn has_tool_prefix(prompt: &str) -> bool {
    let Some((before, behind)) = strip_start(prompt).split_once(':') else { return false };
    if !behind.starts_with(is_white_space) || before.is_empty() || before.len() > MAX_PREFIX || !before.is_ascii() {
        return false;
    }
    let words = split_words(before);
    if is_error(&words, &join(&words)) {
        return false;
    }
    let (name, second) = before.split_once(' ').unwrap_or((before, "a"));
    let is_name = |char: char| char.is_ascii_alphanumeric() || PREFIX_CHARS.contains(&char);
    let is_small = !second.is_empty() && second.bytes().all(|byte| byte.is_ascii_lowercase());
    !name.is_empty() && name.chars().all(is_name) && is_small
}

/// Whether a text is about an error: it has a word for an error, or an HTTP error status.
fn is_error(words: &[String], text: &str) -> bool {
    let is_error_code = |word: &String| matches!(word.as_bytes(), [b'4' | b'5', b'0'..=b'9', b'0'..=b'9']);
    has(text, ERROR) || words.iter().any(is_error_code)
}
