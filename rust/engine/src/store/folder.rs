//! The one module that opens, lists, renames, maps and removes files of a store and of the user's data folder (SPEC 43).
//!
//! A `Folder` is an open directory. Every name that it takes is a single component, and no link under such a name is
//! followed, so whatever a repository contains, nothing outside of the folder is read, written or removed.

#[cfg(unix)]
use crate::store::directory::{Access, Directory, NONBLOCK, status_of};
#[cfg(not(unix))]
use crate::store::directory_by_path::{Access, Directory, status_of};
use crate::store::mapped::{Source, map_file};
use crate::store::status::{Kind, Status, time_of};
use std::collections::hash_map::RandomState;
use std::fs::{File, OpenOptions};
use std::hash::BuildHasher;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The mode of folders and files that only the user may read.
pub(crate) const PRIVATE_FOLDER: u32 = 0o700;
pub(crate) const PRIVATE_FILE: u32 = 0o600;
/// The mode of folders and files of a store, before the user's umask is applied.
pub(crate) const SHARED_FOLDER: u32 = 0o777;
pub(crate) const SHARED_FILE: u32 = 0o666;
/// A folder with more entries is not listed to its end.
const MAX_ENTRIES: usize = 100_000;
/// A larger file is not mapped.
const MAX_MAPPED_BYTES: u64 = 4 << 30;
/// How many temporary names are tried; the first one is almost always free.
const MAX_NAMES: u32 = 16;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Folder(Directory);

/// Why a file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    Missing,
    /// It is a link, a pipe or a device, or the system refuses to open it.
    Unreadable,
    TooLarge,
    /// Its path leads out of the store or contains a link.
    Outside,
}

impl Unread {
    /// Returns the reason as words that follow the file's name in the log.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Missing => "is missing",
            Self::Unreadable => "cannot be read",
            Self::TooLarge => "is too large",
            Self::Outside => "is outside the store",
        }
    }
}

/// How a file is replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replacement {
    pub(crate) mode: u32,
    /// Whether the content must be on the disk before the file gets its name, so that a crash of the machine does not
    /// lose it.
    pub(crate) is_durable: bool,
    /// The modification time that the file gets, in nanoseconds since 1970; `None` for the current time.
    pub(crate) modified: Option<i64>,
}

impl Replacement {
    /// A file that only the user may read.
    pub(crate) const PRIVATE: Self = Self { mode: PRIVATE_FILE, is_durable: false, modified: None };
    /// A derived file of a store.
    pub(crate) const SHARED: Self = Self { mode: SHARED_FILE, is_durable: false, modified: None };
}

