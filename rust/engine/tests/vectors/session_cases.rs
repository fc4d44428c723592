//! Runs the test vectors of a session's prompts and shown memories.

use super::{Failure, Input, Value, as_number, list, row, text};
use cuecard_core::memory::{Stamp, statement_key};
use cuecard_core::rank::cues::may_have_secret;
use cuecard_core::rank::typed_prompt::{is_substantial, may_say_remember};
use cuecard_core::rank::verdicts::{Verdicts, is_similar, is_withheld_at_random};
use cuecard_core::text::json_reader::read_json;
use cuecard_core::text::possible_secret::legible_note;
use cuecard_engine::prompt::hosted::HostedStatements;
use cuecard_engine::session::left;
use cuecard_engine::session::state::{
    Session, SessionEvent, Shown, count_blocks, read_session_event, session_file_name, was_compressed,
};
use cuecard_engine::session::typed::Typed;

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "session_file_name" => session_file_name(&input.text("session_id")).map(str::to_owned).into(),
        "read_session" => {
            let Session { prompts, shown, titled, blocks, typed, .. } = Session::read(&input.bytes("data"));
            let file = |Shown { path, stamp }| row([path.into(), i64::from(stamp.size).into(), stamp.modified.into()]);
            row([
                list(prompts),
                row(shown.into_iter().map(file)),
                row(titled.into_iter().map(file)),
                i64::from(blocks).into(),
                typed.map_or(Value::None, facts),
            ])
        }
        "read_named" => {
            let named = Session::read(&input.bytes("data")).named;
            row(named
                .into_iter()
                .map(|Shown { path, stamp }| row([path.into(), i64::from(stamp.size).into(), stamp.modified.into()])))
        }
        "write_session" => {
            let memory = |row: &Vec<Value>| Shown {
                path: text(&row[0]),
                stamp: Stamp { size: as_number(&row[1]).try_into().unwrap(), modified: as_number(&row[2]) },
            };
            let [shown, titled] = ["shown", "titled"].map(|name| input.rows(name).iter().map(memory).collect());
            let named = if input.has("named") { input.rows("named").iter().map(memory).collect() } else { Vec::new() };
            let blocks = if input.has("blocks") { input.number("blocks").try_into().unwrap() } else { 0 };
            let typed = input.has("typed").then(|| typed_of(input));
            let session =
                Session { prompts: input.texts("prompts"), shown, titled, named, blocks, typed, ..Session::default() };
            String::from_utf8(session.to_bytes()).unwrap().into()
        }
        "count_blocks" => i64::from(count_blocks(&input.bytes("data"))).into(),
        "was_compressed" => Value::Bool(was_compressed(&input.bytes("data"))),
        "is_continued" => {
            let session = Session { prompts: input.texts("prompts"), ..Session::default() };
            Value::Bool(session.is_continued_by(&input.text("prompt")))
        }
        "is_substantial" => Value::Bool(is_substantial(&input.text("text"))),
        "is_withheld_at_random" => {
            let percent = u32::try_from(input.number("percent")).unwrap_or_default();
            Value::Bool(is_withheld_at_random(&input.text("session"), &input.text("path"), percent))
        }
        "is_similar" => Value::Bool(is_similar(&input.text("one"), &input.text("other"))),
        "is_wrong" => {
            let [path, hash, kept] = ["path", "trust_hash", "kept"].map(|name| input.text(name));
            Value::Bool(Verdicts::read(&input.bytes("data")).is_wrong(&path, &hash, &kept))
        }
        "statement_key" => statement_key(&input.text("text")).into(),
        "is_hosted" => {
            let memory = read_json(&input.bytes("memory")).unwrap();
            let is_vouched = input.value("is_vouched") == Value::Bool(true);
            Value::Bool(HostedStatements::read(&input.bytes("data")).has(&memory, is_vouched))
        }
        "verdict_points" => {
            let (verdicts, hash) = (Verdicts::read(&input.bytes("data")), input.text("trust"));
            let trust = u64::from_str_radix(&hash, 16).unwrap().to_be_bytes();
            row([verdicts.shift().into(), verdicts.prior(&input.text("path"), trust).into()])
        }
        "may_have_secret" => Value::Bool(may_have_secret(&input.text("text"))),
        "legible_note" => legible_note(&input.text("note")).into(),
        "may_say_remember" => Value::Bool(may_say_remember(&input.text("text"))),
        "note_typed" => {
            let mut typed = typed_of(input);
            typed.note(&input.text("prompt"));
            facts(typed)
        }
        "is_stop_due" => {
            let every = input.number("every").try_into().unwrap();
            Value::Bool(typed_of(input).is_due(input.value("may_ask") == Value::Bool(true), every))
        }
        "left_of" => i64::from(left::sum_of(&input.text("text"), &input.text("session"), input.number("now"))).into(),
        "read_session_event" => return Some(event(input)),
        _ => return None,
    }))
}

fn event(input: &Input) -> Result<Value, Failure> {
    let SessionEvent { cwd, session_id, kept } = read_session_event(&input.bytes("data"))?;
    Ok(row([cwd.into(), session_id.into(), kept.name().into()]))
}

/// The facts in the member `typed`: counts, letters of flags, host and transcript.
fn typed_of(input: &Input) -> Typed {
    let row = input.items("typed");
    let count = |value: &Value| as_number(value).try_into().unwrap();
    let [open, read, next] = [0, 1, 2].map(|place: usize| count(&row[place]));
    Typed { host: text(&row[4]), transcript: text(&row[5]), ..Typed::of(open, read, next, &text(&row[3])) }
}

fn facts(typed: Typed) -> Value {
    let flags = typed.flags();
    let [open, read, next] = [typed.open, typed.read, typed.next].map(|count| i64::from(count).into());
    row([open, read, next, flags.into(), typed.host.into(), typed.transcript.into()])
}
