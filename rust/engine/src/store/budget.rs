//! How much one prompt may do for its snapshot (SPEC 23.2).

use crate::store::files::MAX_RECORD_BYTES;
use std::time::{Duration, Instant};

/// So many files are listed, and so many of them read.
pub(crate) const LIST_LIMIT: usize = 10_000;
const FILE_LIMIT: usize = 1000;
/// What the files that are read may weigh together.
const WEIGHT_LIMIT: u64 = 16_777_216;
/// Segments of at most so many bytes are written again to keep deltas few.
pub(crate) const MERGE_LIMIT: usize = 1_048_576;
/// With larger deltas a prompt reads no more: it would copy all of them.
pub(crate) const DELTA_LIMIT: usize = 33_554_432;
/// A second bound: a slow machine or file system gets less done.
const CPU_LIMIT: Duration = Duration::from_millis(165);
const WALL_LIMIT: Duration = Duration::from_millis(1500);

/// Of the bytes of a file this share counts on top of those that are indexed.
const READ_SHARE: u64 = 2;
/// More of a memory's text is not indexed (SPEC 22.1).
const INDEXED_BYTES: u64 = 32_768;

/// What is left of it.
#[derive(Debug)]
pub(crate) struct Budget {
    files: usize,
    weight: u64,
    begun: Instant,
    cpu_begun: Duration,
}

impl Budget {
    /// What a prompt may do.
    pub(crate) fn of_prompt() -> Self {
        Self::new(FILE_LIMIT, WEIGHT_LIMIT)
    }

    /// So many files of that weight together, within the time of a prompt.
    pub(crate) fn new(files: usize, weight: u64) -> Self {
        Self { files, weight, begun: Instant::now(), cpu_begun: cpu_time() }
    }

    /// Whether a file of so many bytes may be read; it counts if so.
    pub(crate) fn takes(&mut self, size: u64) -> bool {
        let weight = weight_of(size);
        if self.files > 0 && self.is_late() {
            self.files = 0;
        }
        if self.files == 0 || weight > self.weight {
            return false;
        }
        self.files -= 1;
        self.weight -= weight;
        true
    }

    fn is_late(&self) -> bool {
        self.begun.elapsed() > WALL_LIMIT || cpu_time().saturating_sub(self.cpu_begun) > CPU_LIMIT
    }
}

/// What reading and indexing a file weighs. One that is too large is not opened.
fn weight_of(size: u64) -> u64 {
    if size > MAX_RECORD_BYTES { 0 } else { size.min(INDEXED_BYTES) + size / READ_SHARE }
}

/// What this process has used of the processor: other programs do not make it late.
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
        let mut few = Budget::new(2, 1 << 20);
        assert_eq!([few.takes(9), few.takes(9), few.takes(9)], [true, true, false]);
        let mut light = Budget::new(9, 1000);
        assert_eq!([light.takes(600), light.takes(100), light.takes(50)], [true, false, true]);
    }

    #[test]
    fn a_large_file_weighs_what_is_indexed_of_it_and_a_share_of_what_is_read() {
        assert_eq!([0, 800, 262_144, 262_145].map(weight_of), [0, 1200, 163_840, 0]);
    }
}
