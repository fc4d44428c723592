//! Runs the test vectors of the capture ledger.

use super::{Failure, Input, Value, list, row};
use cuecard_core::capture::ledger::shorten;
use cuecard_core::capture::moments::wants_summary;
use cuecard_core::capture::phrases::{is_apology, says_handover, says_nothing_to_save, says_remember};
use cuecard_core::capture::quotes::find_quotes;
use cuecard_core::capture::substance::is_substantial;
use cuecard_core::capture::typed::typed_text;
use cuecard_core::capture::{Batch, Entry, Ledger, Moment, decide};

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    let ledger = || Ledger::read(input.text("ledger").as_bytes());
    Some(Ok(match function {
        "typed_text" => typed_text(&input.text("text")).into(),
        "find_quotes" => {
            let number = |place: usize| Value::Number(i64::try_from(place).unwrap());
            row(find_quotes(&input.text("text")).into_iter().map(|(begin, end)| row([number(begin), number(end)])))
        }
        "is_substantial" => Value::Bool(is_substantial(&input.text("own_words"))),
        "capture_phrases" => {
            let text = input.text("text");
            let held = [
                ("remember", says_remember(&text)),
                ("hands_over", says_handover(&text)),
                ("apology", is_apology(&text)),
                ("nothing", says_nothing_to_save(&text)),
            ];
            list(held.into_iter().filter_map(|(name, holds)| holds.then_some(name)))
        }
        "ledger_entries" => entries(&ledger(), input),
        "read_ledger" => {
            let ledger = Ledger::read(&input.bytes("data"));
            let left: Vec<i64> = ledger.left_entries().map(|entry| entry.at).collect();
            let asks = row(ledger.asks.into_iter().map(|ask| list([ask.id, ask.how])));
            let flags = [Value::Bool(ledger.is_ended), Value::Bool(ledger.has_looked), list(left)];
            let [is_ended, has_looked, left] = flags;
            row([
                ledger.position.into(),
                ledger.base.into(),
                ledger.transcript.into(),
                asks,
                is_ended,
                has_looked,
                left,
            ])
        }
        "shorten_ledger" => String::from_utf8(shorten(&input.bytes("data"))).unwrap().into(),
        "capture_cause" => {
            let (ledger, session) = (ledger(), input.text("session"));
            let earlier = input.texts("earlier");
            let earlier: Vec<Ledger> = earlier.iter().map(|earlier| Ledger::read(earlier.as_bytes())).collect();
            let (from, every) = (input.number("start"), usize::try_from(input.number("every")).unwrap());
            let moment = Moment { ledger: &ledger, session: &session, from, earlier: &earlier, every };
            let cause = decide(&moment);
            let wants_summary = cause.is_some_and(|cause| wants_summary(cause, &moment));
            row([cause.map_or("", |cause| cause.name()).into(), Value::Bool(wants_summary)])
        }
        _ => return None,
    }))
}

/// Returns the new entries of a transcript after the position that a ledger has recorded.
fn entries(ledger: &Ledger, input: &Input) -> Value {
    let transcript = input.text("transcript");
    let mut at = ledger.position;
    let mut lines = Vec::new();
    for line in transcript.as_bytes().split(|byte| *byte == b'\n') {
        lines.push((at, line));
        at += i64::try_from(line.len()).unwrap() + 1;
    }
    let (session, last_said) = (input.text("session"), input.text("last_said"));
    let is_restart = input.value("is_restart") == Value::Bool(true);
    let redact = |text: &str| Ok(text.to_owned());
    let to = at - 1;
    let typed = input.has("typed").then(|| input.texts("typed"));
    let batch = Batch {
        ledger,
        session: &session,
        lines: &lines,
        to,
        is_restart,
        typed: typed.as_deref(),
        last_said: &last_said,
        redact: &redact,
    };
    let found = batch.read().unwrap();
    let read_only = found.is_read_only.map_or(Value::None, Value::Bool);
    row([list(found.entries.iter().map(Entry::to_json)), Value::Bool(found.is_not_interactive), read_only])
}
