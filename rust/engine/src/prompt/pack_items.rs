//! Reads the texts that a block can show from the files of memories (SPEC 39).

use crate::prompt::recalled_memory::RecalledMemory;
use crate::store::status::nanoseconds_of;
use cuecard_core::memory::{Card, Standing, is_concrete};
use cuecard_core::present::{AHEAD, OVER, PackItem, UNREVIEWED};
use std::fs;
use std::path::{Component, Path};

/// How much newer than a memory, in nanoseconds, a file may be before it counts as changed after the memory was
/// written.
const SLACK: i64 = 60_000_000_000;

/// Returns the items to pack for some memories, from the content of their own files.
pub(crate) fn items_of(root: &Path, memories: &[RecalledMemory]) -> Vec<PackItem> {
    memories.iter().map(|memory| item_of(root, memory)).collect()
}

fn item_of(root: &Path, memory: &RecalledMemory) -> PackItem {
    let path = memory.document.path();
    let name = path.rsplit('/').next().unwrap_or_default();
    let (category, title) = memory.document.parts().map_or(("", ""), |parts| (parts.category, parts.title));
    let mut card = memory.card();
    let mut labels = Vec::new();
    if memory.is_unreviewed() {
        // Without its text the memory cannot be shown in full. Evidence that nobody has reviewed would make it look
        // more reliable.
        card.text.clear();
        card.main.clear();
        card.evidence.clear();
        labels.push(UNREVIEWED.to_owned());
    }
    labels.extend(match memory.standing {
        Standing::Holds => None,
        Standing::Over => Some(OVER.to_owned()),
        Standing::Ahead => Some(AHEAD.to_owned()),
    });
    labels.extend(memory.contradictions.iter().cloned());
    labels.extend(changed_since(root, &card, memory));
    PackItem {
        category: category.to_owned(),
        title: title.to_owned(),
        id: name.strip_suffix(".json").unwrap_or(name).to_owned(),
        labels,
        card,
        logit: memory.ranking.logit.unwrap_or_default(),
        beside: memory.beside.map(|beside| beside.logit),
    }
}

/// Returns a note if files that a memory is about were changed after the memory's own file.
fn changed_since(root: &Path, card: &Card, memory: &RecalledMemory) -> Option<String> {
    let heeds = |anchor: &&String| !memory.is_unreviewed() || is_concrete(anchor);
    let mut changed = card.anchors.iter().filter(heeds).filter(|anchor| {
        let anchor = Path::new(anchor.as_str());
        let is_below = anchor.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let metadata = if is_below { fs::metadata(root.join(anchor)).ok() } else { None };
        let modified = metadata.filter(fs::Metadata::is_file).and_then(|metadata| metadata.modified().ok());
        modified.is_some_and(|modified| nanoseconds_of(modified).saturating_sub(memory.document.stamp.modified) > SLACK)
    });
    let first = changed.next()?;
    match changed.count() {
        0 => Some(format!("{first} changed since")),
        more => Some(format!("{first} and {more} more changed since")),
    }
}
