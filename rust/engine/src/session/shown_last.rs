//! What a session was shown last, for programs that show it to the user (SPEC 49.7 and 49.8): `cuecard-hook shown` and
//! `cuecard-hook status-line`.

use crate::environment::Environment;
use crate::host::{check_cwd, cwd_in, other_cwd};
use crate::session::event::{FILE, FULL_FILE, Outcome};
use crate::session::inbox::{INBOX, count_waiting};
use crate::store::files::StoreFiles;
use crate::store::folder::Folder;
use crate::store::log::FOLDER;
use crate::store::root::{Project, locate_from};
use crate::store::scopes::{first_store, is_declined, list_stores};
use crate::store::settings_files::load_settings;
use cuecard_core::memory::trust_hash_of;
use cuecard_core::text::json_reader::{Json, read_json};
use cuecard_core::text::json_writer::quote;
use cuecard_core::text::plain_title;
use std::fmt::Write as _;

/// The log never becomes larger than this.
const MAX_LOG_BYTES: u64 = 16 << 20;
/// A title in a status line has at most this many characters.
const MAX_LINE_TITLE: usize = 60;

/// Returns a JSON object with the memories of the last event of a session at which any were shown, and how many drafts
/// wait; the last event of any session if `session` is empty.
pub(crate) fn answer(session: &str, environment: &Environment) -> Result<String, String> {
    let Some(mut stores) = Stores::find(None, environment)? else {
        return Ok("{\"event\":null,\"memories\":[],\"waiting\":0}\n".into());
    };
    let event = last_event(&stores.first, session);
    let memories = event.as_ref().and_then(|event| event.get("memories")).and_then(list).unwrap_or_default();
    let shown: Vec<String> = memories.iter().filter_map(|memory| row(memory, &mut stores)).collect();
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
        waiting_in(&stores.first)
    );
    Ok(text)
}

/// Returns a line for the status line of an agent program: what the session of the payload was shown last, and how many
/// drafts wait. Empty if there is nothing to say.
pub(crate) fn line(payload: &[u8], environment: &Environment) -> Result<String, String> {
    let environment = &*environment.for_cwd(other_cwd(payload).as_deref());
    let payload = read_json(payload).ok();
    let cwd = check_cwd(payload.as_ref().and_then(cwd_in)).map_err(|error| error.to_string())?;
    let Some(mut stores) = Stores::find(cwd, environment)? else { return Ok(String::new()) };
    let session = payload.as_ref().and_then(|payload| payload.get("session_id")?.as_text());
    let event = session.filter(|session| !session.is_empty()).and_then(|session| last_event(&stores.first, session));
    let shown = event.as_ref().and_then(|event| event.get("memories")).and_then(list).unwrap_or_default();
    let shown: Vec<&Json> = shown.iter().filter(|memory| is_shown(memory)).collect();
    let mut parts = Vec::new();
    if let Some(first) = shown.first() {
        let title = stores.read_record(first).as_ref().and_then(read_title).unwrap_or_default();
        let title: String = title.chars().take(MAX_LINE_TITLE).collect();
        let colon = if title.is_empty() { "" } else { ": " };
        let others = if shown.len() > 1 { format!(" +{}", shown.len() - 1) } else { String::new() };
        parts.push(format!("{} shown{colon}{title}{others}", shown.len()));
    }
    let waiting = waiting_in(&stores.first);
    if waiting > 0 {
        parts.push(format!("{waiting} to review"));
    }
    Ok(if parts.is_empty() { String::new() } else { format!("cuecard: {}\n", parts.join(" · ")) })
}

/// The stores that count in a folder.
struct Stores {
    /// The store that leads: events and drafts are kept with it.
    first: Project,
    /// The files of every store, each with its scope as the event log has it.
    files: Vec<(String, StoreFiles)>,
}

impl Stores {
    /// Finds the stores as a prompt does; `None` if there are none, or if the settings keep the one that leads out.
    fn find(cwd: Option<&str>, environment: &Environment) -> Result<Option<Self>, String> {
        let mut located = locate_from(cwd, environment)?;
        let Some(first) = first_store(&located, environment) else { return Ok(None) };
        let settings = load_settings(&first.project, environment, &mut Vec::new());
        if is_declined(&first.scope, &located.place, &settings) {
            return Ok(None);
        }
        let project = first.project.clone();
        let stores = list_stores(first, &mut located, &settings, environment);
        let files = stores.iter().map(|store| (store.scope.label(), StoreFiles::new(&store.project))).collect();
        Ok(Some(Self { first: project, files }))
    }

    /// Reads the file of a memory of an event. A worktree's own file comes before that of its counterpart.
    fn read_record(&mut self, memory: &Json) -> Option<Json> {
        let text = |name: &str| memory.get(name).and_then(Json::as_text);
        let (path, scope) = (text("path")?, text("scope").unwrap_or_default());
        let mut files = self.files.iter_mut().filter(|(label, _)| label == scope);
        let (data, _) = files.find_map(|(_, files)| files.read(path).ok())?;
        read_json(&data).ok()
    }
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

fn read_title(record: &Json) -> Option<String> {
    record.get("title").and_then(Json::as_text).map(plain_title)
}

/// Returns the object of a shown memory. Its title is that of its file; a memory without one has none.
fn row(memory: &Json, stores: &mut Stores) -> Option<String> {
    let text = |name: &str| memory.get(name).and_then(Json::as_text);
    let (id, path, category, outcome) = (text("id")?, text("path")?, text("category")?, text("outcome")?);
    if !is_shown(memory) {
        return None;
    }
    let record = stores.read_record(memory);
    let title = record.as_ref().and_then(read_title).unwrap_or_default();
    let hash = record.as_ref().map_or_else(String::new, trust_hash_of);
    let named = [("id", id), ("category", category), ("path", path), ("outcome", outcome), ("title", &title)];
    let members =
        named.iter().map(|(name, value)| format!("\"{name}\":{}", quote(value))).collect::<Vec<_>>().join(",");
    Some(format!("{{{members},\"trust_hash\":{}}}", quote(&hash)))
}
