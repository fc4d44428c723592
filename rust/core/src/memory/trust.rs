//! The texts of a memory that are searched for instruction signs, and the notice about unreviewed memories (SPEC 45).

use crate::text::json_reader::{Json, read_json};

/// All texts of a memory that an agent could be shown; the first one is `name`, the memory's id.
#[must_use]
pub fn texts_of_memory(data: &[u8], name: &str) -> Vec<String> {
    let record = read_json(data).unwrap_or(Json::Null);
    texts_of_record(&record, name).into_iter().map(str::to_owned).collect()
}

/// Like [`texts_of_memory`], for a memory whose file was already parsed.
#[must_use]
pub fn texts_of_record<'a>(record: &'a Json, name: &'a str) -> Vec<&'a str> {
    let own = record.get("cuecard");
    let mut found = vec![name];
    for field in ["title", "category", "tags", "content", "related_files"] {
        add_texts(record.get(field), &mut found);
    }
    for field in ["gist", "questions", "anchors", "evidence", "applies_to", "sections", "pointer"] {
        add_texts(own.and_then(|own| own.get(field)), &mut found);
    }
    found
}

/// The notice that the user gets once about a store with `count` unreviewed memories. `is_more` means that there may be
/// more than `count`.
#[must_use]
pub fn trust_notice(count: usize, is_more: bool) -> String {
    if count == 1 && !is_more {
        return "cuecard: 1 memory of this project is unreviewed, because nobody on this machine has vouched for it; \
                it is marked, and never shown in full; `cuecard trust` lists it and accepts it"
            .into();
    }
    let number = if is_more { format!("at least {count}") } else { count.to_string() };
    format!(
        "cuecard: {number} memories of this project are unreviewed, because nobody on this machine has vouched for \
         them; they are marked, and never shown in full; `cuecard trust` lists and accepts them"
    )
}

/// Adds to `found` all strings in a value, at any depth and in order, including the keys of objects.
fn add_texts<'a>(value: Option<&'a Json>, found: &mut Vec<&'a str>) {
    match value {
        Some(Json::Text(text)) => found.push(text),
        Some(Json::List(items)) => items.iter().for_each(|item| add_texts(Some(item), found)),
        Some(Json::Object(members)) => {
            for (key, item) in members {
                found.push(key);
                add_texts(Some(item), found);
            }
        }
        _ => {}
    }
}
