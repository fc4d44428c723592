//! The lines of a ledger (SPEC 56.2): what they say together, and how they are written.

use crate::capture::entry::{Entry, EntryKind, Sign};
use crate::capture::record::{list_of, text_of};
use crate::text::json_reader::{Json, read_json};
use crate::text::json_writer::quote;

/// A ledger has at most so many bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// So many of them are left where it would become longer.
const KEPT_BYTES: usize = 1 << 19;
/// So often an agent is asked about an entry.
const MAX_ASKS: usize = 3;
/// How an ask is completed that nobody has answered: its claim was given back.
pub const GIVEN_BACK: &str = "given_back";

/// What the lines of a ledger say together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Up to where the transcript was read.
    pub position: i64,
    /// What is added to a byte of the transcript.
    pub base: i64,
    /// The file name of the transcript.
    pub transcript: String,
    /// All entries, in their order.
    pub entries: Vec<Entry>,
    /// The asks that count, in their order.
    pub asks: Vec<Ask>,
    /// Whether the session has ended.
    pub is_ended: bool,
    /// Whether the ledgers of earlier sessions were looked at.
    pub has_looked: bool,
}

/// An agent was asked about some entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Its name.
    pub id: String,
    /// Why.
    pub cause: String,
    /// The session that was asked.
    pub by: String,
    /// The position of the first entry.
    pub from: i64,
    /// The position behind the last one.
    pub to: i64,
    /// How it was completed; empty while it was not.
    pub how: String,
}

/// What one event has added.
pub struct Part<'a> {
    /// When, in the form of the log.
    pub time: &'a str,
    /// The host's name.
    pub host: &'a str,
    /// The file name of the transcript.
    pub transcript: &'a str,
    /// What is added to a byte of the transcript.
    pub base: i64,
    /// From where the transcript was read.
    pub from: i64,
    /// Up to where.
    pub to: i64,
    /// Whether the ledgers of earlier sessions were looked at.
    pub is_stop: bool,
    /// What was found.
    pub entries: &'a [Entry],
}

impl Ask {
    fn covers(&self, at: i64) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// Whether what it is about is dealt with.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        !self.how.is_empty() && self.how != GIVEN_BACK
    }
}

impl Ledger {
    /// What the lines of a file say.
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

    /// The position behind all entries that the session itself was asked about.
    #[must_use]
    pub fn asked(&self, session: &str) -> i64 {
        self.asks.iter().filter(|ask| ask.by == session).map(|ask| ask.to).max().unwrap_or_default()
    }

    /// The entries that the session itself was not asked about.
    pub fn open_entries(&self, session: &str) -> impl Iterator<Item = &Entry> {
        let asked = self.asked(session);
        self.entries.iter().filter(move |entry| entry.at >= asked)
    }

    /// The entries that no ask was completed about, and that were asked about less than three times.
    pub fn left_entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| self.is_left(entry.at))
    }

    fn is_left(&self, at: i64) -> bool {
        let asks = || self.asks.iter().filter(|ask| ask.covers(at));
        !asks().any(Ask::is_completed) && asks().count() < MAX_ASKS
    }

    /// The asks of a session that nobody has answered.
    pub fn pending(&self, session: &str) -> impl Iterator<Item = &Ask> {
        let session = session.to_owned();
        self.asks.iter().filter(move |ask| ask.by == session && ask.how.is_empty())
    }

    /// Whether the agent of the session was asked after all prompts: what it says is an answer.
    #[must_use]
    pub fn is_answering(&self, session: &str) -> bool {
        let asks = || self.asks.iter().filter(|ask| ask.by == session);
        let is_prompt = |entry: &Entry| matches!(entry.kind, EntryKind::Prompt { .. });
        asks().next().is_some()
            && !self.entries.iter().any(|entry| is_prompt(entry) && entry.at >= self.answered(session))
    }

    /// The position at which the session was asked last.
    fn answered(&self, session: &str) -> i64 {
        self.asks.iter().filter(|ask| ask.by == session).map(|ask| ask.to).max().unwrap_or_default()
    }

    /// What the agent said last, whether it offers a choice, and how often it has changed files since the last prompt.
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

    /// The commands that fail, and how often they have.
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

    /// Whether the user has typed exactly this.
    #[must_use]
    pub fn has_prompt(&self, typed: &str) -> bool {
        self.entries.iter().any(|entry| matches!(&entry.kind, EntryKind::Prompt { text, .. } if text == typed))
    }
}

impl Part<'_> {
    /// Its line, with LF.
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

/// The line of an ask, with LF.
#[must_use]
pub fn ask_line(ask: &Ask, time: &str) -> String {
    let Ask { id, cause, by, from, to, .. } = ask;
    let (id, cause, by, time) = (quote(id), quote(cause), quote(by), quote(time));
    format!(
        "{{\"v\":1,\"kind\":\"ask\",\"time\":{time},\"id\":{id},\"cause\":{cause},\"by\":{by},\"from\":{from},\
         \"to\":{to}}}\n"
    )
}

/// The line that completes an ask, with LF.
#[must_use]
pub fn done_line(id: &str, how: &str, time: &str) -> String {
    format!("{{\"v\":1,\"kind\":\"done\",\"time\":{},\"id\":{},\"how\":{}}}\n", quote(time), quote(id), quote(how))
}

/// The line that ends a session, with LF.
#[must_use]
pub fn end_line(time: &str) -> String {
    format!("{{\"v\":1,\"kind\":\"end\",\"time\":{}}}\n", quote(time))
}

/// The lines of a file that still count, where it has become too long: those with an entry that is left, the asks, and the
/// last part, which has the position.
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
