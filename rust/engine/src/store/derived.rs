//! The folder `.cuecard` of a store, with derived files that can be deleted and are kept out of the project's commits.

use crate::store::folder::{Folder, Replacement, SHARED_FOLDER};
use std::io;

const NAME: &str = ".cuecard";
const IGNORE_FILE: &str = ".gitignore";
const IGNORE: &[u8] = b"*\n";

/// Opens the folder `.cuecard`; `None` if it does not exist or is a link.
pub(crate) fn open_derived(memory: &Folder) -> Option<Folder> {
    memory.folder(NAME).ok()
}

/// Opens the folder `.cuecard`. Creates the folder and the `.gitignore` file in it if they are missing.
pub(crate) fn make_derived(memory: &Folder) -> io::Result<Folder> {
    let derived = memory.make_folder(NAME, SHARED_FOLDER)?;
    // A link or a pipe instead of the `.gitignore` file is not replaced: then the repository decides what it ignores. A
    // file that is too short was left by a process that crashed.
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
