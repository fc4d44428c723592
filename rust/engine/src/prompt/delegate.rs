//! Delegates a prompt to the Python next to this executable if the settings name a model that only Python can ask (SPEC
//! 14.5).

use crate::environment::Environment;
use crate::host::Host;
use crate::prompt::answer::Answer;
use crate::store::consent::{self, Purpose};
use cuecard_core::settings::Settings;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that tells the Python hook that this process waits for its exit status.
const DELEGATED: &str = "CUECARD_HANDED_OVER";
/// This message does not contain the endpoint's name, because a repository could put any text into the name.
const NOT_ALLOWED: &str = "the settings name an endpoint that you have not allowed; `cuecard doctor` says which";
const FAILED: &str = "the Python beside the hook has failed; answering without a model";
/// The least time that a prompt waits; longer timeouts in the settings extend it. The default timeouts are shorter.
const USUAL: Duration = Duration::from_millis(900);
/// The longest wait. Hosts end a hook after five seconds, and this process must print its own answer within that time.
const MOST: Duration = Duration::from_millis(4500);
/// The pause between two checks whether a process that closed its output has ended.
const PAUSE: Duration = Duration::from_millis(1);
#[cfg(not(windows))]
const INTERPRETERS: [&str; 2] = ["python3", "python"];
#[cfg(windows)]
const INTERPRETERS: [&str; 1] = ["python.exe"];

/// Another process that answers the same prompt.
#[derive(Debug)]
pub(crate) struct Delegate {
    child: Child,
    /// Receives the output of the other process when that process has closed its output.
    printed: Receiver<Vec<u8>>,
    ends: Instant,
}

impl Delegate {
    /// Starts the interpreter with the payload if the settings name a model; `None` if they name none. The error says
    /// why no other process answers.
    pub(crate) fn start(
        payload: &[u8],
        host: Host,
        settings: &Settings,
        environment: &Environment,
    ) -> Result<Option<Self>, String> {
        let endpoints = [
            (Purpose::Embedding, &settings.embedding_place, settings.embedding_ms),
            (Purpose::Judge, &settings.judge_place, settings.judge_ms),
        ];
        if endpoints.iter().all(|(_, _, time)| *time == 0) || std::env::var_os(DELEGATED).is_some() {
            return Ok(None);
        }
        let named = endpoints.into_iter().filter_map(|(purpose, place, time)| Some((purpose, place.as_deref()?, time)));
        let (allowed, foreign): (Vec<_>, Vec<_>) =
            named.partition(|(purpose, place, _)| consent::is_allowed(place, *purpose, settings, environment));
        let waits = allowed.iter().filter(|(_, place, _)| !consent::is_resting(place, environment));
        let asking: u32 = waits.map(|(_, _, time)| time).sum();
        if asking == 0 {
            // An endpoint without the user's consent is not a reason to start an interpreter.
            return if foreign.is_empty() { Ok(None) } else { Err(NOT_ALLOWED.into()) };
        }
        let ends = Instant::now() + Duration::from_millis(asking.into()).clamp(USUAL, MOST);
        let interpreter = find_interpreter()
            .ok_or("the model of the settings cannot be asked: there is no Python beside the hook")?;
        let mut child = Command::new(interpreter)
            .args(["-I", "-m", "cuecard.hook", "prompt", "--host", host.name()])
            .args(environment.options.arguments())
            .env(DELEGATED, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|_| "the Python beside the hook cannot be started")?;
        if let Some(mut input) = child.stdin.take() {
            let payload = payload.to_vec();
            // The payload is written by a thread, because it can be larger than the buffer of a pipe.
            thread::spawn(move || drop(input.write_all(&payload)));
        }
        let (sender, printed) = channel();
        if let Some(mut output) = child.stdout.take() {
            thread::spawn(move || {
                let mut data = Vec::new();
                if output.read_to_end(&mut data).is_ok() {
                    let _ = sender.send(data);
                }
            });
        }
        Ok(Some(Self { child, printed, ends }))
    }

    /// Returns the output of the other process if it ends successfully in time; it has then also written the files that
    /// are written after an answer. Otherwise the process is killed, and the error says why.
    pub(crate) fn wait(mut self) -> Result<Vec<u8>, String> {
        let left = self.ends.saturating_duration_since(Instant::now());
        let printed = self.printed.recv_timeout(left);
        while printed.is_ok() && Instant::now() < self.ends && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(PAUSE);
        }
        let is_late = matches!(self.child.try_wait(), Ok(None));
        let _ = self.child.kill();
        let status = self.child.wait();
        match (printed, status) {
            (Ok(data), Ok(status)) if status.success() => Ok(data),
            _ if is_late => {
                Err("the Python beside the hook has not answered in time; answering without a model".into())
            }
            _ => Err(FAILED.into()),
        }
    }
}

/// Returns the output of the other process if it answered the prompt; `None` if this process must print its own answer.
pub(crate) fn take_printed(answer: &mut Answer) -> Option<String> {
    let printed = answer.delegate.take()?.wait();
    let printed = printed.and_then(|data| String::from_utf8(data).map_err(|_| FAILED.to_owned()));
    printed.map_err(|problem| answer.notes.push(problem)).ok()
}

/// Returns the interpreter in the executable's own folder, with links resolved.
pub(crate) fn find_interpreter() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?.canonicalize().ok()?;
    let folder = executable.parent()?;
    INTERPRETERS.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}
