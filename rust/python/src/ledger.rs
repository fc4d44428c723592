//! The rules of the capture ledger, with plain Python values as arguments and results.

use crate::convert::Text;
use cuecard_core::capture::ledger::shorten;
use cuecard_core::capture::moments::wants_summary;
use cuecard_core::capture::phrases::{is_apology, says_handover, says_nothing_to_save, says_remember};
use cuecard_core::capture::request::{CaptureRequest, Near};
use cuecard_core::capture::{Batch, Cause, Entry, Ledger, Moment, decide, quotes, substance, typed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

const CAUSES: [Cause; 4] = [Cause::Word, Cause::Compaction, Cause::Earlier, Cause::Prompts];
// A ledger: position, base and transcript; each ask with its result; whether the session has ended, and whether it has
// looked at earlier sessions; and the positions of the entries that an agent may still be asked about.
type LedgerRow = (i64, i64, String, Vec<(String, String)>, bool, bool, Vec<i64>);

#[pyfunction]
pub(crate) fn typed_text(text: Text) -> String {
    typed::typed_text(&text)
}

#[pyfunction]
pub(crate) fn find_quotes(text: Text) -> Vec<(usize, usize)> {
    quotes::find_quotes(&text)
}

#[pyfunction]
pub(crate) fn is_substantial(own_words: Text) -> bool {
    substance::is_substantial(&own_words)
}

#[pyfunction]
pub(crate) fn capture_phrases(text: Text) -> Vec<&'static str> {
    let held = [
        ("remember", says_remember(&text)),
        ("hands_over", says_handover(&text)),
        ("apology", is_apology(&text)),
        ("nothing", says_nothing_to_save(&text)),
    ];
    held.into_iter().filter_map(|(name, holds)| holds.then_some(name)).collect()
}

/// Returns the new entries of a ledger from the part of the transcript that begins at the ledger's position, and the
/// flags `is_not_interactive` and `is_read_only` of `NewEntries`. Secrets are not removed.
#[pyfunction]
#[pyo3(signature = (ledger, session, transcript, last_said, is_restart, typed=None))]
pub(crate) fn ledger_entries(
    ledger: Text,
    session: Text,
    transcript: Text,
    last_said: Text,
    is_restart: bool,
    typed: Option<Vec<String>>,
) -> PyResult<(Vec<String>, bool, Option<bool>)> {
    let ledger = Ledger::read(ledger.as_bytes());
    let mut at = ledger.position;
    let mut lines = Vec::new();
    for line in transcript.as_bytes().split(|byte| *byte == b'\n') {
        lines.push((at, line));
        at += i64::try_from(line.len()).unwrap_or_default() + 1;
    }
    let redact = |text: &str| Ok(text.to_owned());
    let to = at - 1;
    let batch = Batch {
        ledger: &ledger,
        session: &session,
        lines: &lines,
        to,
        is_restart,
        typed: typed.as_deref(),
        last_said: &last_said,
        redact: &redact,
    };
    let found = batch.read().map_err(|_| PyValueError::new_err("the search for secrets failed"))?;
    Ok((found.entries.iter().map(Entry::to_json).collect(), found.is_not_interactive, found.is_read_only))
}

/// Returns the cause for which an agent is asked ("" if it is not asked), and whether a session summary is wanted too.
#[pyfunction]
pub(crate) fn capture_cause(
    ledger: Text,
    session: Text,
    start: i64,
    earlier: Vec<Text>,
    every: usize,
) -> (&'static str, bool) {
    let ledger = Ledger::read(ledger.as_bytes());
    let earlier: Vec<Ledger> = earlier.iter().map(|earlier| Ledger::read(earlier.as_bytes())).collect();
    let moment = Moment { ledger: &ledger, session: &session, from: start, earlier: &earlier, every };
    decide(&moment).map_or(("", false), |cause| (cause.name(), wants_summary(cause, &moment)))
}

#[pyfunction]
pub(crate) fn read_ledger(data: &[u8]) -> LedgerRow {
    let ledger = Ledger::read(data);
    let left = ledger.left_entries().map(|entry| entry.at).collect();
    let asks = ledger.asks.into_iter().map(|ask| (ask.id, ask.how)).collect();
    (ledger.position, ledger.base, ledger.transcript, asks, ledger.is_ended, ledger.has_looked, left)
}

#[pyfunction]
pub(crate) fn shorten_ledger(data: &[u8]) -> Vec<u8> {
    shorten(data)
}

/// Returns the request to an agent about all entries of some ledgers.
#[pyfunction]
pub(crate) fn capture_request(
    cause: Text,
    ledgers: Vec<Text>,
    near: Vec<(Text, Text, Text, bool)>,
    wants_summary: bool,
    whole: Text,
    command: Text,
) -> PyResult<String> {
    let cause = CAUSES.into_iter().find(|known| known.name() == &*cause);
    let cause = cause.ok_or_else(|| PyValueError::new_err("the cause is not known"))?;
    let ledgers: Vec<Ledger> = ledgers.iter().map(|ledger| Ledger::read(ledger.as_bytes())).collect();
    let sessions: Vec<Vec<&Entry>> = ledgers.iter().map(|ledger| ledger.entries.iter().collect()).collect();
    let near = near.into_iter().map(|(category, title, path, is_unreviewed)| Near {
        category: category.into_string(),
        title: title.into_string(),
        path: path.into_string(),
        is_unreviewed,
    });
    let near: Vec<Near> = near.collect();
    let request = CaptureRequest {
        cause,
        sessions: &sessions,
        near: &near,
        wants_summary,
        is_new_store: false,
        whole: &whole,
        command: &command,
    };
    Ok(request.to_text())
}
