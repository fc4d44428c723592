//! The list, in a snapshot, of the files of a store that were read and have no document, so that they are not read
//! again (SPEC 22.1).

use crate::memory::stored_document::Stamp;
use std::collections::BTreeMap;

/// The modification time of an entry that removes a file from the list of earlier segments, because the file is gone or
/// has a document now.
const GONE: i64 = i64::MIN;

/// The bytes of the section for a segment: the difference between `before` (the files that earlier segments list) and
/// `files` (the files to list now).
///
/// Each entry has the file's size (u32), modification time (i64), length of the path in bytes (u16), and path.
pub(crate) fn write_unfit(before: &BTreeMap<String, Stamp>, files: &BTreeMap<String, Stamp>) -> Vec<u8> {
    let mut entries: BTreeMap<&str, Stamp> = BTreeMap::new();
    let is_gone = |path: &&String| !files.contains_key(*path);
    entries.extend(before.keys().filter(is_gone).map(|path| (path.as_str(), Stamp { size: 0, modified: GONE })));
    let is_new = |(path, stamp): &(&String, &Stamp)| before.get(*path) != Some(*stamp);
    entries.extend(files.iter().filter(is_new).map(|(path, stamp)| (path.as_str(), *stamp)));
    let mut section = Vec::new();
    for (path, stamp) in entries {
        let Ok(length) = u16::try_from(path.len()) else { continue };
        section.extend(stamp.size.to_le_bytes());
        section.extend(stamp.modified.to_le_bytes());
        section.extend(length.to_le_bytes());
        section.extend_from_slice(path.as_bytes());
    }
    section
}

/// The files that consecutive segments list, given the sections of the segments in order. Each section is read up to
/// the first damaged entry.
pub(crate) fn read_unfit<'a>(sections: impl IntoIterator<Item = &'a [u8]>) -> BTreeMap<String, Stamp> {
    let mut files = BTreeMap::new();
    for section in sections {
        let mut rest = section;
        while let Some((path, stamp, behind)) = read_entry(rest) {
            rest = behind;
            if stamp.modified == GONE {
                files.remove(path);
            } else {
                files.insert(path.to_owned(), stamp);
            }
        }
    }
    files
}

fn read_entry(section: &[u8]) -> Option<(&str, Stamp, &[u8])> {
    let (size, rest) = section.split_first_chunk()?;
    let (modified, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (path, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    let stamp = Stamp { size: u32::from_le_bytes(*size), modified: i64::from_le_bytes(*modified) };
    Some((std::str::from_utf8(path).ok()?, stamp, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> BTreeMap<String, Stamp> {
        names.iter().map(|name| ((*name).to_owned(), Stamp { size: 7, modified: -3 })).collect()
    }

    #[test]
    fn files_read_back_up_to_where_the_section_is_cut() {
        let section = write_unfit(&files(&[]), &files(&["a.json", "b.json"]));
        assert_eq!(read_unfit([&section[..]]), files(&["a.json", "b.json"]));
        assert_eq!(read_unfit([&section[..section.len() - 1]]), files(&["a.json"]));
        assert_eq!(read_unfit([]), files(&[]));
    }

    #[test]
    fn a_section_says_what_has_become_of_the_files_before() {
        let base = write_unfit(&files(&[]), &files(&["a.json", "b.json"]));
        let delta = write_unfit(&files(&["a.json", "b.json"]), &files(&["b.json", "c.json"]));
        assert_eq!(delta.len(), 2 * (4 + 8 + 2 + "a.json".len()));
        assert_eq!(read_unfit([&base[..], &delta]), files(&["b.json", "c.json"]));
    }
}
