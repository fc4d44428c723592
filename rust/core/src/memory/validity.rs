//! Decides when a memory is valid, by its status and its dates (SPEC 22.10).

use crate::text::json_reader::Json;
use crate::text::timestamp::{MICROSECONDS_A_DAY, parse_timestamp};

/// The values of `content.status` with which a memory is not valid at any time.
const OVER: [&str; 3] = ["superseded", "deprecated", "rejected"];
/// The two lengths in bytes of a date without a time: with dashes and without dashes.
const DATE_BYTES: [usize; 2] = [10, 8];

/// When a memory is valid; times are in microseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Validity {
    /// Whether the memory's status says that it is not valid at any time.
    pub is_over: bool,
    /// The time from which on the memory is valid; `None` for no limit.
    pub from: Option<i64>,
    /// The time at which the memory stops being valid; `None` for no limit.
    pub until: Option<i64>,
}

/// Whether a memory is valid at some point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The memory is valid.
    Holds,
    /// The memory's end date has passed, or its status says that it is not valid.
    Over,
    /// The memory is not valid yet.
    Ahead,
}

impl Standing {
    /// The name of this value: `holds`, `over` or `ahead`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Over => "over",
            Self::Ahead => "ahead",
        }
    }
}

impl Validity {
    /// Reads the validity of a memory whose file was already parsed.
    #[must_use]
    pub fn of(record: &Json) -> Self {
        let own = |name: &str| record.get("cuecard").and_then(|extension| extension.get(name)).and_then(Json::as_text);
        let status = record.get("content").and_then(|content| content.get("status")).and_then(Json::as_text);
        let end = |text: &str| {
            // A date without a time means the whole day, so an end date ends with that day.
            let is_day = DATE_BYTES.contains(&text.len());
            Some(parse_timestamp(text)?.saturating_add(if is_day { MICROSECONDS_A_DAY } else { 0 }))
        };
        Self {
            is_over: status.is_some_and(|status| OVER.contains(&status)),
            from: own("valid_from").and_then(parse_timestamp),
            until: own("valid_until").and_then(end),
        }
    }

    /// Whether the memory is valid at the time `now`, in microseconds since 1970.
    #[must_use]
    pub fn at(&self, now: i64) -> Standing {
        if self.is_over || self.until.is_some_and(|until| now >= until) {
            Standing::Over
        } else if self.from.is_some_and(|from| now < from) {
            Standing::Ahead
        } else {
            Standing::Holds
        }
    }
}
