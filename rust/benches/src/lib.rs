//! An invented index of memories, for the benchmarks of the recall path.
//!
//! This package stands apart because the library that times is forty packages, which no test needs.

use std::fmt::Write;

/// A prompt about three of the subjects.
pub const PROMPT: &str = "why do we retry the payment webhook with a queue instead of calling the gateway again";
/// The tokens of the prompt.
pub const TOKENS: [&str; 8] = ["retry", "payment", "webhook", "queue", "instead", "calling", "gateway", "again"];
/// The numbers of memories.
pub const SIZES: [usize; 2] = [600, 10_000];

const CATEGORIES: [&str; 6] = ["DECISION", "CONSTRAINT", "PREFERENCE", "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY"];
const PATTERNS: [&str; 4] =
    ["Recover the", "Missing tests for the", "Measure twice before we change the", "Replace the"];
const SUBJECTS: [&str; 7] = [
    "payment webhook",
    "invoice export",
    "search index",
    "email queue",
    "deploy pipeline",
    "retry policy",
    "mobile release",
];
const TOOLS: [&str; 9] =
    ["Redis", "PostgreSQL", "Kafka", "Terraform", "Stripe", "Sentry", "OpenSearch", "Kubernetes", "GraphQL"];

/// The `index.md` of `size` memories; the prompt finds the memories about three of the seven subjects.
#[must_use]
pub fn make_index(size: usize) -> Vec<u8> {
    let mut text = String::from("# Memory Index\n\n");
    for number in 0..size {
        let category = CATEGORIES[number % CATEGORIES.len()];
        let pattern = PATTERNS[number / 3 % PATTERNS.len()];
        let subject = SUBJECTS[number % SUBJECTS.len()];
        let tool = TOOLS[number / 2 % TOOLS.len()];
        let tags = format!("{},{}", subject.replace(' ', ","), tool.to_lowercase());
        writeln!(text, "- [{category}] {pattern} {subject} with {tool} {number} -> .claude/memory/decisions/memory-{number}.json #tags:{tags}")
            .unwrap();
    }
    text.into_bytes()
}

/// The number of memories that the prompt finds.
#[must_use]
pub fn count_hits(size: usize) -> usize {
    let is_hit = |number: &usize| matches!(number % SUBJECTS.len(), 0 | 3 | 5);
    (0..size).filter(is_hit).count()
}
