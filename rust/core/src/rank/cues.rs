//! Cues: properties of a prompt that its words show, e.g. that it asks for a reason (SPEC 26.1).

use crate::tables::{Entries, Keyed, keyed_rows, words};
use crate::text::chars::{fold, is_white_space, strip_start};
use crate::text::compose::full_forms;
use crate::text::letters::{Kind, classify};
use crate::text::possible_secret;
use foldhash::{HashSet, HashSetExt};
use memchr::memchr_iter;

/// The number of characters of a prompt that are read. People who paste a log say before the log what it is about.
const MAX_CHARS: usize = 4096;
const QUESTION_MARKS: [char; 2] = ['?', '\u{ff1f}'];
/// Marks that end a sentence where white space or nothing follows them.
const SENTENCE_MARKS: [char; 6] = ['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}'];
const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];
const PREFIX_CHARS: [char; 5] = ['_', '.', '+', '-', '#'];
const MAX_PREFIX: usize = 40;

// For each cue, the phrases in `tools/cues.txt`. A `+` marks where a word begins or ends.
static ASKS_HOW: Entries = words!("cues", "asks_how");
static ASKS_WHY: Entries = words!("cues", "asks_why");
static ASKS_WHAT: Entries = words!("cues", "asks_what");
static ASKS_YES_NO_START: Entries = words!("cues", "asks_yes_no_start");
static ASKS_YES_NO_LAST: Entries = words!("cues", "asks_yes_no_last");
static QUESTION_MARKED: Entries = words!("cues", "question_marked");
static QUESTION_ENDINGS: Entries = words!("cues", "question_endings");
static OPENERS: Entries = words!("cues", "openers");
static EDIT_FIRST: Entries = words!("cues", "edit_first");
static CHORES: Entries = words!("cues", "chores");
static ASKS_FOR: Entries = words!("cues", "asks_for");
static ERROR: Entries = words!("cues", "error");
static CONTINUES: Entries = words!("cues", "continues");
static CONTINUES_START: Entries = words!("cues", "continues_start");
static CONTINUES_LAST: Entries = words!("cues", "continues_last");
static REFERS: Entries = words!("cues", "refers");
static CHAT: Entries = words!("cues", "chat");
static ASKS_PAST: Entries = words!("cues", "asks_past");
/// Words with weights. The weight says how strongly the word suggests that a prompt needs no memory.
static GENERAL_WORDS: Keyed = keyed_rows!("gate", "general_words");

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
    let text = join_words(prompt);
    let runs = Runs::of(&text);
    let has = |needles| runs.has(&text, needles);
    let asks_how = has(ASKS_HOW);
    let asks_why = has(ASKS_WHY);
    let asks_what = has(ASKS_WHAT);
    let has_mark = prompt.contains(QUESTION_MARKS);
    let held = [
        (Cue::AsksHow, asks_how),
        (Cue::AsksWhy, asks_why),
        (Cue::AsksWhat, asks_what),
        (
            Cue::AsksYesNo,
            begins(&text, ASKS_YES_NO_START)
                || (ends_as_question(&text, has_mark) && !(asks_how || asks_why || asks_what)),
        ),
        (Cue::Edit, begins(without_openers(&text), EDIT_FIRST) || asks_for_chore(&text)),
        (Cue::ToolPrefix, has_tool_prefix(prompt)),
        (Cue::Error, has(ERROR) || has_error_code(&text)),
        (Cue::Continues, has(CONTINUES) || begins(&text, CONTINUES_START) || ends(&text, CONTINUES_LAST)),
        (Cue::Refers, has(REFERS)),
        (Cue::Chat, words_of(&text).all(|word| is_listed(word, CHAT))),
        (Cue::AsksPast, has(ASKS_PAST)),
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
    let text = join_words(prompt);
    let mut seen = HashSet::new();
    let weight = |word: &str| GENERAL_WORDS.row(word).filter(|_| seen.insert(word.to_owned()))?.parse::<i64>().ok();
    (words_of(&text).count(), words_of(&text).filter_map(weight).sum(), prompt.contains(QUESTION_MARKS))
}

/// The number of places in a prompt where a sentence or a line ends (SPEC 28.1).
pub(crate) fn count_sentences(prompt: &str) -> usize {
    let prompt = beginning(prompt);
    let following = prompt.chars().skip(1).chain(['\n']);
    let is_end = |(char, after): &(char, char)| {
        !is_white_space(*char) && (*after == '\n' || (SENTENCE_MARKS.contains(char) && is_white_space(*after)))
    };
    prompt.chars().zip(following).filter(is_end).count()
}

/// The first [`MAX_CHARS`] characters of a prompt, which are read for cues.
fn beginning(prompt: &str) -> &str {
    prompt.char_indices().nth(MAX_CHARS).map_or(prompt, |(end, _)| prompt.get(..end).unwrap_or(prompt))
}

/// The runs of letters and digits of a text, in lower case, with a `+` before and after each run, as in the tables of
/// phrases. Runs of Hangul are separate words, and so are runs of Han and kana.
pub(crate) fn join_words(text: &str) -> String {
    let text = full_forms(text);
    let folded = fold(&text);
    let mut joined = String::with_capacity(folded.len() + 2);
    let (mut last, mut rest) = (Kind::Separator, &*folded);
    while let Some(char) = rest.chars().next() {
        // Nearly all runs are of ASCII letters.
        let letters = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (run, after) = rest.split_at(letters.max(char.len_utf8()));
        rest = after;
        if APOSTROPHES.contains(&char) {
            continue;
        }
        let kind = kind_of(char);
        if kind != Kind::Separator {
            if kind != last {
                joined.push('+');
            }
            joined.push_str(run);
        }
        last = kind;
    }
    joined.push('+');
    joined
}

