//! Finds the transcript of a session whose host does not name it in its events (SPEC 30.5).

use crate::environment::{Environment, raw};
use crate::host::Host;
use crate::session::state::session_file_name;
use cuecard_core::tables::host_table::TRANSCRIPTS;
use std::fs;
use std::path::PathBuf;

/// At most this many folders are looked into.
const MAX_FOLDERS: usize = 4096;

/// Returns the path of a session's transcript by the table of hosts; empty if there is none.
pub(crate) fn find_transcript(host: Host, session: &str, environment: &Environment) -> PathBuf {
    let found = || {
        let (variable, places) = TRANSCRIPTS.row(host.name())?.split_once(' ')?;
        let (usual, place) = places.split_once(' ')?;
        let (folder, file) = place.split_once("/*/")?;
        let file = file.replace("SESSION", session_file_name(session)?);
        let named = raw(variable).map(PathBuf::from).filter(|named| environment.surroundings().admits(named));
        let own = named.or_else(|| Some(environment.home.as_ref()?.join(usual)))?;
        let folders = fs::read_dir(own.join(folder)).ok()?;
        let mut places = folders.take(MAX_FOLDERS).flatten().map(|entry| entry.path().join(&file));
        places.find(|place| place.is_file())
    };
    found().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_found_by_the_id_of_its_session_and_by_nothing_else() {
        let home = std::env::temp_dir().join(format!("cuecard-transcript-{}", std::process::id()));
        let file = home.join(".kimi-code/sessions/w/s-1/agents/main/wire.jsonl");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{}\n").unwrap();
        let environment = Environment { home: Some(home.clone()), ..Environment::default() };
        let find = |host, session| find_transcript(Host::from_name(host).unwrap(), session, &environment);
        assert_eq!(find("kimi", "s-1"), file);
        for (host, session) in [("kimi", "s-2"), ("kimi", ""), ("kimi", "../w/s-1"), ("codex", "s-1")] {
            assert_eq!(find(host, session), PathBuf::new(), "{host} {session}");
        }
        fs::remove_dir_all(home).unwrap();
    }
}
