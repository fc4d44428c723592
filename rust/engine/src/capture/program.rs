//! The command that takes the drafts (SPEC 56.8).

use crate::environment::Environment;
use crate::host::Host;
use std::path::{Path, PathBuf};

const NAME: &str = if cfg!(windows) { "cuecard.exe" } else { "cuecard" };
const BARE: &str = "cuecard";

/// How the agent's shell calls `cuecard`; `None` where there is no such command.
///
/// The plugin's folder is on the PATH of the shell of Claude Code. Other hosts start shells with a PATH of their own, so
/// there the path is named.
pub(crate) fn find_program(host: Host, environment: &Environment) -> Option<String> {
    let is_there = |folder: &PathBuf| is_program(&folder.join(NAME));
    let path = environment.path.clone().unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).find(is_there);
    let beside = || {
        let own = || std::env::current_exe().ok()?.canonicalize().ok()?.parent().map(Path::to_owned);
        environment.programs.clone().or_else(own).filter(is_there)
    };
    if host == Host::ClaudeCode && on_path.is_some() {
        return Some(BARE.into());
    }
    let plugin = environment.plugin_root.as_ref().map(|root| root.join("bin")).filter(is_there);
    if host == Host::ClaudeCode && plugin.is_some() {
        return Some(BARE.into());
    }
    let folder = on_path.or_else(beside).or(plugin)?;
    Some(shell_word(&folder.join(NAME).to_string_lossy()))
}

/// A word for a shell of POSIX.
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
