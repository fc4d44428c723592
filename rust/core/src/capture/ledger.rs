//! Reads and writes the lines of a ledger (SPEC 56.2).

use crate::capture::entry::{Entry, EntryKind, Sign};
use crate::capture::record::{list_of, text_of};
use crate::text::json_reader::{Json, read_json};
use crate::text::json_writer::quote;

/// The maximal size of a ledger in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// The size in bytes to which a ledger is shortened when it would exceed [`MAX_BYTES`].
const KEPT_BYTES: usize = 1 << 19;
/// The maximal number of asks (requests to an agent) about one entry.
const MAX_ASKS: usize = 3;
/// The value of [`Ask::how`] for a request that was withdrawn without an answer: agents may be asked about its entries
/// again.
pub const GIVEN_BACK: &str = "given_back";

/// The state of a session, read from the lines of its ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The position up to which the transcript was read.
    pub position: i64,
    /// The number that is added to a byte offset in the transcript to get a position in the ledger.
    pub base: i64,
    /// The file name of the transcript.
    pub transcript: String,
    /// All entries, in the order of their lines.
    pub entries: Vec<Entry>,
    /// The requests to agents, in the order of their lines. A request that overlaps an earlier request to the same
    /// agent is left out.
    pub asks: Vec<Ask>,
    /// Whether the session has ended.
    pub is_ended: bool,
    /// Whether the session has already searched the ledgers of earlier sessions for entries to ask about.
    pub has_looked: bool,
}

/// One request to an agent to look at some entries and draft memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The unique name of the request.
    pub id: String,
    /// Why the agent was asked: the name of a [`Cause`](crate::capture::moments::Cause).
    pub cause: String,
    /// The session whose agent was asked.
    pub by: String,
    /// The position of the first entry that the request covers.
    pub from: i64,
    /// The position after the last entry that the request covers.
    pub to: i64,
    /// How the ask ended, such as `drafts` or [`GIVEN_BACK`]; empty while it has not ended.
    pub how: String,
}

/// A part: the ledger line that one host event adds.
pub struct Part<'a> {
    /// The time of the event, in the format of the event log.
    pub time: &'a str,
    /// The host's name.
    pub host: &'a str,
    /// The file name of the transcript.
    pub transcript: &'a str,
    /// The number that is added to a byte offset in the transcript to get a position in the ledger.
    pub base: i64,
    /// The position from which the transcript was read.
    pub from: i64,
    /// The position up to which the transcript was read.
    pub to: i64,
    /// Whether the ledgers of earlier sessions were searched for entries to ask about.
    pub is_stop: bool,
    /// The new entries.
    pub entries: &'a [Entry],
}

impl Ask {
    fn covers(&self, at: i64) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// Whether the request was completed, and not withdrawn.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        !self.how.is_empty() && self.how != GIVEN_BACK
    }
}

impl Ledger {
    /// Reads the lines of a ledger file; lines that are not valid JSON are ignored.
    #[must_use]
    pub fn read(data: &[u8]) -> Self {
        let mut ledger = Self::default();
        let mut has_part = false;
        for line in data.split(|byte| *byte == b'\n') {
            if let Ok(line) = read_json(line) {
                ledger.add(&line, &mut has_part);
            }
        }
        ledger
    }

    fn add(&mut self, line: &Json, has_part: &mut bool) {
        let number = |name: &str| match line.get(name) {
            Some(Json::Integer(number)) => Some(*number),
            _ => None,
        };
        match text_of(line, "kind") {
            "part" => {
                let (Some(from), Some(to), Some(base)) = (number("from"), number("to"), number("base")) else { return };
                if *has_part && from < self.position {
                    return;
                }
                *has_part = true;
                (self.position, self.base) = (to, base);
                text_of(line, "transcript").clone_into(&mut self.transcript);
                self.entries.extend(list_of(line, "entries").iter().filter_map(Entry::read));
                self.has_looked |= line.get("is_stop") == Some(&Json::Bool(true));
                self.is_ended = false;
            }
            "ask" => {
                let (Some(from), Some(to)) = (number("from"), number("to")) else { return };
                let text = |name: &str| text_of(line, name).to_owned();
                let (id, by) = (text("id"), text("by"));
                let meets = |ask: &Ask| ask.id == id || (ask.by == by && ask.from < to && from < ask.to);
                if !self.asks.iter().any(meets) {
                    self.asks.push(Ask { id, cause: text("cause"), by, from, to, how: String::new() });
                }
            }
            "done" => {
                let (id, how) = (text_of(line, "id"), text_of(line, "how"));
                if let Some(ask) = self.asks.iter_mut().find(|ask| ask.id == id && !ask.is_completed()) {
                    how.clone_into(&mut ask.how);
                }
            }
            "end" => self.is_ended = true,
            _ => {}
        }
    }

    /// The position after the last entry that the session's own agent was asked about; 0 if it was not asked.
    #[must_use]
    pub fn asked(&self, session: &str) -> i64 {
        self.asks.iter().filter(|ask| ask.by == session).map(|ask| ask.to).max().unwrap_or_default()
    }

    /// The entries that the session's own agent was not asked about yet.
    pub fn open_entries(&self, session: &str) -> impl Iterator<Item = &Entry> {
        let asked = self.asked(session);
        self.entries.iter().filter(move |entry| entry.at >= asked)
    }

