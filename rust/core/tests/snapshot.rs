//! Tests snapshots that are damaged at each byte, and a snapshot with more documents than a run of postings can have
//! (SPEC 20.4, 20.5, 22.3).

use super::small_snapshot::{
    attach, build, deltas_of, file, first_files, join, later_files, mend_contents, mend_header,
};
use cuecard_core::classic::{IndexMd, Query, index_text};
use cuecard_core::index::snapshot_writer::Extent;
use cuecard_core::index::vectors::row_of_words;
use cuecard_core::index::{Documents, Filters, Snapshot};
use cuecard_core::memory::{Status, parse_index_line};
use cuecard_core::rank::{Context, Request};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{Settings, Strategy};

const STRATEGIES: [Strategy; 5] =
    [Strategy::Bm25, Strategy::TfIdf, Strategy::Vectors, Strategy::Keyword, Strategy::KeywordClassic];

/// Calls every query function of a snapshot; the answers do not matter, but no call may panic.
fn ask_everything(base: Vec<u8>, delta: Option<Vec<u8>>, scratch: &mut Scratch) {
    let Ok(snapshot) = Snapshot::open(base, delta) else { return };
    let descriptions = [("decision".to_owned(), "tls".to_owned())];
    let context = Context { descriptions: &descriptions, synonyms: &[] };
    let filters = Filters { statuses: Vec::new(), path: "d".into(), ..Filters::default() };
    for strategy in STRATEGIES {
        for filters in [&Filters::default(), &filters] {
            let hits = snapshot.search(
                Request::of_prompt("authentication of TLS logs", context, &Settings::default(), filters, 2),
                strategy,
                scratch,
            );
            assert!(hits.len() <= 2);
        }
        for position in 0..6 {
            let _ = snapshot.explain(position, "authentication of TLS logs", strategy, context);
        }
    }
    let (row, norm) = row_of_words(&snapshot.prompt_words("authentication of TLS logs"));
    for position in snapshot.near_by_signs(&row, 4, &filters) {
        let _ = snapshot.cosines_at(position, &row, norm);
    }
    let _ = (snapshot.active_lines(), snapshot.files("decisions"), snapshot.watermark(), snapshot.check());
    let _ = (snapshot.unfit_files("constraints"), snapshot.count_files("decisions"), snapshot.anchored("src/db/a.rs"));
    for file in first_files() {
        let _ = snapshot.find(&file.path);
    }
    let changed = Documents::read(&later_files(), 1);
    for extent in [Extent::Whole, Extent::OneDelta, Extent::Merging(0), Extent::Merging(10_000)] {
        let _ = snapshot.update(&changed, &[first_files()[1].path.clone()], &[0; 6], extent);
    }
}

#[test]
fn no_flipped_byte_is_a_panic() {
    let base = build(&first_files());
    let deltas = deltas_of(&base);
    let places = base.len().max(deltas[0].len()).max(deltas[1].len());
    // The fast tier of the tests sets this variable; then only every eighth byte is damaged.
    let stride = if std::env::var_os("CUECARD_FUZZ_ITERATIONS").is_some() { 8 } else { 1 };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (base, deltas) = (&base, &deltas);
            scope.spawn(move || {
                let mut scratch = Scratch::default();
                for place in (thread * stride..places).step_by(threads * stride) {
                    flip(base, deltas, place, &mut scratch);
                }
            });
        }
    });
}

/// Queries snapshots in which the byte at a place is changed. Either no checksum, the header's checksum or all
/// checksums are made valid again.
fn flip(base: &[u8], deltas: &[Vec<u8>], place: usize, scratch: &mut Scratch) {
    for mask in [0x01, 0x80, 0xff] {
        for care in 0..3 {
            let mend = |data: &mut Vec<u8>| {
                if let Some(byte) = data.get_mut(place) {
                    *byte ^= mask;
                }
                if care > 1 {
                    mend_contents(data);
                }
                if care > 0 {
                    mend_header(data);
                }
            };
            let mut damaged = base.to_vec();
            mend(&mut damaged);
            ask_everything(damaged, None, scratch);
            for number in 0..deltas.len() {
                let mut damaged = deltas.to_vec();
                mend(&mut damaged[number]);
                if care > 0 {
                    attach(&mut damaged, base);
                }
                ask_everything(base.to_vec(), Some(join(&damaged)), scratch);
            }
        }
    }
}

#[test]
fn a_shortened_snapshot_is_none() {
    let base = build(&first_files());
    for length in 0..base.len() {
        assert!(Snapshot::open(&base[..length], None).is_err());
    }
}

#[test]
fn the_dictionary_finds_what_a_scan_finds_beyond_one_run() {
    let files: Vec<_> = (0..65_600)
        .map(|number| {
            let word = ["auth", "authentication", "tls", "log"][number % 4];
            let tag = if number % 7 == 0 { "auth" } else { "ops" };
            file(
                "decision",
                &format!("decisions/{number}.json"),
                &format!(r#"{{"title":"{word} x","tags":["{tag}"]}}"#),
            )
        })
        .collect();
    let snapshot = Snapshot::open(build(&files), None).unwrap();
    let lines = snapshot.active_lines();
    assert_eq!(lines.len(), files.len());
    let index = IndexMd::parse(index_text(&lines).into_bytes());
    let descriptions = [("decision".to_owned(), "tls".to_owned())];
    for (prompt, strategy) in [
        ("authentication", Strategy::Keyword),
        ("auth of the log", Strategy::KeywordClassic),
        ("tls", Strategy::KeywordClassic),
    ] {
        let context = Context { descriptions: &descriptions, synonyms: &[] };
        let filters = Filters { statuses: vec![Status::Active], ..Filters::default() };
        let hits = snapshot.search(
            Request::of_prompt(prompt, context, &Settings::default(), &filters, files.len()),
            strategy,
            &mut Scratch::default(),
        );
        let scanned = index.shortlist(Query::new(prompt, strategy.revision(), &descriptions));
        assert!(hits.len() > 16_000);
        let scanned = scanned.iter().map(|hit| (u32::try_from(hit.position).unwrap(), hit.score));
        assert_eq!(hits, scanned.collect::<Vec<_>>());
    }
    let last = snapshot.document(65_599).unwrap();
    let path = parse_index_line(&last.line).unwrap().path;
    assert_eq!(snapshot.find(path), Some(65_599));
}