impl Folder {
    /// Opens the folder at a path, such as a checkout or the user's data folder; links in the path are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Directory::open(path).map(Self)
    }

    /// Opens a folder in this one. A link is an error.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        self.0.directory(single(name)?).map(Self)
    }

    /// Opens a folder in this one, and creates it if it is missing.
    pub(crate) fn make_folder(&self, name: &str, mode: u32) -> io::Result<Self> {
        match self.folder(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        match self.0.make_directory(name, mode) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => self.folder(name),
        }
    }

    /// Returns the bytes of a regular file of at most `limit` bytes.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, Unread> {
        self.read_with_status(name, limit).map(|(data, _)| data)
    }

    /// Returns the bytes of a regular file of at most `limit` bytes, and its status when it was opened.
    pub(crate) fn read_with_status(&self, name: &str, limit: u64) -> Result<(Vec<u8>, Status), Unread> {
        let (mut file, status) = self.open_file(name).map_err(|error| why_unread(&error))?;
        let data = read_regular(&mut file, &status, limit)?;
        Ok((data, status))
    }

    /// Returns the status of the file with a name; for a link, of the link itself.
    pub(crate) fn status(&self, name: &str) -> io::Result<Status> {
        self.0.status(single(name)?)
    }

    /// Returns the names for which `is_wanted` is true, in no order; `None` if there are more than `limit`, or the
    /// folder has more than `MAX_ENTRIES` entries.
    pub(crate) fn list(&self, limit: usize, is_wanted: impl Fn(&str) -> bool) -> io::Result<Option<Vec<String>>> {
        let (names, is_whole) = self.list_first(limit, is_wanted)?;
        Ok(is_whole.then_some(names))
    }

    /// Returns the first `limit` names for which `wants` is true, in no order, and whether these are all such names.
    pub(crate) fn list_first(&self, limit: usize, wants: impl Fn(&str) -> bool) -> io::Result<(Vec<String>, bool)> {
        let (mut names, mut entries, mut is_whole) = (Vec::new(), 0, true);
        self.0.visit_names(|name| {
            let name = name.to_string_lossy();
            entries += 1;
            is_whole = entries <= MAX_ENTRIES;
            if is_whole && wants(&name) {
                is_whole = names.len() < limit;
                if is_whole {
                    names.push(name.into_owned());
                }
            }
            is_whole
        })?;
        Ok((names, is_whole))
    }

    /// Replaces a file atomically: a reader sees the old or the new file. Returns the status of the new file.
    pub(crate) fn replace(&self, name: &str, data: &[u8], how: Replacement) -> io::Result<Status> {
        self.replace_announced(name, data, how, |_| ())
    }

    /// Replaces a file as `replace` does. Calls `announce` with the status of the new file before it is renamed to
    /// `name`.
    pub(crate) fn replace_announced(
        &self,
        name: &str,
        data: &[u8],
        how: Replacement,
        announce: impl FnOnce(&Status),
    ) -> io::Result<Status> {
        let (mut file, temporary) = self.create_temporary(single(name)?, how.mode)?;
        let written = (|| {
            file.write_all(data)?;
            if let Some(modified) = how.modified {
                file.set_modified(time_of(modified))?;
            }
            if how.is_durable {
                file.sync_all()?;
            }
            announce(&status_of(&file)?);
            self.0.rename(&temporary, name)?;
            // The status comes from the open file, because another process may have put another file under the name.
            status_of(&file)
        })();
        if written.is_err() {
            let _ = self.0.remove_file(&temporary);
        }
        written
    }

    /// Appends to a regular file, which is created if it is missing. This is one system call, so that lines of several
    /// processes do not mix. A file of more than `limit` bytes is renamed to `full_name` first.
    pub(crate) fn append(&self, name: &str, data: &[u8], limit: u64, full_name: &str) -> io::Result<()> {
        let open = || -> io::Result<(File, Status)> {
            let file = self.0.file(single(name)?, Access::Append, PRIVATE_FILE)?;
            let status = status_of(&file)?;
            if status.is_file() { Ok((file, status)) } else { Err(ErrorKind::InvalidInput.into()) }
        };
        let (mut file, status) = open()?;
        if status.size > limit {
            self.rename(name, full_name)?;
            file = open()?.0;
        }
        file.write(data).map(|_| ())
    }

    /// Appends to an existing regular file with one call.
    pub(crate) fn append_existing(&self, name: &str, data: &[u8]) -> io::Result<()> {
        let mut file = self.0.file(single(name)?, Access::AppendExisting, PRIVATE_FILE)?;
        if !status_of(&file)?.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        file.write(data).map(|_| ())
    }

    /// Creates an empty file; an existing file is an error.
    pub(crate) fn create(&self, name: &str, mode: u32) -> io::Result<()> {
        self.0.file(single(name)?, Access::Create, mode).map(|_| ())
    }

    /// Renames a file within this folder. An existing file with the new name is replaced.
    pub(crate) fn rename(&self, name: &str, new_name: &str) -> io::Result<()> {
        self.0.rename(single(name)?, single(new_name)?)
    }

    /// Removes a file; for a link, the link itself.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove_file(single(name)?)
    }

    /// Maps a regular file into memory; `None` if it is missing, empty or cannot be mapped.
    pub(crate) fn map(&self, name: &str) -> Option<(Source, Status)> {
        let (file, status) = self.open_file(name).ok()?;
        let is_mappable = status.is_file() && status.size > 0 && status.size <= MAX_MAPPED_BYTES;
        if is_mappable { Some((map_file(&file)?, status)) } else { None }
    }

    /// Whether this process may create files here.
    pub(crate) fn is_writable(&self) -> bool {
        self.0.is_writable()
    }

    fn open_file(&self, name: &str) -> io::Result<(File, Status)> {
        let file = self.0.file(single(name)?, Access::Read, 0)?;
        let status = status_of(&file)?;
        Ok((file, status))
    }

    /// Creates a file with a temporary name for another file: `.NAME.<16 hexadecimal digits>.tmp`.
    fn create_temporary(&self, name: &str, mode: u32) -> io::Result<(File, String)> {
        let mut last = io::Error::from(ErrorKind::AlreadyExists);
        for attempt in 0..MAX_NAMES {
            let temporary = format!(".{name}.{:016x}.tmp", RandomState::new().hash_one((std::process::id(), attempt)));
            match self.0.file(&temporary, Access::Create, mode) {
                Ok(file) => return Ok((file, temporary)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Whether the file with a name is a link.
    pub(crate) fn is_link(&self, name: &str) -> bool {
        self.status(name).is_ok_and(|status| status.kind == Kind::Link)
    }
}

/// Returns the bytes of a regular file outside of any store, such as a file of Git; links are followed.
pub(crate) fn read_elsewhere(path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
    let (mut file, status) = open_elsewhere(path).map_err(|error| why_unread(&error))?;
    read_regular(&mut file, &status, limit)
}

/// Returns the whole lines in the last `limit` bytes of a regular file outside of any store; links are followed.
pub(crate) fn read_end_elsewhere(path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
    let (mut file, status) = open_elsewhere(path).map_err(|error| why_unread(&error))?;
    if !status.is_file() {
        return Err(Unread::Unreadable);
    }
    let start = status.size.saturating_sub(limit);
    let mut data = Vec::new();
    let end = file.seek(SeekFrom::Start(start)).and_then(|_| file.take(limit).read_to_end(&mut data));
    end.map_err(|_| Unread::Unreadable)?;
    if start > 0 {
        let line = data.iter().position(|byte| *byte == b'\n').map_or(data.len(), |end| end + 1);
        data.drain(..line);
    }
    Ok(data)
}

/// Returns the status of a file that a tool is about to write; links are followed.
#[cfg(unix)]
pub(crate) fn status_elsewhere(path: &Path) -> io::Result<Status> {
    crate::store::directory::status_at(path)
}

/// Opens the file at a path, without waiting for a pipe or a device; links are followed.
fn open_elsewhere(path: &Path) -> io::Result<(File, Status)> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.custom_flags(NONBLOCK);
    let file = options.read(true).open(path)?;
    let status = status_of(&file)?;
    Ok((file, status))
}

fn why_unread(error: &io::Error) -> Unread {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Unread::Missing,
        _ => Unread::Unreadable,
    }
}

/// Returns the content of an open file, which must be a regular file of at most `limit` bytes.
fn read_regular(file: &mut File, status: &Status, limit: u64) -> Result<Vec<u8>, Unread> {
    if !status.is_file() {
        return Err(Unread::Unreadable);
    }
    if status.size > limit {
        return Err(Unread::TooLarge);
    }
    // The buffer has room for one byte more than the file, so that a read that does not fill it has reached the end.
    let mut data = vec![0; usize::try_from(status.size).unwrap_or_default() + 1];
    let mut length = 0;
    while length < data.len() {
        match file.read(data.get_mut(length..).unwrap_or_default()) {
            Ok(count) if count < data.len() - length => {
                length += count;
                break;
            }
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(Unread::Unreadable),
        }
        if length as u64 > limit {
            return Err(Unread::TooLarge);
        }
        data.resize(length * 2, 0);
    }
    data.truncate(length);
    Ok(data)
}

/// Returns the name if it is a single component of a path; otherwise an error.
fn single(name: &str) -> io::Result<&str> {
    let is_path = matches!(name, "" | "." | "..") || name.contains(['/', '\0']) || name.contains(WINDOWS_SIGNS);
    if is_path { Err(ErrorKind::InvalidInput.into()) } else { Ok(name) }
}

/// The characters that separate components, drives and streams on Windows.
#[cfg(windows)]
const WINDOWS_SIGNS: [char; 2] = ['\\', ':'];
#[cfg(not(windows))]
const WINDOWS_SIGNS: [char; 0] = [];

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::test_store::TestStore;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// Creates a folder for a test, with a file `secret` and a folder `outside` next to it.
    fn folder(name: &str) -> (TestStore, Folder) {
        let store = TestStore::new(name);
        fs::create_dir_all(store.path.join("outside")).unwrap();
        fs::write(store.path.join("secret"), "secret").unwrap();
        let folder = Folder::open(&store.memory_dir()).unwrap();
        (store, folder)
    }

    #[test]
    fn a_name_is_a_single_component() {
        let (_store, folder) = folder("names");
        for name in ["", ".", "..", "a/b", "/etc", "a\0b", "../project"] {
            assert!(folder.folder(name).is_err(), "{name}");
            assert_eq!(folder.read(name, 10), Err(Unread::Unreadable), "{name}");
            assert!(folder.replace(name, b"", Replacement::SHARED).is_err(), "{name}");
            assert!(folder.remove(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_link_is_never_followed() {
        let (store, folder) = folder("follow");
        let at = store.memory_dir();
        symlink(store.path.join("secret"), at.join("file")).unwrap();
        symlink(store.path.join("outside"), at.join("folder")).unwrap();
        assert_eq!(folder.read("file", 10), Err(Unread::Unreadable));
        assert!(folder.map("file").is_none());
        assert!(folder.append("file", b"more", 100, "full").is_err());
        assert!(folder.folder("folder").is_err());
        assert!(folder.make_folder("folder", PRIVATE_FOLDER).is_err());
        assert!(folder.create("file", SHARED_FILE).is_err());
        folder.remove("file").unwrap();
        assert_eq!(fs::read(store.path.join("secret")).unwrap(), b"secret");
    }

    #[test]
    fn a_link_in_the_place_of_a_file_is_replaced_and_not_written_through() {
        let (store, folder) = folder("replace");
        symlink(store.path.join("secret"), store.memory_dir().join("file")).unwrap();
        let status = folder.replace("file", b"new", Replacement::PRIVATE).unwrap();
        assert_eq!(fs::read(store.path.join("secret")).unwrap(), b"secret");
        let written = fs::symlink_metadata(store.memory_dir().join("file")).unwrap();
        assert!(written.is_file());
        assert_eq!(written.permissions().mode() & 0o777, 0o600);
        assert_eq!(folder.status("file").unwrap(), status);
        assert_eq!(fs::read_dir(store.memory_dir()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let (store, folder) = folder("pipes");
        let pipe = store.memory_dir().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        fs::create_dir(store.memory_dir().join("folder")).unwrap();
        for name in ["pipe", "folder"] {
            assert_eq!(folder.read(name, 10), Err(Unread::Unreadable));
            assert!(folder.map(name).is_none());
            assert!(folder.append(name, b"line", 10, "full").is_err());
        }
        assert_eq!(read_elsewhere(&pipe, 10), Err(Unread::Unreadable));
        assert_eq!(read_elsewhere(Path::new("/dev/zero"), 10), Err(Unread::Unreadable));
    }

    #[test]
    fn reading_and_listing_are_bounded() {
        let (store, folder) = folder("bounds");
        for name in ["a.json", "b.json", "c.txt"] {
            fs::write(store.memory_dir().join(name), "0123456789").unwrap();
        }
        assert_eq!(folder.read("a.json", 9), Err(Unread::TooLarge));
        assert_eq!(folder.read("a.json", 10).unwrap(), b"0123456789");
        assert_eq!(folder.read("d.json", 10), Err(Unread::Missing));
        let is_json = |name: &str| name.strip_suffix(".json").is_some();
        let mut names = folder.list(2, is_json).unwrap().unwrap();
        names.sort_unstable();
        assert_eq!(names, ["a.json", "b.json"]);
        assert_eq!(folder.list(1, is_json).unwrap(), None);
    }

    #[test]
    fn a_full_log_is_renamed_before_the_next_line() {
        let (store, folder) = folder("append");
        for line in ["one\n", "two\n", "three\n"] {
            folder.append("log", line.as_bytes(), 7, "log.1").unwrap();
        }
        let read = |name: &str| fs::read_to_string(store.memory_dir().join(name)).unwrap();
        assert_eq!((read("log.1"), read("log")), ("one\ntwo\n".into(), "three\n".into()));
    }
}
