//! The log: one line for each thing that went wrong (SPEC 14.4).

use crate::environment::Environment;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MAX_LOG_BYTES: u64 = 1 << 20;
const MAX_NOTE_CHARS: usize = 500;

/// Appends a line a note about an event. A log that cannot be written is given up: there is nobody left to tell.
pub(crate) fn append(environment: &Environment, memory_dir: Option<&Path>, event: &str, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    if let Some(path) = log_path(environment, memory_dir) {
        // What lies in a store is text of others, and a link there could make any file the log.
        if environment.log.is_some() || !path.is_symlink() {
            let _ = append_lines(&path, event, notes);
        }
    }
}

/// `CUECARD_LOG`, else the store's own log, else the user's. `None` where the log is off.
fn log_path(environment: &Environment, memory_dir: Option<&Path>) -> Option<PathBuf> {
    if let Some(path) = &environment.log {
        return (path != "off").then(|| PathBuf::from(path));
    }
    if let Some(memory_dir) = memory_dir {
        let derived = ensure_derived_folder(memory_dir).ok()?;
        return Some(derived.join("log").join("hook.log"));
    }
    Some(environment.state_home.as_ref()?.join("cuecard").join("hook.log"))
}

/// Makes the folder of derived state with its `.gitignore`, where they are missing.
pub(crate) fn ensure_derived_folder(memory_dir: &Path) -> std::io::Result<PathBuf> {
    let derived = memory_dir.join(".cuecard");
    let ignore = derived.join(".gitignore");
    // One that is shorter was left by a process that died.
    if !fs::metadata(&ignore).is_ok_and(|metadata| metadata.len() >= 2) {
        fs::create_dir_all(&derived)?;
        fs::write(&ignore, "*\n")?;
    }
    Ok(derived)
}

fn append_lines(path: &Path, event: &str, notes: &[String]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::metadata(path) {
        // A pipe or a device could block.
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        Ok(metadata) if metadata.len() > MAX_LOG_BYTES => fs::rename(path, path.with_extension("log.1"))?,
        _ => {}
    }
    let now = utc_now();
    let mut lines = String::new();
    for note in notes {
        let note: String =
            note.chars().map(|char| if char.is_ascii_control() { ' ' } else { char }).take(MAX_NOTE_CHARS).collect();
        let _ = writeln!(lines, "{now} {event}: {note}");
    }
    OpenOptions::new().create(true).append(true).open(path)?.write_all(lines.as_bytes())
}

/// This second.
pub(crate) fn utc_now() -> String {
    format_utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// `YYYY-MM-DDTHH:MM:SSZ` of seconds since 1970.
fn format_utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, where leap days end the year (Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::format_utc;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(format_utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(format_utc(1_709_164_800), "2024-02-29T00:00:00Z");
        assert_eq!(format_utc(1_798_761_599), "2026-12-31T23:59:59Z");
    }
}
