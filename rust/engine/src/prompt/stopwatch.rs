//! Measures how long the stages of recall take.

use std::time::Instant;

/// A clock that was started with a prompt.
pub(crate) struct Stopwatch {
    start: Instant,
    lap: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { start: now, lap: now }
    }

    /// Returns the microseconds since the last call, or since the start at the first call.
    pub(crate) fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let micros = now.duration_since(self.lap).as_micros();
        self.lap = now;
        u64::try_from(micros).unwrap_or(u64::MAX)
    }

    /// Returns the microseconds since the start.
    pub(crate) fn total(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
