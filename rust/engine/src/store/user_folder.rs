//! The user's data folder: the files that cuecard keeps about a store outside of any repository (SPEC 44).

use crate::environment::Environment;
use crate::store::checkouts::{Tie, tie_of};
use crate::store::folder::{Folder, PRIVATE_FOLDER, Replacement};
use cuecard_core::text::sha256_hex;
use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const KEY_CHARS: usize = 32;
const STORES: &str = "stores";
/// The file with the path of the store, for people who look at the data folder.
const PATH_FILE: &str = "path";
const LINKS_FILE: &str = "links";
/// What all checkouts of a repository share (SPEC 44.3). The files `left` and `notice` are the others.
const OF_PROJECT: [&str; 4] = ["inbox", "ledger", "sessions", "staging"];
const MAX_LINKS_BYTES: u64 = 1 << 16;

/// The folder of one store in the user's data folder. It is opened at the first use.
#[derive(Debug)]
pub(crate) struct StoreFolder {
    data_folder: Option<PathBuf>,
    home: Option<PathBuf>,
    /// The project that the store belongs to.
    root: PathBuf,
    /// The folder of the store in the shared checkout, if the project lies in a worktree.
    shared: OnceCell<Option<Rc<StoreFolder>>>,
    /// Whether this is that folder.
    is_shared: bool,
    real_path: OnceCell<Option<PathBuf>>,
    existing: OnceCell<Option<Rc<Folder>>>,
    made: OnceCell<Option<Rc<Folder>>>,
}

impl StoreFolder {
    /// Returns the data folder for the store of the project in `root`. The folder is not opened or created yet.
    pub(crate) fn new(root: &Path, environment: &Environment) -> Self {
        Self {
            data_folder: environment.data_folder.clone(),
            home: environment.home.clone(),
            root: root.to_owned(),
            shared: OnceCell::new(),
            is_shared: false,
            real_path: OnceCell::new(),
            existing: OnceCell::new(),
            made: OnceCell::new(),
        }
    }

    /// Opens the folder; `None` if it does not exist.
    pub(crate) fn open(&self) -> Option<Rc<Folder>> {
        let open = || {
            let stores = Folder::open(self.data_folder.as_deref()?).ok()?.folder(STORES).ok()?;
            stores.folder(&self.key()?).ok().map(Rc::new)
        };
        self.existing.get_or_init(open).clone().or_else(|| self.made.get().cloned().flatten())
    }

    /// Opens the folder, and creates it if it is missing; `None` if that fails.
    pub(crate) fn make(&self) -> Option<Rc<Folder>> {
        self.open().or_else(|| self.made.get_or_init(|| self.make_new().ok().map(Rc::new)).clone())
    }

    /// Opens another folder in the data folder, which belongs to no store; `None` if it does not exist.
    pub(crate) fn open_beside(&self, name: &str) -> Option<Folder> {
        Folder::open(self.data_folder.as_deref()?).ok()?.folder(name).ok()
    }

    /// Returns the folder that has what all checkouts of a repository share: that of the shared checkout, for a worktree.
    pub(crate) fn of_project(&self) -> &Self {
        self.shared.get_or_init(|| self.find_shared().map(Rc::new)).as_deref().unwrap_or(self)
    }

    fn find_shared(&self) -> Option<Self> {
        let real = self.real_path()?.parent()?.parent()?;
        let top = real.ancestors().find(|folder| folder.join(".git").exists())?;
        let git = top.join(".git");
        if git.is_dir() {
            return None;
        }
        let Some(Tie::Worktree(shared)) = tie_of(&git, self.home.as_deref(), self.data_folder.as_deref()) else {
            return None;
        };
        let below = real.strip_prefix(top).ok()?;
        Some(Self {
            data_folder: self.data_folder.clone(),
            home: self.home.clone(),
            root: if below.as_os_str().is_empty() { shared } else { shared.join(below) },
            shared: OnceCell::from(None),
            is_shared: true,
            real_path: OnceCell::new(),
            existing: OnceCell::new(),
            made: OnceCell::new(),
        })
    }

