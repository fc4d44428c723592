//! When a memory holds, by its status and its dates (SPEC 22.10).

use crate::text::json_reader::Json;
use crate::text::timestamp::{MICROSECONDS_A_DAY, parse_timestamp};

/// Values of `content.status` that end a memory.
const OVER: [&str; 3] = ["superseded", "deprecated", "rejected"];
/// The characters of a date without a time, with and without dashes.
const DATE_BYTES: [usize; 2] = [10, 8];

/// When a memory holds; times are in microseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Validity {
    /// Its status says that it is over.
    pub is_over: bool,
    /// It does not hold before.
    pub from: Option<i64>,
    /// It does not hold from here on.
    pub until: Option<i64>,
}

/// What a memory is at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It holds.
    Holds,
    /// It did before, or was rejected.
    Over,
    /// It does not hold yet.
    Ahead,
}

impl Standing {
    /// Its name: `holds`, `over` or `ahead`.
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
    /// That of a memory's file that has been read.
    #[must_use]
    pub fn of(record: &Json) -> Self {
        let own = |name: &str| record.get("cuecard").and_then(|extension| extension.get(name)).and_then(Json::as_text);
        let status = record.get("content").and_then(|content| content.get("status")).and_then(Json::as_text);
        let end = |text: &str| {
            // A day counts to its end.
            let is_day = DATE_BYTES.contains(&text.len());
            Some(parse_timestamp(text)?.saturating_add(if is_day { MICROSECONDS_A_DAY } else { 0 }))
        };
        Self {
            is_over: status.is_some_and(|status| OVER.contains(&status)),
            from: own("valid_from").and_then(parse_timestamp),
            until: own("valid_until").and_then(end),
        }
    }

    /// What it is at a time.
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
