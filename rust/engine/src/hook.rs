//! The hook program: its arguments, its input and its output (SPEC 14).

use crate::environment::{Environment, Options};
use crate::host::{Host, other_cwd};
use crate::prompt::delegate::{ask_python, start_detached};
use crate::prompt::hosted;
use crate::session::shown_last;
use crate::store::reached::absolute_cwd;
use crate::store::root::normalize;
use crate::{HostEvent, Models, answer, log_problem, payload_input};
use cuecard_core::tables::host_table;
use cuecard_core::text::json_writer::quote;
use cuecard_core::{Error, VERSION};
use std::io::Write;

const HELP: &str = include_str!("../../../python/cuecard/assets/hook_help.txt");

/// Answers one event: reads the payload from standard input, prints the answer, then writes the files that the answer
/// changes.
///
/// After any failure nothing is printed, and the log gets a line. `models` gives access to models if the caller is
/// Python. Then the payload of an event that only Python can answer is returned.
#[must_use]
pub fn run(arguments: &[String], environment: &Environment, models: Option<&dyn Models>) -> Option<Vec<u8>> {
    let (options, arguments) = Options::take(arguments);
    let environment = &*environment.with_options(options);
    let command = Command::parse(&arguments);
    // A disabled hook does not write to the log either: a model that drafts memories must leave no trace of its own
    // session.
    if environment.is_disabled && !command.as_ref().is_ok_and(|command| command.runs_disabled(environment)) {
        return None;
    }
    match command {
        Ok(Command::Event(event)) => return respond(event, environment, models),
        Ok(Command::PluginStop) => match payload_input::read() {
            Ok(payload) => match ask_python(&payload, &arguments, environment) {
                Ok(text) => print(&text),
                Err(unanswered) => log_problem(environment, "stop", unanswered.words().to_owned()),
            },
            Err(problem) => log_problem(environment, "stop", problem),
        },
        Ok(Command::PythonOnly) => {}
        Ok(Command::Shown(session)) => match shown_last::answer(&session, environment) {
            Ok(text) => print(&text),
            Err(problem) => log_problem(environment, "shown", problem),
        },
        Ok(Command::StatusLine) => match payload_input::read().and_then(|data| shown_last::line(&data, environment)) {
            Ok(text) => print(&text),
            Err(problem) => log_problem(environment, "status-line", problem),
        },
        Ok(Command::Version) => print(&format!("cuecard-hook {VERSION} (native)\n")),
        Ok(Command::Help) => print(&HELP.replace("HOSTS", host_table::HELP)),
        Err(problem) => log_problem(environment, event_of(&arguments), problem),
    }
    None
}

/// Answers a prompt that a process gets in another way than by standard input. Returns the text to print; what is
/// written after an answer is written before that.
pub fn answer_prompt(payload: &[u8], host: Host, environment: &Environment, models: &dyn Models) -> String {
    let (cwd, event) = (other_cwd(payload), HostEvent::Prompt(host));
    let environment = &*environment.for_cwd(cwd.as_deref());
    let mut answer = answer(event, Ok(payload), environment, Some(models));
    let stdout = std::mem::take(&mut answer.stdout);
    answer.finish(environment, event.name());
    stdout
}

fn respond(event: HostEvent, environment: &Environment, models: Option<&dyn Models>) -> Option<Vec<u8>> {
    let payload = payload_input::read();
    let cwd = payload.as_deref().ok().and_then(other_cwd);
    let environment = &*environment.for_cwd(cwd.as_deref());
    let mut answer = answer(event, payload.as_deref().map_err(Clone::clone), environment, models);
    if answer.needs_python && models.is_some() {
        if matches!(event, HostEvent::Session(_)) {
            answer.finish(environment, event.name());
        }
        return payload.ok();
    }
    let payload = payload.unwrap_or_default();
    match event {
        HostEvent::Stop(host) if answer.needs_python => {
            let arguments = ["stop", "--host", host.name()].map(str::to_owned);
            match ask_python(&payload, &arguments, environment) {
                Ok(text) => {
                    print(&text);
                    // Python has written the session's file.
                    answer.session = None;
                }
                Err(unanswered) => answer.give_up(unanswered),
            }
        }
        // The host continues with the printed answer; the rest is upkeep.
        _ => print(&answer.stdout),
    }
    let is_left = answer.needs_python;
    let begun = if answer.begins && models.is_none() { answer.project.clone() } else { None };
    answer.finish(environment, event.name());
    if let (HostEvent::Session(host) | HostEvent::Prompt(host), Some(project)) = (event, begun)
        && let Ok(place) = absolute_cwd(cwd.as_deref()).map(|cwd| normalize(&cwd))
        && hosted::is_stale(&project, host, &place, environment)
    {
        // The prompt is left out, because it may be larger than the buffer of a pipe.
        let event = format!("{{\"cwd\":{}}}", quote(&place.to_string_lossy()));
        start_detached(event.as_bytes(), &["hosted", "--host", host.name()], environment);
    }
    if let HostEvent::Session(host) = event
        && is_left
    {
        start_detached(&payload, &["session", "--host", host.name()], environment);
    }
    None
}

