//! Decides whether a stop, a compaction or the end of a session has anything to do (SPEC 30.5). If so, Python does it.

use crate::environment::Environment;
use crate::host::{Host, read_object};
use crate::session::capture_settings::CaptureSettings;
use crate::session::left;
use crate::session::session_file::{SessionFile, reads_compression};
use crate::session::state::session_file_name;
use crate::session::transcript_place::find_transcript;
use crate::session::typed::Typed;
use crate::store::root::{self, Project};
use crate::store::settings_files::load_settings;
use crate::store::user_folder::StoreFolder;
use cuecard_core::settings::{Settings, setting};
use cuecard_core::text::json_reader::Json;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The endings of the file of a ledger: usually, and while another session asks its agent about it.
const LEDGER_ENDINGS: [&str; 2] = [".jsonl", ".claimed"];
const COMPACTIONS: [&str; 2] = ["PreCompact", "PreCompress"];
const END: &str = "SessionEnd";
const START: &str = "SessionStart";
/// Where a session comes from that is not a part of one that goes on.
const NEW_SOURCES: [&str; 2] = ["startup", "resume"];

/// What is to be done at an event.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    pub(crate) project: Option<Project>,
    /// Whether Python must answer the event, or do its work.
    pub(crate) is_due: bool,
    /// The session's file. If Python is not started, it is written with what this event has changed.
    pub(crate) file: Option<SessionFile>,
    /// Whether this event has changed the file.
    pub(crate) is_changed: bool,
    /// Whether a session begins, also after a compaction.
    pub(crate) begins: bool,
    pub(crate) notes: Vec<String>,
}

/// The members of an event that the decision needs.
struct Event {
    cwd: Option<String>,
    session: String,
    /// The path of the transcript; empty if the event names none and the host keeps none in a known place.
    transcript: PathBuf,
    name: String,
    /// Whether the agent may be asked now: it does not go on because of a hook, may change files, and has nothing left at
    /// work in the background.
    may_ask: bool,
    /// Whether the event brings lines of a transcript that is no file, so that nobody can read them later.
    has_lines: bool,
    /// Where a session that begins comes from.
    source: String,
}

impl Event {
    fn read(payload: &[u8], host: Host, environment: &Environment) -> Result<Self, String> {
        let event = read_object(payload).map_err(|error| error.to_string())?;
        let text = |name: &str| {
            let text = event.get(name).and_then(Json::as_text).unwrap_or_default();
            if text.contains('\0') { String::new() } else { text.to_owned() }
        };
        let cwd = text("cwd");
        let folder = std::path::absolute(if cwd.is_empty() { "." } else { &cwd }).unwrap_or_default();
        let transcript = text("transcript_path");
        let transcript = if transcript.is_empty() { PathBuf::new() } else { folder.join(transcript) };
        let stem = transcript.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let session = text("session_id");
        let session = if session.is_empty() { stem } else { session };
        let is_unnamed = transcript.as_os_str().is_empty();
        let transcript = if is_unnamed { find_transcript(host, &session, environment) } else { transcript };
        let is_planning = matches!(text("permission_mode").as_str(), "plan" | "readOnly" | "read-only");
        let is_at_work = ["background_tasks", "session_crons"]
            .iter()
            .any(|name| matches!(event.get(name), Some(Json::List(tasks)) if !tasks.is_empty()));
        Ok(Self {
            session,
            cwd: Some(cwd).filter(|cwd| !cwd.is_empty()),
            transcript,
            name: text("hook_event_name"),
            source: text("source"),
            may_ask: !is_planning && !is_at_work && event.get("stop_hook_active") != Some(&Json::Bool(true)),
            has_lines: matches!(event.get("transcript_lines"), Some(Json::Text(_))),
        })
    }
}

