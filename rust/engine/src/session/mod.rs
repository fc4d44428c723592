//! Sessions: their prompts and shown memories, and the log of decisions.

pub(crate) mod capture_settings;
pub(crate) mod event;
pub(crate) mod inbox;
pub mod left;
pub(crate) mod model_use;
pub(crate) mod session_file;
pub(crate) mod shown_last;
pub mod state;
pub(crate) mod stop;
pub(crate) mod transcript_place;
pub mod typed;
