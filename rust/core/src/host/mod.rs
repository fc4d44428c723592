//! What hosts send and take; tools, sessions and the guard.

pub mod guard;
pub mod host;
pub mod need;
pub(crate) mod notice;
pub mod powershell_words;
pub(crate) mod powershell_writes;
pub mod session;
pub(crate) mod shell_options;
pub mod shell_scope;
pub mod shell_words;
pub(crate) mod shell_writes;
pub mod tool_use;

pub use guard::{find_store_part, judge_write};
pub use host::{Host, Payload, is_machine_made, is_slash_command, is_too_short, read_payload};
pub use need::{Moment, Need, read_need, write_need};
pub use session::{Kept, Session, SessionEvent, Shown, read_session_event, session_file_name};
pub use shell_scope::Place;
pub use tool_use::{Action, Tool, ToolUse, Write, find_writes, read_tool_use, write_complaint, write_denial};
