//! Decides whether a prompt is substantial: whether it says enough to count (SPEC 56.6).

use crate::rank::cues::{Cue, find_cues};
use crate::text::chars::is_white_space;
use crate::text::letters::{Kind, classify};

const MIN_WORDS: usize = 5;
const MIN_SIGNS: usize = 6;
/// The first and last code points of Thai and Lao, of Burmese, and of Khmer: scripts without blanks between words.
const WITHOUT_BLANKS: [(char, char); 3] = [('\u{e00}', '\u{eff}'), ('\u{1000}', '\u{109f}'), ('\u{1780}', '\u{17ff}')];

/// Whether the user typed at least five words, or six characters of a script without blanks, and more than a courtesy
/// such as "thank you".
#[must_use]
pub fn is_substantial(own_words: &str) -> bool {
    let words = own_words.split(is_white_space).filter(|word| word.chars().any(is_of_word)).count();
    let signs = own_words.chars().filter(|char| is_without_blanks(*char)).count();
    (words >= MIN_WORDS || signs >= MIN_SIGNS) && !find_cues(own_words).contains(&Cue::Chat)
}

fn is_of_word(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphanumeric() } else { classify(char) != Kind::Separator }
}

fn is_without_blanks(char: char) -> bool {
    let is_listed = || WITHOUT_BLANKS.iter().any(|(first, last)| (*first..=*last).contains(&char));
    !char.is_ascii() && (classify(char) == Kind::Ideographs || is_listed())
}
