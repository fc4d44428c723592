//! Finds the memories that are about the same subject as another memory (SPEC 33.5).

use crate::index::filters::STORE_PREFIX;
use crate::index::snapshot::Snapshot;
use crate::memory::links::texts;
use crate::memory::subjects::{ABOUT, FROM, SESSIONS, read_subjects, tag_subjects};
use crate::text::json_reader::Json;
use std::collections::BTreeSet;

/// The subjects of one memory: its named subjects, and the positions of memories of which it is one or from which it is
/// derived.
#[derive(Debug, Default)]
pub struct Subjects {
    names: Vec<String>,
    sources: BTreeSet<u32>,
}

impl Subjects {
    /// Whether two memories have a subject in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.names.contains(name)) || !self.sources.is_disjoint(&other.sources)
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The subjects of the memory at a position, with this record. A tag that is the name of another memory's subject
    /// names that subject. A session summary is no source, because the memories of a session are about many things.
    #[must_use]
    pub fn subjects_of(&self, record: &Json, position: u32) -> Subjects {
        let mut subjects = Subjects::default();
        for link in read_subjects(record) {
            if let Some(source) = link.strip_prefix(FROM) {
                subjects.sources.extend(self.find_named(self.store_of(position), source));
            } else if link.starts_with(ABOUT) {
                subjects.names.push(link);
            }
        }
        let tagged = tag_subjects(texts(record.get("tags"))).into_iter().filter(|name| !self.named(name).is_empty());
        subjects.names.extend(tagged);
        subjects.sources.insert(position);
        let sessions = format!("{STORE_PREFIX}{SESSIONS}");
        let is_session =
            |position: u32| self.document(position).is_none_or(|found| found.path().starts_with(&sessions));
        subjects.sources.retain(|source| !is_session(*source));
        subjects
    }

    /// The positions of the other active documents that have one of the subjects, in document order. Those that have it
    /// only as a tag must be among the positions `near`.
    #[must_use]
    pub fn sharing(&self, subjects: &Subjects, position: u32, near: &[u32]) -> Vec<u32> {
        let mut found: BTreeSet<u32> = subjects.names.iter().flat_map(|name| self.named(name)).collect();
        if !subjects.names.is_empty() {
            found.extend(near.iter().filter(|near| self.is_tagged(**near, &subjects.names)));
        }
        for source in &subjects.sources {
            found.insert(*source);
            found.extend(self.naming(FROM, *source));
        }
        found.retain(|other| *other != position && self.is_active(*other));
        let count = found.len();
        self.first_in_order(found, count)
    }

    /// Whether a document has a tag that is one of these names of subjects.
    fn is_tagged(&self, position: u32, names: &[String]) -> bool {
        let Some(document) = self.document(position) else { return false };
        let tags = document.parts().map(|line| line.tags).unwrap_or_default();
        tag_subjects(tags.iter().map(AsRef::as_ref)).iter().any(|name| names.contains(name))
    }
}
