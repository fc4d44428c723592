//! What a session was shown last, for programs that show it to the user (SPEC 49.7 and 49.8): `cuecard-hook shown` and
//! `cuecard-hook status-line`.

use crate::environment::Environment;
use crate::host::other_cwd;
use crate::session::event::{FILE, FULL_FILE, Outcome};
use crate::session::inbox::{INBOX, count_waiting};
use crate::store::files::StoreFiles;
use crate::store::folder::Folder;
use crate::store::log::FOLDER;
use crate::store::root::{self, Project};
use cuecard_core::memory::trust_hash_of;
use cuecard_core::text::json_reader::{Json, read_json};
use cuecard_core::text::json_writer::quote;
use cuecard_core::text::sanitize_title;
use std::fmt::Write as _;

/// The log never becomes larger than this.
const MAX_LOG_BYTES: u64 = 16 << 20;
/// A title in a status line has at most this many characters.
const MAX_LINE_TITLE: usize = 60;

/// Returns a JSON object with the memories of the last event of a session at which any were shown, and how many drafts
/// wait; the last event of any session if `session` is empty.
pub(crate) fn answer(session: &str, environment: &Environment) -> Result<String, String> {
    let Some(project) = root::find_from(None, environment)? else {
        return Ok("{\"event\":null,\"memories\":[],\"waiting\":0}\n".into());
    };
    let event = last_event(&project, session);
    let memories = event.as_ref().and_then(|event| event.get("memories")).and_then(list).unwrap_or_default();
    let mut files = StoreFiles::new(&project);
    let shown: Vec<String> = memories.iter().filter_map(|memory| row(memory, &mut files)).collect();
    let id = |name| event.as_ref().and_then(|event| event.get(name)).and_then(Json::as_text).map(quote);
    let mut text = String::new();
    let (time, of_session) = (id("time"), id("session"));
    let null = || "null".to_owned();
    let _ = writeln!(
        text,
        "{{\"event\":{},\"session\":{},\"memories\":[{}],\"waiting\":{}}}",
        time.unwrap_or_else(null),
        of_session.unwrap_or_else(null),
        shown.join(","),
        waiting_in(&project)
    );
    Ok(text)
}

/// Returns a line for the status line of an agent program: what the session of the payload was shown last, and how many
/// drafts wait. Empty if there is nothing to say.
pub(crate) fn line(payload: &[u8], environment: &Environment) -> Result<String, String> {
    let cwd = other_cwd(payload);
    let environment = &*environment.for_cwd(cwd.as_deref());
    let Some(project) = root::find_from(cwd.as_deref(), environment)? else {
        return Ok(String::new());
    };
    let session = read_json(payload).ok().and_then(|payload| payload.get("session_id")?.as_text().map(str::to_owned));
    let event = session.filter(|session| !session.is_empty()).and_then(|session| last_event(&project, &session));
    let mut files = StoreFiles::new(&project);
    let shown = event.as_ref().and_then(|event| event.get("memories")).and_then(list).unwrap_or_default();
    let shown: Vec<&Json> = shown.iter().filter(|memory| is_shown(memory)).collect();
    let mut parts = Vec::new();
    if let Some(first) = shown.first() {
        let path = first.get("path").and_then(Json::as_text);
        let title = path.and_then(|path| read_title(&read_record(path, &mut files)?)).unwrap_or_default();
        let title: String = title.chars().take(MAX_LINE_TITLE).collect();
        let colon = if title.is_empty() { "" } else { ": " };
        let others = if shown.len() > 1 { format!(" +{}", shown.len() - 1) } else { String::new() };
        parts.push(format!("{} shown{colon}{title}{others}", shown.len()));
    }
    let waiting = waiting_in(&project);
    if waiting > 0 {
        parts.push(format!("{waiting} to review"));
    }
    Ok(if parts.is_empty() { String::new() } else { format!("cuecard: {}\n", parts.join(" · ")) })
}

fn waiting_in(project: &Project) -> usize {
    project.own.open_below(INBOX).map_or(0, |inbox| count_waiting(&inbox))
}

/// Returns the last event of a session at which a memory was shown.
fn last_event(project: &Project, session: &str) -> Option<Json> {
    let folder = project.own.open_below(FOLDER)?;
    [FILE, FULL_FILE].into_iter().find_map(|name| last_in(&folder, name, session))
}

fn last_in(folder: &Folder, name: &str, session: &str) -> Option<Json> {
    let data = folder.read(name, MAX_LOG_BYTES).ok()?;
    data.split(|byte| *byte == b'\n').rev().filter(|line| !line.is_empty()).find_map(|line| {
        let event = read_json(line).ok()?;
        let is_of_session = session.is_empty() || event.get("session").and_then(Json::as_text) == Some(session);
        let memories = event.get("memories").and_then(list)?;
        (is_of_session && memories.iter().any(is_shown)).then_some(event)
    })
}

fn list(value: &Json) -> Option<&[Json]> {
    if let Json::List(values) = value { Some(values) } else { None }
}

fn is_shown(memory: &Json) -> bool {
    memory.get("outcome").and_then(Json::as_text).and_then(Outcome::find).is_some_and(Outcome::is_shown)
}

fn read_record(path: &str, files: &mut StoreFiles) -> Option<Json> {
    files.read(path).ok().and_then(|(data, _)| read_json(&data).ok())
}

fn read_title(record: &Json) -> Option<String> {
    record.get("title").and_then(Json::as_text).map(sanitize_title)
}

/// Returns the object of a shown memory. Its title is that of its file; a memory without one has none.
fn row(memory: &Json, files: &mut StoreFiles) -> Option<String> {
    let text = |name: &str| memory.get(name).and_then(Json::as_text);
    let (id, path, category, outcome) = (text("id")?, text("path")?, text("category")?, text("outcome")?);
    if !is_shown(memory) {
        return None;
    }
    let record = read_record(path, files);
    let title = record.as_ref().and_then(read_title).unwrap_or_default();
    let hash = record.as_ref().map_or_else(String::new, trust_hash_of);
    let named = [("id", id), ("category", category), ("path", path), ("outcome", outcome), ("title", &title)];
    let members =
        named.iter().map(|(name, value)| format!("\"{name}\":{}", quote(value))).collect::<Vec<_>>().join(",");
    Some(format!("{{{members},\"trust_hash\":{}}}", quote(&hash)))
}
