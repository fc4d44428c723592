//! Finds the project with memories, from the host's working directory upwards (SPEC 14.2).

use crate::environment::{Environment, MAX_SETTINGS_BYTES};
use crate::store::checkouts::{Tie, tie_of};
use crate::store::folder::Folder;
use crate::store::user_folder::{StoreFolder, recorded_target};
use cuecard_core::text::json_reader::{Json, read_json};
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
/// How many superprojects are looked at, from a submodule outwards.
const MAX_SUPERPROJECTS: usize = 4;

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

/// The stores that were found from a working directory upwards (SPEC 48.2).
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// The nearest project, whose store leads.
    pub(crate) nearest: Option<Project>,
    /// Whether that is the superproject of a submodule without memories.
    pub(crate) is_parent: bool,
    /// The same folder of the shared checkout of a worktree; its store lies below that of the nearest.
    pub(crate) counterpart: Option<Project>,
    /// The enclosing project.
    pub(crate) parent: Option<Project>,
    /// The folder of the nearest project, or the working directory where there is none.
    pub(crate) place: PathBuf,
    /// The folder at which git or a setting ends the way upwards.
    pub(crate) top: Option<PathBuf>,
}

impl Located {
    /// Returns the folder that the names of files in the memories of the first store are relative to (SPEC 48.14).
    pub(crate) fn folder(&self) -> &Path {
        match (&self.nearest, &self.top) {
            (Some(nearest), _) => &nearest.root,
            (None, Some(top)) => top,
            (None, None) => &self.place,
        }
    }
}

/// Finds the project that `--root` or `CUECARD_ROOT` names, or else the nearest one with memories from `cwd` upwards; `None` if
/// there is none. The search ends at the repository or the home folder. A store in a dependency folder is skipped.
pub(crate) fn find(cwd: &Path, environment: &Environment) -> Result<Option<Project>, String> {
    locate(cwd, environment).map(|located| located.nearest)
}

/// Finds the project as `find` does, and the other stores that are tied to it by folders or by git.
pub(crate) fn locate(cwd: &Path, environment: &Environment) -> Result<Located, String> {
    if let Some(root) = &environment.root {
        let mut project = Project::at(root, environment)?;
        if project.is_none() && root.ends_with(".claude/memory") {
            let above = fs::canonicalize(root.join("../..")).ok();
            project = above.map_or(Ok(None), |above| Project::at(&above, environment))?;
        }
        let project = project.ok_or("`--root` or `CUECARD_ROOT` is not a project with `.claude/memory`")?;
        return Ok(Located { place: project.root.clone(), nearest: Some(project), ..Located::default() });
    }
    let mut refused = None;
    let mut look_at = |root: &Path| match Project::at(root, environment) {
        Ok(project) => project,
        Err(problem) => {
            refused.get_or_insert(problem);
            None
        }
    };
    let home = environment.home.as_deref();
    let mut found: Vec<(PathBuf, Project)> = Vec::new();
    let (mut top, mut tie) = (None, None);
    let start = above_dependencies(cwd, environment);
    for folder in start.ancestors() {
        found.extend(look_at(folder).map(|project| (folder.to_owned(), project)));
        let git = folder.join(".git");
        match fs::metadata(&git) {
            Ok(metadata) => {
                tie = if metadata.is_file() { tie_in(&git, environment) } else { None };
                top = Some(folder);
                break;
            }
            Err(_) if home == Some(folder) => break,
            Err(_) => {}
        }
        if found.last().is_some_and(|(at, project)| at == folder && is_root(project)) {
            top = Some(folder);
            break;
        }
    }
    let mut located = Located { place: cwd.to_owned(), top: top.map(Path::to_owned), ..Located::default() };
    if let (Some(Tie::Worktree(shared)), Some(top)) = (&tie, top) {
        // Each folder of the way, its own store before that of its counterpart.
        let mut way: Vec<(PathBuf, Project)> = Vec::new();
        for folder in start.ancestors().take_while(|folder| folder.starts_with(top)) {
            let own = found.iter().position(|(at, _)| at == folder).map(|place| found.remove(place));
            let below = folder.strip_prefix(top).ok().and_then(|below| look_at(&if_any(shared, below)));
            match (own, below) {
                (Some(own), below) => {
                    if way.is_empty() {
                        located.counterpart = below;
                    }
                    way.push(own);
                }
                (None, Some(below)) => way.push((folder.to_owned(), below)),
                (None, None) => {}
            }
        }
        found = way;
    }
    let mut found = found.into_iter();
    let Some((_, nearest)) = found.next().or_else(|| {
        let above = enclosing(tie.as_ref(), environment, &mut look_at)?;
        located.is_parent = true;
        Some((above.root.clone(), above))
    }) else {
        return refused.map_or(Ok(located), Err);
    };
    // A store between the nearest one and the root does not count, and the home folder is no parent.
    let parent = found.find(|(folder, _)| top == Some(folder.as_path()) && home != top);
    located.parent = parent.map(|(_, project)| project).filter(|parent| has_owner_of(&parent.root, &nearest.root));
    if located.parent.is_none() && !located.is_parent {
        let above = enclosing(tie.as_ref(), environment, &mut look_at);
        located.parent = above.filter(|above| has_owner_of(&above.root, &nearest.root));
    }
    located.place.clone_from(&nearest.root);
    located.nearest = Some(nearest);
    Ok(located)
}

