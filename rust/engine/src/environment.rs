//! The environment variables that the hook uses, read once (SPEC 14.3).

use crate::store::folder::read_elsewhere;
use crate::surroundings::Surroundings;
use cuecard_core::text::json_reader::{Json, read_json};
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The most bytes that are read of a file of settings.
pub(crate) const MAX_SETTINGS_BYTES: u64 = 1 << 20;
const CLASSIC: &str = "classic";

/// Options of the command line. They come from the user, because a host takes its hooks from the user; environment
/// variables can come from a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// `--strategy NAME`: overrides the configured strategy.
    pub strategy: Option<String>,
    /// `--output classic`: the block of the claude-memory plugin for every host.
    pub output: Option<String>,
    /// `--root DIR`: the project, or its `.claude/memory`.
    pub root: Option<PathBuf>,
}

impl Options {
    /// Takes the options out of the arguments of the hook. What is repeated or has no value is left there.
    #[must_use]
    pub fn take(arguments: &[String]) -> (Self, Vec<String>) {
        let (mut options, mut left) = (Self::default(), Vec::new());
        let mut root = None;
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            let place = match name {
                "--strategy" => &mut options.strategy,
                "--output" => &mut options.output,
                "--root" => &mut root,
                _ => {
                    left.push(word.clone());
                    continue;
                }
            };
            let value = value.or_else(|| words.as_slice().first().map(String::as_str));
            match value.filter(|value| !value.is_empty() && place.is_none()) {
                Some(value) => {
                    *place = Some(value.to_owned());
                    if !word.contains('=') {
                        words.next();
                    }
                }
                None => left.push(word.clone()),
            }
        }
        options.root = root.map(PathBuf::from);
        (options, left)
    }

    /// Returns the arguments with which another hook gets the same options.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let root = self.root.as_ref().map(|root| root.clone().into_os_string());
        let text = |value: &Option<String>| value.as_ref().map(OsString::from);
        for (name, value) in [("--strategy", text(&self.strategy)), ("--output", text(&self.output)), ("--root", root)]
        {
            if let Some(value) = value {
                arguments.extend([name.into(), value]);
            }
        }
        arguments
    }
}

/// The environment variables that the hook uses.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The options of the command line.
    pub options: Options,
    /// The project, or its `.claude/memory`: `--root`, or `CUECARD_ROOT` if the user lets variables count.
    pub root: Option<PathBuf>,
    /// `CUECARD_STRATEGY`: overrides the configured strategy.
    pub strategy: Option<String>,
    /// `CUECARD_OUTPUT`: `classic` selects the form of the claude-memory plugin for every host.
    pub output: Option<String>,
    /// `CUECARD_ALLOW_HOSTS`: endpoints that may be asked; empty unless the user lets variables count.
    pub allowed_hosts: String,
    /// The host's working directory, if it is not that of this process.
    pub cwd: Option<PathBuf>,
    /// `CUECARD_LOG`: the log file, or `off`.
    pub log: Option<OsString>,
    /// `CLAUDE_PROJECT_DIR`: the host's own name for the project, which commands may use.
    pub project_dir: Option<String>,
    /// The home folder of the agent's shell, which `~` in its commands means.
    pub shell_home: Option<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder of the user's configuration files.
    pub config_home: Option<PathBuf>,
    /// The folder of state files of programs.
    pub state_home: Option<PathBuf>,
    /// The user's data folder of cuecard; `None` if the user has no home folder (SPEC 44.1).
    pub data_folder: Option<PathBuf>,
    /// `CUECARD_DISABLE`: no event is answered, and nothing is written, except by the guard.
    pub is_disabled: bool,
    /// Whether the user's settings have `variables: true`. Read only if a variable is set that needs it.
    pub heeds_variables: bool,
    /// `CLAUDE_CODE_ENTRYPOINT`: how the session was started.
    pub entrypoint: Option<String>,
    /// Whether the values were read from the environment of this process.
    pub is_of_process: bool,
}

impl Environment {
    /// Reads the environment of this process; empty values count as absent.
    #[must_use]
    pub fn read() -> Self {
        let mut environment = Self {
            strategy: text("CUECARD_STRATEGY"),
            output: text("CUECARD_OUTPUT"),
            log: raw("CUECARD_LOG"),
            project_dir: text("CLAUDE_PROJECT_DIR"),
            shell_home: named_home(),
            entrypoint: text("CLAUDE_CODE_ENTRYPOINT"),
            is_disabled: raw("CUECARD_DISABLE").is_some(),
            is_of_process: true,
            ..Self::default()
        };
        environment.find_folders(None);
        environment
    }

