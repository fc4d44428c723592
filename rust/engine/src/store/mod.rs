//! The project and its store: files opened without following links, settings, the snapshot on disk, trust.

pub(crate) mod budget;
pub(crate) mod checkouts;
pub(crate) mod consent;
pub(crate) mod derived;
#[cfg(unix)]
mod directory;
#[cfg(any(test, not(unix)))]
mod directory_by_path;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod freshness;
pub(crate) mod index_md;
pub(crate) mod log;
pub(crate) mod mapped;
pub(crate) mod reached;
pub(crate) mod root;
pub(crate) mod scopes;
pub(crate) mod seal;
pub(crate) mod settings_files;
pub(crate) mod snapshot_file;
pub(crate) mod status;
pub mod store_path;
#[cfg(all(test, unix))]
pub(crate) mod test_store;
pub(crate) mod trust;
pub(crate) mod user_folder;
pub(crate) mod vouched;
