//! Which documents of a snapshot the user vouches for (SPEC 45.11). The answer is kept in the user's data folder, so that
//! a prompt need not look up every memory.

use crate::store::folder::Replacement;
use crate::store::trust::TrustCheck;
use crate::store::user_folder::StoreFolder;
use cuecard_core::index::Snapshot;
use cuecard_core::index::postings::LIVING;
use std::collections::HashSet;
use std::fmt::Write as _;

const FILE: &str = "vouched";
const HEAD: &str = "cuecard vouched 1 ";
/// The file has one byte for each document of a store in which some are vouched for.
const MAX_BYTES: u64 = 1 << 26;
/// In a snapshot with more documents, only parts that are not known are looked up, unless trust has changed. In a
/// smaller one everything is looked up again.
const SMALL: u32 = 4096;
const ALL: &str = "all";
const NONE: &str = "none";

/// For each document of a part whether the user vouches for it, dead documents included.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Flags {
    All,
    None,
    /// The character `1` or `0` for each document.
    Some(Vec<u8>),
}

/// The tables of the stores whose documents a snapshot has.
#[derive(Debug, Clone)]
pub(crate) struct VouchedTables(Vec<VouchedTable>);

impl VouchedTables {
    /// Returns the tables of a snapshot, the ones on disk that are still right. With `is_fresh`, everything is looked up again.
    pub(crate) fn load<'a, S: AsRef<[u8]>>(
        snapshot: &Snapshot<S>,
        stores: impl Iterator<Item = (&'a TrustCheck, &'a StoreFolder)>,
        is_fresh: bool,
    ) -> Self {
        let table = |(store, (trust, own)): (usize, (&TrustCheck, &StoreFolder))| {
            VouchedTable::load(&StoreParts { snapshot, store }, trust, (!is_fresh).then_some(own))
        };
        Self(stores.enumerate().map(table).collect())
    }

    /// Whether everything was looked up now.
    pub(crate) fn is_new(&self) -> bool {
        self.0.iter().all(|table| table.is_new)
    }

    /// Whether the user vouches for the document at a position; `None` if there is no such document.
    pub(crate) fn says(&self, position: u32) -> Option<bool> {
        let mut number = position;
        for ((_, documents), flags) in self.parts() {
            match number.checked_sub(*documents) {
                Some(rest) => number = rest,
                None => return Some(flags.has(number)),
            }
        }
        None
    }

    /// Returns the part of the tables' snapshot that the user vouches for; `None` if the user vouches for all documents
    /// or for none.
    pub(crate) fn part_of<S: AsRef<[u8]>>(&self, snapshot: &Snapshot<S>) -> Option<Snapshot<S>> {
        let is_all = |wanted: &Flags| self.parts().all(|(_, flags)| flags == wanted);
        if is_all(&Flags::All) || is_all(&Flags::None) {
            return None;
        }
        let bytes = |((_, documents), flags): &(Part, Flags)| match flags {
            Flags::All => vec![LIVING; *documents as usize],
            Flags::None => vec![!LIVING; *documents as usize],
            Flags::Some(flags) => flags.clone(),
        };
        let part = snapshot.only(self.parts().map(bytes).collect()).ok()?;
        (!part.is_empty() && part.len() < snapshot.len()).then_some(part)
    }

    /// Returns the tables that are to be written, each with the place of its store.
    pub(crate) fn into_new(self) -> Vec<(usize, VouchedTable)> {
        self.0.into_iter().enumerate().filter(|(_, table)| table.is_new && !table.is_of_nobody).collect()
    }

    fn parts(&self) -> impl Iterator<Item = &(Part, Flags)> {
        self.0.iter().flat_map(|table| &table.parts)
    }
}

/// The checksum of a part of a snapshot, and the number of its documents.
type Part = (u32, u32);

/// The parts of a snapshot that belong to one store.
struct StoreParts<'a, S> {
    snapshot: &'a Snapshot<S>,
    store: usize,
}

impl<S: AsRef<[u8]>> StoreParts<'_, S> {
    fn sizes(&self) -> Vec<Part> {
        self.places().map(|(_, part)| part).collect()
    }

    /// The place of each part in the snapshot, and the part.
    fn places(&self) -> impl Iterator<Item = (usize, Part)> {
        let parts = self.snapshot.part_sizes().into_iter().enumerate();
        parts.filter(|(_, (store, _))| *store == self.store).map(|(place, (_, part))| (place, part))
    }
}

/// The trust of all documents of the snapshot of a store.
#[derive(Debug, Clone)]
pub(crate) struct VouchedTable {
    /// How long the list of changes of trust was when the table was made.
    changes: u64,
    /// For each part of the snapshot its checksum and number of documents, and the trust of these.
    parts: Vec<(Part, Flags)>,
    /// Whether the table was made now, so that it is still to be written.
    is_new: bool,
    /// Whether the user vouches for nothing, so that the table is not kept.
    is_of_nobody: bool,
}

