//! Checks the files that a tool wrote into a store without passing the guard, and renames files that are not valid
//! memories (SPEC 16.5).

use crate::environment::Environment;
use crate::guard::refusal::judge_write;
use crate::guard::shell_commands::find_writes;
use crate::host::{Host, read_object};
use crate::prompt::answer::Answer;
use crate::store::files::{MAX_RECORD_BYTES, resolve};
use crate::store::folder::{Folder, SHARED_FILE, Unread};
use crate::store::reached::{Reached, absolute_cwd};
use crate::store::snapshot_file::changed_files;
use crate::store::status::now;
use crate::store::store_path::find_store_part;
use crate::tool_use::{ToolUse, read_tool_use};
use cuecard_core::memory::{Problem, category_of, check_schema, describe_problems, is_memory};
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::json_writer::quote;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The schema of each category.
const SCHEMAS: [(&str, &[u8]); 6] = [
    ("session_summary", include_bytes!("../../../../python/cuecard/assets/schemas/session_summary.schema.json")),
    ("decision", include_bytes!("../../../../python/cuecard/assets/schemas/decision.schema.json")),
    ("runbook", include_bytes!("../../../../python/cuecard/assets/schemas/runbook.schema.json")),
    ("constraint", include_bytes!("../../../../python/cuecard/assets/schemas/constraint.schema.json")),
    ("tech_debt", include_bytes!("../../../../python/cuecard/assets/schemas/tech_debt.schema.json")),
    ("preference", include_bytes!("../../../../python/cuecard/assets/schemas/preference.schema.json")),
];
/// How many new names are tried when an invalid file is renamed.
const MAX_NAMES: u64 = 100;

/// How long, in milliseconds, a tool is assumed to have run if its event does not contain the duration.
const USUAL_MS: i64 = 10_000;
const CLOCK_LAG_MS: i64 = 2000;
const MAX_MS: i64 = 1_000_000_000;
/// How many changed files are checked, at most, after a tool has run.
const MAX_CHANGED: usize = 64;
/// The characters between the words of a command.
const SEPARATORS: &str = " \t\r\n;&|(){}'\"`";

/// Returns the answer to the event of a tool that has run: a complaint, or nothing.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment) -> Answer {
    let mut found = Found::default();
    let result = read_tool_use(payload).map_err(|error| error.to_string()).and_then(|event| {
        let cwd = absolute_cwd(event.cwd.as_deref())?;
        let reached = Reached::new(&cwd, environment);
        look_at_files(&event, &cwd, &reached, &mut found)?;
        match began(payload, &event) {
            Some(began) => look_at_store(began, &reached, &mut found),
            None => Ok(()),
        }
    });
    found.answer.notes.extend(result.err());
    if !found.reasons.is_empty() {
        found.answer.stdout = complain(payload, host, &found.reasons.join("\n"), &found.contexts.join("\n"));
    }
    found.answer
}

/// The answer, and the complaints about the files, one for each file.
#[derive(Default)]
struct Found {
    answer: Answer,
    reasons: Vec<String>,
    contexts: Vec<String>,
}

/// Returns when a shell command or an MCP tool began, in nanoseconds since 1970. `None` for other tools, for MCP tools
/// that name a file, and for shell commands that run git.
fn began(payload: &[u8], event: &ToolUse) -> Option<i64> {
    let payload = read_object(payload).ok()?;
    let is_of_server = payload.get("tool_name").and_then(Json::as_text).is_some_and(|name| name.starts_with("mcp__"));
    let is_command = |(action, text): &(&str, String)| action.ends_with("shell") && !runs_git(text);
    if !event.uses.iter().all(is_command) || (event.uses.is_empty() && !is_of_server) {
        return None;
    }
    let duration = match payload.get("duration_ms") {
        Some(Json::Integer(duration)) => (*duration).clamp(0, MAX_MS),
        _ => USUAL_MS,
    };
    Some(now().saturating_sub((duration + CLOCK_LAG_MS) * 1_000_000))
}

/// Whether one of the words of a command is `git`. Files that git writes count as written by the user.
fn runs_git(command: &str) -> bool {
    command.split(|char| SEPARATORS.contains(char)).any(|word| word == "git")
}

/// Checks the files that a tool names, if they are in a store and tools of agents must not write them.
fn look_at_files(event: &ToolUse, cwd: &Path, reached: &Reached<'_>, found: &mut Found) -> Result<(), String> {
    let home = reached.environment.shell_home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    for (_, subject) in event.uses.iter().filter(|(action, _)| *action == "write") {
        let written = find_writes("write", subject, &cwd.to_string_lossy(), &home, "");
        let Some(path) = written.first().and_then(|(_, path)| resolve(Path::new(path))) else { continue };
        let shown = path.to_string_lossy().into_owned();
        let name = if find_store_part(&shown).is_some() { Some(shown) } else { reached.name_in_project(&path) };
        let Some(name) = name.filter(|name| judge_write(name, "write", true).is_some()) else { continue };
        let inside = find_store_part(&name).unwrap_or_default();
        found.answer.project = reached.project().map(|(project, _)| project.clone());
        found.answer.notes.push(format!("`.claude/memory/{inside}` was written by a tool that bypassed the guard"));
        if let Some((folder, file)) =
            inside.split_once('/').filter(|(folder, file)| !file.contains('/') && is_memory(folder, file))
        {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            check(open_folder_of(&path, reached).as_ref(), name, folder, file, found)?;
        }
    }
    Ok(())
}

