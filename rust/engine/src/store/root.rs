//! Finds the project with memories, from the host's working directory upwards (SPEC 14.2).

use crate::environment::Environment;
use crate::store::folder::{Folder, read_elsewhere};
use crate::store::user_folder::{StoreFolder, recorded_target};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Folders of installed packages: a store below such a folder is never the project's store.
const DEPENDENCY_FOLDERS: [&str; 19] = [
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".cargo",
    ".yarn",
    ".pnpm-store",
    "__pypackages__",
    "Pods",
    "Carthage",
    "target",
    ".gradle",
    ".m2",
];
/// The most bytes that are read of a worktree's `.git` file and of the file that points back to it.
const MAX_POINTER_BYTES: u64 = 4096;

/// A project with memories, whose store is open.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// Its folder.
    pub(crate) root: PathBuf,
    /// The path of its `.claude/memory`, for messages and comparisons. Files are opened through `memory`.
    pub(crate) memory_dir: PathBuf,
    /// Its `.claude/memory`.
    pub(crate) memory: Rc<Folder>,
    /// The folder for the store in the user's data folder.
    pub(crate) own: Rc<StoreFolder>,
}

impl Project {
    /// Opens the project in a folder; `None` if the folder has no memories. The error says which link the user must
    /// allow first.
    pub(crate) fn at(root: &Path, environment: &Environment) -> Result<Option<Self>, String> {
        let memory_dir = root.join(".claude").join("memory");
        if !memory_dir.is_dir() {
            return Ok(None);
        }
        let Ok(mut folder) = Folder::open(root) else { return Ok(None) };
        let mut path = root.to_owned();
        for name in [".claude", "memory"] {
            if let Ok(following) = folder.folder(name) {
                folder = following;
                path.push(name);
            } else if folder.is_link(name) {
                let link = path.join(name);
                let refused = || format!("`{}` is a link, and what it leads to is not read", link.display());
                path = recorded_target(&path, name, environment).ok_or_else(refused)?;
                folder = Folder::open(&path).map_err(|_| refused())?;
            } else {
                return Ok(None);
            }
        }
        let own = Rc::new(StoreFolder::new(root, environment));
        Ok(Some(Self { root: root.to_owned(), memory_dir, memory: Rc::new(folder), own }))
    }
}

/// Finds the project that `--root` or `CUECARD_ROOT` names, or else the nearest one with memories from `cwd` upwards; `None` if
/// there is none. The search ends at the repository or the home folder; a worktree shares its main checkout's memories.
/// A store in a dependency folder is skipped.
pub(crate) fn find(cwd: &Path, environment: &Environment) -> Result<Option<Project>, String> {
    if let Some(root) = &environment.root {
        let mut project = Project::at(root, environment)?;
        if project.is_none() && root.ends_with(".claude/memory") {
            let above = fs::canonicalize(root.join("../..")).ok();
            project = above.map_or(Ok(None), |above| Project::at(&above, environment))?;
        }
        return project
            .map(Some)
            .ok_or_else(|| "`--root` or `CUECARD_ROOT` is not a project with `.claude/memory`".into());
    }
    let mut nearest = None;
    let mut refused = None;
    let mut look_at = |root: &Path| match Project::at(root, environment) {
        Ok(project) => project,
        Err(problem) => {
            refused.get_or_insert(problem);
            None
        }
    };
    for folder in above_dependencies(cwd, environment.home.as_deref()).ancestors() {
        nearest = nearest.or_else(|| look_at(folder));
        let git = folder.join(".git");
        match fs::metadata(&git) {
            Ok(metadata) if metadata.is_file() => {
                nearest = main_checkout(&git).and_then(|root| look_at(&root)).or(nearest);
                break;
            }
            Ok(_) => break,
            Err(_) if environment.home.as_deref() == Some(folder) => break,
            Err(_) => {}
        }
    }
    match (nearest, refused) {
        (None, Some(problem)) => Err(problem),
        (nearest, _) => Ok(nearest),
    }
}

