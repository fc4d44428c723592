//! Withholds memories near the gate's limit at random (SPEC 49.6), so that it can be compared how often they are used.

use crate::prompt::recalled_memory::RecalledMemory;
use crate::prompt::verdicts::take_out;
use crate::session::event::Holdout;
use cuecard_core::rank::verdicts::is_withheld_at_random;
use cuecard_core::settings::Settings;

/// How far above the gate's lowest logit a memory may be withheld, in 1/1024.
const NEAR: i64 = 512;

/// Returns the chance by which memories of a prompt are withheld; `None` if the user has not chosen one, or where the
/// gate has no limit. `least` is the lowest logit that the gate shows.
pub(crate) fn chance(settings: &Settings, least: Option<i64>) -> Option<Holdout> {
    let from = least.filter(|_| settings.holdout > 0)?;
    Some(Holdout { percent: settings.holdout, from, below: from + NEAR })
}

/// Takes out the memories that are withheld in a session, and those that are shown only beside one of them.
pub(crate) fn withhold(chance: Holdout, session: &str, memories: &mut Vec<RecalledMemory>) -> Vec<RecalledMemory> {
    let Holdout { percent, from, below } = chance;
    let is_near = |memory: &RecalledMemory| memory.ranking.logit.is_some_and(|logit| (from..below).contains(&logit));
    take_out(memories, |memory| is_near(memory) && is_withheld_at_random(session, &memory.known_path(), percent))
}
