//! Checks a memory file against the JSON Schema of its category (SPEC 17).
//!
//! Only the keywords that our generated schemas use are supported: [`KEYWORDS`] and [`ANNOTATIONS`]. A test checks that
//! the schemas use no other keywords.

use crate::memory::sign_search::instruction_signs;
use crate::text::json_reader::{Json, read_json};
use std::cmp::Ordering;
use std::fmt::Write;

/// The keywords of JSON Schema that are checked.
pub const KEYWORDS: [&str; 17] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
];
/// The keywords of JSON Schema that are ignored because they do not restrict a value.
pub const ANNOTATIONS: [&str; 3] = ["$schema", "default", "description"];
/// The only `pattern` that is checked: the one for the id of a memory.
pub const ID_PATTERN: &str = "^[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?$";
/// The maximal number of problems that are reported for a file.
pub const MAX_PROBLEMS: usize = 100;

const MAX_ID_CHARS: usize = 80;
/// The maximal number of problems in the list for the agent.
const MAX_TOLD: usize = 20;
/// Longer names of files and fields are not told to the agent, because they could be sentences: the longest id, and
/// what is added to it when a file is renamed.
const MAX_FILE_NAME_CHARS: usize = 120;
const MAX_FIELD_CHARS: usize = 60;
const MAX_SHOWN_CHARS: usize = 40;
/// The maximal number of `$ref` references that are followed in a row.
const MAX_REFERENCES: usize = 8;

/// A field whose value does not match the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The path of the field, starting at the outermost object, e.g. `content.rationale[0]`; empty for the whole file.
    pub field: String,
    /// What the schema expects, in words.
    pub expected: String,
    /// What the file contains instead, in words.
    pub found: String,
}

/// A parsed schema, for checking many files.
#[derive(Debug)]
pub struct Schema(Option<Json>);

impl Schema {
    /// Parses a schema; if `data` is not JSON, the schema allows anything.
    #[must_use]
    pub fn read(data: &[u8]) -> Self {
        Self(read_json(data).ok())
    }

    /// Returns every problem of `data`, in the order of the schema and at most [`MAX_PROBLEMS`]; empty if `data` is
    /// valid.
    #[must_use]
    pub fn check(&self, data: &[u8]) -> Vec<Problem> {
        let Some(root) = &self.0 else { return Vec::new() };
        let mut check = Check { root, problems: Vec::new() };
        match read_json(data) {
            Ok(value) => check.value(&value, root, ""),
            Err(_) => check.add("", "JSON text", "something else"),
        }
        check.problems
    }
}

/// Checks `data` against the schema in `schema`; see [`Schema::check`].
#[must_use]
pub fn check_schema(data: &[u8], schema: &[u8]) -> Vec<Problem> {
    Schema::read(schema).check(data)
}

/// Returns what the agent is told about an invalid file: a sentence with the first problem and the fix, and a list with
/// one line per problem. `aside` is the name to which the file was renamed.
#[must_use]
pub fn describe_problems(file: &str, aside: &str, problems: &[Problem]) -> (String, String) {
    let first = problems.first().map_or_else(String::new, |problem| {
        let field = if problem.field.is_empty() { "the file".into() } else { format!("`{}`", plain_field(problem)) };
        let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
        format!("{field} should be {} and is {}{more}; ", problem.expected, plain_found(problem))
    });
    let file = if is_plain_name(file) { format!("`{file}`") } else { "a file with an unusual name".into() };
    let aside = match aside.rsplit_once('/') {
        Some((folder, name)) if !is_plain_name(name) => &format!("{folder}/..."),
        _ => aside,
    };
    let reason = format!(
        "{file} is not a valid memory and was renamed to `{aside}`: {first}use `cuecard add`, or `cuecard update ID` \
         for an existing memory"
    );
    let mut context = format!("INVALID_MEMORY\ntarget: {aside}\n");
    for problem in problems.iter().take(MAX_TOLD) {
        let _ = write!(
            context,
            "field: {}\nexpected: {}\nfound: {}\n",
            if problem.field.is_empty() { "." } else { plain_field(problem) },
            problem.expected,
            plain_found(problem)
        );
    }
    context.push_str("fix: `cuecard add`, or `cuecard update ID` for an existing memory");
    (reason, context)
}

/// Whether a message to the agent may contain the name of a file, which a repository can choose: the name has nothing
/// but letters, digits and `-_.`, is short, and does not address the model. The words around it count as well: with them,
/// a part of a sentence becomes a whole one.
fn is_plain_name(name: &str) -> bool {
    (1..=MAX_FILE_NAME_CHARS).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && instruction_signs(&format!("`{name}` is not a valid memory and was renamed to `{name}`")).is_empty()
}