/// Returns the nearest superproject with memories, if the checkout is a submodule.
fn enclosing(
    tie: Option<&Tie>,
    environment: &Environment,
    look_at: &mut impl FnMut(&Path) -> Option<Project>,
) -> Option<Project> {
    let mut tie = tie.cloned().filter(|tie| matches!(tie, Tie::Submodule(_)));
    for _ in 0..MAX_SUPERPROJECTS {
        let above = match tie? {
            Tie::Submodule(above) | Tie::Worktree(above) => above,
        };
        let project = look_at(&above);
        if project.is_some() {
            return project;
        }
        let git = above.join(".git");
        tie = if git.is_file() { tie_in(&git, environment) } else { None };
    }
    None
}

fn tie_in(git_file: &Path, environment: &Environment) -> Option<Tie> {
    tie_of(git_file, environment.home.as_deref(), environment.data_folder.as_deref())
}

fn if_any(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) }
}

/// Whether the settings of a store say that its folder is the root of a monorepo.
fn is_root(project: &Project) -> bool {
    let data = project.memory.read("memory-config.json", MAX_SETTINGS_BYTES).ok();
    let settings = data.and_then(|data| read_json(&data).ok());
    settings
        .is_some_and(|settings| settings.get("scopes").and_then(|scopes| scopes.get("root")) == Some(&Json::Bool(true)))
}

/// Whether a folder belongs to the user or to the owner of another folder.
#[cfg(unix)]
fn has_owner_of(folder: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |folder: &Path| folder.metadata().map(|status| status.uid()).ok();
    owner(folder).is_some_and(|found| found == rustix::process::geteuid().as_raw() || owner(other) == Some(found))
}

#[cfg(not(unix))]
fn has_owner_of(_folder: &Path, _other: &Path) -> bool {
    true
}

/// Finds the project of a host's working directory, or of this process's own if the host names none.
pub(crate) fn find_from(cwd: Option<&str>, environment: &Environment) -> Result<Option<Project>, String> {
    locate_from(cwd, environment).map(|located| located.nearest)
}

/// Finds the stores of a host's working directory as `find_from` does.
pub(crate) fn locate_from(cwd: Option<&str>, environment: &Environment) -> Result<Located, String> {
    let cwd = cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".");
    locate(&normalize(&std::path::absolute(cwd).map_err(|_| "the working directory no longer exists")?), environment)
}

/// Returns the repository or folder in which the first memories of a working directory would be created; `None` for the
/// home folder, for the root of the file system and for dependency folders.
pub(crate) fn find_future(cwd: Option<&str>, environment: &Environment) -> Option<PathBuf> {
    let cwd = normalize(&std::path::absolute(cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".")).ok()?);
    if above_dependencies(&cwd, environment) != cwd {
        return None;
    }
    let repository = cwd.ancestors().find(|folder| folder.join(".git").exists());
    let repository = repository.filter(|folder| environment.home.as_deref() != Some(folder));
    let shared = repository.and_then(|folder| match tie_in(&folder.join(".git"), environment) {
        Some(Tie::Worktree(shared)) => Some(shared),
        _ => None,
    });
    let root = shared.or_else(|| repository.map(Path::to_owned)).unwrap_or(cwd);
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

/// Returns the parent of the outermost dependency folder on the way to `cwd`; `cwd` itself if there is none, or if it is in
/// a repository that the user allows (`scopes.allow`).
///
/// Below the home folder, every folder with such a name is a dependency folder. Elsewhere it must also be below the
/// outermost repository on the way, or below the outermost store if there is no repository.
fn above_dependencies<'a>(cwd: &'a Path, environment: &Environment) -> &'a Path {
    let is_dependency = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| DEPENDENCY_FOLDERS.contains(&name))
    };
    if !cwd.ancestors().any(|folder| is_dependency(&folder)) {
        return cwd;
    }
    let outermost = |mark: &str| cwd.ancestors().filter(|folder| folder.join(mark).exists()).last();
    let is_below_home = |home: &&Path| cwd.starts_with(home) && cwd != *home;
    let home = environment.home.as_deref().filter(is_below_home);
    let base = home.or_else(|| outermost(".git")).or_else(|| outermost(".claude/memory"));
    let Some(base) = base else { return cwd };
    let mut below = cwd.ancestors().take_while(|folder| *folder != base).filter(is_dependency);
    let repository = cwd.ancestors().find(|folder| folder.join(".git").exists());
    // The way goes up to the repository and not above it, so dependency folders below it still count.
    let is_allowed = repository.is_some_and(|repository| is_allowed(repository, environment));
    let outer = if is_allowed {
        below.filter(|folder| repository.is_some_and(|root| folder.starts_with(root) && *folder != root)).last()
    } else {
        below.by_ref().last()
    };
    outer.and_then(Path::parent).unwrap_or(cwd)
}

/// Whether the user's own settings list a repository in `scopes.allow`.
fn is_allowed(repository: &Path, environment: &Environment) -> bool {
    let Some(settings) = environment.user_settings() else { return false };
    let Some(Json::List(allowed)) = settings.get("scopes").and_then(|scopes| scopes.get("allow")) else { return false };
    let Ok(repository) = fs::canonicalize(repository) else { return false };
    let mut paths = allowed.iter().filter_map(Json::as_text).map(Path::new).filter(|path| path.is_absolute());
    paths.any(|path| fs::canonicalize(path).is_ok_and(|path| path == repository))
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
