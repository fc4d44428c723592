//! The notices that a user sees once with an answer: saved memories, waiting drafts, and failures
//! (docs/reference/capture-commit.md, "Notice").

use crate::session::inbox::{self, MAX_DRAFTS, SUFFIX};
use crate::session::state::session_file_name;
use crate::store::folder::{Folder, PRIVATE_FILE, Replacement};
use crate::store::root::Project;
use crate::store::status::now;
use std::fmt::Write as _;

const NAME: &str = "notice";
const MAX_BYTES: u64 = 4096;
const STAGING: &str = "staging";
/// The name of an empty file. In the inbox, its modification time is when the user was last told of waiting drafts. In
/// the folder of a session, it means that the user was told of the session's undone work.
const TOLD: &str = "told";
/// How long, in nanoseconds, the user is not told again of waiting drafts.
const QUIET: i64 = 24 * 60 * 60 * SECOND;
/// A session that was active within this time, in nanoseconds, may still finish its work.
const AT_WORK: i64 = 30 * 60 * SECOND;
const SECOND: i64 = 1_000_000_000;
/// How many sessions are looked at; more than a user ever has.
const MAX_SESSIONS: usize = 200;

/// Returns the lines about a store. The first event of a session (`is_new`) also tells of the undone work of others.
pub(crate) fn lines(project: &Project, session: Option<&str>, is_new: bool) -> Vec<u8> {
    let mut lines = take(project);
    lines.push(b'\n');
    if is_new {
        lines.extend(find_undone(project, session).into_bytes());
    }
    lines.extend(count_waiting(project).into_bytes());
    lines
}

/// Removes the notice file and returns its bytes; empty if there is none. Only one of several processes gets them.
fn take(project: &Project) -> Vec<u8> {
    let Some(folder) = project.own.of_project().open() else { return Vec::new() };
    let taken = format!("{NAME}.{}.taken", std::process::id());
    if folder.rename(NAME, &taken).is_err() {
        return Vec::new();
    }
    let data = folder.read(&taken, MAX_BYTES).unwrap_or_default();
    let _ = folder.remove(&taken);
    data
}

/// Returns a line about waiting drafts; empty if none waits, or if the user was told within a day.
///
/// Before it returns a line, it records in a file that the user was told. If the file cannot be written, it returns an
/// empty text, because otherwise the line would appear at every prompt.
fn count_waiting(project: &Project) -> String {
    let Some(folder) = project.own.open_below(inbox::INBOX) else { return String::new() };
    if folder.status(TOLD).is_ok_and(|status| (now() - status.modified).abs() < QUIET) {
        return String::new();
    }
    let waiting = inbox::count_waiting(&folder);
    if waiting == 0 || folder.replace(TOLD, b"", Replacement::PRIVATE).is_err() {
        return String::new();
    }
    let count = if waiting == 1 { "1 draft waits".into() } else { format!("{waiting} drafts wait") };
    format!("cuecard: {count} for `cuecard review`\n")
}

/// Returns lines about undone work of earlier sessions; empty if there is none or the user has been told already.
fn find_undone(project: &Project, session: Option<&str>) -> String {
    let Some(staging) = project.own.open_below(STAGING) else { return String::new() };
    let own = session.and_then(session_file_name).unwrap_or_default();
    let Ok((names, _)) = staging.list_first(MAX_SESSIONS, |name| name != own) else { return String::new() };
    let (mut failed, mut unanswered) = (0, 0);
    for name in names {
        let is_over = staging.status(&name).is_ok_and(|status| (now() - status.modified).abs() >= AT_WORK);
        let Some(folder) = is_over.then(|| staging.folder(&name).ok()).flatten() else { continue };
        let (drafts, is_asked) = undone_in(&folder);
        if (drafts > 0 || is_asked) && folder.create(TOLD, PRIVATE_FILE).is_ok() {
            failed += drafts;
            unanswered += usize::from(is_asked && drafts == 0);
        }
    }
    let mut lines = String::new();
    if failed > 0 {
        let count = if failed == 1 { "1 draft".into() } else { format!("{failed} drafts") };
        let _ = writeln!(lines, "cuecard: {count} of earlier sessions could not be saved; see `cuecard doctor`");
    }
    if unanswered > 0 {
        let count = if unanswered == 1 { "1 earlier session".into() } else { format!("{unanswered} earlier sessions") };
        let _ = writeln!(lines, "cuecard: {count} ended before its drafts were written; see `cuecard doctor`");
    }
    lines
}

/// Returns how many drafts of a session failed, and whether a request to the session has no answer yet.
fn undone_in(folder: &Folder) -> (usize, bool) {
    let is_failed = |name: &str| name.strip_prefix("failed-").is_some_and(|rest| rest.strip_suffix(SUFFIX).is_some());
    let wanted = |name: &str| is_failed(name) || name == "triage.json";
    let names = folder.list_first(MAX_DRAFTS, wanted).map(|(names, _)| names).unwrap_or_default();
    let drafts = names.iter().filter(|name| is_failed(name)).count();
    (drafts, drafts < names.len())
}