/// Checks the memories of the project that changed since `began` (nanoseconds since 1970) and differ from the snapshot.
fn look_at_store(began: i64, reached: &Reached<'_>, found: &mut Found) -> Result<(), String> {
    let Some((project, _)) = reached.project() else { return Ok(()) };
    for (folder, name) in changed_files(project, began, MAX_CHANGED) {
        found.answer.project = Some(project.clone());
        found
            .answer
            .notes
            .push(format!("`.claude/memory/{folder}/{name}` was written by a tool that bypassed the guard"));
        check(project.memory.folder(folder).ok().as_ref(), &name, folder, &name, found)?;
    }
    Ok(())
}

/// Renames a file if it is not a valid memory. `name` is the file's name in the file system; `folder` and `file` are
/// the names for messages.
fn check(place: Option<&Folder>, name: &str, folder: &str, file: &str, found: &mut Found) -> Result<(), String> {
    let shown = format!("`.claude/memory/{folder}/{file}`");
    let read = place.map_or(Err(Unread::Unreadable), |place| place.read(name, MAX_RECORD_BYTES));
    let problems = match read {
        Ok(data) => check_schema(&data, schema_of(folder)),
        Err(Unread::TooLarge) => {
            vec![Problem { field: String::new(), expected: "at most 256 KiB".into(), found: "a larger file".into() }]
        }
        Err(unread) => {
            found.answer.notes.push(format!("{shown} {}", unread.words()));
            return Ok(());
        }
    };
    if problems.is_empty() {
        return Ok(());
    }
    let aside = place.and_then(|place| set_aside(place, name).ok());
    let aside = aside.ok_or_else(|| format!("{shown} is not a valid memory, and it could not be renamed"))?;
    let aside = format!(".claude/memory/{folder}/{aside}");
    found.answer.notes.push(format!("{shown} is not a valid memory; it was renamed to `{aside}`"));
    let (reason, context) = describe_problems(file, &aside, &problems);
    found.reasons.push(reason);
    found.contexts.push(context);
    Ok(())
}

/// Returns the complaint in the form of the host. Only Claude Code tells a reason from the rest.
fn complain(payload: &[u8], host: Host, reason: &str, context: &str) -> String {
    if host.is_default() {
        return write_complaint(reason, context);
    }
    let event = read_object(payload).ok();
    let event = event.as_ref().and_then(|event| event.get("hook_event_name")?.as_text());
    host.write_tool_context(event.unwrap_or("PostToolUse"), &format!("{reason}\n{context}"))
}

/// Returns the text for standard output that tells the agent what is wrong with files that a tool wrote.
#[must_use]
pub fn write_complaint(reason: &str, context: &str) -> String {
    format!(
        "{{\"decision\":\"block\",\"reason\":{},\"hookSpecificOutput\":{{\"hookEventName\":\"PostToolUse\",\
         \"additionalContext\":{}}}}}\n",
        quote(reason),
        quote(context)
    )
}

fn schema_of(folder: &str) -> &'static [u8] {
    let category = category_of(folder).unwrap_or_default();
    SCHEMAS.iter().find(|(name, _)| *name == category).map_or(b"", |(_, schema)| schema)
}

/// Opens the category folder of a memory whose path has no links. A link that is created inside the project after this
/// check is not followed.
fn open_folder_of(path: &Path, reached: &Reached<'_>) -> Option<Folder> {
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let folder = path.parent()?;
    if let Some((project, memory_dir)) = reached.project() {
        if folder.parent() == Some(memory_dir) {
            return project.memory.folder(&name(folder)?).ok();
        }
    }
    let memory_dir = folder.parent()?;
    let host_folder = memory_dir.parent()?;
    let mut opened = Folder::open(host_folder.parent()?).ok()?;
    for below in [host_folder, memory_dir, folder] {
        opened = opened.folder(&name(below)?).ok()?;
    }
    Some(opened)
}

/// Renames a file to `FILE.invalid.SECONDS`, with later seconds if that name is taken. Returns the new name.
fn set_aside(folder: &Folder, name: &str) -> io::Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for seconds in now..now + MAX_NAMES {
        let aside = format!("{name}.invalid.{seconds}");
        // The empty file reserves the name, so that a file that another process has renamed is never overwritten.
        match folder.create(&aside, SHARED_FILE) {
            Ok(()) => {
                return match folder.rename(name, &aside) {
                    Ok(()) => Ok(aside),
                    Err(error) => {
                        let _ = folder.remove(&aside);
                        Err(error)
                    }
                };
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
