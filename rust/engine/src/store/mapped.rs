//! Maps files into memory: only the pages that are used are read.

use memmap2::Mmap;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// The bytes of a snapshot.
#[derive(Debug)]
pub enum Source {
    /// The mapped bytes of a file.
    Mapped(Mmap),
    /// Bytes that this process made.
    Owned(Arc<Vec<u8>>),
}

impl AsRef<[u8]> for Source {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(data) => data,
        }
    }
}

/// Returns the bytes of an open regular file; `None` if it cannot be read. The file is mapped, except on Windows, where
/// a mapped file cannot be replaced.
#[allow(unsafe_code, reason = "nobody can promise for a file on disk; see SAFETY")]
pub(crate) fn map_file(mut file: &File) -> Option<Source> {
    if cfg!(windows) {
        let mut data = Vec::new();
        file.read_to_end(&mut data).ok()?;
        return Some(Source::Owned(Arc::new(data)));
    }
    // SAFETY: a snapshot is never changed in place: its writers rename a new file over it, and the old bytes stay valid
    // while they are mapped. Another program that writes into the file could change bytes during a read. A reader
    // checks every offset when it uses it, so the answer is wrong at worst. If another program cuts the file, a signal
    // ends this process, which hosts treat as a hook that failed.
    let map = unsafe { Mmap::map(file) }.ok()?;
    Some(Source::Mapped(map))
}
