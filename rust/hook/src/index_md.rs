//! `index.md`: read it, or make it anew from the memory files (SPEC 13).

use crate::files::{Containment, MAX_RECORD_BYTES, Unread, read_bounded};
use crate::root::Project;
use cuecard_core::{FOLDERS, Rebuilt, RecordFile, rebuild_index};
use std::fs;
use std::io::Write;
use std::path::Path;

pub(crate) const MAX_INDEX_BYTES: u64 = 256 << 20;

/// An index rebuilt from the memory files of a project, one level of the category folders.
pub(crate) fn rebuild(project: &Project) -> Rebuilt {
    let mut containment = Containment::new(&project.root, &project.memory_dir);
    let mut records = Vec::new();
    for (folder, category) in FOLDERS {
        let Ok(entries) = fs::read_dir(project.memory_dir.join(folder)) else { continue };
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .filter(|name| name.strip_suffix(".json").is_some())
            .collect();
        names.sort_unstable();
        for name in names {
            let path = format!(".claude/memory/{folder}/{name}");
            let data = containment
                .locate(&path)
                .ok_or(Unread::Unreadable)
                .and_then(|located| read_bounded(&located, MAX_RECORD_BYTES));
            records.push(RecordFile { category: category.into(), path, data: data.ok() });
        }
    }
    rebuild_index(&records)
}

/// Puts an index in its place whole: a reader sees the old one or the new one.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let temporary = path.with_file_name(format!(".index.md.{}.tmp", std::process::id()));
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|_| {
        let _ = fs::remove_file(&temporary);
        "index.md cannot be written".into()
    })
}