/// The field of a problem, or a placeholder if the name of the field has unusual characters. Such a name may be hostile
/// text, and our sentence must not contain it.
fn plain_field(problem: &Problem) -> &str {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-.[]".contains(char);
    if problem.field.len() <= MAX_FIELD_CHARS && problem.field.chars().all(is_plain) {
        &problem.field
    } else {
        "an unusual name"
    }
}

/// What was found instead. A quoted text of more than one word is replaced by a placeholder, because it may be hostile
/// text, too.
fn plain_found(problem: &Problem) -> &str {
    let is_word = |char: char| char.is_ascii_alphanumeric() || "_-.:+/`".contains(char);
    if problem.found.starts_with('`') && !problem.found.chars().all(is_word) { "another text" } else { &problem.found }
}

struct Check<'a> {
    root: &'a Json,
    problems: Vec<Problem>,
}

impl<'a> Check<'a> {
    fn add(&mut self, field: &str, expected: impl Into<String>, found: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { field: field.into(), expected: expected.into(), found: found.into() });
        }
    }

    /// Follows the `$ref` of a schema; an unknown reference gives null, which allows anything.
    fn follow(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        for _ in 0..MAX_REFERENCES {
            let Some(path) = schema.get("$ref").and_then(Json::as_text) else { break };
            let name = path.strip_prefix("#/$defs/").unwrap_or_default();
            schema = self.root.get("$defs").and_then(|definitions| definitions.get(name)).unwrap_or(&Json::Null);
        }
        schema
    }

    fn value(&mut self, value: &Json, schema: &'a Json, field: &str) {
        let schema = self.follow(schema);
        if let Some(Json::List(choices)) = schema.get("anyOf") {
            return self.any_of(value, choices, field);
        }
        if let Some(expected) = literals(schema) {
            let is_one = match (schema.get("const"), schema.get("enum")) {
                (Some(only), _) => value == only,
                (None, Some(Json::List(choices))) => choices.contains(value),
                _ => false,
            };
            if !is_one {
                self.add(field, expected, describe(value));
            }
            return;
        }
        if let Some(kind) = schema.get("type").and_then(Json::as_text) {
            if !is_of(value, kind) {
                return self.add(field, words_for(kind), describe(value));
            }
        }
        match value {
            Json::Text(text) => self.text(text, schema, field),
            Json::Integer(_) | Json::Float(_) => self.number(value, schema, field),
            Json::List(items) => self.list(items, schema, field),
            Json::Object(members) => self.object(value, members, schema, field),
            Json::Null | Json::Bool(_) => {}
        }
    }

    /// Checks a value against several alternative schemas; if none matches, reports the problems with the first one.
    fn any_of(&mut self, value: &Json, choices: &'a [Json], field: &str) {
        let mut first = None;
        for choice in choices {
            let mut check = Check { root: self.root, problems: Vec::new() };
            check.value(value, choice, field);
            if check.problems.is_empty() {
                return;
            }
            first = first.or(Some(check.problems));
        }
        for problem in first.unwrap_or_default() {
            self.add(&problem.field, problem.expected, problem.found);
        }
    }

    fn text(&mut self, text: &str, schema: &Json, field: &str) {
        let length = count(text.chars().count());
        self.length(length, schema, field, ("minLength", "maxLength"), "character");
        if schema.get("pattern").and_then(Json::as_text) == Some(ID_PATTERN) && !is_id(text) {
            self.add(field, "up to 80 of `a-z`, `0-9` and, inside, `-`", quote(text));
        }
    }

    fn number(&mut self, value: &Json, schema: &Json, field: &str) {
        // `NaN` is outside of every limit.
        if let Some(Json::Integer(limit)) = schema.get("minimum") {
            if !matches!(compare(value, *limit), Some(Ordering::Greater | Ordering::Equal)) {
                return self.add(field, format!("a number of at least {limit}"), describe(value));
            }
        }
        if let Some(Json::Integer(limit)) = schema.get("maximum") {
            if !matches!(compare(value, *limit), Some(Ordering::Less | Ordering::Equal)) {
                self.add(field, format!("a number of at most {limit}"), describe(value));
            }
        }
    }

    fn list(&mut self, items: &[Json], schema: &'a Json, field: &str) {
        self.length(count(items.len()), schema, field, ("minItems", "maxItems"), "item");
        if let Some(item_schema) = schema.get("items") {
            for (place, item) in items.iter().enumerate() {
                self.value(item, item_schema, &format!("{field}[{place}]"));
            }
        }
    }

    fn object(&mut self, value: &Json, members: &[(String, Json)], schema: &'a Json, field: &str) {
        let name_of = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
        let properties = match schema.get("properties") {
            Some(Json::Object(properties)) => properties.as_slice(),
            _ => &[],
        };
        let required = match schema.get("required") {
            Some(Json::List(required)) => required.as_slice(),
            _ => &[],
        };
        for (name, property) in properties {
            match value.get(name) {
                Some(member) => self.value(member, property, &name_of(name)),
                None if required.iter().any(|needed| needed.as_text() == Some(name)) => {
                    let expected = self.expectation(property);
                    self.add(&name_of(name), expected, "nothing");
                }
                None => {}
            }
        }
        if schema.get("additionalProperties") == Some(&Json::Bool(false)) {
            for (name, member) in members {
                if !properties.iter().any(|(known, _)| known == name) {
                    self.add(&name_of(&show(name)), "no such field", describe(member));
                }
            }
        }
    }

    fn length(&mut self, length: i64, schema: &Json, field: &str, keywords: (&str, &str), unit: &str) {
        if let Some(Json::Integer(limit)) = schema.get(keywords.0) {
            if length < *limit {
                self.add(field, format!("at least {}", plural(*limit, unit)), plural(length, unit));
            }
        }
        if let Some(Json::Integer(limit)) = schema.get(keywords.1) {
            if length > *limit {
                self.add(field, format!("at most {}", plural(*limit, unit)), plural(length, unit));
            }
        }
    }

    /// What a schema expects, in words.
    fn expectation(&self, schema: &'a Json) -> String {
        let schema = self.follow(schema);
        if let Some(literals) = literals(schema) {
            return literals;
        }
        match (schema.get("type").and_then(Json::as_text), schema.get("anyOf")) {
            (Some(kind), _) => words_for(kind).into(),
            (None, Some(Json::List(choices))) => match choices.first().map(|choice| self.follow(choice)) {
                Some(choice) => choice.get("type").and_then(Json::as_text).map_or("a value", words_for).into(),
                None => "a value".into(),
            },
            _ => "a value".into(),
        }
    }
}

