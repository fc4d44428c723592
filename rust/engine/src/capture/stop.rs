//! Answers a stop of the agent: new entries are added to the ledger, and the agent may be asked for memories (SPEC 56).

use crate::capture::claims::{Earlier, claim, find_earlier, settle};
use crate::capture::gemini_prompts::{read_typed, was_typed};
use crate::capture::ledger_file::LedgerFile;
use crate::capture::near::find_near;
use crate::capture::program::{find_program, shell_word};
use crate::capture::redaction::redact;
use crate::capture::staged::{self, Staged};
use crate::capture::stop_event::StopEvent;
use crate::capture::transcript::NewLines;
use crate::environment::Environment;
use crate::host::Host;
use crate::prompt::answer::Answer;
use crate::session::state::session_file_name;
use crate::store::folder::Unread;
use crate::store::log::utc_now;
use crate::store::root::{self, Project};
use crate::store::settings_files::load_settings;
use crate::store::user_folder::StoreFolder;
use cuecard_core::capture::ledger::{GIVEN_BACK, Part, ask_line, done_line};
use cuecard_core::capture::moments::wants_summary;
use cuecard_core::capture::phrases::says_nothing_to_save;
use cuecard_core::capture::request::{CaptureRequest, render_whole};
use cuecard_core::capture::{Ask, Batch, Cause, Entry, Ledger, Moment, NewEntries, decide};
use cuecard_core::settings::Settings;
use cuecard_core::text::json_reader::Json;
use cuecard_core::text::json_writer::quote;
use std::cell::OnceCell;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// The value of `triage.revision` that selects the rules of the claude-memory plugin, which only Python implements.
const PLUGIN_REVISION: &str = "v5-0220";
const EVERY: usize = 8;
const STOP: &str = "Stop";
/// The pauses in milliseconds before another read of a transcript that does not yet contain the agent's last message.
const PAUSES: [u64; 5] = [20, 40, 80, 160, 0];
/// How many characters of the user's prompts are compared with the memories.
const MAX_QUERY_CHARS: usize = 2000;

/// The settings of capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaptureSettings {
    /// Whether a ledger is written.
    pub(crate) is_on: bool,
    /// Whether agents are ever asked for memories.
    pub(crate) asks: bool,
    /// Whether the rules of the claude-memory plugin apply, which only Python implements.
    pub(crate) is_plugin: bool,
    /// After how many substantial prompts (SPEC 56.6) an agent is asked for memories.
    pub(crate) every: usize,
}

impl CaptureSettings {
    /// Returns the settings of capture for a store.
    pub(crate) fn of(settings: &Settings) -> Self {
        let member = |group: &str, name: &str| settings.members.get(group).and_then(|group| group.get(name));
        let every = match member("capture", "every") {
            Some(Json::Integer(every)) => usize::try_from((*every).clamp(3, 100)).unwrap_or(EVERY),
            _ => EVERY,
        };
        let ledger = member("capture", "ledger");
        Self {
            is_on: ledger != Some(&Json::Bool(false)) && ledger.and_then(Json::as_text) != Some("off"),
            asks: member("triage", "enabled").is_none_or(Json::is_truthy),
            is_plugin: member("triage", "revision").and_then(Json::as_text) == Some(PLUGIN_REVISION),
            every,
        }
    }
}

/// Returns the answer to a stop; usually nothing is printed.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment) -> Answer {
    let mut answer = Answer::default();
    match run(payload, host, environment, &mut answer) {
        Ok(reason) => answer.stdout = reason.map_or_else(String::new, |reason| hold_up(host, &reason)),
        Err(problem) => answer.notes.push(problem),
    }
    answer
}

/// Returns the JSON that makes a host continue its agent with the request `reason`.
fn hold_up(host: Host, reason: &str) -> String {
    let decision = if host.name() == "gemini" { "deny" } else { "block" };
    format!("{{\"decision\":\"{decision}\",\"reason\":{}}}\n", quote(reason))
}

