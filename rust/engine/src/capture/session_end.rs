//! Adds the new entries to the ledger before a compaction and at the end of a session; the agent is not asked (SPEC
//! 56.11).

use crate::capture::ledger_file::LedgerFile;
use crate::capture::stop::{CaptureSettings, append, append_part, is_interactive, is_watched, read_event, read_new};
use crate::environment::Environment;
use crate::host::Host;
use crate::session::state::session_file_name;
use crate::store::log::utc_now;
use crate::store::root;
use crate::store::settings_files::load_settings;
use cuecard_core::capture::ledger::end_line;
use std::rc::Rc;

const COMPACTIONS: [&str; 2] = ["PreCompact", "PreCompress"];
const ENDS: [&str; 1] = ["SessionEnd"];

/// Adds the new entries to the ledger of a session if the event is a compaction or the end of the session.
pub(crate) fn note_event(payload: &[u8], host: Host, environment: &Environment) -> Result<(), String> {
    let event = read_event(payload, host)?;
    let is_end = ENDS.contains(&event.name.as_str());
    if !is_end && !COMPACTIONS.contains(&event.name.as_str()) {
        return Ok(());
    }
    let Some(project) = root::find_from(event.cwd.as_deref(), environment)? else { return Ok(()) };
    let capture = CaptureSettings::of(&load_settings(&project, environment, &mut Vec::new()));
    let is_known = session_file_name(&event.session).is_some();
    if !capture.is_on || !capture.asks || capture.is_plugin || !is_known || !is_interactive(&event, environment) {
        return Ok(());
    }
    let mut file = LedgerFile::open(&Rc::clone(&project.own), &event.session);
    // Copilot CLI names no transcript at the end of a session.
    if event.transcript.as_os_str().is_empty() {
        if is_end && !file.is_new() && !file.ledger.is_ended {
            append(&mut file, &end_line(&utc_now()))?;
        }
        return Ok(());
    }
    if let Some((lines, found)) = read_new(&event, host, &file.ledger)? {
        if !is_watched(&found, host, &file) {
            return Ok(());
        }
        append_part(&mut file, &event, host, &lines, &found, false)?;
    }
    if is_end && !file.is_new() {
        append(&mut file, &end_line(&utc_now()))?;
    }
    Ok(())
}
