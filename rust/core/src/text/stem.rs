//! Stems English words, so that inflected and derived forms share a stem (SPEC 19.3).

/// The stem of a word of at least four lower-case ASCII letters; any other text is returned unchanged.
#[must_use]
pub fn stem(word: &str) -> String {
    let mut word = word.to_owned();
    stem_in_place(&mut word);
    word
}

/// Replaces a word by its stem; see [`stem`].
pub(crate) fn stem_in_place(word: &mut String) {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        stem_letters(word);
    }
}

/// Like [`stem_in_place`], for a word that is known to consist of lower-case ASCII letters.
pub(crate) fn stem_letters(word: &mut String) {
    if word.len() < 4 {
        return;
    }
    cut_plural(word);
    cut_inflection(word);
    if word.len() > 6 && word.ends_with("ly") {
        cut(word, 2);
    }
    cut_derivation(word);
    if word.len() > 6 && word.ends_with("at") {
        cut(word, 2);
    }
    if word.len() > 7 && word.ends_with("ment") {
        cut(word, 4);
        if word.ends_with('e') {
            cut(word, 1);
        }
    }
    match *word.as_bytes() {
        [_, _, .., before, _] if is_vowel(before) => {}
        [_, _, .., b'y'] if word.len() > 3 => {
            cut(word, 1);
            word.push('i');
        }
        [_, _, .., before, last] if before == last => cut(word, 1),
        _ => {}
    }
}

fn cut_plural(word: &mut String) {
    match word.as_bytes() {
        [.., b's' | b'u' | b'i', b's'] => {}
        [_, _, .., b'i', b'e', b's'] => {
            cut(word, 3);
            word.push('y');
        }
        [.., b's', b's', b'e', b's']
        | [.., b'x', b'e', b's']
        | [.., b'c' | b's', b'h', b'e', b's']
        | [.., b'z', b'z', b'e', b's'] => cut(word, 2),
        [.., b's'] => cut(word, 1),
        _ => {}
    }
}

fn cut_inflection(word: &mut String) {
    match word.as_bytes() {
        [.., b'e', b'e', b'd'] => {}
        [rest @ .., b'e', b'd'] if rest.len() > 2 && has_vowel(rest) => cut(word, 2),
        [rest @ .., b'i', b'n', b'g'] if rest.len() > 2 && has_vowel(rest) => cut(word, 3),
        _ => {}
    }
}

fn cut_derivation(word: &mut String) {
    match word.as_bytes() {
        [_, _, .., b's' | b't', b'i', b'o', b'n'] => cut(word, 3),
        [_, _, _, _, .., b'e', b'r'] | [_, _, _, .., b'a', b't', b'o', b'r'] => cut(word, 2),
        [_, _, _, .., b'e'] => cut(word, 1),
        _ => {}
    }
}

fn cut(word: &mut String, letters: usize) {
    word.truncate(word.len() - letters);
}

fn has_vowel(letters: &[u8]) -> bool {
    letters.iter().any(|letter| is_vowel(*letter))
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for (forms, expected) in [
            ("deploy deploys deployed deploying deployment deployments", "deploy"),
            ("query queries querying queried", "queri"),
            ("configure configured configuration configuring", "configur"),
            ("add adds added adding", "add"),
            ("log logs logged logging logger", "log"),
        ] {
            for form in forms.split(' ') {
                assert_eq!(stem(form), expected, "{form}");
            }
        }
    }
}