/// Finds the project of a host's working directory, or of this process's own if the host names none.
pub(crate) fn find_from(cwd: Option<&str>, environment: &Environment) -> Result<Option<Project>, String> {
    let cwd = cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".");
    find(&normalize(&std::path::absolute(cwd).map_err(|_| "the working directory no longer exists")?), environment)
}

/// Returns the repository or folder in which the first memories of a working directory would be created; `None` for the
/// home folder and for the root of the file system.
pub(crate) fn find_future(cwd: Option<&str>, environment: &Environment) -> Option<PathBuf> {
    let cwd = normalize(&std::path::absolute(cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".")).ok()?);
    let repository = cwd.ancestors().find(|folder| folder.join(".git").exists());
    let checkout = repository.and_then(|folder| {
        let git = folder.join(".git");
        if git.is_file() { main_checkout(&git) } else { None }
    });
    let root = checkout.or_else(|| repository.map(Path::to_owned)).unwrap_or(cwd);
    (root.parent().is_some() && environment.home.as_ref() != Some(&root)).then_some(root)
}

/// Removes `.` and `..` from an absolute path without a call to the file system.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            _ => normal.push(component),
        }
    }
    normal
}

/// Returns the parent of the outermost dependency folder on the way to `cwd`; `cwd` itself if there is none.
///
/// Below the home folder, every folder with such a name is a dependency folder. Elsewhere it must also be below the
/// outermost repository on the way, or below the outermost store if there is no repository.
fn above_dependencies<'a>(cwd: &'a Path, home: Option<&Path>) -> &'a Path {
    let is_dependency = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| DEPENDENCY_FOLDERS.contains(&name))
    };
    if !cwd.ancestors().any(|folder| is_dependency(&folder)) {
        return cwd;
    }
    let outermost = |mark: &str| cwd.ancestors().filter(|folder| folder.join(mark).exists()).last();
    let is_below_home = |home: &&Path| cwd.starts_with(home) && cwd != *home;
    let base = home.filter(is_below_home).or_else(|| outermost(".git")).or_else(|| outermost(".claude/memory"));
    let Some(base) = base else { return cwd };
    let below = cwd.ancestors().take_while(|folder| *folder != base);
    below.filter(is_dependency).last().and_then(Path::parent).unwrap_or(cwd)
}

