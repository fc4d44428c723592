//! Limits how much work one update of a snapshot does: for a prompt (SPEC 23.2) there are limits, for a command none.

use crate::store::files::MAX_RECORD_BYTES;
use std::time::{Duration, Instant};

/// How many files a prompt lists.
pub(crate) const LIST_LIMIT: usize = 10_000;

/// Reading a file adds its size, divided by this number, to its weight.
const READ_SHARE: u64 = 2;
/// Only this many bytes of a memory's text are indexed (SPEC 22.1).
const INDEXED_BYTES: u64 = 32_768;

/// The limits on the work for a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest number of files that may be read.
    pub files: usize,
    /// The total weight of the files that are read: their indexed bytes, and half of all bytes.
    pub weight: u64,
    /// How many bytes of segments may be merged so that there are few deltas; `None` if all segments may be merged into
    /// one file.
    pub merge: Option<usize>,
    /// How many files are listed.
    pub list: usize,
    /// The largest size of all deltas, in bytes, at which files are still read: every update copies the deltas.
    pub deltas: usize,
    /// The CPU time after which no more files are read.
    pub cpu_time: Duration,
    /// The elapsed time after which no files are read at all.
    pub wall_time: Duration,
}

impl Limits {
    /// The limits of a prompt.
    pub const PROMPT: Self = Self {
        files: 1000,
        weight: 16_777_216,
        merge: Some(1_048_576),
        list: LIST_LIMIT,
        deltas: 33_554_432,
        cpu_time: Duration::from_millis(165),
        wall_time: Duration::from_millis(1500),
    };
    /// The limits of a command: none.
    pub const NONE: Self = Self {
        files: usize::MAX,
        weight: u64::MAX,
        merge: None,
        list: usize::MAX,
        deltas: usize::MAX,
        cpu_time: Duration::MAX,
        wall_time: Duration::MAX,
    };
}

/// The part of the limits that is not used up: files, weight and time.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Limits,
    begun: Instant,
    cpu_begun: Duration,
}

impl Budget {
    /// Begins with the whole budget.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { left: *limits, begun: Instant::now(), cpu_begun: cpu_time() }
    }

    /// Whether a file of `size` bytes may be read. If so, its weight is subtracted from the budget.
    pub(crate) fn takes(&mut self, size: u64) -> bool {
        let weight = weight_of(size);
        if self.left.files > 0 && self.is_late() {
            self.left.files = 0;
        }
        if self.left.files == 0 || weight > self.left.weight {
            return false;
        }
        self.left.files -= 1;
        self.left.weight -= weight;
        true
    }

    fn is_late(&self) -> bool {
        self.begun.elapsed() > self.left.wall_time || cpu_time().saturating_sub(self.cpu_begun) > self.left.cpu_time
    }
}

/// Returns the weight of a file, an estimate in bytes of the work to read and index it. A file that is too large for a
/// memory has the weight 0, because it is not opened.
fn weight_of(size: u64) -> u64 {
    if size > MAX_RECORD_BYTES { 0 } else { size.min(INDEXED_BYTES) + size / READ_SHARE }
}

/// Returns the CPU time of this process; the work of other programs does not count.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), nanoseconds)
}

#[cfg(not(unix))]
fn cpu_time() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_by_number_and_by_weight() {
        let mut few = Budget::new(&Limits { files: 2, ..Limits::PROMPT });
        assert_eq!([few.takes(9), few.takes(9), few.takes(9)], [true, true, false]);
        let mut light = Budget::new(&Limits { weight: 1000, ..Limits::PROMPT });
        assert_eq!([light.takes(600), light.takes(100), light.takes(50)], [true, false, true]);
    }

    #[test]
    fn a_large_file_weighs_what_is_indexed_of_it_and_a_share_of_what_is_read() {
        assert_eq!([0, 800, 262_144, 262_145].map(weight_of), [0, 1200, 163_840, 0]);
    }
}
