//! The settings of capture that a prompt and a stop need.

use std::ops::RangeInclusive;

use cuecard_core::settings::{Settings, setting};
use cuecard_core::text::json_reader::Json;

/// The value of `triage.revision` that selects the rules of the claude-memory plugin.
const PLUGIN_REVISION: &str = "v5-0220";
const EVERY: u32 = 8;
/// Other values of `capture.every` count as not set.
const BOUNDS: RangeInclusive<i64> = 3..=100;

/// The settings of capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaptureSettings {
    /// Whether agents may be asked for memories, by the rules of the ledger.
    pub(crate) is_on: bool,
    /// Whether the rules of the claude-memory plugin apply.
    pub(crate) is_plugin: bool,
    /// After how many substantial prompts an agent is asked for memories.
    pub(crate) every: u32,
}

impl CaptureSettings {
    /// Returns the settings of capture for a store.
    pub(crate) fn of(settings: &Settings) -> Self {
        let every = match settings.given(setting!("capture.every")) {
            Some(Json::Integer(every)) if BOUNDS.contains(every) => u32::try_from(*every).unwrap_or(EVERY),
            _ => EVERY,
        };
        let ledger = settings.given(setting!("capture.ledger"));
        let has_ledger = ledger != Some(&Json::Bool(false)) && ledger.and_then(Json::as_text) != Some("off");
        let is_plugin = settings.given(setting!("triage.revision")).and_then(Json::as_text) == Some(PLUGIN_REVISION);
        let asks = settings.given(setting!("triage.enabled")).is_none_or(Json::is_truthy);
        Self { is_on: has_ledger && asks && !is_plugin, is_plugin, every }
    }
}

#[cfg(test)]
mod tests {
    use cuecard_core::settings::read_settings;

    use super::*;

    #[test]
    fn a_number_of_prompts_out_of_bounds_counts_as_not_set() {
        for (given, every) in [("2", 8), ("3", 3), ("100", 100), ("101", 8), ("true", 8)] {
            let file = format!("{{\"capture\": {{\"every\": {given}}}}}");
            assert_eq!(CaptureSettings::of(&read_settings(Some(file.as_bytes()), None)).every, every, "{given}");
        }
    }
}
