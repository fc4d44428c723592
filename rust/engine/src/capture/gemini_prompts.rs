//! Tells whether the prompt of a Gemini CLI session was typed in a terminal (SPEC 56.8).
//!
//! Neither the event nor the environment of the hook contains this fact. In a terminal, Gemini CLI writes each typed
//! prompt into `logs.json` beside the folder with the transcripts. `gemini -p` does not write this file.

use crate::capture::stop_event::StopEvent;
use crate::store::folder::read_elsewhere;
use cuecard_core::text::chars::strip;
use cuecard_core::text::json_reader::{Json, read_json};

const FOLDER: &str = "chats";
const LIST: &str = "logs.json";
const MAX_BYTES: u64 = 8 << 20;

/// Whether the last prompt that `logs.json` lists for the session is the prompt of the event. If the event has no
/// prompt or follows an ask, any typed prompt of the session is enough.
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
