//! Tool events: memories before a tool touches a file and after a failure, and the check of files that a tool wrote.

pub mod act;
pub(crate) mod context_answer;
pub(crate) mod forbidden;
pub(crate) mod owed;
pub(crate) mod subagent;
pub mod tool_context;
pub mod validate;
