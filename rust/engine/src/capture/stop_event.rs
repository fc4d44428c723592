//! The event of a host when the agent stops, before a compaction, or at the end of a session.

use crate::host::read_object;
use cuecard_core::text::json_reader::Json;
use std::path::{Path, PathBuf};

/// An event at which the ledger gets new entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopEvent {
    /// The host's working directory.
    pub(crate) cwd: Option<String>,
    /// The session's id.
    pub(crate) session: String,
    /// The path of the transcript.
    pub(crate) transcript: PathBuf,
    /// Whether the agent continued because a hook kept it from stopping.
    pub(crate) is_continued: bool,
    /// Whether the agent is in a mode in which it may not change files.
    pub(crate) is_planning: bool,
    /// The last message of the agent.
    pub(crate) last_said: String,
    /// What the user typed, if the host repeats it here.
    pub(crate) prompt: String,
    /// The host's name for the event.
    pub(crate) name: String,
    /// The prompts of the session that were typed in a terminal; `None` if the host keeps no list of them.
    pub(crate) typed: Option<Vec<String>>,
    /// The position in bytes at which the new lines of the transcript begin, and these lines; only from a host that
    /// keeps no file of the transcript.
    pub(crate) lines: Option<(u64, String)>,
}

impl StopEvent {
    /// Reads the event in a payload. Members of an unexpected type count as absent.
    pub(crate) fn read(payload: &[u8]) -> Result<Self, String> {
        let event = read_object(payload).map_err(|error| error.to_string())?;
        let text = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| event.get(name)?.as_text());
            texts.into_iter().find(|text| !text.is_empty() && !text.contains('\0')).unwrap_or_default().to_owned()
        };
        let cwd = text(&["cwd"]);
        let transcript = text(&["transcript_path"]);
        let folder = std::path::absolute(if cwd.is_empty() { "." } else { &cwd }).unwrap_or_default();
        let transcript = if transcript.is_empty() { PathBuf::new() } else { folder.join(transcript) };
        let stem = transcript.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let session = text(&["session_id"]);
        Ok(Self {
            session: if session.is_empty() { stem.unwrap_or_default() } else { session },
            is_continued: event.get("stop_hook_active") == Some(&Json::Bool(true)),
            is_planning: matches!(text(&["permission_mode"]).as_str(), "plan" | "readOnly" | "read-only"),
            last_said: text(&["last_assistant_message", "prompt_response"]),
            prompt: text(&["prompt"]),
            name: text(&["hook_event_name"]),
            lines: match (event.get("transcript_start"), event.get("transcript_lines").and_then(Json::as_text)) {
                (Some(Json::Integer(start)), Some(lines)) => {
                    Some((u64::try_from(*start).unwrap_or(0), lines.to_owned()))
                }
                _ => None,
            },
            cwd: Some(cwd).filter(|cwd| !cwd.is_empty()),
            transcript,
            typed: None,
        })
    }

    /// The file name of the transcript.
    pub(crate) fn transcript_name(&self) -> String {
        let name = Path::new(&self.transcript).file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}
