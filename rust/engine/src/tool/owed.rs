//! Hands over the answer to a prompt that the host may have dropped, at an event that reaches the agent (SPEC 30.7).

use crate::environment::Environment;
use crate::host::{Host, check_cwd, cwd_in, read_object, session_in};
use crate::prompt::answer::Answer;
use crate::session::session_file::SessionFile;
use crate::store::root::locate_from;
use crate::store::scopes::first_store;
use cuecard_core::text::json_reader::Json;

/// What the agent of an event's session is owed.
#[derive(Default)]
pub(crate) struct Owed {
    /// The block; empty if the agent is owed nothing.
    block: String,
    event: String,
    /// Whether the event is about a tool, and so may have an answer of its own.
    pub(crate) is_of_tool: bool,
}

impl Owed {
    /// Returns the answer to an event that brings the block alone.
    pub(crate) fn answer(&self, host: Host) -> Answer {
        Answer { stdout: self.behind("", "", host), ..Answer::default() }
    }

    /// Returns the text for standard output with what is owed behind the block of an event.
    pub(crate) fn behind(&self, event: &str, block: &str, host: Host) -> String {
        let event = if self.event.is_empty() { event } else { &self.event };
        host.write_tool_context(event, &format!("{block}{}", self.block))
    }
}

/// Takes what is owed at an event that carries it; `None` at any other event.
pub(crate) fn take(payload: &[u8], host: Host, environment: &Environment) -> Option<Owed> {
    let event = read_object(payload).ok()?;
    let name = event.get("hook_event_name")?.as_text().filter(|name| host.is_carrier(name))?;
    let block = take_block(&event, environment).unwrap_or_default();
    Some(Owed { block, event: name.to_owned(), is_of_tool: event.get("tool_name").is_some() })
}

/// Takes the block that the agent of an event's session is owed.
fn take_block(event: &Json, environment: &Environment) -> Option<String> {
    let located = locate_from(check_cwd(cwd_in(event)).ok()?, environment).ok()?;
    let project = first_store(&located, environment)?.project;
    Some(SessionFile::load(&project, session_in(event))?.take_owed())
}
