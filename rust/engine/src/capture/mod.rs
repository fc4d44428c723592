//! Capture: the ledger of a session, and the request for memories when the agent stops (SPEC 56).

pub(crate) mod claims;
mod gemini_prompts;
pub(crate) mod ledger_file;
pub(crate) mod near;
pub(crate) mod plugin_stop;
pub(crate) mod program;
pub(crate) mod redaction;
pub(crate) mod session_end;
pub(crate) mod staged;
pub(crate) mod stop;
pub(crate) mod stop_event;
pub(crate) mod transcript;