fn run(payload: &[u8], host: Host, environment: &Environment, answer: &mut Answer) -> Result<Option<String>, String> {
    let event = read_event(payload, host)?;
    let project = root::find_from(event.cwd.as_deref(), environment)?;
    answer.project.clone_from(&project);
    let mut notes = Vec::new();
    let settings = project.as_ref().map(|project| load_settings(project, environment, &mut notes));
    let settings = settings.unwrap_or_default();
    answer.notes.append(&mut notes);
    let capture = CaptureSettings::of(&settings);
    if capture.is_plugin {
        answer.asks_model = true;
        return Ok(None);
    }
    let is_known = session_file_name(&event.session).is_some() && !event.transcript.as_os_str().is_empty();
    if !capture.is_on || !capture.asks || !is_known || !is_interactive(&event, environment) {
        return Ok(None);
    }
    let own = match &project {
        Some(project) => Rc::clone(&project.own),
        None => match root::find_future(event.cwd.as_deref(), environment) {
            Some(root) => Rc::new(StoreFolder::new(&root, environment)),
            None => return Ok(None),
        },
    };
    let stop = Stop {
        event: &event,
        host,
        environment,
        settings: &settings,
        capture,
        project: project.as_ref(),
        own,
        program: OnceCell::new(),
    };
    stop.run(&mut answer.notes)
}

/// Reads the event in a payload of a host, and the prompts that the user typed if the host keeps a list of them.
pub(crate) fn read_event(payload: &[u8], host: Host) -> Result<StopEvent, String> {
    let mut event = StopEvent::read(payload)?;
    event.typed = (host.name() == "gemini").then(|| read_typed(&event));
    Ok(event)
}

/// Whether a user may read what the agent answers, as far as the environment and the event say; the transcript may say
/// otherwise.
pub(crate) fn is_interactive(event: &StopEvent, environment: &Environment) -> bool {
    !environment.is_not_interactive() && was_typed(event)
}

/// Whether a user may read what the agent answers, as far as the transcript says. For a session of Copilot CLI that has
/// no ledger yet, the transcript must say so explicitly.
pub(crate) fn is_watched(found: &NewEntries, host: Host, file: &LedgerFile) -> bool {
    let is_unknown = host.name() == "copilot" && file.is_new() && !found.is_audience_known;
    !found.is_not_interactive && !is_unknown
}

struct Stop<'a> {
    event: &'a StopEvent,
    host: Host,
    environment: &'a Environment,
    settings: &'a Settings,
    capture: CaptureSettings,
    /// The project; `None` if there are no memories yet.
    project: Option<&'a Project>,
    own: Rc<StoreFolder>,
    /// The command to which drafts are passed; set after it was run once as a test.
    program: OnceCell<Option<String>>,
}

