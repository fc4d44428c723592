//! The bytes of a snapshot depend on the memories alone: not on the updates that led to them, on threads or on the order
//! of the files.

use super::chance::{Chance, iterations};
use super::small_snapshot::file;
use cuecard_core::index::snapshot_writer::{Extent, build_snapshot};
use cuecard_core::index::{Documents, MemoryFile, Snapshot};
use cuecard_core::settings::Bm25Settings;
use std::collections::BTreeMap;

const TIMES: [i64; 6] = [1, -1, 0, i64::MAX, 5, -2];
const EXTENTS: [Extent; 5] =
    [Extent::Whole, Extent::OneDelta, Extent::Merging(0), Extent::Merging(4000), Extent::Merging(1 << 20)];
const WORDS: [&str; 8] = ["auth", "tls", "docker", "cache", "deploy", "로그인", "log", "database"];

type Store = BTreeMap<String, MemoryFile>;

/// A memory at one of a few places, with or without links and questions; one in eight files is no memory.
fn any_file(chance: &mut Chance) -> MemoryFile {
    let (folder, category) =
        [("decisions", "decision"), ("runbooks", "runbook"), ("sessions", "session_summary")][chance.below(3)];
    let mut word = || WORDS[chance.below(WORDS.len())];
    let text = format!(r#""title":"{} {}","tags":["{}"],"content":"{} {}""#, word(), word(), word(), word(), word());
    let more = [
        "",
        r#","record_status":"retired""#,
        r#","cuecard":{"anchors":["src/*.rs"],"supersedes":["b"]}"#,
        r#","cuecard":{"questions":["which log has auth"]}"#,
    ][chance.below(4)];
    let data = if chance.below(8) == 0 { "{".to_owned() } else { format!("{{{text}{more}}}") };
    file(category, &format!("{folder}/{}.json", char::from(b'a' + chance.byte() % 6)), &data)
}

fn any_store(chance: &mut Chance) -> Store {
    (0..chance.below(12)).map(|_| any_file(chance)).map(|file| (file.path.clone(), file)).collect()
}

fn build(store: &Store, threads: usize, is_reversed: bool) -> Vec<u8> {
    let mut files: Vec<MemoryFile> = store.values().cloned().collect();
    if is_reversed {
        files.reverse();
    }
    build_snapshot(&files, &TIMES, &Bm25Settings::default(), threads).0
}

#[test]
fn the_bytes_depend_neither_on_threads_nor_on_the_order_of_the_files() {
    let mut chance = Chance(7);
    for _ in 0..iterations(60) {
        let store = any_store(&mut chance);
        let built = build(&store, 1, false);
        assert_eq!(built, build(&store, 3, false));
        assert_eq!(built, build(&store, 2, true));
    }
}

#[test]
fn updates_lead_to_the_bytes_of_a_build() {
    let mut chance = Chance(11);
    for _ in 0..iterations(120) {
        let mut store = any_store(&mut chance);
        let (mut base, mut deltas) = (build(&store, 1, false), None);
        for _ in 0..chance.below(4) {
            let changed = any_store(&mut chance);
            let is_gone = |path: &&String| !changed.contains_key(*path) && chance.below(4) == 0;
            let removed: Vec<String> = store.keys().filter(is_gone).cloned().collect();
            let files: Vec<MemoryFile> = changed.values().cloned().collect();
            let snapshot = Snapshot::open(base.clone(), deltas.clone()).unwrap();
            let extent = EXTENTS[chance.below(EXTENTS.len())];
            let updated = snapshot.update(&Documents::read(&files, 1), &removed, &TIMES, extent).unwrap().unwrap();
            (base, deltas) = (updated.base.unwrap_or(base), updated.delta);
            store.retain(|path, _| !removed.contains(path));
            store.extend(changed);
        }
        let snapshot = Snapshot::open(base, deltas).unwrap();
        snapshot.check().unwrap();
        let whole = snapshot.update(&Documents::default(), &[], &TIMES, Extent::Whole).unwrap().unwrap();
        assert_eq!((whole.base, whole.delta), (Some(build(&store, 1, false)), None));
    }
}
