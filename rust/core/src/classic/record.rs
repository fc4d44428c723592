//! Checks a memory file that was found: its status and its age (SPEC 8).

use crate::text::json_reader::{Json, read_json};
use crate::text::timestamp::{MICROSECONDS_A_DAY, parse_timestamp};

const RECENT_DAYS: i64 = 30;
const RECENT_POINTS: i64 = 1;

/// Returns the points that a memory's file adds to its score, or `None` if the memory must be dropped.
///
/// Retired memories are dropped; with `only_active`, archived memories are dropped too. A memory that was updated at
/// most 30 days before `now` (microseconds since 1970) gains a point. A file that is not valid JSON gives 0 points.
#[must_use]
pub fn check_record(data: &[u8], now: i64, only_active: bool) -> Option<i64> {
    let Ok(record) = read_json(data) else { return Some(0) };
    match record.get("record_status").and_then(Json::as_text) {
        Some("retired") => return None,
        Some("archived") if only_active => return None,
        _ => {}
    }
    Some(recency_points(record.get("updated_at").and_then(Json::as_text).and_then(parse_timestamp), now))
}

/// Returns 1 for a memory that was updated at most 30 days before `now`, else 0. Both times are in microseconds since
/// 1970.
#[must_use]
pub fn recency_points(updated_at: Option<i64>, now: i64) -> i64 {
    let age_days = |updated: i64| now.saturating_sub(updated).div_euclid(MICROSECONDS_A_DAY);
    if updated_at.is_some_and(|updated| age_days(updated) <= RECENT_DAYS) { RECENT_POINTS } else { 0 }
}
