//! Files as bytes without reading them: only the pages that are looked at come into memory.

use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// The bytes of a snapshot: mapped, or made in this process.
#[derive(Debug)]
pub(crate) enum Source {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl AsRef<[u8]> for Source {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(data) => data,
        }
    }
}

/// Maps a regular file; `None` where there is none, or none that can be mapped.
#[allow(unsafe_code, reason = "nobody can promise for a file on disk; see SAFETY")]
pub(crate) fn map(path: &Path) -> Option<Source> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() == 0 {
        return None;
    }
    let file = File::open(path).ok()?;
    // SAFETY: a snapshot is never changed in place: its writers rename a new file over it, which leaves this one as it
    // is for as long as it is mapped. Whoever else writes into it could make the bytes change under a reader, which
    // checks every offset when it uses it and answers wrongly at worst, or cut the file, which ends this process by a
    // signal: hosts take that for a hook that failed.
    let map = unsafe { Mmap::map(&file) }.ok()?;
    Some(Source::Mapped(map))
}
