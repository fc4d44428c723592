//! Fuzzes the reader of snapshots: opening and querying any bytes ends soon and never panics.
//!
//! `CUECARD_FUZZ_ITERATIONS` sets the number of damaged snapshots, each of which gets one query, and
//! `CUECARD_FUZZ_THREADS` the number of threads; `make fuzz-snapshot` runs a hundred million.

use super::chance::{Chance, iterations};
use super::small_snapshot::{
    attach, build, delta_of, deltas_of, file, first_files, join, later_files, mend_contents, mend_header,
};
use cuecard_core::index::snapshot_writer::Extent;
use cuecard_core::index::vectors::row_of_words;
use cuecard_core::index::{Documents, Filters, Snapshot};
use cuecard_core::memory::Status;
use cuecard_core::rank::{Context, Recall, Request, Situation};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{GateSetting, Settings, Strategy, read_settings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const FOLDERS: [&str; 2] = ["decisions", "runbooks"];
const PROMPTS: [&str; 12] = [
    "auth",
    "authentication logs",
    "use TLS",
    "certificates",
    "certi",
    "로그인",
    "ops",
    "own database",
    "a b",
    "mtls pins for the db",
    "x",
    "",
];
/// Earlier prompts of the session.
const HISTORIES: [&[&str]; 3] = [&[], &["continue"], &["own database", "pin TLS certificates", "x"]];
/// Settings: the defaults; reciprocal rank fusion with the graph; and the graph without related terms, with decay.
const CONFIGS: [&str; 3] = [
    "{}",
    r#"{"retrieval":{"fusion":"rrf","rrf_k":1,"graph":true,"candidate_pool":10,"weights":{"graph":16}}}"#,
    r#"{"retrieval":{"related_terms":false,"graph":true,"decay":{"half_life_days":1,"categories":["own","runbook"]}}}"#,
];
/// The kinds of queries: first the strategies of a search, in the order in which `ask` lists them, then other
/// functions.
const KINDS: [&str; 19] = [
    "hybrid",
    "bm25",
    "tfidf",
    "vectors",
    "keyword",
    "keyword_classic",
    "explain",
    "recall",
    "trace",
    "near_by_signs",
    "order_keyword",
    "document",
    "find",
    "files",
    "active_lines",
    "check",
    "update",
    "anchored",
    "successor",
];

/// The bytes of a base, and of its deltas.
type Files = (Vec<u8>, Vec<Vec<u8>>);

/// The counts and findings of one thread.
#[derive(Default)]
struct Counts {
    asked: [u64; KINDS.len()],
    refused: u64,
    with_delta: u64,
    slowest: Duration,
    findings: Vec<String>,
}

#[test]
#[allow(clippy::print_stdout, reason = "the report of a long run")]
fn fuzz_snapshot() {
    let threads = std::env::var("CUECARD_FUZZ_THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_u64).max(1);
    let share = iterations(50_000).div_ceil(threads);
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let start = |thread| scope.spawn(move || run(0x5eed_0006_u64 + (thread << 32), share));
        let handles: Vec<_> = (0..threads).map(start).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    let sum = |count: &dyn Fn(&Counts) -> u64| counts.iter().map(count).sum::<u64>();
    let kinds = KINDS.iter().enumerate().map(|(kind, name)| format!("{name} {}", sum(&|counts| counts.asked[kind])));
    let (asked, refused) = (sum(&|counts| counts.asked.iter().sum()), sum(&|counts| counts.refused));
    let slowest = counts.iter().map(|counts| counts.slowest).max().unwrap_or_default();
    println!(
        "{} executions: {refused} refused at open, {asked} asked ({}), {} of them with a delta; the slowest took {slowest:?}",
        asked + refused,
        kinds.collect::<Vec<_>>().join(", "),
        sum(&|counts| counts.with_delta),
    );
    let findings: Vec<_> = counts.into_iter().flat_map(|counts| counts.findings).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    assert!(slowest < Duration::from_secs(20), "{slowest:?}");
}

fn run(seed: u64, iterations: u64) -> Counts {
    let seeds = seeds();
    let (mut chance, mut counts, mut scratch) = (Chance(seed), Counts::default(), Scratch::default());
    for _ in 0..iterations {
        let state = chance.0;
        let begun = Instant::now();
        let execute = || execute(&seeds, &mut chance, &mut scratch);
        match catch_unwind(AssertUnwindSafe(execute)) {
            Ok(Some((kind, has_delta))) => {
                counts.asked[kind] += 1;
                counts.with_delta += u64::from(has_delta);
            }
            Ok(None) => counts.refused += 1,
            Err(_) => {
                counts.findings.push(format!("a panic from Chance({state:#x})"));
                scratch = Scratch::default();
                if counts.findings.len() >= 10 {
                    break;
                }
            }
        }
        counts.slowest = counts.slowest.max(begun.elapsed());
    }
    counts
}

/// The offset at which sections begin in a file with 13 sections.
const HEAD: usize = 64 + 24 * 13 + 4;

/// The snapshots that are damaged: without documents, with one document, with three documents, with a delta, with two
/// deltas, with a delta that only removes documents, and with all files in the base.
fn seeds() -> Vec<Files> {
    let base = build(&first_files());
    let delta = delta_of(&base);
    let one = build(&[file("preference", "preferences/p.json", &format!(r#"{{"title":"{}x"}}"#, "tLs ".repeat(40)))]);
    let paths: Vec<_> = first_files().into_iter().map(|file| file.path).take(2).collect();
    let gone =
        Snapshot::open(base.as_slice(), None).unwrap().update(&Documents::default(), &paths, &[0; 6], Extent::OneDelta);
    let gone = gone.unwrap().unwrap().delta.unwrap();
    let whole = build(&[first_files(), later_files()].concat());
    vec![
        (build(&[]), Vec::new()),
        (one, Vec::new()),
        (base.clone(), Vec::new()),
        (base.clone(), vec![delta]),
        (base.clone(), deltas_of(&base)),
        (base, vec![gone]),
        (whole, Vec::new()),
    ]
}

/// Damages one snapshot and runs one query; returns the kind of query and whether there was a delta, or `None` if the
/// snapshot could not be opened.
fn execute(seeds: &[Files], chance: &mut Chance, scratch: &mut Scratch) -> Option<(usize, bool)> {
    let (mut base, mut deltas) = seeds[chance.below(seeds.len())].clone();
    let is_base = deltas.is_empty() || chance.below(2) == 0;
    let place = if is_base { 0 } else { chance.below(deltas.len()) };
    damage(if is_base { &mut base } else { &mut deltas[place] }, seeds, chance);
    let care = chance.below(8);
    for data in std::iter::once(&mut base).chain(&mut deltas) {
        if care > 4 {
            mend_contents(data);
        }
        if care > 0 {
            mend_header(data);
        }
    }
    if care > 0 {
        attach(&mut deltas, &base);
    }
    let has_delta = !deltas.is_empty();
    let snapshot = Snapshot::open(base, has_delta.then(|| join(&deltas))).ok()?;
    let kind = chance.below(KINDS.len());
    ask(&snapshot, kind, chance, scratch);
    Some((kind, has_delta))
}

/// Damages bytes one or several times: by flipped bits, extreme numbers, copied bytes or another length.
fn damage(data: &mut Vec<u8>, seeds: &[Files], chance: &mut Chance) {
    let times = if chance.below(2) == 0 { 1 } else { 1 + chance.below(6) };
    for _ in 0..times {
        if data.is_empty() {
            return;
        }
        // Snapshots with a damaged header or table are nearly always refused, so most damage is placed after them.
        let head = if chance.below(8) == 0 { 0 } else { HEAD.min(data.len() - 1) };
        let place = head + chance.below(data.len() - head);
        match chance.below(8) {
            0 | 1 => data[place] ^= 1 << chance.below(8),
            2 => data[place] = chance.byte(),
            3 | 4 => {
                let width = [2, 4, 8][chance.below(3)];
                let length = data.len() as u64;
                let numbers =
                    [0, 1, 2, 3, 63, 64, 65, 255, 256, 0x7fff, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe]
                        .into_iter()
                        .chain([
                            0xffff_ffff,
                            1 << 32,
                            1 << 63,
                            u64::MAX,
                            u64::MAX - 1,
                            length,
                            length - 1,
                            length + 1,
                            length / 2,
                            length / 4,
                        ]);
                let number = numbers.clone().nth(chance.below(numbers.count())).unwrap_or_default();
                let place = place - place % width;
                data.iter_mut().skip(place).zip(number.to_le_bytes()).take(width).for_each(|(to, from)| *to = from);
            }
            5 => {
                let other = &seeds[chance.below(seeds.len())].0;
                let begin = chance.below(other.len());
                let length = 1 + chance.below(24);
                data.iter_mut()
                    .skip(place)
                    .zip(other.iter().skip(begin))
                    .take(length)
                    .for_each(|(to, from)| *to = *from);
            }
            6 => {
                let (begin, length) = (chance.below(data.len()), 1 + chance.below(40));
                let copied: Vec<u8> = data.iter().skip(begin).take(length).copied().collect();
                data.iter_mut().skip(place).zip(copied).for_each(|(to, from)| *to = from);
            }
            _ => match chance.below(3) {
                0 => data.truncate(place),
                1 => data.extend((0..=chance.below(16)).map(|_| chance.byte())),
                _ => {
                    data.remove(place);
                }
            },
        }
    }
}

#[allow(clippy::too_many_lines, reason = "one question after the other")]
fn ask(snapshot: &Snapshot<Vec<u8>>, kind: usize, chance: &mut Chance, scratch: &mut Scratch) {
    let described = [("decision".to_owned(), "tls and ops".to_owned()), ("OWN".to_owned(), "user".to_owned())];
    let groups = [vec!["ops".to_owned(), "operations".to_owned()]];
    let is_described = chance.below(2) == 0;
    let context = Context {
        descriptions: if is_described { &described } else { &[] },
        synonyms: if is_described { &groups } else { &[] },
    };
    let prompt = PROMPTS[chance.below(PROMPTS.len())];
    let mut search = |strategy: Strategy, chance: &mut Chance| {
        let k = [1, 2, 10][chance.below(3)];
        let filters = match chance.below(4) {
            0 => Filters { statuses: Vec::new(), ..Filters::default() },
            1 => Filters {
                path: "decisions/".into(),
                statuses: vec![Status::Active, Status::Other],
                ..Filters::default()
            },
            _ => Filters::default(),
        };
        let hits =
            snapshot.search(Request::of_prompt(prompt, context, &Settings::default(), &filters, k), strategy, scratch);
        assert!(hits.len() <= k && hits.is_sorted_by(|a, b| a.1 >= b.1), "{hits:?}");
        hits
    };
    let strategies = [
        Strategy::Hybrid,
        Strategy::Bm25,
        Strategy::TfIdf,
        Strategy::Vectors,
        Strategy::Keyword,
        Strategy::KeywordClassic,
    ];
    match KINDS[kind] {
        "explain" => {
            let strategy = strategies[chance.below(strategies.len())];
            let _ = snapshot.explain(position(chance), prompt, strategy, context);
        }
        kind @ ("recall" | "trace") => {
            let texts: Vec<_> =
                HISTORIES[chance.below(HISTORIES.len())].iter().map(|text| (*text).to_owned()).collect();
            let settings = &read_settings(Some(CONFIGS[chance.below(CONFIGS.len())].as_bytes()), None);
            let lines = texts.iter().map(|text| snapshot.kept_terms(text, context.synonyms, settings)).collect();
            // Lines of a session's file may be damaged.
            let (history, earlier) = if chance.below(2) == 0 { (texts.clone(), texts) } else { (Vec::new(), lines) };
            let now = [0, i64::MAX, 1_767_312_000_000_000][chance.below(3)];
            let known = Situation { paths: path_of(chance), changed: path_of(chance), focus: path_of(chance) };
            let situation = (chance.below(2) == 0).then_some(&known);
            let embedded = &embedded_of(chance)[..];
            let filters = &Filters::default();
            let k = [0, 1, 10, 300][chance.below(4)];
            let request = Request {
                prompt,
                history: &history,
                earlier: &earlier,
                context,
                settings,
                now,
                situation,
                embedded,
                filters,
                k,
            };
            let recall = Recall::new(snapshot, request, scratch);
            if kind == "recall" {
                assert_choices(&recall, k);
            } else {
                trace(&recall, position(chance));
            }
        }
        "near_by_signs" => {
            let (row, norm) = row_of_words(&snapshot.prompt_words(prompt));
            let near = snapshot.near_by_signs(&row, 2, &Filters::default());
            assert!(near.len() <= 2);
            let _ = snapshot.cosines_at(position(chance), &row, norm);
        }
        "order_keyword" => {
            let hits = [(position(chance), 1), (0, 2), (1, 2), (2, 1)];
            assert!(snapshot.order_keyword(&hits).is_sorted_by(|a, b| a.1 >= b.1));
        }
        "document" => {
            let _ = (snapshot.document(position(chance)), snapshot.watermark(), snapshot.len());
        }
        "find" => {
            let _ = snapshot.find(&first_files()[chance.below(3)].path);
        }
        "files" => {
            let _ = snapshot.files(FOLDERS[chance.below(FOLDERS.len())]);
        }
        "active_lines" => {
            let _ = (snapshot.active_lines(), snapshot.unfit_files("constraints"), snapshot.is_partial());
        }
        "check" => {
            let _ = snapshot.check();
        }
        "anchored" => assert_anchored(snapshot, chance),
        "successor" => {
            let _ = snapshot.successor(position(chance), |_, _| true);
        }
        "update" => {
            let (changed, removed) = match chance.below(3) {
                0 => (Vec::new(), vec![".claude/memory/runbooks/log.json".to_owned()]),
                1 => (later_files(), Vec::new()),
                _ => (later_files(), vec![first_files()[chance.below(3)].path.clone()]),
            };
            let extents = [Extent::Whole, Extent::OneDelta, Extent::Merging(0), Extent::Merging(4000)];
            let changed = Documents::read(&changed, 1);
            let updated = snapshot.update(&changed, &removed, &[3; 6], extents[chance.below(extents.len())]);
            if let Ok(Some(updated)) = updated {
                // A file of one segment that was written can always be read.
                let is_one = snapshot.deltas() == 0;
                for written in updated.base.into_iter().chain(updated.delta.filter(|_| is_one)) {
                    assert_eq!(Snapshot::open(written, None).unwrap().check(), Ok(()));
                }
            }
        }
        _ => {
            search(strategies[kind], chance);
        }
    }
}

/// Checks that each gate setting chooses only memories that the next looser setting chooses, and that the best come
/// first.
fn assert_choices(recall: &Recall<'_, Vec<u8>>, k: usize) {
    let settings = [GateSetting::Precise, GateSetting::Balanced, GateSetting::Eager];
    let chosen = settings.map(|setting| recall.choose(k, setting));
    let all = recall.choose(k.max(8), GateSetting::Off);
    for (strict, lax) in chosen.iter().zip(chosen.iter().skip(1).chain([&all])) {
        assert!(strict.iter().all(|recalled| lax.contains(recalled)), "{strict:?} {lax:?}");
    }
    let best: Vec<_> = all.iter().map(|recalled| (recalled.position, recalled.score)).collect();
    assert_eq!(recall.search(k.max(8)), best);
    assert!(best.is_sorted_by(|a, b| a.1 >= b.1), "{best:?}");
}

/// Random cosines of a model, at positions that may have a document.
fn embedded_of(chance: &mut Chance) -> Vec<(u32, i64)> {
    let count = [0, 3, 40][chance.below(3)];
    (0..count).map(|_| (position(chance), [0, 700, 4096, i64::MIN, i64::MAX][chance.below(5)])).collect()
}

/// Checks that the ranks, parts and features of a trace are consistent: for example, the shares of the features sum to
/// the logit.
fn trace(recall: &Recall<'_, Vec<u8>>, position: u32) {
    let (ranks, parts, features) = (recall.ranks(position), recall.explain(position), recall.features(position));
    let Some(ranks) = ranks else {
        assert!(parts.is_empty() && features.is_empty());
        return;
    };
    let found = recall.choose(usize::MAX, GateSetting::Off)[ranks.rank];
    assert_eq!((found.position, found.score), (position, ranks.score));
    assert_eq!(features.iter().map(|(_, _, share)| share).sum::<i64>(), found.logit);
    assert!((0..=1024).contains(&found.probability));
}

/// Checks that the positions of anchored documents are in range and without duplicates.
fn assert_anchored(snapshot: &Snapshot<Vec<u8>>, chance: &mut Chance) {
    for path in path_of(chance) {
        for mut found in [snapshot.anchored(&path), snapshot.anchored_name(&path), snapshot.anchored_below(&path)] {
            assert!(found.iter().all(|position| (*position as usize) < 16), "{found:?}");
            let count = found.len();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), count);
        }
    }
}

/// At most two random paths or areas of a focus.
fn path_of(chance: &mut Chance) -> Vec<String> {
    let paths = ["src/tls.rs", "tls.rs", "src", "a/b/src/db/a.rs", "tag:ops", "category:own", "path:src/", "x/log/y"];
    (0..chance.below(3)).map(|_| paths[chance.below(paths.len())].to_owned()).collect()
}

/// A random position that may have a document, or sometimes a position that cannot have one.
fn position(chance: &mut Chance) -> u32 {
    [0, 1, 2, 3, 4, 5, u32::MAX][chance.below(7)]
}
