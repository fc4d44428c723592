//! The table of hosts: what their protocols are like (SPEC 12). It is read when the code is compiled.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_sign_loss,
    clippy::panic,
    reason = "the compiler works here: it reports an index out of bounds, and a wrong table"
)]

use crate::tables::{
    Entries, Keyed, as_text, find_number, find_place, find_word, is_same, keyed_rows, rows, table, words,
};

/// What the protocol of a host is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostFacts {
    /// The host's name.
    pub name: &'static str,
    /// How many characters a block for the host may have.
    pub max_chars: usize,
    /// What becomes of the blocks of earlier prompts.
    pub context: KeptContext,
    /// Whether the host shows messages of a hook to the user.
    pub shows_notices: bool,
    /// The form of the answer.
    pub answer: AnswerForm,
}

/// What becomes of the blocks of earlier prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptContext {
    /// They stay in the agent's context until an event says otherwise.
    Kept,
    /// Only the transcript shows which of them are still in the context.
    Transcript,
    /// Nothing says which of them are still in the context.
    Lost,
}

/// The form of the answer that gives a block to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// The block as it is.
    Text,
    /// JSON with a string between these two texts.
    Json {
        /// The text before the string.
        before: &'static str,
        /// The text after the string.
        after: &'static str,
        /// Whether the string has the prompt in the host's rewritten form before the block.
        has_prompt: bool,
    },
}

const ROWS: Entries = rows!("hosts", "hosts");
const COUNT: usize = ROWS.len();

/// The hosts; the first is the default.
pub static HOSTS: [HostFacts; COUNT] = read_hosts();

/// The names of the hosts, in the same order.
pub static HOST_NAMES: [&str; COUNT] = {
    let (hosts, mut names, mut number) = (read_hosts(), [""; COUNT], 0);
    while number < COUNT {
        names[number] = hosts[number].name;
        number += 1;
    }
    names
};

/// What hosts say about who has submitted a prompt: the user (`typed`), a `program`, or a `machine`.
pub static PROMPT_SOURCES: Keyed = keyed_rows!("hosts", "prompt_sources");
/// Hosts, each with the member that only the events of typed prompts have.
pub static TYPED_MEMBERS: Keyed = keyed_rows!("hosts", "typed_members");
/// Hosts that drop the answer to a prompt in some versions: the member with the version, and the versions at which that
/// changes.
pub static DROPPED_ANSWERS: Keyed = keyed_rows!("hosts", "dropped_answers");
/// The events of these hosts that carry a dropped answer to the agent.
pub static CARRIERS: Keyed = keyed_rows!("hosts", "carriers");
/// The members that only the prompt of a subagent has.
pub const AGENT_MEMBERS: Entries = words!("hosts", "agent_members");
/// Hosts that let a hook change the input of a tool, each with the form of the answer.
pub static NEW_INPUTS: Keyed = keyed_rows!("hosts", "new_inputs");
/// Hosts, each with the files that it shows its agent by itself.
pub static SHOWN_FILES: Keyed = keyed_rows!("hosts", "shown_files");
/// The events around a tool: whether an event comes `before` the tool runs, `after` it has run, or after it has `failed`.
pub static TOOL_EVENTS: Keyed = keyed_rows!("hosts", "tool_events");
/// The hosts that stop a tool in a form of their own, and that form; the first row is the form of all others.
pub static REFUSALS: Keyed = keyed_rows!("hosts", "refusals");
/// The hosts that take a block at the event of a tool in a form of their own, and that form; the first row is the form of
/// all others.
pub static TOOL_CONTEXTS: Keyed = keyed_rows!("hosts", "tool_contexts");
/// Hosts whose events do not name the transcript, each with its place below the user's home folder.
pub static TRANSCRIPTS: Keyed = keyed_rows!("hosts", "transcripts");

/// What the help page says about the option that names a host.
pub const HELP: &str = table!("hosts", "help");

