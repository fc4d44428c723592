//! Reads and writes the file of a session: its prompts and shown memories, and the events that clear them (SPEC 30).

use crate::host::{check_cwd, read_object};
use crate::session::typed::Typed;
use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::memory::stored_document::Stamp;
use cuecard_core::rank::cues::{Cue, find_cues};
use cuecard_core::text::json_reader::Json;
use memchr::memmem;
use std::fmt::Write;

const HEADER: &str = "cuecard session 2";
/// Files of this form have the texts of prompts. They are not read, and are removed.
const OLD_HEADER: &[u8] = b"cuecard session 1\n";
/// How many earlier prompts are kept.
const MAX_PROMPTS: usize = 5;
const MAX_SHOWN: usize = 500;
/// How many times that a memory has spoken at an act are kept.
const MAX_SPOKEN: usize = 500;
const MAX_ID_CHARS: usize = 100;
/// A text that the first line of each block contains, and no other line.
const BLOCK_SIGN: &[u8] = b"memory-context source=";
/// What Gemini CLI writes in the model's name behind the summary of a compressed conversation.
const SUMMARY_SIGN: &[u8] = b"Got it. Thanks for the additional context!";

/// A memory that the session's agent was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The memory's path in the project.
    pub path: String,
    /// The size and modification time of the memory's file when the memory was shown.
    pub stamp: Stamp,
}

/// The earlier prompts and the memories that were shown, each list with the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// What is kept of the earlier prompts, at most five: their lines of `Snapshot::kept_terms`, which have no text.
    pub prompts: Vec<String>,
    /// The memories of which the agent was shown more than the title; at most 500.
    pub shown: Vec<Shown>,
    /// The memories of which the agent was shown only the title; at most 500.
    pub titled: Vec<Shown>,
    /// The memories of which the agent was only told that they may concern its prompt; at most 500.
    pub named: Vec<Shown>,
    /// The memories that have spoken at an act, each with a number that stands for the file or the command; at most 500.
    pub spoken: Vec<(u32, String)>,
    /// How many blocks the host's transcript must contain if the agent still has all of them; 0 if no transcript is
    /// read.
    pub blocks: u32,
    /// The facts about typed prompts; `None` if no prompt was noted.
    pub typed: Option<Typed>,
}

impl Shown {
    /// Reads a line with size, time and path; `None` if it is malformed.
    fn read(text: &str) -> Option<Self> {
        let (size, rest) = text.split_once(' ')?;
        let (modified, path) = rest.split_once(' ')?;
        let stamp = Stamp { size: read_number(size)?, modified: read_number(modified)? };
        Some(Self { path: path.into(), stamp })
    }
}

impl Session {
    /// Reads a session's file; an empty session if it is damaged.
    #[must_use]
    pub fn read(data: &[u8]) -> Self {
        Self::parse(data).unwrap_or_default()
    }

    /// Whether a session's file has the form that held the texts of prompts.
    #[must_use]
    pub fn is_old_form(data: &[u8]) -> bool {
        data.starts_with(OLD_HEADER)
    }

    fn parse(data: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(data).ok()?.strip_suffix('\n')?;
        let mut lines = text.split('\n');
        if lines.next() != Some(HEADER) {
            return None;
        }
        let mut session = Self::default();
        let (mut counts, mut transcript) = (None, "");
        for line in lines {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "prompt" => session.prompts.push(rest.into()),
                "shown" => session.shown.push(Shown::read(rest)?),
                "titled" => session.titled.push(Shown::read(rest)?),
                "named" => session.named.push(Shown::read(rest)?),
                "spoke" => {
                    let (key, path) = rest.split_once(' ')?;
                    session.spoken.push((read_number(key)?, path.into()));
                }
                "blocks" => session.blocks = read_number(rest)?,
                "typed" => counts = Some(rest),
                "transcript" => transcript = rest,
                _ => return None,
            }
        }
        if let Some(counts) = counts {
            session.typed = Some(Typed::read(counts, transcript)?);
        }
        Some(session)
    }

    /// Returns the bytes of the session's file, with the last prompts and memories up to their limits. Of equal prompts
    /// only the last is kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("{HEADER}\n");
        if let Some(typed) = &self.typed {
            text.push_str(&typed.to_lines());
        }
        let mut prompts: Vec<&String> = Vec::new();
        for prompt in self.prompts.iter().filter(|prompt| !prompt.contains('\n')) {
            prompts.retain(|earlier| *earlier != prompt);
            prompts.push(prompt);
        }
        for prompt in last(&prompts, MAX_PROMPTS) {
            let _ = writeln!(text, "prompt {prompt}");
        }
        for (kind, memories) in [("shown", &self.shown), ("titled", &self.titled), ("named", &self.named)] {
            for Shown { path, stamp } in last(memories, MAX_SHOWN) {
                if !path.contains('\n') {
                    let _ = writeln!(text, "{kind} {} {} {path}", stamp.size, stamp.modified);
                }
            }
        }
        for (key, path) in last(&self.spoken, MAX_SPOKEN).iter().filter(|(_, path)| !path.contains('\n')) {
            let _ = writeln!(text, "spoke {key} {path}");
        }
        if self.blocks > 0 {
            let _ = writeln!(text, "blocks {}", self.blocks);
        }
        text.into_bytes()
    }

    /// Whether the agent has already been shown this version of a memory. With `is_more`, it counts only if the agent
    /// was shown more than the title.
    #[must_use]
    pub fn has(&self, path: &str, stamp: Stamp, is_more: bool) -> bool {
        let is_in = |memories: &[Shown]| memories.iter().any(|memory| memory.path == path && memory.stamp == stamp);
        is_in(&self.shown) || (!is_more && is_in(&self.titled))
    }

    /// Whether the agent knows the title of this version of a memory, in whatever way it was told.
    #[must_use]
    pub fn has_title(&self, path: &str, stamp: Stamp) -> bool {
        let is_named = |memory: &Shown| memory.path == path && memory.stamp == stamp;
        self.has(path, stamp, false) || self.named.iter().any(is_named)
    }

    /// Forgets what the agent was shown and told.
    pub fn forget_shown(&mut self) {
        self.shown.clear();
        self.titled.clear();
        self.named.clear();
        self.spoken.clear();
    }

    /// Whether a memory has spoken already about the file or the command that a number stands for.
    #[must_use]
    pub fn has_spoken(&self, key: u32, path: &str) -> bool {
        self.spoken.iter().any(|(known, memory)| *known == key && memory == path)
    }

    /// Whether a prompt continues the earlier prompts, so that recall answers it even if it is short.
    #[must_use]
    pub fn is_continued_by(&self, prompt: &str) -> bool {
        !self.prompts.is_empty() && find_cues(prompt).contains(&Cue::Continues)
    }
}

