//! Tells to which endpoints the user has consented (SPEC 48.3), and which endpoints are not asked for a while after a
//! failure (SPEC 48.4).

use crate::environment::Environment;
use crate::store::folder::{Folder, read_elsewhere};
use cuecard_core::settings::{Settings, endpoint_place};
use std::time::{SystemTime, UNIX_EPOCH};

const ALLOWED_FILE: &str = "allowed-hosts";
const MAX_ALLOWED_BYTES: u64 = 1 << 16;
/// The file in the user's data folder with a line for each endpoint that has failed: its host and port, and the time in
/// seconds since 1970.
const RESTING_FILE: &str = "endpoints";
const MAX_RESTING_BYTES: u64 = 1 << 14;
const REST_SECONDS: u64 = 300;

/// Whether the user has consented to an endpoint: by name, or because the user's own configuration names it.
pub(crate) fn is_allowed(place: &str, settings: &Settings, environment: &Environment) -> bool {
    let is_it = |named: &str| place_named(named).is_some_and(|named| named == place);
    if environment.allowed_hosts.split(',').any(is_it) {
        return true;
    }
    if settings.user_places.iter().any(|own| own == place) {
        return true;
    }
    let folder = environment.config_home.as_ref().map(|folder| folder.join("cuecard"));
    let file = folder.and_then(|folder| read_elsewhere(&folder.join(ALLOWED_FILE), MAX_ALLOWED_BYTES).ok());
    let text = file.map(|data| String::from_utf8_lossy(&data).into_owned()).unwrap_or_default();
    text.lines().any(|line| is_it(line.split('#').next().unwrap_or_default()))
}

/// Whether an endpoint failed a short time ago, so that prompts do not ask it now.
pub(crate) fn is_resting(place: &str, environment: &Environment) -> bool {
    let data = environment.data_folder.as_deref().and_then(|path| Folder::open(path).ok());
    let Some(data) = data.and_then(|folder| folder.read(RESTING_FILE, MAX_RESTING_BYTES).ok()) else { return false };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let is_recent = |line: &str| {
        let (named, moment) = line.split_once(' ')?;
        let age = now.checked_sub(moment.parse().ok()?)?;
        Some(named == place && age < REST_SECONDS)
    };
    String::from_utf8_lossy(&data).lines().any(|line| is_recent(line).unwrap_or(false))
}

/// Reads an endpoint that a user has written as a URL or as host and port; `None` if it is malformed.
fn place_named(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains("://") { endpoint_place(text) } else { endpoint_place(&format!("https://{text}")) }
}
