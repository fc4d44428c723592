//! Runs the test vectors of `tests/vectors` on the core. Their README explains the format, docs/spec the rules.

use cuecard_core::Error;
use cuecard_core::classic::{
    IndexMd, Query, RecordFile, Scored, check_record, rebuild_index, score_description, score_entry,
};
use cuecard_core::memory::Entry;
use cuecard_core::memory::{
    Problem, check_schema, describe_problems, gist_of_file, instruction_signs, parse_index_line, withholding_signs,
};
use cuecard_core::present::{Form, render};
use cuecard_core::retrieve::query_terms;
use cuecard_core::settings::Strategy;
use cuecard_core::text::chars::{decimal_digit, fold, is_white_space};
use cuecard_core::text::compose::{compose, full_forms};
use cuecard_core::text::sanitize::{block_title, legible_path};
use cuecard_core::text::stem::stem;
use cuecard_core::text::{Revision, document_terms, estimate_tokens, parse_timestamp, sanitize_title, tokenize};

use cuecard_engine::guard::refusal::{judge_target, judge_write};
use cuecard_engine::guard::shell_commands::find_writes;
use cuecard_engine::host::Host;
use cuecard_engine::store::store_path::find_store_part;
use cuecard_engine::tool::tool_context::{ToolEvent, read_tool_event};
use cuecard_engine::tool::validate::write_complaint;
use cuecard_engine::tool_use::read_tool_use;
use std::path::Path;
use toml::{Table, Value as Toml};

mod forbidden_cases;
mod graph_cases;
mod host_cases;
mod hybrid_cases;
mod link_cases;
mod packing_cases;
mod recall_cases;
mod segment_cases;
mod semantic_cases;
mod session_cases;
mod settings_cases;
mod snapshot_cases;
mod static_table_cases;
mod trust_cases;

const SCHEMAS: &str = "../../python/cuecard/assets/schemas";

/// A function that runs the test cases of one part of the engine. It returns `None` for cases of other parts.
type CaseRunner = fn(&str, &Input) -> Option<Result<Value, Failure>>;

const CASE_RUNNERS: [CaseRunner; 15] = [
    call_of_guard,
    host_cases::call,
    segment_cases::call,
    snapshot_cases::call,
    static_table_cases::call,
    semantic_cases::call,
    recall_cases::call,
    graph_cases::call,
    hybrid_cases::call,
    link_cases::call,
    forbidden_cases::call,
    session_cases::call,
    packing_cases::call,
    settings_cases::call,
    trust_cases::call,
];

/// A value that the Python binding takes or returns.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    None,
    Bool(bool),
    Number(i64),
    /// The bits of a number: two numbers are equal only if all their bits are.
    Float(u64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
}

/// An error that Python would raise.
#[derive(Debug, PartialEq)]
struct Failure {
    class: String,
    message: String,
    hint: String,
}

