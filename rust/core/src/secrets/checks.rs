//! The checks that decide whether the match of a rule is a secret (SPEC 55.4).

use super::assigned::judge_assigned;
use super::matcher::{Found, matches_beginning};
use super::pattern::Pattern;
use super::private_keys::find_private_keys;
use super::reading::{BLANKS, Reading, head, is_letter, plain_letters};
use super::rules::{Check, Rule, table};
use super::search::{BlockMarks, DOCUMENTED, Span, find_secrets, rules_for};
use super::values::{
    decoded_text, folded, has_public_label, is_assigned_secret, is_chosen_beside_name, is_documented, is_login,
    is_masked, is_placeholder, is_random, is_reference, is_stand_in, looks_chosen,
};
use crate::text::tables::{Keyed, keyed};
use std::sync::OnceLock;

/// The maximal depth of nested base64 that is decoded: a decoded text may contain base64 again.
const MAX_DEPTH: usize = 2;
/// The least number of words of a recovery phrase, and the least number of different words among them.
const PHRASE_WORDS: usize = 12;
const PHRASE_DIFFERENT: usize = 8;
/// Punctuation at the end of an unquoted value that does not belong to the value.
pub(super) const CLOSING: [char; 9] = ['.', ',', ':', ';', ')', ']', '}', '|', '\\'];

/// The 2,048 English words of BIP-39, which the recovery phrases of wallets consist of.
static WORDS: Keyed =
    keyed!(include_str!("../../../../python/cuecard/assets/secret_phrase_words.txt").trim_ascii_end(), b'\n');

/// The match of a rule, before it is judged. Places count characters in the text, which has a line end added at both
/// ends.
pub(super) struct Candidate<'a> {
    pub(super) rule: &'a Rule,
    pub(super) found: Found,
    /// The number that is added to a place of the match to get the place in the text.
    pub(super) shift: usize,
    pub(super) reading: &'a Reading,
    pub(super) marks: &'a BlockMarks,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) depth: usize,
}

impl<'a> Candidate<'a> {
    /// The text that may be a secret.
    pub(super) fn value(&self) -> &'a str {
        self.reading.slice(self.start, self.end)
    }

    /// The begin and end of a group of the pattern in the text; `None` if the group took no part in the match.
    pub(super) fn place_of(&self, name: &str) -> Option<(usize, usize)> {
        self.found.group(name).map(|(start, end)| (start + self.shift, end + self.shift))
    }

    /// The text of a group of the pattern, in lower case if the rule is folded; empty if the group took no part in the
    /// match.
    pub(super) fn group(&self, name: &str) -> &'a str {
        let Some((start, end)) = self.place_of(name) else { return "" };
        if self.rule.is_folded { self.reading.folded_slice(start, end) } else { self.reading.slice(start, end) }
    }

    /// The place where the match begins in the text.
    pub(super) fn match_start(&self) -> usize {
        self.found.start + self.shift
    }

    /// The text before the value, at most `limit` characters.
    fn before(&self, limit: usize) -> &'a str {
        self.reading.slice(self.start.saturating_sub(limit), self.start)
    }

    /// The span of the value up to `end` if `is_secret`, else `None`.
    pub(super) fn up_to(&self, end: usize, is_secret: bool) -> Option<Span> {
        self.of_kind(end, is_secret, self.rule.kind)
    }

    fn whole(&self, is_secret: bool) -> Option<Span> {
        self.up_to(self.end, is_secret)
    }

    fn of_kind(&self, end: usize, is_secret: bool, kind: &'static str) -> Option<Span> {
        let kind = || if is_documented(self.reading.slice(self.start, end)) { DOCUMENTED } else { kind };
        is_secret.then(|| Span { start: self.start, end, kind: kind() })
    }

    /// The value without the punctuation at its end: the place where it ends, and its text.
    fn unclosed(&self) -> (usize, &'a str) {
        let value = self.value().trim_end_matches(CLOSING);
        (self.start + value.chars().count(), value)
    }
}

