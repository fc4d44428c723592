//! Reads the new lines of a transcript (SPEC 56.3).

use crate::store::folder::{Unread, read_new_lines_elsewhere};
use cuecard_core::capture::Ledger;
use std::path::Path;

const MAX_NEW_BYTES: u64 = 8 << 20;

/// The new part of a transcript.
#[derive(Debug, Default)]
pub(crate) struct NewLines {
    data: Vec<u8>,
    /// The number that is added to a byte position in the transcript to get the position that the ledger records.
    pub(crate) base: i64,
    /// The position of the first byte that was read.
    start: i64,
    /// The position up to which earlier events have read the transcript.
    pub(crate) from: i64,
    /// The position after the last complete line.
    pub(crate) to: i64,
    /// Whether the transcript is not the file that earlier events have read.
    pub(crate) is_restart: bool,
}

impl NewLines {
    /// Takes the lines that an event carries, without lines that earlier events have read. `start` is the byte of the
    /// transcript at which the lines begin.
    pub(crate) fn given(start: u64, text: &str, name: &str, ledger: &Ledger) -> Self {
        let is_other = !ledger.transcript.is_empty() && ledger.transcript != name;
        let before = if is_other { 0 } else { number(ledger.position - ledger.base) };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let known = usize::try_from(before.saturating_sub(start)).unwrap_or(usize::MAX).min(whole);
        let data = text.as_bytes().get(known..whole).unwrap_or_default().to_vec();
        let base = if is_other { ledger.position } else { ledger.base };
        let begin = start.max(before.min(start.saturating_add(whole as u64)));
        let start = i64::try_from(begin).unwrap_or(i64::MAX).saturating_add(base);
        let length = i64::try_from(data.len()).unwrap_or_default();
        let to = (start.saturating_add(length)).max(ledger.position);
        Self { data, base, start, from: ledger.position, to, is_restart: is_other }
    }

    /// Reads the part of a transcript after the position that a ledger has recorded.
    pub(crate) fn read(path: &Path, name: &str, ledger: &Ledger) -> Result<Self, Unread> {
        let is_other = !ledger.transcript.is_empty() && ledger.transcript != name;
        let before = if is_other { 0 } else { number(ledger.position - ledger.base) };
        let (start, data) = read_new_lines_elsewhere(path, before, MAX_NEW_BYTES)?;
        let is_restart = is_other || start < before;
        let base = if is_restart { ledger.position } else { ledger.base };
        let start = i64::try_from(start).unwrap_or(i64::MAX).saturating_add(base);
        let length = i64::try_from(data.len()).unwrap_or_default();
        let to = if length == 0 && start < ledger.position { ledger.position } else { start + length };
        Ok(Self { data, base, start, from: ledger.position, to, is_restart })
    }

    /// Whether there is no new line.
    pub(crate) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns the lines with their positions.
    pub(crate) fn lines(&self) -> Vec<(i64, &[u8])> {
        let mut at = self.start;
        let mut lines = Vec::new();
        for line in self.data.split(|byte| *byte == b'\n') {
            if !line.is_empty() {
                lines.push((at, line));
            }
            at += i64::try_from(line.len()).unwrap_or_default() + 1;
        }
        lines
    }
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}