/// Returns the last `most` elements of `all`; all elements if there are fewer.
fn last<T>(all: &[T], most: usize) -> &[T] {
    all.get(all.len().saturating_sub(most)..).unwrap_or_default()
}

/// Reads a decimal integer without leading zeros; `None` for any other text.
fn read_number<T: std::str::FromStr + ToString>(text: &str) -> Option<T> {
    text.parse::<T>().ok().filter(|number| number.to_string() == text)
}

/// Returns the file name for a session's id; `None` if the id cannot be a file name, and recall then has no session.
#[must_use]
pub fn session_file_name(session_id: &str) -> Option<&str> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    let fits = !session_id.is_empty() && session_id.len() <= MAX_ID_CHARS && session_id.chars().all(is_plain);
    fits.then_some(session_id)
}

/// Counts the blocks in the agent's context, by the transcript of Gemini CLI (SPEC 30.4).
///
/// A line of the transcript is a message; or the whole conversation, for example after a compression, which replaces
/// all lines before it; or a rewind, which removes a message and all messages after it.
#[must_use]
pub fn count_blocks(transcript: &[u8]) -> u32 {
    let id_behind = |rest: &[u8]| rest.split(|byte| *byte == b'"').next().unwrap_or_default().to_vec();
    let mut messages: Vec<(Vec<u8>, usize)> = Vec::new();
    for line in transcript.split(|byte| *byte == b'\n') {
        if is_conversation(line) {
            messages.clear();
        } else if let Some(rest) = line.strip_prefix(br#"{"$rewindTo":""#) {
            let id = id_behind(rest);
            messages.truncate(messages.iter().position(|message| message.0 == id).unwrap_or_default());
            continue;
        }
        let id = line.strip_prefix(br#"{"id":""#).map_or_else(Vec::new, id_behind);
        messages.push((id, memmem::find_iter(line, BLOCK_SIGN).count()));
    }
    u32::try_from(messages.iter().map(|message| message.1).sum::<usize>()).unwrap_or(u32::MAX)
}

/// Whether a line of the transcript of Gemini CLI is the whole conversation.
fn is_conversation(line: &[u8]) -> bool {
    line.starts_with(br#"{"$set":{"#) && memmem::find(line, br#""messages":["#).is_some()
}

/// Whether a conversation was compressed since the last prompt but one, by the transcript of Gemini CLI (SPEC 30.5).
#[must_use]
pub fn was_compressed(transcript: &[u8]) -> bool {
    let is_prompt = |line: &[u8]| line.starts_with(br#"{"id":""#) && memmem::find(line, br#""type":"user""#).is_some();
    let mut prompts = 0;
    for line in transcript.rsplit(|byte| *byte == b'\n') {
        if is_conversation(line) && memmem::find(line, SUMMARY_SIGN).is_some() {
            return true;
        }
        prompts += u32::from(is_prompt(line));
        if prompts > 1 {
            return false;
        }
    }
    false
}

/// Which parts of the session's file remain after an event of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Everything remains.
    All,
    /// Only the prompts remain, because the agent has lost the memories that it was shown.
    Prompts,
    /// Nothing remains, because the session was cleared.
    Nothing,
}

impl Kept {
    /// Returns the name that the test vectors use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Prompts => "prompts",
            Self::Nothing => "nothing",
        }
    }
}

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEvent {
    /// The host's working directory.
    pub cwd: Option<String>,
    /// The host's id for the session.
    pub session_id: Option<String>,
    /// What the session's file keeps after the event.
    pub kept: Kept,
}

/// Reads the event in a payload. `PostCompact`, `PreCompact` and `SessionStart` with the source `compact` keep the
/// prompts, `SessionStart` with the source `clear` keeps nothing, and any other event keeps everything.
pub fn read_session_event(data: &[u8]) -> Result<SessionEvent, Error> {
    let payload = read_object(data)?;
    let text = |field: &'static str| match payload.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Error::Payload(PayloadProblem::NotString(field))),
    };
    let (cwd, session_id) = (text("cwd")?, text("session_id")?);
    check_cwd(cwd.as_deref())?;
    let kept = match (text("hook_event_name")?.as_deref(), text("source")?.as_deref()) {
        (Some("PostCompact" | "PreCompact"), _) | (Some("SessionStart"), Some("compact")) => Kept::Prompts,
        (Some("SessionStart"), Some("clear")) => Kept::Nothing,
        _ => Kept::All,
    };
    Ok(SessionEvent { cwd, session_id, kept })
}