/// The span of the secret in a match; `None` if the match is not a secret. The span of an example that a vendor
/// documents has the kind [`DOCUMENTED`].
pub(super) fn judge(found: &Candidate<'_>) -> Option<Span> {
    let value = found.value();
    let (unclosed_end, unclosed) = found.unclosed();
    match found.rule.check {
        Check::Exact => found.whole(!is_masked(value)),
        Check::Doubtful => {
            let is_public_address = found.group("host").contains("sentry");
            found.whole(!is_public_address && is_assigned_secret(value, false, false))
        }
        Check::Chosen => found.whole(is_assigned_secret(value, true, false)),
        Check::Prose => found.up_to(unclosed_end, is_assigned_secret(unclosed, true, true)),
        Check::Pair => found.up_to(unclosed_end, is_pair(found, unclosed)),
        Check::Looks => found.up_to(unclosed_end, looks_chosen(unclosed)),
        Check::Any => {
            let is_word = is_stand_in(unclosed) || is_placeholder(unclosed) || is_reference(unclosed);
            found.up_to(unclosed_end, unclosed.chars().count() >= 4 && !is_word)
        }
        Check::Login => found.whole(is_login(value)),
        Check::Url => found.whole(is_of_url(found, value)),
        Check::Random => found.whole(is_random(value)),
        Check::Alone => found.whole(is_alone(found, value)),
        Check::Encoded => {
            let kind = kind_inside(found, value);
            found.of_kind(found.end, kind.is_some(), kind.unwrap_or(DOCUMENTED))
        }
        Check::Ethereum => found.whole(is_ethereum_key(found, value)),
        Check::Phrase => find_phrase(found),
        Check::Assigned => judge_assigned(found),
    }
}

fn is_pair(found: &Candidate<'_>, value: &str) -> bool {
    const NO_USERS: &str = "at to the with and or http https ftp ssh git file from for via id see image docker";
    let Some((user_start, user_end)) = found.place_of("user") else { return false };
    let between = found.reading.slice(user_end, found.start);
    let named = found.reading.folded_slice(found.match_start(), user_start);
    let is_loose =
        between.contains(':') || between.starts_with(' ') || named.contains("pass") || named.contains("cred");
    let user = found.group("user");
    NO_USERS.split(' ').all(|word| word != user) && is_chosen_beside_name(value, is_loose)
}

fn is_of_url(found: &Candidate<'_>, value: &str) -> bool {
    if is_stand_in(value) || is_placeholder(value) {
        return false;
    }
    let host = folded(found.group("host"));
    let name = if host.starts_with('[') { &*host } else { host.split([':', ',']).next().unwrap_or_default() };
    let is_example = [".example", ".test", ".invalid", ".example.com"].iter().any(|end| name.ends_with(end));
    let is_local = is_example || table().has_word("local-hosts", name);
    !(is_local && (value.chars().all(is_letter) || value == found.group("user")))
}

fn is_alone(found: &Candidate<'_>, value: &str) -> bool {
    if !is_random(value) || is_asset(found) {
        return false;
    }
    let before = found.before(256);
    let last_word = before.rsplit(BLANKS).next().unwrap_or_default();
    !last_word.contains("://") && !has_public_label(found.before(48)) && !is_in_public_block(found)
}

/// Whether the extension of a web file follows the value: `.css`, `.js`.
fn is_asset(found: &Candidate<'_>) -> bool {
    const ENDINGS: &str = "css gz htm html jpg jpeg js json map mjs png so svg ts wasm webp whl woff woff2 zip";
    let after = head(found.reading.slice(found.end, found.end + 8), 8);
    let Some(name) = after.strip_prefix('.') else { return false };
    let ending = name.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').next().unwrap_or_default();
    ENDINGS.split(' ').any(|known| known == ending)
}

