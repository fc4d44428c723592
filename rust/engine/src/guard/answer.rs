//! Keeps the agent's own tools from writing into a store, and from widening what is trusted (SPEC 16.2, 16.6, 16.7).

use crate::environment::Environment;
use crate::guard::people_commands::{UNKNOWN, write_answer};
use crate::guard::refusal::{judge_target, judge_write};
use crate::guard::shell_commands::find_writes;
use crate::guard::user_folders::{REASON, UserFolders};
use crate::host::Host;
use crate::prompt::answer::Answer;
use crate::store::files::resolve;
use crate::store::reached::{Reached, absolute_cwd};
use crate::store::root;
use crate::tool_use::{can_ask, read_tool_use};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// Answers the event of a tool that is about to run: with a denial, a question, or nothing.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment) -> Answer {
    match judge(payload, host, environment) {
        Ok(stdout) => Answer { stdout, ..Answer::default() },
        Err(problem) => Answer::failed(problem),
    }
}

/// Returns the output for a tool: why it must not run, a question to the user, or an empty text if it may run.
fn judge(payload: &[u8], host: Host, environment: &Environment) -> Result<String, String> {
    let event = read_tool_use(payload).map_err(|error| error.to_string())?;
    let cwd = absolute_cwd(event.cwd.as_deref())?;
    let home = environment.shell_home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let project = environment.project_dir.as_deref().unwrap_or_default();
    let reached = Reached::new(&cwd, environment);
    let (mut own, mut command) = (None, None);
    for (action, subject) in &event.uses {
        for (action, path) in find_writes(action, subject, &cwd.to_string_lossy(), &home, project) {
            if action == "confirm" {
                command.get_or_insert(path);
                continue;
            }
            let own = own.get_or_insert_with(|| UserFolders::new(environment));
            let reason = refuse(&reached, action, &path).or_else(|| refuse_user_folder(own, action, &path));
            if let Some(reason) = reason {
                return Ok(host.write_refusal("deny", &reason));
            }
        }
    }
    Ok(command.map(|command| write_answer(&command, can_ask(payload, host), host)).unwrap_or_default())
}

/// Returns why a write into a folder of the user must not happen; `None` if the path is elsewhere.
fn refuse_user_folder(own: &UserFolders, action: &str, text: &str) -> Option<String> {
    let is_inside = own.contain(text)
        || (!text.contains(UNKNOWN)
            && resolve_for(action, Path::new(text)).is_some_and(|path| own.contain(&path.to_string_lossy())));
    is_inside.then(|| REASON.into())
}

/// Resolves the links of a path, except the last one if it is removed or moved, because that changes no target.
fn resolve_for(action: &str, path: &Path) -> Option<PathBuf> {
    match (action, path.parent(), path.file_name()) {
        ("write", ..) | (_, None, _) | (_, _, None) => resolve(path),
        (_, Some(parent), Some(name)) => Some(resolve(parent)?.join(name)),
    }
}

/// Returns why a write must not happen; `None` if it may. Checks the path in the event and the path after links are
/// resolved.
fn refuse(reached: &Reached, action: &str, text: &str) -> Option<String> {
    let path = Path::new(text);
    let exists = || path.exists() || root::normalize(path).exists();
    if judge_write(text, action, false).is_some() {
        return judge_write(text, action, exists());
    }
    if text.contains(UNKNOWN) {
        return None;
    }
    let resolved = resolve_for(action, path)?;
    let cwd = root::normalize(reached.cwd);
    let cwd = cwd.to_string_lossy();
    let below = text.strip_prefix(cwd.trim_end_matches(MAIN_SEPARATOR));
    let below = below.filter(|below| below.starts_with(MAIN_SEPARATOR));
    let given = below.map_or(text, |below| below.trim_start_matches(MAIN_SEPARATOR));
    let judge = |target: &str| {
        judge_target(target, given, action, false)?;
        judge_target(target, given, action, exists())
    };
    judge(&resolved.to_string_lossy())
        .or_else(|| judge(&reached.name_in_project(&resolved)?))
        .or_else(|| judge(&reached.other_name(path).filter(|_| action == "write")?))
        .or_else(|| judge_write(".claude/memory", action, true).filter(|_| holds_store(reached, action, &resolved)))
}

/// Whether a folder that is removed or moved contains a store.
fn holds_store(reached: &Reached, action: &str, resolved: &Path) -> bool {
    if action == "write" {
        return false;
    }
    if judge_write(&resolved.join("memory").to_string_lossy(), action, true).is_some() {
        // If the last component is a pattern, it can match `.claude`.
        return resolved.with_file_name(".claude").join("memory").is_dir();
    }
    action == "remove" && reached.project().is_some_and(|(_, memory_dir)| memory_dir.starts_with(resolved))
}