#[test]
fn every_vector_is_answered_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let mut failures = Vec::new();
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|name| name != "toml") {
            continue;
        }
        let tables: Table = std::fs::read_to_string(&file).unwrap().parse().unwrap();
        // The cases of the table `prompt` need processes and files, so `tests/engine/test_vectors.py` runs them.
        for (function, cases) in tables.iter().filter(|(function, _)| *function != "prompt") {
            for case in cases.as_array().unwrap() {
                // Errors about the arguments of a plain index come from the binding, not from the core.
                if function.starts_with("plain_") && case.get("error").is_some() {
                    continue;
                }
                count += 1;
                let found = call(function, &Input(case["input"].as_table().unwrap()));
                if found != expected(case) {
                    let (name, expected) = (case["name"].as_str().unwrap_or_default(), expected(case));
                    failures.push(format!("{function}: {name}\n  found    {found:?}\n  expected {expected:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 500, "only {count} vectors were found");
}

fn expected(case: &Toml) -> Result<Value, Failure> {
    let Some(error) = case.get("error") else { return Ok(decode(&case["value"])) };
    let text = |key: &str| error.get(key).and_then(Toml::as_str).unwrap_or_default().to_owned();
    Err(Failure { class: text("class"), message: text("message"), hint: text("hint") })
}

fn call(function: &str, input: &Input) -> Result<Value, Failure> {
    let revision = || Revision::from_name(&input.text("revision"));
    let query = || revision().map(|revision| Query::new(&input.text("prompt"), revision, &input.pairs("descriptions")));
    let index = || IndexMd::parse(input.bytes("data"));
    Ok(match function {
        "fold" => fold(&input.text("text")).into_owned().into(),
        "white_space" => input.text("text").chars().filter(|char| is_white_space(*char)).collect::<String>().into(),
        "decimal_digits" => {
            let digit = |char| decimal_digit(char).map_or(-1, i64::from);
            list(input.text("text").chars().map(digit))
        }
        "compose" => compose(&input.text("text")).into_owned().into(),
        "full_forms" => full_forms(&input.text("text")).into_owned().into(),
        "document_terms" => list(document_terms(&input.text("text"))),
        "query_terms" => {
            let synonyms: Vec<Vec<String>> =
                input.rows("synonyms").iter().map(|words| words.iter().map(text).collect()).collect();
            let terms = query_terms(&input.text("text"), &synonyms).into_iter();
            list(terms.map(|found| row([found.term.into(), i64::from(found.weight).into(), found.word.into()])))
        }
        "stems" => input.text("words").split(' ').map(stem).collect::<Vec<_>>().join(" ").into(),
        "tokenize" => list(tokenize(&input.text("text"), revision()?)),
        "parse_index_line" => match parse_index_line(&input.text("line")) {
            Ok(line) => row([line.category.into(), line.title.into(), line.path.into(), list(line.tags)]),
            Err(_) => Value::None,
        },
        "index" => index_value(&index()),
        "entry" => entry(&index(), input.number("position"))?,
        "score_entry" => {
            score_entry(&input.text("prompt"), &input.text("title"), &input.texts("tags"), revision()?).into()
        }
        "score_description" => score_description(&input.text("prompt"), &input.text("description"), revision()?).into(),
        "shortlist" => scored(index().shortlist(query()?)),
        "rank" => scored(index().rank(&input.scored("shortlist"), &input.verdicts("verdicts"))),
        "explain" => {
            let query = query()?;
            let position = usize::try_from(input.number("position")).map_err(|_| outside())?;
            let parts = index().explain(position, &query).ok_or_else(outside)?;
            list(
                parts
                    .into_iter()
                    .map(|part| row([part.kind.into(), part.token.into(), part.matched.into(), part.points.into()])),
            )
        }
        "find_strategy" => Strategy::find(&input.text("name")).map(Strategy::name).into(),
        "revision_of" => Strategy::from_name(&input.text("strategy"))?.revision().name().into(),
        "parse_timestamp" => parse_timestamp(&input.text("text")).into(),
        "estimate_tokens" => number(estimate_tokens(&input.text("text"))),
        "instruction_signs" => list(instruction_signs(&input.text("text"))),
        "withholding_signs" => list(withholding_signs(&input.text("text"))),
        "gist_of_file" => gist_of_file(&input.bytes("data")).into(),
        "check_record" => {
            check_record(&input.bytes("data"), input.number("now"), input.value("only_active") == Value::Bool(true))
                .into()
        }
        "block_title" => block_title(&input.text("text")).into(),
        "sanitize_title" => sanitize_title(&input.text("text")).into(),
        "render" => render_block(input)?,
        "rebuild_index" => rebuild(input),
        "read_tool_event" => {
            let ToolEvent { moment, subject, cwd, session_id, .. } = read_tool_event(&input.bytes("data"))?;
            row([moment.name().into(), subject.into(), cwd.into(), session_id.into()])
        }
        "write_refusal" => {
            Host::from_name(&input.text("host"))?.write_refusal(&input.text("decision"), &input.text("reason")).into()
        }
        "write_tool_context" => {
            Host::from_name(&input.text("host"))?.write_tool_context(&input.text("event"), &input.text("block")).into()
        }
        "write_complaint" => write_complaint(&input.text("reason"), &input.text("context")).into(),
        "check_schema" => problems(check_schema(&input.bytes("data"), &input.bytes("schema"))),
        "check_memory" => {
            let name = format!("{}.schema.json", input.text("category"));
            let schema = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(SCHEMAS).join(name)).unwrap();
            problems(check_schema(&input.bytes("data"), &schema))
        }
        "describe_problems" => {
            let problem = |parts: &Vec<Value>| Problem {
                field: text(&parts[0]),
                expected: text(&parts[1]),
                found: text(&parts[2]),
            };
            let problems: Vec<_> = input.rows("problems").iter().map(problem).collect();
            let (reason, context) = describe_problems(&input.text("file"), &input.text("aside"), &problems);
            row([reason.into(), context.into()])
        }
        _ => {
            return CASE_RUNNERS
                .iter()
                .find_map(|part| part(function, input))
                .unwrap_or_else(|| panic!("no function is called `{function}`"));
        }
    })
}

/// What the guard asks of a tool's event and of a path.
fn call_of_guard(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    let exists = || input.value("exists") == Value::Bool(true);
    Some(Ok(match function {
        "read_tool_use" => {
            let event = match read_tool_use(&input.bytes("data")) {
                Ok(event) => event,
                Err(error) => return Some(Err(error.into())),
            };
            let uses = event.uses.into_iter().map(|(action, subject)| row([action.into(), subject.into()]));
            row([list(uses), event.cwd.into()])
        }
        "find_writes" => {
            let (cwd, home, project) = (input.text("cwd"), input.text("home"), input.text("project"));
            let (action, subject) = (input.text("action"), input.text("subject"));
            let writes = find_writes(&action, &subject, &cwd, &home, &project);
            list(writes.into_iter().map(|(action, path)| row([action.into(), path.into()])))
        }
        "judge_write" => judge_write(&input.text("path"), &input.text("action"), exists()).into(),
        "judge_target" => {
            judge_target(&input.text("target"), &input.text("given"), &input.text("action"), exists()).into()
        }
        "legible_path" => legible_path(&input.text("path")).into(),
        "find_store_part" => find_store_part(&input.text("path")).into(),
        _ => return None,
    }))
}

fn entry(index: &IndexMd<Vec<u8>>, position: i64) -> Result<Value, Failure> {
    let entry = usize::try_from(position).ok().and_then(|position| index.entry(position)).ok_or_else(outside)?;
    let parts = [entry.category.into(), entry.title.into(), entry.path.into(), list(entry.tags)];
    Ok(row(parts.into_iter().chain([number(entry.line)])))
}

fn index_value(index: &IndexMd<Vec<u8>>) -> Value {
    let entries = (0..).map_while(|position| entry(index, position).ok());
    let bad_lines = index.bad_lines().iter().map(|(line, reason)| row([number(*line), reason.name().into()]));
    row([list(entries), list(bad_lines)])
}

fn render_block(input: &Input) -> Result<Value, Failure> {
    let form = Form::from_name(&input.text("form"))?;
    let entries = input.rows("entries").into_iter().map(|parts| match parts.as_slice() {
        [Value::Text(category), Value::Text(title), Value::Text(path), Value::List(tags)] => {
            (category.clone(), title.clone(), path.clone(), tags.iter().map(text).collect::<Vec<_>>())
        }
        _ => panic!("no entry: {parts:?}"),
    });
    let owned: Vec<_> = entries.collect();
    let entries: Vec<Entry> = owned
        .iter()
        .map(|(category, title, path, tags)| Entry {
            category,
            title,
            path,
            tags: tags.iter().map(String::as_str).collect(),
            line: 0,
        })
        .collect();
    let budget = usize::try_from(input.number("budget_chars")).unwrap();
    let labels = if input.has("labels") { input.texts("labels") } else { Vec::new() };
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Ok(render(&entries, &input.pairs("descriptions"), form, budget, &labels).into())
}

fn rebuild(input: &Input) -> Value {
    let record = |parts: Vec<Value>| match <[Value; 3]>::try_from(parts) {
        Ok([category, path, data]) => {
            let data = (data != Value::None).then(|| bytes(&data));
            RecordFile { category: text(&category), path: text(&path), data }
        }
        Err(parts) => panic!("no record: {parts:?}"),
    };
    let rebuilt = rebuild_index(&input.rows("records").into_iter().map(record).collect::<Vec<_>>());
    let skipped = rebuilt.skipped.into_iter().map(|(path, reason)| row([path.into(), reason.into()]));
    row([rebuilt.text.into(), list(skipped), Value::Bool(rebuilt.is_damaged)])
}

fn problems(found: Vec<Problem>) -> Value {
    list(found.into_iter().map(|problem| row([problem.field.into(), problem.expected.into(), problem.found.into()])))
}

fn scored(hits: Vec<Scored>) -> Value {
    list(hits.into_iter().map(|hit| row([number(hit.position), hit.score.into()])))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let class = if matches!(error, Error::Payload(_)) { "PayloadError" } else { "UsageError" };
        Self { class: class.into(), message: error.to_string(), hint: error.hint() }
    }
}

/// Returns the error that the Python binding raises for a position that does not exist.
fn outside() -> Failure {
    Failure { class: "IndexError".into(), message: "index position out of range".into(), hint: String::new() }
}

/// The parameters of a case by name.
struct Input<'a>(&'a Table);

impl Input<'_> {
    fn value(&self, name: &str) -> Value {
        decode(self.0.get(name).unwrap_or_else(|| panic!("no input is called `{name}`")))
    }

    fn text(&self, name: &str) -> String {
        text(&self.value(name))
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        bytes(&self.value(name))
    }

    fn number(&self, name: &str) -> i64 {
        as_number(&self.value(name))
    }

    fn items(&self, name: &str) -> Vec<Value> {
        match self.value(name) {
            Value::List(items) => items,
            value => panic!("no list: {value:?}"),
        }
    }

    fn rows(&self, name: &str) -> Vec<Vec<Value>> {
        let row = |value| if let Value::List(items) = value { items } else { panic!("no row: {value:?}") };
        self.items(name).into_iter().map(row).collect()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.items(name).iter().map(text).collect()
    }

    fn pairs(&self, name: &str) -> Vec<(String, String)> {
        self.rows(name).iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
    }

    fn scored(&self, name: &str) -> Vec<Scored> {
        let scored = |pair: &Vec<Value>| Scored {
            position: usize::try_from(as_number(&pair[0])).unwrap(),
            score: as_number(&pair[1]),
        };
        self.rows(name).iter().map(scored).collect()
    }

    fn verdicts(&self, name: &str) -> Vec<Option<i64>> {
        let verdict = |value: &Value| if *value == Value::None { None } else { Some(as_number(value)) };
        self.items(name).iter().map(verdict).collect()
    }
}