    /// Opens a folder inside this one, or for what is shared inside that of the project; `None` if it does not exist.
    pub(crate) fn open_below(&self, name: &str) -> Option<Folder> {
        self.place_of(name).open()?.folder(name).ok()
    }

    /// Opens a folder as `open_below` does, and creates it if it is missing.
    pub(crate) fn make_below(&self, name: &str) -> io::Result<Folder> {
        let folder = self.place_of(name).make().ok_or(io::ErrorKind::NotFound)?;
        folder.make_folder(name, PRIVATE_FOLDER)
    }

    fn place_of(&self, name: &str) -> &Self {
        if OF_PROJECT.contains(&name) { self.of_project() } else { self }
    }

    /// Whether files can be stored for the user.
    pub(crate) fn is_writable(&self) -> bool {
        self.make().is_some_and(|folder| folder.is_writable())
    }

    fn make_new(&self) -> io::Result<Folder> {
        let (Some(data_folder), Some(key), Some(path)) = (&self.data_folder, self.key(), self.real_path()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let stores = make_private(data_folder)?.make_folder(STORES, PRIVATE_FOLDER)?;
        let folder = stores.make_folder(&key, PRIVATE_FOLDER)?;
        let mut line: Vec<u8> =
            bytes_of(path).into_iter().map(|byte| if byte == b'\n' { b'?' } else { byte }).collect();
        line.push(b'\n');
        folder.replace(PATH_FILE, &line, Replacement::PRIVATE)?;
        Ok(folder)
    }

    /// Returns the beginning of the SHA-256 of the store's path with links resolved.
    pub(crate) fn key(&self) -> Option<String> {
        let mut digits = sha256_hex(&bytes_of(self.real_path()?));
        digits.truncate(KEY_CHARS);
        Some(digits)
    }

    /// Returns the path of the store, with links in the path of its project resolved.
    fn real_path(&self) -> Option<&PathBuf> {
        let find = || {
            // The folder of a worktree need not exist in the shared checkout, whose path has no links.
            let root = real_folder(&self.root).or_else(|| self.is_shared.then(|| self.root.clone()))?;
            Some(root.join(".claude").join("memory"))
        };
        self.real_path.get_or_init(find).as_ref()
    }
}

/// Returns the target of a link in the place of `.claude` or `.claude/memory`, if the user has allowed exactly this
/// target (`cuecard trust --link`).
pub(crate) fn recorded_target(folder: &Path, name: &str, environment: &Environment) -> Option<PathBuf> {
    let link = real_folder(folder)?.join(name);
    let data = Folder::open(environment.data_folder.as_deref()?).ok()?.read(LINKS_FILE, MAX_LINKS_BYTES).ok()?;
    let mut beginning = bytes_of(&link);
    beginning.push(b'\t');
    let recorded = data.split(|byte| *byte == b'\n').rev().find_map(|line| line.strip_prefix(beginning.as_slice()))?;
    let target = real_folder(&link)?;
    (bytes_of(&target) == recorded).then_some(target)
}

/// Opens a folder of the user, and creates missing folders of its path.
fn make_private(path: &Path) -> io::Result<Folder> {
    match Folder::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(PRIVATE_FOLDER);
    }
    builder.recursive(true).create(path)?;
    Folder::open(path)
}

/// Returns the path of a folder with all links resolved; on Windows without the prefix `\\?\`.
fn real_folder(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    if cfg!(windows) {
        let text = real.to_str()?;
        return Some(PathBuf::from(text.strip_prefix(r"\\?\").unwrap_or(text)));
    }
    Some(real)
}

/// Returns the bytes of a path as the system has them; on Windows in UTF-8.
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        path.as_os_str().as_bytes().to_vec()
    }
    #[cfg(not(unix))]
    {
        path.to_string_lossy().into_owned().into_bytes()
    }
}
