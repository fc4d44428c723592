//! Finds memories that are similar to a text of the session.

use crate::prompt::question::Question;
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::store::budget::Limits;
use crate::store::root::Project;
use crate::store::snapshot_file;
use cuecard_core::capture::request::Near;
use cuecard_core::index::Filters;
use cuecard_core::rank::Request;
use cuecard_core::settings::{GateSetting, Settings};

const MAX_NEAR: usize = 6;

/// Returns the memories that are most similar to a text; empty if the store has no memories.
pub(crate) fn find_near(project: &Project, settings: &Settings, text: &str, notes: &mut Vec<String>) -> Vec<Near> {
    let Some(loaded) = snapshot_file::load(project, &settings.lexical, &Limits::PROMPT) else { return Vec::new() };
    let filters = Filters::default();
    let question = Question::of_prompt(text, settings, &filters, MAX_NEAR);
    let question =
        Question { setting: GateSetting::Off, request: Request { k: MAX_NEAR, ..question.request }, ..question };
    let mut recall = SnapshotRecall::new(project, &loaded.snapshot, question.review, notes);
    let memories = recall.choose(&question).memories;
    // A memory that is withheld from the agent is not listed at all (SPEC 52.5).
    let near = memories.into_iter().filter(|memory| !memory.is_withheld());
    near.filter_map(|memory| {
        let parts = memory.document.parts()?;
        Some(Near {
            category: parts.category.to_owned(),
            title: parts.title.to_owned(),
            path: parts.path.to_owned(),
            is_unreviewed: memory.is_unreviewed(),
        })
    })
    .collect()
}
