//! Replaces the secrets in texts, repeatedly until no more are found (SPEC 55, 55.6).

use super::broken::find_broken;
use super::private_keys::find_private_keys;
use super::reading::{Reading, is_letter, plain_letters};
use super::search::{Span, find_secrets, meets, rules_for};
use std::collections::{BTreeMap, BTreeSet};

/// The maximal total size of the texts in bytes; longer texts are refused.
pub const MAX_BYTES: usize = 1 << 20;
/// The maximal number of rounds. A replacement can make another secret recognisable; real texts need only a few rounds.
const MAX_ROUNDS: usize = 64;
/// The least length of a secret that is also replaced elsewhere; a shorter secret can be part of ordinary text.
const DISTINCTIVE_CHARS: usize = 8;
const MARK: &str = "[redacted:";

/// Replaces each secret in a text by `[redacted:KIND]`.
///
/// Returns `None` if the text is too long to be searched; then no part of the text may be written.
#[must_use]
pub fn redact_text(text: &str) -> Option<String> {
    redact_texts(&[text])?.pop()
}

/// Replaces each secret in texts that belong together by `[redacted:KIND]`.
///
/// A distinctive secret that is found in one text is replaced in all texts. A token or a private key may continue in
/// the next text. Returns `None` if the texts are too long to be searched; then no part of the texts may be written.
#[must_use]
pub fn redact_texts(texts: &[&str]) -> Option<Vec<String>> {
    if texts.iter().map(|text| text.len()).sum::<usize>() > MAX_BYTES {
        return None;
    }
    let mut redaction =
        Redaction { texts: texts.iter().map(|text| (*text).to_owned()).collect(), ..Redaction::default() };
    for _ in 0..MAX_ROUNDS {
        let has_changed = redaction.replace_found();
        if !redaction.replace_copies()? && !has_changed {
            return Some(redaction.texts);
        }
    }
    None
}

/// The state of a redaction: the current texts, and the secrets found so far.
#[derive(Default)]
struct Redaction {
    texts: Vec<String>,
    /// Each found secret with its kind, in the order in which they were found.
    found: Vec<(String, &'static str)>,
    known: BTreeSet<String>,
}

impl Redaction {
    /// Replaces the secrets that are found in the current texts; returns whether a secret was replaced.
    fn replace_found(&mut self) -> bool {
        let plain: Vec<String> = self.texts.iter().map(|text| plain_letters(text)).collect();
        let rules = rules_for(&plain.join("\n"));
        let broken = find_broken(&plain, &rules);
        let (mut in_key, mut has_changed) = (false, false);
        for (place, (text, pieces)) in plain.iter().zip(broken).enumerate() {
            let mut spans = Vec::new();
            if in_key || text.contains("PRIVATE KEY") {
                (in_key, spans) = find_private_keys(&Reading::of(text.clone()), in_key);
            }
            spans.extend(find_secrets(text, &rules, None, 0));
            spans.extend(pieces);
            if !spans.is_empty() && text.contains(MARK) {
                let marks = marks(text);
                spans.retain(|span| !meets(&marks, span.start, span.end));
            }
            if !spans.is_empty() {
                has_changed = true;
                self.replace(place, &spans);
            }
        }
        has_changed
    }

    fn replace(&mut self, place: usize, spans: &[Span]) {
        let Some(text) = self.texts.get_mut(place) else { return };
        let reading = Reading::of(std::mem::take(text));
        let mut position = 0;
        for span in merge(spans) {
            let secret = reading.slice(span.start, span.end);
            if self.known.insert(secret.to_owned()) {
                self.found.push((secret.to_owned(), span.kind));
            }
            text.push_str(reading.slice(position, span.start));
            text.push_str(&mark(span.kind));
            position = span.end;
        }
        text.push_str(reading.slice(position, reading.len()));
    }

