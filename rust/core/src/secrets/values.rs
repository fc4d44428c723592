//! Decides whether a value looks like a secret, a stand-in for one, or ordinary words (SPEC 55.5).
//!
//! Two measures distinguish a machine-made value from words: its Shannon entropy, and the mean length of its pieces
//! (runs of letters or digits, split at capitals like camelCase). `secret_values.py` says how the thresholds were
//! found.

use super::matcher;
use super::pattern::Pattern;
use super::reading::{head, is_letter, is_letter_or_digit};
use super::rules::{Place, table};
use crate::text::sha256_hex;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Only this many first characters of a value are judged.
const JUDGED_CHARS: usize = 128;
/// A value of at least this length with small letters, capitals and digits may be a secret even if a word like
/// `example` is in it.
const LONG_CHARS: usize = 32;
/// The least entropy per character of a long value, in tenths of a bit, with sixteen binary places like [`entropy`].
const LONG_ENTROPY: u64 = 43 << 16;
/// A value with this many equal characters in a row is not a secret, unless `LEAST_UNREPEATED` other characters are
/// left.
const REPEATED: usize = 6;
const LEAST_UNREPEATED: usize = 16;
/// The number of characters of a value that are decoded; this is enough to tell whether a longer value is base64.
const DECODED_CHARS: usize = 1 << 16;

/// The text with A to Z as a to z.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a value only stands in for a secret: `$TOKEN`, `<your-token>`, `xxxx`, `AKIA...EXAMPLE`.
pub(super) fn is_stand_in(value: &str) -> bool {
    let head = folded(head(value, JUDGED_CHARS));
    let places = [Place::Anywhere, Place::Beginning, Place::Whole];
    places.iter().any(|place| table().judges("stand-in", *place, &head)) || repeats(&head)
}

/// Whether a value in a vendor's format has a mask in place of its secret part: `ghp_xxxx`, `sk-your-key`.
pub(super) fn is_masked(value: &str) -> bool {
    let head = folded(head(value, JUDGED_CHARS));
    table().judges("mask", Place::Anywhere, &head) || repeats(&head)
}

/// Whether a value is an example that its vendor documents.
pub(super) fn is_documented(value: &str) -> bool {
    let digest = sha256_hex(value.as_bytes());
    table().has_word("documented", digest.get(..16).unwrap_or_default())
}

/// Whether a value is a word that manuals and default settings use as a password.
pub(super) fn is_placeholder(value: &str) -> bool {
    table().has_word("placeholders", &folded(value))
}

/// Whether a value refers to a secret that is stored elsewhere, or is a version, a date, a path or an algorithm.
pub(super) fn is_reference(value: &str) -> bool {
    let low = folded(value);
    table().judges("reference", Place::Beginning, &low) || table().judges("reference", Place::Whole, &low)
}

/// Whether a value begins like a digest, a public key or the id of an object.
pub(super) fn has_public_beginning(value: &str) -> bool {
    let low = folded(head(value, JUDGED_CHARS));
    let first = low.split('_').next().unwrap_or_default();
    table().judges("public", Place::Beginning, &low) || table().has_word("public-prefixes", first)
}

/// Whether the text before a value says that the value is a digest, a public key or an id.
pub(super) fn has_public_label(before: &str) -> bool {
    static LABEL: OnceLock<Option<Pattern>> = OnceLock::new();
    let label = LABEL.get_or_init(|| {
        let labels = table().judging("public-label", Place::Anywhere);
        Pattern::read(&format!("(?:{labels})\n"))
    });
    let ended = [&*folded(before), "\n"].concat();
    label.as_ref().is_some_and(|label| matcher::search(label, &ended).is_some())
}

/// Whether a value consists mostly of a few characters that are repeated.
fn repeats(value: &str) -> bool {
    let chars: Vec<char> = value.chars().collect();
    let mut different: Vec<char> = Vec::new();
    for char in &chars {
        if different.len() <= 4 && !different.contains(char) {
            different.push(*char);
        }
    }
    if chars.len() >= 16 && different.len() <= 4 {
        return true;
    }
    let mut rest = 0;
    let mut has_repeated = false;
    for run in chars.chunk_by(|one, next| one == next) {
        if run.len() >= REPEATED {
            has_repeated = true;
        } else {
            rest += run.len();
        }
    }
    has_repeated && rest < LEAST_UNREPEATED
}