enum Command {
    Event(HostEvent),
    /// A stop that is answered by the rules of the claude-memory plugin.
    PluginStop,
    PythonOnly,
    /// Not an event: what a session was shown last.
    Shown(String),
    /// Not an event: a line for the status line of an agent program.
    StatusLine,
    Version,
    Help,
}

impl Command {
    /// Whether `CUECARD_DISABLE` has no effect. A host may take the variable from a repository, which must not switch
    /// the guard off; the user's own settings can let the variable count.
    fn runs_disabled(&self, environment: &Environment) -> bool {
        match self {
            Self::Version | Self::Help => true,
            Self::Event(HostEvent::Guard(_) | HostEvent::Validate(_)) => !environment.heeds_variables,
            _ => false,
        }
    }

    fn parse(arguments: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let unknown = || format!("unknown arguments `{}`", words.join(" "));
        let host_of = |words: &[&str]| match words {
            [] => Ok(Host::default()),
            ["--host", name] => Host::from_name(name).map_err(|error: Error| error.to_string()),
            [option] if option.starts_with("--host=") => {
                Host::from_name(&option["--host=".len()..]).map_err(|error: Error| error.to_string())
            }
            _ => Err(unknown()),
        };
        match words.as_slice() {
            ["--version"] => Ok(Self::Version),
            ["--help" | "-h"] => Ok(Self::Help),
            ["guard", rest @ ..] => host_of(rest).map(|host| Self::Event(HostEvent::Guard(host))),
            ["validate", rest @ ..] => host_of(rest).map(|host| Self::Event(HostEvent::Validate(host))),
            ["session", rest @ ..] => host_of(rest).map(|host| Self::Event(HostEvent::Session(host))),
            ["tool-context" | "need", rest @ ..] => host_of(rest).map(|host| Self::Event(HostEvent::ToolContext(host))),
            ["stop", "--revision", "ledger"] | ["stop", "--revision=ledger"] => {
                Ok(Self::Event(HostEvent::Stop(Host::default())))
            }
            ["stop", "--revision", "v5-0220"] | ["stop", "--revision=v5-0220"] => Ok(Self::PluginStop),
            ["stop", rest @ ..] => host_of(rest).map(|host| Self::Event(HostEvent::Stop(host))),
            ["approve" | "permit" | "background"] | ["hosted", ..] => Ok(Self::PythonOnly),
            ["shown", rest @ ..] => match rest.strip_suffix(&["--json"]).unwrap_or(rest) {
                [] => Ok(Self::Shown(String::new())),
                ["--session", session] => Ok(Self::Shown((*session).to_owned())),
                _ => Err(unknown()),
            },
            ["status-line"] => Ok(Self::StatusLine),
            ["prompt", rest @ ..] => host_of(rest).map(|host| Self::Event(HostEvent::Prompt(host))),
            _ => Err(unknown()),
        }
    }
}

/// Returns the name, for the log, of the event that the arguments name; unknown arguments count as `prompt`.
#[must_use]
pub fn event_of(arguments: &[String]) -> &'static str {
    match arguments.first().map(String::as_str) {
        Some("guard") => "guard",
        Some("validate") => "validate",
        Some("session") => "session",
        Some("tool-context" | "need") => "need",
        Some("stop") => "stop",
        Some("approve" | "permit") => "permit",
        _ => "prompt",
    }
}

/// Prints a text with one write. A host that has closed the pipe is not a failure.
fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
