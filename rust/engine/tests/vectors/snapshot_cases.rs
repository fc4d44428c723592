//! Runs the test vectors of snapshots and lexical settings, as `tests/support/snapshot_cases.py` does in Python.

use super::segment_cases::{dump, failure};
use super::{Failure, Input, Value, as_number, bytes, list, number, row, text};
use cuecard_core::index::layout::SegmentError;
use cuecard_core::index::snapshot::PARTIAL;
use cuecard_core::index::snapshot_writer::{Extent, Updated, build_snapshot};
use cuecard_core::index::{Documents, Filters, MemoryFile, Skipped, Snapshot};
use cuecard_core::memory::{FOLDERS, Stamp, Status, parse_index_line};
use cuecard_core::rank::{Context, Request};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::{Bm25Settings, Settings, Strategy};
use cuecard_core::text::parse_timestamp;

pub(crate) const STORE: &str = ".claude/memory/";
const SETTINGS: Bm25Settings = Bm25Settings { k1: 1.2, weights: [3.0, 2.0, 2.0, 1.0], bs: [0.75; 4] };
const BASE_TIMES: [i64; 6] = [1, 2, 3, 4, 5, -1];
const LATER_TIMES: [i64; 6] = [7, 2, 3, 4, 5, -1];

/// Runs a test case about snapshots; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "snapshot_sections" => {
            let (data, skipped) = build(input, &SETTINGS);
            row([dump(&data), skipped_value(skipped)])
        }
        "snapshot_update" => match update(input, &SETTINGS, input.value("is_whole") == Value::Bool(true)) {
            None => Value::None,
            Some(updated) => {
                let dumped = |data: Option<Vec<u8>>| data.map_or(row([]), |data| dump(&data));
                row([dumped(updated.base), dumped(updated.delta), skipped_value(updated.skipped)])
            }
        },
        "snapshot_search" => return Some(search(input)),
        "snapshot_explain" => return Some(explain(input)),
        "snapshot_document" => document(input),
        "listed_terms" => {
            let (snapshot, path) = (snapshot_of(input), format!("{STORE}{}", input.text("path")));
            let listed = snapshot.field_terms(snapshot.find(&path).unwrap());
            list(listed.iter().map(|(term, fields)| row([term.into(), i64::from(fields.number()).into()])))
        }
        "standings" => {
            let (snapshot, path) = (snapshot_of(input), format!("{STORE}{}", input.text("path")));
            let validity = snapshot.validity(snapshot.find(&path).unwrap());
            list(input.texts("moments").iter().map(|moment| validity.at(parse_timestamp(moment).unwrap()).name()))
        }
        "find_unchanged" => {
            let snapshot = snapshot_of(input);
            let stamped = input.rows("stamps").into_iter().map(|stamp| <[Value; 3]>::try_from(stamp).unwrap());
            list(stamped.map(|[path, size, modified]| {
                let stamp = Stamp { size: as_number(&size).try_into().unwrap(), modified: as_number(&modified) };
                let found = snapshot.find_unchanged(&format!("{STORE}{}", text(&path)), stamp);
                found.map_or(Value::None, |found| path_at(&snapshot, found).into())
            }))
        }
        "snapshot_contents" => {
            let snapshot = snapshot_of(input);
            let file = |(path, stamp): (String, Stamp)| {
                row([path.into(), i64::from(stamp.size).into(), stamp.modified.into()])
            };
            row([
                number(snapshot.len()),
                list(snapshot.watermark()),
                list(snapshot.active_lines()),
                list(snapshot.files("decisions").into_iter().map(file)),
            ])
        }
        "snapshot_steps" => {
            let snapshot = snapshot_in_steps(input, usize::try_from(as_number(&input.value("limit"))).unwrap());
            let file = |(path, stamp): (String, Stamp)| {
                row([path.into(), i64::from(stamp.size).into(), stamp.modified.into()])
            };
            let (prompt, context) = (input.text("prompt"), Context::default());
            let hits = snapshot.search(
                Request::of_prompt(&prompt, context, &Settings::default(), &Filters::default(), 10),
                Strategy::Bm25,
                &mut Scratch::default(),
            );
            row([
                number(snapshot.deltas()),
                number(snapshot.len()),
                list(snapshot.active_lines()),
                list(snapshot.unfit_files("decisions").into_iter().map(file)),
                list(
                    hits.into_iter().map(|(position, score)| row([path_at(&snapshot, position).into(), score.into()])),
                ),
            ])
        }
        _ => return None,
    }))
}

