//! What a commit has left for the user of a session, to be told once (SPEC 42.7).

use crate::environment::Environment;
use crate::files::read_bounded;
use crate::prompt_path::Answer;
use cuecard_core::{Host, session_file_name};
use std::fs;
use std::path::Path;

const MAX_BYTES: u64 = 4096;

/// Puts the notice of its session into an answer that is about to be printed, where the host shows one.
pub(crate) fn tell(answer: &mut Answer, host: Host, environment: &Environment) {
    let is_told = host.shows_notices() && environment.output.as_deref() != Some("classic");
    if let (true, Some(memory_dir), Some(session)) = (is_told, &answer.memory_dir, &answer.event.session) {
        answer.stdout = host.add_notice(std::mem::take(&mut answer.stdout), &take(memory_dir, session));
    }
}

/// Takes the notice away and gives its bytes; of several processes one gets them, and next to always there are none.
fn take(memory_dir: &Path, session_id: &str) -> Vec<u8> {
    let Some(name) = session_file_name(session_id) else { return Vec::new() };
    let path = memory_dir.join(".cuecard").join("staging").join(name).join("notice");
    let taken = path.with_extension(format!("{}.taken", std::process::id()));
    if fs::rename(&path, &taken).is_err() {
        return Vec::new();
    }
    let is_file = fs::symlink_metadata(&taken).is_ok_and(|metadata| metadata.is_file());
    let data = if is_file { read_bounded(&taken, MAX_BYTES).unwrap_or_default() } else { Vec::new() };
    let _ = fs::remove_file(&taken);
    data
}
