//! Builds small snapshots to damage, and makes the checksums of damaged snapshots valid again.

use crc32fast::hash;
use cuecard_core::index::layout::{PLACES, RECORDS, u32_at, u64_at};
use cuecard_core::index::snapshot_writer::{Extent, build_snapshot};
use cuecard_core::index::{Documents, MemoryFile, Snapshot};
use cuecard_core::memory::Stamp;
use cuecard_core::settings::Bm25Settings;
use std::ops::Range;

const HEADER: usize = 64;
const ROW: usize = 24;

/// The files of the base: a decision, a runbook and a retired summary.
pub(crate) fn first_files() -> Vec<MemoryFile> {
    vec![
        file(
            "decision",
            "decisions/tls.json",
            r#"{"title":"Use TLS","tags":["auth","Ops"],"content":"certificates","related_files":["src/tls.rs","src/"]}"#,
        ),
        file(
            "runbook",
            "runbooks/log.json",
            r#"{"title":"auth logs","updated_at":"2026-01-02","content":["use 로그인"],
                "cuecard":{"supersedes":["tls"],"anchors":["src/*.rs","**/log/"]}}"#,
        ),
        file("session_summary", "sessions/s.json", r#"{"title":"a -> b","record_status":"retired"}"#),
    ]
}

/// The files of the delta: the first decision with changes, and another decision.
pub(crate) fn later_files() -> Vec<MemoryFile> {
    vec![
        file("decision", "decisions/tls.json", r#"{"title":"Use mTLS","tags":["auth"],"content":"certificate pins"}"#),
        file(
            "decision",
            "decisions/db.json",
            r#"{"title":"user database","category":"own","tags":["ops"],"related_files":["src/db/a.rs"],
                "cuecard":{"supersedes":["decision/tls"]}}"#,
        ),
    ]
}

/// A memory file of the store; `name` is its path below `.claude/memory/`.
pub(crate) fn file(category: &str, name: &str, data: &str) -> MemoryFile {
    MemoryFile {
        category: category.into(),
        path: format!(".claude/memory/{name}"),
        data: Some(data.into()),
        stamp: Stamp { size: u32::try_from(data.len()).unwrap(), modified: 1_700_000_000_000_000_000 },
    }
}

/// The bytes of a snapshot of the files.
pub(crate) fn build(files: &[MemoryFile]) -> Vec<u8> {
    build_snapshot(files, &[1, 2, 3, 4, 5, 6], &Bm25Settings::default(), 1).0
}

/// The bytes of a delta that adds the later files and removes the runbook.
pub(crate) fn delta_of(base: &[u8]) -> Vec<u8> {
    let removed = [".claude/memory/runbooks/log.json".to_owned()];
    let changed = Documents::read(&later_files(), 1);
    let updated = Snapshot::open(base, None).unwrap().update(&changed, &removed, &[7; 6], Extent::OneDelta);
    updated.unwrap().unwrap().delta.unwrap()
}

/// The bytes of two deltas: the delta of [`delta_of`], then a delta that changes a memory again and adds another
/// memory.
pub(crate) fn deltas_of(base: &[u8]) -> Vec<Vec<u8>> {
    let first = delta_of(base);
    let snapshot = Snapshot::open(base.to_vec(), Some(first.clone())).unwrap();
    let files = [
        file("decision", "decisions/tls.json", r#"{"title":"Use TLS again","tags":["auth"]}"#),
        file("constraint", "constraints/user.json", r#"{"title":"user logs","cuecard":{"supersedes":["db"]}}"#),
        file("constraint", "constraints/broken.json", "{"),
    ];
    let updated = snapshot.update(&Documents::read(&files, 1), &[], &[8; 6], Extent::Merging(0));
    let both = updated.unwrap().unwrap().delta.unwrap();
    let second = both[first.len().next_multiple_of(8)..].to_vec();
    vec![first, second]
}

/// The bytes of a file with these deltas.
pub(crate) fn join(deltas: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for delta in deltas {
        file.resize(file.len().next_multiple_of(8), 0);
        file.extend_from_slice(delta);
    }
    file
}

/// Corrects the checksum and the file length in the header, and the length of the last section in the table.
pub(crate) fn mend_header(data: &mut [u8]) {
    let length = data.len() as u64;
    if let Some((row, _, range)) = rows(data).last() {
        put(data, row + 16, &length.saturating_sub(range.start as u64).to_le_bytes());
    }
    put(data, 16, &length.to_le_bytes());
    let head = u32_at(data, 12).unwrap_or_default() as usize;
    if let Some(checked) = data.get(..head) {
        let checksum = hash(checked);
        put(data, head, &checksum.to_le_bytes());
    }
}

/// Corrects the checksums of records and sections.
pub(crate) fn mend_contents(data: &mut [u8]) {
    let sections: Vec<_> = rows(data).collect();
    let range = |kind| sections.iter().find(|(_, other, _)| *other == kind).map(|(_, _, range)| range.clone());
    if let (Some(places), Some(records)) = (range(PLACES), range(RECORDS)) {
        let place = |data: &[u8], at| u32_at(data, at).map(|place| records.start.saturating_add(place as usize));
        for at in places.step_by(4).take(16) {
            if let (Some(begin), Some(end)) = (place(data, at), place(data, at.saturating_add(4))) {
                if let Some(checksum) = data.get(begin.saturating_add(4)..end.min(records.end)).map(hash) {
                    put(data, begin, &checksum.to_le_bytes());
                }
            }
        }
    }
    for (row, _, range) in sections {
        let checksum = data.get(range).map(hash).unwrap_or_default();
        put(data, row + 4, &checksum.to_le_bytes());
    }
}

/// Makes deltas refer to a base: writes the checksum of the base and the number of documents before each delta into the
/// headers, and corrects the headers.
pub(crate) fn attach(deltas: &mut [Vec<u8>], base: &[u8]) {
    let head = u32_at(base, 12).unwrap_or_default() as usize;
    let mut documents = u32_at(base, 24).unwrap_or_default();
    for delta in deltas {
        put(delta, 36, &u32_at(base, head).unwrap_or_default().to_le_bytes());
        put(delta, 40, &documents.to_le_bytes());
        mend_header(delta);
        documents = documents.wrapping_add(u32_at(delta, 24).unwrap_or_default());
    }
}

/// For each section: the offset of its row in the table, its kind, and its byte range according to the table.
fn rows(data: &[u8]) -> impl Iterator<Item = (usize, u32, Range<usize>)> {
    let count = u32_at(data, 28).unwrap_or_default().min(32) as usize;
    (0..count).map(|row| HEADER + row * ROW).map_while(|row| {
        let number = |at| u64_at(data, at).and_then(|number| usize::try_from(number).ok());
        let begin = number(row + 8)?;
        Some((row, u32_at(data, row)?, begin..begin.saturating_add(number(row + 16)?)))
    })
}

fn put(data: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = at.checked_add(bytes.len()).and_then(|end| data.get_mut(at..end)) {
        place.copy_from_slice(bytes);
    }
}
