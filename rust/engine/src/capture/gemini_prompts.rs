//! Whether somebody typed a prompt of Gemini CLI in a terminal (SPEC 56.8).
//!
//! Neither the event nor the environment of its hook says so. In a terminal Gemini CLI keeps `logs.json` beside the folder
//! with its transcripts, with what was typed; `gemini -p` writes nothing there.

use crate::capture::stop_event::StopEvent;
use crate::store::folder::read_elsewhere;
use cuecard_core::text::chars::strip;
use cuecard_core::text::json_reader::{Json, read_json};

const FOLDER: &str = "chats";
const LIST: &str = "logs.json";
const MAX_BYTES: u64 = 8 << 20;

/// Whether the list of what was typed ends with the prompt of an event. An event without a prompt is one of a session in
/// which something was typed, and so is what follows an ask.
pub(crate) fn was_typed(event: &StopEvent) -> bool {
    let Some(folder) = event.transcript.parent().filter(|folder| folder.ends_with(FOLDER)) else { return false };
    let Ok(data) = read_elsewhere(&folder.with_file_name(LIST), MAX_BYTES) else { return false };
    let Ok(Json::List(entries)) = read_json(&data) else { return false };
    let text = |each: &Json, name: &str| each.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
    let of_session = entries.iter().filter(|each| text(each, "sessionId") == event.session);
    let mut typed = of_session.map(|each| text(each, "message")).filter(|message| !message.starts_with('/'));
    let Some(last) = typed.next_back() else { return false };
    event.is_continued || event.prompt.is_empty() || strip(&event.prompt).starts_with(strip(&last))
}
