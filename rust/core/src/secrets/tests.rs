//! Compares the parser and the matcher of patterns with Python's `re`, whose results are in
//! `tests/vectors/secrets.jsonl`, and with the crate `regex`.

use super::matcher::Matcher;
use super::pattern::GROUPS;
use super::reading::Reading;
use super::rules::table;
use super::{MAX_BYTES, redact_text, redact_texts};
use regex::RegexBuilder;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn vectors() -> Vec<Value> {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/secrets.jsonl");
    let lines = fs::read_to_string(vectors).expect("the vectors are in the tree");
    lines.lines().map(|line| serde_json::from_str(line).expect("a line is a case")).collect()
}

fn text_of(case: &Value, name: &str) -> String {
    case[name].as_str().expect("a text").replace('¦', "")
}

#[test]
fn every_rule_matches_as_in_python() {
    let vectors = vectors();
    assert!(vectors.len() > 250);
    for case in vectors {
        let reading = Reading::between_lines(&text_of(&case, "plain"));
        let size = reading.len();
        let matches = table().rules.iter().filter_map(|rule| {
            let compiled = rule.compiled().expect("a pattern of the subset");
            let found = Matcher::new(&compiled.pattern, &reading.chars, rule.is_folded).search(0, size, size)?;
            Some(json!([rule.kind, found.start, found.end]))
        });
        assert_eq!(Value::Array(matches.collect()), case["matches"], "{}", case["name"]);
    }
}

/// Returns random texts, each made of six random pieces of the vectors' texts.
fn shuffled(vectors: &[Value]) -> Vec<String> {
    let texts: Vec<Vec<char>> = vectors.iter().map(|case| text_of(case, "plain").chars().collect()).collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = move |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % limit.max(1)
    };
    (0..120)
        .map(|_| {
            let mut text = String::from("\n");
            for _ in 0..6 {
                let piece = &texts[draw(texts.len())];
                let start = draw(piece.len());
                let size = draw(piece.len() - start + 1);
                text.extend(&piece[start..start + size]);
                text.push(['\n', ' ', '"', ':', '=', 'é', '-', '`'][draw(8)]);
            }
            text
        })
        .collect()
}

#[test]
fn every_rule_matches_as_the_crate_regex_does() {
    let texts = shuffled(&vectors());
    let mut count = 0;
    for rule in &table().rules {
        let compiled = rule.compiled().expect("a pattern of the subset");
        // Some rules count up to hundreds of characters, which the crate compiles to more than its usual limit.
        let built = RegexBuilder::new(&rule.expanded()).size_limit(1 << 28).build();
        let regex = built.unwrap_or_else(|error| panic!("{}: {error}", rule.kind));
        for text in &texts {
            let reading = Reading::of(text.clone());
            let searched = if rule.is_folded { reading.folded() } else { reading.text() };
            let wanted = regex.captures(searched).map(|found| {
                let place = |byte| reading.place_of(byte);
                let groups =
                    GROUPS.map(|name| found.name(name).map(|group| (place(group.start()), place(group.end()))));
                let whole = found.get_match();
                (place(whole.start()), place(whole.end()), groups)
            });
            let size = reading.len();
            let found = Matcher::new(&compiled.pattern, &reading.chars, rule.is_folded).search(0, size, size);
            let found = found.map(|found| (found.start, found.end, GROUPS.map(|name| found.group(name))));
            assert_eq!(found, wanted, "{} in {text:?}", rule.kind);
            count += usize::from(found.is_some());
        }
    }
    assert!(count > 250, "{count} matches");
}

#[test]
fn a_match_of_a_rule_with_literals_has_one_where_it_is_looked_for() {
    // The other rules have a literal that spans several parts of the pattern, so they are searched everywhere.
    let is_bound = |rule: &&super::rules::Rule| rule.compiled().is_some_and(|compiled| compiled.reach.is_some());
    let bound = table().rules.iter().filter(is_bound).count();
    assert!(bound > 200, "{bound} of {}", table().rules.len());
    for rule in &table().rules {
        let reach = rule.compiled().and_then(|compiled| compiled.reach);
        assert!(reach.is_none_or(|reach| reach < 2048), "{}: {reach:?}", rule.kind);
    }
}

#[test]
fn no_secret_of_a_vector_is_left() {
    for case in vectors() {
        let text = text_of(&case, "text");
        let redacted = redact_text(&text).expect("a short text");
        let kinds: Vec<&str> = case["kinds"].as_array().expect("kinds").iter().filter_map(Value::as_str).collect();
        assert_eq!(redacted == text, kinds.is_empty(), "{}", case["name"]);
        assert!(kinds.iter().all(|kind| redacted.contains(&format!("[redacted:{kind}]"))), "{}", case["name"]);
        assert_eq!(redact_text(&redacted).as_ref(), Some(&redacted), "{}", case["name"]);
    }
}

#[test]
fn a_secret_of_one_text_is_replaced_in_the_others() {
    let texts = ["the password is kestrel2229Q", "then type kestrel2229Q"];
    let wanted = texts.map(|text| text.replace("kestrel2229Q", "[redacted:password]"));
    assert_eq!(redact_texts(&texts), Some(wanted.to_vec()));
}

#[test]
fn texts_that_are_too_long_are_refused() {
    let half = "word ".repeat(MAX_BYTES / 10);
    assert!(redact_texts(&[&half, &half]).is_some());
    assert_eq!(redact_texts(&[&half, &half, "one more"]), None);
}
