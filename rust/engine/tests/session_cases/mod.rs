//! Runs the test vectors of a session's prompts and shown memories.

use super::{Failure, Input, Value, as_number, list, row, text};
use cuecard_core::memory::Stamp;
use cuecard_engine::session::state::{
    Session, SessionEvent, Shown, count_blocks, read_session_event, session_file_name,
};

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "session_file_name" => session_file_name(&input.text("session_id")).map(str::to_owned).into(),
        "read_session" => {
            let Session { prompts, shown, titled, blocks } = Session::read(&input.bytes("data"));
            let file = |Shown { path, stamp }| row([path.into(), i64::from(stamp.size).into(), stamp.modified.into()]);
            row([
                list(prompts),
                row(shown.into_iter().map(file)),
                row(titled.into_iter().map(file)),
                i64::from(blocks).into(),
            ])
        }
        "write_session" => {
            let memory = |row: &Vec<Value>| Shown {
                path: text(&row[0]),
                stamp: Stamp { size: as_number(&row[1]).try_into().unwrap(), modified: as_number(&row[2]) },
            };
            let [shown, titled] = ["shown", "titled"].map(|name| input.rows(name).iter().map(memory).collect());
            let blocks = if input.has("blocks") { input.number("blocks").try_into().unwrap() } else { 0 };
            let session = Session { prompts: input.texts("prompts"), shown, titled, blocks };
            String::from_utf8(session.to_bytes()).unwrap().into()
        }
        "count_blocks" => i64::from(count_blocks(&input.bytes("data"))).into(),
        "is_continued" => {
            let session = Session { prompts: input.texts("prompts"), ..Session::default() };
            Value::Bool(session.is_continued_by(&input.text("prompt")))
        }
        "read_session_event" => return Some(event(input)),
        _ => return None,
    }))
}

fn event(input: &Input) -> Result<Value, Failure> {
    let SessionEvent { cwd, session_id, kept } = read_session_event(&input.bytes("data"))?;
    Ok(row([cwd.into(), session_id.into(), kept.name().into()]))
}
