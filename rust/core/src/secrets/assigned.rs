//! Judges values that follow the name of a secret: `NAME=VALUE`, `"name": "value"`, `--name VALUE`, or in a sentence.

use super::checks::{CLOSING, Candidate};
use super::matcher;
use super::pattern::Pattern;
use super::reading::{BLANKS, head, is_letter, is_letter_or_digit};
use super::rules::table;
use super::search::Span;
use super::values::{
    folded, has_public_beginning, has_two_digits, is_assigned_secret, is_machine_made, is_placeholder, is_reference,
    is_stand_in, looks_chosen,
};
use std::sync::OnceLock;

/// The maximal number of characters of an unquoted value that a pattern matches.
const CUT_CHARS: usize = 1024;

/// The span of the value if its name is the name of a secret and the value looks like such a secret, else `None`.
pub(super) fn judge_assigned(found: &Candidate<'_>) -> Option<Span> {
    if !names_a_secret(found) {
        return None;
    }
    let is_password = found.rule.kind == "password";
    let is_quoted = found.place_of("secret").is_none();
    let mut value = found.value();
    if !is_quoted {
        value = without_next_field(value).trim_end_matches(CLOSING);
    }
    if !found.group("bare").is_empty() {
        let looks = if is_password { looks_chosen(value) } else { looks_passed_in(value) };
        if !is_flag(found) && !looks {
            return None;
        }
    }
    // A value after a quotation mark is not a word of the sentence.
    let is_after_quote = found.reading.char_before(found.start).is_some_and(|char| "\"'`".contains(char));
    let in_prose = !found.group("prose").is_empty() && !is_after_quote;
    let is_secret =
        is_assigned_secret(value, is_password, in_prose) || (is_variable(found) && is_set(value, is_password));
    if !is_secret || (!is_password && has_public_beginning(value)) {
        return None;
    }
    let mut end = found.start + value.chars().count();
    if found.end - found.start == CUT_CHARS {
        let rest = found.reading.chars.get(found.end..).unwrap_or_default();
        end = found.end + rest.iter().take_while(|char| !" \t\r\n\"'`<>,;".contains(**char)).count();
    }
    found.up_to(end, true)
}

/// Cuts a value before the next field of a query string, or before an escaped quote or line end.
fn without_next_field(value: &str) -> &str {
    static END: OnceLock<Option<Pattern>> = OnceLock::new();
    if !value.contains(['&', '\\']) {
        return value;
    }
    let end = END.get_or_init(|| Pattern::read(r#"&[A-Za-z0-9_]{1,40}=|\\["nrt]"#));
    match end.as_ref().and_then(|end| matcher::search(end, value)) {
        Some(end) => head(value, end.start),
        None => value,
    }
}

/// Whether the name is an environment variable with its value directly after it: `DB_PASSWORD=correcthorse`.
fn is_variable(found: &Candidate<'_>) -> bool {
    let name = found.reading.slice(found.match_start(), found.start).trim_end_matches(['"', '\'']);
    let Some(variable) = name.strip_suffix('=') else { return false };
    let is_capital = variable.bytes().any(|byte| byte.is_ascii_uppercase())
        && !variable.bytes().any(|byte| byte.is_ascii_lowercase());
    if !is_capital || variable.ends_with(BLANKS) {
        return false;
    }
    found.rule.kind == "password" || variable.ends_with("SECRET") || variable.ends_with("SECRET_KEY")
}

/// Whether the value of an environment variable is a password, or another secret that a person chose.
fn is_set(value: &str, is_password: bool) -> bool {
    if value.chars().count() < 8 || is_stand_in(value) || is_placeholder(value) || is_reference(value) {
        return false;
    }
    let mut chosen = value.chars().filter(|char| *char != '-' && *char != '_').peekable();
    chosen.peek().is_some() && chosen.all(is_letter_or_digit) && (is_password || has_two_digits(value))
}

/// Whether a value looks like a token even without an `=` or `:` before it, as in `using token 3f...`.
fn looks_passed_in(value: &str) -> bool {
    let is_token = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    value.len() >= 20 && is_token && is_machine_made(value)
}

/// Whether the name is the name of a secret, and not a longer word (`tokenizer`) or a property of a secret
/// (`token_ttl`).
fn names_a_secret(found: &Candidate<'_>) -> bool {
    let reading = found.reading;
    if let Some((start, _)) = found.place_of("short") {
        // Accept `dbPass` and `DB_PASS`, but not `bypass`.
        let (Some(before), Some(first)) = (reading.char_before(start), reading.chars.get(start)) else { return false };
        if is_letter(before) && (before.is_ascii_uppercase() || !first.is_ascii_uppercase()) {
            return false;
        }
    }
    let start = found.match_start();
    let before = reading.slice(start.saturating_sub(96), start);
    // The match is part of the name of a resource: `arn:aws:secretsmanager:...:secret:prod/db`.
    if before.rsplit(BLANKS).next().is_some_and(|word| word.contains("arn:")) {
        return false;
    }
    let Some((start, end)) = found.place_of("suffix") else { return false };
    let suffix = reading.slice(start, end);
    if suffix.is_empty() || suffix.eq_ignore_ascii_case("s") {
        return true;
    }
    let (Some(before), Some(first)) = (reading.char_before(start), suffix.chars().next()) else { return false };
    let is_hump = first.is_ascii_uppercase() && before.is_ascii_lowercase();
    if first.is_ascii_alphabetic() && before.is_ascii() && !is_hump {
        return false;
    }
    words(suffix).all(|word| !table().has_word("about", &folded(word)))
}

/// The words of a name: runs of lower-case letters with or without a capital in front, or runs of capitals.
fn words(name: &str) -> impl Iterator<Item = &str> {
    super::values::pieces(name)
        .filter_map(|piece| std::str::from_utf8(piece).ok())
        .filter(|piece| super::values::is_alphabetic(piece))
}

/// Whether the name is a command-line option, as in `--api-key VALUE`.
fn is_flag(found: &Candidate<'_>) -> bool {
    let start = found.match_start();
    let before = found.reading.slice(start.saturating_sub(40), start);
    before
        .rfind("--")
        .and_then(|dashes| before.get(dashes..))
        .is_some_and(|option| option.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'))
}