impl Stop<'_> {
    fn run(&self, notes: &mut Vec<String>) -> Result<Option<String>, String> {
        let mut file = LedgerFile::open(&self.own, &self.event.session);
        if self.project.is_none() && !file.is_new() {
            // The user asked once to remember something, and no memory was made since.
            return Ok(None);
        }
        let Some((lines, found)) = read_new(self.event, self.host, &file.ledger)? else { return Ok(None) };
        if !is_watched(&found, self.host, &file) {
            return Ok(None);
        }
        let mut ledger = file.ledger.clone();
        ledger.entries.extend(found.entries.iter().cloned());
        (ledger.position, ledger.base) = (lines.to, lines.base);
        let mut may_ask = self.may_ask(&found);
        let earlier = if may_ask && self.project.is_some() && !ledger.has_looked {
            find_earlier(&self.own, &self.event.session)
        } else {
            Vec::new()
        };
        let earlier_ledgers: Vec<Ledger> = earlier.iter().map(|earlier| earlier.ledger.clone()).collect();
        let moment = Moment {
            ledger: &ledger,
            session: &self.event.session,
            from: lines.from,
            earlier: &earlier_ledgers,
            every: self.capture.every,
        };
        let mut cause = may_ask.then(|| decide(&moment)).flatten();
        if cause.is_some() && self.program().is_none() {
            (may_ask, cause) = (false, None);
        }
        let cause = cause.filter(|cause| self.project.is_some() || *cause == Cause::Word);
        if self.project.is_none() && cause.is_none() {
            return Ok(None);
        }
        let has_looked = may_ask && !matches!(cause, Some(Cause::Word | Cause::Compaction));
        append_part(&mut file, self.event, self.host, &lines, &found, has_looked)?;
        let reported = &self.event.last_said;
        self.note_answer(&mut file, if reported.is_empty() { &found.last_said } else { reported })?;
        match cause {
            Some(cause) => Ok(self.ask(cause, &moment, &mut file, &earlier, notes)),
            None => Ok(None),
        }
    }

    /// Whether the agent may be kept from stopping at this event.
    fn may_ask(&self, found: &NewEntries) -> bool {
        let is_blocked = self.event.is_continued || self.event.is_planning || found.is_read_only == Some(true);
        // Without memories, nothing is created before the user has asked for it.
        let is_writable = || self.project.is_none_or(|project| project.memory.is_writable() && self.own.is_writable());
        !is_blocked && find_program(self.host, self.environment, false).is_some() && is_writable()
    }

    fn program(&self) -> Option<&str> {
        self.program.get_or_init(|| find_program(self.host, self.environment, true)).as_deref()
    }

    /// Records the agent's answer to a request: "nothing to save", or any other answer. If the answer does not complete
    /// a request about earlier sessions, their ledgers get their old names back.
    fn note_answer(&self, file: &mut LedgerFile, last_said: &str) -> Result<(), String> {
        let pending: Vec<Ask> = file.ledger.pending(&self.event.session).cloned().collect();
        let says_nothing = says_nothing_to_save(last_said);
        for ask in pending {
            if says_nothing {
                settle(&self.own, &ask.id, Some("nothing"));
                staged::clear(&self.own, &self.event.session);
                file.read_again();
            } else if ask.cause == Cause::Earlier.name() {
                settle(&self.own, &ask.id, None);
                append(file, &done_line(&ask.id, GIVEN_BACK, &utc_now()))?;
            }
        }
        Ok(())
    }

    /// Claims the ledgers that the agent is asked about, and returns the request to the agent; `None` if other
    /// processes have claimed all of them.
    fn ask(
        &self,
        cause: Cause,
        moment: &Moment<'_>,
        file: &mut LedgerFile,
        earlier: &[Earlier],
        notes: &mut Vec<String>,
    ) -> Option<String> {
        let time = utc_now();
        let id = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        let session = &self.event.session;
        let made = |from, to| Ask {
            id: id.clone(),
            cause: cause.name().into(),
            by: session.clone(),
            from,
            to,
            how: String::new(),
        };
        let mut parts: Vec<(String, Ask)> = Vec::new();
        let mut sessions: Vec<Vec<&Entry>> = Vec::new();
        if cause == Cause::Earlier {
            for earlier in earlier {
                let left: Vec<&Entry> = earlier.ledger.left_entries().collect();
                let ask = made(left.first().map_or(0, |entry| entry.at), earlier.ledger.position);
                if claim(&self.own, &earlier.session, &ask) {
                    parts.push((earlier.session.clone(), ask));
                    sessions.push(left);
                }
            }
            if parts.is_empty() {
                return None;
            }
            append(file, &ask_line(&made(0, 0), &time)).ok()?;
        } else {
            let ask = made(moment.ledger.asked(session), moment.ledger.position);
            append(file, &ask_line(&ask, &time)).ok()?;
            file.read_again();
            if !file.ledger.asks.iter().any(|counted| counted.id == id) {
                return None;
            }
            sessions.push(moment.ledger.open_entries(session).collect());
            parts.push((session.clone(), ask));
        }
        self.stage(&parts, &sessions, moment, &time, notes)?;
        self.request(cause, &sessions, moment, notes)
    }

    fn stage(
        &self,
        parts: &[(String, Ask)],
        sessions: &[Vec<&Entry>],
        moment: &Moment<'_>,
        time: &str,
        notes: &mut Vec<String>,
    ) -> Option<()> {
        let base = moment.ledger.base;
        let first = parts.first().map(|(_, ask)| ask)?;
        let staged = Staged {
            session: &self.event.session,
            transcript: &self.event.transcript.to_string_lossy(),
            start: (first.from - base).max(0),
            end: (first.to - base).max(0),
            time,
            parts,
            whole: &render_whole(sessions),
        };
        if let Err(error) = staged.write(&self.own) {
            notes.push(format!("the files for the drafting agent cannot be written: {error}"));
            return None;
        }
        Some(())
    }

    fn request(
        &self,
        cause: Cause,
        sessions: &[Vec<&Entry>],
        moment: &Moment<'_>,
        notes: &mut Vec<String>,
    ) -> Option<String> {
        let folder = staged::path_of(&self.own, &self.event.session)?;
        let said: Vec<String> = sessions.iter().flatten().rev().map(|entry| entry.own_words()).collect();
        let query: String = said.join("\n").chars().take(MAX_QUERY_CHARS).collect();
        let near = self.project.map(|project| find_near(project, self.settings, &query, notes)).unwrap_or_default();
        let program = self.program()?;
        let whole = Path::new(&folder).join(staged::WHOLE);
        let request = CaptureRequest {
            cause,
            sessions,
            near: &near,
            wants_summary: wants_summary(cause, moment),
            is_new_store: self.project.is_none(),
            whole: &whole.to_string_lossy(),
            command: &format!("{program} capture commit {}", shell_word(&folder)),
        };
        Some(request.to_text())
    }
}

