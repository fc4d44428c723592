//! How much may be done for a snapshot at once: what one prompt may do (SPEC 23.2), or all there is to do.

use crate::store::files::MAX_RECORD_BYTES;
use std::time::{Duration, Instant};

/// So many files are listed for a prompt.
pub(crate) const LIST_LIMIT: usize = 10_000;

/// This share of the bytes of a file counts on top of those that are indexed.
const READ_SHARE: u64 = 2;
/// More of a memory's text is not indexed (SPEC 22.1).
const INDEXED_BYTES: u64 = 32_768;

/// What may be done for a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// So many files are read.
    pub files: usize,
    /// What the files that are read may weigh together: their bytes that are indexed, and half of all.
    pub weight: u64,
    /// Segments of at most so many bytes are written again to keep deltas few. `None` where all of them may be, and one
    /// file be made of everything.
    pub merge: Option<usize>,
    /// So many files are listed.
    pub list: usize,
    /// With larger deltas nothing more is read: all of them would be copied.
    pub deltas: usize,
    /// A second bound: a slow machine or file system gets less done.
    pub cpu_time: Duration,
    /// The same bound, in elapsed time instead of CPU time.
    pub wall_time: Duration,
}

impl Limits {
    /// What a prompt may do.
    pub const PROMPT: Self = Self {
        files: 1000,
        weight: 16_777_216,
        merge: Some(1_048_576),
        list: LIST_LIMIT,
        deltas: 33_554_432,
        cpu_time: Duration::from_millis(165),
        wall_time: Duration::from_millis(1500),
    };
    /// What a command may do: everything.
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

/// What is left of the files, of their weight and of the time.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Limits,
    begun: Instant,
    cpu_begun: Duration,
}

impl Budget {
    /// All of it.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { left: *limits, begun: Instant::now(), cpu_begun: cpu_time() }
    }

    /// Whether a file of so many bytes may be read; it counts if so.
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