/// Whether the value is within a public PEM block, e.g. a certificate.
fn is_in_public_block(found: &Candidate<'_>) -> bool {
    static PUBLIC: OnceLock<Option<Pattern>> = OnceLock::new();
    let public = PUBLIC.get_or_init(|| {
        let names = "CERTIFICATE|PUBLIC KEY|REQUEST|CRL|MESSAGE|SIGNATURE|PARAMETERS";
        Pattern::read(&format!("-----BEGIN (?:[A-Z0-9]{{1,20}} ){{0,3}}(?:{names})"))
    });
    let last = |places: &[usize], size: usize| {
        let number = places.partition_point(|place| place + size <= found.start);
        number.checked_sub(1).and_then(|number| places.get(number)).copied()
    };
    let Some(begin) = last(&found.marks.begins, "-----BEGIN ".len()) else { return false };
    if last(&found.marks.ends, "-----END ".len()).is_some_and(|end| end >= begin) {
        return false;
    }
    let block = found.reading.slice(begin, begin + 128);
    public.as_ref().is_some_and(|public| matches_beginning(public, block))
}

/// The kind of the first secret in the text that a value encodes in base64; `None` if there is none.
fn kind_inside(found: &Candidate<'_>, value: &str) -> Option<&'static str> {
    if found.depth >= MAX_DEPTH {
        return None;
    }
    let plain = plain_letters(&decoded_text(value)?);
    let inside = find_secrets(&plain, &rules_for(&plain), Some(Check::Alone), found.depth + 1);
    if let Some(first) = inside.first() {
        return Some(first.kind);
    }
    let has_key = plain.contains("PRIVATE KEY") && !find_private_keys(&Reading::of(plain), false).1.is_empty();
    has_key.then_some("private-key")
}

/// Whether a value is an Ethereum key. Hashes of transactions and blocks look like keys, so the words around the value
/// decide.
fn is_ethereum_key(found: &Candidate<'_>, value: &str) -> bool {
    const KEY_WORDS: &str = "private key keys wallet seed secret signer deployer account accounts mnemonic";
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let before = words(found.before(48));
    let after = words(found.reading.slice(found.end, found.end + 24));
    let is_key = before.iter().any(|word| KEY_WORDS.split(' ').any(|known| known == word));
    let is_hash_word = |word: &String| {
        table().has_word("hash-words", word) || ["hash", "root", "txid"].iter().any(|end| word.ends_with(end))
    };
    let is_hash = !is_key && before.iter().chain(&after).any(is_hash_word);
    !is_hash && !is_stand_in(value.get(2..).unwrap_or_default())
}

/// The span of the longest run of [`WORDS`] in the match; `None` if the run is too short for a recovery phrase.
fn find_phrase(found: &Candidate<'_>) -> Option<Span> {
    let chars = found.reading.chars.get(found.start..found.end)?;
    let mut best = (0, 0, 0);
    let (mut size, mut row_start) = (0, 0);
    let mut different: Vec<String> = Vec::new();
    let mut place = 0;
    while let Some(rest) = chars.get(place..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().take(8).take_while(|char| char.is_ascii_lowercase()).count();
        if length < 3 {
            place += length.max(1);
            continue;
        }
        let word: String = rest.iter().take(length).collect();
        if WORDS.has(&word) {
            if size == 0 {
                row_start = place;
                different.clear();
            }
            size += 1;
            // Once the threshold is reached, further different words need not be counted.
            if different.len() < PHRASE_DIFFERENT && !different.contains(&word) {
                different.push(word);
            }
            if size > best.0 && different.len() >= PHRASE_DIFFERENT {
                best = (size, row_start, place + length);
            }
        } else {
            size = 0;
        }
        place += length;
    }
    let (size, start, end) = best;
    let span = Span { start: found.start + start, end: found.start + end, kind: found.rule.kind };
    (size >= PHRASE_WORDS).then_some(span)
}