/// Whether the value after the name of a secret is a secret, and not a word, reference, number, path or version.
///
/// A password needs only a letter and a digit, because people choose passwords. In a sentence more is required.
pub(super) fn is_assigned_secret(value: &str, is_password: bool, in_prose: bool) -> bool {
    let value = head(value, JUDGED_CHARS);
    let size = value.chars().count();
    let is_long = size >= LONG_CHARS && has_all_classes(value);
    let is_spared = if is_long { is_masked(value) } else { is_stand_in(value) };
    if size < 6 || is_spared || is_reference(value) || is_placeholder(value) {
        return false;
    }
    let segments: Vec<&str> = segments(value).collect();
    let is_word = |segment: &&str| is_alphabetic(segment) || table().has_word("terms", &folded(segment));
    if segments.iter().all(is_word) {
        if segments.len() == 1 && size >= 20 && mean_piece(value) <= 2.9 {
            return true;
        }
        let before_last =
            value.char_indices().next_back().map_or("", |(byte, _)| value.get(..byte).unwrap_or_default());
        return is_password && if in_prose { has_sign(before_last) } else { has_sign_inside(before_last) };
    }
    if !value.chars().any(is_letter) {
        return is_password && !in_prose && value.bytes().all(|byte| byte.is_ascii_digit());
    }
    let pieces = mean_piece(value);
    if is_password {
        if in_prose {
            return pieces <= 3.5 || has_sign(value) || is_word_with_number(value);
        }
        let has_password_sign = value.contains(['!', '@', '$', '%', '^', '&', '*', '+', '?', '~']);
        return segments.len() == 1 || pieces <= 3.0 || has_all_classes(value) || has_password_sign;
    }
    if size < 8 || (in_prose && size < 16) {
        return false;
    }
    if !in_prose && segments.iter().any(|segment| segment.len() >= 12 && changes(segment) >= 4) {
        return true;
    }
    if !in_prose && is_long && !is_path(value) {
        return entropy(value) * 10 >= LONG_ENTROPY * as_u64(size);
    }
    if size < 20 && has_words(value) {
        return false;
    }
    pieces <= if segments.len() == 1 && size >= 16 { 3.6 } else { 2.7 }
}

/// Whether a value after the name of a user is a password: `admin / Winter24!`.
///
/// `is_loose` says that the text between the user's name and the value is clear enough, so that the value need not look
/// like a password.
pub(super) fn is_chosen_beside_name(value: &str, is_loose: bool) -> bool {
    is_assigned_secret(value, true, true) && (is_loose || looks_chosen(value))
}

/// Whether a value looks like a password even without an `=` or `:` before it, as in `log in with password s3cret!`.
pub(super) fn looks_chosen(value: &str) -> bool {
    if !is_assigned_secret(value, true, true) || !value.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    has_sign(value) || (has_all_classes(value) && mean_piece(value) <= 3.5)
}

/// Whether a value is a word with a number: letters and at least two digits in a row, like `kestrel2229Q` or
/// `Zebra_7781`. If a separator is inside, it also needs capitals and small letters.
fn is_word_with_number(value: &str) -> bool {
    if value.chars().count() < 8 || !has_two_digits(value) {
        return false;
    }
    value.chars().all(is_letter_or_digit) || (separators(value) == 1 && has_all_classes(value))
}

/// Whether a value has two digits in a row.
pub(super) fn has_two_digits(value: &str) -> bool {
    value.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit))
}

/// Whether the letters and digits of a value look random, unlike words.
pub(super) fn is_machine_made(value: &str) -> bool {
    let has_alnum = value.bytes().any(|byte| byte.is_ascii_alphanumeric());
    value.chars().count() >= 4 && has_alnum && mean_piece(value) <= 2.9 && !is_stand_in(value)
}

