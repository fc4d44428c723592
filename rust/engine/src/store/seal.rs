//! The seal: it records which derived files this user's cuecard has written, because a repository can contain such
//! files as well (SPEC 43.4).

use crate::store::folder::{Folder, Replacement};
use crate::store::status::Status;
use crate::store::user_folder::StoreFolder;
use std::fmt::Write as _;

const FILE: &str = "seal";
const MAX_BYTES: u64 = 1 << 16;
/// The most lines of a seal, more than a store has files; the oldest lines are dropped.
const MAX_LINES: usize = 64;
/// How many older lines with the same file name are kept when a line is added.
const LINES_BEFORE: usize = 3;
/// The value for `CHANGED` in the line of a file that was recorded before it was renamed.
const UNKNOWN: i64 = 0;
/// In nanoseconds: files that were written further apart are not from processes at the same work.
const APART: u64 = 2_000_000_000;

/// The identities of derived files by their names, as lines `NAME INODE SIZE MODIFIED CHANGED`.
#[derive(Debug, Default)]
pub(crate) struct Seal {
    lines: Vec<(String, Identity)>,
}

/// The values that distinguish a file from any file that replaces it: inode, size and two times.
type Identity = (u64, u64, i64, i64);

impl Seal {
    /// Reads the seal of a store; an empty one if there is none.
    pub(crate) fn read(own: &StoreFolder) -> Self {
        own.open().map(|folder| Self::read_from(&folder)).unwrap_or_default()
    }

    /// Whether this user's cuecard has written the file with a name; always true if the user has no data folder.
    pub(crate) fn holds(&self, name: &str, status: &Status, own: &StoreFolder) -> bool {
        let (inode, size, modified, changed) = identity_of(status);
        let is_same = |identity: &Identity| {
            let is_changed = identity.3 != changed && identity.3 != UNKNOWN;
            (identity.0, identity.1, identity.2) == (inode, size, modified) && !is_changed
        };
        self.lines.iter().any(|(known, identity)| known == name && is_same(identity)) || !own.is_writable()
    }

    /// Whether somebody else has replaced a file that this user's cuecard had written. Processes of this user that write at
    /// the same time can leave a file out of the seal, so a file from about the time of a line is not somebody else's.
    pub(crate) fn is_of_others(&self, name: &str, status: &Status, own: &StoreFolder) -> bool {
        let modified = identity_of(status).2;
        let mut written =
            self.lines.iter().filter(|(known, _)| known == name).map(|(_, identity)| identity.2).peekable();
        written.peek().is_some()
            && written.all(|other| modified.abs_diff(other) > APART)
            && !self.holds(name, status, own)
    }

    /// Records a file that is about to be renamed to its name, so that it is known even if this process is killed after
    /// the renaming. The rename changes the last of the file's times, so `UNKNOWN` is recorded instead of this time.
    pub(crate) fn announce(own: &StoreFolder, name: &str, status: &Status) {
        let (inode, size, modified, _) = identity_of(status);
        Self::write(own, &[(name, Some((inode, size, modified, UNKNOWN)))]);
    }

    /// Records files that were just written, by name and status; `None` for a file that was removed. Write errors are
    /// ignored: the files are then made again.
    pub(crate) fn update(own: &StoreFolder, written: &[(&str, Option<Status>)]) {
        let identities: Vec<_> =
            written.iter().map(|(name, status)| (*name, status.map(|status| identity_of(&status)))).collect();
        Self::write(own, &identities);
    }

    fn write(own: &StoreFolder, written: &[(&str, Option<Identity>)]) {
        let Some(folder) = own.make() else { return };
        let mut seal = Self::read_from(&folder);
        for (name, identity) in written {
            seal.note(name, *identity);
        }
        let surplus = seal.lines.len().saturating_sub(MAX_LINES);
        let mut text = String::new();
        for (name, (inode, size, modified, changed)) in seal.lines.iter().skip(surplus) {
            let _ = writeln!(text, "{name} {inode} {size} {modified} {changed}");
        }
        let _ = folder.replace(FILE, text.as_bytes(), Replacement::PRIVATE);
    }

    /// Adds a line for a file after the last lines of the same name. These lines are kept, because another process may
    /// have replaced this file, or this process may be killed before it renames the new file.
    fn note(&mut self, name: &str, identity: Option<Identity>) {
        let Some(identity) = identity else {
            self.lines.retain(|(known, _)| known != name);
            return;
        };
        self.lines.retain(|(known, other)| known != name || other.0 != identity.0);
        let mut surplus = self.lines.iter().filter(|(known, _)| known == name).count().saturating_sub(LINES_BEFORE);
        self.lines.retain(|(known, _)| {
            let leaves = known == name && surplus > 0;
            surplus -= usize::from(leaves);
            !leaves
        });
        self.lines.push((name.to_owned(), identity));
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
    use crate::store::test_store::TestStore;
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

        // A copy with the same bytes is another file, which this user's cuecard did not write.
        let path = store.memory_dir().join("snapshot");
        fs::rename(&path, store.memory_dir().join("old")).unwrap();
        fs::write(&path, "ours").unwrap();
        assert!(!holds());
        Seal::update(&project.own, &[("snapshot", None)]);
        assert_eq!(fs::read(store.own_folder().join("seal")).unwrap(), b"");
    }

    #[test]
    fn a_file_counts_from_its_renaming_on_and_so_do_the_last_ones_of_its_name() {
        let store = TestStore::new("seal-announced");
        let project = store.project();
        let holds = |name: &str| {
            let status = project.memory.status(name).unwrap();
            Seal::read(&project.own).holds("snapshot", &status, &project.own)
        };
        let mut announced = 0;
        for number in 0..6 {
            let announce = |status: &Status| {
                announced += 1;
                Seal::announce(&project.own, "snapshot", status);
            };
            let data = [number; 9];
            project.memory.replace_announced(&format!("file{number}"), &data, Replacement::SHARED, announce).unwrap();
        }
        assert_eq!(announced, 6);
        let held: Vec<bool> = (0..6).map(|number| holds(&format!("file{number}"))).collect();
        assert_eq!(held, [false, false, true, true, true, true]);
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
