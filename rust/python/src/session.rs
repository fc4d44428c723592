//! The prompts and shown memories of a session, as plain Python values.

use crate::convert::{Raised, Text};
use cuecard_core::memory::Stamp;
use cuecard_engine::session::left;
use cuecard_engine::session::state::{self, Session, SessionEvent, Shown};
use cuecard_engine::session::typed::Typed;
use pyo3::prelude::*;

// Path, size and modification time of a file.
type Row = (String, u32, i64);
// The counts, the letters of the flags, the host and the path of the transcript.
type Facts = (u32, u32, u32, String, String, String);

fn typed_of((open, read, next, flags, host, transcript): Facts) -> Typed {
    Typed { host, transcript, ..Typed::of(open, read, next, &flags) }
}

fn facts_of(typed: Typed) -> Facts {
    (typed.open, typed.read, typed.next, typed.flags(), typed.host, typed.transcript)
}

#[pyfunction]
pub(crate) fn read_session(data: &[u8]) -> (Vec<String>, Vec<Row>, Vec<Row>, u32, Option<Facts>) {
    let rows = |memories: Vec<Shown>| {
        memories.into_iter().map(|Shown { path, stamp }| (path, stamp.size, stamp.modified)).collect()
    };
    let Session { prompts, shown, titled, blocks, typed, .. } = Session::read(data);
    (prompts, rows(shown), rows(titled), blocks, typed.map(facts_of))
}

#[pyfunction]
#[pyo3(signature = (prompts, shown, titled, blocks=0, typed=None, spoken=Vec::new()))]
pub(crate) fn write_session(
    prompts: Vec<Text>,
    shown: Vec<(Text, u32, i64)>,
    titled: Vec<(Text, u32, i64)>,
    blocks: u32,
    typed: Option<Facts>,
    spoken: Vec<(u32, Text)>,
) -> Vec<u8> {
    let shown_of =
        |(path, size, modified): (Text, u32, i64)| Shown { path: path.into_string(), stamp: Stamp { size, modified } };
    let prompts = prompts.into_iter().map(Text::into_string).collect();
    let [shown, titled] = [shown, titled].map(|rows| rows.into_iter().map(shown_of).collect());
    let spoken = spoken.into_iter().map(|(key, path)| (key, path.into_string())).collect();
    Session { prompts, shown, titled, blocks, typed: typed.map(typed_of), spoken }.to_bytes()
}

#[pyfunction]
pub(crate) fn read_spoken(data: &[u8]) -> Vec<(u32, String)> {
    Session::read(data).spoken
}

#[pyfunction]
pub(crate) fn is_continued(prompts: Vec<Text>, prompt: Text) -> bool {
    let prompts = prompts.into_iter().map(Text::into_string).collect();
    Session { prompts, ..Session::default() }.is_continued_by(&prompt)
}

#[pyfunction]
pub(crate) fn count_blocks(data: &[u8]) -> u32 {
    state::count_blocks(data)
}

#[pyfunction]
pub(crate) fn session_file_name(session_id: Text) -> Option<String> {
    cuecard_engine::session::state::session_file_name(&session_id).map(str::to_owned)
}

#[pyfunction]
pub(crate) fn read_session_event(data: &[u8]) -> Result<(Option<String>, Option<String>, &'static str), Raised> {
    let SessionEvent { cwd, session_id, kept } = cuecard_engine::session::state::read_session_event(data)?;
    Ok((cwd, session_id, kept.name()))
}

#[pyfunction]
pub(crate) fn is_substantial(text: Text) -> bool {
    cuecard_core::rank::typed_prompt::is_substantial(&text)
}

#[pyfunction]
pub(crate) fn may_say_remember(text: Text) -> bool {
    cuecard_core::rank::typed_prompt::may_say_remember(&text)
}

#[pyfunction]
pub(crate) fn note_typed(typed: Facts, prompt: Text) -> Facts {
    let mut typed = typed_of(typed);
    typed.note(&prompt);
    facts_of(typed)
}

#[pyfunction]
pub(crate) fn is_stop_due(typed: Facts, may_ask: bool, every: u32) -> bool {
    typed_of(typed).is_due(may_ask, every)
}

#[pyfunction]
pub(crate) fn left_of(text: Text, session: Text, now: i64) -> u32 {
    left::sum_of(&text, &session, now)
}
