//! Classic recall: finds memories by a scan of `index.md` and the deep check of their files (SPEC 6 to 8, 13).

use crate::prompt::answer::Answer;
use crate::prompt::question::now_micros;
use crate::store::files::StoreFiles;
use crate::store::folder::Unread;
use crate::store::freshness::{self, INDEX};
use crate::store::index_md::{self, MAX_INDEX_BYTES, NewIndex};
use crate::store::root::Project;
use cuecard_core::classic::{IndexMd, Scored, check_record};
use cuecard_core::memory::Entry;

/// The number of shortlisted memories whose files are read.
const DEEP_CHECK_LIMIT: usize = 20;
/// A prompt rebuilds a stale index only if the store has at most this many memories. A larger store answers from the
/// stale index until a command rebuilds it.
const HEAL_LIMIT: usize = 1000;

/// Returns the index, rebuilt if it is missing, or if it is stale and the store has at most `HEAL_LIMIT` memories;
/// `None` if it has no memories.
pub(crate) fn load_index(project: &Project, answer: &mut Answer) -> Result<Option<IndexMd>, String> {
    let times = freshness::folder_times(project);
    let (mut data, is_missing) = match project.memory.read(INDEX, MAX_INDEX_BYTES) {
        Ok(data) => (data, false),
        Err(Unread::Missing) => (Vec::new(), true),
        Err(unread) => return Err(format!("index.md {}", unread.words())),
    };
    let mut is_stale = !is_missing && freshness::is_stale(project, &times);
    if is_stale && index_md::list_records(project).len() > HEAL_LIMIT {
        let note = "index.md is older than the memories; `cuecard index rebuild` brings it up to date";
        answer.notes.push(note.into());
        is_stale = false;
    }
    if is_missing || is_stale {
        let rebuilt = index_md::rebuild(project);
        let left_out = |(path, reason): &(String, _)| format!("left `{path}` out of index.md: {reason}");
        answer.notes.extend(rebuilt.skipped.iter().map(left_out));
        if is_missing && rebuilt.text.is_empty() {
            return Ok(None);
        }
        let made = freshness::watermark(&times);
        answer.rebuilt_index = Some(NewIndex { text: rebuilt.text.clone(), made });
        if is_missing && rebuilt.is_damaged {
            return Ok(None);
        }
        data = rebuilt.text.into_bytes();
    }
    let index = IndexMd::parse(data);
    if let [(line, reason), ..] = index.bad_lines() {
        let count = index.bad_lines().len();
        let lines = if count == 1 { "line" } else { "lines" };
        answer.notes.push(format!("index.md: {count} bad {lines}, the first is line {line} (`{}`)", reason.name()));
    }
    Ok((!index.is_empty()).then_some(index))
}

/// Returns the best memories after the deep check with their scores, at most `limit` (SPEC 8).
///
/// Retired memories and memories outside the store are left out. As in the claude-memory plugin, only the files of the
/// deep check are read, and a memory that is archived or has no file is kept.
pub(crate) fn choose<'a>(
    index: &'a IndexMd,
    shortlist: &[Scored],
    mut files: MemoryFiles,
    limit: usize,
) -> Vec<(Entry<'a>, i64)> {
    let checked = shortlist.len().min(DEEP_CHECK_LIMIT);
    let verdicts: Vec<_> = shortlist
        .iter()
        .take(checked)
        .map(|hit| index.entry(hit.position).and_then(|entry| files.check(entry.path)))
        .collect();
    let is_checked = |hit: &Scored| shortlist.iter().take(checked).any(|other| other.position == hit.position);
    index
        .rank(shortlist, &verdicts)
        .iter()
        .filter_map(|hit| index.entry(hit.position).map(|entry| (hit, entry)))
        .filter(|(hit, entry)| is_checked(hit) || !files.files.is_outside(entry.path))
        .take(limit)
        .map(|(hit, entry)| (entry, hit.score))
        .collect()
}

/// Reads the files of a project's memories to decide whether each memory may be shown.
pub(crate) struct MemoryFiles<'a> {
    files: StoreFiles,
    notes: &'a mut Vec<String>,
    now: i64,
}

impl<'a> MemoryFiles<'a> {
    pub(crate) fn new(project: &Project, notes: &'a mut Vec<String>) -> Self {
        Self { files: StoreFiles::new(project), notes, now: now_micros() }
    }

    /// Returns the recency points of the memory at a path (0 if its file cannot be read); `None` if the memory must not
    /// be shown.
    fn check(&mut self, path: &str) -> Option<i64> {
        match self.files.read(path) {
            Ok((data, _)) => check_record(&data, self.now, false),
            Err(unread) => {
                self.notes.push(format!("`{path}` {}", unread.words()));
                (unread != Unread::Outside).then_some(0)
            }
        }
    }
}