    /// Replaces copies of known secrets that no rule finds. Returns whether a copy was replaced, or `None` if the
    /// search takes too long.
    fn replace_copies(&mut self) -> Option<bool> {
        let mut has_changed = false;
        let mut found: Vec<&(String, &'static str)> =
            self.found.iter().filter(|(secret, _)| is_distinctive(secret)).collect();
        found.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.chars().count()));
        let copies = Copies::new(&self.texts, &found)?;
        for (secret, kind) in found.into_iter().filter(|(secret, _)| copies.has(secret)) {
            for text in &mut self.texts {
                if text.contains(secret.as_str()) {
                    *text = text.replace(secret.as_str(), &mark(kind));
                    has_changed = true;
                }
            }
        }
        Some(has_changed)
    }
}

/// The known secrets that occur in the texts.
struct Copies<'a>(BTreeSet<&'a str>);

impl<'a> Copies<'a> {
    /// Searches for many secrets at once, by their first bytes; `None` if that takes too much work.
    fn new(texts: &[String], secrets: &[&'a (String, &'static str)]) -> Option<Self> {
        let mut beginnings: BTreeMap<&[u8], Vec<&'a str>> = BTreeMap::new();
        for (secret, _) in secrets {
            beginnings.entry(secret.as_bytes().get(..DISTINCTIVE_CHARS)?).or_default().push(secret);
        }
        let mut standing = BTreeSet::new();
        let mut budget = 16 * MAX_BYTES;
        for text in texts.iter().filter(|_| !beginnings.is_empty()) {
            let bytes = text.as_bytes();
            for (place, beginning) in bytes.windows(DISTINCTIVE_CHARS).enumerate() {
                let Some(secrets) = beginnings.get(beginning) else { continue };
                budget = budget.checked_sub(secrets.len())?;
                let rest = bytes.get(place..)?;
                standing.extend(secrets.iter().filter(|secret| rest.starts_with(secret.as_bytes())));
            }
        }
        Some(Self(standing))
    }

    fn has(&self, secret: &str) -> bool {
        self.0.contains(secret)
    }
}

/// Sorts spans by their place and merges overlapping spans. A merged span has the kind of the one that comes first in
/// `spans`: the rules for known formats of secrets are applied before the general rules.
fn merge(spans: &[Span]) -> Vec<Span> {
    let mut ranked: Vec<(usize, &Span)> = spans.iter().enumerate().collect();
    ranked.sort_by_key(|(_, span)| **span);
    let mut merged: Vec<(usize, Span)> = Vec::new();
    for (rank, span) in ranked {
        match merged.last_mut() {
            Some((best, last)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if rank < *best {
                    *best = rank;
                    last.kind = span.kind;
                }
            }
            _ => merged.push((rank, *span)),
        }
    }
    merged.into_iter().map(|(_, span)| span).collect()
}

/// The begin and end of each `[redacted:KIND]` in a text.
fn marks(text: &str) -> Vec<(usize, usize)> {
    let reading = Reading::of(text.to_owned());
    let ends = |place: &usize| {
        let kind = reading.chars.get(place + MARK.len()..).unwrap_or_default();
        let is_of_kind = |char: &&char| char.is_ascii_lowercase() || char.is_ascii_digit() || **char == '-';
        let size = kind.iter().take(41).take_while(is_of_kind).count();
        let is_mark = (1..=40).contains(&size) && kind.get(size) == Some(&']');
        is_mark.then_some((*place, place + MARK.len() + size + 1))
    };
    reading.places_of(MARK, false).iter().filter_map(ends).collect()
}

/// Whether a secret is distinctive enough to be replaced wherever it occurs; the password `postgres` is not.
fn is_distinctive(secret: &str) -> bool {
    secret.chars().count() >= DISTINCTIVE_CHARS
        && !secret.contains(MARK)
        && secret.bytes().any(|byte| byte.is_ascii_digit())
        && secret.chars().any(is_letter)
}

fn mark(kind: &str) -> String {
    [MARK, kind, "]"].concat()
}
