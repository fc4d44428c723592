//! Reads the descriptions of categories from a file of settings (SPEC 11).

use crate::settings::values::Values;
use crate::text::chars::{cut, fold};
use crate::text::json_reader::Json;

const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_KEY_CHARS: usize = 40;

/// The lower-case key and description of each category that has a description, sorted by key.
pub(crate) fn read_descriptions(categories: &[(String, Json)], values: &mut Values) -> Vec<(String, String)> {
    let mut found = std::collections::BTreeMap::new();
    for (key, category) in categories {
        match (category, category.get("description")) {
            (Json::Object(_), Some(Json::Text(text))) if !text.is_empty() => {
                found.insert(fold(key).into_owned(), cut(text, MAX_DESCRIPTION_CHARS).to_owned());
            }
            (Json::Object(_), None | Some(Json::Text(_))) => {}
            (Json::Object(_), Some(_)) => {
                values.report(format!("`categories.{}.description` is not a string; ignoring it", shown(key)));
            }
            _ => values.report(format!("`categories.{}` is not an object; ignoring it", shown(key))),
        }
    }
    found.into_iter().collect()
}

/// Returns a key, or `?` if the key is long or has unusual characters. A repository can write any text as a key, and
/// messages must not show such a text.
fn shown(key: &str) -> &str {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_plain && (1..=MAX_KEY_CHARS).contains(&key.len()) { key } else { "?" }
}
