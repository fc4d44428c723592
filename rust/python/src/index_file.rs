//! Reads and atomically replaces the files of a plain index (SPEC 21.6).

use crate::convert::{WriteError, reason};
use pyo3::PyErr;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Result, Write};
use std::path::{Component, Path, PathBuf};

/// Returns an absolute path, which stays valid when the process changes its working directory.
pub(crate) fn absolute_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut whole = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => (),
            component => whole.push(component),
        }
    }
    whole
}

/// Returns the path of the delta that belongs to a base file.
pub(crate) fn delta_path(path: &Path) -> PathBuf {
    let mut delta = OsString::from(path);
    delta.push(".delta");
    delta.into()
}

/// Replaces a file atomically; with `has_fsync` its bytes are on the disk afterwards.
pub(crate) fn write_whole(path: &Path, data: &[u8], has_fsync: bool) -> std::result::Result<(), PyErr> {
    write_and_rename(path, data, has_fsync).map_err(|error| not_written(path, &error))
}

fn write_and_rename(path: &Path, data: &[u8], has_fsync: bool) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(100).collect();
    let temporary = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(data)?;
        if has_fsync {
            file.sync_all()?;
        }
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        drop(fs::remove_file(&temporary));
    }
    written?;
    // The name of a file is stored in its folder, so the folder is synced too.
    if has_fsync && cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Removes a file if it exists.
pub(crate) fn remove_file(path: &Path) -> std::result::Result<(), PyErr> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(not_written(path, &error)),
        _ => Ok(()),
    }
}

fn not_written(path: &Path, error: &std::io::Error) -> PyErr {
    let what = format!("`{}` cannot be written: {}", path.display(), reason(error));
    WriteError::new_err((what, "make room, or check the permissions; nothing was lost"))
}
