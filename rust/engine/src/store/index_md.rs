//! Reads `index.md`, or rebuilds it from the memory files (SPEC 13).

use crate::store::files::StoreFiles;
use crate::store::folder::{Replacement, SHARED_FILE};
use crate::store::freshness::INDEX;
use crate::store::root::Project;
use cuecard_core::classic::{Rebuilt, RecordFile, rebuild_index};
use cuecard_core::memory::FOLDERS;

pub(crate) const MAX_INDEX_BYTES: u64 = 256 << 20;
/// The largest number of memories for which a folder is listed.
const MAX_RECORDS: usize = 100_000;

/// Returns the category (by its folder) and the path of every memory file in the category folders, in scan order.
pub(crate) fn list_records(project: &Project) -> Vec<(&'static str, String)> {
    let mut records = Vec::new();
    for (folder, category) in FOLDERS {
        let Ok(place) = project.memory.folder(folder) else { continue };
        let is_record = |name: &str| name.strip_suffix(".json").is_some();
        let Ok(Some(mut names)) = place.list(MAX_RECORDS, is_record) else { continue };
        names.sort_unstable();
        records.extend(names.into_iter().map(|name| (category, format!(".claude/memory/{folder}/{name}"))));
    }
    records
}

/// Rebuilds the index from the memory files of a project.
pub(crate) fn rebuild(project: &Project) -> Rebuilt {
    let mut files = StoreFiles::new(project);
    let read = |(category, path): (&str, String)| {
        let data = files.read(&path).ok().map(|(data, _)| data);
        RecordFile { category: category.into(), path, data }
    };
    rebuild_index(&list_records(project).into_iter().map(read).collect::<Vec<_>>())
}

/// A rebuilt index, to be written after the answer.
#[derive(Debug)]
pub struct NewIndex {
    /// The text of the index.
    pub text: String,
    /// The modification time that the file gets, in nanoseconds since 1970.
    pub made: i64,
}

impl NewIndex {
    /// Replaces the file atomically: a reader sees the old or the new index.
    pub(crate) fn write(&self, project: &Project) -> Result<(), String> {
        let how = Replacement { mode: SHARED_FILE, is_durable: true, modified: Some(self.made) };
        let written = project.memory.replace(INDEX, self.text.as_bytes(), how);
        written.map(|_| ()).map_err(|_| "index.md cannot be written".into())
    }
}