    /// Returns this environment for a host that works in the folder `cwd`. Folders that variables name count only
    /// outside of the project there.
    #[must_use]
    pub fn for_cwd(&self, cwd: Option<&str>) -> Cow<'_, Self> {
        let Some(cwd) = cwd.filter(|cwd| self.is_of_process && !cwd.is_empty()).map(Path::new) else {
            return Cow::Borrowed(self);
        };
        let mut environment = self.clone();
        environment.find_folders(Some(cwd));
        Cow::Owned(environment)
    }

    /// Returns this environment with options of the command line.
    #[must_use]
    pub fn with_options(&self, options: Options) -> Cow<'_, Self> {
        if options == self.options {
            return Cow::Borrowed(self);
        }
        let root = options.root.clone().or_else(|| self.root.clone());
        Cow::Owned(Self { options, root, ..self.clone() })
    }

    /// Finds the user's folders, and what counts because of the user's settings.
    fn find_folders(&mut self, cwd: Option<&Path>) {
        self.cwd = cwd.map(Path::to_owned);
        let around = self.surroundings();
        let admitted = |path: &PathBuf| around.admits(path);
        let is_named = self.shell_home.is_some();
        let home = self.shell_home.clone().filter(admitted);
        let home = home.or_else(|| if is_named { around.account_home() } else { None });
        let named = |name: &str| raw(name).map(PathBuf::from).filter(admitted);
        // Our folder in a folder of the user may be a link into the project, or the project itself.
        let above = |name: &str| named(name).filter(|path| admitted(&path.join("cuecard")));
        let config_home = above("XDG_CONFIG_HOME");
        self.config_home = config_home.or_else(|| home.as_ref().map(|home| home.join(".config")));
        let state_home = above("XDG_STATE_HOME");
        self.state_home = state_home.or_else(|| home.as_ref().map(|home| home.join(".local").join("state")));
        self.data_folder = named("CUECARD_HOME").or_else(|| Some(data_home(home.as_deref(), &above)?.join("cuecard")));
        self.home = home;
        let (root, allowed_hosts) = (raw("CUECARD_ROOT"), text("CUECARD_ALLOW_HOSTS"));
        self.heeds_variables = (root.is_some() || allowed_hosts.is_some() || self.is_disabled)
            && self.user_settings().is_some_and(|settings| settings.get("variables") == Some(&Json::Bool(true)));
        self.allowed_hosts = allowed_hosts.filter(|_| self.heeds_variables).unwrap_or_default();
        let root = root.filter(|_| self.heeds_variables).map(PathBuf::from);
        self.root = self.options.root.clone().or(root);
    }
}

impl Environment {
    /// Returns the folders in which the user works.
    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings::new(self.cwd.as_deref(), self.project_dir.as_deref().map(Path::new))
    }

    /// Returns the file of the user's own settings; `None` without a home folder.
    pub(crate) fn user_settings_file(&self) -> Option<PathBuf> {
        Some(self.config_home.as_ref()?.join("cuecard").join("config.json"))
    }

    /// Returns the user's own settings as they stand, for the few rules that ask them before a store is known; `None` if
    /// they are missing or damaged.
    pub(crate) fn user_settings(&self) -> Option<Json> {
        read_json(&read_elsewhere(&self.user_settings_file()?, MAX_SETTINGS_BYTES).ok()?).ok()
    }

    /// Whether blocks have the form of the claude-memory plugin.
    #[must_use]
    pub fn prints_classic(&self) -> bool {
        let output = self.options.output.as_ref().or(self.output.as_ref());
        output.is_some_and(|output| output == CLASSIC)
    }

    /// Whether the user has asked for exactly the block of the claude-memory plugin, which marks no memories.
    #[must_use]
    pub fn is_exactly_classic(&self) -> bool {
        self.options.output.as_deref() == Some(CLASSIC)
    }
}

impl Environment {
    /// Whether a program waits for the agent's answer, as far as the environment tells (docs/reference/ledger.md).
    #[must_use]
    pub fn is_not_interactive(&self) -> bool {
        self.entrypoint.as_deref().is_some_and(|entrypoint| entrypoint.starts_with("sdk"))
    }
}

/// Returns the value of a variable of this process; an empty one counts as absent.
pub(crate) fn raw(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn text(name: &str) -> Option<String> {
    let value = raw(name).map(|value| value.to_string_lossy().trim().to_owned());
    value.filter(|value| !value.is_empty())
}

fn named_home() -> Option<PathBuf> {
    raw("HOME").or_else(|| raw("USERPROFILE")).map(PathBuf::from)
}

/// Returns the system's folder for the user's data.
#[cfg(target_os = "macos")]
fn data_home(home: Option<&Path>, _named: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(home?.join("Library").join("Application Support"))
}

#[cfg(windows)]
fn data_home(home: Option<&Path>, named: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    named("LOCALAPPDATA").or_else(|| Some(home?.join("AppData").join("Local")))
}

#[cfg(not(any(target_os = "macos", windows)))]
fn data_home(home: Option<&Path>, named: &impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    named("XDG_DATA_HOME").or_else(|| Some(home?.join(".local").join("share")))
}
