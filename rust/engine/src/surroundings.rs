//! Decides which folders that environment variables name are the user's (SPEC 44.5). The variables can come from a
//! repository, because hosts take variables from the settings of a project.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// A folder with one of these is the root of a project.
const MARKS: [&str; 2] = [".git", ".claude/memory"];
/// Files in which a project can set environment variables for a host.
const HOST_SETTINGS: [&str; 7] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".gemini/.env",
    ".qwen/settings.json",
    ".qwen/.env",
];

/// The folders in which the user works: together with the folders above them, they tell what belongs to a project.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The real paths of the working directories of this process and of the host.
    cwds: Vec<PathBuf>,
    /// The real path of the folder that the host names as the project.
    named: Option<PathBuf>,
    account: OnceCell<Option<PathBuf>>,
    /// For each folder that was looked at, whether it has a mark of a project, and whether it has settings of hosts. Several
    /// variables lead through the same folders.
    marked: RefCell<HashMap<PathBuf, bool>>,
    hosting: RefCell<HashMap<PathBuf, bool>>,
}

impl Surroundings {
    /// `cwd` is the host's working directory, relative to that of this process; `named` is the host's own name for the
    /// project.
    pub(crate) fn new(cwd: Option<&Path>, named: Option<&Path>) -> Self {
        // The working directory of a process is a real path on Unix.
        let own = std::env::current_dir().ok();
        let own = if cfg!(unix) { own } else { own.and_then(|own| own.canonicalize().ok()) };
        let mut cwds: Vec<PathBuf> = own.into_iter().collect();
        cwds.extend(cwd.and_then(real_path));
        let named = named.filter(|path| path.is_absolute()).and_then(real_path);
        Self { cwds, named, account: OnceCell::new(), marked: RefCell::default(), hosting: RefCell::default() }
    }

    /// Whether a folder that a variable names counts: its path is absolute, and with all links resolved it lies
    /// outside of the project and belongs to the user. For a folder that does not exist, the nearest existing folder
    /// above it counts.
    pub(crate) fn admits(&self, folder: &Path) -> bool {
        if !folder.is_absolute() {
            return false;
        }
        let Some((real, existing)) = resolve(folder) else { return false };
        is_own(&existing) && !self.is_in_project(&real)
    }

    /// Whether a real path is the folder of the project or lies below it.
    pub(crate) fn is_in_project(&self, real: &Path) -> bool {
        // The folder of the project lies above both the path and a place in which the user works.
        let is_root = |above: &Path| {
            self.named.as_deref() == Some(above)
                || self.cwds.iter().chain(&self.named).any(|place| {
                    place.starts_with(above)
                        && (has_any(above, &MARKS, &self.marked)
                            || (place == above && real != above && has_any(above, &HOST_SETTINGS, &self.hosting)))
                })
        };
        real.ancestors()
            .filter(|above| above.parent().is_some())
            .any(|above| is_root(above) && !self.holds_account(above))
    }

    /// The home folder of the user's account, whatever the environment says.
    pub(crate) fn account_home(&self) -> Option<PathBuf> {
        self.account.get_or_init(|| account_home(self.cwds.iter().chain(&self.named))).clone()
    }

    /// Whether a folder is the account's home folder or lies above it: then everything in it is the user's own.
    fn holds_account(&self, folder: &Path) -> bool {
        self.account_home().and_then(|home| real_path(&home)).is_some_and(|home| home.starts_with(folder))
    }
}

/// Whether a folder has one of some files, which is looked up once.
fn has_any(folder: &Path, files: &[&str], known: &RefCell<HashMap<PathBuf, bool>>) -> bool {
    if let Some(found) = known.borrow().get(folder) {
        return *found;
    }
    let found = files.iter().any(|file| folder.join(file).exists());
    known.borrow_mut().insert(folder.to_owned(), found);
    found
}

fn real_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Returns the real path of a folder that need not exist, and the real path of the nearest existing folder; `None` if
/// there is a `..` behind what exists, or if a folder of the path cannot be read.
pub(crate) fn resolve(path: &Path) -> Option<(PathBuf, PathBuf)> {
    for existing in path.ancestors() {
        match existing.canonicalize() {
            Ok(real) => {
                let missing = path.strip_prefix(existing).ok()?;
                let is_plain = missing.components().all(|part| matches!(part, Component::Normal(_)));
                // The join with an empty path would put a separator behind a file.
                let whole = if missing.as_os_str().is_empty() { real.clone() } else { real.join(missing) };
                return is_plain.then_some((whole, real));
            }
            // A link that leads nowhere could lead into the project later.
            Err(_) if existing.is_symlink() => return None,
            Err(_) => {}
        }
    }
    None
}

#[cfg(unix)]
fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    folder.metadata().is_ok_and(|status| status.uid() == user_id())
}

#[cfg(not(unix))]
fn is_own(_folder: &Path) -> bool {
    true
}

#[cfg(unix)]
fn user_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the home folder of this user in the list of accounts. Accounts of a directory service are not in it: for
/// them it is the folder directly below `/home` or `/Users` in which they work, if it is theirs.
#[cfg(unix)]
fn account_home<'a>(places: impl Iterator<Item = &'a PathBuf>) -> Option<PathBuf> {
    let user = user_id().to_string();
    let accounts = std::fs::read("/etc/passwd").unwrap_or_default();
    let home_in = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?;
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2) == Some(&user.as_str())).then(|| fields.get(5).map(PathBuf::from)).flatten()
    };
    let listed = accounts.split(|byte| *byte == b'\n').find_map(home_in);
    listed.filter(|home| home.is_absolute()).or_else(|| {
        let mut homes = places.filter_map(|place| place.ancestors().find(|above| is_below_homes(above)));
        homes.find(|home| is_own(home)).map(Path::to_owned)
    })
}

#[cfg(unix)]
fn is_below_homes(folder: &Path) -> bool {
    folder.parent().is_some_and(|above| above == Path::new("/home") || above == Path::new("/Users"))
}

#[cfg(not(unix))]
fn account_home<'a>(_places: impl Iterator<Item = &'a PathBuf>) -> Option<PathBuf> {
    None
}
