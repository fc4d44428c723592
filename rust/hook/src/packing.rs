//! What the files of memories say that are to be packed into a block (SPEC 39).

use crate::files::{Containment, MAX_RECORD_BYTES, read_bounded};
use crate::root::Project;
use crate::snapshot_file::stamp_of;
use crate::snapshot_recall::Found;
use cuecard_core::{Card, PackItem, Stamp, read_card};
use std::fs;
use std::path::{Component, Path};

/// A file that is so much newer than the memory about it, in nanoseconds, was not written in one go with it.
const SLACK: i64 = 60_000_000_000;

/// What can be said of each of some memories.
pub(crate) fn items_of(project: &Project, memories: &[Found]) -> Vec<PackItem> {
    let mut containment = Containment::new(&project.root, &project.memory_dir);
    memories.iter().map(|memory| item_of(project, memory, &mut containment)).collect()
}

fn item_of(project: &Project, memory: &Found, containment: &mut Containment) -> PackItem {
    let path = memory.document.path();
    let name = path.rsplit('/').next().unwrap_or_default();
    let (category, title) = memory.document.parts().map_or(("", ""), |parts| (parts.category, parts.title));
    let data = containment.locate(path).and_then(|located| read_bounded(&located, MAX_RECORD_BYTES).ok());
    let card = data.and_then(|data| read_card(&data)).unwrap_or_default();
    PackItem {
        category: category.to_owned(),
        title: title.to_owned(),
        id: name.strip_suffix(".json").unwrap_or(name).to_owned(),
        labels: changed_since(&project.root, &card, memory.document.stamp).into_iter().collect(),
        card,
        logit: memory.logit.unwrap_or_default(),
    }
}

/// That files which a memory is about were changed after its own.
fn changed_since(root: &Path, card: &Card, stamp: Stamp) -> Option<String> {
    let mut changed = card.anchors.iter().filter(|anchor| {
        let anchor = Path::new(anchor.as_str());
        let is_below = anchor.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let metadata = if is_below { fs::metadata(root.join(anchor)).ok() } else { None };
        let file = metadata.filter(fs::Metadata::is_file).map(|metadata| stamp_of(&metadata));
        file.is_some_and(|file| file.modified.saturating_sub(stamp.modified) > SLACK)
    });
    let first = changed.next()?;
    match changed.count() {
        0 => Some(format!("{first} changed since")),
        more => Some(format!("{first} and {more} more changed since")),
    }
}