/// The fields of Claude Code, which have text, null or no value.
pub const TEXT_FIELDS: Entries = words!("hosts", "text_fields");
/// The fields with the id of a session.
pub const SESSION_FIELDS: Entries = words!("hosts", "session_fields");
/// The fields with the folders of a workspace.
pub const ROOTS_FIELDS: Entries = words!("hosts", "roots_fields");
/// The tags in which a host submits a text of its own as a prompt.
pub(crate) const MACHINE_TAGS: Entries = words!("hosts", "machine_tags");
/// The beginnings of other texts that a host or a hook writes in the user's name.
pub(crate) const NOTICES: Entries = rows!("hosts", "notices");
/// The tags of the blocks that hosts and hooks put into a prompt.
pub(crate) const INSERTED_TAGS: Entries = words!("hosts", "inserted_tags");
/// The beginnings of what stands in a prompt for a picture, a pasted text or a file.
pub(crate) const PLACEHOLDERS: Entries = rows!("hosts", "placeholders");
/// The first lines of a text that has the prompt behind a heading.
pub(crate) const INTRODUCTIONS: Entries = rows!("hosts", "introductions");
/// The headings before the prompt.
pub(crate) const REQUEST_HEADINGS: Entries = rows!("hosts", "request_headings");
/// The line before the contents of the files that a prompt names.
pub(crate) const REFERENCES: &str = table!("hosts", "references");
/// What Gemini CLI writes in the model's name behind the summary of a compressed conversation.
pub const SUMMARY_SIGN: &str = table!("hosts", "summary_sign");
/// The commands of hosts whose text is not for the agent. One that ends with a colon stands for all that begin with it.
pub(crate) const COMMANDS_WITHOUT_TEXT: Entries = words!("hosts", "commands_without_text");
/// The beginning of the request for memories (docs/reference/ledger.md), which Copilot CLI submits as a prompt. A blank follows.
pub(crate) const REQUEST: &str = table!("hosts", "request");

const fn read_hosts() -> [HostFacts; COUNT] {
    const EMPTY: HostFacts = HostFacts {
        name: "",
        max_chars: 0,
        context: KeptContext::Lost,
        shows_notices: false,
        answer: AnswerForm::Text,
    };
    let (mut hosts, mut number) = ([EMPTY; COUNT], 0);
    while number < COUNT {
        let row = as_text(ROWS.bytes(number));
        hosts[number] = HostFacts {
            name: find_word(row, 0),
            max_chars: find_number(row, 1) as usize,
            context: read_context(find_word(row, 2)),
            shows_notices: is_same(find_word(row, 3), "shown"),
            answer: read_answer(find_word(row, 4)),
        };
        number += 1;
    }
    hosts
}

const fn read_context(word: &str) -> KeptContext {
    if is_same(word, "kept") {
        KeptContext::Kept
    } else if is_same(word, "transcript") {
        KeptContext::Transcript
    } else if is_same(word, "lost") {
        KeptContext::Lost
    } else {
        panic!("a host has an unknown word for what becomes of earlier blocks")
    }
}

const fn read_answer(form: &'static str) -> AnswerForm {
    const BLOCK: &str = "BLOCK";
    const PROMPT: &str = "PROMPT+";
    let Some(place) = find_place(form, BLOCK) else { panic!("the answer of a host has no block") };
    let (text, end) = (form.as_bytes(), place + BLOCK.len());
    let after = as_text(text.split_at(end).1);
    match find_place(form, PROMPT) {
        Some(prompt) => {
            assert!(prompt + PROMPT.len() == place, "the block does not follow the prompt");
            AnswerForm::Json { before: as_text(text.split_at(prompt).0), after, has_prompt: true }
        }
        None if place == 0 => AnswerForm::Text,
        None => AnswerForm::Json { before: as_text(text.split_at(place).0), after, has_prompt: false },
    }
}
