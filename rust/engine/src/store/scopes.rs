//! Lists the stores that count in a folder, the nearest scope first (SPEC 48).

use crate::environment::Environment;
use crate::store::folder::Folder;
use crate::store::root::{Located, Project};
use crate::store::settings_files::user_settings;
use cuecard_core::settings::Settings;
use std::fs;
use std::path::{Path, PathBuf};

/// The user's own store, and the packs of teams, in the data folder.
const USER: &str = "user";
const PACKS: &str = "packs";
/// The file of a pack that names the folder that counts.
const CURRENT: &str = "current";
const MAX_NAME_BYTES: usize = 100;
const MOST_TEAMS: usize = 3;

/// Where a store lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The store of the project, or its counterpart in the shared checkout of a worktree.
    Project,
    /// The store of the enclosing project.
    Parent,
    /// The user's own store.
    User,
    /// The pack of a team, with its name.
    Team(String),
}

impl Scope {
    /// Returns the scope in a block and in the log; empty for the project's own.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Project => String::new(),
            Self::Parent => "parent".to_owned(),
            Self::User => "user".to_owned(),
            Self::Team(name) => format!("team {name}"),
        }
    }
}

/// A store that counts.
#[derive(Debug, Clone)]
pub(crate) struct ScopedStore {
    pub(crate) scope: Scope,
    pub(crate) project: Project,
    /// Whether the store before this one hides what both have at the same path.
    pub(crate) is_counterpart: bool,
}

/// Returns the stores that count, by the settings of the first one: `first`, and the others in the order of their scopes.
pub(crate) fn list_stores(
    first: ScopedStore,
    located: &mut Located,
    settings: &Settings,
    environment: &Environment,
) -> Vec<ScopedStore> {
    let mut stores = vec![first];
    let mut add = |scope: Scope, project: Project, is_counterpart: bool| {
        if stores.iter().all(|store| store.project.memory_dir != project.memory_dir) {
            stores.push(ScopedStore { scope, project, is_counterpart });
        }
    };
    if let Some(counterpart) = located.counterpart.take() {
        add(Scope::Project, counterpart, true);
    }
    if let Some(parent) = located.parent.take().filter(|_| settings.scopes.parent) {
        add(Scope::Parent, parent, false);
    }
    if is_excluded(&located.place, settings) {
        return stores;
    }
    if let Some(own) = user_store(environment).filter(|_| settings.scopes.user) {
        add(Scope::User, own, false);
    }
    if settings.scopes.team {
        for (name, pack) in packs(&settings.scopes.teams, environment) {
            add(Scope::Team(name), pack, false);
        }
    }
    stores
}

/// Returns the store that leads: the nearest one, else the user's own, else the first pack; `None` if there is none.
pub(crate) fn first_store(located: &Located, environment: &Environment) -> Option<ScopedStore> {
    let store = |scope, project| ScopedStore { scope, project, is_counterpart: false };
    if let Some(project) = located.nearest.clone() {
        return Some(store(if located.is_parent { Scope::Parent } else { Scope::Project }, project));
    }
    let own = user_store(environment).map(|own| store(Scope::User, own));
    own.or_else(|| {
        let packs = packs(&user_settings(environment).scopes.teams, environment);
        packs.into_iter().next().map(|(name, pack)| store(Scope::Team(name), pack))
    })
}

/// Opens the user's own store; `None` if there is none.
fn user_store(environment: &Environment) -> Option<Project> {
    Project::at(&environment.data_folder.as_deref()?.join(USER), environment).ok().flatten()
}

/// Opens the packs of the first teams that the user has joined, by name.
fn packs(teams: &[String], environment: &Environment) -> Vec<(String, Project)> {
    if teams.is_empty() {
        return Vec::new();
    }
    let Some(data_folder) = environment.data_folder.as_deref() else { return Vec::new() };
    let Some(folder) = Folder::open(data_folder).ok().and_then(|data| data.folder(PACKS).ok()) else {
        return Vec::new();
    };
    let Ok((mut names, _)) = folder.list_first(usize::MAX, is_plain_name) else { return Vec::new() };
    names.retain(|name| teams.iter().take(MOST_TEAMS).any(|team| team == name));
    names.sort_unstable();
    let open = |name: String| {
        let current = folder.folder(&name).ok()?.read(CURRENT, MAX_NAME_BYTES as u64 + 1).ok()?;
        let version = String::from_utf8(current).ok()?;
        let version = version.trim_end();
        let root = data_folder.join(PACKS).join(&name).join(version);
        let project = if is_plain_name(version) { Project::at(&root, environment).ok().flatten() } else { None };
        project.map(|project| (name, project))
    };
    names.into_iter().filter_map(open).collect()
}

/// Whether a text is the name of a pack or of a version of it.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.starts_with('.') && name.chars().all(is_plain)
}

/// Whether the settings keep a store of this scope out of a folder.
pub(crate) fn is_declined(scope: &Scope, place: &Path, settings: &Settings) -> bool {
    match scope {
        Scope::Project | Scope::Parent => false,
        Scope::User => !settings.scopes.user || is_excluded(place, settings),
        Scope::Team(_) => !settings.scopes.team || is_excluded(place, settings),
    }
}

/// Whether the user keeps the user's and the teams' memories out of a folder.
fn is_excluded(place: &Path, settings: &Settings) -> bool {
    if settings.scopes.exclude.is_empty() {
        return false;
    }
    let Ok(root) = fs::canonicalize(place) else { return true };
    let real = |path: &String| fs::canonicalize(Path::new(path)).ok().filter(|_| Path::new(path).is_absolute());
    settings.scopes.exclude.iter().filter_map(real).any(|folder: PathBuf| root.starts_with(folder))
}