/// Returns the new lines of a session's transcript and their entries; `None` if there is no transcript. If a host is
/// still writing its transcript, this waits for a short time. Copilot CLI does not report the agent's last message; for
/// this host, the transcript is complete when it ends with the call of the hooks.
pub(crate) fn read_new(
    event: &StopEvent,
    host: Host,
    ledger: &Ledger,
) -> Result<Option<(NewLines, NewEntries)>, String> {
    let is_unreported = host.name() == "copilot" && event.name == STOP;
    for pause in PAUSES {
        let new = read_once(event, ledger)?;
        let is_behind = match &new {
            Some((_, found)) => found.is_behind || (is_unreported && !found.is_at_stop),
            // The file does not exist yet at the first stop of a session.
            None => is_unreported,
        };
        if pause == 0 || !is_behind {
            return Ok(new);
        }
        std::thread::sleep(Duration::from_millis(pause));
    }
    Ok(None)
}

fn read_once(event: &StopEvent, ledger: &Ledger) -> Result<Option<(NewLines, NewEntries)>, String> {
    let given = event.lines.as_ref();
    let given = given.map(|(start, text)| Ok(NewLines::given(*start, text, &event.transcript_name(), ledger)));
    let read = || NewLines::read(&event.transcript, &event.transcript_name(), ledger);
    let lines = match given.unwrap_or_else(read) {
        Ok(lines) => lines,
        Err(Unread::Missing) => return Ok(None),
        Err(unread) => return Err(format!("the transcript {}", unread.words())),
    };
    let batch = Batch {
        ledger,
        session: &event.session,
        lines: &lines.lines(),
        to: lines.to,
        is_restart: lines.is_restart,
        typed: event.typed.as_deref(),
        last_said: &event.last_said,
        redact: &redact,
    };
    let found = batch.read().map_err(|_| "the search for secrets failed, so nothing of this session is kept")?;
    Ok(Some((lines, found)))
}

/// Appends the new entries to the ledger, if there are any.
pub(crate) fn append_part(
    file: &mut LedgerFile,
    event: &StopEvent,
    host: Host,
    lines: &NewLines,
    found: &NewEntries,
    is_stop: bool,
) -> Result<(), String> {
    if lines.is_empty() && found.entries.is_empty() {
        return Ok(());
    }
    let part = Part {
        time: &utc_now(),
        host: host.name(),
        transcript: &event.transcript_name(),
        base: lines.base,
        from: lines.from,
        to: lines.to,
        is_stop,
        entries: &found.entries,
    };
    append(file, &part.to_line())
}

/// Appends a line to a ledger.
pub(crate) fn append(file: &mut LedgerFile, line: &str) -> Result<(), String> {
    file.append(line).map_err(|error| format!("the ledger cannot be written: {error}"))
}
