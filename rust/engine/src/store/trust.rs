//! Checks whether the user of this machine vouches for memories that are about to be shown (SPEC 45).

use crate::store::folder::Folder;
use crate::store::user_folder::StoreFolder;
use cuecard_core::memory::{
    TrustPrefix, concrete_anchors_of, gist_of, instruction_signs, texts_of_record, trust_hash_of, withholding_signs,
};
use cuecard_core::present::UNREVIEWED;
use cuecard_core::text::json_reader::Json;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

const FOLDER: &str = "trust";
/// The file in that folder with all lines in the order in which they were written. Its size tells whether anything has
/// changed (SPEC 45.11).
const CHANGES: &str = "changes";
/// The most bytes of a file of trust; a longer file is ignored. A file of this size would contain millions of memories.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// How many characters the name of a trust file has. All hashes in the file begin with the name.
const NAME_CHARS: usize = 2;
const HASH_CHARS: usize = 64;
const PREFIX_CHARS: usize = 2 * size_of::<TrustPrefix>();
const DAY_CHARS: usize = 10;
/// The most characters that are searched for instructions for one prompt; memories beyond it are withheld. An ordinary
/// memory has some thousand.
const MAX_CHARS: usize = 1 << 17;
/// How many characters more each text counts, because even an empty text takes time.
const TEXT_CHARS: usize = 64;
const LEVELS: [(&[u8], Level); 3] =
    [(b"own", Level::Own), (b"reviewed", Level::Reviewed), (b"revoked", Level::Unreviewed)];
/// The words for text that was replaced, retired or deleted: it has the level only in a file that is not active.
const PAST: [(&[u8], Level); 2] = [(b"past-own", Level::Own), (b"past-reviewed", Level::Reviewed)];

/// Who vouches for a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// The user wrote the memory.
    Own,
    /// The user has reviewed the memory.
    Reviewed,
    /// Nobody vouches for the memory.
    #[default]
    Unreviewed,
}

impl Level {
    /// Returns the level's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Reviewed => "reviewed",
            Self::Unreviewed => UNREVIEWED,
        }
    }
}

/// Facts about a memory that nobody vouches for.
#[derive(Debug)]
pub(crate) struct Unreviewed {
    /// Whether its text addresses the model, its tools or secrets.
    pub(crate) is_withheld: bool,
    /// Its anchors that name one file.
    pub(crate) anchors: Vec<String>,
}

/// Checks the trust of the memories for one prompt.
#[derive(Debug)]
pub(crate) struct TrustCheck {
    own: Rc<StoreFolder>,
    folder: OnceCell<Option<Folder>>,
    /// How many characters may still be searched for instructions.
    room: Rc<Cell<usize>>,
}

impl TrustCheck {
    pub(crate) fn new(own: &Rc<StoreFolder>) -> Self {
        Self { own: Rc::clone(own), folder: OnceCell::new(), room: Rc::new(Cell::new(MAX_CHARS)) }
    }

    /// Creates the check for another store of the same prompt.
    pub(crate) fn beside(&self, own: &Rc<StoreFolder>) -> Self {
        Self { own: Rc::clone(own), folder: OnceCell::new(), room: Rc::clone(&self.room) }
    }

    /// Returns the trust of the memory at a path, and facts about it if nobody vouches for it.
    pub(crate) fn look_at(&self, path: &str, record: &Json) -> (Level, Option<Arc<Unreviewed>>) {
        let level = self.level_of(record);
        if level != Level::Unreviewed {
            return (level, None);
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let texts = texts_of_record(record, name.strip_suffix(".json").unwrap_or(name));
        let is_withheld = !self.takes(&texts) || {
            // Title and gist are shown in one line, so a text could be divided among them.
            let line = format!("{} {}", texts.get(1).copied().unwrap_or_default(), gist_of(record));
            texts.into_iter().any(|text| !withholding_signs(text).is_empty()) || !instruction_signs(&line).is_empty()
        };
        (level, Some(Arc::new(Unreviewed { is_withheld, anchors: concrete_anchors_of(record) })))
    }

    /// Whether there is room to search the texts of a memory. If so, they take it.
    fn takes(&self, texts: &[&str]) -> bool {
        let sizes = texts.iter().map(|text| TEXT_CHARS + text.chars().count());
        let rest = self.room.get().checked_sub(sizes.sum());
        self.room.set(rest.unwrap_or(self.room.get()));
        rest.is_some()
    }

    /// Whether the user vouches for a memory.
    pub(crate) fn is_vouched_for(&self, record: &Json) -> bool {
        self.level_of(record) != Level::Unreviewed
    }

    /// Returns how long the list of changes of trust is; `None` if the user vouches for nothing.
    pub(crate) fn changes(&self) -> Option<u64> {
        Some(self.folder()?.status(CHANGES).map_or(0, |status| status.size))
    }

    /// Returns which of these beginnings of trust hashes belong to active memories that the user vouches for. Each file
    /// of trust is read once.
    pub(crate) fn vouched_among(&self, wanted: BTreeSet<TrustPrefix>) -> HashSet<TrustPrefix> {
        let Some(folder) = self.folder() else { return HashSet::new() };
        let mut by_file: BTreeMap<u8, BTreeSet<TrustPrefix>> = BTreeMap::new();
        for prefix in wanted {
            by_file.entry(prefix[0]).or_default().insert(prefix);
        }
        let mut vouched = HashSet::new();
        for (first, wanted) in by_file {
            let Ok(lines) = folder.read(&format!("{first:02x}"), MAX_FILE_BYTES) else { continue };
            for line in whole_lines(&lines) {
                let Some(prefix) = prefix_in(line).filter(|prefix| wanted.contains(prefix)) else { continue };
                match line.get(..HASH_CHARS).and_then(|hash| said_in(line, hash, || self.own.key())) {
                    Some(Said { level: Level::Unreviewed, .. } | Said { is_past: true, .. }) => {
                        vouched.remove(&prefix);
                    }
                    Some(_) => _ = vouched.insert(prefix),
                    None => {}
                }
            }
        }
        vouched
    }

    fn folder(&self) -> Option<&Folder> {
        self.folder.get_or_init(|| self.own.open_beside(FOLDER)).as_ref()
    }

    fn level_of(&self, record: &Json) -> Level {
        let Some(folder) = self.folder() else { return Level::Unreviewed };
        let hash = trust_hash_of(record);
        let lines = hash.get(..NAME_CHARS).and_then(|name| folder.read(name, MAX_FILE_BYTES).ok());
        let said = lines.and_then(|lines| last_among(&lines, hash.as_bytes(), || self.own.key()));
        said.filter(|said| !said.is_past || is_over(record)).map_or(Level::Unreviewed, |said| said.level)
    }
}

/// What a line says about a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Said {
    level: Level,
    /// Whether the text was replaced, retired or deleted.
    is_past: bool,
}

