//! Reads the payloads of hosts and writes answers in the form that each host takes (SPEC 12).

use cuecard_core::error::{Error, PayloadProblem};
use cuecard_core::tables::Keyed;
use cuecard_core::tables::host_table::{
    AGENT_MEMBERS, AnswerForm, CARRIERS, DROPPED_ANSWERS, HOST_NAMES, HOSTS, HostFacts, KeptContext, NEW_INPUTS,
    PROMPT_SOURCES, REFUSALS, ROOTS_FIELDS, SESSION_FIELDS, TEXT_FIELDS, TOOL_CONTEXTS, TYPED_MEMBERS,
};
use cuecard_core::text::chars::strip;
use cuecard_core::text::compose::full_forms;
use cuecard_core::text::json_reader::{Json, read_json};
use cuecard_core::text::json_writer::quote;
use cuecard_core::text::letters::{Kind, classify};
pub use cuecard_core::text::typed_text::{is_slash_command, typed_text};
use std::path::Path;

const MIN_PROMPT_CHARS: usize = 10;
const MAX_CWD_BYTES: usize = 4096;

/// The agent program that calls the hook, or any program that reads the block; one of the table of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host(&'static HostFacts);

impl Default for Host {
    /// The first host of the table: Claude Code.
    fn default() -> Self {
        let [first, ..] = &HOSTS;
        Self(first)
    }
}

/// Who has submitted a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptSource {
    /// The user has typed it, as far as the host says.
    Typed,
    /// A program has sent it, which waits for the answer, or an agent has written it for another one.
    Program,
    /// The host itself goes on with it.
    Machine,
}

impl PromptSource {
    /// Returns the name of the source.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Program => "program",
            Self::Machine => "machine",
        }
    }
}

/// A prompt event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The prompt as the host submits it; may be empty.
    pub prompt: String,
    /// The host's working directory.
    pub cwd: Option<String>,
    /// The host's id for the session.
    pub session_id: Option<String>,
    /// The prompt as the host rewrote it for the model.
    pub transformed_prompt: Option<String>,
    /// The file in which the host keeps the conversation.
    pub transcript_path: Option<String>,
    /// Who has submitted the prompt.
    pub source: PromptSource,
    /// Whether this version of the host may drop the answer; `None` for a host that drops none.
    pub may_drop_answer: Option<bool>,
}

impl Host {
    /// Returns the host with this name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let known = HOSTS.iter().find(|facts| facts.name == name).map(Self);
        known.ok_or_else(|| Error::UnknownName { kind: "host", name: name.into(), known: &HOST_NAMES })
    }

    /// Returns the host's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns how many characters a block for the host may have.
    #[must_use]
    pub fn budget_chars(self) -> usize {
        self.0.max_chars
    }

    /// Whether the host keeps the memory blocks of earlier prompts in the agent's context, and sends an event when it
    /// drops them.
    #[must_use]
    pub fn keeps_context(self) -> bool {
        self.0.context == KeptContext::Kept
    }

    /// Whether only the host's transcript shows which blocks of earlier prompts are still in the agent's context.
    #[must_use]
    pub fn shows_context(self) -> bool {
        self.0.context == KeptContext::Transcript
    }

    /// Whether the host shows messages of a hook to the user.
    #[must_use]
    pub fn shows_notices(self) -> bool {
        self.0.shows_notices
    }

    /// Returns the text for standard output that gives a block to the agent; empty for an empty block.
    ///
    /// A host whose whole prompt is replaced by the answer gets an empty one without its `transformed_prompt`.
    #[must_use]
    pub fn write_answer(self, block: &str, transformed_prompt: Option<&str>) -> String {
        let text = block.trim_end_matches('\n');
        match (self.0.answer, transformed_prompt) {
            _ if block.is_empty() => String::new(),
            (AnswerForm::Text, _) => block.to_owned(),
            (AnswerForm::Json { has_prompt: true, .. }, None) => String::new(),
            (AnswerForm::Json { before, after, has_prompt: true }, Some(prompt)) => {
                format!("{before}{}{after}\n", quote(&format!("{prompt}\n\n{text}")))
            }
            (AnswerForm::Json { before, after, has_prompt: false }, _) => format!("{before}{}{after}\n", quote(text)),
        }
    }

    /// Returns the text for standard output that keeps a tool from running, or with the decision `ask` asks the user.
    #[must_use]
    pub fn write_refusal(self, decision: &str, reason: &str) -> String {
        let (before, after) = self.form_in(&REFUSALS).split_once("REASON").unwrap_or_default();
        format!("{}{}{after}\n", before.replacen("DECISION", &quote(decision), 1), quote(reason))
    }

    /// Returns the text for standard output that gives a block to the agent at the event of a tool; empty for an empty
    /// block.
    #[must_use]
    pub fn write_tool_context(self, event: &str, block: &str) -> String {
        if block.is_empty() {
            return String::new();
        }
        let (before, after) = self.form_in(&TOOL_CONTEXTS).split_once("BLOCK").unwrap_or_default();
        format!("{}{}{after}\n", before.replacen("EVENT", &quote(event), 1), quote(block.trim_end_matches('\n')))
    }

    /// Whether the host is Claude Code, whose answers to the events of tools have more members than those of others.
    #[must_use]
    pub fn is_default(self) -> bool {
        self == Self::default()
    }

    /// Returns the text for standard output that changes the input of a tool to this JSON text; empty if the host has no
    /// such answer.
    #[must_use]
    pub fn write_new_input(self, input: &str) -> String {
        let form = NEW_INPUTS.row(self.name()).and_then(|form| form.split_once("INPUT"));
        form.map(|(before, after)| format!("{before}{input}{after}\n")).unwrap_or_default()
    }

    /// Whether an event of the host reaches the agent where the answer to a prompt may not have (SPEC 30.7).
    #[must_use]
    pub fn is_carrier(self, event: &str) -> bool {
        CARRIERS.row(self.name()).is_some_and(|events| events.split(' ').any(|known| known == event))
    }

    fn form_in(self, forms: &'static Keyed) -> &'static str {
        forms.row(self.name()).or_else(|| forms.row(Self::default().name())).unwrap_or_default()
    }
}

