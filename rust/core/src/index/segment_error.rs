//! Why bytes are no segment, as data (SPEC 20.5).

use std::fmt;

/// Why bytes are no segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentError {
    /// Something else than a segment.
    Foreign,
    /// A segment of another version.
    Version,
    /// Checksum, lengths, order or bounds are wrong.
    Damaged,
}

impl SegmentError {
    /// What to do about it.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Foreign => "name a file that cuecard has written",
            Self::Version | Self::Damaged => "build it again",
        }
    }
}

impl fmt::Display for SegmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Foreign => "the file is no segment of cuecard",
            Self::Version => "the segment was written by another version of cuecard",
            Self::Damaged => "the segment is damaged",
        })
    }
}

impl std::error::Error for SegmentError {}
