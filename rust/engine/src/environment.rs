//! The environment variables that the hook uses, read once (SPEC 14.3).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Which process asks the models that the settings name (SPEC 14.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Models {
    /// The executable starts the Python next to it, which asks the models.
    #[default]
    Started,
    /// The caller is Python and asks the models itself.
    LeftToCaller,
}

/// The environment variables that the hook uses.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `CUECARD_ROOT`: the project, or its `.claude/memory`.
    pub root: Option<PathBuf>,
    /// `CUECARD_STRATEGY`: overrides the configured strategy.
    pub strategy: Option<String>,
    /// `CUECARD_OUTPUT`: `classic` selects the block of the claude-memory plugin for every host.
    pub output: Option<String>,
    /// `CUECARD_LOG`: the log file, or `off`.
    pub log: Option<OsString>,
    /// `CLAUDE_PROJECT_DIR`: the host's own name for the project, which commands may use.
    pub project_dir: Option<String>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder of the user's configuration files.
    pub config_home: Option<PathBuf>,
    /// The folder of state files of programs.
    pub state_home: Option<PathBuf>,
    /// The user's data folder of cuecard; `None` if the user has no home folder (SPEC 51.1).
    pub data_folder: Option<PathBuf>,
    /// `CUECARD_DISABLE`: no event is answered, and nothing is written.
    pub is_disabled: bool,
    /// `PATH`: where the agent's shell looks for programs.
    pub path: Option<OsString>,
    /// `CLAUDE_PLUGIN_ROOT`: the folder of the plugin, if the plugin calls the hook.
    pub plugin_root: Option<PathBuf>,
    /// `CLAUDE_CODE_ENTRYPOINT`: how the session was started.
    pub entrypoint: Option<String>,
    /// The folder of the programs that were installed together with this one; `None` means the executable's own folder.
    pub programs: Option<PathBuf>,
    /// Which process asks models. The caller sets this; it is not an environment variable.
    pub models: Models,
}

impl Environment {
    /// Reads the environment of this process; empty values count as absent.
    #[must_use]
    pub fn read() -> Self {
        let raw = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |name: &str| {
            let value = raw(name).map(|value| value.to_string_lossy().trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let home = raw("HOME").or_else(|| raw("USERPROFILE")).map(PathBuf::from);
        // A relative path would be inside the repository that happens to be the working directory.
        let absolute = |name: &str| raw(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config_home = absolute("XDG_CONFIG_HOME");
        let state_home = raw("XDG_STATE_HOME").map(PathBuf::from);
        Self {
            root: raw("CUECARD_ROOT").map(PathBuf::from),
            strategy: text("CUECARD_STRATEGY"),
            output: text("CUECARD_OUTPUT"),
            log: raw("CUECARD_LOG"),
            project_dir: text("CLAUDE_PROJECT_DIR"),
            config_home: config_home.or_else(|| home.as_ref().map(|home| home.join(".config"))),
            state_home: state_home.or_else(|| home.as_ref().map(|home| home.join(".local").join("state"))),
            data_folder: absolute("CUECARD_HOME")
                .or_else(|| Some(data_home(home.as_deref(), &absolute)?.join("cuecard"))),
            path: raw("PATH"),
            plugin_root: absolute("CLAUDE_PLUGIN_ROOT"),
            entrypoint: text("CLAUDE_CODE_ENTRYPOINT"),
            home,
            is_disabled: raw("CUECARD_DISABLE").is_some(),
            programs: None,
            models: Models::default(),
        }
    }
}

impl Environment {
    /// Whether a program waits for the agent's answer, as far as the environment tells (SPEC 56.8).
    #[must_use]
    pub fn is_not_interactive(&self) -> bool {
        self.entrypoint.as_deref().is_some_and(|entrypoint| entrypoint.starts_with("sdk"))
    }
}

/// Returns the system's folder for the user's data.
#[cfg(target_os = "macos")]
fn data_home(home: Option<&Path>, _absolute: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(home?.join("Library").join("Application Support"))
}

#[cfg(windows)]
fn data_home(home: Option<&Path>, absolute: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("LOCALAPPDATA").or_else(|| Some(home?.join("AppData").join("Local")))
}

#[cfg(not(any(target_os = "macos", windows)))]
fn data_home(home: Option<&Path>, absolute: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("XDG_DATA_HOME").or_else(|| Some(home?.join(".local").join("share")))
}
