//! The stores whose memories a recall searches (SPEC 48.6).

use crate::environment::Environment;
use crate::store::files::StoreFiles;
use crate::store::root::Project;
use crate::store::scopes::{Scope, ScopedStore};
use crate::store::user_folder::StoreFolder;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Where a memory comes from that is not in the store of the project.
#[derive(Debug, PartialEq, Eq)]
pub struct Origin {
    /// The scope, as a block and the log show it; empty for the project's own.
    pub label: String,
    /// The folder to which the memory's anchors are relative.
    pub root: PathBuf,
    /// Whether it is the user's own store.
    pub is_users: bool,
}

/// One of the stores whose snapshots were joined, for programs that use cuecard as a library.
#[derive(Debug, Clone)]
pub struct JoinedStore {
    /// The folder of the store's project.
    pub root: PathBuf,
    /// The scope, as a block and the log show it; empty for the project's own.
    pub label: String,
    /// Whether it is the user's own store.
    pub is_users: bool,
}

impl JoinedStore {
    /// Returns the store as a source, if it may be opened.
    pub(crate) fn open(&self, environment: &Environment) -> Option<StoreSource> {
        let Self { root, label, is_users } = self.clone();
        let project = Project::at(&root, environment).ok().flatten()?;
        Some(StoreSource { origin: Some(Arc::new(Origin { label, root, is_users })), ..StoreSource::only(&project) })
    }
}

/// A store whose documents are searched.
#[derive(Debug, Clone)]
pub(crate) struct StoreSource {
    pub(crate) own: Rc<StoreFolder>,
    pub(crate) files: StoreFiles,
    /// `None` for the project's own.
    pub(crate) origin: Option<Arc<Origin>>,
}

impl StoreSource {
    /// The store of a project that is searched alone.
    pub(crate) fn only(project: &Project) -> Self {
        Self { own: Rc::clone(&project.own), files: StoreFiles::new(project), origin: None }
    }

    /// The first of the stores that count, or another one.
    pub(crate) fn of(store: &ScopedStore, is_first: bool) -> Self {
        let ScopedStore { scope, project, .. } = store;
        let is_plain = is_first && *scope == Scope::Project;
        let origin = || Origin { label: scope.label(), root: project.root.clone(), is_users: *scope == Scope::User };
        Self { origin: (!is_plain).then(|| Arc::new(origin())), ..Self::only(project) }
    }
}

impl Origin {
    /// The folder of a memory's project, which is `first` for the project's own.
    pub(crate) fn root_of<'a>(origin: Option<&'a Self>, first: &'a Path) -> &'a Path {
        origin.map_or(first, |origin| &origin.root)
    }
}
