//! Tests that priors decide only between nearly equal memories, for any prompt, memory and settings (SPEC 26.2).

use cuecard_core::rank::{Cue, MAX_PRIOR, find_cues, prior_points};
use cuecard_core::settings::read_settings;

use super::chance::{Chance, iterations};

const CATEGORIES: [&str; 7] =
    ["DECISION", "CONSTRAINT", "PREFERENCE", "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY", "OWN"];
const HALF_LIVES: [&str; 6] = ["0", "0.00001", "0.3", "7", "365", "36500"];
const WORDS: [&str; 12] =
    ["how", "why", "what", "error", "continue", "fix", "we", "still", "왜", "어떻게", "오류", "계속"];
const NOW: i64 = 1_700_000_000_000_000;

fn any_prior(chance: &mut Chance, cues: &[Cue], category: &str) -> i64 {
    let age = match chance.below(4) {
        0 => i64::MIN,
        1 => i64::MAX,
        _ => i64::try_from(chance.below(1 << 31)).unwrap() << (chance.byte() % 24),
    };
    let updated_at = (chance.below(5) > 0).then(|| NOW.saturating_sub(age));
    let config = format!(
        r#"{{"retrieval": {{"decay": {{"half_life_days": {}, "categories": ["{category}", "session_summary"]}}}}}}"#,
        HALF_LIVES[chance.below(HALF_LIVES.len())]
    );
    let found = prior_points(cues, category, updated_at, NOW, &read_settings(Some(config.as_bytes()), None), &[]);
    assert!(found.iter().all(|(_, points)| *points != 0));
    found.iter().map(|(_, points)| points).sum()
}

#[test]
fn no_prior_lifts_a_memory_over_one_that_is_clearly_better() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for _ in 0..iterations(20_000) {
        let prompt: Vec<_> = (0..chance.below(6)).map(|_| WORDS[chance.below(WORDS.len())]).collect();
        let cues = find_cues(&prompt.join(" "));
        let mut moved = || {
            let category = CATEGORIES[chance.below(CATEGORIES.len())];
            any_prior(&mut chance, &cues, category)
        };
        let (worse, better) = (moved(), moved());
        assert!(worse.abs() <= MAX_PRIOR && better.abs() <= MAX_PRIOR);
        assert!(2 * MAX_PRIOR + 1 + better > worse, "{prompt:?}: {worse} {better}");
    }
}

#[test]
fn what_holds_until_it_is_retired_does_not_age() {
    let mut chance = Chance(7);
    for _ in 0..iterations(2_000) {
        for category in ["DECISION", "CONSTRAINT", "PREFERENCE"] {
            assert_eq!(any_prior(&mut chance, &[], category), 0);
        }
    }
}
