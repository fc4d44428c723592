//! Maps files into memory: only the pages that are used are read.

use memmap2::Mmap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;
use std::sync::Arc;

/// The bytes of a segment: a mapped file, or bytes that this process made.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Mapped(Arc<Mmap>),
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

impl From<Vec<u8>> for Source {
    fn from(data: Vec<u8>) -> Self {
        Self::Owned(Arc::new(data))
    }
}

/// Maps a file; `None` if it does not exist.
pub(crate) fn map(path: &Path) -> Result<Option<Source>> {
    // The kind is checked before the file is opened, because opening a pipe would block.
    let metadata = match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(Error::other("it is not a regular file"));
    }
    map_file(&File::open(path)?).map(Some)
}

#[allow(unsafe_code, reason = "nobody can promise for a file on disk; see SAFETY")]
fn map_file(mut file: &File) -> Result<Source> {
    if file.metadata()?.len() == 0 {
        return Ok(Source::Owned(Arc::default()));
    }
    // Windows cannot replace a mapped file, so that saving the index again would fail.
    if cfg!(windows) {
        let mut data = Vec::new();
        file.read_to_end(&mut data)?;
        return Ok(Source::from(data));
    }
    // SAFETY: a segment is never changed in place: its writers rename a new file over it, and the old bytes stay valid
    // while they are mapped. Another process that writes into the file could change bytes during a read. A reader
    // checks every offset when it uses it, so the answer is wrong at worst. If another process cuts the file, a signal
    // ends this process.
    let map = unsafe { Mmap::map(file) }?;
    Ok(Source::Mapped(Arc::new(map)))
}
