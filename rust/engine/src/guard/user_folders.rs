//! Tells which paths are in the user's own folders of cuecard, which tools must not write (SPEC 16.7).

use crate::environment::Environment;
use crate::store::files::resolve;
use crate::store::store_path::{could_be, path_components};
use std::path::Path;

/// What the shell reader has in the place of a variable that names a user's folder, or the folder above it.
const DATA_MARK: &str = "\0CUECARD_HOME";
const ABOVE_MARKS: [&str; 3] = ["\0LOCALAPPDATA", "\0XDG_CONFIG_HOME", "\0XDG_DATA_HOME"];
pub(crate) const REASON: &str = "cuecard's folders of the user hold what the user trusts, allows and has configured: \
                                 only a person changes them, with `cuecard` in a terminal";

/// The user's data folder and configuration folder, as components in lower case.
pub(crate) struct UserFolders {
    folders: Vec<Vec<String>>,
}

impl UserFolders {
    pub(crate) fn new(environment: &Environment) -> Self {
        let config = environment.config_home.as_ref().map(|folder| folder.join("cuecard"));
        let both = [environment.data_folder.clone(), config]
            .into_iter()
            .flatten()
            .flat_map(|folder| [resolve(&folder), Some(folder)])
            .flatten();
        let lower = both.map(|folder| folder.to_string_lossy().to_lowercase());
        let names = lower.map(|path| path_components(&path).into_iter().map(str::to_owned).collect::<Vec<_>>());
        let home = environment.home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
        let home = path_components(&home);
        // A folder that contains the home folder is not taken for one of cuecard.
        Self { folders: names.filter(|names| !names.is_empty() && !is_inside(&home, names)).collect() }
    }

    /// Whether a path, absolute or as in a command, is one of the folders or below one.
    pub(crate) fn contain(&self, path: &str) -> bool {
        let components = path_components(path);
        let is_marked = match components.as_slice() {
            [first, ..] if *first == DATA_MARK => true,
            [first, second, ..] => ABOVE_MARKS.contains(first) && could_be(second, "cuecard"),
            _ => false,
        };
        is_marked || self.folders.iter().any(|names| is_inside(&components, names))
    }
}

fn is_inside(components: &[&str], names: &[String]) -> bool {
    let mut pairs = components.iter().zip(names);
    components.len() >= names.len() && pairs.all(|(one, name)| one.to_lowercase() == **name || could_be(one, name))
}
