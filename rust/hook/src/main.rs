//! `cuecard-hook`: the host calls it at every prompt and around its tools; it answers within a millisecond and never
//! hurts.
//!
//! ```text
//! cuecard-hook prompt [--host HOST] < payload.json
//! cuecard-hook guard < payload.json
//! cuecard-hook validate < payload.json
//! cuecard-hook session < payload.json
//! cuecard-hook need < payload.json
//! ```
//!
//! Any failure of any kind ends with exit status 0, nothing on standard output and a line in the log (SPEC 14).
//! The prompt's way is in `prompt_path`, a tool's in `guard`, `validate` and `need`; everything they compute lives in `cuecard-core`.

mod budget;
mod consent;
mod derived;
#[cfg(unix)]
mod directory;
#[cfg(any(test, not(unix)))]
mod directory_by_path;
mod environment;
mod event;
mod files;
mod focus;
mod folder;
mod freshness;
mod git_index;
mod git_state;
mod guard;
mod handover;
mod index_md;
mod index_recall;
mod log;
mod mapped;
mod need;
mod notice;
mod packing;
mod payload_input;
mod prompt_path;
mod root;
mod seal;
mod session_file;
mod settings_files;
mod situation;
mod snapshot_file;
mod snapshot_recall;
mod status;
#[cfg(all(test, unix))]
mod store_access_tests;
#[cfg(all(test, unix))]
mod test_store;
mod trust;
mod trust_greeting;
mod user_folder;
mod validate;

use cuecard_core::host::Host;
use cuecard_core::{Error, VERSION};
use environment::Environment;
use root::Project;
use std::io::Write;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cuecard-hook prompt [--host HOST]
       cuecard-hook guard
       cuecard-hook validate
       cuecard-hook session
       cuecard-hook need
       cuecard-hook stop [--revision REVISION]
       cuecard-hook permit

Reads a host's event (JSON) on standard input.

  prompt    at a prompt: prints the memories that matter, or nothing
  guard     before a tool runs: denies what would write into a store, or prints nothing
  validate  after a tool ran: sets aside what it wrote into a store and is no memory, and says so
  session   when a session begins anew or was compacted: forgets what it has been shown; prints nothing
  need      before a tool touches a file, after a command failed: prints the memories that matter then, or nothing
  stop      when the agent comes to rest: tells it once what of the session to save, or prints nothing
  permit    before the command that `stop` asked for: gives leave to run it, or prints nothing

The last two need Python: alone, the executable prints nothing for them.

Options:
  --host HOST  the form of the answer: `claude-code` (the default), `codex`, `gemini`, `cursor`, `copilot`, `opencode`,
               `cline`, or `plain` for the bare block
  --revision REVISION
               the words that triage looks for: `current` (the default) or `v5-0220`, those of the claude-memory plugin
  --version    print the version
  --help       print this text
";

fn main() -> ExitCode {
    let environment = Environment::read();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let event = event_of(&arguments);
    silence_panics(&environment, event);
    match Command::parse(&arguments) {
        Ok(Command::Prompt(host)) => answer_prompt(host, &environment),
        Ok(Command::Guard) => answer_tool(guard::answer, &environment, event),
        Ok(Command::Validate) => answer_tool(validate::answer, &environment, event),
        Ok(Command::Session) => note_session(&environment),
        Ok(Command::Need) => answer_need(&environment),
        Ok(Command::PythonOnly) => {}
        Ok(Command::Version) => print(&format!("cuecard-hook {VERSION} (native)\n")),
        Ok(Command::Help) => print(HELP),
        Err(problem) => log::append(&environment, None, event, &[problem]),
    }
    ExitCode::SUCCESS
}

enum Command {
    Prompt(Host),
    Guard,
    Validate,
    Session,
    Need,
    PythonOnly,
    Version,
    Help,
}

impl Command {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let host = |name| Host::from_name(name).map(Self::Prompt).map_err(|error: Error| error.to_string());
        match words.as_slice() {
            ["--version"] => Ok(Self::Version),
            ["--help" | "-h"] => Ok(Self::Help),
            ["guard"] => Ok(Self::Guard),
            ["validate"] => Ok(Self::Validate),
            ["session"] => Ok(Self::Session),
            ["need"] => Ok(Self::Need),
            ["stop", ..] | ["permit"] => Ok(Self::PythonOnly),
            ["prompt"] => Ok(Self::Prompt(Host::ClaudeCode)),
            ["prompt", "--host", name] => host(name),
            ["prompt", option] if option.starts_with("--host=") => host(&option["--host=".len()..]),
            _ => Err(format!("unknown arguments `{}`", words.join(" "))),
        }
    }
}

