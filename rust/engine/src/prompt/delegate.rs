//! Starts the Python next to this executable: for a prompt if the settings name a model that only Python can ask, and
//! for a stop or session event that has something to do (SPEC 14.5, 30.5).

use crate::environment::Environment;
use crate::host::Host;
use crate::store::consent::{self, Purpose};
use cuecard_core::settings::Settings;
use std::ffi::OsStr;
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
/// The least time that a prompt waits; longer timeouts in the settings extend it. The default timeouts are shorter.
const USUAL: Duration = Duration::from_millis(900);
/// The longest wait. Hosts end a hook after five seconds, and this process must print its own answer within that time.
const MOST: Duration = Duration::from_millis(4500);
/// The time limit for an answer to a stop. Hosts end this hook after ten seconds.
const MOST_AT_STOP: Duration = Duration::from_secs(9);
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
        let arguments = ["prompt", "--host", host.name()];
        let started = start(interpreter, payload, &arguments, environment);
        let (child, printed) = started.ok_or("the Python beside the hook cannot be started")?;
        Ok(Some(Self { child, printed, ends }))
    }

    /// Returns the output of the other process if it ends successfully in time; it has then also written the files that
    /// are written after an answer. Otherwise the process is killed, and the error says why.
    pub(crate) fn wait(self) -> Result<String, String> {
        wait_until(self.ends, self.child, &self.printed)
            .map_err(|why| format!("{}; answering without a model", why.words()))
    }
}

/// Why Python has not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// There is no interpreter beside the executable.
    Missing,
    /// The interpreter cannot be started.
    Unstarted,
    /// It has not answered in time.
    Late,
    /// It has ended with an error.
    Failed,
}

impl Unanswered {
    /// Returns the words for the log.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Missing => "nothing is captured, because there is no Python beside the hook",
            Self::Unstarted => "the Python beside the hook cannot be started",
            Self::Late => "the Python beside the hook has not answered in time",
            Self::Failed => "the Python beside the hook has failed",
        }
    }
}

/// Returns what the Python hook prints for a stop.
pub(crate) fn ask_python(
    payload: &[u8],
    arguments: &[String],
    environment: &Environment,
) -> Result<String, Unanswered> {
    let interpreter = find_interpreter().ok_or(Unanswered::Missing)?;
    let started = start(interpreter, payload, arguments, environment);
    let (child, printed) = started.ok_or(Unanswered::Unstarted)?;
    wait_until(Instant::now() + MOST_AT_STOP, child, &printed)
}

/// Returns the output of a process that ends successfully before a time. Otherwise the process is killed.
fn wait_until(ends: Instant, mut child: Child, printed: &Receiver<Vec<u8>>) -> Result<String, Unanswered> {
    let printed = printed.recv_timeout(ends.saturating_duration_since(Instant::now()));
    while printed.is_ok() && Instant::now() < ends && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(PAUSE);
    }
    let is_late = matches!(child.try_wait(), Ok(None));
    let _ = child.kill();
    let status = child.wait();
    match (printed, status) {
        (Ok(data), Ok(status)) if status.success() => String::from_utf8(data).map_err(|_| Unanswered::Failed),
        _ => Err(if is_late { Unanswered::Late } else { Unanswered::Failed }),
    }
}

/// Starts the Python hook for an event whose answer nobody waits for. It goes on when the host or its terminal ends.
/// Without an interpreter nothing happens: a later session reads the transcript.
pub(crate) fn start_detached(payload: &[u8], arguments: &[&str], environment: &Environment) {
    let Some(interpreter) = find_interpreter() else { return };
    let mut command = command_of(interpreter, arguments, environment);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let input = started.ok().and_then(|mut child| child.stdin.take());
    // What is sent to it is short, and fits into the buffer of a pipe.
    let _ = input.map(|mut input| input.write_all(payload));
}

fn command_of<A: AsRef<OsStr>>(interpreter: PathBuf, arguments: &[A], environment: &Environment) -> Command {
    let mut command = Command::new(interpreter);
    command.args(["-I", "-m", "cuecard.hook"]).args(arguments).args(environment.options.arguments());
    command.env(DELEGATED, "1");
    command
}

/// Starts the Python hook with a payload. Returns the process and a receiver of its whole output.
fn start<A: AsRef<OsStr>>(
    interpreter: PathBuf,
    payload: &[u8],
    arguments: &[A],
    environment: &Environment,
) -> Option<(Child, Receiver<Vec<u8>>)> {
    let mut command = command_of(interpreter, arguments, environment);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
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
    Some((child, printed))
}

/// Returns the interpreter in the executable's own folder, with links resolved.
pub(crate) fn find_interpreter() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?.canonicalize().ok()?;
    let folder = executable.parent()?;
    INTERPRETERS.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}
