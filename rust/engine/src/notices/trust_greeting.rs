//! The message that tells the user once for each store how many memories nobody has vouched for (SPEC 45.6).

use crate::store::files::StoreFiles;
use crate::store::folder::Replacement;
use crate::store::mapped::Source;
use crate::store::root::Project;
use crate::store::trust::TrustCheck;
use cuecard_core::index::Snapshot;
use cuecard_core::memory::{Status, trust_notice};
use cuecard_core::text::json_reader::read_json;

const NAME: &str = "greeted";
const TOLD: &[u8] = b"told\n";
const NONE: &[u8] = b"none\n";
const MAX_BYTES: u64 = 16;
/// The maximal numbers of memories that are counted, of files that are read, and of bytes that are read. They are
/// small, because a prompt waits for the result.
const MAX_COUNT: usize = 100;
const MAX_FILES: usize = 400;
const MAX_READ_BYTES: usize = 8 << 20;

/// Returns the message about unreviewed memories; empty if the user has seen it before or there are none.
///
/// Before it returns the message, it records in a file that the user was told. If the file cannot be written, it
/// returns an empty text, because otherwise the message would appear at every prompt.
pub(crate) fn greet(
    snapshot: &Snapshot<Source>,
    project: &Project,
    trust: &TrustCheck,
    has_met_unreviewed: bool,
) -> String {
    let Some(folder) = project.own.make() else { return String::new() };
    let told = folder.read(NAME, MAX_BYTES).unwrap_or_default();
    let is_settled = told == TOLD || (told == NONE && !has_met_unreviewed);
    if is_settled || !folder.is_writable() {
        return String::new();
    }
    let (count, is_more) = count_unreviewed(snapshot, project, trust);
    let count = count.max(usize::from(has_met_unreviewed));
    let note = if count > 0 { TOLD } else { NONE };
    match folder.replace(NAME, note, Replacement::PRIVATE) {
        Ok(_) if count > 0 => trust_notice(count, is_more),
        _ => String::new(),
    }
}

/// Returns how many active memories nobody has vouched for, and whether there may be more beyond the limits.
fn count_unreviewed(snapshot: &Snapshot<Source>, project: &Project, trust: &TrustCheck) -> (usize, bool) {
    let mut files = StoreFiles::new(project);
    let (mut count, mut looked_at, mut size) = (0, 0, 0);
    for position in 0..u32::try_from(snapshot.len()).unwrap_or(u32::MAX) {
        if snapshot.store_of(position) > 0 {
            break;
        }
        let Some(document) = snapshot.document(position).filter(|document| document.status == Status::Active) else {
            continue;
        };
        if count >= MAX_COUNT || looked_at >= MAX_FILES || size >= MAX_READ_BYTES {
            return (count, true);
        }
        looked_at += 1;
        let Ok((data, _)) = files.read(document.path()) else { continue };
        size += data.len();
        let record = read_json(&data).ok();
        count += usize::from(record.is_some_and(|record| !trust.is_vouched_for(&record)));
    }
    (count, false)
}