/// Whether a run of letters, digits and `+/_-`, without a name before it, is so random that it must be a secret.
///
/// Hexadecimal runs do not count, because commits, digests and UUIDs look the same.
pub(super) fn is_random(value: &str) -> bool {
    if has_public_beginning(value) || is_stand_in(value) || is_path(value) {
        return false;
    }
    let unhashed = without_hashes(value.trim_end_matches('='));
    let mut rest = head(&unhashed, JUDGED_CHARS);
    let [has_small, has_capital, has_digit] = classes(rest);
    let mut separators = separators(rest);
    let (threshold, least) = if has_small && has_capital && has_digit {
        (2.7, 24)
    } else if has_digit {
        let threshold = if has_capital { (6.0, 32) } else { (3.9, 32) };
        // Take the first of the longest segments.
        let longest = segments(rest).rev().max_by_key(|segment| segment.len());
        rest = longest.unwrap_or_default();
        separators = 0;
        threshold
    } else if has_small && has_capital {
        (2.9, 32)
    } else {
        return false;
    };
    let size = rest.chars().count();
    if size < least || separators * 8 > size || mean_piece(rest) > threshold {
        return false;
    }
    if has_small && has_capital && has_digit && has_words(rest) {
        return false;
    }
    let least_entropy = 8 * as_u64(size) * log2(as_u64(size.min(40)));
    entropy(rest) * 10 >= least_entropy && decoded_text(head(value, JUDGED_CHARS)).is_none()
}

/// The text without runs that look like digests: at least seven hexadecimal digits in one case.
fn without_hashes(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    for run in text.as_bytes().chunk_by(|one, next| one.is_ascii_alphanumeric() == next.is_ascii_alphanumeric()) {
        let is_small = run.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_hash = is_small || run.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
        if !(is_hash && run.len() >= 7) {
            rest.push_str(&String::from_utf8_lossy(run));
        }
    }
    rest
}

/// Whether a text has lower-case letters, whether it has capitals, and whether it has digits.
fn classes(text: &str) -> [bool; 3] {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    [has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit)]
}

fn has_all_classes(text: &str) -> bool {
    classes(text) == [true; 3]
}

/// Whether a text consists of one or more ASCII letters.
pub(super) fn is_alphabetic(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

const SIGNS: [char; 7] = ['!', '#', '$', '%', '^', '&', '*'];

fn has_sign(text: &str) -> bool {
    text.contains(SIGNS)
}

/// Whether a special character of passwords is between two letters or digits.
fn has_sign_inside(text: &str) -> bool {
    text.as_bytes().windows(3).any(|window| match window {
        [before, sign, after] => {
            before.is_ascii_alphanumeric() && b"!@$%^&".contains(sign) && after.is_ascii_alphanumeric()
        }
        _ => false,
    })
}

/// The number of changes between letters and digits in a text; each character counts in one change only.
pub(super) fn changes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut place) = (0, 0);
    while let Some([one, next]) = bytes.get(place..place + 2) {
        let is_change = (one.is_ascii_alphabetic() && next.is_ascii_digit())
            || (one.is_ascii_digit() && next.is_ascii_alphabetic());
        count += usize::from(is_change);
        place += if is_change { 2 } else { 1 };
    }
    count
}

/// The Shannon entropy of a whole text in bits, with sixteen binary places: -sum n log2 p over its distinct characters.
fn entropy(text: &str) -> u64 {
    let mut counts: Vec<(char, u64)> = Vec::new();
    let mut size = 0;
    for char in text.chars() {
        size += 1;
        match counts.iter_mut().find(|(known, _)| *known == char) {
            Some((_, count)) => *count += 1,
            None => counts.push((char, 1)),
        }
    }
    size * log2(size) - counts.iter().map(|(_, count)| count * log2(*count)).sum::<u64>()
}