    /// The entries that no completed request covers and that fewer than three requests cover.
    pub fn left_entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| self.is_left(entry.at))
    }

    fn is_left(&self, at: i64) -> bool {
        let asks = || self.asks.iter().filter(|ask| ask.covers(at));
        !asks().any(Ask::is_completed) && asks().count() < MAX_ASKS
    }

    /// The asks (requests for drafts) to this session's agent that have not ended yet.
    pub fn pending(&self, session: &str) -> impl Iterator<Item = &Ask> {
        let session = session.to_owned();
        self.asks.iter().filter(move |ask| ask.by == session && ask.how.is_empty())
    }

    /// Whether the session's agent was asked after the last prompt, so that its next text answers the request.
    #[must_use]
    pub fn is_answering(&self, session: &str) -> bool {
        let asks = || self.asks.iter().filter(|ask| ask.by == session);
        let is_prompt = |entry: &Entry| matches!(entry.kind, EntryKind::Prompt { .. });
        asks().next().is_some() && !self.entries.iter().any(|entry| is_prompt(entry) && entry.at >= self.asked(session))
    }

    /// The agent's text since the last prompt, whether it offers a choice, and the number of file edits since that
    /// prompt; empty, false and 0 if there is no such text.
    #[must_use]
    pub fn last_agent(&self) -> (&str, bool, i64) {
        for entry in self.entries.iter().rev() {
            match &entry.kind {
                EntryKind::Agent { text, signs, edits } => return (text, signs.contains(&Sign::OffersChoice), *edits),
                EntryKind::Prompt { .. } => break,
                _ => {}
            }
        }
        ("", false, 0)
    }

    /// The commands that have failed and not passed since, each with its number of failures.
    #[must_use]
    pub fn failing(&self) -> Vec<(&str, i64)> {
        let mut failing: Vec<(&str, i64)> = Vec::new();
        for entry in &self.entries {
            let (EntryKind::Failed { command, tries } | EntryKind::Passed { command, tries }) = &entry.kind else {
                continue;
            };
            failing.retain(|(before, _)| before != command);
            if matches!(entry.kind, EntryKind::Failed { .. }) {
                failing.push((command, *tries));
            }
        }
        failing
    }

    /// Whether the ledger contains a prompt with exactly this text.
    #[must_use]
    pub fn has_prompt(&self, typed: &str) -> bool {
        self.entries.iter().any(|entry| matches!(&entry.kind, EntryKind::Prompt { text, .. } if text == typed))
    }
}

impl Part<'_> {
    /// The part as a JSON line, with LF.
    #[must_use]
    pub fn to_line(&self) -> String {
        let (time, host, transcript) = (quote(self.time), quote(self.host), quote(self.transcript));
        let entries = self.entries.iter().map(Entry::to_json).collect::<Vec<_>>().join(",");
        let Self { base, from, to, is_stop, .. } = self;
        format!(
            "{{\"v\":1,\"kind\":\"part\",\"time\":{time},\"host\":{host},\"transcript\":{transcript},\"base\":{base},\
             \"from\":{from},\"to\":{to},\"is_stop\":{is_stop},\"entries\":[{entries}]}}\n"
        )
    }
}

/// The JSON line that records a request to an agent (an [`Ask`]), with LF.
#[must_use]
pub fn ask_line(ask: &Ask, time: &str) -> String {
    let Ask { id, cause, by, from, to, .. } = ask;
    let (id, cause, by, time) = (quote(id), quote(cause), quote(by), quote(time));
    format!(
        "{{\"v\":1,\"kind\":\"ask\",\"time\":{time},\"id\":{id},\"cause\":{cause},\"by\":{by},\"from\":{from},\
         \"to\":{to}}}\n"
    )
}

/// The JSON line that records how a request to an agent (an [`Ask`]) ended, with LF. `id` is the id of the request.
#[must_use]
pub fn done_line(id: &str, how: &str, time: &str) -> String {
    format!("{{\"v\":1,\"kind\":\"done\",\"time\":{},\"id\":{},\"how\":{}}}\n", quote(time), quote(id), quote(how))
}

/// The JSON line that records the end of a session, with LF.
#[must_use]
pub fn end_line(time: &str) -> String {
    format!("{{\"v\":1,\"kind\":\"end\",\"time\":{}}}\n", quote(time))
}

/// Shortens a ledger that is too long to about `KEPT_BYTES`. First, parts are removed if no agent will be asked about
/// their entries again. Then the oldest lines are removed. The last part is always kept, because it contains the
/// position up to which the transcript was read.
#[must_use]
pub fn shorten(data: &[u8]) -> Vec<u8> {
    let ledger = Ledger::read(data);
    let lines: Vec<(&[u8], Json)> =
        data.split(|byte| *byte == b'\n').filter_map(|line| read_json(line).ok().map(|value| (line, value))).collect();
    let is_part = |value: &Json| text_of(value, "kind") == "part";
    let last = lines.iter().rposition(|(_, value)| is_part(value)).unwrap_or_default();
    let counts = |place: usize, value: &Json| {
        let mut entries = list_of(value, "entries").iter().filter_map(Entry::read);
        place == last || !is_part(value) || entries.any(|entry| ledger.is_left(entry.at))
    };
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut size = 0;
    for (place, (line, value)) in lines.iter().enumerate().rev() {
        if counts(place, value) && (place == last || size + line.len() < KEPT_BYTES) {
            size += line.len() + 1;
            kept.push(line);
        }
    }
    let mut shortened = Vec::with_capacity(size);
    for line in kept.into_iter().rev() {
        shortened.extend_from_slice(line);
        shortened.push(b'\n');
    }
    shortened
}
