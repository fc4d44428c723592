//! Tells which prompts of Gemini CLI somebody typed in a terminal (SPEC 56.8).
//!
//! Neither the event nor the environment of the hook contains this fact. In a terminal, Gemini CLI writes each typed
//! prompt into `logs.json` beside the folder with the transcripts. `gemini -p` does not write this file.

use crate::capture::stop_event::StopEvent;
use crate::store::folder::read_elsewhere;
use cuecard_core::capture::typed::is_same_prompt;
use cuecard_core::text::json_reader::{Json, read_json};

const FOLDER: &str = "chats";
const LIST: &str = "logs.json";
const MAX_BYTES: u64 = 8 << 20;

/// Returns the prompts that were typed in the session of an event, without commands.
pub(crate) fn read_typed(event: &StopEvent) -> Vec<String> {
    let Some(folder) = event.transcript.parent().filter(|folder| folder.ends_with(FOLDER)) else { return Vec::new() };
    let Ok(data) = read_elsewhere(&folder.with_file_name(LIST), MAX_BYTES) else { return Vec::new() };
    let Ok(Json::List(entries)) = read_json(&data) else { return Vec::new() };
    let text = |each: &Json, name: &str| each.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
    let of_session = entries.iter().filter(|each| text(each, "sessionId") == event.session);
    of_session.map(|each| text(each, "message")).filter(|message| !message.starts_with('/')).collect()
}

/// Whether a user typed the prompt of an event, i.e. it is the last prompt in the list of typed prompts; true if the
/// host keeps no list. If the event has no prompt, or follows a request of cuecard to the agent, the list only has to
/// contain any prompt.
pub(crate) fn was_typed(event: &StopEvent) -> bool {
    let Some(typed) = &event.typed else { return true };
    let is_asked_for = !event.is_continued && !event.prompt.is_empty();
    typed.last().is_some_and(|last| !is_asked_for || is_same_prompt(&event.prompt, last))
}
