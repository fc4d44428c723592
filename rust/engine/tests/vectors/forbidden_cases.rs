//! Runs the test vectors of what memories forbid.

use super::{Failure, Input, Value, list, number, row};
use cuecard_core::memory::forbidden_code::{count_code, imported_modules, is_module};
use cuecard_core::memory::forbids::{covers, normalize_forbid};
use cuecard_engine::guard::forbidden_command::is_forbidden;
use cuecard_engine::guard::shell_commands::read_script;
use cuecard_engine::session::state::Session;
use cuecard_engine::tool::act::{Act, Change, Old, read_act_of};

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "normalize_forbid" => normalize_forbid(&input.text("entry")).into(),
        "covers" => Value::Bool(covers(&input.text("pattern"), &input.text("path"))),
        "count_code" => number(count_code(&input.text("text"), &input.text("code"))),
        "imported_modules" => list(imported_modules(&input.text("text"), &input.text("path"))),
        "is_module" => Value::Bool(is_module(&input.text("name"), &input.text("module"))),
        "runs_forbidden" => {
            let (script, forbidden) = (input.text("script"), input.text("forbidden"));
            let commands = read_script(&script, "/p", "/h", "/c").commands;
            list(commands.into_iter().filter(|(_, words)| is_forbidden(words, &forbidden)).map(|(folder, _)| folder))
        }
        "read_act" => match read_act_of(&input.bytes("data")) {
            Ok(act) => act.map_or(Value::None, act_row),
            Err(error) => return Some(Err(error.into())),
        },
        "read_spoken" => {
            let spoken = Session::read(&input.bytes("data")).spoken;
            row(spoken.into_iter().map(|(key, path)| row([i64::from(key).into(), path.into()])))
        }
        _ => return None,
    }))
}

fn act_row(Act { event, is_over, edits, script }: Act) -> Value {
    let change = |Change { old, new }| match old {
        Old::Text(text) => list(["text".to_owned(), text, new]),
        Old::File => list(["file".to_owned(), String::new(), new]),
        Old::Cell(id) => list(["cell".to_owned(), id, new]),
    };
    let edits = edits.into_iter().map(|edit| row([edit.path.into(), row(edit.changes.into_iter().map(change))]));
    row([event.into(), Value::Bool(is_over), row(edits), script.into()])
}
