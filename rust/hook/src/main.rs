//! `cuecard-hook`: the host calls it at every prompt and around its tools. It answers within a millisecond and never
//! stops the host.
//!
//! ```text
//! cuecard-hook prompt [--host HOST] < payload.json
//! cuecard-hook guard < payload.json
//! cuecard-hook validate < payload.json
//! cuecard-hook session < payload.json
//! cuecard-hook need < payload.json
//! ```
//!
//! After any failure the exit status is 0, nothing is on standard output and the log has a line (SPEC 14).
//! `cuecard-engine` does the work.

use cuecard_engine::hook::{event_of, run};
use cuecard_engine::{Environment, log_problem};
use std::process::ExitCode;

fn main() -> ExitCode {
    let environment = Environment::read();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    silence_panics(&environment, event_of(&arguments));
    // The engine starts another process to ask a model, so the call returns no payload.
    let _ = run(&arguments, &environment, None);
    ExitCode::SUCCESS
}

/// A defect in cuecard must not become the host's error: it is logged, and the process exits with status 0.
fn silence_panics(environment: &Environment, event: &'static str) {
    let environment = environment.clone();
    std::panic::set_hook(Box::new(move |panic| {
        log_problem(&environment, event, format!("defect in cuecard: {panic}"));
        std::process::exit(0);
    }));
}
