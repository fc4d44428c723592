//! The two files of settings, read once: the user's configuration and that of a store (SPEC 54.1).

use crate::environment::Environment;
use crate::store::folder::{Unread, read_elsewhere};
use crate::store::root::Project;
use cuecard_core::settings::{
    Config, LexicalConfig, RecallConfig, Strategy, effective_settings, read_config, read_lexical_config,
    read_recall_config,
};

const MAX_SETTINGS_BYTES: u64 = 1 << 20;
const REPOSITORY_FILE: &str = "memory-config.json";
const USER_FILE: &str = "config.json";

/// The settings that count for a store.
#[derive(Debug, Default)]
pub(crate) struct LoadedSettings {
    pub(crate) config: Config,
    pub(crate) lexical: LexicalConfig,
    pub(crate) recall: RecallConfig,
    /// The descriptions of categories that may be printed: outside of the classic form only the user's own.
    pub(crate) shown_descriptions: Vec<(String, String)>,
    /// The bytes of the user's configuration.
    pub(crate) user: Option<Vec<u8>>,
}

/// Reads the settings that count for a store, those of the environment before those of the files.
pub(crate) fn load_settings(project: &Project, environment: &Environment, notes: &mut Vec<String>) -> LoadedSettings {
    // The links of the user's own files are followed.
    let user = environment.config_home.as_ref().and_then(|folder| {
        let path = folder.join("cuecard").join(USER_FILE);
        known(read_elsewhere(&path, MAX_SETTINGS_BYTES), USER_FILE, notes)
    });
    let repository = known(project.memory.read(REPOSITORY_FILE, MAX_SETTINGS_BYTES), REPOSITORY_FILE, notes);
    if user.is_none() && repository.is_none() {
        return with_environment(LoadedSettings::default(), environment, notes);
    }
    let effective = effective_settings(user.as_deref(), repository.as_deref());
    notes.extend(note_of(&effective.problems));
    let (mut config, lexical, recall) =
        (read_config(&effective.data), read_lexical_config(&effective.data), read_recall_config(&effective.data));
    let problems: Vec<_> = config.problems.iter().chain(&lexical.problems).chain(&recall.problems).collect();
    if !problems.is_empty() {
        let own = user.as_deref().map(problems_of).unwrap_or_default();
        let is_own = |problem: &String| repository.is_none() || own.contains(problem);
        let file = |problem| if is_own(problem) { USER_FILE } else { REPOSITORY_FILE };
        notes.extend(problems.into_iter().map(|problem| format!("{}: {problem}", file(problem))));
    }
    let is_classic = environment.output.as_deref() == Some("classic");
    let mut shown_descriptions = Vec::new();
    if is_classic {
        // The user has chosen the classic form, which has no gate: there a repository may choose among the rules.
        let asked = repository.as_deref().map_or(Strategy::Hybrid, |data| read_config(data).strategy);
        config.strategy = if asked == Strategy::Hybrid { config.strategy } else { asked };
        shown_descriptions.clone_from(&config.descriptions);
    } else if let Some(data) = &user {
        shown_descriptions = read_config(data).descriptions;
    }
    with_environment(LoadedSettings { config, lexical, recall, shown_descriptions, user }, environment, notes)
}

/// Whether decisions of a store are logged, and their prompts.
pub(crate) fn log_settings(project: &Project, environment: &Environment) -> (bool, bool) {
    let recall = load_settings(project, environment, &mut Vec::new()).recall;
    (recall.log_events, recall.log_prompts)
}

fn with_environment(mut loaded: LoadedSettings, environment: &Environment, notes: &mut Vec<String>) -> LoadedSettings {
    let strategy = &mut loaded.config.strategy;
    if let Some(name) = &environment.strategy {
        match Strategy::find(name) {
            Some(found) => *strategy = found,
            None => notes.push(format!("`CUECARD_STRATEGY` is not a known strategy; using `{}`", strategy.name())),
        }
    }
    if environment.output.as_deref().is_some_and(|output| output != "classic") {
        notes.push("`CUECARD_OUTPUT` is not `classic`; ignoring it".into());
    }
    loaded
}

/// What is malformed in a single file.
fn problems_of(data: &[u8]) -> Vec<String> {
    [read_config(data).problems, read_lexical_config(data).problems, read_recall_config(data).problems].concat()
}

/// What of the two files does not count, in one sentence.
fn note_of(problems: &[String]) -> Option<String> {
    let first = problems.first()?;
    let more = problems.len() - 1;
    Some(if more == 0 { first.clone() } else { format!("{first}; {more} more in `cuecard doctor`") })
}

/// The bytes of a file, if it could be read; notes why one that is there could not.
fn known(read: Result<Vec<u8>, Unread>, name: &str, notes: &mut Vec<String>) -> Option<Vec<u8>> {
    match read {
        Ok(data) => Some(data),
        Err(Unread::Missing) => None,
        Err(unread) => {
            notes.push(format!("{name}: the file {}; using the defaults", unread.words()));
            None
        }
    }
}