impl VouchedTable {
    /// Returns the table of a store: the one on disk, if it is still right; without a folder of the store a new one.
    fn load<S: AsRef<[u8]>>(store: &StoreParts<'_, S>, trust: &TrustCheck, own: Option<&StoreFolder>) -> Self {
        let Some(changes) = trust.changes() else { return Self::of_nobody(store) };
        let known = own.and_then(StoreFolder::open).and_then(|folder| folder.read(FILE, MAX_BYTES).ok());
        let known = known.and_then(|data| Self::read(&data)).filter(|known| known.changes == changes);
        let wanted = store.sizes();
        match known {
            Some(known) if known.parts.iter().map(|(part, _)| *part).eq(wanted.iter().copied()) => known,
            Some(known) if wanted.iter().map(|(_, documents)| documents).sum::<u32>() > SMALL => {
                Self::make(store, trust, changes, &known.parts)
            }
            _ => Self::make(store, trust, changes, &[]),
        }
    }

    /// Returns the table for a user who vouches for nothing. It is not kept.
    fn of_nobody<S: AsRef<[u8]>>(store: &StoreParts<'_, S>) -> Self {
        let parts = store.sizes().into_iter().map(|part| (part, Flags::None)).collect();
        Self { changes: 0, parts, is_new: true, is_of_nobody: true }
    }

    fn make<S: AsRef<[u8]>>(
        store: &StoreParts<'_, S>,
        trust: &TrustCheck,
        changes: u64,
        known: &[(Part, Flags)],
    ) -> Self {
        let find = |part: &Part| known.iter().find(|(known, _)| known == part).map(|(_, flags)| flags.clone());
        let mut parts: Vec<_> = store.places().map(|(place, part)| (place, part, find(&part))).collect();
        let unknown = parts.iter().filter(|(_, _, flags)| flags.is_none());
        let wanted = unknown.flat_map(|(place, ..)| store.snapshot.trust_prefixes(*place)).collect();
        let vouched: HashSet<_> = trust.vouched_among(wanted);
        for (place, _, flags) in parts.iter_mut().filter(|(_, _, flags)| flags.is_none()) {
            let of_part = store.snapshot.trust_prefixes(*place).map(|prefix| vouched.contains(&prefix));
            *flags = Some(Flags::new(of_part.map(|is_vouched| if is_vouched { LIVING } else { b'0' }).collect()));
        }
        let parts = parts.into_iter().map(|(_, part, flags)| (part, flags.unwrap_or(Flags::None))).collect();
        Self { changes, parts, is_new: true, is_of_nobody: false }
    }

    /// Keeps the table for the next prompts. Errors are ignored: then it is made again.
    pub(crate) fn write(&self, own: &StoreFolder) {
        if let Some(folder) = own.make().filter(|_| self.is_new) {
            let _ = folder.replace(FILE, self.text().as_bytes(), Replacement::PRIVATE);
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}{}\n", self.changes);
        for ((checksum, documents), flags) in &self.parts {
            let flags = match flags {
                Flags::All => ALL.into(),
                Flags::None => NONE.into(),
                Flags::Some(flags) => String::from_utf8_lossy(flags),
            };
            let _ = writeln!(text, "{checksum:08x} {documents} {flags}");
        }
        text
    }

    fn read(data: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(data).ok()?.strip_suffix('\n')?;
        let mut lines = text.split('\n');
        let changes = lines.next()?.strip_prefix(HEAD)?.parse().ok()?;
        let read = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let checksum = u32::from_str_radix(words.next()?, 16).ok()?;
            let documents: u32 = words.next()?.parse().ok()?;
            let flags = match words.next()? {
                ALL => Flags::All,
                NONE => Flags::None,
                flags => Flags::Some(flags.as_bytes().to_vec()),
            };
            let is_whole = !matches!(&flags, Flags::Some(flags) if u32::try_from(flags.len()) != Ok(documents));
            is_whole.then_some(((checksum, documents), flags))
        };
        Some(Self { changes, parts: lines.map(read).collect::<Option<_>>()?, is_new: false, is_of_nobody: false })
    }
}

impl Flags {
    fn new(flags: Vec<u8>) -> Self {
        match (flags.contains(&LIVING), flags.contains(&b'0')) {
            (_, false) => Self::All,
            (false, true) => Self::None,
            (true, true) => Self::Some(flags),
        }
    }

    fn has(&self, number: u32) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Some(flags) => flags.get(number as usize) == Some(&LIVING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_back_and_damage_makes_it_unknown() {
        let parts = vec![
            ((7, 3), Flags::Some(b"101".to_vec())),
            ((0xffff_ffff, 2), Flags::All),
            ((1, 9), Flags::None),
            ((2, 0), Flags::new(Vec::new())),
        ];
        let table = VouchedTable { changes: 80, parts, is_new: true, is_of_nobody: false };
        let text = table.text();
        assert_eq!(text, "cuecard vouched 1 80\n00000007 3 101\nffffffff 2 all\n00000001 9 none\n00000002 0 all\n");
        let read = VouchedTable::read(text.as_bytes()).unwrap();
        assert_eq!((read.changes, read.parts), (80, table.parts));
        for end in 0..text.len() {
            let is_line = text.as_bytes().get(end.wrapping_sub(1)) == Some(&b'\n');
            assert_eq!(VouchedTable::read(&text.as_bytes()[..end]).is_some(), is_line, "{end}");
        }
        assert!(VouchedTable::read(b"cuecard vouched 1 80\n00000007 3 10\n").is_none());
    }
}
