//! Reads the user's configuration as it stands, for the few rules that ask it before the settings of a store are known.

use crate::environment::Environment;
use crate::store::folder::read_elsewhere;
use cuecard_core::text::json_reader::{Json, read_json};

pub(crate) const USER_FILE: &str = "config.json";
pub(crate) const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// Returns the user's configuration; `None` if it is missing or damaged.
pub(crate) fn read_user_settings(environment: &Environment) -> Option<Json> {
    let path = environment.config_home.as_ref()?.join("cuecard").join(USER_FILE);
    read_json(&read_elsewhere(&path, MAX_SETTINGS_BYTES).ok()?).ok()
}
