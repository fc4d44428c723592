//! An open directory: the system calls behind `folder.rs`, each relative to a descriptor and none through a link
//! (SPEC 43.1).

use crate::store::status::{Kind, Status};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// `NONBLOCK` makes the opening of a pipe return at once; it changes nothing about regular files.
const FILE: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The flag of `open` that keeps a pipe from blocking, as a number.
#[allow(clippy::cast_possible_wrap, reason = "the flag is a small number")]
pub(crate) const NONBLOCK: i32 = OFlags::NONBLOCK.bits() as i32;

/// An open directory: it stays the same directory even if its path is renamed or replaced.
#[derive(Debug)]
pub(crate) struct Directory(OwnedFd);

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
        Ok(Self(rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty())?))
    }

    /// Opens a directory in this one. A link is an error.
    pub(crate) fn directory(&self, name: &str) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, name, DIRECTORY.union(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// Creates a directory in this one.
    pub(crate) fn make_directory(&self, name: &str, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.0, name, mode_of(mode))?)
    }

    /// Opens a file in this directory. A link is an error; a pipe or a device is opened without waiting.
    pub(crate) fn file(&self, name: &str, access: Access, mode: u32) -> io::Result<File> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Create => OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL),
            Access::Append => OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::APPEND),
            Access::AppendExisting => OFlags::WRONLY.union(OFlags::APPEND),
        };
        Ok(rustix::fs::openat(&self.0, name, flags.union(FILE), mode_of(mode))?.into())
    }

    /// Returns the status of the file with a name; for a link, of the link itself.
    pub(crate) fn status(&self, name: &str) -> io::Result<Status> {
        Ok(status_of_stat(&rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Calls `visit` with each name until it returns false.
    pub(crate) fn visit_names(&self, mut visit: impl FnMut(OsString) -> bool) -> io::Result<()> {
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." && !visit(OsString::from_vec(name)) {
                break;
            }
        }
        Ok(())
    }

    /// Renames a file or a directory within this directory. An existing file with the new name is replaced.
    pub(crate) fn rename(&self, name: &str, new_name: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, name, &self.0, new_name)?)
    }

    /// Removes a file, or a link itself.
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Whether this process may create files here.
    pub(crate) fn is_writable(&self) -> bool {
        let access = rustix::fs::Access::WRITE_OK;
        rustix::fs::accessat(&self.0, ".", access, AtFlags::EACCESS).is_ok()
    }
}

/// Returns the status of an open file.
pub(crate) fn status_of(file: &File) -> io::Result<Status> {
    Ok(status_of_stat(&rustix::fs::fstat(file.as_fd())?))
}

/// Returns the status of the file at a path; links are followed.
pub(crate) fn status_at(path: &Path) -> io::Result<Status> {
    Ok(status_of_stat(&rustix::fs::stat(path)?))
}

fn mode_of(mode: u32) -> Mode {
    Mode::from_bits_truncate(rustix::fs::RawMode::try_from(mode).unwrap_or_default())
}

#[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions, reason = "the types differ by system")]
fn status_of_stat(stat: &Stat) -> Status {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    let time = |seconds: i64, nanoseconds: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
    let whole = |nanoseconds| i64::try_from(nanoseconds).unwrap_or_default();
    Status {
        kind,
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: time(stat.st_mtime.into(), whole(stat.st_mtime_nsec)),
        changed: time(stat.st_ctime.into(), whole(stat.st_ctime_nsec)),
        inode: stat.st_ino.into(),
        device: u64::try_from(stat.st_dev).unwrap_or_default(),
        links: u64::from(stat.st_nlink),
    }
}
