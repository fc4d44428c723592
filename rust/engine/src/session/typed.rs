//! The facts about typed prompts in the file of a session, which tell whether a stop has anything to do (SPEC 30.5).

use cuecard_core::rank::typed_prompt::{is_substantial, may_say_remember};
use std::fmt::Write;

/// The letters of the flags in their order in the file.
const FLAGS: [char; 7] = ['w', 'c', 'a', 'l', 'r', 'e', 'n'];
const NO_FLAG: &str = "-";

/// What is known of the prompts of a session since its agent was last asked for memories; nothing of their text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a letter in the file")]
pub struct Typed {
    /// How many prompts may be substantial.
    pub open: u32,
    /// How many of them were there when Python read the transcript last.
    pub read: u32,
    /// With fewer of them than this, a stop has nothing to ask about.
    pub next: u32,
    /// Whether a prompt may be a wish to remember something.
    pub is_wish: bool,
    /// Whether the conversation was compacted.
    pub is_compacted: bool,
    /// Whether the agent was asked, and its answer is not recorded yet.
    pub is_asked: bool,
    /// Whether a stop has looked at what earlier sessions left.
    pub has_looked: bool,
    /// Whether Python has read the ledger of the session since this file was begun.
    pub is_read: bool,
    /// Whether the session has ended, and nothing was typed since.
    pub has_ended: bool,
    /// Whether recall has not used the session yet.
    pub is_unused: bool,
    /// The host, and the path of its transcript; empty if the host has named none.
    pub host: String,
    /// The path of the transcript.
    pub transcript: String,
}

impl Typed {
    /// Reads the two values of the lines `typed` and `transcript`; `None` if the first is malformed.
    pub(crate) fn read(counts: &str, transcript: &str) -> Option<Self> {
        let mut words = counts.split(' ');
        let (open, read, next, flags) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
        let (host, transcript) = transcript.split_once(' ').unwrap_or_default();
        let typed = Self {
            host: host.to_owned(),
            transcript: transcript.to_owned(),
            ..Self::of(number(open)?, number(read)?, number(next)?, flags)
        };
        (words.next().is_none() && typed.flags() == flags).then_some(typed)
    }

    /// Returns the facts with these counts and letters of flags.
    #[must_use]
    pub fn of(open: u32, read: u32, next: u32, flags: &str) -> Self {
        let has = |flag: char| flags.contains(flag);
        let [is_wish, is_compacted, is_asked, has_looked, is_read, has_ended, is_unused] = FLAGS.map(has);
        Self {
            open,
            read,
            next,
            is_wish,
            is_compacted,
            is_asked,
            has_looked,
            is_read,
            has_ended,
            is_unused,
            host: String::new(),
            transcript: String::new(),
        }
    }

    /// Returns the lines for the session's file, each with LF.
    pub(crate) fn to_lines(&self) -> String {
        let Self { open, read, next, host, transcript, .. } = self;
        let mut lines = format!("typed {open} {read} {next} {}\n", self.flags());
        if !transcript.is_empty() && !transcript.contains('\n') {
            let _ = writeln!(lines, "transcript {host} {transcript}");
        }
        lines
    }

    /// Returns the letters of the flags that are set.
    #[must_use]
    pub fn flags(&self) -> String {
        let set = [
            self.is_wish,
            self.is_compacted,
            self.is_asked,
            self.has_looked,
            self.is_read,
            self.has_ended,
            self.is_unused,
        ];
        let flags: String = FLAGS.into_iter().zip(set).filter_map(|(flag, is_set)| is_set.then_some(flag)).collect();
        if flags.is_empty() { NO_FLAG.into() } else { flags }
    }

    /// Counts a prompt that was typed. Both facts are upper bounds: what others said in a quotation counts too.
    pub fn note(&mut self, prompt: &str) {
        self.has_ended = false;
        self.is_wish |= may_say_remember(prompt);
        if is_substantial(prompt) {
            self.open = self.open.saturating_add(1);
        }
    }

    /// Whether a stop must start Python because of these facts. With `may_ask` the agent may be asked at this stop, and
    /// it is asked after `every` substantial prompts.
    #[must_use]
    pub fn is_due(&self, may_ask: bool, every: u32) -> bool {
        let has_many = self.open >= every.max(self.next);
        self.is_asked || (may_ask && (self.is_wish || (self.is_compacted && self.open > 0) || has_many))
    }

    /// Takes the facts as dealt with, so that no stop starts Python again until something new was typed.
    pub fn give_up(&mut self) {
        (self.read, self.next) = (self.open, self.open.saturating_add(1));
        (self.is_wish, self.is_compacted, self.is_asked) = (false, false, false);
        (self.has_looked, self.is_read) = (true, true);
    }
}
