//! Runs the test vectors of hybrid recall with a store, as `tests/support/hybrid_cases.py` does in Python.

use super::segment_cases::failure;
use super::snapshot_cases::{descriptions, filters_of, path_at, snapshot_with, synonyms};
use super::{Failure, Input, Value, list, number, row, text};
use cuecard_core::index::{Filters, Snapshot};
use cuecard_core::rank::recall::Ranks;
use cuecard_core::rank::{Context, Cue, Recall, Request, Situation};
use cuecard_core::retrieve::Scratch;
use cuecard_core::settings::Bm25Settings;
use cuecard_core::settings::{GateSetting, read_settings};
use std::path::Path;
use toml::Table;

const STORES: &str = "../../tests/vectors/stores";
const STORE: &str = ".claude/memory/";
/// The time of all cases in microseconds since 1970: 2026-01-10T12:00:00Z.
const NOW: i64 = 1_768_046_400_000_000;

/// Runs a test case about hybrid recall; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    let answer: fn(&Input) -> Result<Value, Failure> = match function {
        "recall" => recall,
        "recall_by_setting" => recall_by_setting,
        "trace" => trace,
        "trace_sum" => trace_sum,
        "kept_terms" => |input| Ok(kept_terms(input)),
        _ => return None,
    };
    // The memory files of the store are in a TOML file of their own.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(STORES).join(format!("{}.toml", input.text("store")));
    let store: Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let table: Table = input.0.clone().into_iter().chain(store).collect();
    Some(answer(&Input(&table)))
}

fn recall(input: &Input) -> Result<Value, Failure> {
    let setting = if input.has("setting") { input.text("setting") } else { "balanced".into() };
    choose(input, GateSetting::from_name(&setting)?).map(|found| list(found.into_iter().map(row)))
}

fn recall_by_setting(input: &Input) -> Result<Value, Failure> {
    let first = |row: [Value; 4]| row.into_iter().next().unwrap();
    let paths = |setting| choose(input, setting).map(|found| list(found.into_iter().map(first)));
    GateSetting::ALL.into_iter().map(paths).collect::<Result<Vec<_>, _>>().map(row)
}

/// Returns path in the store, score, logit and probability of each chosen memory.
fn choose(input: &Input, setting: GateSetting) -> Result<Vec<[Value; 4]>, Failure> {
    let filters = if input.has("filters") { filters_of(&input.items("filters"))? } else { Filters::default() };
    Ok(ask(input, &filters, |snapshot, recall, k| {
        let chosen = recall.choose(k, setting).into_iter();
        let numbered = |path: String, numbers: [i64; 3]| [vec![path.into()], numbers.map(Value::from).into()].concat();
        chosen
            .map(|found| numbered(path_at(snapshot, found.position), [found.score, found.logit, found.probability]))
            .map(|row| row.try_into().unwrap())
            .collect()
    }))
}

fn kept_terms(input: &Input) -> Value {
    let (snapshot, settings) = (snapshot_with(input, &Bm25Settings::default()), read_settings(None, None));
    snapshot.kept_terms(&input.text("prompt"), &synonyms(input), &settings).into()
}

fn trace(input: &Input) -> Result<Value, Failure> {
    trace_with(input, |features| features)
}

/// The trace with one row for all features of the gate's model, with the sum of their shares.
fn trace_sum(input: &Input) -> Result<Value, Failure> {
    const ADDED: [&str; 3] = ["bias", "embedding", "path"];
    trace_with(input, |features| {
        let (mut added, of_model): (Vec<_>, Vec<_>) = features.into_iter().partition(|(name, ..)| ADDED.contains(name));
        added.push(("features", 0, of_model.iter().map(|(_, _, share)| share).sum()));
        added
    })
}

fn trace_with(
    input: &Input,
    shown: impl Fn(Vec<(&'static str, i64, i64)>) -> Vec<(&'static str, i64, i64)>,
) -> Result<Value, Failure> {
    ask(input, &Filters::default(), |snapshot, recall, _| {
        let position = snapshot.find(&format!("{STORE}{}", input.text("path")));
        let position = position.ok_or_else(|| failure("IndexError", "snapshot position out of range", ""))?;
        let terms = recall.terms().iter();
        let terms =
            terms.map(|term| row([term.term.clone().into(), i64::from(term.weight).into(), term.word.clone().into()]));
        let ranks = |ranks: Ranks| {
            let Ranks { rank, score, fused, lexical, lexical_rank, cosine, semantic_rank } = ranks;
            let lexical_rank = lexical_rank.map_or(Value::None, number);
            let [score, fused, lexical, cosine] = [score, fused, lexical, cosine].map(Value::from);
            row([number(rank), score, fused, lexical, lexical_rank, cosine, number(semantic_rank)])
        };
        let parts = recall.explain(position).into_iter();
        let parts =
            parts.map(|part| row([part.kind.into(), part.token.into(), part.matched.into(), part.points.into()]));
        let features = shown(recall.features(position)).into_iter();
        Ok(row([
            list(recall.cues().iter().map(|cue: &Cue| cue.name())),
            list(terms),
            recall.ranks(position).map_or(Value::None, ranks),
            list(parts),
            list(features.map(|(name, value, share)| row([name.into(), value.into(), share.into()]))),
        ]))
    })
}

/// Returns pairs of position and cosine. The test case names each memory by its path or its position.
fn embedded_of(snapshot: &Snapshot<Vec<u8>>, input: &Input) -> Vec<(u32, i64)> {
    let pairs = input.rows("embedded").into_iter().map(|pair| <[Value; 2]>::try_from(pair).unwrap());
    let known = pairs.filter_map(|pair| match pair {
        [Value::Text(path), Value::Number(cosine)] => Some((snapshot.find(&format!("{STORE}{path}")).unwrap(), cosine)),
        [Value::Number(position), Value::Number(cosine)] => Some((u32::try_from(position).ok()?, cosine)),
        _ => unreachable!("no pair of a memory and a cosine"),
    });
    known.collect()
}

fn situation_of(input: &Input) -> Situation {
    let [paths, changed, focus] = input.rows("situation").try_into().unwrap();
    let texts = |values: Vec<Value>| values.iter().map(text).collect();
    Situation { paths: texts(paths), changed: texts(changed), focus: texts(focus) }
}

/// Calls a function with the request of a case and its snapshot.
fn ask<T>(
    input: &Input,
    filters: &Filters,
    answer: impl FnOnce(&Snapshot<Vec<u8>>, &Recall<'_, Vec<u8>>, usize) -> T,
) -> T {
    let snapshot = snapshot_with(input, &Bm25Settings::default());
    let (descriptions, synonyms) = (descriptions(input), synonyms(input));
    let context = Context { descriptions: &descriptions, synonyms: &synonyms };
    let history = if input.has("history") { input.texts("history") } else { Vec::new() };
    let earlier = if input.has("earlier") { input.texts("earlier") } else { Vec::new() };
    let settings = input.has("config").then(|| input.text("config"));
    let settings = &read_settings(settings.as_deref().map(str::as_bytes), None);
    let now = if input.has("now") { input.number("now") } else { NOW };
    let k = if input.has("k") { usize::try_from(input.number("k")).unwrap() } else { 3 };
    let known = input.has("situation").then(|| situation_of(input));
    let situation = known.as_ref();
    let embedded = if input.has("embedded") { embedded_of(&snapshot, input) } else { Vec::new() };
    let (prompt, embedded) = (&input.text("prompt"), &embedded[..]);
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
    answer(&snapshot, &Recall::new(&snapshot, request, &mut Scratch::default()), k)
}