fn search(input: &Input) -> Result<Value, Failure> {
    let snapshot = snapshot_of(input);
    let strategy = Strategy::from_name(&input.text("strategy"))?;
    let k = if input.has("k") { usize::try_from(input.number("k")).unwrap() } else { 10 };
    let filters = if input.has("filters") { filters_of(&input.items("filters"))? } else { Filters::default() };
    let (descriptions, synonyms) = (descriptions(input), synonyms(input));
    let context = Context { descriptions: &descriptions, synonyms: &synonyms };
    let hits = snapshot.search(
        Request::of_prompt(&input.text("prompt"), context, &Settings::default(), &filters, k),
        strategy,
        &mut Scratch::default(),
    );
    let hit = |(position, score): (u32, i64)| row([path_at(&snapshot, position).into(), score.into()]);
    Ok(list(hits.into_iter().map(hit)))
}

/// Returns the path in the store of the document at a position.
pub(crate) fn path_at(snapshot: &Snapshot<Vec<u8>>, position: u32) -> String {
    let document = snapshot.document(position).unwrap();
    let path = parse_index_line(&document.line).unwrap().path;
    path.strip_prefix(STORE).unwrap().to_owned()
}

fn explain(input: &Input) -> Result<Value, Failure> {
    let snapshot = snapshot_of(input);
    let strategy = Strategy::from_name(&input.text("strategy"))?;
    let (descriptions, synonyms) = (descriptions(input), synonyms(input));
    let context = Context { descriptions: &descriptions, synonyms: &synonyms };
    let position = snapshot.find(&format!("{STORE}{}", input.text("path"))).unwrap_or(99);
    let parts = snapshot.explain(position, &input.text("prompt"), strategy, context);
    let parts = parts.ok_or_else(|| failure("IndexError", "snapshot position out of range", ""))?;
    let part = |part: cuecard_core::classic::ScorePart| {
        row([part.kind.into(), part.token.into(), part.matched.into(), part.points.into()])
    };
    Ok(list(parts.into_iter().map(part)))
}

fn document(input: &Input) -> Value {
    let snapshot = snapshot_of(input);
    let Some(position) = snapshot.find(&format!("{STORE}{}", input.text("path"))) else { return Value::None };
    let document = snapshot.document(position).unwrap();
    row([
        document.line.into(),
        document.status.name().into(),
        document.updated_at.into(),
        document.created_at.into(),
        i64::from(document.stamp.size).into(),
        document.stamp.modified.into(),
    ])
}

fn build(input: &Input, settings: &Bm25Settings) -> (Vec<u8>, Skipped) {
    let built = build_snapshot(&files_of(input, "files"), &BASE_TIMES, settings, 1);
    assert_eq!(built, build_snapshot(&files_of(input, "files"), &BASE_TIMES, settings, 3));
    built
}

fn update(input: &Input, settings: &Bm25Settings, is_whole: bool) -> Option<Updated> {
    let removed: Vec<String> = if input.has("removed") { input.texts("removed") } else { Vec::new() };
    let removed: Vec<String> = removed.into_iter().map(|path| format!("{STORE}{path}")).collect();
    let snapshot = Snapshot::open(build(input, settings).0, None).unwrap();
    let changed = Documents::read(&files_of(input, "changed"), 1);
    let extent = if is_whole { Extent::Whole } else { Extent::OneDelta };
    snapshot.update(&changed, &removed, &LATER_TIMES, extent).unwrap()
}

