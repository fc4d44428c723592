//! The status of a file or a folder: its kind, size, times and links (SPEC 43.2, 44.4).

use cuecard_core::memory::Stamp;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a device or a socket.
    Other,
}

/// Kind, size, times, inode and number of links of a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) kind: Kind,
    /// The size in bytes.
    pub(crate) size: u64,
    /// When the content was last changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// When content, name or mode were last changed; 0 if the system does not tell it.
    pub(crate) changed: i64,
    /// The inode on its device. This and the members below are 0 if the system does not tell them.
    pub(crate) inode: u64,
    pub(crate) device: u64,
    /// How many names (hard links) the file has.
    pub(crate) links: u64,
}

impl Status {
    /// Whether the status is that of a regular file.
    pub(crate) fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    /// Returns size and modification time, in the form that a snapshot stores.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { size: u32::try_from(self.size).unwrap_or(u32::MAX), modified: self.modified }
    }

    /// Whether two statuses belong to the same file.
    #[cfg(unix)]
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Converts a time to nanoseconds since 1970.
pub(crate) fn nanoseconds_of(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |before| -before),
    }
}

/// Converts nanoseconds since 1970, which may be negative, to a time.
pub(crate) fn time_of(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

/// Returns the current time in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    nanoseconds_of(SystemTime::now())
}
