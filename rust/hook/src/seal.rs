//! Which derived files this user's cuecard has written: a repository can bring others along (SPEC 50.4).

use crate::folder::{Folder, Replacement};
use crate::status::Status;
use crate::user_folder::StoreFolder;
use std::fmt::Write as _;

const FILE: &str = "seal";
const MAX_BYTES: u64 = 1 << 16;
/// More files than a store ever has; the oldest lines leave.
const MAX_LINES: usize = 64;

/// The identities of derived files by their names, as lines `NAME INODE SIZE MODIFIED CHANGED`.
#[derive(Debug, Default)]
pub(crate) struct Seal {
    lines: Vec<(String, Identity)>,
}

/// What tells a file from every other one that could be put in its place.
type Identity = (u64, u64, i64, i64);

impl Seal {
    /// The seal of a store; an empty one where there is none.
    pub(crate) fn read(own: &StoreFolder) -> Self {
        own.open().map(|folder| Self::read_from(&folder)).unwrap_or_default()
    }

    /// Whether the file of a name is the one that was written; true for every file where nothing can be kept.
    pub(crate) fn holds(&self, name: &str, status: &Status, own: &StoreFolder) -> bool {
        let identity = identity_of(status);
        let is_listed = self.lines.iter().any(|(known, other)| known == name && *other == identity);
        is_listed || !own.is_writable()
    }

    /// Notes files that were just written, by name and status; `None` for one that was removed. A seal that cannot be
    /// written is given up: the files are made again then.
    pub(crate) fn update(own: &StoreFolder, written: &[(&str, Option<Status>)]) {
        let Some(folder) = own.make() else { return };
        let mut seal = Self::read_from(&folder);
        for (name, status) in written {
            seal.lines.retain(|(known, _)| known != name);
            seal.lines.extend(status.map(|status| ((*name).to_owned(), identity_of(&status))));
        }
        let surplus = seal.lines.len().saturating_sub(MAX_LINES);
        let mut text = String::new();
        for (name, (inode, size, modified, changed)) in seal.lines.iter().skip(surplus) {
            let _ = writeln!(text, "{name} {inode} {size} {modified} {changed}");
        }
        let _ = folder.replace(FILE, text.as_bytes(), Replacement::PRIVATE);
    }

    fn read_from(folder: &Folder) -> Self {
        let data = folder.read(FILE, MAX_BYTES).unwrap_or_default();
        Self { lines: String::from_utf8_lossy(&data).lines().filter_map(read_line).collect() }
    }
}

fn read_line(line: &str) -> Option<(String, Identity)> {
    let parts: Vec<&str> = line.split(' ').collect();
    let [name, inode, size, modified, changed] = parts.as_slice() else { return None };
    let identity = (inode.parse().ok()?, size.parse().ok()?, modified.parse().ok()?, changed.parse().ok()?);
    Some(((*name).to_owned(), identity))
}

fn identity_of(status: &Status) -> Identity {
    (status.inode, status.size, status.modified, status.changed)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::test_store::TestStore;
    use std::fs;

    #[test]
    fn a_seal_holds_for_the_very_file_that_was_written() {
        let store = TestStore::new("seal");
        let project = store.project();
        let status = project.memory.replace("snapshot", b"ours", Replacement::SHARED).unwrap();
        let holds = || {
            let status = project.memory.status("snapshot").unwrap();
            Seal::read(&project.own).holds("snapshot", &status, &project.own)
        };
        assert!(!holds());
        Seal::update(&project.own, &[("snapshot", Some(status)), ("snapshot.delta", None)]);
        assert!(holds());

        // The same bytes in another file are somebody else's.
        let path = store.memory_dir().join("snapshot");
        fs::rename(&path, store.memory_dir().join("old")).unwrap();
        fs::write(&path, "ours").unwrap();
        assert!(!holds());
        Seal::update(&project.own, &[("snapshot", None)]);
        assert_eq!(fs::read(store.own_folder().join("seal")).unwrap(), b"");
    }

    #[test]
    fn where_nothing_can_be_kept_every_file_counts() {
        let mut store = TestStore::new("seal-without-home");
        fs::write(store.path.join("file"), "").unwrap();
        store.environment.data_folder = Some(store.path.join("file").join("data"));
        let project = store.project();
        let status = project.memory.replace("snapshot", b"somebody's", Replacement::SHARED).unwrap();
        assert!(Seal::read(&project.own).holds("snapshot", &status, &project.own));
        Seal::update(&project.own, &[("snapshot", Some(status))]);
    }
}
