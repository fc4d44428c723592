//! Forms of a text in which disguised secrets can be found: plain letters, long words (SPEC 55.3).

use crate::text::letters::{Kind, classify};
use std::cell::OnceCell;

/// The characters that separate words. [`plain_letters`] has already replaced wide blanks with plain blanks.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A text that is indexed by characters.
pub(super) struct Reading {
    text: String,
    /// The characters of the text.
    pub(super) chars: Vec<char>,
    /// The byte offset of each character, then the end of the text; empty for an ASCII text.
    bytes: Vec<usize>,
    folded: OnceCell<String>,
}

impl Reading {
    /// Indexes a text without changing it.
    pub(super) fn of(text: String) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let bytes = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect()
        };
        Self { text, chars, bytes, folded: OnceCell::new() }
    }

    /// Indexes a text with a line end added at both ends; rules are searched in this form.
    pub(super) fn between_lines(text: &str) -> Self {
        Self::of(["\n", text, "\n"].concat())
    }

    /// The whole text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The whole text, with A to Z as a to z.
    pub(super) fn folded(&self) -> &str {
        self.folded.get_or_init(|| self.text.to_ascii_lowercase())
    }

    /// The number of characters.
    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// The text between two places; empty if `start` is after `end`.
    pub(super) fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(self.byte_of(start)..self.byte_of(end)).unwrap_or_default()
    }

    /// The text between two places, with A to Z as a to z.
    pub(super) fn folded_slice(&self, start: usize, end: usize) -> &str {
        self.folded().get(self.byte_of(start)..self.byte_of(end)).unwrap_or_default()
    }

    /// The character before a place; `None` at the beginning.
    pub(super) fn char_before(&self, place: usize) -> Option<char> {
        self.chars.get(place.checked_sub(1)?).copied()
    }

    /// The place of the character at a byte offset.
    pub(super) fn place_of(&self, byte: usize) -> usize {
        if self.bytes.is_empty() { byte } else { self.bytes.partition_point(|start| *start < byte) }
    }

    fn byte_of(&self, place: usize) -> usize {
        if self.bytes.is_empty() {
            place.min(self.text.len())
        } else {
            self.bytes.get(place).copied().unwrap_or(self.text.len())
        }
    }

    /// Every place where a literal begins, in order.
    pub(super) fn places_of(&self, literal: &str, is_folded: bool) -> Vec<usize> {
        let text = if is_folded { self.folded() } else { self.text() };
        let finder = memchr::memmem::Finder::new(literal);
        let mut places = Vec::new();
        let mut byte = 0;
        while let Some(found) = text.as_bytes().get(byte..).and_then(|rest| finder.find(rest)) {
            places.push(self.place_of(byte + found));
            byte += found + 1;
        }
        places
    }
}

/// The text with full-width and mathematical letters and digits replaced by ASCII, wide blanks by plain blanks, and the
/// escapes `\n`, `\r` and `\t` by two line ends each. The number of characters stays the same.
pub(super) fn plain_letters(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_second = false;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if is_second {
            is_second = false;
            plain.push('\n');
            continue;
        }
        match plain_letter(char) {
            '\\' if chars.peek().is_some_and(|next| matches!(plain_letter(*next), 'n' | 'r' | 't')) => {
                is_second = true;
                plain.push('\n');
            }
            char => plain.push(char),
        }
    }
    plain
}

fn plain_letter(char: char) -> char {
    const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let point = u32::from(char);
    let ascii = |point: u32| char::from_u32(point).unwrap_or(char);
    match point {
        0xff01..=0xff5e => ascii(point - 0xfee0),
        // These are thirteen alphabets of bold, italic and other letters.
        0x1d400..=0x1d6a3 => {
            LETTERS.get(usize::try_from((point - 0x1d400) % 52).unwrap_or(0)).map_or(char, |letter| char::from(*letter))
        }
        // These are five rows of digits.
        0x1d7ce..=0x1d7ff => ascii(u32::from(b'0') + (point - 0x1d7ce) % 10),
        0xa0 | 0x2007 | 0x202f | 0x3000 => ' ',
        _ => char,
    }
}

/// Whether a character is a letter: A to Z, a to z, or a character beyond ASCII that words consist of (SPEC 19.1).
pub(super) fn is_letter(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphabetic() } else { classify(char) != Kind::Separator }
}

/// Whether a character is a letter, or 0 to 9.
pub(super) fn is_letter_or_digit(char: char) -> bool {
    char.is_ascii_digit() || is_letter(char)
}

/// Returns the first `limit` characters of a text.
pub(super) fn head(text: &str, limit: usize) -> &str {
    crate::text::chars::cut(text, limit)
}

/// The least length of a long word: without a name before a token, rules find only tokens of at least this length.
const LONG_CHARS: usize = 16;

/// The long words of a text, one per line. Ordinary text has few, so searching them many times costs little.
pub(super) struct LongWords {
    /// A text of a line end, and then each long word with a line end after it: `\nWORD\nWORD\n`.
    pub(super) reading: Reading,
    /// For each long word, the place in `reading` where it begins; `starts` has the place in the text where it begins.
    places: Vec<usize>,
    starts: Vec<usize>,
}

impl LongWords {
    pub(super) fn new(text: &Reading) -> Self {
        let mut words = String::from("\n");
        let (mut places, mut starts) = (Vec::new(), Vec::new());
        let mut size = 1;
        let mut start = 0;
        for (place, char) in text.chars.iter().chain([&'\n']).enumerate() {
            if BLANKS.contains(char) {
                if place - start >= LONG_CHARS {
                    words.push_str(text.slice(start, place));
                    words.push('\n');
                    places.push(size);
                    starts.push(start);
                    size += place - start + 1;
                }
                start = place + 1;
            }
        }
        Self { reading: Reading::of(words), places, starts }
    }

    /// The number that is added to a place in `reading` to get the place in the text.
    pub(super) fn shift(&self, place: usize) -> usize {
        let number = self.places.partition_point(|start| *start <= place).saturating_sub(1);
        match (self.starts.get(number), self.places.get(number)) {
            (Some(start), Some(place)) => start - place,
            _ => 0,
        }
    }

    /// Converts a place in the text to a place in `reading`; between two long words, this is the line end between them.
    pub(super) fn place_of(&self, position: usize) -> usize {
        let Some(number) = self.starts.partition_point(|start| *start <= position).checked_sub(1) else { return 0 };
        let (Some(start), Some(place)) = (self.starts.get(number), self.places.get(number)) else { return 0 };
        let end = self.places.get(number + 1).map_or(self.reading.len(), |next| next - 1);
        (place + position - start).min(end)
    }
}
