//! The staging folder of a session: the files that an agent reads when it is asked for memories, and later its drafts
//! (SPEC 56.10).

use crate::store::folder::{Folder, PRIVATE_FOLDER, Replacement};
use crate::store::status::now;
use crate::store::user_folder::StoreFolder;
use cuecard_core::capture::Ask;
use cuecard_core::text::json_writer::quote;
use std::io;

const FOLDER: &str = "staging";
const MANIFEST: &str = "triage.json";
/// The file with all entries that the agent is asked about.
pub(crate) const WHOLE: &str = "context-ledger.txt";
const LIFE: i64 = 7 * 24 * 60 * 60 * 1_000_000_000;
const MAX_FOLDERS: usize = 10_000;
const MAX_FILES: usize = 100;

/// The content of the files for the agent.
pub(crate) struct Staged<'a> {
    /// The id of the session whose agent is asked.
    pub(crate) session: &'a str,
    /// The path of the transcript.
    pub(crate) transcript: &'a str,
    /// The range of bytes in the transcript that the entries come from: `start` to `end`.
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The time of the request to the agent, in the format of the log.
    pub(crate) time: &'a str,
    /// The sessions that the agent is asked about, each with the request about its entries.
    pub(crate) parts: &'a [(String, Ask)],
    /// All entries as the agent reads them: the content of the file [`WHOLE`].
    pub(crate) whole: &'a str,
}

impl Staged<'_> {
    /// Writes the manifest and the file with the entries, `WHOLE`.
    pub(crate) fn write(&self, own: &StoreFolder) -> io::Result<()> {
        let staging = own.make_below(FOLDER)?;
        sweep(&staging);
        let folder = staging.make_folder(self.session, PRIVATE_FOLDER)?;
        folder.replace(WHOLE, self.whole.as_bytes(), Replacement::PRIVATE)?;
        folder.replace(MANIFEST, self.manifest().as_bytes(), Replacement::PRIVATE).map(|_| ())
    }

    fn manifest(&self) -> String {
        let part = |(session, ask): &(String, Ask)| {
            let (session, id, Ask { from, to, .. }) = (quote(session), quote(&ask.id), ask);
            format!("{{\"session\":{session},\"ask\":{id},\"from\":{from},\"to\":{to}}}")
        };
        let parts = self.parts.iter().map(part).collect::<Vec<_>>().join(",");
        let cause = self.parts.first().map(|(_, ask)| ask.cause.as_str()).unwrap_or_default();
        let (session, transcript, time) = (quote(self.session), quote(self.transcript), quote(self.time));
        let Self { start, end, .. } = self;
        format!(
            "{{\"version\":1,\"revision\":\"ledger\",\"session_id\":{session},\"transcript\":{transcript},\
             \"start\":{start},\"end\":{end},\"time\":{time},\"cause\":\"{cause}\",\"parts\":[{parts}]}}\n"
        )
    }
}

/// Returns the path of a session's staging folder, for the request to the agent.
pub(crate) fn path_of(own: &StoreFolder, session: &str) -> Option<String> {
    let path = own.path()?.join(FOLDER).join(session);
    Some(path.to_string_lossy().into_owned())
}

/// Removes the request from a session's staging folder, so that nothing more is drafted.
pub(crate) fn clear(own: &StoreFolder, session: &str) {
    let folder = own.open_below(FOLDER).and_then(|staging| staging.folder(session).ok());
    if let Some(folder) = folder {
        for name in [MANIFEST, WHOLE] {
            let _ = folder.remove(name);
        }
    }
}

/// Empties the staging folders that were not used for a week.
fn sweep(staging: &Folder) {
    let least = now().saturating_sub(LIFE);
    for name in staging.list(MAX_FOLDERS, |_| true).ok().flatten().unwrap_or_default() {
        if staging.status(&name).is_ok_and(|status| status.modified < least) {
            let Ok(folder) = staging.folder(&name) else { continue };
            for file in folder.list(MAX_FILES, |_| true).ok().flatten().unwrap_or_default() {
                let _ = folder.remove(&file);
            }
        }
    }
}
