//! Opens the files of a store by their paths in the project, and detects links (SPEC 14.2, 43).

use crate::store::folder::{Folder, Unread};
use crate::store::root::Project;
use crate::store::status::{Kind, Status};
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The most bytes that a memory's file may have.
pub(crate) const MAX_RECORD_BYTES: u64 = 256 << 10;
/// A longer path is not resolved, because each of its components costs a call to the file system.
const MAX_PATH_BYTES: usize = 32 << 10;

/// Opens memories by paths such as `.claude/memory/decisions/a.json`; the folders of categories stay open.
#[derive(Debug, Clone)]
pub(crate) struct StoreFiles {
    memory: Rc<Folder>,
    folders: HashMap<String, Result<Rc<Folder>, Unread>>,
}

impl StoreFiles {
    pub(crate) fn new(project: &Project) -> Self {
        Self { memory: Rc::clone(&project.memory), folders: HashMap::new() }
    }

    /// Returns the bytes of the memory at a path and the status of its file.
    pub(crate) fn read(&mut self, path: &str) -> Result<(Vec<u8>, Status), Unread> {
        let (folder, name) = self.find(path)?;
        let read = folder.read_with_status(name, MAX_RECORD_BYTES);
        if read == Err(Unread::Unreadable) && folder.is_link(name) { Err(Unread::Outside) } else { read }
    }

    /// Returns the status of the file at a path, which must not be a link.
    pub(crate) fn status(&mut self, path: &str) -> Result<Status, Unread> {
        let (folder, name) = self.find(path)?;
        match folder.status(name) {
            Ok(status) if status.kind == Kind::Link => Err(Unread::Outside),
            Ok(status) => Ok(status),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Unread::Missing),
            Err(_) => Err(Unread::Unreadable),
        }
    }

    /// Whether a path leads out of the store or contains a link.
    pub(crate) fn is_outside(&mut self, path: &str) -> bool {
        self.status(path) == Err(Unread::Outside)
    }

    /// Opens a folder of the store.
    pub(crate) fn folder(&mut self, name: &str) -> Result<Rc<Folder>, Unread> {
        if let Some(known) = self.folders.get(name) {
            return known.clone();
        }
        let opened = open_below(&self.memory, name);
        self.folders.insert(name.to_owned(), opened.clone());
        opened
    }

    /// Returns the folder of the file at a path, and the file's name in it.
    fn find<'a>(&mut self, path: &'a str) -> Result<(Rc<Folder>, &'a str), Unread> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or(Unread::Outside)?;
                }
                _ => parts.push(part),
            }
        }
        let is_absolute = path.starts_with('/') || path.contains('\0');
        let ([".claude", "memory", folders @ .., name], false) = (parts.as_slice(), is_absolute) else {
            return Err(Unread::Outside);
        };
        let mut folder = Rc::clone(&self.memory);
        for (depth, name) in folders.iter().enumerate() {
            folder = if depth == 0 { self.folder(name)? } else { open_below(&folder, name)? };
        }
        Ok((folder, name))
    }
}

fn open_below(folder: &Folder, name: &str) -> Result<Rc<Folder>, Unread> {
    folder.folder(name).map(Rc::new).map_err(|error| match error.kind() {
        _ if folder.is_link(name) => Unread::Outside,
        ErrorKind::NotFound | ErrorKind::NotADirectory => Unread::Missing,
        _ => Unread::Unreadable,
    })
}

/// Returns the path with links and dots resolved; components that do not exist stay as they are. `None` for a circle of
/// links and for a path of more than `MAX_PATH_BYTES`.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    if path.as_os_str().len() > MAX_PATH_BYTES {
        return None;
    }
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
