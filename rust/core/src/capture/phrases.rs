//! Recognizes requests to remember, handovers, apologies and empty answers (SPEC 56.7), by the phrases in
//! `capture_phrases.txt`, in a few languages.

use crate::rank::cues::join_words;
use crate::text::tables::{CAPTURE_PHRASES, Entries, words};

static REMEMBER: Entries = words!(CAPTURE_PHRASES, "remember");
static REMEMBER_ANYWHERE: Entries = words!(CAPTURE_PHRASES, "remember anywhere");
static HANDS_OVER: Entries = words!(CAPTURE_PHRASES, "hands_over");
static APOLOGY: Entries = words!(CAPTURE_PHRASES, "apology");
static NOTHING: Entries = words!(CAPTURE_PHRASES, "nothing");

/// The number of first characters of an agent's text that are searched for an apology.
const FIRST_CHARS: usize = 80;
const SENTENCE_ENDS: [char; 10] = ['.', '!', '?', ':', ';', '\n', ',', '\u{3002}', '\u{ff01}', '\u{ff0c}'];

/// Whether the user asks to remember something.
#[must_use]
pub fn says_remember(own_words: &str) -> bool {
    let said = own_words.split(SENTENCE_ENDS).map(join_words);
    said.into_iter().any(|sentence| {
        REMEMBER.iter().any(|phrase| sentence.starts_with(phrase))
            || REMEMBER_ANYWHERE.iter().any(|phrase| sentence.contains(phrase))
    })
}

/// Whether the user hands the work over, or stops for the day.
#[must_use]
pub fn says_handover(own_words: &str) -> bool {
    let text = join_words(own_words);
    HANDS_OVER.iter().any(|phrase| text.contains(phrase))
}

/// Whether an agent's message begins with an apology, or with the admission that the user is right.
#[must_use]
pub fn is_apology(text: &str) -> bool {
    let end = text.char_indices().nth(FIRST_CHARS).map_or(text.len(), |(end, _)| end);
    let begin = join_words(text.get(..end).unwrap_or_default());
    APOLOGY.iter().any(|phrase| begin.contains(phrase))
}

/// Whether an agent answers that there is nothing to save.
#[must_use]
pub fn says_nothing_to_save(text: &str) -> bool {
    let text = join_words(text);
    NOTHING.iter().any(|phrase| text.contains(phrase))
}
