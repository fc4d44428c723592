//! Runs the test vectors of links between memories, files and commits, as `tests/support/link_cases.py` does in Python.

use super::snapshot_cases::{path_at, snapshot_of};
use super::{Failure, Input, Value, list, row, text};
use cuecard_core::memory::links::read_links;
use cuecard_core::memory::{mentioned_paths, read_subjects};
use cuecard_core::text::json_reader::read_json;
use cuecard_core::text::path_pattern::matches_path;

const STORE: &str = ".claude/memory/";

/// Runs a test case about links; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    Some(Ok(match function {
        "links_of" => list(read_links(&read_json(input.text("data").as_bytes()).unwrap())),
        "subjects_of" => list(read_subjects(&read_json(input.text("data").as_bytes()).unwrap())),
        "matches_path" => Value::Bool(matches_path(&input.text("pattern"), &input.text("path"))),
        "mentioned_paths" => list(mentioned_paths(&input.text("prompt"))),
        "anchored" => anchored(input),
        "successors" => {
            let snapshot = snapshot_of(input);
            let head = |path: String| {
                let position = snapshot.find(&format!("{STORE}{path}"));
                position.map_or(Value::None, |position| {
                    path_at(&snapshot, snapshot.successor(position, |_, _| true)).into()
                })
            };
            list(input.texts("paths").into_iter().map(head))
        }
        "without_path" => {
            let snapshot = snapshot_of(input);
            list(input.rows("rows").into_iter().map(|pair| {
                let [path, named] = pair.as_slice() else { panic!("no pair: {pair:?}") };
                let position = snapshot.find(&format!("{STORE}{}", text(path))).unwrap();
                let (logit, probability) = snapshot.without_path(position, &[text(named)], input.number("logit"));
                row([logit.into(), probability.into()])
            }))
        }
        _ => return None,
    }))
}

fn anchored(input: &Input) -> Value {
    let snapshot = snapshot_of(input);
    let method = if input.has("method") { input.text("method") } else { "anchored".into() };
    let find = |path: &str| match method.as_str() {
        "anchored" => snapshot.anchored(path),
        "anchored_name" => snapshot.anchored_name(path),
        "anchored_below" => snapshot.anchored_below(path),
        method => panic!("no method is called `{method}`"),
    };
    let paths = |path: String| list(find(&path).into_iter().map(|position| path_at(&snapshot, position)));
    list(input.texts("paths").into_iter().map(paths))
}
