//! Text to tokens: the plain tokenizer in both revisions (SPEC 4).

use crate::error::Error;

/// What a prompt may cost is bounded: tokens beyond this many are left out.
pub const MAX_PROMPT_TOKENS: usize = 4096;

/// `as am us vs` are shorter than the classic revision's tokens, so that one knows 87 of the 91.
const STOP_WORDS: [&str; 91] = [
    "a", "about", "also", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could",
    "did", "do", "does", "else", "for", "from", "get", "go", "had", "has", "have", "he", "help", "how", "i", "if",
    "in", "into", "is", "it", "just", "know", "let", "like", "make", "may", "me", "might", "must", "my", "need", "no",
    "not", "of", "on", "or", "out", "please", "see", "shall", "she", "should", "so", "that", "the", "then", "these",
    "they", "think", "this", "those", "to", "too", "up", "us", "use", "very", "vs", "want", "was", "we", "were",
    "what", "when", "where", "which", "who", "whom", "why", "will", "with", "would", "yes", "you", "your",
];

/// Which form of the keyword rules: tokenizer and scorer go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// Seed 003: tokens of two characters and more, prefixes both ways, descriptions rounded half up and
    /// only beside another match.
    Current,
    /// Seeds 000 and 002: tokens of three and more, forward prefixes, descriptions truncated, always added.
    Classic,
}

impl Revision {
    const NAMES: &'static [&'static str] = &["current", "classic"];

    /// The revision of that name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "current" => Ok(Self::Current),
            "classic" => Ok(Self::Classic),
            _ => Err(Error::UnknownName { kind: "revision", name: name.into(), known: Self::NAMES }),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Classic => "classic",
        }
    }

    /// The shortest token that this revision keeps, in characters.
    #[must_use]
    pub fn minimum_length(self) -> usize {
        match self {
            Self::Current => 2,
            Self::Classic => 3,
        }
    }
}

/// The distinct tokens of a text, in the order of their first appearance.
#[must_use]
pub fn tokenize(text: &str, revision: Revision) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for_each_token(text, revision, &mut |token| {
        if seen.insert(token.to_owned()) {
            tokens.push(token.to_owned());
        }
    });
    tokens
}

/// The tokens of a prompt, at most [`MAX_PROMPT_TOKENS`].
#[must_use]
pub fn prompt_tokens(prompt: &str, revision: Revision) -> Vec<String> {
    let mut tokens = tokenize(prompt, revision);
    tokens.truncate(MAX_PROMPT_TOKENS);
    tokens
}

/// Calls `keep` with every token of a text, repeated ones too.
pub(crate) fn for_each_token(text: &str, revision: Revision, keep: &mut impl FnMut(&str)) {
    push_tokens(text, revision, &mut String::with_capacity(text.len()), &mut |token, _| keep(token));
}

/// Appends every token of a text, repeated ones too, to `tokens`; `ended` hears each and where it ends.
pub(crate) fn push_tokens(text: &str, revision: Revision, tokens: &mut String, ended: &mut impl FnMut(&str, usize)) {
    let shortest = revision.minimum_length();
    let mut begin = tokens.len();
    let mut end_token = |tokens: &mut String, begin: &mut usize| {
        let token = tokens.get(*begin..).unwrap_or_default();
        if token.len() < shortest || is_stop_word(token.as_bytes()) {
            tokens.truncate(*begin);
        } else {
            ended(token, tokens.len());
            *begin = tokens.len();
        }
    };
    if text.contains(LOWER_TO_ASCII) {
        for char in text.chars() {
            match char {
                'a'..='z' | 'A'..='Z' | '0'..='9' => tokens.push(char.to_ascii_lowercase()),
                '\u{212a}' => tokens.push('k'),
                '\u{130}' => {
                    tokens.push('i');
                    end_token(tokens, &mut begin);
                }
                _ => end_token(tokens, &mut begin),
            }
        }
        end_token(tokens, &mut begin);
        return;
    }
    // Without those two every byte beyond ASCII separates, and a token is a run of bytes.
    for run in text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
        tokens.push_str(run);
        if let Some(token) = tokens.get_mut(begin..) {
            token.make_ascii_lowercase();
        }
        end_token(tokens, &mut begin);
    }
}

/// The Kelvin sign and the dotted capital I: the only characters beyond ASCII whose lower case holds an ASCII letter.
const LOWER_TO_ASCII: [char; 2] = ['\u{212a}', '\u{130}'];

/// All stop words fit into eight bytes: as numbers they are compared at once.
const STOP_WORD_SLOTS: [u64; 256] = {
    let mut slots = [0; 256];
    let mut number = 0;
    while number < STOP_WORDS.len() {
        let packed = pack(STOP_WORDS[number].as_bytes());
        let mut slot = slot_of(packed);
        while slots[slot] != 0 {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = packed;
        number += 1;
    }
    slots
};

fn is_stop_word(token: &[u8]) -> bool {
    if token.len() > 8 {
        return false;
    }
    let packed = pack(token);
    let mut slot = slot_of(packed);
    loop {
        match STOP_WORD_SLOTS.get(slot) {
            Some(0) | None => return false,
            Some(word) if *word == packed => return true,
            Some(_) => slot = (slot + 1) % STOP_WORD_SLOTS.len(),
        }
    }
}

const fn pack(word: &[u8]) -> u64 {
    let mut packed = 0;
    let mut place = 0;
    while place < word.len() {
        packed = packed << 8 | word[place] as u64;
        place += 1;
    }
    packed
}

const fn slot_of(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_word_is_found() {
        for word in STOP_WORDS {
            assert!(is_stop_word(word.as_bytes()), "{word}");
            assert!(!is_stop_word(format!("{word}x").as_bytes()), "{word}");
        }
        assert_eq!(STOP_WORDS.iter().filter(|word| ["as", "am", "us", "vs"].contains(word)).count(), 4);
    }

    #[test]
    fn tokens_come_once_in_the_order_of_the_text() {
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Current), ["docker", "ci", "k8s"]);
        assert_eq!(tokenize("Docker, the docker CI; k8s", Revision::Classic), ["docker", "k8s"]);
    }
}
