//! The error of opening a segment (SPEC 20.5).

use std::fmt;

/// Why a segment cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentError {
    /// The bytes are not a segment.
    Foreign,
    /// The segment has another format version.
    Version,
    /// A checksum, length, order or bound is wrong.
    Damaged,
}

impl SegmentError {
    /// What the user can do about the error: the text of the `hint:` line.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Foreign => "name an index file that cuecard has written",
            Self::Version | Self::Damaged => "build the index again",
        }
    }
}

impl fmt::Display for SegmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Foreign => "the file is not a cuecard index",
            Self::Version => "the index file was written by another version of cuecard",
            Self::Damaged => "the index file is damaged",
        })
    }
}

impl std::error::Error for SegmentError {}
