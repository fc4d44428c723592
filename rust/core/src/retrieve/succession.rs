//! Finds the memory that supersedes another one, and memories that contradict each other (SPEC 33.3, 33.4).

use crate::index::filters::STORE_PREFIX;
use crate::index::snapshot::Snapshot;
use crate::memory::category::FOLDERS;
use crate::memory::links::{AGAINST, OVER, read_links};
use crate::text::json_reader::Json;

const STEPS_MAX: usize = 16;
/// The maximal number of memories that are considered as superseding, or as contradicting, one memory.
const FOLLOWING_MAX: usize = 256;

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The position of the active document that supersedes the document at `position`, directly or through other
    /// documents; `position` itself if there is none. `may_replace` says whether the second document may supersede the
    /// first one.
    pub fn successor(&self, position: u32, mut may_replace: impl FnMut(u32, u32) -> bool) -> u32 {
        let (mut head, mut passed) = (position, vec![position]);
        for _ in 0..STEPS_MAX {
            let at = passed.last().copied().unwrap_or(position);
            let mut following = self.naming(OVER, at);
            following.extend(self.conflicting(at));
            following.retain(|found| !passed.contains(found) && may_replace(at, *found));
            // Documents in the middle of the chain are usually retired, so the search goes on through retired
            // documents.
            let active = following.iter().find(|found| self.is_active(**found)).copied();
            let Some(next) = active.or(following.first().copied()) else { break };
            head = active.unwrap_or(head);
            passed.push(next);
        }
        head
    }

    /// The positions of the documents of nearer stores that win over the document at `position`: those with the same path, and
    /// those that say they contradict it (SPEC 48.8).
    fn conflicting(&self, position: u32) -> Vec<u32> {
        let store = self.store_of(position);
        if store == 0 {
            return Vec::new();
        }
        let document = self.document(position);
        let mut found = document.map(|document| self.nearer(store, document.path())).unwrap_or_default();
        found.extend(self.naming(AGAINST, position).into_iter().filter(|other| self.store_of(*other) < store));
        found
    }

    /// The positions of the documents that the record of the document at `position` says it contradicts, in the order in
    /// which the record lists them.
    #[must_use]
    pub fn contradicted(&self, record: &Json, position: u32) -> Vec<u32> {
        let (names, store) = (read_links(record), self.store_of(position));
        names.iter().filter_map(|name| self.find_named(store, name.strip_prefix(AGAINST)?)).collect()
    }

    /// The positions of the documents that say they contradict the document at `position`, in document order.
    #[must_use]
    pub fn contradicting(&self, position: u32) -> Vec<u32> {
        self.naming(AGAINST, position)
    }

    /// The position of the document with the name `folder/id`, in the store at a place and in those behind it. A name without
    /// a folder finds a document only if exactly one folder has a document with this id.
    pub(crate) fn find_named(&self, store: usize, name: &str) -> Option<u32> {
        let find = |name: &str| self.find_from(store, &format!("{STORE_PREFIX}{name}.json"));
        if name.contains('/') {
            return find(name);
        }
        let mut found = FOLDERS.iter().filter_map(|(folder, _)| find(&format!("{folder}/{name}")));
        found.next().filter(|_| found.next().is_none())
    }

    /// The positions of the documents that name the document at `position` in links of this kind, in document order. A name
    /// means the nearest document from the naming one's store on.
    pub(crate) fn naming(&self, kind: &str, position: u32) -> Vec<u32> {
        let Some(document) = self.document(position) else { return Vec::new() };
        let (above, name) = document.path().rsplit_once('/').unwrap_or(("", document.path()));
        let id = name.strip_suffix(".json").unwrap_or(name);
        let mut found = self.named(&format!("{kind}{}/{id}", above.rsplit('/').next().unwrap_or_default()));
        let by_id = self.named(&format!("{kind}{id}"));
        // An id alone is ignored if memories in several folders have this id, because then it is ambiguous.
        if !by_id.is_empty() && FOLDERS.iter().filter(|(folder, _)| self.has_file(folder, name)).count() < 2 {
            found.extend(by_id);
        }
        if self.is_joined() {
            found.retain(|other| self.find_from(self.store_of(*other), document.path()) == Some(position));
        }
        self.first_in_order(found, FOLLOWING_MAX)
    }

    fn has_file(&self, folder: &str, name: &str) -> bool {
        self.find(&format!("{STORE_PREFIX}{folder}/{name}")).is_some()
    }
}