fn whole_lines(lines: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    lines.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

/// Returns the first bytes of the hash that a line begins with; `None` for other lines.
fn prefix_in(line: &[u8]) -> Option<TrustPrefix> {
    let digits = line.get(..HASH_CHARS).filter(|hash| hash.iter().all(|byte| b"0123456789abcdef".contains(byte)))?;
    let value = u64::from_str_radix(std::str::from_utf8(digits.get(..PREFIX_CHARS)?).ok()?, 16).ok()?;
    Some(value.to_be_bytes())
}

/// Whether a memory was retired or archived.
fn is_over(record: &Json) -> bool {
    matches!(record.get("record_status").and_then(Json::as_text), Some("retired" | "archived"))
}

/// Returns what the last line for a hash says. Malformed lines, lines for other stores and a last line without a line
/// feed are skipped. `key` returns the name of the store's data folder; few lines need it.
fn last_among(lines: &[u8], hash: &[u8], key: impl Fn() -> Option<String>) -> Option<Said> {
    whole_lines(lines).filter_map(|line| said_in(line, hash, &key)).next_back()
}

/// Returns what a line says, if it is about the hash and counts for the store.
fn said_in(line: &[u8], hash: &[u8], key: impl Fn() -> Option<String>) -> Option<Said> {
    let rest = line.strip_prefix(hash)?.strip_prefix(b" ")?;
    let mut words = rest.split(|byte| *byte == b' ');
    let (level, day, store) = (words.next()?, words.next()?, words.next());
    if day.len() != DAY_CHARS || words.next().is_some() {
        return None;
    }
    let find = |names: &[(&[u8], Level)]| names.iter().find(|(name, _)| *name == level).map(|(_, level)| *level);
    let said = match (find(&LEVELS), store) {
        (Some(level), _) => Said { level, is_past: false },
        (None, Some(_)) => Said { level: find(&PAST)?, is_past: true },
        (None, None) => return None,
    };
    store.is_none_or(|store| key().is_some_and(|key| key.as_bytes() == store)).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::{Level, Said, last_among};

    fn said(lines: &str) -> Option<Said> {
        let hash = "ab".repeat(32);
        last_among(lines.replace('H', &hash).as_bytes(), hash.as_bytes(), || Some("0a1b".into()))
    }

    #[test]
    fn the_last_whole_line_of_the_agreed_form_counts() {
        let says = |lines: &str| said(lines).is_some_and(|said| said.level != Level::Unreviewed);
        assert!(says("H own 2026-11-22\n"));
        assert!(says("H revoked 2026-11-22\nH reviewed 2026-11-23\n"));
        assert!(!says("H own 2026-11-22\nH revoked 2026-11-23\n"));
        assert!(!says("H own 2026-11-22"));
        assert!(!says("xH own 2026-11-22\n"));
        assert!(says("H own 2026-11-22\nH revoked\nH other 2026-11-22\nH revoked 2026-11-2\n"));
        assert!(!says(""));
    }

    #[test]
    fn a_line_with_a_store_counts_for_that_store_only() {
        let past = Some(Said { level: Level::Own, is_past: true });
        let present = Some(Said { level: Level::Own, is_past: false });
        assert_eq!(said("H own 2026-11-22\nH past-own 2026-11-23 0a1b\n"), past);
        assert_eq!(said("H own 2026-11-22\nH past-own 2026-11-23 ffff\n"), present);
        assert_eq!(said("H own 2026-11-22\nH past-own 2026-11-23\n"), present);
        assert_eq!(said("H past-own 2026-11-23 0a1b\nH own 2026-11-24 0a1b\n"), present);
        assert_eq!(said("H own 2026-11-22\nH past-own 2026-11-23 0a1b x\n"), present);
    }
}
