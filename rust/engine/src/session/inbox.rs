//! The inbox of a store: drafts that wait for the user's decision, one file each.

use crate::store::folder::Folder;

/// The folder of the inbox in the store's own folder.
pub(crate) const INBOX: &str = "inbox";
pub(crate) const SUFFIX: &str = ".json";
/// More drafts are not counted.
pub(crate) const MAX_DRAFTS: usize = 1000;

/// Returns how many drafts wait.
pub(crate) fn count_waiting(inbox: &Folder) -> usize {
    inbox.list_first(MAX_DRAFTS, |name| name.ends_with(SUFFIX)).map_or(0, |(names, _)| names.len())
}
