//! Answers a stop by the rules of the claude-memory plugin, which only the Python next to the executable implements
//! (`triage.revision`).

use crate::environment::Environment;
use crate::prompt::delegate::find_interpreter;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The time limit for Python. Hosts end this hook after ten seconds.
const MOST: Duration = Duration::from_secs(9);

/// Returns what the Python hook prints for a payload.
pub(crate) fn ask_python(payload: &[u8], arguments: &[String], environment: &Environment) -> Result<String, String> {
    let interpreter = find_interpreter().ok_or("`v5-0220` needs Python, and there is no Python beside the hook")?;
    let mut child = Command::new(interpreter)
        .args(["-I", "-m", "cuecard.hook"])
        .args(arguments)
        .args(environment.options.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| "the Python beside the hook cannot be started")?;
    if let Some(mut input) = child.stdin.take() {
        let payload = payload.to_vec();
        thread::spawn(move || drop(input.write_all(&payload)));
    }
    let (sender, printed) = channel();
    if let Some(mut output) = child.stdout.take() {
        thread::spawn(move || {
            let mut text = String::new();
            if output.read_to_string(&mut text).is_ok() {
                let _ = sender.send(text);
            }
        });
    }
    let printed = printed.recv_timeout(MOST);
    let _ = child.kill();
    let _ = child.wait();
    printed.map_err(|_| "the Python beside the hook has not answered in time".into())
}
