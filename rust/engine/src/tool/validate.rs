//! Looks at what a tool has written into a store past the guard; what is no memory is set aside (SPEC 16.5).

use crate::environment::Environment;
use crate::guard::answer::{Reached, absolute_cwd, list_writes};
use crate::guard::tool_use::{Action, Tool, ToolUse, read_tool_use, write_complaint};
use crate::guard::verdict::{find_store_part, judge_write};
use crate::prompt::answer::Answer;
use crate::store::files::{MAX_RECORD_BYTES, resolve};
use crate::store::folder::{Folder, SHARED_FILE, Unread};
use cuecard_core::memory::{Problem, category_of, check_schema, describe_problems, is_memory};
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
/// So many names are tried for a file that is set aside.
const MAX_NAMES: u64 = 100;

/// The answer to what a tool has done: a complaint, or nothing.
pub(crate) fn answer(payload: &[u8], environment: &Environment) -> Answer {
    let mut answer = Answer::default();
    let event = read_tool_use(payload).map_err(|error| error.to_string());
    if let Err(problem) = event.and_then(|event| run(&event, environment, &mut answer)) {
        answer.notes.push(problem);
    }
    answer
}

fn run(event: &ToolUse, environment: &Environment, answer: &mut Answer) -> Result<(), String> {
    if event.tool != Tool::File {
        return Ok(());
    }
    let cwd = absolute_cwd(event)?;
    let writes = list_writes(event, &cwd, environment);
    let Some(path) = writes.first().and_then(|write| resolve(Path::new(&write.path))) else { return Ok(()) };
    let reached = Reached::new(&cwd, environment);
    let shown = path.to_string_lossy().into_owned();
    let name = if find_store_part(&shown).is_some() { Some(shown) } else { reached.name_in_project(&path) };
    let Some(name) = name.filter(|name| judge_write(name, Action::Write, true).is_some()) else { return Ok(()) };
    let inside = find_store_part(&name).unwrap_or_default();
    answer.project = reached.project().map(|(project, _)| project.clone());
    answer.notes.push(format!("`.claude/memory/{inside}` was written past the guard"));
    let Some((folder, file)) =
        inside.split_once('/').filter(|(folder, file)| !file.contains('/') && is_memory(folder, file))
    else {
        return Ok(());
    };
    let place = open_folder_of(&path, &reached);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let read = place.as_ref().map_or(Err(Unread::Unreadable), |place| place.read(name, MAX_RECORD_BYTES));
    let problems = match read {
        Ok(data) => check_schema(&data, schema_of(folder)),
        Err(Unread::TooLarge) => {
            vec![Problem { field: String::new(), expected: "at most 256 KiB".into(), found: "a larger file".into() }]
        }
        Err(unread) => {
            answer.notes.push(format!("`.claude/memory/{inside}` {}", unread.words()));
            return Ok(());
        }
    };
    if problems.is_empty() {
        return Ok(());
    }
    let aside = place.and_then(|place| set_aside(&place, name).ok());
    let aside = aside.ok_or_else(|| format!("`.claude/memory/{inside}` cannot be set aside"))?;
    let aside = format!(".claude/memory/{folder}/{aside}");
    answer.notes.push(format!("`.claude/memory/{inside}` is no valid memory; it is now `{aside}`"));
    let (reason, context) = describe_problems(file, &aside, &problems);
    answer.stdout = write_complaint(&reason, &context);
    Ok(())
}

fn schema_of(folder: &str) -> &'static [u8] {
    let category = category_of(folder).unwrap_or_default();
    SCHEMAS.iter().find(|(name, _)| *name == category).map_or(b"", |(_, schema)| schema)
}

/// Opens the category folder of a memory whose path has no links. From the project on, a link that has come there
/// meanwhile is not followed.
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

/// Renames a file in its place to `FILE.invalid.SECONDS`, later seconds where that name is taken; returns that name.
fn set_aside(folder: &Folder, name: &str) -> io::Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for seconds in now..now + MAX_NAMES {
        let aside = format!("{name}.invalid.{seconds}");
        // The empty file claims the name: what others have set aside is never overwritten.
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
