//! The folder `.cuecard` of a store: derived files that can be deleted, kept out of the project's commits.

use crate::store::folder::{Folder, Replacement, SHARED_FOLDER};
use std::io;

const NAME: &str = ".cuecard";
const IGNORE_FILE: &str = ".gitignore";
const IGNORE: &[u8] = b"*\n";

/// The folder as it is; `None` where there is none, or a link in its place.
pub(crate) fn open_derived(memory: &Folder) -> Option<Folder> {
    memory.folder(NAME).ok()
}

/// The folder with its `.gitignore`, which are made where they are missing.
pub(crate) fn make_derived(memory: &Folder) -> io::Result<Folder> {
    let derived = memory.make_folder(NAME, SHARED_FOLDER)?;
    // A link or a pipe in its place is left alone: then the repository says what it ignores. A file that is shorter
    // was left by a process that died.
    let is_whole = match derived.status(IGNORE_FILE) {
        Ok(status) => !status.is_file() || status.size >= IGNORE.len() as u64,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    if !is_whole {
        derived.replace(IGNORE_FILE, IGNORE, Replacement::SHARED)?;
    }
    Ok(derived)
}
