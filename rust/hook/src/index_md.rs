//! `index.md`: read it, or make it anew from the memory files (SPEC 13).

use crate::files::{Containment, MAX_RECORD_BYTES, Unread, read_bounded};
use crate::root::Project;
use cuecard_core::{FOLDERS, Rebuilt, RecordFile, rebuild_index};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

pub(crate) const MAX_INDEX_BYTES: u64 = 256 << 20;

/// Category by folder and path of every memory file, one level of the category folders, in scan order.
pub(crate) fn list_records(project: &Project) -> Vec<(&'static str, String)> {
    let mut records = Vec::new();
    for (folder, category) in FOLDERS {
        let Ok(entries) = fs::read_dir(project.memory_dir.join(folder)) else { continue };
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .filter(|name| name.strip_suffix(".json").is_some())
            .collect();
        names.sort_unstable();
        records.extend(names.into_iter().map(|name| (category, format!(".claude/memory/{folder}/{name}"))));
    }
    records
}

/// An index rebuilt from the memory files of a project.
pub(crate) fn rebuild(project: &Project) -> Rebuilt {
    let mut containment = Containment::new(&project.root, &project.memory_dir);
    let read = |(category, path): (&str, String)| {
        let located = containment.locate(&path).ok_or(Unread::Unreadable);
        let data = located.and_then(|located| read_bounded(&located, MAX_RECORD_BYTES)).ok();
        RecordFile { category: category.into(), path, data }
    };
    rebuild_index(&list_records(project).into_iter().map(read).collect::<Vec<_>>())
}

/// An index to be put in its place after the answer.
#[derive(Debug)]
pub(crate) struct NewIndex {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// The time it bears.
    pub(crate) made: SystemTime,
}

impl NewIndex {
    /// Puts it in its place whole: a reader sees the old one or the new one.
    pub(crate) fn write(&self) -> Result<(), String> {
        let temporary = self.path.with_file_name(format!(".index.md.{}.tmp", std::process::id()));
        let write = |mut file: fs::File| {
            file.write_all(self.text.as_bytes())?;
            file.set_modified(self.made)?;
            file.sync_all()
        };
        let written = fs::File::create(&temporary).and_then(write).and_then(|()| fs::rename(&temporary, &self.path));
        written.map_err(|_| {
            let _ = fs::remove_file(&temporary);
            "index.md cannot be written".into()
        })
    }
}
