//! Files of a store: bounded reads, and whether a path stays inside (SPEC 14.2).

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// Memory files may be this large.
pub(crate) const MAX_RECORD_BYTES: u64 = 256 << 10;

/// Why a file has no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    Missing,
    Unreadable,
    TooLarge,
}

impl Unread {
    /// Its words in the log, behind the file's name.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Missing => "is missing",
            Self::Unreadable => "cannot be read",
            Self::TooLarge => "is too large",
        }
    }
}

/// The bytes of a regular file of at most `limit` bytes. Pipes and devices are never opened: they could block.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
    let unread = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Unread::Missing,
        _ => Unread::Unreadable,
    };
    let metadata = fs::metadata(path).map_err(unread)?;
    if !metadata.is_file() {
        return Err(Unread::Unreadable);
    }
    if metadata.len() > limit {
        return Err(Unread::TooLarge);
    }
    let mut file = File::open(path).map_err(unread)?;
    // Room for one byte more than there should be: a read that does not fill it has met the end.
    let mut data = vec![0; usize::try_from(metadata.len()).unwrap_or_default() + 1];
    let mut length = 0;
    while length < data.len() {
        match file.read(data.get_mut(length..).unwrap_or_default()) {
            Ok(count) if count < data.len() - length => {
                length += count;
                break;
            }
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(unread(error)),
        }
        if length as u64 > limit {
            return Err(Unread::TooLarge);
        }
        data.resize(length * 2, 0);
    }
    data.truncate(length);
    Ok(data)
}

/// Tells paths inside a store from paths that leave it, links followed.
pub(crate) struct Containment {
    root: PathBuf,
    memory_dir: PathBuf,
    resolved_dir: Option<PathBuf>,
    /// Category folders, and whether each is a folder of its own and no link.
    folders: HashMap<String, bool>,
}

impl Containment {
    pub(crate) fn new(root: &Path, memory_dir: &Path) -> Self {
        Self { root: root.to_owned(), memory_dir: memory_dir.to_owned(), resolved_dir: None, folders: HashMap::new() }
    }

    /// The absolute path of a path relative to the project, if it stays inside the memory folder.
    pub(crate) fn locate(&mut self, relative: &str) -> Option<PathBuf> {
        if let Some(path) = self.locate_plain(relative) {
            return Some(path);
        }
        if relative.contains('\0') {
            return None;
        }
        if self.resolved_dir.is_none() {
            self.resolved_dir = resolve(&self.memory_dir);
        }
        let path = self.root.join(relative);
        let is_inside = resolve(&path)?.starts_with(self.resolved_dir.as_ref()?);
        is_inside.then_some(path)
    }

    /// The usual case, `.claude/memory/FOLDER/NAME` with no link in it, for the price of one look at the file.
    fn locate_plain(&mut self, relative: &str) -> Option<PathBuf> {
        let (folder, name) = relative.strip_prefix(".claude/memory/")?.split_once('/')?;
        if [folder, name].iter().any(|part| matches!(*part, "" | "." | "..") || part.contains(['/', '\\', '\0'])) {
            return None;
        }
        let dir = self.memory_dir.join(folder);
        let is_plain_folder = *self
            .folders
            .entry(folder.to_owned())
            .or_insert_with(|| fs::symlink_metadata(&dir).is_ok_and(|metadata| metadata.is_dir()));
        let path = dir.join(name);
        let is_link = || fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
        (is_plain_folder && !is_link()).then_some(path)
    }
}

/// The path without links and dots; what does not exist stands for itself. `None` for a circle of links.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::new();
    let mut waiting = vec![std::path::absolute(path).ok()?];
    let mut links = 0;
    while let Some(next) = waiting.pop() {
        let mut components = next.components();
        while let Some(component) = components.next() {
            match component {
                Component::Prefix(_) | Component::RootDir => resolved.push(component),
                Component::CurDir => {}
                Component::ParentDir => {
                    resolved.pop();
                }
                Component::Normal(name) => {
                    let candidate = resolved.join(name);
                    if let Ok(target) = fs::read_link(&candidate) {
                        links += 1;
                        if links > 40 {
                            return None;
                        }
                        waiting.push(components.as_path().to_owned());
                        waiting.push(target);
                        break;
                    }
                    resolved = candidate;
                }
            }
        }
    }
    Some(resolved)
}
