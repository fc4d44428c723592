//! What an agent gets before it touches a file and after a failure, and the check of what a tool has written.

pub(crate) mod context_answer;
pub mod tool_context;
pub mod validate;
