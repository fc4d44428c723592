//! Finds the command to which the agent passes its drafts (SPEC 56.8).

use crate::environment::Environment;
use crate::host::Host;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const NAME: &str = if cfg!(windows) { "cuecard.exe" } else { "cuecard" };
const BARE: &str = "cuecard";
const TRIAL: Duration = Duration::from_secs(5);
/// The pause between two checks whether the tested program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns how the agent's shell calls `cuecard`; `None` if there is no such command.
///
/// The plugin's folder is on the PATH of the shell of Claude Code. Other hosts start shells with another PATH, so for
/// them the whole path is returned; so it is where the agent's shell would find a program of the project first. The command of the plugin needs a Python with packages. With `is_tried` the command
/// is run once to check this, which takes too long for a stop at which the agent is not asked.
pub(crate) fn find_program(host: Host, environment: &Environment, is_tried: bool) -> Option<String> {
    let program_in = |folder: PathBuf, name: &str| Some(folder.join(name)).filter(|file| is_program(file));
    let is_claude = host == Host::default();
    let around = environment.surroundings();
    // Whether the agent's shell finds no program of the project first.
    let is_bare_own = || {
        [&environment.path, &environment.shell_path].into_iter().flatten().all(|path| {
            let first = std::env::split_paths(path).find(|folder| !folder.is_absolute() || has_program(folder));
            first.is_none_or(|folder| around.offers_programs(&folder))
        })
    };
    let named =
        |file: &Path| if is_claude && is_bare_own() { BARE.into() } else { shell_word(&file.to_string_lossy()) };
    let path = environment.path.clone().unwrap_or_default();
    let mut folders = std::env::split_paths(&path).filter(|folder| around.offers_programs(folder));
    if let Some(file) = folders.find_map(|folder| program_in(folder, NAME)) {
        return Some(named(&file));
    }
    let own = || std::env::current_exe().ok()?.canonicalize().ok()?.parent().map(Path::to_owned);
    let beside = environment.programs.clone().or_else(own).and_then(|folder| program_in(folder, NAME));
    let beside = beside.map(|file| shell_word(&file.to_string_lossy()));
    if !is_claude && beside.is_some() {
        return beside;
    }
    let plugin = environment.plugin_root.as_ref().and_then(|root| program_in(root.join("bin"), BARE));
    let plugin = plugin.filter(|file| cfg!(windows) || !is_tried || runs(file));
    plugin.map(|file| named(&file)).or(beside)
}

fn has_program(folder: &Path) -> bool {
    is_program(&folder.join(NAME))
}

/// Whether a program runs and prints its version.
fn runs(program: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let ends = Instant::now() + TRIAL;
    while Instant::now() < ends {
        match child.try_wait() {
            Ok(None) => thread::sleep(PAUSE),
            Ok(Some(status)) => return status.success(),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// Quotes a text as one word for a POSIX shell.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_@%+=:,./-".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\"'\"'"))
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
