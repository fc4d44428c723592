//! A store and a data folder in a temporary folder, for tests.

use crate::environment::Environment;
use crate::store::root::{Project, find};
use std::fs;
use std::path::PathBuf;

/// A project with an empty store; its folder is removed at the end of the test.
pub(crate) struct TestStore {
    pub(crate) path: PathBuf,
    pub(crate) environment: Environment,
}

impl TestStore {
    /// Creates a project in a new folder with this name in the system's temporary folder.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cuecard-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("project/.claude/memory")).unwrap();
        let path = path.canonicalize().unwrap();
        let environment = Environment { data_folder: Some(path.join("data")), ..Environment::default() };
        Self { path, environment }
    }

    /// The project's `.claude/memory`.
    pub(crate) fn memory_dir(&self) -> PathBuf {
        self.path.join("project/.claude/memory")
    }

    /// Opens the project as the hook does.
    pub(crate) fn project(&self) -> Project {
        find(&self.path.join("project"), &self.environment).unwrap().unwrap()
    }

    /// The only folder below `stores` in the data folder.
    pub(crate) fn own_folder(&self) -> PathBuf {
        let stores = fs::read_dir(self.path.join("data/stores")).unwrap();
        let mut folders: Vec<_> = stores.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(folders.len(), 1);
        folders.remove(0)
    }
}

impl Drop for TestStore {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
