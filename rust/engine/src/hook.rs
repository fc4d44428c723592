//! What the hook does with its arguments, its input and its output (SPEC 14).

use crate::environment::Environment;
use crate::host::Host;
use crate::{HostEvent, answer, log_problem, payload_input};
use cuecard_core::{Error, VERSION};
use std::io::Write;

const HELP: &str = "\
Usage: cuecard-hook prompt [--host HOST]
       cuecard-hook guard
       cuecard-hook validate
       cuecard-hook session
       cuecard-hook tool-context
       cuecard-hook stop [--revision REVISION]
       cuecard-hook approve

Reads a host's event (JSON) on standard input.

  prompt        at a prompt: prints the memories that matter, or nothing
  guard         before a tool runs: denies what would write into a store, or prints nothing
  validate      after a tool ran: sets aside what it wrote into a store and is no memory, and says so
  session       when a session starts, is cleared or is compacted: forgets what it was shown; prints nothing
  tool-context  before a tool touches a file, after a command failed: prints the memories that matter then, or nothing
  stop          when the agent comes to rest: tells it once what of the session to save, or prints nothing
  approve       before the command that `stop` asked for: approves it, or prints nothing

`need` is another name for `tool-context`, and `permit` for `approve`.
The last two need Python: alone, the executable prints nothing for them.

Options:
  --host HOST  the form of the answer: `claude-code` (the default), `codex`, `gemini`, `cursor`, `copilot`, `opencode`,
               `cline`, or `plain` for the bare block
  --revision REVISION
               the words that triage looks for: `current` (the default) or `v5-0220`, those of the claude-memory plugin
  --version    print the version
  --help       print this text
";

/// Answers one event: reads the payload on standard input, prints the answer, then writes what it leaves behind.
///
/// Any failure of any kind prints nothing and writes a line into the log. Where `environment.models` leaves models to
/// the caller and one has to be asked, nothing is printed and the payload is returned for the caller to answer.
#[must_use]
pub fn run(arguments: &[String], environment: &Environment) -> Option<Vec<u8>> {
    let command = Command::parse(arguments);
    // Not even a line in the log: a model that drafts memories must leave no trace of its own session.
    if environment.is_disabled && !matches!(command, Ok(Command::Version | Command::Help)) {
        return None;
    }
    match command {
        Ok(Command::Event(event)) => return respond(event, environment),
        Ok(Command::PythonOnly) => {}
        Ok(Command::Version) => print(&format!("cuecard-hook {VERSION} (native)\n")),
        Ok(Command::Help) => print(HELP),
        Err(problem) => log_problem(environment, event_of(arguments), problem),
    }
    None
}

fn respond(event: HostEvent, environment: &Environment) -> Option<Vec<u8>> {
    let payload = payload_input::read();
    let answer = answer(event, payload.as_deref().map_err(Clone::clone), environment);
    if answer.asks_model {
        return payload.ok();
    }
    // The host goes on with what is printed; the rest is upkeep.
    print(&answer.stdout);
    answer.finish(environment, event.name());
    None
}

enum Command {
    Event(HostEvent),
    PythonOnly,
    Version,
    Help,
}

impl Command {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let prompt = |name| {
            let host = Host::from_name(name).map_err(|error: Error| error.to_string());
            host.map(|host| Self::Event(HostEvent::Prompt(host)))
        };
        match words.as_slice() {
            ["--version"] => Ok(Self::Version),
            ["--help" | "-h"] => Ok(Self::Help),
            ["guard"] => Ok(Self::Event(HostEvent::Guard)),
            ["validate"] => Ok(Self::Event(HostEvent::Validate)),
            ["session"] => Ok(Self::Event(HostEvent::Session(Host::ClaudeCode))),
            ["tool-context" | "need"] => Ok(Self::Event(HostEvent::ToolContext)),
            ["stop", ..] | ["approve" | "permit"] => Ok(Self::PythonOnly),
            ["prompt"] => Ok(Self::Event(HostEvent::Prompt(Host::ClaudeCode))),
            ["prompt", "--host", name] => prompt(name),
            ["prompt", option] if option.starts_with("--host=") => prompt(&option["--host=".len()..]),
            _ => Err(format!("unknown arguments `{}`", words.join(" "))),
        }
    }
}

/// The name in the log of the event that the arguments name; what is none of ours counts as a prompt.
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

/// One write; a host that has hung up is no failure.
fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
