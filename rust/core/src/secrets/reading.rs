//! Readings of a text in which a hidden secret is seen: plain letters, long words (SPEC 55.3).

use crate::text::letters::{Kind, classify};
use std::cell::OnceCell;

/// What parts words here; wide blanks were made plain ones before.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A text whose places are numbers of characters.
pub(super) struct Reading {
    text: String,
    /// Its characters.
    pub(super) chars: Vec<char>,
    /// The byte where each character begins, and the end; nothing for a text of ASCII.
    bytes: Vec<usize>,
    folded: OnceCell<String>,
}

impl Reading {
    /// A text as it is.
    pub(super) fn of(text: String) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let bytes = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect()
        };
        Self { text, chars, bytes, folded: OnceCell::new() }
    }

    /// A text between two line ends, as the rules are searched for.
    pub(super) fn between_lines(text: &str) -> Self {
        Self::of(["\n", text, "\n"].concat())
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// All of it, with A to Z as a to z.
    pub(super) fn folded(&self) -> &str {
        self.folded.get_or_init(|| self.text.to_ascii_lowercase())
    }

    /// How many characters it has.
    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// The text between two places.
    pub(super) fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(self.byte_of(start)..self.byte_of(end)).unwrap_or_default()
    }

    /// The same, with A to Z as a to z.
    pub(super) fn folded_slice(&self, start: usize, end: usize) -> &str {
        self.folded().get(self.byte_of(start)..self.byte_of(end)).unwrap_or_default()
    }

    /// The character before a place.
    pub(super) fn char_before(&self, place: usize) -> Option<char> {
        self.chars.get(place.checked_sub(1)?).copied()
    }

    /// The place of the character that begins at a byte.
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

    /// Every place where a literal stands, in order.
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

/// The text with full-width and mathematical letters and digits as ASCII, wide blanks as a blank, and `\n`, `\r`, `\t` of
/// a string of code as two line ends. Every character stays one character.
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
        // Thirteen alphabets of bold, italic and other letters.
        0x1d400..=0x1d6a3 => {
            LETTERS.get(usize::try_from((point - 0x1d400) % 52).unwrap_or(0)).map_or(char, |letter| char::from(*letter))
        }
        // Five rows of digits.
        0x1d7ce..=0x1d7ff => ascii(u32::from(b'0') + (point - 0x1d7ce) % 10),
        0xa0 | 0x2007 | 0x202f | 0x3000 => ' ',
        _ => char,
    }
}

/// Whether a character is A to Z, a to z, or beyond ASCII a part of words (SPEC 19.1).
pub(super) fn is_letter(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_alphabetic() } else { classify(char) != Kind::Separator }
}

/// Whether a character is a letter, or 0 to 9.
pub(super) fn is_letter_or_digit(char: char) -> bool {
    char.is_ascii_digit() || is_letter(char)
}

/// The first characters of a text.
pub(super) fn head(text: &str, limit: usize) -> &str {
    crate::text::chars::cut(text, limit)
}

/// No token that a rule finds by itself is shorter.
const LONG_CHARS: usize = 16;

/// The long words of a text, a line each. Ordinary text has few, so searching them many times costs little.
pub(super) struct LongWords {
    /// A line end, and each word with a line end behind it.
    pub(super) reading: Reading,
    /// Where each word begins in the reading, and where in the text.
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

    /// What is added to a place in the words for that in the text.
    pub(super) fn shift(&self, place: usize) -> usize {
        let number = self.places.partition_point(|start| *start <= place).saturating_sub(1);
        match (self.starts.get(number), self.places.get(number)) {
            (Some(start), Some(place)) => start - place,
            _ => 0,
        }
    }

    /// Where a place of the text is in the words; the next word where it is in none.
    pub(super) fn place_of(&self, position: usize) -> usize {
        let Some(number) = self.starts.partition_point(|start| *start <= position).checked_sub(1) else { return 0 };
        let (Some(start), Some(place)) = (self.starts.get(number), self.places.get(number)) else { return 0 };
        let end = self.places.get(number + 1).map_or(self.reading.len(), |next| next - 1);
        (place + position - start).min(end)
    }
}
