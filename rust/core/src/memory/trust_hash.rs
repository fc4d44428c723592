//! The trust hash: the hash of what a memory says. A user trusts a memory by this hash, wherever its file is (SPEC
//! 45.1).

use crate::text::digest::{sha256, sha256_hex};
use crate::text::json_reader::{Json, read_json};

/// The first bytes of a trust hash. A snapshot keeps them for each document: they are enough to look up who vouches for
/// it, and the whole hash is computed again before a memory is shown.
pub type TrustPrefix = [u8; 8];

/// The first line of the hashed bytes; its number changes when the encoding changes.
const VERSION_LINE: &[u8] = b"cuecard trust 1\n";
/// Fields that are hashed together, if at least one of them is present. Memories without them thus keep their hash.
const VALIDITY: [&str; 4] = ["evidence", "valid_from", "valid_until", "applies_to"];
/// Fields that are hashed only if they are present: the agent reads the titles of the memories that the first one names,
/// and is not shown those that the second one names. The others form a subject, say what is shown beside an edit, or
/// have values that gave way in a merge.
const IF_PRESENT: [&str; 8] =
    ["contradicts", "supersedes", "subject", "forbids", "derived_from", "sections", "pointer", "conflicts"];
/// The bits that are hashed for every NaN value.
const NAN_BITS: u64 = 0x7ff8_0000_0000_0000;

/// The trust hash of a memory's file in lower-case hexadecimal; `None` if the file is not a JSON object.
#[must_use]
pub fn trust_hash(data: &[u8]) -> Option<String> {
    let record = read_json(data).ok()?;
    matches!(record, Json::Object(_)).then(|| trust_hash_of(&record))
}

/// The trust hash of a memory whose file was already parsed, in lower-case hexadecimal.
///
/// The hash covers what an agent can be shown: category, title, tags, content, gist, questions, anchors, evidence,
/// where and when the memory is valid, what it contradicts, supersedes and is derived from, its subject, what it forbids,
/// its sections and its pointer. It does not cover the file's dates, the id and other links to memories. A file thus keeps its trust when it is moved or touched.
#[must_use]
pub fn trust_hash_of(record: &Json) -> String {
    sha256_hex(&encode_record(record))
}

/// The first bytes of the trust hash of a memory's JSON object.
#[must_use]
pub fn trust_prefix_of(record: &Json) -> TrustPrefix {
    sha256(&encode_record(record)).first_chunk().copied().unwrap_or_default()
}

/// The bytes that are hashed.
fn encode_record(record: &Json) -> Vec<u8> {
    let own = record.get("cuecard");
    let of_own = |name| own.and_then(|own| own.get(name));
    let mut encoded = VERSION_LINE.to_vec();
    encoded.push(b'[');
    for name in ["category", "title", "tags", "content"] {
        encode(record.get(name), &mut encoded);
    }
    encode(of_own("gist"), &mut encoded);
    encode(of_own("questions"), &mut encoded);
    encoded.push(b'[');
    encode(record.get("related_files"), &mut encoded);
    encode(of_own("anchors"), &mut encoded);
    encoded.push(b']');
    let validity = VALIDITY.map(of_own);
    if validity.iter().flatten().any(|value| **value != Json::Null) {
        encoded.push(b'[');
        for value in validity {
            encode(value, &mut encoded);
        }
        encoded.push(b']');
    }
    for field in IF_PRESENT {
        if let Some(named) = of_own(field).filter(|named| **named != Json::Null) {
            // The names are wrapped in an object, so that their list cannot be mistaken for the list of validity fields
            // before it.
            encode(Some(&Json::Object(vec![(field.to_owned(), named.clone())])), &mut encoded);
        }
    }
    encoded.push(b']');
    encoded
}

/// Appends the canonical encoding of a value; a missing value is encoded as null.
fn encode(value: Option<&Json>, encoded: &mut Vec<u8>) {
    match value {
        None | Some(Json::Null) => encoded.push(b'n'),
        Some(Json::Bool(true)) => encoded.push(b't'),
        Some(Json::Bool(false)) => encoded.push(b'F'),
        Some(Json::Integer(number)) => encoded.extend(format!("i{number};").bytes()),
        Some(Json::Float(number)) => {
            let bits = if number.is_nan() { NAN_BITS } else { number.to_bits() };
            encoded.extend(format!("f{bits:016x};").bytes());
        }
        Some(Json::Text(text)) => encode_text(text, encoded),
        Some(Json::List(items)) => {
            encoded.push(b'[');
            for item in items {
                encode(Some(item), encoded);
            }
            encoded.push(b']');
        }
        Some(Json::Object(members)) => {
            let mut sorted: Vec<&(String, Json)> = members.iter().collect();
            sorted.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            encoded.push(b'{');
            for (name, member) in sorted {
                encode_text(name, encoded);
                encode(Some(member), encoded);
            }
            encoded.push(b'}');
        }
    }
}

fn encode_text(text: &str, encoded: &mut Vec<u8>) {
    encoded.extend(format!("s{}:", text.len()).bytes());
    encoded.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> String {
        trust_hash(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_order_of_members_and_blanks_do_not_matter() {
        let one = hash(r#"{"title": "a", "content": {"x": 1, "y": [true, null]}}"#);
        assert_eq!(one, hash(r#"{"content":{"y":[true,null],"x":1},"title":"a"}"#));
    }

    #[test]
    fn every_hashed_field_matters() {
        let fields = [
            r#""category": "a""#,
            r#""title": "a""#,
            r#""tags": "a""#,
            r#""content": "a""#,
            r#""related_files": "a""#,
            r#""cuecard": {"gist": "a"}"#,
            r#""cuecard": {"questions": "a"}"#,
            r#""cuecard": {"anchors": "a"}"#,
            r#""cuecard": {"evidence": "a"}"#,
            r#""cuecard": {"valid_from": "a"}"#,
            r#""cuecard": {"valid_until": "a"}"#,
            r#""cuecard": {"applies_to": "a"}"#,
            r#""cuecard": {"contradicts": "a"}"#,
            r#""cuecard": {"contradicts": ["a", null, null, null]}"#,
            r#""cuecard": {"evidence": "a", "contradicts": "a"}"#,
            r#""cuecard": {"subject": "a"}"#,
            r#""cuecard": {"forbids": "a"}"#,
            r#""cuecard": {"derived_from": "a"}"#,
            r#""cuecard": {"sections": "a"}"#,
            r#""cuecard": {"pointer": "a"}"#,
            r#""cuecard": {"conflicts": "a"}"#,
        ];
        let mut hashes: Vec<_> = fields.iter().map(|field| hash(&format!("{{{field}}}"))).collect();
        hashes.push(hash("{}"));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), fields.len() + 1);
    }
}
