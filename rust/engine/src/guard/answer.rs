//! Keeps the agent's own tools from writing into a store (SPEC 16.2).

use crate::environment::Environment;
use crate::guard::refusal::{judge_write, write_denial};
use crate::guard::shell_commands::{UNKNOWN, find_writes};
use crate::prompt::answer::Answer;
use crate::store::files::resolve;
use crate::store::reached::{Reached, absolute_cwd};
use crate::store::root;
use crate::tool_use::read_tool_use;
use std::path::Path;

/// Answers the event of a tool that is about to run: with a denial, or with nothing.
pub(crate) fn answer(payload: &[u8], environment: &Environment) -> Answer {
    match deny(payload, environment) {
        Ok(reason) => Answer { stdout: reason.as_deref().map(write_denial).unwrap_or_default(), ..Answer::default() },
        Err(problem) => Answer::failed(problem),
    }
}

/// Returns why a tool must not run; `None` if it may.
fn deny(payload: &[u8], environment: &Environment) -> Result<Option<String>, String> {
    let event = read_tool_use(payload).map_err(|error| error.to_string())?;
    let cwd = absolute_cwd(event.cwd.as_deref())?;
    let home = environment.shell_home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let project = environment.project_dir.as_deref().unwrap_or_default();
    let reached = Reached::new(&cwd, environment);
    let find =
        |(action, subject): &(&str, String)| find_writes(action, subject, &cwd.to_string_lossy(), &home, project);
    Ok(event.uses.iter().flat_map(find).find_map(|(action, path)| refuse(&reached, action, &path)))
}

/// Returns why a write must not happen; `None` if it may. Checks the path in the event and the path after links are
/// resolved.
fn refuse(reached: &Reached, action: &str, text: &str) -> Option<String> {
    let path = Path::new(text);
    let judge = |text: &str| {
        judge_write(text, action, false)?;
        judge_write(text, action, path.exists() || root::normalize(path).exists())
    };
    if let Some(reason) = judge(text) {
        return Some(reason);
    }
    if text.contains(UNKNOWN) {
        return None;
    }
    // Removing or moving a link does not change its target.
    let resolved = match (action, path.parent(), path.file_name()) {
        ("write", ..) | (_, None, _) | (_, _, None) => resolve(path)?,
        (_, Some(parent), Some(name)) => resolve(parent)?.join(name),
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
