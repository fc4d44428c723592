//! Reads the file of a ledger, appends to it, and undoes a claim on it (SPEC 56.1, 56.2, 56.9).

use crate::store::folder::{Folder, Replacement};
use crate::store::status::now;
use crate::store::user_folder::StoreFolder;
use cuecard_core::capture::Ledger;
use cuecard_core::capture::ledger::{MAX_BYTES, shorten};
use std::io;
use std::rc::Rc;

/// The folder of ledgers in the user's folder of the store.
pub(crate) const FOLDER: &str = "ledger";
/// The endings of a ledger's file: usually `OPEN`, and `CLAIMED` while another session asks its agent about the ledger.
pub(crate) const OPEN: &str = ".jsonl";
pub(crate) const CLAIMED: &str = ".claimed";
/// The most bytes that are read of a ledger: more than the size limit of a ledger, because the last append may exceed
/// it.
const MAX_READ_BYTES: u64 = 4 << 20;
const LIFE: i64 = 14 * 24 * 60 * 60 * 1_000_000_000;
const MAX_FILES: usize = 10_000;

/// The ledger of a session.
#[derive(Debug)]
pub(crate) struct LedgerFile {
    own: Rc<StoreFolder>,
    /// The name of the file without its ending.
    pub(crate) session: String,
    data: Vec<u8>,
    /// The content of all its lines.
    pub(crate) ledger: Ledger,
}

impl LedgerFile {
    /// Opens the session's own ledger. If another session has claimed it, the claim is undone.
    pub(crate) fn open(own: &Rc<StoreFolder>, session: &str) -> Self {
        if let Some(folder) = own.open_below(FOLDER) {
            give_back(&folder, session);
        }
        let mut file =
            Self { own: Rc::clone(own), session: session.to_owned(), data: Vec::new(), ledger: Ledger::default() };
        file.read_again();
        file
    }

    /// Reads the file again.
    pub(crate) fn read_again(&mut self) {
        let folder = self.own.open_below(FOLDER);
        let data = folder.and_then(|folder| folder.read(&self.name(), MAX_READ_BYTES).ok());
        self.data = data.unwrap_or_default();
        self.ledger = Ledger::read(&self.data);
    }

    /// Whether nothing was written to the ledger yet.
    pub(crate) fn is_new(&self) -> bool {
        self.data.is_empty()
    }

    /// Appends a line to the file and to the ledger in memory. If the file is new, ledgers that were not written for
    /// two weeks are removed.
    pub(crate) fn append(&mut self, line: &str) -> io::Result<()> {
        let folder = self.own.make_below(FOLDER)?;
        if self.is_new() {
            prune(&folder);
        }
        // If a crash cut off the last line, this line begins on a new one.
        let torn = if self.data.last().is_some_and(|byte| *byte != b'\n') { "\n" } else { "" };
        let added = format!("{torn}{line}");
        if self.data.len() + added.len() > MAX_BYTES {
            self.data = shorten(&self.data);
            self.data.extend_from_slice(line.as_bytes());
            folder.replace(&self.name(), &self.data, Replacement::PRIVATE)?;
        } else {
            folder.append(&self.name(), added.as_bytes(), u64::MAX, "")?;
            self.data.extend_from_slice(added.as_bytes());
        }
        self.ledger = Ledger::read(&self.data);
        Ok(())
    }

    fn name(&self) -> String {
        format!("{}{OPEN}", self.session)
    }
}

/// Renames a ledger that another session has claimed to its old name. If its own session has begun a new ledger since
/// the claim, the lines of the claimed ledger are put before the new lines.
pub(crate) fn give_back(folder: &Folder, session: &str) {
    let (open, claimed) = (format!("{session}{OPEN}"), format!("{session}{CLAIMED}"));
    if folder.status(&claimed).is_err() {
        return;
    }
    if folder.status(&open).is_err() {
        let _ = folder.rename(&claimed, &open);
        return;
    }
    let read = |name: &str| folder.read(name, MAX_READ_BYTES);
    if let (Ok(mut data), Ok(behind)) = (read(&claimed), read(&open)) {
        if data.last().is_some_and(|byte| *byte != b'\n') {
            data.push(b'\n');
        }
        data.extend_from_slice(&behind);
        if folder.replace(&open, &data, Replacement::PRIVATE).is_ok() {
            let _ = folder.remove(&claimed);
        }
    }
}

/// Reads the ledger of a session, whether it is claimed or not.
pub(crate) fn read_ledger(folder: &Folder, name: &str) -> Option<Ledger> {
    folder.read(name, MAX_READ_BYTES).ok().map(|data| Ledger::read(&data))
}

/// Removes the ledgers that were not written for two weeks.
fn prune(folder: &Folder) {
    let least = now().saturating_sub(LIFE);
    for name in folder.list(MAX_FILES, |_| true).ok().flatten().unwrap_or_default() {
        let status = folder.status(&name);
        if status.is_ok_and(|status| status.is_file() && status.modified < least) {
            let _ = folder.remove(&name);
        }
    }
}
