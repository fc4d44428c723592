//! The rules for secrets (SPEC 55) compile with the `regex` crate, which has no look-around and no back-references and takes
//! linear time, and match what Python's `re` matches: the vectors in `tests/vectors/secrets.jsonl` were written by Python.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::{Value, json};

/// One rule of the tables, its definitions expanded.
struct Rule {
    kind: String,
    is_folded: bool,
    pattern: Regex,
}

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/cuecard/assets")
}

fn expand(pattern: &str, defined: &[(String, String)]) -> String {
    // What is defined later may name what is defined before.
    defined.iter().rev().fold(pattern.to_owned(), |text, (name, body)| text.replace(name, body))
}

fn read_tables() -> (Vec<Rule>, Vec<String>) {
    let mut defined = Vec::new();
    let mut rules = Vec::new();
    let mut judges = Vec::new();
    for name in ["secret_rules.tsv", "secret_rules_gitleaks.tsv"] {
        let table = fs::read_to_string(assets().join(name)).expect("the table is shipped");
        for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            match cells[0] {
                "define" => {
                    let body = if cells[2].contains('|') { format!("(?:{})", cells[2]) } else { cells[2].to_owned() };
                    defined.push((format!("%{{{}}}", cells[1]), body));
                }
                "rule" => {
                    let pattern = expand(cells[5], &defined);
                    rules.push(Rule {
                        kind: cells[1].to_owned(),
                        is_folded: cells[3] == "folded",
                        pattern: Regex::new(&pattern).unwrap_or_else(|error| panic!("{}: {error}", cells[1])),
                    });
                }
                "judge" => judges.push(expand(cells[3], &defined)),
                _ => {}
            }
        }
    }
    (rules, judges)
}

#[test]
fn every_pattern_compiles() {
    let (rules, judges) = read_tables();
    assert!(rules.len() > 200);
    for judge in judges {
        Regex::new(&judge).unwrap_or_else(|error| panic!("{judge}: {error}"));
    }
}

#[test]
fn every_rule_matches_as_in_python() {
    let (rules, _) = read_tables();
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/secrets.jsonl");
    let lines = fs::read_to_string(vectors).expect("the vectors are in the tree");
    let mut number = 0;
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).expect("a line is a case");
        let text = format!("\n{}\n", case["plain"].as_str().expect("a text").replace('¦', ""));
        let low = text.to_ascii_lowercase();
        let found: Vec<Value> = rules
            .iter()
            .filter_map(|rule| {
                let searched = if rule.is_folded { &low } else { &text };
                let matched = rule.pattern.find(searched)?;
                let start = searched[..matched.start()].chars().count();
                Some(json!([rule.kind, start, start + matched.as_str().chars().count()]))
            })
            .collect();
        assert_eq!(Value::Array(found), case["matches"], "{}", case["name"]);
        number += 1;
    }
    assert!(number > 250);
}
