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
//! `cuecard-engine` does all of it.

use cuecard_engine::hook::{event_of, run};
use cuecard_engine::{Environment, log_problem};
use std::process::ExitCode;

fn main() -> ExitCode {
    let environment = Environment::read();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    silence_panics(&environment, event_of(&arguments));
    // Models are started, so nothing is left to this caller.
    let _ = run(&arguments, &environment);
    ExitCode::SUCCESS
}

/// A defect of ours must not become the host's error: it is logged, and the process ends well.
fn silence_panics(environment: &Environment, event: &'static str) {
    let environment = environment.clone();
    std::panic::set_hook(Box::new(move |panic| {
        log_problem(&environment, event, format!("defect in cuecard: {panic}"));
        std::process::exit(0);
    }));
}
