//! The hook's error log: one line for each problem (SPEC 14.4).

use crate::environment::Environment;
use crate::store::folder::Folder;
use crate::store::root::Project;
use crate::surroundings::resolve;
use cuecard_core::text::possible_secret::legible_note;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MAX_LOG_BYTES: u64 = 1 << 20;

/// The folder of a store's logs in the user's data folder.
pub(crate) const FOLDER: &str = "log";
const FILE: &str = "hook.log";
const FULL_FILE: &str = "hook.log.1";

/// Appends one line for each note: to `CUECARD_LOG` if that lies in the data folder, else to the log of the project's store, else to the user's log.
/// Write errors are ignored: the hook has nowhere to report them.
pub(crate) fn append(environment: &Environment, project: Option<&Project>, event: &str, notes: &[String]) {
    if notes.is_empty() || environment.log.as_deref().is_some_and(|log| log == "off") {
        return;
    }
    let lines = lines_of(event, notes);
    let named = environment.log.as_ref().and_then(|path| log_in_data(Path::new(path), environment));
    let _ = match (&named, project) {
        (Some(path), _) => append_to_named(path, &lines),
        (None, Some(project)) => project.own.make_below(FOLDER).and_then(|folder| append_to(&folder, &lines)),
        (None, None) => append_to_users(environment, &lines),
    };
}

/// Appends to the user's log, the log for problems that belong to no store.
fn append_to_users(environment: &Environment, lines: &str) -> io::Result<()> {
    let path = environment.state_home.as_ref().ok_or(io::ErrorKind::NotFound)?.join("cuecard");
    fs::create_dir_all(&path)?;
    append_to(&Folder::open(&path)?, lines)
}

fn append_to(folder: &Folder, lines: &str) -> io::Result<()> {
    folder.append(FILE, lines.as_bytes(), MAX_LOG_BYTES, FULL_FILE)
}

/// Returns the real path of the log that `CUECARD_LOG` names; `None` if it is not the user's. The variable can come from
/// a repository, so the file must lie in the user's data folder, and its name must not be that of other data.
fn log_in_data(path: &Path, environment: &Environment) -> Option<PathBuf> {
    let data = environment.data_folder.as_deref()?;
    if !path.is_absolute() || path.extension().is_none_or(|extension| extension != "log") {
        return None;
    }
    let (real, _) = resolve(path)?;
    let (data, _) = resolve(data)?;
    (real != data && real.starts_with(data)).then_some(real)
}

/// Appends to the file that the user named.
fn append_to_named(path: &Path, lines: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::metadata(path) {
        // A pipe or a device could block.
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        Ok(metadata) if metadata.len() > MAX_LOG_BYTES => fs::rename(path, path.with_extension("log.1"))?,
        _ => {}
    }
    OpenOptions::new().create(true).append(true).open(path)?.write_all(lines.as_bytes())
}

fn lines_of(event: &str, notes: &[String]) -> String {
    let now = utc_now();
    let mut lines = String::new();
    for note in notes {
        let _ = writeln!(lines, "{now} {event}: {}", legible_note(note));
    }
    lines
}

/// Returns the current time in UTC, to the second.
pub(crate) fn utc_now() -> String {
    format_utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// Formats seconds since 1970 as `YYYY-MM-DDTHH:MM:SSZ`.
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
