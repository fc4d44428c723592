//! The entries of a ledger, and their JSON form (SPEC 56.4).

use crate::capture::quotes::{Span, own_words};
use crate::capture::record::{list_of, text_of};
use crate::text::json_reader::Json;
use crate::text::json_writer::quote;

/// One thing that the user or the agent said or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The position of the transcript line that the entry was made from.
    pub at: i64,
    /// What happened, with its details.
    pub kind: EntryKind,
}

/// The kinds of ledger entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A prompt that the user typed.
    Prompt {
        /// The prompt word for word, except that secrets are replaced and long quotations are cut.
        text: String,
        /// The spans of characters that the user quoted from others.
        quoted: Vec<Span>,
        /// What is known about the circumstances of the prompt.
        signs: Vec<Sign>,
        /// Whether the prompt says enough to count as substantial (SPEC 56.6).
        is_substantial: bool,
    },
    /// The agent's last text before the next prompt, or before the agent stopped.
    Agent {
        /// The last characters of that text.
        text: String,
        /// Properties of the text.
        signs: Vec<Sign>,
        /// The number of file edits by the agent since the previous prompt.
        edits: i64,
    },
    /// The user's answer to a question that the agent asked with a tool.
    Choice {
        /// The question.
        asked: String,
        /// The answer.
        text: String,
    },
    /// A command that has failed and has not passed since.
    Failed {
        /// The command.
        command: String,
        /// How often it failed.
        tries: i64,
    },
    /// A command that passed after it had failed.
    Passed {
        /// The command.
        command: String,
        /// How often it failed.
        tries: i64,
    },
    /// A file that was edited and then reverted.
    Reverted {
        /// The file's path, as the tool call gives it.
        file: String,
    },
    /// The host has replaced the conversation by a summary.
    Compaction {
        /// The host's identifier of the message behind the summary; empty if there is none.
        id: String,
    },
}

/// A property of a prompt or of the agent's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The agent's text before this prompt offers a choice.
    AnswersChoice,
    /// The agent changed files between the previous prompt and this one.
    AfterEdit,
    /// The prompt is the reason that the user gave for refusing a tool call.
    Refusal,
    /// The user interrupted the agent before this prompt.
    Interrupts,
    /// The agent's text offers a choice.
    OffersChoice,
    /// The agent's text begins with an apology.
    Apology,
}

impl Sign {
    const ALL: [Self; 6] =
        [Self::AnswersChoice, Self::AfterEdit, Self::Refusal, Self::Interrupts, Self::OffersChoice, Self::Apology];

    /// The name of the sign in the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AnswersChoice => "answers_choice",
            Self::AfterEdit => "after_edit",
            Self::Refusal => "refusal",
            Self::Interrupts => "interrupts",
            Self::OffersChoice => "offers_choice",
            Self::Apology => "apology",
        }
    }

    /// Whether the sign suggests that there is something to remember.
    #[must_use]
    pub const fn is_signal(self) -> bool {
        matches!(self, Self::AnswersChoice | Self::Refusal | Self::Interrupts | Self::Apology)
    }
}

impl Entry {
    /// Whether the entry is a substantial prompt (SPEC 56.6).
    #[must_use]
    pub fn is_substantial(&self) -> bool {
        matches!(self.kind, EntryKind::Prompt { is_substantial: true, .. })
    }

    /// The number of signals in the entry which suggest that there is something to remember.
    #[must_use]
    pub fn signals(&self) -> usize {
        match &self.kind {
            EntryKind::Prompt { signs, .. } | EntryKind::Agent { signs, .. } => {
                signs.iter().filter(|sign| sign.is_signal()).count()
            }
            EntryKind::Passed { .. } | EntryKind::Reverted { .. } | EntryKind::Choice { .. } => 1,
            EntryKind::Failed { .. } | EntryKind::Compaction { .. } => 0,
        }
    }

