//! Finds the ledgers of earlier sessions that an agent may be asked about, and claims them for one session (SPEC 56.9).

use crate::capture::ledger_file::{CLAIMED, FOLDER, OPEN, give_back, read_ledger};
use crate::store::folder::Folder;
use crate::store::log::utc_now;
use crate::store::status::now;
use crate::store::user_folder::StoreFolder;
use cuecard_core::capture::ledger::{ask_line, done_line};
use cuecard_core::capture::{Ask, Ledger};

const IDLE: i64 = 2 * 60 * 60 * 1_000_000_000;
/// How many ledgers of earlier sessions are read, the youngest first.
const MAX_EARLIER: usize = 20;
const MAX_FILES: usize = 1000;

/// The ledger of an earlier session.
#[derive(Debug)]
pub(crate) struct Earlier {
    /// The id of the session.
    pub(crate) session: String,
    /// The ledger of the session.
    pub(crate) ledger: Ledger,
}

/// Returns the ledgers of sessions that have ended or were quiet for two hours and that still have entries to ask
/// about; the oldest first.
pub(crate) fn find_earlier(own: &StoreFolder, session: &str) -> Vec<Earlier> {
    let Some(folder) = own.open_below(FOLDER) else { return Vec::new() };
    let is_ledger = |name: &str| name.ends_with(OPEN) || name.ends_with(CLAIMED);
    let names = folder.list(MAX_FILES, is_ledger).ok().flatten().unwrap_or_default();
    let mut aged: Vec<(i64, String)> = Vec::new();
    for name in names {
        let Ok(status) = folder.status(&name) else { continue };
        let is_idle = status.modified < now().saturating_sub(IDLE);
        if let Some(claimed) = name.strip_suffix(CLAIMED) {
            if is_idle {
                give_back(&folder, claimed);
                aged.push((status.modified, claimed.to_owned()));
            }
        } else if let Some(open) = name.strip_suffix(OPEN) {
            if is_idle || has_ended(&folder, &name) {
                aged.push((status.modified, open.to_owned()));
            }
        }
    }
    aged.retain(|(_, name)| name != session);
    aged.sort();
    aged.dedup_by(|one, other| one.1 == other.1);
    let skipped = aged.len().saturating_sub(MAX_EARLIER);
    let read = |(_, session): (i64, String)| {
        let ledger = read_ledger(&folder, &format!("{session}{OPEN}"))?;
        let has_left = ledger.left_entries().any(cuecard_core::capture::Entry::is_substantial);
        has_left.then_some(Earlier { session, ledger })
    };
    aged.into_iter().skip(skipped).filter_map(read).collect()
}

fn has_ended(folder: &Folder, name: &str) -> bool {
    read_ledger(folder, name).is_some_and(|ledger| ledger.is_ended)
}

/// Claims the ledger of an earlier session for a request to an agent: renames its file, which only one process can do.
/// Returns false if another process has claimed the ledger.
pub(crate) fn claim(own: &StoreFolder, earlier: &str, ask: &Ask) -> bool {
    let Some(folder) = own.open_below(FOLDER) else { return false };
    let claimed = format!("{earlier}{CLAIMED}");
    if folder.status(&claimed).is_ok() || folder.rename(&format!("{earlier}{OPEN}"), &claimed).is_err() {
        return false;
    }
    folder.append_existing(&claimed, ask_line(ask, &utc_now()).as_bytes()).is_ok()
}

/// Marks the request with this id as completed in every ledger that contains it. If `how` is `None`, the ledgers that
/// were claimed for the request get their old names back instead.
pub(crate) fn settle(own: &StoreFolder, id: &str, how: Option<&str>) {
    let Some(folder) = own.open_below(FOLDER) else { return };
    let is_ledger = |name: &str| name.ends_with(OPEN) || name.ends_with(CLAIMED);
    for name in folder.list(MAX_FILES, is_ledger).ok().flatten().unwrap_or_default() {
        let Some(ledger) = read_ledger(&folder, &name) else { continue };
        if !ledger.asks.iter().any(|ask| ask.id == id) {
            continue;
        }
        if let Some(how) = how {
            let _ = folder.append_existing(&name, done_line(id, how, &utc_now()).as_bytes());
        } else if let Some(session) = name.strip_suffix(CLAIMED) {
            give_back(&folder, session);
        }
    }
}
