//! Finds tokens in vendors' formats that line breaks split (SPEC 55.3).

use super::matcher::Matcher;
use super::pattern::Pattern;
use super::reading::Reading;
use super::rules::Rule;
use super::search::{Span, find_secrets};
use super::values::is_machine_made;
use std::sync::OnceLock;

/// The least length of a piece (the part of a token on one line) after a line break. It is not possible to tell whether
/// a shorter piece is random.
const MIN_PIECE_CHARS: usize = 4;
/// The least length of a piece if the token is complete without the piece.
const MIN_MORE_CHARS: usize = 8;
/// The least length of a literal; shorter literals occur too often in ordinary text.
const MIN_LITERAL_CHARS: usize = 3;
/// The maximal number of line breaks in a token; `MAX_PLACES` is the maximal number of occurrences of a literal that
/// are checked.
const MAX_LINES: usize = 8;
const MAX_PLACES: usize = 64;
const MAX_LINE_CHARS: usize = 512;

/// The pieces of split tokens in each of the texts; the end of a text counts as a line break.
pub(super) fn find_broken(texts: &[String], rules: &[&'static Rule]) -> Vec<Vec<Span>> {
    let mut found: Vec<Vec<Span>> = texts.iter().map(|_| Vec::new()).collect();
    let record = texts.join("\n");
    if !record.contains('\n') {
        return found;
    }
    let is_known = |literal: &&str| literal.chars().count() >= MIN_LITERAL_CHARS;
    let tokens = rules.iter().filter(|rule| rule.is_token());
    let literals: Vec<(&'static Rule, &str)> = tokens
        .flat_map(|rule| rule.literals().filter(is_known).map(|literal| (*rule, literal)))
        .filter(|(_, literal)| record.contains(literal))
        .collect();
    if literals.is_empty() {
        return found;
    }
    let record = Reading::of(record);
    let breaks = line_breaks(&record);
    for (rule, literal) in literals {
        for place in record.places_of(literal, false).into_iter().take(MAX_PLACES) {
            let Some(token) = broken_token(&record, &breaks, rule, place) else { continue };
            let mut start = 0;
            for (text, spans) in texts.iter().zip(&mut found) {
                let end = start + text.chars().count();
                let (cut_start, cut_end) = (token.start.max(start), token.end.min(end));
                if cut_start < cut_end {
                    spans.push(Span { start: cut_start - start, end: cut_end - start, kind: token.kind });
                }
                start = end + 1;
            }
        }
    }
    found
}

/// The longest token that begins at a place and continues after line breaks; `None` if no token does.
fn broken_token(text: &Reading, breaks: &[(usize, usize)], rule: &'static Rule, place: usize) -> Option<Span> {
    let number = breaks.partition_point(|line_break| *line_break < (place, place));
    let first = text.slice(place.saturating_sub(1), breaks.get(number)?.0).to_owned();
    let mut pieces = first.chars().skip(usize::from(place > 0)).peekable();
    pieces.peek()?;
    if first.chars().count() > MAX_LINE_CHARS || !pieces.all(is_piece_char) {
        return None;
    }
    let is_whole = !find_secrets(&first, &[rule], None, 0).is_empty();
    let mut lines = first;
    let mut best: Option<Span> = None;
    for last in number..breaks.len().min(number + MAX_LINES) {
        let start = breaks.get(last)?.1;
        let rest = text.chars.get(start..).unwrap_or_default();
        let size = rest.iter().take(MAX_LINE_CHARS).take_while(|char| is_piece_char(**char)).count();
        let piece = text.slice(start, start + size);
        let least = if is_whole || best.is_some() { MIN_MORE_CHARS } else { MIN_PIECE_CHARS };
        if size < least || !is_random_piece(piece) {
            break;
        }
        let joint = lines.chars().count();
        lines.push_str(piece);
        for span in find_secrets(&lines, &[rule], None, 0) {
            if span.start <= 1 && span.end > joint {
                best = Some(Span { start: place, end: start + span.end - joint, kind: span.kind });
            }
        }
        if breaks.get(last + 1).is_some_and(|next| next.0 != start + size) {
            break;
        }
    }
    best
}

fn is_piece_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || "_+/=.:-".contains(char)
}

/// Whether a piece does not look like a word: it has digits among its letters, or capitals after the first letter.
fn is_random_piece(piece: &str) -> bool {
    let has_capitals = piece.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let has_digits = piece.bytes().any(|byte| byte.is_ascii_digit());
    has_capitals || (has_digits && (is_machine_made(piece) || piece.bytes().all(|byte| byte.is_ascii_digit())))
}

/// The start and end of every gap that may split a token: a line break with the characters that editors, string
/// literals, quoted mails and lists put around it.
fn line_breaks(text: &Reading) -> Vec<(usize, usize)> {
    static BREAK: OnceLock<Option<Pattern>> = OnceLock::new();
    let line_break = BREAK.get_or_init(|| {
        Pattern::read(
            "[A-Za-z0-9_+/=.-](?P<gap>[\"'`]?[ \t]{0,8}[+.\\\\]?[ \t]{0,8}(?:\n[ \t]{0,40}(?:[>#*|+-][ \t]{1,8})?){1,2}[+.]?[ \t]{0,8}[\"'`]?)",
        )
    });
    let Some(line_break) = line_break else { return Vec::new() };
    let Some(reach) = line_break.reach(&["\n"].into_iter()) else { return Vec::new() };
    let mut matcher = Matcher::new(line_break, &text.chars, false);
    let mut breaks = Vec::new();
    let mut position = 0;
    for place in text.places_of("\n", false) {
        let from = position.max(place.saturating_sub(reach));
        if let Some(found) = matcher.search(from, place, text.len()) {
            position = found.end;
            breaks.extend(found.group("gap"));
        }
    }
    breaks
}
