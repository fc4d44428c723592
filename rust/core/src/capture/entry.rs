//! The entries of a ledger, and how they stand in its lines (SPEC 56.4).

use crate::capture::quotes::{Span, own_words};
use crate::capture::record::{list_of, text_of};
use crate::text::json_reader::Json;
use crate::text::json_writer::quote;

/// What was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its position.
    pub at: i64,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// What the user typed.
    Prompt {
        /// Word for word, except secrets and long quotations.
        text: String,
        /// The characters that are other people's words.
        quoted: Vec<Span>,
        /// What is known of its place.
        signs: Vec<Sign>,
        /// Whether it says enough to count.
        is_substantial: bool,
    },
    /// The end of what the agent said last before the next prompt, or before it came to rest.
    Agent {
        /// The end of its text.
        text: String,
        /// What the text is like.
        signs: Vec<Sign>,
        /// How many times the agent has changed a file since the prompt before.
        edits: i64,
    },
    /// What the user answered to a question of the agent.
    Choice {
        /// The question.
        asked: String,
        /// The answer.
        text: String,
    },
    /// A command that has failed so often and has not passed.
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
    /// A file that was edited and put back.
    Reverted {
        /// As the tool names it.
        file: String,
    },
    /// The host has replaced the conversation by a summary.
    Compaction,
}

/// What is known of a prompt or of the agent's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The agent's text before it offers a choice.
    AnswersChoice,
    /// The agent has changed files since the prompt before.
    AfterEdit,
    /// The user refused a tool with it.
    Refusal,
    /// The user stopped the agent before it.
    Interrupts,
    /// The text offers a choice.
    OffersChoice,
    /// The text begins with an apology.
    Apology,
}

impl Sign {
    const ALL: [Self; 6] =
        [Self::AnswersChoice, Self::AfterEdit, Self::Refusal, Self::Interrupts, Self::OffersChoice, Self::Apology];

    /// Its name in the ledger.
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

    /// Whether it says that something may have been learned.
    #[must_use]
    pub const fn is_signal(self) -> bool {
        matches!(self, Self::AnswersChoice | Self::Refusal | Self::Interrupts | Self::Apology)
    }
}

impl Entry {
    /// Whether it is a prompt that counts.
    #[must_use]
    pub fn is_substantial(&self) -> bool {
        matches!(self.kind, EntryKind::Prompt { is_substantial: true, .. })
    }

    /// How many signals it gives that something may have been learned.
    #[must_use]
    pub fn signals(&self) -> usize {
        match &self.kind {
            EntryKind::Prompt { signs, .. } | EntryKind::Agent { signs, .. } => {
                signs.iter().filter(|sign| sign.is_signal()).count()
            }
            EntryKind::Passed { .. } | EntryKind::Reverted { .. } | EntryKind::Choice { .. } => 1,
            EntryKind::Failed { .. } | EntryKind::Compaction => 0,
        }
    }

    /// What the user says in it, without what is quoted; empty where it is no prompt.
    #[must_use]
    pub fn own_words(&self) -> String {
        match &self.kind {
            EntryKind::Prompt { text, quoted, .. } => own_words(text, quoted),
            _ => String::new(),
        }
    }

    /// The entry as an object of JSON.
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
            EntryKind::Compaction => format!("{{\"k\":\"compaction\",\"at\":{at}}}"),
        }
    }

    /// The entry of an object; `None` where it is none.
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
            "compaction" => EntryKind::Compaction,
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
