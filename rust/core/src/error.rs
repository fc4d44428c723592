//! Everything that can go wrong in the recall path, as data.

use std::fmt;

/// Why a function of this crate has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// What a host sent cannot be understood (SPEC 12.1).
    Payload(PayloadProblem),
    /// A name outside a closed list of values.
    UnknownName {
        /// What the name should have named, e.g. `revision`.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The names that exist.
        known: &'static [&'static str],
    },
}

/// What is wrong with a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadProblem {
    /// Nothing but blanks.
    Empty,
    /// Not JSON text.
    NotJson,
    /// JSON, but not an object.
    NotObject,
    /// A field that must hold text holds something else.
    NotString(&'static str),
    /// A field with a path that no system has.
    TooLong(&'static str),
    /// Neither `prompt` nor `user_prompt`.
    NoPrompt,
    /// No `tool_name`.
    NoTool,
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Payload(PayloadProblem::NotString(_) | PayloadProblem::TooLong(_)) => {
                "send the host's JSON unchanged".into()
            }
            Self::Payload(PayloadProblem::NoPrompt) => "register the hook for `UserPromptSubmit`".into(),
            Self::Payload(PayloadProblem::NoTool) => "register the hook for `PreToolUse` or `PostToolUse`".into(),
            Self::Payload(_) => "send the host's JSON on standard input".into(),
            Self::UnknownName { known, .. } => format!("use `{}`", known.join("` or `")),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Payload(PayloadProblem::Empty) => f.write_str("the payload is empty"),
            Self::Payload(PayloadProblem::NotJson) => f.write_str("the payload is not JSON"),
            Self::Payload(PayloadProblem::NotObject) => f.write_str("the payload is not a JSON object"),
            Self::Payload(PayloadProblem::NotString(field)) => write!(f, "the payload's `{field}` is not a string"),
            Self::Payload(PayloadProblem::TooLong(field)) => write!(f, "the payload's `{field}` is too long"),
            Self::Payload(PayloadProblem::NoPrompt) => f.write_str("the payload has no `prompt`"),
            Self::Payload(PayloadProblem::NoTool) => f.write_str("the payload has no `tool_name`"),
            Self::UnknownName { kind, name, .. } => write!(f, "unknown {kind} `{name}`"),
        }
    }
}

impl std::error::Error for Error {}
