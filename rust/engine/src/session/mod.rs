//! Sessions: their prompts and shown memories, and the log of decisions.

pub(crate) mod event;
pub(crate) mod model_use;
pub(crate) mod session_file;
pub mod state;
