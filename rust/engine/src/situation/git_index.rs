//! Reads the index of a Git repository, which lists the files of the working tree (SPEC 35.2).
//!
//! Source: "index-format" of Git's technical documentation, versions 2, 3 and 4.

/// The number of bytes of an entry before its hash (times, numbers and sizes), and of its flags.
const NUMBERS: usize = 40;
const FLAGS: usize = 2;
const HEADER: usize = 12;
/// The lengths of SHA-1 and SHA-256 hashes. An index does not say which of them it uses.
const HASHES: [usize; 2] = [20, 32];

const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// A regular file as it was when Git last looked at it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// The path of the file from the top of the working tree, with `/` between its parts.
    pub(crate) name: Vec<u8>,
    /// Its modification time: seconds since 1970, and nanoseconds in that second.
    pub(crate) seconds: u32,
    pub(crate) nanoseconds: u32,
    /// The lower 32 bits of its size in bytes.
    pub(crate) size: u32,
}

/// Returns the regular files in an index, in its order. A file with a merge conflict can occur up to three times. Files
/// that Git is told not to check (`assume-valid`, `skip-worktree`) are left out. `None` for data that is not a complete
/// index, and for an index with more than `limit` entries.
pub(crate) fn read_index(data: &[u8], limit: usize) -> Option<Vec<IndexEntry>> {
    let (magic, version, count) = (data.get(..4)?, number(data, 4)?, number(data, 8)?);
    if magic != b"DIRC" || !(2..=4).contains(&version) || count as usize > limit {
        return None;
    }
    HASHES.into_iter().find_map(|hash| read_entries(data, version, count, hash))
}

fn read_entries(data: &[u8], version: u32, count: u32, hash: usize) -> Option<Vec<IndexEntry>> {
    let mut entries = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    let mut at = HEADER;
    for _ in 0..count {
        let begin = at;
        at = begin + NUMBERS + hash;
        let flags = short(data, at)?;
        at += FLAGS;
        let mut more_flags = 0;
        if flags & EXTENDED != 0 && version > 2 {
            more_flags = short(data, at)?;
            at += FLAGS;
        }
        let mut kept = 0;
        if version == 4 {
            let (cut, end) = read_offset(data, at)?;
            kept = name.len().checked_sub(cut)?;
            at = end;
        }
        let rest = data.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        let last = std::mem::take(&mut name);
        name.extend_from_slice(last.get(..kept)?);
        name.extend_from_slice(rest.get(..length)?);
        // With the wrong hash length these bytes are read from the wrong place, and one of these conditions fails.
        let is_length = name.len().min(usize::from(NAME_LENGTH)) == usize::from(flags & NAME_LENGTH);
        if !is_length || name.is_empty() || name < last {
            return None;
        }
        at += length + 1;
        if version < 4 {
            // An entry is padded with at least one zero byte to a multiple of eight bytes.
            at = begin + (at - begin).next_multiple_of(8);
        }
        let is_watched = flags & ASSUME_VALID == 0 && more_flags & SKIP_WORKTREE == 0;
        if is_watched && number(data, begin + 24)? & KIND == REGULAR {
            entries.push(IndexEntry {
                name: name.clone(),
                seconds: number(data, begin + 8)?,
                nanoseconds: number(data, begin + 12)?,
                size: number(data, begin + 36)?,
            });
        }
    }
    // The index ends with a hash of its content. A split index (`link`) has more entries in another file.
    let is_whole = data.len() >= at + hash && data.get(at..at + 4) != Some(b"link");
    is_whole.then_some(entries)
}

/// Reads a number in the offset encoding of Git's pack format. Returns the number and the position after it.
fn read_offset(data: &[u8], begin: usize) -> Option<(usize, usize)> {
    let mut at = begin;
    let mut byte = *data.get(at)?;
    let mut offset = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *data.get(at)?;
        offset = offset.checked_add(1)?.checked_mul(0x80)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((offset, at + 1))
}

fn number(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

fn short(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
}