/// Reads the event of a prompt of a host. The prompt is the first of `prompt`, `user_prompt` and `userPromptSubmit.prompt` that is not empty. It is an error
/// if the payload is not a JSON object, has none of these three, or has a value other than text in a field of Claude
/// Code. The prompt may also be a list of parts, whose texts are joined by line feeds.
pub fn read_payload(data: &[u8], host: Host) -> Result<Payload, Error> {
    let payload = read_object(data)?;
    let parts = join_parts(payload.get("prompt"));
    for field in TEXT_FIELDS.iter() {
        let is_parts = field == "prompt" && parts.is_some();
        if !is_parts && !matches!(payload.get(field), None | Some(Json::Null | Json::Text(_))) {
            return Err(Error::Payload(PayloadProblem::NotString(field)));
        }
    }
    let text = |field| payload.get(field).and_then(Json::as_text);
    let nested = payload.get("userPromptSubmit").and_then(|submitted| submitted.get("prompt")).and_then(Json::as_text);
    let prompts = [text("prompt").or(parts.as_deref()), text("user_prompt"), nested];
    if prompts == [None; 3] {
        return Err(Error::Payload(PayloadProblem::NoPrompt));
    }
    let prompt = prompts.into_iter().flatten().find(|prompt| !prompt.is_empty()).unwrap_or_default();
    Ok(Payload {
        prompt: prompt.to_owned(),
        cwd: check_cwd(cwd_in(&payload))?.map(str::to_owned),
        session_id: session_in(&payload).map(str::to_owned),
        transformed_prompt: text("transformedPrompt").map(str::to_owned),
        transcript_path: text("transcript_path").map(str::to_owned),
        source: source_of(&payload, host),
        may_drop_answer: may_drop_answer(&payload, host),
    })
}

/// Returns the id of the session in a payload of any host.
pub(crate) fn session_in(payload: &Json) -> Option<&str> {
    SESSION_FIELDS.iter().find_map(|field| payload.get(field).and_then(Json::as_text))
}

/// Whether the version of a host that sent a prompt may drop the answer (SPEC 12.7); `None` for a host that drops none.
fn may_drop_answer(payload: &Json, host: Host) -> Option<bool> {
    let (member, changes) = DROPPED_ANSWERS.row(host.name())?.split_once(' ')?;
    let version = numbers_of(payload.get(member).and_then(Json::as_text).unwrap_or_default());
    Some(changes.split(' ').filter(|change| numbers_of(change) <= version).count() % 2 == 0)
}

/// Returns the numbers between dots with which a version begins.
fn numbers_of(version: &str) -> Vec<u32> {
    let end = version.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(version.len());
    version[..end].split('.').map_while(|number| number.parse().ok()).collect()
}

/// Returns the texts of a prompt that is a list of parts; `None` if it is none.
fn join_parts(prompt: Option<&Json>) -> Option<String> {
    let Some(Json::List(parts)) = prompt else { return None };
    let of_text = |part: &&Json| part.get("type").and_then(Json::as_text) == Some("text");
    let texts = parts.iter().filter(of_text).filter_map(|part| part.get("text")?.as_text());
    Some(texts.collect::<Vec<_>>().join("\n"))
}