fn decode(form: &Toml) -> Value {
    match form {
        Toml::Boolean(value) => Value::Bool(*value),
        Toml::Integer(value) => Value::Number(*value),
        Toml::Float(value) => Value::Float(value.to_bits()),
        Toml::String(text) => text.clone().into(),
        Toml::Array(items) => list(items.iter().map(decode)),
        Toml::Table(table) => match table.iter().next().map(|(kind, content)| (kind.as_str(), content)) {
            Some(("none", _)) => Value::None,
            Some(("hex", Toml::String(digits))) => Value::Bytes(from_hex(digits)),
            Some(("points", Toml::Array(points))) => points.iter().map(from_point).collect::<String>().into(),
            Some(("numbers", Toml::Array(ends))) => match ends.iter().map(decode).collect::<Vec<_>>().as_slice() {
                [Value::Number(first), Value::Number(last)] => {
                    (*first..=*last).map(|number| format!("{number} ")).collect::<Vec<_>>().concat().into()
                }
                ends => panic!("no range of numbers: {ends:?}"),
            },
            Some(("repeat", Toml::Array(parts))) => {
                let times = usize::try_from(as_number(&decode(&parts[1]))).unwrap();
                match decode(&parts[0]) {
                    Value::Text(text) => text.repeat(times).into(),
                    Value::Bytes(bytes) => Value::Bytes(bytes.repeat(times)),
                    value => panic!("cannot be repeated: {value:?}"),
                }
            }
            Some(("join", Toml::Array(parts))) => {
                let parts: Vec<Value> = parts.iter().map(decode).collect();
                if parts.iter().all(|part| matches!(part, Value::Text(_))) {
                    return parts.iter().map(text).collect::<String>().into();
                }
                Value::Bytes(parts.iter().flat_map(bytes).collect())
            }
            _ => panic!("no form of a value: {table:?}"),
        },
        Toml::Datetime(_) => panic!("no form of a value: {form:?}"),
    }
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

/// Converts a code point; a lone surrogate becomes U+FFFD, as in the binding (SPEC 1).
fn from_point(point: &Toml) -> char {
    let point = point.as_integer().and_then(|point| u32::try_from(point).ok()).unwrap();
    char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn text(value: &Value) -> String {
    if let Value::Text(text) = value { text.clone() } else { panic!("no text: {value:?}") }
}

/// Reads bytes; a text gives its UTF-8 bytes.
fn bytes(value: &Value) -> Vec<u8> {
    if let Value::Bytes(bytes) = value { bytes.clone() } else { text(value).into_bytes() }
}

fn as_number(value: &Value) -> i64 {
    if let Value::Number(number) = value { *number } else { panic!("no number: {value:?}") }
}

fn number(count: usize) -> Value {
    Value::Number(i64::try_from(count).unwrap())
}

fn row(values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(values.into_iter().collect())
}

fn list<T: Into<Value>>(values: impl IntoIterator<Item = T>) -> Value {
    Value::List(values.into_iter().map(Into::into).collect())
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<std::borrow::Cow<'_, str>> for Value {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Self::Text(text.into_owned())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}
