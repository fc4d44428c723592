//! Splits identifiers of code: `camelCase`, `snake_case`, kebab-case, dots, versions, error codes (SPEC 19.2).

use std::ops::Range;

/// The characters that join the words of an identifier.
pub(crate) const JOINERS: [char; 3] = ['-', '.', '_'];

/// Splits a chunk; returns the whole (without joiners) and its parts, in lower case. A plain word has no parts, and a
/// single letter is not a part.
///
/// A chunk consists of letters, digits and joiners, without joiners at its ends. Letters beyond ASCII must be in lower
/// case already.
#[must_use]
pub fn split_identifier(chunk: &str) -> (String, Vec<String>) {
    let mut identifier = Identifier::default();
    identifier.split(chunk);
    (identifier.whole.clone(), identifier.parts().map(str::to_owned).collect())
}

/// A split chunk; one value is reused for many chunks.
#[derive(Debug, Default)]
pub(crate) struct Identifier {
    whole: String,
    // Both lists contain ranges of `whole`, because all pieces and parts are slices of it.
    pieces: Vec<Range<usize>>,
    parts: Vec<Range<usize>>,
}

impl Identifier {
    /// The whole chunk in lower case, without joiners; a version keeps its dots.
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    /// The parts of the chunk, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|place| self.whole.get(place.clone()).unwrap_or_default())
    }

    /// Splits a chunk.
    pub(crate) fn split(&mut self, chunk: &str) {
        self.whole.clear();
        self.pieces.clear();
        self.parts.clear();
        if is_word(chunk) {
            self.push_lower(chunk);
        } else if let Some(version) = version(chunk) {
            self.whole.push_str(version);
            self.parts.extend(version.match_indices('.').map(|(place, _)| 0..place));
        } else {
            for piece in chunk.split(JOINERS).filter(|piece| !piece.is_empty()) {
                self.split_camel(piece);
            }
            self.find_parts();
        }
    }

    /// Adds the pieces of a text without joiners, which is split at its capitals; of `APIs`, the plural s is dropped.
    fn split_camel(&mut self, piece: &str) {
        let piece = match piece.as_bytes() {
            [.., before, last, b's'] if before.is_ascii_uppercase() && last.is_ascii_uppercase() => {
                piece.strip_suffix('s').unwrap_or(piece)
            }
            _ => piece,
        };
        let first = self.whole.len();
        let mut begin = first;
        for (place, window) in piece.as_bytes().windows(2).enumerate() {
            let after = piece.as_bytes().get(place + 2).copied().unwrap_or_default();
            if let [before, capital] = window {
                let is_edge = before.is_ascii_lowercase() || after.is_ascii_lowercase();
                if capital.is_ascii_uppercase() && is_edge {
                    self.pieces.push(begin..first + place + 1);
                    begin = first + place + 1;
                }
            }
        }
        self.push_lower(piece);
        self.pieces.push(begin..self.whole.len());
    }

    /// Makes the parts from the pieces. A piece of letters and digits is also split between letters and digits. If the
    /// only part equals the whole, there are no parts.
    fn find_parts(&mut self) {
        for piece in &self.pieces {
            let text = self.whole.get(piece.clone()).unwrap_or_default();
            let is_joined = self.pieces.len() > 1;
            if has_name_and_number(text) {
                let runs = digit_runs(text.as_bytes()).filter(|(run, is_number)| {
                    let characters = text.get(run.clone()).unwrap_or_default().chars().count();
                    characters > if *is_number { 1 } else { 2 }
                });
                self.parts.extend(runs.map(|(run, _)| piece.start + run.start..piece.start + run.end));
                if !is_joined {
                    continue;
                }
            }
            if is_long_enough(text) {
                self.parts.push(piece.clone());
            }
        }
        if matches!(self.parts.as_slice(), [only] if only.len() == self.whole.len()) {
            self.parts.clear();
        }
    }

    fn push_lower(&mut self, text: &str) {
        let begin = self.whole.len();
        self.whole.push_str(text);
        if let Some(added) = self.whole.get_mut(begin..) {
            added.make_ascii_lowercase();
        }
    }
}

/// Whether a chunk consists of ASCII letters, with a capital only at its beginning.
pub(crate) fn is_word(chunk: &str) -> bool {
    match chunk.as_bytes() {
        [first, rest @ ..] => first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_lowercase),
        [] => false,
    }
}

/// The digits and dots of a version, without a leading `v`; `None` if the chunk is not a version.
fn version(chunk: &str) -> Option<&str> {
    let number = chunk.strip_prefix(['v', 'V']).unwrap_or(chunk);
    let is_number = |run: &str| !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit());
    number.split('.').all(is_number).then_some(number)
}

/// Whether a piece has digits and at least three other characters in a row.
fn has_name_and_number(piece: &str) -> bool {
    if !piece.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let mut runs = piece.split(|char: char| char.is_ascii_digit());
    !piece.bytes().all(|byte| byte.is_ascii_digit()) && runs.any(|run| run.chars().nth(2).is_some())
}

/// The runs of digits and of other characters, in order, each with a flag that is true for digits.
fn digit_runs(piece: &[u8]) -> impl Iterator<Item = (Range<usize>, bool)> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let begin = end;
        let is_number = piece.get(begin)?.is_ascii_digit();
        end += piece.iter().skip(begin).take_while(|byte| byte.is_ascii_digit() == is_number).count();
        Some((begin..end, is_number))
    })
}

/// Whether a piece can be a part: it has at least two characters, or is a digit.
fn is_long_enough(piece: &str) -> bool {
    piece.chars().nth(1).is_some() || piece.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_whole_and_gives_its_parts() {
        for (chunk, expected) in [
            ("getUserName", "getusername get user name"),
            ("ERR_MODULE_NOT_FOUND", "errmodulenotfound err module not found"),
            ("HTTPServer", "httpserver http server"),
            ("E0308", "e0308"),
            ("v5-0220", "v50220 v5 0220"),
            ("v6.0.1", "6.0.1 6 6.0"),
            ("APIs", "api"),
            ("e-mail", "email mail"),
            ("python3", "python3 python"),
            ("sha256sum", "sha256sum sha 256 sum"),
            ("Word", "word"),
        ] {
            let (whole, parts) = split_identifier(chunk);
            let found: Vec<_> = std::iter::once(whole).chain(parts).collect();
            assert_eq!(found.join(" "), expected, "{chunk}");
        }
    }
}