/// Returns who has submitted the prompt of an event.
fn source_of(payload: &Json, host: Host) -> PromptSource {
    let is_text = |member: &str| payload.get(member).and_then(Json::as_text).is_some();
    if TYPED_MEMBERS.row(host.name()).is_some_and(|member| !is_text(member)) {
        return PromptSource::Machine;
    }
    match payload.get("source").and_then(Json::as_text).and_then(|source| PROMPT_SOURCES.row(source)) {
        _ if AGENT_MEMBERS.iter().any(is_text) => PromptSource::Program,
        Some("program") => PromptSource::Program,
        Some("machine") => PromptSource::Machine,
        _ => PromptSource::Typed,
    }
}

/// Returns the working directory in an event of any host, if it is not that of this process.
pub(crate) fn other_cwd(data: &[u8]) -> Option<String> {
    // Most payloads name the folder of this process plainly and once. To parse them here would double the work.
    if names_own_cwd(data).is_some() {
        return None;
    }
    let payload = read_object(data).ok()?;
    let cwd = cwd_in(&payload).filter(|cwd| !cwd.is_empty())?;
    (cwd.len() <= MAX_CWD_BYTES).then(|| cwd.to_owned())
}

/// Returns the working directory in a payload: `cwd`, or where that is empty or absent, the first folder of the workspace.
pub(crate) fn cwd_in(payload: &Json) -> Option<&str> {
    let cwd = payload.get("cwd").and_then(Json::as_text);
    cwd.filter(|cwd| !cwd.is_empty()).or_else(|| first_root(payload)).or(cwd)
}

/// Returns something if a payload names the working directory of this process as its only `cwd`, without escapes.
fn names_own_cwd(data: &[u8]) -> Option<()> {
    if ROOTS_FIELDS.iter().any(|field| memchr::memmem::find(data, field.as_bytes()).is_some()) {
        return None;
    }
    let mut places = memchr::memmem::find_iter(data, b"\"cwd\"");
    let place = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let value = data.get(place + b"\"cwd\"".len()..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"")?;
    let value = value.get(..memchr::memchr(b'"', value)?)?;
    let cwd = std::str::from_utf8(value).ok().filter(|cwd| !cwd.contains('\\'))?;
    std::env::current_dir().is_ok_and(|own| own == Path::new(cwd)).then_some(())
}

/// Returns the working directory. A path that is longer than any system allows is an error, because every component of
/// a path costs a call to the file system.
pub(crate) fn check_cwd(cwd: Option<&str>) -> Result<Option<&str>, Error> {
    match cwd {
        Some(cwd) if cwd.len() > MAX_CWD_BYTES => Err(Error::Payload(PayloadProblem::TooLong("cwd"))),
        _ => Ok(cwd),
    }
}

/// Returns the first folder of the workspace, if the payload has any.
fn first_root(payload: &Json) -> Option<&str> {
    ROOTS_FIELDS.iter().find_map(|field| match payload.get(field) {
        Some(Json::List(roots)) => roots.first().and_then(Json::as_text).map(local_path),
        _ => None,
    })
}

/// Returns a folder of the workspace without the slash that Cursor puts before the drive on Windows: `/c:/work`.
fn local_path(root: &str) -> &str {
    match root.as_bytes() {
        [b'/', drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => root.get(1..).unwrap_or(root),
        _ => root,
    }
}

/// Parses the JSON object that a host sent; an error for any other data.
pub(crate) fn read_object(data: &[u8]) -> Result<Json, Error> {
    if data.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        return Err(Error::Payload(PayloadProblem::Empty));
    }
    let payload = read_json(data).map_err(|_| Error::Payload(PayloadProblem::NotJson))?;
    if matches!(payload, Json::Object(_)) { Ok(payload) } else { Err(Error::Payload(PayloadProblem::NotObject)) }
}

/// Whether a prompt, such as a greeting, has fewer than 10 characters without the blanks around it. The prompt is
/// composed, and a character of Hangul, Han or kana counts as two.
#[must_use]
pub fn is_too_short(prompt: &str) -> bool {
    let is_wide = |char: char| !char.is_ascii() && matches!(classify(char), Kind::Hangul | Kind::Ideographs);
    let text = full_forms(strip(prompt));
    let widths = text.chars().take(MIN_PROMPT_CHARS).map(|char| 1 + usize::from(is_wide(char)));
    widths.sum::<usize>() < MIN_PROMPT_CHARS
}
