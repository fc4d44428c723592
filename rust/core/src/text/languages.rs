//! Detects the language of a text from its function words, unless it is English (SPEC 19.8).

use crate::tables::{Keyed, keyed_rows};
use crate::text::letters::Kind;
use crate::text::term_words::is_stop_word;
use crate::text::terms::for_each_chunk;
use std::collections::{BTreeMap, BTreeSet};

/// Each function word with its languages.
static FUNCTION_WORDS: Keyed = keyed_rows!("languages", "function_words");

/// The least number of function words that tell a language; fewer may be names or a quotation.
const MIN_WORDS: usize = 2;

/// The function words of the text's language that occur in the text, in lower case; empty if the text is English or its
/// language is unknown.
///
/// The text's language has the most function words in the text: at least two, and more than the text has English stop
/// words. If several languages have the most, the first in alphabetical order is taken.
#[must_use]
pub fn function_words(text: &str) -> BTreeSet<String> {
    let mut of_language: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut stop_words = BTreeSet::new();
    let mut word = String::new();
    for_each_chunk(text, &mut |kind, chunk| {
        if kind != Kind::Letter {
            return;
        }
        word.clear();
        word.push_str(chunk);
        if chunk.is_ascii() {
            word.make_ascii_lowercase();
        }
        for language in FUNCTION_WORDS.row(&word).unwrap_or_default().split_terminator(' ') {
            of_language.entry(language).or_default().insert(word.clone());
        }
        if is_stop_word(&word) {
            stop_words.insert(word.clone());
        }
    });
    let most = of_language.values().map(BTreeSet::len).max().unwrap_or_default();
    if most < MIN_WORDS || most <= stop_words.len() {
        return BTreeSet::new();
    }
    of_language.into_values().find(|found| found.len() == most).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_function_words_of_its_language() {
        let found = |text: &str| function_words(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(found("Wie lange läuft der Token?"), "der wie");
        assert_eq!(found("the man in the van met Ada"), "");
        assert_eq!(found("¿cuánto dura el token?"), "cuanto el");
        assert_eq!(found("token"), "");
    }
}
