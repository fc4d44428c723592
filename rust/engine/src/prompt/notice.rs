//! What a commit has left for the user of a session, to be told once (docs/reference/capture-commit.md, "Notice").

use crate::environment::Environment;
use crate::host::Host;
use crate::prompt::answer::Answer;
use crate::session::state::session_file_name;
use crate::store::root::Project;

const NAME: &str = "notice";
const MAX_BYTES: u64 = 4096;

/// Puts what the user is told about the store, and the notice of the session, into an answer that is about to be
/// printed, where the host shows one.
pub(crate) fn tell(answer: &mut Answer, host: Host, environment: &Environment) {
    let is_told = host.shows_notices() && environment.output.as_deref() != Some("classic");
    if let (true, Some(project)) = (is_told, &answer.project) {
        let mut notice = std::mem::take(&mut answer.greeting).into_bytes();
        notice.push(b'\n');
        notice.extend(answer.event.session.as_deref().map(|session| take(project, session)).unwrap_or_default());
        answer.stdout = host.add_notice(std::mem::take(&mut answer.stdout), &notice);
    }
}

/// Takes the notice away and gives its bytes; of several processes one gets them, and usually there are none.
fn take(project: &Project, session_id: &str) -> Vec<u8> {
    let folder = session_file_name(session_id).and_then(|name| project.own.open_below("staging")?.folder(name).ok());
    let Some(folder) = folder else { return Vec::new() };
    let taken = format!("{NAME}.{}.taken", std::process::id());
    if folder.rename(NAME, &taken).is_err() {
        return Vec::new();
    }
    let data = folder.read(&taken, MAX_BYTES).unwrap_or_default();
    let _ = folder.remove(&taken);
    data
}
