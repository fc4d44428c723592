//! The pointer of a memory: a place in a document of the project that the memory names instead of copying it (SPEC 39.8).

use crate::memory::file_anchors::is_concrete;
use crate::text::json_reader::Json;
use crate::text::timestamp::parse_timestamp;

/// A path of more characters is not shown, so it is no pointer.
const MAX_PATH_CHARS: usize = 100;
/// The maximal number of characters of a place, with its heading.
const MAX_PLACE_CHARS: usize = 112;

/// A place in a document, and what the document was like when the memory was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer<'a> {
    /// The path of the document from the project's root.
    pub path: &'a str,
    /// The heading in the document; empty for the whole document.
    pub heading: &'a str,
    /// The size of the document in bytes, if it is known.
    pub size: Option<i64>,
    /// When the document had been changed, in microseconds since 1970, if it is known.
    pub time: Option<i64>,
}

impl Pointer<'_> {
    /// The place as `PATH#HEADING`, or without the heading where that would be too long.
    #[must_use]
    pub fn place(&self) -> String {
        let place = format!("{}#{}", self.path, self.heading);
        if self.heading.is_empty() || place.chars().nth(MAX_PLACE_CHARS).is_some() {
            self.path.to_owned()
        } else {
            place
        }
    }
}

/// The pointer in `cuecard.pointer`; `None` where its path does not name one file of the project.
#[must_use]
pub fn read_pointer(record: &Json) -> Option<Pointer<'_>> {
    let pointer = record.get("cuecard")?.get("pointer")?;
    let text = |name| pointer.get(name).and_then(Json::as_text).unwrap_or_default();
    let path = text("path");
    let is_plain =
        is_concrete(path) && !path.contains(['\\', '\n', '\r']) && path.chars().nth(MAX_PATH_CHARS).is_none();
    let size = match pointer.get("size") {
        Some(Json::Integer(size)) => Some(*size),
        _ => None,
    };
    is_plain.then(|| Pointer { path, heading: text("heading"), size, time: parse_timestamp(text("time")) })
}
