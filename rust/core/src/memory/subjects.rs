//! The subjects of a memory: what it is about together with other memories (SPEC 33.5).

use crate::memory::links::{MAX_NAME_BYTES, memory_id, texts};
use crate::text::identifier::split_identifier;
use crate::text::json_reader::Json;
use crate::text::letters::Kind;
use crate::text::terms::for_each_chunk;

/// The maximal number of named subjects of a memory, and of memories that it is derived from.
const MAX_SUBJECTS: usize = 4;
/// The maximal number of members of `applies_to` that are read.
const MAX_SCOPES: usize = 16;
/// The maximal number of tags that are read.
const MAX_TAGS: usize = 16;

/// The prefix of a link to a named subject: the folded name of a component, or of the subject that the writer gave.
pub(crate) const ABOUT: &str = "about:";
/// The prefix of a link to a memory that this one is derived from. The link gives the memory as `id` or `folder/id`.
pub(crate) const FROM: &str = "from:";
/// The folder of session summaries. Memories of one session are not about one subject.
pub(crate) const SESSIONS: &str = "sessions/";

/// The subjects of a memory, as links: the one that the writer gave, the components that it applies to, and the memories
/// that it is derived from.
#[must_use]
pub fn read_subjects(record: &Json) -> Vec<String> {
    let Some(own) = record.get("cuecard") else { return Vec::new() };
    let scopes = match own.get("applies_to") {
        Some(Json::List(scopes)) => scopes.iter().take(MAX_SCOPES),
        _ => [].iter().take(0),
    };
    let components = scopes.filter_map(|scope| scope.get("component")?.as_text());
    let named = own.get("subject").and_then(Json::as_text).into_iter().chain(components);
    let mut subjects: Vec<String> = Vec::new();
    for name in named.filter_map(fold_subject) {
        let link = format!("{ABOUT}{name}");
        if subjects.len() < MAX_SUBJECTS && !subjects.contains(&link) {
            subjects.push(link);
        }
    }
    let sources = texts(own.get("derived_from")).filter_map(memory_id);
    subjects.extend(sources.filter(|id| !id.starts_with(SESSIONS)).take(MAX_SUBJECTS).map(|id| format!("{FROM}{id}")));
    subjects
}

/// The tags of a memory in the form of named subjects.
pub(crate) fn tag_subjects<'a>(tags: impl Iterator<Item = &'a str>) -> Vec<String> {
    tags.take(MAX_TAGS).filter_map(fold_subject).map(|name| format!("{ABOUT}{name}")).collect()
}

/// The name of a subject as it is compared: its letters and digits in lower case, so that `parse_quantity`,
/// `parseQuantity` and `Parse Quantity` are one subject. `None` if nothing is left or the name is too long.
fn fold_subject(name: &str) -> Option<String> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let mut folded = String::new();
    for_each_chunk(name, &mut |kind, chunk| match kind {
        Kind::Letter => folded.push_str(&split_identifier(chunk).0),
        _ => folded.push_str(chunk),
    });
    Some(folded).filter(|folded| !folded.is_empty() && folded.len() <= MAX_NAME_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json_reader::read_json;

    #[test]
    fn a_subject_is_compared_by_its_letters() {
        for name in ["Parse Quantity", "parse_quantity", " parse-quantity!", "PARSE/quantity", "parseQuantity"] {
            assert_eq!(fold_subject(name).as_deref(), Some("parsequantity"), "{name}");
        }
        assert_eq!(fold_subject("..."), None);
    }

    #[test]
    fn sessions_are_no_subject() {
        let record =
            br#"{"cuecard":{"subject":"Pay API","applies_to":[{"component":"pay-api"},{"component":"queue"},7],
            "derived_from":["sessions/s1","decisions/d1","r2"]}}"#;
        let subjects = read_subjects(&read_json(record).unwrap());
        assert_eq!(subjects, ["about:payapi", "about:queue", "from:decisions/d1", "from:r2"]);
    }
}
