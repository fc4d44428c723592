//! The file `left` of a store, which says how many substantial prompts each session has left unprocessed (SPEC 30.6).

use crate::session::typed::Typed;
use crate::store::status::now;
use crate::store::user_folder::StoreFolder;

const FILE: &str = "left";
/// The folder of ledgers.
pub(crate) const LEDGERS: &str = "ledger";
const MAX_BYTES: u64 = 1 << 18;
const SECOND: i64 = 1_000_000_000;
/// A session counts as over if nothing was typed for two hours.
const IDLE_SECONDS: i64 = 2 * 60 * 60;
/// A later session is asked about earlier ones that left at least this many prompts.
const LEAST_LEFT: u32 = 3;

/// Adds a line for a session. Where there are ledgers, only Python, which knows them, begins the file.
pub(crate) fn note(own: &StoreFolder, session: &str, typed: &Typed) {
    let line = format!("{session} {} {} {}\n", typed.open, now() / SECOND, u8::from(typed.has_ended));
    let Some(folder) = own.of_project().open() else { return };
    if folder.append_existing(FILE, line.as_bytes()).is_err() && folder.status(LEDGERS).is_err() {
        let _ = folder.append(FILE, line.as_bytes(), u64::MAX, "");
    }
}

/// Whether earlier sessions may have left enough to ask about; true as well if the file is missing beside ledgers, or
/// damaged.
pub(crate) fn is_enough(own: &StoreFolder, session: &str) -> bool {
    let Some(folder) = own.of_project().open() else { return false };
    if folder.status(FILE).is_err() {
        return folder.status(LEDGERS).is_ok();
    }
    let data = folder.read(FILE, MAX_BYTES).ok();
    let text = data.and_then(|data| String::from_utf8(data).ok());
    text.is_none_or(|text| sum_of(&text, session, now() / SECOND) >= LEAST_LEFT)
}

/// Returns how many prompts sessions that are over have left, without those of `session`. `now` is in seconds.
#[must_use]
pub fn sum_of(text: &str, session: &str, now: i64) -> u32 {
    let mut seen: Vec<&str> = vec![session];
    let mut sum = 0_u32;
    // The last line of a session counts.
    for line in text.lines().rev() {
        let mut words = line.split(' ');
        let (Some(id), Some(count), Some(time), Some(state)) = (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        if seen.contains(&id) {
            continue;
        }
        let (Ok(count), Ok(time)) = (count.parse::<u32>(), time.parse::<i64>()) else { continue };
        seen.push(id);
        if state == "1" || time <= now.saturating_sub(IDLE_SECONDS) {
            sum = sum.saturating_add(count);
        }
    }
    sum
}