/// Returns the folder of the main checkout for the `.git` file of a worktree, if the main checkout points back to this
/// worktree. Anyone can write a `.git` file that names another repository, but only Git writes both files.
fn main_checkout(git_file: &Path) -> Option<PathBuf> {
    let named = |file: &Path, folder: &Path, beginning: &str| {
        let text = String::from_utf8(read_elsewhere(file, MAX_POINTER_BYTES).ok()?).ok()?;
        let path = text.strip_prefix(beginning)?.trim();
        if path.is_empty() { None } else { fs::canonicalize(folder.join(path)).ok() }
    };
    let git_dir = named(git_file, git_file.parent()?, "gitdir:")?;
    let common = named(&git_dir.join("commondir"), &git_dir, "")?;
    let is_known = git_dir.parent() == Some(&common.join("worktrees"))
        && named(&git_dir.join("gitdir"), &git_dir, "")? == fs::canonicalize(git_file).ok()?;
    (is_known && common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::test_store::TestStore;
    use std::os::unix::fs::symlink;

    /// Returns the root of the project that is found from a folder, relative to the folder of the test.
    fn found(store: &TestStore, cwd: &str, environment: &Environment) -> Result<Option<String>, String> {
        let project = find(&store.path.join(cwd), environment)?;
        Ok(project.map(|project| project.root.strip_prefix(&store.path).unwrap().to_str().unwrap().to_owned()))
    }

    fn make(store: &TestStore, folders: &[&str]) {
        for folder in folders {
            fs::create_dir_all(store.path.join(folder)).unwrap();
        }
    }

    #[test]
    fn a_store_in_a_dependency_folder_is_passed_over() {
        let store = TestStore::new("dependencies");
        let below = "project/node_modules/left/vendor/right";
        make(&store, &[&format!("{below}/.claude/memory"), "project/.git", "project/node_modules/left/.git"]);
        assert_eq!(found(&store, below, &store.environment), Ok(Some("project".into())));
        assert_eq!(found(&store, "project/node_modules", &store.environment), Ok(Some("project".into())));

        // Below the home folder, no repository is needed. Above it, the names of dependency folders have no effect.
        make(&store, &["vendor/home/target/app/.claude/memory", "vendor/home/app/.claude/memory"]);
        let home = Environment { home: Some(store.path.join("vendor/home")), ..store.environment.clone() };
        assert_eq!(found(&store, "vendor/home/target/app", &home), Ok(None));
        assert_eq!(found(&store, "vendor/home/app", &home), Ok(Some("vendor/home/app".into())));
        let named = Environment { root: Some(store.path.join("vendor/home/target/app")), ..home };
        assert_eq!(found(&store, "project", &named), Ok(Some("vendor/home/target/app".into())));
    }

    #[test]
    fn the_search_ends_at_home() {
        let store = TestStore::new("home");
        make(&store, &["project/home/src"]);
        let home = Environment { home: Some(store.path.join("project/home")), ..store.environment.clone() };
        assert_eq!(found(&store, "project/home/src", &home), Ok(None));
        assert_eq!(found(&store, "project/home/src", &store.environment), Ok(Some("project".into())));
    }

    #[test]
    fn a_worktree_has_to_be_known_by_its_main_checkout() {
        let store = TestStore::new("worktrees");
        let git_dir = store.path.join("project/.git/worktrees/tree");
        make(&store, &["project/.git/worktrees/tree", "tree", "tree/forged"]);
        let write = |path: PathBuf, text: String| fs::write(path, text).unwrap();
        let git_file = store.path.join("tree/.git");
        write(git_file.clone(), format!("gitdir: {}\n", git_dir.display()));
        write(git_dir.join("commondir"), "../..\n".into());
        assert_eq!(found(&store, "tree", &store.environment), Ok(None));
        write(git_dir.join("gitdir"), format!("{}\n", git_file.display()));
        assert_eq!(found(&store, "tree", &store.environment), Ok(Some("project".into())));

        // Both files of the forged folder are correct, but the folder is not the main checkout's.
        let forged = store.path.join("tree/forged");
        write(forged.join("commondir"), format!("{}\n", store.path.join("project/.git").display()));
        write(forged.join("gitdir"), format!("{}\n", git_file.display()));
        write(git_file, "gitdir: forged\n".into());
        assert_eq!(found(&store, "tree", &store.environment), Ok(None));
    }

    #[test]
    #[allow(clippy::similar_names, reason = "a link and the line that records it")]
    fn a_link_in_the_place_of_a_store_is_followed_once_it_is_recorded() {
        let store = TestStore::new("links");
        make(&store, &["linked", "other/.claude/memory", "data"]);
        let link = store.path.join("linked/.claude");
        symlink(store.path.join("project/.claude"), &link).unwrap();
        let refused = format!("`{}` is a link, and what it leads to is not read", link.display());
        assert_eq!(found(&store, "linked", &store.environment), Err(refused.clone()));

        let write_link = |target: &str| {
            let line = format!("{}\t{}\n", link.display(), store.path.join(target).display());
            fs::write(store.path.join("data/links"), line).unwrap();
        };
        write_link("other/.claude");
        assert_eq!(found(&store, "linked", &store.environment), Err(refused));
        write_link("project/.claude");
        assert_eq!(found(&store, "linked", &store.environment), Ok(Some("linked".into())));
    }
}
