//! `memory-config.json` to settings; whatever is malformed falls back to its default (SPEC 11).

use crate::settings::strategy::Strategy;
use crate::text::chars::{cut, decimal_digit, fold, strip};
use crate::text::json_reader::{Json, read_json};

const DEFAULT_MAX_INJECT: i64 = 5;
const MAX_INJECT_LIMIT: i64 = 20;
const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_KEY_CHARS: usize = 40;

/// The settings of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Whether prompts are answered at all.
    pub enabled: bool,
    /// How many memories at most, 0 to 20.
    pub max_inject: usize,
    /// How they are found.
    pub strategy: Strategy,
    /// Lower-case key and description of each described category, sorted by key.
    pub descriptions: Vec<(String, String)>,
    /// A sentence for each value that was replaced by its default.
    pub problems: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            max_inject: count(DEFAULT_MAX_INJECT),
            strategy: Strategy::default(),
            descriptions: Vec::new(),
            problems: Vec::new(),
        }
    }
}

/// The settings in the bytes of a `memory-config.json`.
#[must_use]
pub fn read_config(data: &[u8]) -> Config {
    let mut config = Config::default();
    let mut problem = |text: String| config.problems.push(text);
    let file = match read_json(data) {
        Ok(file @ Json::Object(_)) => file,
        Ok(_) => {
            problem("the file is not a JSON object; using the defaults".into());
            return config;
        }
        Err(_) => {
            problem("the file is not JSON; using the defaults".into());
            return config;
        }
    };
    let retrieval = file.get("retrieval");
    if !matches!(retrieval, None | Some(Json::Object(_))) {
        problem("`retrieval` is not an object; using its defaults".into());
    }
    let setting = |key: &str| retrieval.and_then(|retrieval| retrieval.get(key));
    if let Some(value) = setting("max_inject") {
        if let Some(max_inject) = read_count(value) {
            config.max_inject = count(max_inject);
        } else {
            problem(format!("`retrieval.max_inject` is not an integer; using {DEFAULT_MAX_INJECT}"));
        }
    }
    if let Some(value) = setting("match_strategy") {
        if let Some(strategy) = value.as_text().and_then(Strategy::find) {
            config.strategy = strategy;
        } else {
            let default = config.strategy.name();
            problem(format!("`retrieval.match_strategy` is not a known strategy; using `{default}`"));
        }
    }
    config.enabled = setting("enabled").is_none_or(Json::is_truthy);
    match file.get("categories") {
        None => {}
        Some(Json::Object(categories)) => config.descriptions = read_descriptions(categories, &mut problem),
        Some(_) => problem("`categories` is not an object; using no descriptions".into()),
    }
    config
}

fn read_descriptions(categories: &[(String, Json)], problem: &mut impl FnMut(String)) -> Vec<(String, String)> {
    let mut found = std::collections::BTreeMap::new();
    for (key, category) in categories {
        match (category, category.get("description")) {
            (Json::Object(_), Some(Json::Text(text))) if !text.is_empty() => {
                found.insert(fold(key).into_owned(), cut(text, MAX_DESCRIPTION_CHARS).to_owned());
            }
            (Json::Object(_), None | Some(Json::Text(_))) => {}
            (Json::Object(_), Some(_)) => {
                problem(format!("`categories.{}.description` is not a string; ignoring it", shown(key)));
            }
            _ => problem(format!("`categories.{}` is not an object; ignoring it", shown(key))),
        }
    }
    found.into_iter().collect()
}

/// A key as messages may show it: a repository could write anything in its place.
fn shown(key: &str) -> &str {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_plain && (1..=MAX_KEY_CHARS).contains(&key.len()) { key } else { "?" }
}

/// A number of memories, 0 to 20, from a number or the text of an integer.
fn read_count(value: &Json) -> Option<i64> {
    let number = match value {
        Json::Bool(value) => i64::from(*value),
        Json::Integer(value) => *value,
        #[expect(clippy::cast_possible_truncation, reason = "truncation is the rule, and casts saturate")]
        Json::Float(value) if value.is_finite() => *value as i64,
        Json::Text(text) => read_integer(text)?,
        _ => return None,
    };
    Some(number.clamp(0, MAX_INJECT_LIMIT))
}

/// The integer that a text spells: blanks around it, a sign, digits of any script, single underscores.
fn read_integer(text: &str) -> Option<i64> {
    let text = strip(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut value: i64 = 0;
    let mut after_digit = false;
    for char in digits.chars() {
        let digit = decimal_digit(char);
        match digit {
            Some(digit) => value = value.saturating_mul(10).saturating_add(digit.into()),
            None if char == '_' && after_digit => {}
            None => return None,
        }
        after_digit = digit.is_some();
    }
    after_digit.then_some(if text.starts_with('-') { -value } else { value })
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or_default()
}
