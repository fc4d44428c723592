//! `cuecard-hook`: the host calls it at every prompt; it answers within a millisecond and never hurts.
//!
//! ```text
//! cuecard-hook prompt [--host claude-code|plain] < payload.json
//! ```
//!
//! Any failure of any kind ends with exit status 0, nothing on standard output and a line in the log (SPEC 14).
//! The prompt's way is in `prompt_path`; everything it computes lives in `cuecard-core`.

mod environment;
mod files;
mod index_md;
mod log;
mod payload_input;
mod prompt_path;
mod root;

use cuecard_core::{Error, Host, VERSION};
use environment::Environment;
use std::io::Write;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cuecard-hook prompt [--host claude-code|plain]

Reads a host's prompt event (JSON) on standard input and prints the memories that matter, or nothing.

Options:
  --host HOST  the form of the answer: `claude-code` (the default) or `plain`
  --version    print the version
  --help       print this text
";

fn main() -> ExitCode {
    let environment = Environment::read();
    silence_panics(&environment);
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match Command::parse(&arguments) {
        Ok(Command::Prompt(host)) => answer_prompt(host, &environment),
        Ok(Command::Version) => print(&format!("cuecard-hook {VERSION} (native)\n")),
        Ok(Command::Help) => print(HELP),
        Err(problem) => log::append(&environment, None, &[problem]),
    }
    ExitCode::SUCCESS
}

enum Command {
    Prompt(Host),
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
            ["prompt"] => Ok(Self::Prompt(Host::ClaudeCode)),
            ["prompt", "--host", name] => host(name),
            ["prompt", option] if option.starts_with("--host=") => host(&option["--host=".len()..]),
            _ => Err(format!("unknown arguments `{}`", words.join(" "))),
        }
    }
}

fn answer_prompt(host: Host, environment: &Environment) {
    let answer = match payload_input::read(std::io::stdin().lock()) {
        Ok(payload) => prompt_path::answer(&payload, host, environment),
        Err(problem) => prompt_path::Answer { notes: vec![problem], ..Default::default() },
    };
    print(&answer.stdout);
    // The prompt goes on with what is printed; the rest is upkeep.
    let mut notes = answer.notes;
    if let Some((path, text)) = answer.rebuilt_index {
        notes.extend(index_md::write(&path, &text).err());
    }
    log::append(environment, answer.memory_dir.as_deref(), &notes);
}

/// One write; a host that has hung up is no failure.
fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// A defect of ours must not become the host's error: it is logged, and the process ends well.
fn silence_panics(environment: &Environment) {
    let environment = environment.clone();
    std::panic::set_hook(Box::new(move |panic| {
        log::append(&environment, None, &[format!("defect in cuecard: {panic}")]);
        std::process::exit(0);
    }));
}
