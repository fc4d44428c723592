//! Asks a judge about the gate's memories before they are packed (docs/reference/models.md, "Place of the judge").

use crate::prompt::models::Verdict;
use crate::prompt::recalled_memory::{Beside, Chosen, RecalledMemory};
use crate::session::event::Outcome;
use crate::session::model_use::JudgeRun;
use std::time::Instant;

/// The memories after the judge was asked.
#[derive(Debug)]
pub struct Judged {
    /// The memories that the judge keeps; those of the gate if it was not asked or failed.
    pub chosen: Chosen,
    /// What the judge did; `None` if there was nothing to ask about.
    pub run: Option<JudgeRun>,
    /// The line for the log about a judge that failed.
    pub note: Option<String>,
}

/// Replaces the memories of the gate with those that the judge keeps, at most `limit`.
///
/// `ranked` finds the best memories without the gate; as many as the judge gets to see. `ask` asks the judge. If it
/// fails, the gate's own memories stay.
pub(crate) fn judge(
    chosen: Chosen,
    limit: usize,
    pool: usize,
    ranked: impl FnOnce() -> Vec<RecalledMemory>,
    ask: impl FnOnce(&[RecalledMemory]) -> Verdict,
) -> Judged {
    if chosen.is_courtesy {
        return Judged { chosen, run: None, note: None };
    }
    let start = Instant::now();
    let candidates = candidates(&chosen.memories, ranked(), pool);
    if candidates.is_empty() {
        return Judged { chosen, run: None, note: None };
    }
    let verdict = ask(&candidates);
    let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    let asked = candidates.len();
    match verdict {
        Ok(kept) => {
            let run = JudgeRun { asked, kept: kept.len(), micros, failure: String::new() };
            Judged { chosen: keep(chosen, &candidates, &kept, limit), run: Some(run), note: None }
        }
        Err(failure) => {
            let note = format!("the judge has failed, so the gate's own result is used: {failure}");
            Judged { chosen, run: Some(JudgeRun { asked, kept: 0, micros, failure }), note: Some(note) }
        }
    }
}

/// Returns the `pool` best candidates by rank. Every memory of the gate is among them, even if that makes more.
fn candidates(own: &[RecalledMemory], mut ranked: Vec<RecalledMemory>, pool: usize) -> Vec<RecalledMemory> {
    let own: Vec<_> = own.iter().filter(|memory| !memory.is_sibling()).collect();
    let find = |position| own.iter().find(|memory| memory.position == position).copied();
    let is_ranked = |memory: &&RecalledMemory| ranked.iter().any(|other| other.position == memory.position);
    let missing: Vec<_> = own.iter().filter(|memory| !is_ranked(memory)).map(|memory| (*memory).clone()).collect();
    for memory in &mut ranked {
        if let Some(own) = find(memory.position) {
            *memory = own.clone();
        }
    }
    while ranked.len() + missing.len() > pool.max(own.len()) {
        // The lowest-ranked candidate that the gate did not let through.
        let Some(place) = ranked.iter().rposition(|memory| find(memory.position).is_none()) else { break };
        ranked.remove(place);
    }
    ranked.extend(missing);
    ranked
}

/// Returns the candidates at the places in `kept` as the memories to show.
fn keep(chosen: Chosen, candidates: &[RecalledMemory], kept: &[usize], limit: usize) -> Chosen {
    let kept = kept.iter().filter_map(|place| candidates.get(*place));
    let mut wanted: Vec<_> = kept.take(limit).cloned().collect();
    // A sibling stays as long as the memory does beside which it is shown.
    let stays = |beside: Beside| wanted.iter().any(|memory| memory.position == beside.position);
    let siblings = chosen.memories.iter().filter(|memory| memory.is_sibling());
    let staying: Vec<_> = siblings.filter(|memory| memory.beside.is_some_and(stays)).cloned().collect();
    wanted.extend(staying);
    let is_wanted = |memory: &RecalledMemory| wanted.iter().any(|other| other.position == memory.position);
    let dropped = chosen.memories.into_iter().filter(|memory| !is_wanted(memory));
    let mut passed_over: Vec<_> = dropped.map(|memory| (memory, Outcome::Judge)).collect();
    passed_over.extend(chosen.passed_over.into_iter().filter(|(memory, _)| !is_wanted(memory)));
    let mut chosen = Chosen { memories: wanted, passed_over, ..chosen };
    // The judge has seen what the gate was unsure of.
    chosen.keep_named(|_| false);
    chosen
}
