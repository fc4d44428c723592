//! Tells of a typed prompt whether it counts for the ledger of its session, and whether it may be a wish to remember
//! something (SPEC 30.5).

use crate::rank::cues::{Cue, find_cues, join_words};
use crate::tables::{Entries, words};
use crate::text::chars::is_white_space;
use crate::text::letters::{Kind, classify};

static REMEMBER: Entries = words!("capture_phrases", "remember");
static REMEMBER_PLACE: Entries = words!("capture_phrases", "remember place");
static REMEMBER_ANYWHERE: Entries = words!("capture_phrases", "remember anywhere");

const MIN_WORDS: usize = 5;
const MIN_SIGNS: usize = 6;
/// These numbers of words and letters are enough too: some languages say in three words what takes six in English.
const MIN_LONG_WORDS: usize = 3;
const MIN_LETTERS: usize = 22;

/// Whether a prompt has at least five words, three long ones, or six characters of a script without blanks, and is more
/// than a courtesy such as "thank you".
#[must_use]
pub fn is_substantial(prompt: &str) -> bool {
    let words = prompt.split(is_white_space).filter(|word| word.chars().any(is_of_word)).take(MIN_WORDS).count();
    let signs = || prompt.chars().filter(|char| is_without_blanks(*char)).take(MIN_SIGNS).count();
    let is_enough = words == MIN_WORDS || (words >= MIN_LONG_WORDS && has_many_letters(prompt)) || signs() == MIN_SIGNS;
    is_enough && !find_cues(prompt).contains(&Cue::Chat)
}

/// Whether a prompt has a verb with which users ask to remember something, at any place. This is an upper bound of the
/// grammar that Python applies when the agent stops.
#[must_use]
pub fn may_say_remember(prompt: &str) -> bool {
    let text = join_words(prompt);
    [&REMEMBER, &REMEMBER_PLACE, &REMEMBER_ANYWHERE]
        .into_iter()
        .flat_map(Entries::iter)
        .any(|phrase| text.contains(phrase))
}

/// Whether the letters of a prompt are many. A syllable of Hangul counts as two.
fn has_many_letters(prompt: &str) -> bool {
    let weight = |char: char| match (char.is_ascii(), classify(char)) {
        (true, _) => usize::from(char.is_ascii_alphabetic()),
        (false, Kind::Separator) => 0,
        (false, Kind::Hangul) => 2,
        (false, _) => 1,
    };
    prompt
        .chars()
        .scan(0, |sum, char| {
            *sum += weight(char);
            Some(*sum)
        })
        .any(|sum| sum >= MIN_LETTERS)
}

fn is_of_word(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphanumeric() } else { classify(char) != Kind::Separator }
}

fn is_without_blanks(char: char) -> bool {
    !char.is_ascii() && matches!(classify(char), Kind::Ideographs | Kind::Unspaced)
}
