//! Reads the focus: areas that the user works on, set for a session, or for the project for twelve hours (SPEC 36).

use crate::session::state::session_file_name;
use crate::store::folder::Folder;
use crate::store::root::Project;
use std::time::{SystemTime, UNIX_EPOCH};

const HEADER: &str = "cuecard focus 1";
const MAX_BYTES: u64 = 1 << 16;
const MAX_AREAS: usize = 8;
/// How many seconds the focus of a project lasts.
const LIFE: u64 = 12 * 60 * 60;

/// Returns the areas of the session's focus or, if the session has no focus, of the project's focus. There are at most
/// eight areas; there are none without a focus.
pub(crate) fn read_focus(project: &Project, session_id: Option<&str>) -> Vec<String> {
    let name = session_id.and_then(session_file_name);
    let of_session = name.and_then(|name| read_file(&project.own.open_below("sessions")?, &format!("{name}.focus")));
    if let Some((_, areas)) = of_session {
        return areas;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let of_project = project.own.open().and_then(|own| read_file(&own, "focus"));
    let young = of_project.filter(|(set, _)| now.checked_sub(*set).is_some_and(|age| age < LIFE));
    young.map(|(_, areas)| areas).unwrap_or_default()
}

/// Returns when a focus was set, in seconds since 1970, and its areas; `None` if its file is missing or damaged.
fn read_file(folder: &Folder, name: &str) -> Option<(u64, Vec<String>)> {
    let data = folder.read(name, MAX_BYTES).ok()?;
    let mut lines = std::str::from_utf8(&data).ok()?.strip_suffix('\n')?.split('\n');
    if lines.next() != Some(HEADER) {
        return None;
    }
    let digits = lines.next()?.strip_prefix("set ")?;
    let set = digits.parse::<u64>().ok().filter(|set| set.to_string() == digits)?;
    let area = |line: &str| line.strip_prefix("area ").filter(|area| !area.is_empty()).map(str::to_owned);
    let mut areas = lines.map(area).collect::<Option<Vec<_>>>()?;
    areas.truncate(MAX_AREAS);
    Some((set, areas))
}
