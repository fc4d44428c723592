//! Hands over the answer to a prompt that the host may have dropped, at an event that reaches the agent (SPEC 30.7).

use crate::environment::Environment;
use crate::host::{Host, check_cwd, cwd_in, read_object, session_in};
use crate::prompt::answer::Answer;
use crate::session::session_file::SessionFile;
use crate::store::root::locate_from;
use crate::store::scopes::first_store;
use cuecard_core::text::json_reader::Json;

/// Returns the answer to an event that carries what is owed. `None` if that is nothing, and the event may have another
/// answer because it is about a tool.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment) -> Option<Answer> {
    let event = read_object(payload).ok()?;
    let name = event.get("hook_event_name")?.as_text().filter(|name| host.is_carrier(name))?;
    let owed = take(&event, environment).filter(|block| !block.is_empty());
    let stdout = owed.map(|block| host.write_tool_context(name, &block));
    let is_answered = stdout.is_some() || event.get("tool_name").is_none();
    is_answered.then(|| Answer { stdout: stdout.unwrap_or_default(), ..Answer::default() })
}

/// Takes the block that the agent of an event's session is owed.
fn take(event: &Json, environment: &Environment) -> Option<String> {
    let located = locate_from(check_cwd(cwd_in(event)).ok()?, environment).ok()?;
    let project = first_store(&located, environment)?.project;
    Some(SessionFile::load(&project, session_in(event))?.take_owed())
}