/// The values that a schema's `const` or `enum` allows, in words; `None` if it has neither.
fn literals(schema: &Json) -> Option<String> {
    if let Some(only) = schema.get("const") {
        return Some(describe(only));
    }
    let Some(Json::List(choices)) = schema.get("enum") else { return None };
    let mut words: Vec<String> = choices.iter().map(describe).collect();
    let last = words.pop()?;
    Some(if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) })
}

fn compare(value: &Json, limit: i64) -> Option<Ordering> {
    match value {
        Json::Integer(number) => Some(number.cmp(&limit)),
        #[allow(clippy::cast_precision_loss, reason = "the limits of our schemas are small")]
        Json::Float(number) => number.partial_cmp(&(limit as f64)),
        _ => None,
    }
}

fn is_of(value: &Json, kind: &str) -> bool {
    match kind {
        "string" => matches!(value, Json::Text(_)),
        "integer" => matches!(value, Json::Integer(_)),
        "number" => matches!(value, Json::Integer(_) | Json::Float(_)),
        "boolean" => matches!(value, Json::Bool(_)),
        "array" => matches!(value, Json::List(_)),
        "object" => matches!(value, Json::Object(_)),
        "null" => matches!(value, Json::Null),
        _ => true,
    }
}

fn words_for(kind: &str) -> &'static str {
    match kind {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        "null" => "null",
        _ => "a value",
    }
}

/// Describes a value in a few words.
fn describe(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Integer(number) => number.to_string(),
        // Both backends format numbers of this range in the same way.
        Json::Float(number) if *number == 0.0 || (1e-4..1e16).contains(&number.abs()) => format!("{number:?}"),
        Json::Float(_) => "a number".into(),
        Json::Text(text) => quote(text),
        Json::List(items) => format!("a list of {}", plural(count(items.len()), "item")),
        Json::Object(_) => "an object".into(),
    }
}

fn quote(text: &str) -> String {
    format!("`{}`", show(text))
}

/// The beginning of a text, without control characters and back-ticks.
fn show(text: &str) -> String {
    let plain = |char: char| if char.is_ascii_control() || char == '`' { ' ' } else { char };
    let mut shown: String = text.chars().map(plain).take(MAX_SHOWN_CHARS).collect();
    if text.chars().nth(MAX_SHOWN_CHARS).is_some() {
        shown.push_str("...");
    }
    shown
}

fn plural(number: i64, unit: &str) -> String {
    if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Whether a text is a valid id of a memory (SPEC 17.2).
#[must_use]
pub fn is_id(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let bytes = text.as_bytes();
    bytes.len() <= MAX_ID_CHARS
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| is_end(Some(byte)) || *byte == b'-')
}
