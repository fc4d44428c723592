//! Reads the texts that a block can show from the files of memories (SPEC 39).

use crate::prompt::recalled_memory::RecalledMemory;
use crate::prompt::store_source::Origin;
use crate::store::status::nanoseconds_of;
use cuecard_core::memory::{Card, Pointer, Standing, is_concrete, read_pointer};
use cuecard_core::present::{AHEAD, OVER, POINTER, PackItem, UNREVIEWED};
use cuecard_core::retrieve::query_terms;
use std::cmp::Reverse;
use std::fs;
use std::path::{Component, Path};

/// How much newer than a memory, in nanoseconds, a file may be before it counts as changed after the memory was
/// written.
const SLACK: i64 = 60_000_000_000;
const PREFERENCE: &str = "PREFERENCE";

/// Returns the items to pack for some memories, from the content of their own files. Of a memory with sections, the one
/// that fits the prompt is shown; the prompt is empty for an event of a tool.
pub(crate) fn items_of(root: &Path, memories: &[RecalledMemory], prompt: &str) -> Vec<PackItem> {
    let has_sections = |memory: &RecalledMemory| !memory.is_unreviewed() && memory.has_sections();
    let terms: Vec<(String, u32)> = if memories.iter().any(has_sections) {
        query_terms::<String>(prompt, &[]).into_iter().map(|term| (term.term, term.weight)).collect()
    } else {
        Vec::new()
    };
    let mut items: Vec<PackItem> = memories
        .iter()
        .map(|memory| item_of(Origin::root_of(memory.origin.as_deref(), root), memory, &terms))
        .collect();
    shorten_preferences(memories, &mut items);
    items
}

/// Leaves of the user's own preferences only the surest with its text (SPEC 48.10).
fn shorten_preferences(memories: &[RecalledMemory], items: &mut [PackItem]) {
    let is_users = |memory: &RecalledMemory| memory.origin.as_ref().is_some_and(|origin| origin.is_users);
    let mut own: Vec<&mut PackItem> = memories
        .iter()
        .zip(items)
        .filter(|(memory, item)| is_users(memory) && item.category == PREFERENCE)
        .map(|(_, item)| item)
        .collect();
    own.sort_by_key(|item| Reverse(item.logit));
    for item in own.into_iter().skip(1) {
        item.card.text.clear();
        item.card.main.clear();
    }
}

/// Returns the item of a memory that is only named. It has the labels that say how far its title can be trusted.
pub(crate) fn named_item(memory: &RecalledMemory) -> PackItem {
    let (_, title) = category_and_title(memory);
    let labels = trust_labels(memory);
    PackItem { title: title.to_owned(), id: id_of(memory).to_owned(), labels, ..PackItem::default() }
}

fn item_of(root: &Path, memory: &RecalledMemory, terms: &[(String, u32)]) -> PackItem {
    let (mut category, title) = category_and_title(memory);
    let record = memory.record.as_deref();
    let terms = if memory.is_unreviewed() { &[] } else { terms };
    let mut card = record.map(|record| Card::fitting(record, terms)).unwrap_or_default();
    let mut labels = trust_labels(memory);
    if memory.is_unreviewed() {
        // Without its text the memory cannot be shown in full. Evidence that nobody has reviewed would make it look
        // more reliable.
        card.text.clear();
        card.main.clear();
        card.evidence.clear();
    }
    labels.extend(match memory.standing {
        Standing::Holds => None,
        Standing::Over => Some(OVER.to_owned()),
        Standing::Ahead => Some(AHEAD.to_owned()),
    });
    labels.extend(memory.contradictions.iter().cloned());
    labels.extend(changed_since(root, &card, memory));
    if let Some(pointer) = record.and_then(read_pointer) {
        // The document says the rest, so the memory takes one line, and does not look like a rule or a runbook.
        category = POINTER;
        card.text.clear();
        card.main.clear();
        labels.push(format!("source: {}", pointer.place()));
        labels.extend(state_of_document(root, &pointer, memory.document.stamp.modified));
    }
    PackItem {
        category: category.to_owned(),
        title: title.to_owned(),
        id: id_of(memory).to_owned(),
        labels,
        card,
        logit: memory.ranking.logit.unwrap_or_default(),
        beside: memory.beside.map(|beside| beside.logit),
    }
}

fn category_and_title(memory: &RecalledMemory) -> (&str, &str) {
    memory.document.parts().map_or(("", ""), |parts| (parts.category, parts.title))
}

/// Returns the name of a memory's file without `.json`.
fn id_of(memory: &RecalledMemory) -> &str {
    let name = memory.document.path().rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".json").unwrap_or(name)
}

/// Returns the labels that say that nobody vouches for a memory, and from which scope it comes.
fn trust_labels(memory: &RecalledMemory) -> Vec<String> {
    let unreviewed = memory.is_unreviewed().then(|| UNREVIEWED.to_owned());
    let scope = Some(memory.scope()).filter(|scope| !scope.is_empty()).map(|scope| format!("scope: {scope}"));
    unreviewed.into_iter().chain(scope).collect()
}

/// Returns a note if the document of a pointer is gone or has changed. Looks at its size and its time, and reads nothing.
fn state_of_document(root: &Path, pointer: &Pointer<'_>, noted: i64) -> Option<String> {
    let is_inside = |path: &Path| root.canonicalize().is_ok_and(|root| path.starts_with(root));
    let place = root.join(pointer.path).canonicalize().ok().filter(|path| is_inside(path));
    let Some(metadata) = place.and_then(|path| fs::metadata(path).ok()).filter(fs::Metadata::is_file) else {
        return Some("source is gone".to_owned());
    };
    let has_size = pointer.size.is_none_or(|size| u64::try_from(size) == Ok(metadata.len()));
    let seen = pointer.time.map(|time| time.saturating_mul(1000).max(noted));
    let modified = metadata.modified().map(nanoseconds_of).unwrap_or_default();
    let is_newer = seen.is_some_and(|seen| modified.saturating_sub(seen) > SLACK);
    (!has_size || is_newer).then(|| "source changed since".to_owned())
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