    /// The user's own words in a prompt, without quotations; empty for other kinds of entries.
    #[must_use]
    pub fn own_words(&self) -> String {
        match &self.kind {
            EntryKind::Prompt { text, quoted, .. } => own_words(text, quoted),
            _ => String::new(),
        }
    }

    /// The entry as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> String {
        let names = |signs: &[Sign]| signs.iter().map(|sign| quote(sign.name())).collect::<Vec<_>>().join(",");
        let at = self.at;
        match &self.kind {
            EntryKind::Prompt { text, quoted, signs, is_substantial } => {
                let spans = quoted.iter().map(|(begin, end)| format!("[{begin},{end}]")).collect::<Vec<_>>().join(",");
                let (text, signs) = (quote(text), names(signs));
                format!(
                    "{{\"k\":\"prompt\",\"at\":{at},\"text\":{text},\"quoted\":[{spans}],\"signs\":[{signs}],\
                     \"is_substantial\":{is_substantial}}}"
                )
            }
            EntryKind::Agent { text, signs, edits } => {
                let (text, signs) = (quote(text), names(signs));
                format!("{{\"k\":\"agent\",\"at\":{at},\"text\":{text},\"signs\":[{signs}],\"edits\":{edits}}}")
            }
            EntryKind::Choice { asked, text } => {
                format!("{{\"k\":\"choice\",\"at\":{at},\"asked\":{},\"text\":{}}}", quote(asked), quote(text))
            }
            EntryKind::Failed { command, tries } => {
                format!("{{\"k\":\"failed\",\"at\":{at},\"command\":{},\"tries\":{tries}}}", quote(command))
            }
            EntryKind::Passed { command, tries } => {
                format!("{{\"k\":\"passed\",\"at\":{at},\"command\":{},\"tries\":{tries}}}", quote(command))
            }
            EntryKind::Reverted { file } => format!("{{\"k\":\"reverted\",\"at\":{at},\"file\":{}}}", quote(file)),
            EntryKind::Compaction { id } => format!("{{\"k\":\"compaction\",\"at\":{at},\"id\":{}}}", quote(id)),
        }
    }

    /// Reads an entry from its JSON object; `None` if the object is not a valid entry.
    #[must_use]
    pub fn read(value: &Json) -> Option<Self> {
        let number = |name: &str| match value.get(name) {
            Some(Json::Integer(number)) => Some(*number),
            _ => None,
        };
        let text = |name: &str| Some(value.get(name)?.as_text()?.to_owned());
        let signs = || {
            let names = list_of(value, "signs").iter().filter_map(Json::as_text);
            names.filter_map(|name| Sign::ALL.into_iter().find(|sign| sign.name() == name)).collect::<Vec<_>>()
        };
        let kind = match text_of(value, "k") {
            "prompt" => EntryKind::Prompt {
                text: text("text")?,
                quoted: list_of(value, "quoted").iter().filter_map(read_span).collect(),
                signs: signs(),
                is_substantial: value.get("is_substantial") == Some(&Json::Bool(true)),
            },
            "agent" => EntryKind::Agent { text: text("text")?, signs: signs(), edits: number("edits")? },
            "choice" => EntryKind::Choice { asked: text("asked")?, text: text("text")? },
            "failed" => EntryKind::Failed { command: text("command")?, tries: number("tries")? },
            "passed" => EntryKind::Passed { command: text("command")?, tries: number("tries")? },
            "reverted" => EntryKind::Reverted { file: text("file")? },
            "compaction" => EntryKind::Compaction { id: text("id").unwrap_or_default() },
            _ => return None,
        };
        Some(Self { at: number("at")?, kind })
    }
}

fn read_span(value: &Json) -> Option<Span> {
    let Json::List(ends) = value else { return None };
    let [Json::Integer(begin), Json::Integer(end)] = ends.as_slice() else { return None };
    Some((usize::try_from(*begin).ok()?, usize::try_from(*end).ok()?))
}
