//! The files of a plain index, replaced in one step (SPEC 21.6).

use crate::convert::{WriteError, reason};
use pyo3::PyErr;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Result, Write};
use std::path::{Component, Path, PathBuf};

/// A path that stays the same when the process changes its folder.
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

/// The path of the delta beside a base.
pub(crate) fn delta_path(path: &Path) -> PathBuf {
    let mut delta = OsString::from(path);
    delta.push(".delta");
    delta.into()
}

/// Puts a file in its place.
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
    // The name of a file is its folder's content.
    if has_fsync && cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Removes a file if there is one.
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
