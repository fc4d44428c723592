//! The prompts and shown memories of a session, as plain Python values.

use crate::convert::{Raised, Text};
use cuecard_core::memory::Stamp;
use cuecard_engine::session::state::{self, Session, SessionEvent, Shown};
use pyo3::prelude::*;

// Path, size and modification time of a file.
type Row = (String, u32, i64);

#[pyfunction]
pub(crate) fn read_session(data: &[u8]) -> (Vec<String>, Vec<Row>, Vec<Row>, u32) {
    let rows = |memories: Vec<Shown>| {
        memories.into_iter().map(|Shown { path, stamp }| (path, stamp.size, stamp.modified)).collect()
    };
    let Session { prompts, shown, titled, blocks } = Session::read(data);
    (prompts, rows(shown), rows(titled), blocks)
}

#[pyfunction]
#[pyo3(signature = (prompts, shown, titled, blocks=0))]
pub(crate) fn write_session(
    prompts: Vec<Text>,
    shown: Vec<(Text, u32, i64)>,
    titled: Vec<(Text, u32, i64)>,
    blocks: u32,
) -> Vec<u8> {
    let shown_of =
        |(path, size, modified): (Text, u32, i64)| Shown { path: path.into_string(), stamp: Stamp { size, modified } };
    let prompts = prompts.into_iter().map(Text::into_string).collect();
    let [shown, titled] = [shown, titled].map(|rows| rows.into_iter().map(shown_of).collect());
    Session { prompts, shown, titled, blocks }.to_bytes()
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
