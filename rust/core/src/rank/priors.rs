//! Priors: points for a memory's category and age, depending on the kind of prompt (SPEC 26.2).

use crate::rank::cues::Cue;
use crate::settings::reader::{LASTING, Settings};

/// The limit for the sum of a memory's priors, in 1/4096. It is under 3 % of the points that both retrievers can give,
/// so priors decide only between nearly equal memories.
pub const MAX_PRIOR: i64 = 320;
/// For some cues, the categories whose memories get points, and the points in 1/4096. Other cues and more points
/// improved nothing on the judged projects.
const INTENTS: [(Cue, &[&str], i64); 5] = [
    (Cue::AsksHow, &["RUNBOOK"], 160),
    (Cue::AsksWhy, &["DECISION"], 320),
    (Cue::Edit, &["CONSTRAINT", "PREFERENCE"], 160),
    (Cue::Error, &["RUNBOOK", "TECH_DEBT"], 320),
    (Cue::Continues, &["SESSION_SUMMARY", "TECH_DEBT"], 160),
];
const BURST_CATEGORY: &str = "SESSION_SUMMARY";
const BURST_POINTS: i64 = 160;
/// The age up to which a session summary gets extra points: eight hours, in microseconds.
const BURST_AGE: i64 = 28_800_000_000;
const ONE: i64 = 4096;
/// The powers 2^(-i/16) in units of 1/4096, for i from 0 to 15.
const HALVING: [i64; 16] =
    [ONE, 3922, 3756, 3597, 3444, 3298, 3158, 3025, 2896, 2774, 2656, 2543, 2435, 2332, 2233, 2139];
/// A sixteenth of a second in microseconds.
const SIXTEENTH: i64 = 62_500;

/// The name of a prior and its points in 1/4096.
pub type Prior = (&'static str, i64);

/// The priors of a memory: the points, in 1/4096, that are added to its fused score. No prior is 0, and their sum is
/// within ±`MAX_PRIOR`.
///
/// `situational` contains the priors of the situation (SPEC 34.3). `category` is in upper case; times are in
/// microseconds since 1970.
#[must_use]
pub fn prior_points(
    cues: &[Cue],
    category: &str,
    updated_at: Option<i64>,
    now: i64,
    settings: &Settings,
    situational: &[Prior],
) -> Vec<Prior> {
    let mut found: Vec<Prior> = INTENTS
        .iter()
        .filter(|(cue, categories, _)| cues.contains(cue) && categories.contains(&category))
        .map(|(cue, _, points)| (cue.name(), *points))
        .collect();
    if let Some(updated_at) = updated_at {
        let age = now.saturating_sub(updated_at).max(0);
        if category == BURST_CATEGORY && updated_at <= now && age <= BURST_AGE {
            found.push(("burst", BURST_POINTS));
        }
        let decays = settings.decay_categories.iter().any(|name| name == category) && !LASTING.contains(&category);
        if settings.half_life_seconds > 0 && decays {
            found.push(("decay", -decay(age, settings.half_life_seconds)));
        }
    }
    found.extend(situational);
    let (mut bounded, mut total) = (Vec::new(), 0);
    for (name, points) in found {
        let moved = (total + points).clamp(-MAX_PRIOR, MAX_PRIOR);
        if moved != total {
            bounded.push((name, moved - total));
        }
        total = moved;
    }
    bounded
}

/// Whether the age of a memory of this category (in upper case) can change its points.
pub(crate) fn heeds_age(category: &str, settings: &Settings) -> bool {
    let decays = settings.half_life_seconds > 0 && settings.decay_categories.iter().any(|name| name == category);
    category == BURST_CATEGORY || decays
}

/// The points, in 1/4096, that a memory loses by its age: 0 for a new memory, half of `MAX_PRIOR` at the half-life, and
/// up to `MAX_PRIOR` for very old memories.
///
/// `age` is in microseconds and is rounded down to sixteenths of the half-life.
fn decay(age: i64, half_life_seconds: i64) -> i64 {
    let steps = age / half_life_seconds.saturating_mul(SIXTEENTH).max(1);
    let sixteenth = usize::try_from(steps % 16).ok().and_then(|place| HALVING.get(place)).copied().unwrap_or(ONE);
    MAX_PRIOR * (ONE - (sixteenth >> (steps / 16).min(13))) / ONE
}