/// The binary logarithm of a count, with sixteen binary places, rounded down; computed by repeated squaring.
fn log2(number: u64) -> u64 {
    let whole = number.checked_ilog2().unwrap_or(0);
    let mut rest = number << (30 - whole.min(30));
    let mut result = u64::from(whole);
    for _ in 0..16 {
        rest = (rest * rest) >> 30;
        result <<= 1;
        if rest >> 31 > 0 {
            rest >>= 1;
            result += 1;
        }
    }
    result
}

/// The runs of letters and digits of a text.
fn segments(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|segment| !segment.is_empty())
}

/// The number of runs of characters other than letters and digits in a text.
fn separators(text: &str) -> usize {
    let runs = text.as_bytes().chunk_by(|one, next| one.is_ascii_alphanumeric() == next.is_ascii_alphanumeric());
    runs.filter(|run| run.first().is_some_and(|byte| !byte.is_ascii_alphanumeric())).count()
}

/// The pieces of a text: runs of lower-case letters with or without a capital in front, of capitals, or of digits.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &[u8]> {
    let mut rest = text.as_bytes();
    std::iter::from_fn(move || {
        let start = rest.iter().position(u8::is_ascii_alphanumeric)?;
        rest = rest.get(start..)?;
        let run = |from: usize, test: fn(&u8) -> bool| {
            rest.iter().skip(from).position(|byte| !test(byte)).map_or(rest.len(), |size| from + size)
        };
        let first = rest.first()?;
        let size = if first.is_ascii_digit() {
            run(0, u8::is_ascii_digit)
        } else if first.is_ascii_lowercase() || rest.get(1).is_some_and(u8::is_ascii_lowercase) {
            run(1, u8::is_ascii_lowercase)
        } else {
            run(0, u8::is_ascii_uppercase)
        };
        let (piece, after) = rest.split_at_checked(size)?;
        rest = after;
        Some(piece)
    })
}

/// The mean length of the pieces of a text; 0 if it has none.
#[expect(clippy::cast_precision_loss, reason = "values are cut to 128 characters, and decoded ones to 65,536 bytes")]
fn mean_piece(text: &str) -> f64 {
    let (sum, count) = pieces(text).fold((0, 0), |(sum, count), piece| (sum + piece.len(), count + 1));
    if count == 0 { 0.0 } else { sum as f64 / f64::from(count) }
}

/// Whether at least half of a text consists of pieces of four or more letters.
fn has_words(text: &str) -> bool {
    let is_word = |piece: &&[u8]| piece.len() >= 4 && piece.iter().all(u8::is_ascii_alphabetic);
    pieces(text).filter(is_word).map(<[u8]>::len).sum::<usize>() * 2 >= text.chars().count()
}

fn is_path(value: &str) -> bool {
    let is_part =
        |part: &str| part.is_empty() || (part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_lowercase()));
    value.contains('/') && value.split('/').any(is_part)
}

/// The text that a value encodes in base64; `None` unless it is UTF-8 without control characters.
pub(super) fn decoded_text(value: &str) -> Option<String> {
    let body = head(value, DECODED_CHARS).trim_end_matches('=').as_bytes();
    // A single character at the end encodes nothing.
    let body = body.get(..body.len() - usize::from(body.len() % 4 == 1))?;
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 2);
    for digits in body.chunks(4) {
        let mut bits = 0_u32;
        for digit in digits {
            bits = bits << 6 | u32::from(base64_digit(*digit)?);
        }
        let [_, decoded @ ..] = (bits << (6 * (4 - digits.len()))).to_be_bytes();
        bytes.extend_from_slice(decoded.get(..digits.len() - 1)?);
    }
    let text = String::from_utf8(bytes).ok()?;
    let is_control =
        |char: char| matches!(char, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}');
    if text.contains(is_control) { None } else { Some(text) }
}

fn base64_digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// Whether a value is the base64 encoding of `user:password`.
pub(super) fn is_login(value: &str) -> bool {
    let decoded = decoded_text(value).unwrap_or_default();
    let Some((user, password)) = decoded.split_once(':') else { return false };
    !user.is_empty() && password.chars().count() >= 4 && !is_stand_in(password) && !is_placeholder(password)
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}