/// The event's name in the log; what is none of ours counts as a prompt.
fn event_of(arguments: &[String]) -> &'static str {
    let named = arguments.first().and_then(|first| {
        ["guard", "validate", "session", "need", "stop", "permit"].into_iter().find(|event| event == first)
    });
    named.unwrap_or("prompt")
}

fn answer_prompt(host: Host, environment: &Environment) {
    let mut answer = match payload_input::read() {
        Ok(payload) => prompt_path::answer(&payload, host, environment),
        Err(problem) => prompt_path::Answer { notes: vec![problem], ..Default::default() },
    };
    if let Some(printed) = handover::take_printed(&mut answer) {
        return print_bytes(&printed);
    }
    notice::tell(&mut answer, host, environment);
    print(&answer.stdout);
    // The prompt goes on with what is printed; the rest is upkeep.
    keep(answer, environment, "prompt");
}

fn answer_need(environment: &Environment) {
    let answer = match payload_input::read() {
        Ok(payload) => need::answer(&payload, environment),
        Err(problem) => prompt_path::Answer { notes: vec![problem], ..Default::default() },
    };
    print(&answer.stdout);
    keep(answer, environment, "need");
}

/// Writes what an answer has to leave behind.
fn keep(answer: prompt_path::Answer, environment: &Environment, event: &str) {
    let mut notes = answer.notes;
    if let Some(project) = &answer.project {
        notes.extend(snapshot_file::write(project, &answer.new_files).err());
        notes.extend(answer.rebuilt_index.and_then(|index| index.write(project).err()));
        notes.extend(answer.session.and_then(|session| session.write().err()));
        notes.extend(answer.git.and_then(|git| git.write(project).err()));
    }
    log::append(environment, answer.project.as_ref(), event, &notes);
    if let Some(project) = answer.project.filter(|_| !answer.event.kind.is_empty()) {
        log_event(&project, answer.event, answer.is_logged, environment);
    }
}

/// Logs a decision, unless the settings forbid it.
fn log_event(project: &Project, mut event: event::Event, is_logged: Option<bool>, environment: &Environment) {
    let is_logged = is_logged.unwrap_or_else(|| {
        let (is_logged, keeps_texts) = settings_files::log_settings(project, environment);
        event.keeps_texts = keeps_texts;
        is_logged
    });
    if is_logged {
        event::append(environment, project, &event);
    }
}

fn note_session(environment: &Environment) {
    let (notes, project) = match payload_input::read() {
        Ok(payload) => session_file::note_event(&payload, environment),
        Err(problem) => (vec![problem], None),
    };
    log::append(environment, project.as_ref(), "session", &notes);
}

fn answer_tool(answer: fn(&[u8], &Environment) -> guard::Answer, environment: &Environment, event: &str) {
    let mut answer = match payload_input::read() {
        Ok(payload) => answer(&payload, environment),
        Err(problem) => guard::Answer { notes: vec![problem], ..Default::default() },
    };
    print(&answer.stdout);
    if answer.project.is_none() && !answer.notes.is_empty() {
        let cwd = std::path::absolute(".").ok();
        answer.project = cwd.and_then(|cwd| root::find(&cwd, environment).ok().flatten());
    }
    log::append(environment, answer.project.as_ref(), event, &answer.notes);
}

/// One write; a host that has hung up is no failure.
fn print(text: &str) {
    print_bytes(text.as_bytes());
}

fn print_bytes(data: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(data).and_then(|()| stdout.flush());
}

/// A defect of ours must not become the host's error: it is logged, and the process ends well.
fn silence_panics(environment: &Environment, event: &'static str) {
    let environment = environment.clone();
    std::panic::set_hook(Box::new(move |panic| {
        log::append(&environment, None, event, &[format!("defect in cuecard: {panic}")]);
        std::process::exit(0);
    }));
}