/// Whether a text may have a secret, so that it is not stored (SPEC 38.1).
#[must_use]
pub fn may_have_secret(text: &str) -> bool {
    possible_secret::may_have_secret(text, &join_words(text))
}

/// The words of a text that [`join_words`] returned.
fn words_of(joined: &str) -> impl Iterator<Item = &str> {
    let mut begin = 1;
    memchr_iter(b'+', joined.as_bytes()).skip(1).map(move |end| {
        let word = joined.get(begin..end).unwrap_or_default();
        begin = end + 1;
        word
    })
}

/// The words of a text that [`join_words`] returned, last word first.
fn last_words(joined: &str) -> impl Iterator<Item = &str> {
    joined.rsplit('+').filter(|word| !word.is_empty())
}

fn kind_of(char: char) -> Kind {
    match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Kind::Letter,
        '\0'..='\x7f' => Kind::Separator,
        _ => classify(char),
    }
}

fn is_listed(word: &str, words: Entries) -> bool {
    words.iter().any(|listed| listed == word)
}

/// The runs of three bytes in a text, as bits at a hash of the run. A text that lacks a run of a needle cannot contain the
/// needle, which tells at once for most of some hundred needles.
struct Runs([u64; 64]);

impl Runs {
    fn of(text: &str) -> Self {
        let mut runs = Self([0; 64]);
        for (row, bit) in places_of(text) {
            if let Some(row) = runs.0.get_mut(row) {
                *row |= bit;
            }
        }
        runs
    }

    /// Whether the text, whose runs these are, contains one of the needles.
    fn has(&self, text: &str, needles: Entries) -> bool {
        let may_have =
            |needle: &str| places_of(needle).all(|(row, bit)| self.0.get(row).is_some_and(|row| row & bit != 0));
        needles.iter().any(|needle| may_have(needle) && text.contains(needle))
    }
}

/// The place of each run of three bytes in [`Runs`]: a row and a bit.
fn places_of(text: &str) -> impl Iterator<Item = (usize, u64)> {
    text.as_bytes().windows(3).filter_map(|run| match *run {
        [first, second, third] => Some((usize::from((first ^ second << 3) & 63), 1 << ((third ^ second >> 3) & 63))),
        _ => None,
    })
}

fn begins(text: &str, needles: Entries) -> bool {
    needles.iter().any(|needle| text.starts_with(needle))
}

fn ends(text: &str, needles: Entries) -> bool {
    needles.iter().any(|needle| text.ends_with(needle))
}

/// The text after the words with which a request often begins.
fn without_openers(joined: &str) -> &str {
    let mut text = joined;
    while let Some((word, rest)) = text.get(1..).and_then(|text| text.split_once('+')) {
        if !is_listed(word, OPENERS) {
            break;
        }
        text = text.get(text.len() - rest.len() - 1..).unwrap_or_default();
    }
    text
}

/// Whether the last words of a prompt have the form of a question. In Korean, the ending of the last word shows it.
fn ends_as_question(text: &str, has_mark: bool) -> bool {
    let last = last_words(text).next().unwrap_or_default();
    ends(text, ASKS_YES_NO_LAST)
        || (has_mark && ends(last, QUESTION_MARKED))
        || (ends(last, QUESTION_ENDINGS) && !is_listed(last, QUESTION_ENDINGS))
}

/// Whether a Korean prompt asks for an everyday task. The verb of the task is the last word, or the word before a word
/// that asks.
fn asks_for_chore(text: &str) -> bool {
    let is_hangul = |word: &&str| word.chars().next().is_some_and(|char| kind_of(char) == Kind::Hangul);
    let mut last = last_words(text).filter(is_hangul);
    let (second, first) = (last.next(), last.next());
    let tail = [first, second].into_iter().flatten().collect::<String>();
    ends(&tail, ASKS_FOR) && CHORES.iter().any(|chore| tail.contains(chore))
}

/// Whether a prompt begins with a name, an optional second word in lower case, a colon and white space.
fn has_tool_prefix(prompt: &str) -> bool {
    let Some((before, behind)) = strip_start(prompt).split_once(':') else { return false };
    if !behind.starts_with(is_white_space) || before.is_empty() || before.len() > MAX_PREFIX || !before.is_ascii() {
        return false;
    }
    let text = join_words(before);
    if ERROR.iter().any(|phrase| text.contains(phrase)) || has_error_code(&text) {
        return false;
    }
    let (name, second) = before.split_once(' ').unwrap_or((before, "a"));
    let is_name = |char: char| char.is_ascii_alphanumeric() || PREFIX_CHARS.contains(&char);
    let is_small = !second.is_empty() && second.bytes().all(|byte| byte.is_ascii_lowercase());
    !name.is_empty() && name.chars().all(is_name) && is_small
}

/// Whether a text has an HTTP error status.
fn has_error_code(text: &str) -> bool {
    words_of(text).any(|word| matches!(word.as_bytes(), [b'4' | b'5', b'0'..=b'9', b'0'..=b'9']))
}
