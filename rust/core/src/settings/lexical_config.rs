//! The lexical retriever's settings in `memory-config.json`; malformed values get their default (SPEC 22.8).

use crate::text::json_reader::{Json, read_json};

const MAX_K1: f64 = 10.0;
const MAX_WEIGHT: f64 = 100.0;
const MAX_B: f64 = 1.0;
const FIELDS: [&str; 3] = ["title", "tags", "body"];
const MAX_GROUPS: usize = 1000;
const MAX_GROUP: usize = 100;

/// The weights of title, tags and body unless others are said.
pub const WEIGHTS: [f64; 3] = [3.0, 4.0, 1.0];

/// What impacts depend on beside the document; arrays are over title, tags, body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Settings {
    /// How soon more of the same term stops counting.
    pub k1: f64,
    /// The weights w of the fields.
    pub weights: [f64; 3],
    /// How much the length of a field counts, 0 to 1.
    pub bs: [f64; 3],
}

impl Default for Bm25Settings {
    /// Those of a store that sets nothing.
    fn default() -> Self {
        Self { k1: 2.0, weights: WEIGHTS, bs: [0.75; 3] }
    }
}

impl Bm25Settings {
    /// Those of a plain index.
    #[must_use]
    pub fn plain(k1: f64, b: f64) -> Self {
        Self { k1, weights: WEIGHTS, bs: [b; 3] }
    }
}

/// How a store's lexical retriever is set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalConfig {
    /// What impacts are made with.
    pub settings: Bm25Settings,
    /// Groups of words that stand for each other, beside the built-in ones.
    pub synonyms: Vec<Vec<String>>,
    /// A sentence for each value that was replaced by its default.
    pub problems: Vec<String>,
}

/// The settings in the bytes of a `memory-config.json`; a file that is none has the defaults, which is told elsewhere.
#[must_use]
pub fn read_lexical_config(data: &[u8]) -> LexicalConfig {
    let mut config = LexicalConfig::default();
    let file = read_json(data).unwrap_or(Json::Null);
    let Some(retrieval) = file.get("retrieval") else { return config };
    let mut problems = Vec::new();
    match retrieval.get("lexical") {
        None => {}
        Some(lexical @ Json::Object(_)) => {
            if let Some(value) = lexical.get("k1") {
                read_number(value, "k1", MAX_K1, &mut config.settings.k1, &mut problems);
            }
            read_fields(lexical.get("weights"), "weights", MAX_WEIGHT, &mut config.settings.weights, &mut problems);
            read_fields(lexical.get("b"), "b", MAX_B, &mut config.settings.bs, &mut problems);
        }
        Some(_) => problems.push("`retrieval.lexical` is not an object; using its defaults".into()),
    }
    if let Some(value) = retrieval.get("synonyms") {
        match read_groups(value) {
            Some(groups) => config.synonyms = groups,
            None => problems.push("`retrieval.synonyms` is not a list of lists of words; ignoring it".into()),
        }
    }
    config.problems = problems;
    config
}

fn read_fields(value: Option<&Json>, name: &str, most: f64, numbers: &mut [f64; 3], problems: &mut Vec<String>) {
    match value {
        None => {}
        Some(object @ Json::Object(_)) => {
            for (field, number) in FIELDS.into_iter().zip(numbers) {
                if let Some(value) = object.get(field) {
                    read_number(value, &format!("{name}.{field}"), most, number, problems);
                }
            }
        }
        Some(_) => problems.push(format!("`retrieval.lexical.{name}` is not an object; using its defaults")),
    }
}

fn read_number(value: &Json, name: &str, most: f64, number: &mut f64, problems: &mut Vec<String>) {
    let found = match value {
        #[expect(clippy::cast_precision_loss, reason = "what is lost is far beyond the limits")]
        Json::Integer(value) => Some(*value as f64),
        Json::Float(value) => Some(*value),
        _ => None,
    };
    match found.filter(|found| *found >= 0.0 && *found <= most) {
        // Not -0.0, whose bits differ.
        Some(found) => *number = found + 0.0,
        None => {
            problems.push(format!("`retrieval.lexical.{name}` is not a number from 0 to {most}; using the default"));
        }
    }
}

/// Groups of words; `None` where any of it is something else.
fn read_groups(value: &Json) -> Option<Vec<Vec<String>>> {
    let Json::List(groups) = value else { return None };
    let read = |group: &Json| {
        let Json::List(words) = group else { return None };
        words.iter().take(MAX_GROUP).map(|word| word.as_text().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    groups.iter().take(MAX_GROUPS).map(read).collect()
}
