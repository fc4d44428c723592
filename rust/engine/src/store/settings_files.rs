//! Reads the two settings files: the user's configuration and the settings of a store (SPEC 47.1).

use crate::environment::{Environment, MAX_SETTINGS_BYTES};
use crate::store::folder::{Unread, read_elsewhere};
use crate::store::root::Project;
use cuecard_core::settings::{Settings, Strategy, read_settings};
use cuecard_core::text::json_reader::BYTE_ORDER_MARK;

const USER_FILE: &str = "config.json";
const REPOSITORY_FILE: &str = "memory-config.json";

/// Reads the effective settings of a store. Environment variables override the files.
pub(crate) fn load_settings(project: &Project, environment: &Environment, notes: &mut Vec<String>) -> Settings {
    let user = read_user_file(environment, notes);
    let repository = known(project.memory.read(REPOSITORY_FILE, MAX_SETTINGS_BYTES), REPOSITORY_FILE, notes);
    // A byte order mark makes this file unreadable for the claude-memory plugin, whose answers the classic form gives.
    let is_unread = |data: &Vec<u8>| environment.is_exactly_classic() && data.starts_with(BYTE_ORDER_MARK);
    let repository = repository.filter(|data| {
        if is_unread(data) {
            notes.push(format!("{REPOSITORY_FILE}: the file is not JSON; using the defaults"));
        }
        !is_unread(data)
    });
    let mut settings = read_settings(user.as_deref(), repository.as_deref());
    notes.extend(note_of(&settings.ignored));
    let is_own = |problem| repository.is_none() || settings.user_problems.contains(problem);
    let file = |problem| if is_own(problem) { USER_FILE } else { REPOSITORY_FILE };
    notes.extend(settings.problems.iter().map(|problem| format!("{}: {problem}", file(problem))));
    if environment.is_exactly_classic() && settings.repository_strategy != Strategy::Hybrid {
        // The user has chosen the classic form of the block, which has no gate. With it, a repository may choose the
        // strategy.
        settings.strategy = settings.repository_strategy;
    }
    choose_strategy(&mut settings, environment, notes);
    for (name, value) in [("CUECARD_OUTPUT", &environment.output), ("--output", &environment.options.output)] {
        if value.as_deref().is_some_and(|output| output != "classic") {
            notes.push(format!("`{name}` is not `classic`; ignoring it"));
        }
    }
    settings
}

/// Reads the user's own settings, where there is no store that could add to them.
pub(crate) fn user_settings(environment: &Environment) -> Settings {
    read_settings(read_user_file(environment, &mut Vec::new()).as_deref(), None)
}

/// Links in the path of the user's own file are followed.
fn read_user_file(environment: &Environment, notes: &mut Vec<String>) -> Option<Vec<u8>> {
    known(read_elsewhere(&environment.user_settings_file()?, MAX_SETTINGS_BYTES), USER_FILE, notes)
}

/// Lets the command line, or else the environment, choose the strategy.
///
/// A host may take its environment from a repository. Classic recall knows no trust, so the environment alone gets
/// `keyword` in the place of `keyword_classic`, and in the place of the strategy with a gate in the classic form.
fn choose_strategy(settings: &mut Settings, environment: &Environment, notes: &mut Vec<String>) {
    let own = environment.options.strategy.as_ref().map(|name| ("--strategy", name));
    let named = own.or_else(|| environment.strategy.as_ref().map(|name| ("CUECARD_STRATEGY", name)));
    if let Some((source, name)) = named {
        if let Some(found) = Strategy::find(name) {
            let is_lent = found == Strategy::KeywordClassic && own.is_none() && settings.strategy != found;
            settings.strategy = if is_lent { Strategy::Keyword } else { found };
        } else {
            let name = settings.strategy.name();
            notes.push(format!("`{source}` is not a known strategy; using `{name}`"));
        }
    }
    if environment.prints_classic() && !environment.is_exactly_classic() && settings.strategy == Strategy::Hybrid {
        settings.strategy = Strategy::Keyword;
    }
}

/// Returns whether the decisions of a store are logged, and whether prompts are logged with them.
pub(crate) fn log_settings(project: &Project, environment: &Environment) -> (bool, bool) {
    let settings = load_settings(project, environment, &mut Vec::new());
    (settings.log_events, settings.log_prompts)
}

/// Returns one sentence about the ignored parts of the two files.
fn note_of(problems: &[String]) -> Option<String> {
    let first = problems.first()?;
    let more = problems.len() - 1;
    Some(if more == 0 { first.clone() } else { format!("{first}; {more} more in `cuecard doctor`") })
}

/// Returns the bytes of a file; `None` if it is missing, or if it cannot be read, which is reported in `notes`.
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
