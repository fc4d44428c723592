//! Tells to which endpoints the user has consented (SPEC 41.3), and which endpoints are not asked for a while after a
//! failure (SPEC 41.4).

use crate::environment::Environment;
use crate::store::folder::{Folder, read_elsewhere};
use cuecard_core::settings::{Settings, endpoint_place};
use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

const ALLOWED_FILE: &str = "allowed-hosts";
const MAX_ALLOWED_BYTES: u64 = 1 << 16;
/// The file in the user's data folder with a line for each endpoint that has failed: its place, and the time in seconds
/// since 1970.
const RESTING_FILE: &str = "endpoints";
const MAX_RESTING_BYTES: u64 = 1 << 14;
const REST_SECONDS: u64 = 300;

/// What an endpoint is asked for at a prompt.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// The vector of the prompt.
    Embedding,
    /// Which candidates the prompt needs.
    Judge,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Judge => "judge",
        }
    }
}

/// Whether the user has consented to a place for a purpose: by name, or because the user's own configuration asks the
/// place for that purpose.
pub(crate) fn is_allowed(place: &str, purpose: Purpose, settings: &Settings, environment: &Environment) -> bool {
    let is_it = |named: &str| place_named(named).is_some_and(|named| named == place);
    if environment.allowed_hosts.split(',').any(is_it) {
        return true;
    }
    let own = match purpose {
        Purpose::Embedding => &settings.user_embedding_place,
        Purpose::Judge => &settings.user_judge_place,
    };
    if own.as_deref() == Some(place) {
        return true;
    }
    let folder = environment.config_home.as_ref().map(|folder| folder.join("cuecard"));
    let file = folder.and_then(|folder| read_elsewhere(&folder.join(ALLOWED_FILE), MAX_ALLOWED_BYTES).ok());
    let text = file.map(|data| String::from_utf8_lossy(&data).into_owned()).unwrap_or_default();
    text.split('\n').any(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
        // A line without a purpose is of an earlier version, which knew these two purposes.
        words.next().is_some_and(is_it) && words.next().is_none_or(|word| word == purpose.name())
    })
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

/// Reads a place that a user has written as a URL, or as host and port; `None` if it is malformed.
///
/// Without a scheme, `http` is meant for port 80 and for this machine with a port other than 443, and otherwise `https`.
fn place_named(text: &str) -> Option<String> {
    let text = text.trim_matches(|char: char| char.is_ascii_whitespace());
    if text.contains("://") {
        return endpoint_place(text);
    }
    let secure = endpoint_place(&format!("https://{text}"))?;
    // Port 443 is left out of the place.
    let is_plain = secure
        .strip_prefix("https://")
        .and_then(|authority| authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')))
        .is_some_and(|(host, port)| port == "80" || is_this_machine(host));
    if is_plain { endpoint_place(&format!("http://{text}")) } else { Some(secure) }
}

/// Whether a host is `localhost` or an address of loopback.
fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
}