/// Decides about a stop.
pub(crate) fn decide(payload: &[u8], host: Host, environment: &Environment) -> Result<Decision, String> {
    let event = Event::read(payload, host, environment)?;
    let mut decision = Decision { project: root::find_from(event.cwd.as_deref(), environment)?, ..Decision::default() };
    let Some(project) = &decision.project else {
        decision.is_due = is_first_wish(&event, environment);
        return Ok(decision);
    };
    let settings = CaptureSettings::of(&load_settings(project, environment, &mut decision.notes));
    if settings.is_plugin {
        decision.is_due = true;
        return Ok(decision);
    }
    let is_unknown = event.transcript.as_os_str().is_empty() || environment.is_not_interactive();
    if is_unknown || !settings.is_on {
        return Ok(decision);
    }
    let own = Rc::clone(&project.own);
    let Some(mut file) = SessionFile::load_in(&own, &event.session) else { return Ok(decision) };
    let Some(typed) = &mut file.session.typed else {
        // No prompt of this session was noted: it is older than these facts, or only this hook is installed.
        decision.is_due = true;
        return Ok(decision);
    };
    let may_look = event.may_ask && !typed.has_looked;
    // A host that sends no event after a compaction is asked for its transcript.
    let is_found = event.may_ask && host.shows_context() && !typed.is_compacted && reads_compression(&event.transcript);
    typed.is_compacted |= is_found;
    decision.is_due = event.has_lines
        || typed.is_due(event.may_ask, settings.every)
        || (!typed.is_read && has_ledger(&own, &event.session))
        || (may_look && left::is_enough(&own, &event.session));
    typed.has_looked |= may_look;
    let is_named = note_transcript(typed, host, &event.transcript);
    decision.is_changed = may_look || is_named || is_found;
    decision.file = Some(file);
    Ok(decision)
}

/// Notes a compaction or the end of a session, and decides whether its ledger must be completed; at the start of one,
/// whether the memories of teams are to be pulled.
pub(crate) fn note_event(payload: &[u8], host: Host, environment: &Environment) -> Result<Decision, String> {
    let event = Event::read(payload, host, environment)?;
    if event.name == START {
        let project = root::find_from(event.cwd.as_deref(), environment)?;
        let is_new = NEW_SOURCES.contains(&event.source.as_str());
        let settings = project.as_ref().filter(|_| is_new);
        let settings = settings.map(|project| load_settings(project, environment, &mut Vec::new()));
        let is_due = settings.is_some_and(|settings| pulls_at_start(&settings)) && !environment.is_not_interactive();
        return Ok(Decision { is_due, begins: project.is_some(), project, ..Decision::default() });
    }
    let is_end = event.name == END;
    if !is_end && !COMPACTIONS.contains(&event.name.as_str()) {
        return Ok(Decision::default());
    }
    let mut decision = Decision { project: root::find_from(event.cwd.as_deref(), environment)?, ..Decision::default() };
    let Some(project) = &decision.project else { return Ok(decision) };
    let settings = CaptureSettings::of(&load_settings(project, environment, &mut Vec::new()));
    if !settings.is_on || environment.is_not_interactive() {
        return Ok(decision);
    }
    let own = Rc::clone(&project.own);
    let Some(mut file) = SessionFile::load_in(&own, &event.session) else { return Ok(decision) };
    let has_ledger = has_ledger(&own, &event.session);
    let Some(typed) = &mut file.session.typed else {
        decision.is_due = has_ledger || !event.transcript.as_os_str().is_empty();
        return Ok(decision);
    };
    // Some hosts tell of one end several times.
    let is_repeated = is_end && typed.has_ended;
    decision.is_due = !is_repeated && (typed.open > 0 || has_ledger);
    decision.is_changed = note_transcript(typed, host, &event.transcript);
    if is_end && decision.is_due {
        typed.has_ended = true;
        decision.is_changed = true;
        file.tells_left = true;
    }
    decision.file = Some(file);
    Ok(decision)
}

/// Whether the user wants the memories of teams pulled at the start of a session (docs/reference/sync.md).
fn pulls_at_start(settings: &Settings) -> bool {
    settings.given(setting!("sync.at_session_start")) == Some(&Json::Bool(true))
}

/// Whether the user wants a first memory in a folder without memories, where nothing is kept before.
fn is_first_wish(event: &Event, environment: &Environment) -> bool {
    let is_blocked = !event.may_ask || event.transcript.as_os_str().is_empty() || environment.is_not_interactive();
    let Some(root) = root::find_future(event.cwd.as_deref(), environment).filter(|_| !is_blocked) else { return false };
    let file = SessionFile::load_in(&Rc::new(StoreFolder::new(&root, environment)), &event.session);
    file.and_then(|file| file.session.typed).is_some_and(|typed| typed.is_wish)
}

/// Records where the transcript of a session is, so that it can be read later. Returns whether that has changed.
fn note_transcript(typed: &mut Typed, host: Host, path: &Path) -> bool {
    let Some(path) = path.to_str().filter(|path| !path.is_empty() && *path != typed.transcript) else { return false };
    (typed.host, typed.transcript) = (host.name().into(), path.into());
    true
}

fn has_ledger(own: &StoreFolder, session: &str) -> bool {
    let Some(session) = session_file_name(session) else { return false };
    let folder = own.open_below(left::LEDGERS);
    folder
        .is_some_and(|folder| LEDGER_ENDINGS.iter().any(|ending| folder.status(&format!("{session}{ending}")).is_ok()))
}
