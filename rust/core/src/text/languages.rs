//! The language of a text other than English, by its function words (SPEC 19.8).

use crate::text::letters::Kind;
use crate::text::tables::{Entries, LANGUAGES, rows};
use crate::text::term_words::is_stop_word;
use crate::text::terms::{for_each_chunk, lower_ascii};
use std::collections::{BTreeMap, BTreeSet};

/// Each function word with its languages, sorted.
static FUNCTION_WORDS: Entries = rows!(LANGUAGES, "function_words").sorted();

/// Fewer function words may be names or a quotation.
const MIN_WORDS: usize = 2;

/// The function words of a text, in lower case, of the language that it is in; none of English.
///
/// That language has the most of these words, two at least, and more of them than there are stop words. Of languages
/// that have equally many the first one is taken, by name.
#[must_use]
pub fn function_words(text: &str) -> BTreeSet<String> {
    let mut of_language: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut stop_words = BTreeSet::new();
    for_each_chunk(text, &mut |kind, chunk| {
        if kind != Kind::Letter {
            return;
        }
        let word = lower_ascii(chunk);
        for language in FUNCTION_WORDS.row(&word).unwrap_or_default().split_terminator(' ') {
            of_language.entry(language).or_default().insert(word.clone());
        }
        if is_stop_word(&word) {
            stop_words.insert(word);
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
