//! Estimates how many tokens a model makes of a text, without a tokenizer (SPEC 31).

/// The weight of each count in [`token_counts`], in 1/64 of a token; fitted by `benches/tokens.py --tune`.
const WEIGHTS: [usize; COUNTS] = [65, 30, 11, 43, 83, 15, 60, 9, 36, 24, 105, 65, 80, 39, 150];
const COUNTS: usize = 15;

/// The estimated number of tokens of a text, which tends to be slightly too high; 0 for an empty text.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    let total: usize = WEIGHTS.iter().zip(token_counts(text)).map(|(weight, count)| weight * count).sum();
    (total + 32) / 64
}

/// The class of a character, judged by its first byte in UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Small,
    Capital,
    Digit,
    Sign,
    LineFeed,
    LetterBeyond,
    Symbol,
    Han,
    Hangul,
    Other,
}

impl Class {
    /// The class for the first byte of a character; `None` for a continuation byte.
    fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            b'a'..=b'z' => Self::Small,
            b'A'..=b'Z' => Self::Capital,
            b'0'..=b'9' => Self::Digit,
            b'\n' => Self::LineFeed,
            b'\t'..=b'\r' | b' ' => Self::Blank,
            0..0x80 => Self::Sign,
            0x80..0xc0 => return None,
            0xc3..0xe0 => Self::LetterBeyond,
            0xc0..0xc3 | 0xe2 => Self::Symbol,
            0xe3..0xea => Self::Han,
            0xea..0xee => Self::Hangul,
            _ => Self::Other,
        })
    }

    fn is_letter(self) -> bool {
        matches!(self, Self::Small | Self::Capital | Self::LetterBeyond)
    }
}

/// The counts that the estimate is computed from, in the order of `WEIGHTS` (SPEC 31.1).
fn token_counts(text: &str) -> [usize; COUNTS] {
    let (mut words, mut eights, mut capitals, mut humps) = (0, 0, 0, 0);
    let (mut numbers, mut digit_pairs, mut sign_runs, mut signs, mut line_feeds) = (0, 0, 0, 0, 0);
    let (mut letters_beyond, mut symbols, mut han, mut hangul, mut hangul_runs, mut others) = (0, 0, 0, 0, 0, 0);
    let (mut last, mut run) = (Class::Blank, 0_usize);
    for class in text.bytes().filter_map(Class::of) {
        let continues = class == last || class.is_letter() && last.is_letter();
        run = if continues { run + 1 } else { 1 };
        if class.is_letter() {
            words += usize::from(run == 1);
            eights += usize::from(run % 8 == 0);
        }
        match class {
            Class::Blank | Class::Small => {}
            Class::Capital => {
                capitals += 1;
                humps += usize::from(last == Class::Small);
            }
            Class::Digit => {
                numbers += usize::from(run == 1);
                digit_pairs += usize::from(run % 2 == 0);
            }
            Class::Sign => {
                sign_runs += usize::from(run == 1);
                signs += 1;
            }
            Class::LineFeed => line_feeds += 1,
            Class::LetterBeyond => letters_beyond += 1,
            Class::Symbol => symbols += 1,
            Class::Han => han += 1,
            Class::Hangul => {
                hangul_runs += usize::from(run == 1);
                hangul += 1;
            }
            Class::Other => others += 1,
        }
        last = class;
    }
    [
        words,
        eights,
        capitals,
        humps,
        numbers,
        digit_pairs,
        sign_runs,
        signs,
        line_feeds,
        letters_beyond,
        symbols,
        han,
        hangul,
        hangul_runs,
        others,
    ]
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn no_text_is_no_token_and_a_word_about_one() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("   "), 0);
        assert_eq!(estimate_tokens("word"), 1);
    }

    #[test]
    fn a_sentence_is_about_as_many_tokens_as_words_and_signs() {
        assert_eq!(estimate_tokens("The deploy job runs on every merge to main, in about 12 minutes."), 16);
    }
}