/// Returns a snapshot to which batches of files were added one after the other.
fn snapshot_in_steps(input: &Input, limit: usize) -> Snapshot<Vec<u8>> {
    let mut times = BASE_TIMES;
    times[0] = PARTIAL;
    let mut base = build_snapshot(&files_of(input, "files"), &times, &SETTINGS, 1).0;
    let mut deltas = None;
    let batches = input.rows("batches");
    for (number, batch) in (1..).zip(&batches) {
        times[0] = if number == batches.len() { 7 } else { PARTIAL };
        let mut changed = Documents::default();
        let row = |value: &Value| if let Value::List(parts) = value { parts.clone() } else { panic!("no row") };
        for file in &memory_files(batch.iter().map(row).collect()) {
            changed.add(file);
        }
        let snapshot = Snapshot::open(base.clone(), deltas.clone()).unwrap();
        let updated = snapshot.update(&changed, &[], &times, Extent::Merging(limit)).unwrap().unwrap();
        base = updated.base.unwrap_or(base);
        deltas = updated.delta;
    }
    Snapshot::open(base, deltas).unwrap()
}

/// Returns a snapshot of files, with a delta if some were changed or removed.
pub(crate) fn snapshot_of(input: &Input) -> Snapshot<Vec<u8>> {
    snapshot_with(input, &SETTINGS)
}

/// Returns a snapshot as `snapshot_of` does, with other settings.
pub(crate) fn snapshot_with(input: &Input, settings: &Bm25Settings) -> Snapshot<Vec<u8>> {
    let is_changed = input.has("changed") || input.has("removed");
    let delta = if is_changed { update(input, settings, false).and_then(|updated| updated.delta) } else { None };
    Snapshot::open(build(input, settings).0, delta).unwrap_or_else(|error: SegmentError| panic!("{error}"))
}

/// Returns memory files from paths in the store and contents; the modification time of each is 5 ns after 1970.
fn files_of(input: &Input, name: &str) -> Vec<MemoryFile> {
    memory_files(if input.has(name) { input.rows(name) } else { Vec::new() })
}

#[allow(clippy::needless_pass_by_value, reason = "the callers make the rows for this")]
fn memory_files(rows: Vec<Vec<Value>>) -> Vec<MemoryFile> {
    let file = |parts: &Vec<Value>| {
        let path = text(&parts[0]);
        let folder = path.split('/').next().unwrap_or_default();
        let category = FOLDERS.iter().find(|(known, _)| *known == folder).map_or("own", |(_, category)| category);
        let data = (parts[1] != Value::None).then(|| bytes(&parts[1]));
        let size = u32::try_from(data.as_ref().map_or(0, Vec::len)).unwrap();
        MemoryFile {
            category: category.into(),
            path: format!("{STORE}{path}"),
            data,
            stamp: Stamp { size, modified: 5 },
        }
    };
    rows.iter().map(file).collect()
}

/// Reads filters: categories, tags, statuses, `updated_at` from and until, and the beginning of the path.
pub(crate) fn filters_of(parts: &[Value]) -> Result<Filters, Failure> {
    let texts = |value: &Value| match value {
        Value::List(items) => items.iter().map(text).collect::<Vec<_>>(),
        value => panic!("no list: {value:?}"),
    };
    let time = |value: &Value| (*value != Value::None).then(|| as_number(value));
    let statuses: Result<_, _> = texts(&parts[2]).iter().map(|name| Status::from_name(name)).collect();
    Ok(Filters {
        categories: texts(&parts[0]),
        tags: texts(&parts[1]),
        statuses: statuses?,
        since: time(&parts[3]),
        until: time(&parts[4]),
        path: text(&parts[5]),
    })
}

pub(crate) fn descriptions(input: &Input) -> Vec<(String, String)> {
    if input.has("descriptions") { input.pairs("descriptions") } else { Vec::new() }
}

pub(crate) fn synonyms(input: &Input) -> Vec<Vec<String>> {
    let rows = if input.has("synonyms") { input.rows("synonyms") } else { Vec::new() };
    rows.iter().map(|words| words.iter().map(text).collect()).collect()
}

fn skipped_value(skipped: Skipped) -> Value {
    list(skipped.into_iter().map(|(path, reason)| row([path.into(), reason.into()])))
}
