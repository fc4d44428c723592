//! Synonyms and abbreviations, which are applied to queries and not to documents (SPEC 19.6).

use crate::tables::{Keyed, keyed_rows};
use crate::text::hangul::strip_ending;
use crate::text::letters::Kind;
use crate::text::terms::{WordTerms, for_each_chunk, lower_ascii};
use foldhash::{HashMap, HashMapExt};

const MAX_GROUPS: usize = 1024;
const MAX_GROUP_WORDS: usize = 32;

/// For each term or joined phrase, its synonyms: terms, and phrases joined by `+`.
pub(crate) static SAME: Keyed = keyed_rows!("synonyms", "same");
/// For each term, terms with a related meaning.
pub(crate) static NEAR: Keyed = keyed_rows!("synonyms", "near");

/// Maps each word of a project's synonym groups to the other words of its groups. Only the first 1,024 groups and the
/// first 32 words of each group count.
pub(crate) fn read_synonyms<T: AsRef<str>>(synonyms: &[Vec<T>]) -> HashMap<String, Vec<String>> {
    let mut others: HashMap<String, Vec<String>> = HashMap::new();
    for words in synonyms.iter().take(MAX_GROUPS) {
        let members = group_members(words);
        for key in members.iter().map(|member| member.replace('+', "")) {
            let known = others.entry(key.clone()).or_default();
            for member in &members {
                if member.replace('+', "") != key && !known.contains(member) {
                    known.push(member.clone());
                }
            }
        }
    }
    others.retain(|_, members| !members.is_empty());
    others
}

/// The words of a group as terms, without duplicates; a phrase gives its terms joined by `+` and the term of the phrase
/// written as one word.
fn group_members<T: AsRef<str>>(words: &[T]) -> Vec<String> {
    let mut members: Vec<String> = Vec::new();
    let mut word_terms = WordTerms::default();
    for word in words.iter().take(MAX_GROUP_WORDS) {
        let (mut terms, mut joined, mut kind) = (Vec::new(), String::new(), Kind::Separator);
        for_each_chunk(word.as_ref(), &mut |chunk_kind, chunk| {
            if terms.is_empty() {
                kind = chunk_kind;
            }
            terms.push(key_of(&mut word_terms, chunk_kind, chunk));
            joined.push_str(chunk);
        });
        let mut found = vec![terms.join("+")];
        if terms.len() > 1 {
            found.push(key_of(&mut word_terms, kind, &joined));
        }
        for member in found.into_iter().filter(|member| !member.is_empty()) {
            if !members.contains(&member) {
                members.push(member);
            }
        }
    }
    members
}

/// The key of a chunk in a group: its term, or the chunk in lower case if it has no term.
fn key_of(word_terms: &mut WordTerms, kind: Kind, chunk: &str) -> String {
    match kind {
        Kind::Hangul => strip_ending(chunk).to_owned(),
        _ => word_terms.whole(chunk).map_or_else(|| lower_ascii(chunk), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_by_its_term() {
        assert!(SAME.row("db").is_some_and(|others| others.split(' ').any(|term| term == "databas")));
        assert_eq!(SAME.row("unheard"), None);
        for table in [SAME, NEAR] {
            assert!(
                table.iter().all(|row| row.split_once(' ').is_some_and(|(key, others)| table.row(key) == Some(others)))
            );
        }
    }

    #[test]
    fn a_group_leads_from_each_word_to_the_others() {
        let others = read_synonyms(&[vec!["HPO", "human performance", "people-ops"]]);
        assert_eq!(others["hpo"], ["human+performanc", "humanperformanc", "peopleop"]);
        assert_eq!(others["humanperformanc"], ["hpo", "peopleop"]);
    }
}
