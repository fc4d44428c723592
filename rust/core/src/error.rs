//! The errors of this crate, as data: a kind, its details and a hint.

use std::fmt;

/// The error that functions of this crate return.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The JSON that a host sent to the hook is not a valid payload (SPEC 12.1).
    Payload(PayloadProblem),
    /// A name that is not in its list of valid names.
    UnknownName {
        /// The kind of thing that is named, e.g. `revision`.
        kind: &'static str,
        /// The invalid name, as the caller gave it.
        name: String,
        /// The valid names.
        known: &'static [&'static str],
    },
}

/// What is wrong with the JSON that a host sent to the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadProblem {
    /// The payload is empty or holds only white space.
    Empty,
    /// The payload is not JSON.
    NotJson,
    /// The payload is JSON, but not an object.
    NotObject,
    /// The named field must be a string and is not.
    NotString(&'static str),
    /// The path in the named field is longer than any file system allows.
    TooLong(&'static str),
    /// The payload has neither `prompt` nor `user_prompt`.
    NoPrompt,
    /// The payload has no `tool_name`.
    NoTool,
}

impl Error {
    /// What the user can do about the error: the text of the `hint:` line.
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
