//! Looks at what a tool has written into a store past the guard; what is no memory is set aside (SPEC 16.5).

use crate::environment::Environment;
use crate::files::{MAX_RECORD_BYTES, Unread, read_bounded, resolve};
use crate::guard::{Answer, Reached, absolute_cwd, list_writes};
use cuecard_core::guard::{category_of, is_memory};
use cuecard_core::{
    Action, Problem, Tool, ToolUse, check_schema, describe_problems, find_store_part, judge_write, read_tool_use,
    write_complaint,
};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The schema of each category.
const SCHEMAS: [(&str, &[u8]); 6] = [
    ("session_summary", include_bytes!("../../../python/cuecard/assets/schemas/session_summary.schema.json")),
    ("decision", include_bytes!("../../../python/cuecard/assets/schemas/decision.schema.json")),
    ("runbook", include_bytes!("../../../python/cuecard/assets/schemas/runbook.schema.json")),
    ("constraint", include_bytes!("../../../python/cuecard/assets/schemas/constraint.schema.json")),
    ("tech_debt", include_bytes!("../../../python/cuecard/assets/schemas/tech_debt.schema.json")),
    ("preference", include_bytes!("../../../python/cuecard/assets/schemas/preference.schema.json")),
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
    answer.memory_dir = reached.project().map(|(memory_dir, _)| memory_dir.clone());
    answer.notes.push(format!("`.claude/memory/{inside}` was written past the guard"));
    let Some((folder, file)) =
        inside.split_once('/').filter(|(folder, file)| !file.contains('/') && is_memory(folder, file))
    else {
        return Ok(());
    };
    let problems = match read_bounded(&path, MAX_RECORD_BYTES) {
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
    let aside = set_aside(&path).map_err(|_| format!("`.claude/memory/{inside}` cannot be set aside"))?;
    let aside = format!(".claude/memory/{folder}/{}", aside.file_name().unwrap_or_default().to_string_lossy());
    answer.notes.push(format!("`.claude/memory/{inside}` is no valid memory; it is now `{aside}`"));
    let (reason, context) = describe_problems(file, &aside, &problems);
    answer.stdout = write_complaint(&reason, &context);
    Ok(())
}

fn schema_of(folder: &str) -> &'static [u8] {
    let category = category_of(folder).unwrap_or_default();
    SCHEMAS.iter().find(|(name, _)| *name == category).map_or(b"", |(_, schema)| schema)
}

/// Renames a file in its place to `FILE.invalid.SECONDS`, later seconds where that name is taken.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut last = None;
    for seconds in now..now + MAX_NAMES {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".invalid.{seconds}"));
        let aside = path.with_file_name(name);
        // The empty file claims the name: what others have set aside is never overwritten.
        match OpenOptions::new().write(true).create_new(true).open(&aside) {
            Ok(_) => {
                return match fs::rename(path, &aside) {
                    Ok(()) => Ok(aside),
                    Err(error) => {
                        let _ = fs::remove_file(&aside);
                        Err(error)
                    }
                };
            }
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into()))
}
