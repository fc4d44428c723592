//! A directory that is used through its path, on systems without `openat`. There `folder.rs` uses it instead of
//! `directory.rs` (SPEC 43.1).
//!
//! Every component below the directory that was opened first is checked before each use. This does not protect against
//! a program that creates a link between the check and the use; on Unix `directory.rs` leaves no such gap.

use crate::store::status::{Kind, Status, nanoseconds_of};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A directory. `first` is the path of the directory that `open` got: links are followed in this path, and not below
/// it.
#[derive(Debug)]
pub(crate) struct Directory {
    first: PathBuf,
    names: Vec<String>,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// An existing file, for reading.
    Read,
    /// A new file, for writing; an existing file is an error.
    Create,
    /// An existing or a new file, for writing at its end.
    Append,
    /// An existing file, for writing at its end.
    AppendExisting,
}

impl Directory {
    /// Opens the directory at a path; links in the path are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if !fs::metadata(path)?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        Ok(Self { first: std::path::absolute(path)?, names: Vec::new() })
    }

    /// Opens a directory in this one. A link is an error.
    pub(crate) fn directory(&self, name: &str) -> io::Result<Self> {
        if self.status(name)?.kind != Kind::Folder {
            return Err(ErrorKind::NotADirectory.into());
        }
        let names = self.names.iter().cloned().chain([name.to_owned()]).collect();
        Ok(Self { first: self.first.clone(), names })
    }

    /// Creates a directory in this one.
    pub(crate) fn make_directory(&self, name: &str, _mode: u32) -> io::Result<()> {
        fs::create_dir(self.path()?.join(name))
    }

    /// Opens a file in this directory. A link is an error, and so is anything else that is not a regular file.
    pub(crate) fn file(&self, name: &str, access: Access, _mode: u32) -> io::Result<File> {
        let path = self.path()?.join(name);
        match self.status(name) {
            Ok(status) if status.is_file() && access != Access::Create => {}
            Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
            Err(error) if access == Access::Read => return Err(error),
            Err(_) => {}
        }
        match access {
            Access::Read => File::open(path),
            Access::Create => OpenOptions::new().write(true).create_new(true).open(path),
            Access::Append => OpenOptions::new().append(true).create(true).open(path),
            Access::AppendExisting => OpenOptions::new().append(true).open(path),
        }
    }

    /// Returns the status of the file with a name; for a link, of the link itself.
    pub(crate) fn status(&self, name: &str) -> io::Result<Status> {
        Ok(status_of_metadata(&fs::symlink_metadata(self.path()?.join(name))?))
    }

    /// Calls `visit` with each name until it returns false.
    pub(crate) fn visit_names(&self, mut visit: impl FnMut(OsString) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(self.path()?)? {
            if !visit(entry?.file_name()) {
                break;
            }
        }
        Ok(())
    }

    /// Renames a file or a directory within this directory. An existing file with the new name is replaced.
    pub(crate) fn rename(&self, name: &str, new_name: &str) -> io::Result<()> {
        let folder = self.path()?;
        fs::rename(folder.join(name), folder.join(new_name))
    }

    /// Removes a file, or a link itself.
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path()?.join(name))
    }

    /// Whether this process may create files here, as far as can be told without creating one.
    pub(crate) fn is_writable(&self) -> bool {
        self.path().and_then(fs::metadata).is_ok_and(|metadata| !metadata.permissions().readonly())
    }

    /// Returns the path of this directory. An error if a component of the path below `first` is missing, a link, or not
    /// a directory.
    fn path(&self) -> io::Result<PathBuf> {
        let mut path = self.first.clone();
        for name in &self.names {
            path.push(name);
            if status_of_metadata(&fs::symlink_metadata(&path)?).kind != Kind::Folder {
                return Err(ErrorKind::NotADirectory.into());
            }
        }
        Ok(path)
    }
}

/// Returns the status of an open file.
pub(crate) fn status_of(file: &File) -> io::Result<Status> {
    Ok(status_of_metadata(&file.metadata()?))
}

fn status_of_metadata(metadata: &fs::Metadata) -> Status {
    let kind = if is_link(metadata) {
        Kind::Link
    } else if metadata.is_file() {
        Kind::File
    } else if metadata.is_dir() {
        Kind::Folder
    } else {
        Kind::Other
    };
    let modified = metadata.modified().map_or(0, nanoseconds_of);
    Status { kind, size: metadata.len(), modified, changed: 0, inode: 0, device: 0, links: 1 }
}

/// Whether a file is a link, or on Windows anything else that leads elsewhere, such as a junction.
fn is_link(metadata: &fs::Metadata) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        const REPARSE_POINT: u32 = 0x400;
        if metadata.file_attributes() & REPARSE_POINT != 0 {
            return true;
        }
    }
    metadata.is_symlink()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::test_store::TestStore;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_on_the_way_is_refused_even_if_it_comes_later() {
        let store = TestStore::new("by-path");
        let outside = store.path.join("outside");
        fs::create_dir(&outside).unwrap();
        let memory = Directory::open(&store.memory_dir()).unwrap();
        memory.make_directory("decisions", 0o777).unwrap();
        let decisions = memory.directory("decisions").unwrap();
        decisions.file("a.json", Access::Create, 0o666).unwrap();
        assert!(decisions.file("a.json", Access::Create, 0o666).is_err());
        assert!(decisions.file("a.json.log", Access::AppendExisting, 0o666).is_err());
        decisions.file("a.json", Access::Append, 0o666).unwrap();
        decisions.file("a.json", Access::AppendExisting, 0o666).unwrap();
        let file = decisions.file("a.json", Access::Read, 0).unwrap();
        assert_eq!(status_of(&file).unwrap(), decisions.status("a.json").unwrap());
        decisions.rename("a.json", "b.json").unwrap();
        let mut names = Vec::new();
        decisions
            .visit_names(|name| {
                names.push(name);
                true
            })
            .unwrap();
        assert_eq!(names, ["b.json"]);
        assert!(decisions.is_writable());

        decisions.remove_file("b.json").unwrap();
        fs::remove_dir(store.memory_dir().join("decisions")).unwrap();
        symlink(&outside, store.memory_dir().join("decisions")).unwrap();
        assert!(decisions.file("a.json", Access::Create, 0o666).is_err());
        assert!(memory.directory("decisions").is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
