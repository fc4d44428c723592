//! Memories whose main statement the host itself shows its agent, in a file such as `CLAUDE.md` (SPEC 12.6). Python reads
//! these files and writes a list of keys; a prompt reads only the list.

use crate::environment::{Environment, raw};
use crate::host::Host;
use crate::prompt::recalled_memory::RecalledMemory;
use crate::store::root::Project;
use crate::store::status::nanoseconds_of;
use crate::store::user_folder::bytes_of;
use cuecard_core::memory::forbids::read_forbids;
use cuecard_core::memory::{main_statement, statement_key};
use cuecard_core::tables::host_table::SHOWN_FILES;
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::sha256_hex;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "hosted";
const HEADER: &str = "cuecard hosted 2";
/// The writer keeps the file far below this size. A larger file is ignored.
const MAX_BYTES: u64 = 1 << 18;
/// Stands for size and time of a file that is not there, and for the value of a variable that is not set.
const MISSING: &str = "- -";
const UNSET: &str = "-";
/// How many hexadecimal digits stand for the value of a variable and for the path of a checkout.
const DIGITS: usize = 16;
/// Only a file of the user's own can stand for a memory of these categories, because a stranger can quote it in another sense.
const RULES: [&str; 2] = ["constraint", "preference"];

/// The statements that a host shows its agent by itself, as keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostedStatements {
    /// Those in the user's own files.
    own: HashSet<String>,
    /// Those in files of the project, which a stranger may have written.
    project: HashSet<String>,
    /// The files that were read, also those with settings of the host, each with its size and time.
    files: Vec<(String, String)>,
    /// The variables that decided which files were read, each with the digest of its value.
    variables: Vec<(String, String)>,
}

impl HostedStatements {
    /// Reads the list; a damaged list says nothing.
    #[must_use]
    pub fn read(data: &[u8]) -> Self {
        Self::parse(data).unwrap_or_default()
    }

    fn parse(data: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(data).ok()?.strip_suffix('\n')?.split('\n');
        let mut found = Self::default();
        if lines.next()? != HEADER {
            return None;
        }
        for line in lines {
            match line.split_once(' ')? {
                ("own", key) => drop(found.own.insert(key.to_owned())),
                ("project", key) => drop(found.project.insert(key.to_owned())),
                ("file", rest) => {
                    let place = rest.match_indices(' ').nth(1)?.0;
                    let (stamp, path) = rest.split_at(place);
                    found.files.push((stamp.to_owned(), path.get(1..)?.to_owned()));
                }
                ("variable", rest) => {
                    let (name, digest) = rest.split_once(' ')?;
                    found.variables.push((name.to_owned(), digest.to_owned()));
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// Whether the host shows what a memory says. `is_vouched` says whether somebody vouches for the memory.
    #[must_use]
    pub fn has(&self, record: &Json, is_vouched: bool) -> bool {
        if self.own.is_empty() && self.project.is_empty() {
            return false;
        }
        let Some(key) = main_statement(record).map(statement_key).filter(|key| !key.is_empty()) else { return false };
        self.own.contains(&key) || (self.project.contains(&key) && !(is_vouched && is_rule(record)))
    }

    /// Whether the list counts at a prompt: with other variables the host shows other files. At the first prompt of a
    /// session the host has just read its files, so all of them are as they were when the list was made.
    pub(crate) fn counts(&self, is_first: bool) -> bool {
        if is_first { self.holds() } else { self.has_variables() }
    }

    fn holds(&self) -> bool {
        self.has_variables() && self.files.iter().all(|(stamp, path)| *stamp == stamp_of(path))
    }

    fn has_variables(&self) -> bool {
        self.variables.iter().all(|(name, digest)| *digest == digest_of(name))
    }
}

/// Reads the list of a host for the checkout of a working directory; it is empty if there is none.
pub(crate) fn read(project: &Project, host: Host, cwd: &Path) -> HostedStatements {
    let file = file_of(project, host, &checkout_of(project, cwd));
    let data = project.own.open_below(FOLDER).and_then(|folder| folder.read(&file, MAX_BYTES).ok());
    data.map_or_else(HostedStatements::default, |data| HostedStatements::read(&data))
}

/// Whether Python must read the files of a host again: one of them has changed, or there are some that were never read.
pub(crate) fn is_stale(project: &Project, host: Host, cwd: &Path, environment: &Environment) -> bool {
    let Some(row) = SHOWN_FILES.row(host.name()) else { return false };
    let statements = read(project, host, cwd);
    if !statements.files.is_empty() {
        return !statements.holds();
    }
    let (home, checkout) = (environment.home.as_deref(), checkout_of(project, cwd));
    let place = |name: &str| match name.strip_prefix("~/") {
        Some(name) => home.map(|home| home.join(name)),
        None => Some(checkout.join(name)),
    };
    row.split([' ', '|']).filter_map(place).any(|place| place.exists())
}

impl RecalledMemory {
    /// Whether the host itself shows its agent what the memory says.
    pub(crate) fn is_hosted(&self, statements: &HostedStatements) -> bool {
        self.record.as_deref().is_some_and(|record| statements.has(record, !self.is_unreviewed()))
    }
}

/// Returns the folder whose files the host shows: the project, or the checkout of the working directory if that is
/// another one, such as a worktree without memories of its own.
fn checkout_of(project: &Project, cwd: &Path) -> PathBuf {
    let is_top = |folder: &&Path| **folder == project.root || folder.join(".git").exists();
    cwd.ancestors().find(is_top).unwrap_or(cwd).to_owned()
}

/// Returns the name of the list: that of the host, and for another checkout than the project the digest of its path.
fn file_of(project: &Project, host: Host, checkout: &Path) -> String {
    if checkout == project.root {
        return host.name().to_owned();
    }
    format!("{}.{}", host.name(), digest(&bytes_of(checkout)))
}

fn digest(data: &[u8]) -> String {
    let mut digits = sha256_hex(data);
    digits.truncate(DIGITS);
    digits
}

/// Returns what stands in the list for the value of a variable.
fn digest_of(variable: &str) -> String {
    raw(variable).map_or_else(|| UNSET.into(), |value| digest(&bytes_of(Path::new(&value))))
}

fn is_rule(record: &Json) -> bool {
    let category = record.get("category").and_then(Json::as_text).unwrap_or_default();
    RULES.contains(&category) || !read_forbids(record).is_empty()
}

/// Returns size and time of a file as they stand in the list.
fn stamp_of(path: &str) -> String {
    let Ok(metadata) = fs::metadata(Path::new(path)) else { return MISSING.into() };
    let modified = metadata.modified().map(nanoseconds_of).unwrap_or_default();
    format!("{} {modified}", metadata.len())
}
