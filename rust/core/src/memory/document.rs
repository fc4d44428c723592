//! What the index needs of a memory file: its index line, status, dates and the texts of its fields (SPEC 13.1, 22.1).

use crate::error::Error;
use crate::memory::file_anchors::is_concrete;
use crate::memory::forbids::{FORBIDS, read_forbids};
use crate::memory::links::read_links;
use crate::memory::sections::{is_said, lines_of, read_sections};
use crate::memory::subjects::read_subjects;
use crate::memory::trust_hash::{TrustPrefix, trust_prefix_of};
use crate::memory::validity::Validity;
use crate::settings::FIELDS;
use crate::text::chars::{cut, cut_bytes, fold, is_white_space, strip};
use crate::text::json_reader::{Json, read_json};
use crate::text::sanitize::MAX_TITLE_CHARS;
use crate::text::timestamp::parse_timestamp;
use foldhash::HashSet;

/// The maximal number of indexed questions of a memory, and of indexed characters of each question (SPEC 22.1).
const MAX_QUESTIONS: usize = 5;
const MAX_QUESTION_CHARS: usize = 200;

/// The maximal number of bytes of a memory's texts that are indexed (SPEC 22.1).
pub const MAX_INDEXED_BYTES: usize = 32_768;

pub(crate) const NOT_JSON: &str = "not JSON";
pub(crate) const BLANK_IN_PATH: &str = "its path contains white space";

/// The status of a memory: the value of its `record_status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The memory can be found and shown.
    Active,
    /// The memory is not shown and may be deleted.
    Retired,
    /// The memory is kept, but it is not shown.
    Archived,
    /// The value of `record_status` is unknown.
    Other,
}

impl Status {
    const ALL: [Self; 4] = [Self::Active, Self::Retired, Self::Archived, Self::Other];
    const NAMES: &'static [&'static str] = &["active", "retired", "archived", "other"];

    /// The number of the status in a snapshot (SPEC 20.2).
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The status with this number; an unknown number gives `Other`.
    #[must_use]
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Other)
    }

    /// The status with this name; the error for an unknown name lists the valid names.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let named = |status: &Self| status.name() == name;
        let unknown = || Error::UnknownName { kind: "status", name: name.into(), known: Self::NAMES };
        Self::ALL.into_iter().find(named).ok_or_else(unknown)
    }

    /// The name of the status, as it is written in a memory file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Retired => "retired",
            Self::Archived => "archived",
            Self::Other => "other",
        }
    }
}

/// Why a file cannot be indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfit {
    /// The reason in a few words.
    pub reason: &'static str,
    /// Whether the file's `record_status` is a reason by itself not to index the file.
    pub is_inactive: bool,
}

/// A memory file that can be indexed.
#[derive(Debug, Clone)]
pub struct Document {
    /// The category in upper case; the first sort key.
    pub category: String,
    /// The title in lower case; the second sort key.
    pub folded_title: String,
    /// The index line with its line feed. The line may not be parseable if the category or tags are unusual.
    pub line: String,
    /// The memory's status.
    pub status: Status,
    title: String,
    tags: Vec<String>,
    record: Json,
}

impl Document {
    /// Parses a memory file in the folder of `category`; `data` is `None` if the file could not be read.
    pub fn read(category: &str, path: &str, data: Option<&[u8]>) -> Result<Self, Unfit> {
        let unfit = |reason| Unfit { reason, is_inactive: false };
        let data = data.ok_or(unfit("unreadable"))?;
        if std::str::from_utf8(data).is_err() {
            return Err(unfit("not UTF-8"));
        }
        let record = read_json(data).map_err(|_| unfit(NOT_JSON))?;
        if !matches!(record, Json::Object(_)) {
            return Err(unfit("not a JSON object"));
        }
        let status = match record.get("record_status").map(Json::as_text) {
            None | Some(Some("active")) => Status::Active,
            Some(Some("retired")) => Status::Retired,
            Some(Some("archived")) => Status::Archived,
            Some(_) => Status::Other,
        };
        let unfit = |reason| Unfit { reason, is_inactive: status != Status::Active };
        let name = path.rsplit('/').next().unwrap_or_default();
        let title = match record.get("title") {
            Some(title) => title.as_text().ok_or(unfit("a `title` that is not a string"))?,
            None => name.strip_suffix(".json").unwrap_or(name),
        };
        let category = match record.get("category") {
            Some(category) => category.as_text().ok_or(unfit("a `category` that is not a string"))?,
            None => category,
        };
        let tags = read_tags(record.get("tags")).ok_or(unfit("`tags` that are not a list of strings"))?;
        if path.contains(is_white_space) {
            return Err(unfit(BLANK_IN_PATH));
        }
        let category = category.to_ascii_uppercase();
        // If all tags were only white space, the index line could not be parsed.
        let is_bare = tags.iter().all(|tag| strip(tag).is_empty());
        let suffix = if is_bare { String::new() } else { format!(" #tags:{}", tags.join(",")) };
        let line = format!("- [{}] {} -> {path}{suffix}\n", one_line(&category), index_title(title));
        let (folded_title, title) = (fold(title).into_owned(), title.to_owned());
        Ok(Self { category, folded_title, line, status, title, tags, record })
    }

    /// The texts that are indexed: title, tags, questions and body, together at most [`MAX_INDEXED_BYTES`] (SPEC 22.1).
    #[must_use]
    pub fn fields(&self) -> [String; FIELDS] {
        let mut room = MAX_INDEXED_BYTES;
        let title = take_bytes(&self.title, &mut room).to_owned();
        let mut tags = String::new();
        for (number, tag) in self.tags.iter().enumerate() {
            if number > 0 {
                tags.push_str(take_bytes("\n", &mut room));
            }
            tags.push_str(take_bytes(tag, &mut room));
        }
        let questions = take_bytes(&self.questions().join("\n"), &mut room).to_owned();
        let mut body = String::new();
        let files = match self.record.get("related_files") {
            Some(Json::List(files)) => files.as_slice(),
            _ => &[],
        };
        let places: Vec<Json> =
            files.iter().filter_map(|file| Some(Json::Text(named_place(file.as_text()?)?))).collect();
        let sections = read_sections(&self.record);
        let said = lines_of(&sections);
        for part in self.record.get("content").into_iter().chain(&places) {
            push_texts(part, &said, &mut body, &mut room);
        }
        for text in sections.iter().flat_map(|section| [section.heading, section.text]) {
            body.push_str(take_bytes(text, &mut room));
            body.push_str(take_bytes("\n", &mut room));
        }
        [title, tags, questions, body]
    }

    /// The questions that this memory answers, each on one line.
    fn questions(&self) -> Vec<String> {
        let questions = self.record.get("cuecard").and_then(|extension| extension.get("questions"));
        let Some(Json::List(questions)) = questions else { return Vec::new() };
        let line = |question: &Json| strip(cut(&one_line(question.as_text()?), MAX_QUESTION_CHARS)).to_owned().into();
        let lines = questions.iter().filter_map(line);
        lines.filter(|line: &String| !line.is_empty()).take(MAX_QUESTIONS).collect()
    }

    /// When the memory is valid.
    #[must_use]
    pub fn validity(&self) -> Validity {
        Validity::of(&self.record)
    }

    /// The first bytes of the memory's trust hash.
    pub(crate) fn trust_prefix(&self) -> TrustPrefix {
        trust_prefix_of(&self.record)
    }

    /// The parsed JSON of the file.
    #[must_use]
    pub fn into_record(self) -> Json {
        self.record
    }

    /// The files and memories that the memory links to, its subjects, and what it forbids, encoded for the dictionary of
    /// links (SPEC 33.1, 33.5, 40.1).
    #[must_use]
    pub fn links(&self) -> Vec<String> {
        let mut links = read_links(&self.record);
        links.extend(read_subjects(&self.record));
        links.extend(read_forbids(&self.record).into_iter().map(|entry| format!("{FORBIDS}{entry}")));
        links
    }

    /// When the memory was last changed, in microseconds since 1970; `None` if unknown.
    #[must_use]
    pub fn updated_at(&self) -> Option<i64> {
        self.timestamp("updated_at")
    }

    /// When the memory was created, in microseconds since 1970; `None` if unknown.
    #[must_use]
    pub fn created_at(&self) -> Option<i64> {
        self.timestamp("created_at")
    }

    fn timestamp(&self, name: &str) -> Option<i64> {
        self.record.get(name).and_then(Json::as_text).and_then(parse_timestamp)
    }
}

/// The file or folder of the project that a path names. For a pattern, it is the deepest folder without wildcards.
/// `None` for paths outside of the project.
fn named_place(path: &str) -> Option<String> {
    let is_fixed = |part: &&str| !part.contains(['*', '?', '[']);
    let place = path.split('/').take_while(is_fixed).collect::<Vec<_>>().join("/");
    is_concrete(place.strip_suffix('/').unwrap_or(&place)).then_some(place)
}

/// Appends all texts within a value, one per line, until `room` bytes are used up. Texts that the lines of sections say
/// are left out.
fn push_texts(value: &Json, said: &HashSet<&str>, body: &mut String, room: &mut usize) {
    if *room == 0 {
        return;
    }
    match value {
        Json::Text(text) if is_said(text, said) => {}
        Json::Text(text) => {
            body.push_str(take_bytes(text, room));
            body.push_str(take_bytes("\n", room));
        }
        Json::List(items) => items.iter().for_each(|item| push_texts(item, said, body, room)),
        Json::Object(members) => members.iter().for_each(|(_, member)| push_texts(member, said, body, room)),
        _ => {}
    }
}

/// Returns the longest beginning of a text that fits into `room` bytes, and subtracts its length from `room`. If the
/// text is cut, `room` becomes 0.
fn take_bytes<'a>(text: &'a str, room: &mut usize) -> &'a str {
    if text.len() <= *room {
        *room -= text.len();
        return text;
    }
    let taken = cut_bytes(text, *room);
    *room = 0;
    taken
}

/// The tags of a record, each without line ends. A string counts as a list of its characters, and an empty value as no
/// tags. `None` for all values that are not a list of strings, a string, or empty.
fn read_tags(tags: Option<&Json>) -> Option<Vec<String>> {
    match tags {
        Some(Json::List(tags)) => tags.iter().map(|tag| tag.as_text().map(one_line)).collect(),
        Some(Json::Text(tags)) => Some(tags.chars().map(|char| one_line(&char.to_string())).collect()),
        Some(tags) if tags.is_truthy() => None,
        _ => Some(Vec::new()),
    }
}

fn index_title(title: &str) -> String {
    let words: Vec<&str> = title.split(is_white_space).filter(|word| !word.is_empty()).collect();
    cut(&words.join(" ").replace(" -> ", " - ").replace("#tags:", ""), MAX_TITLE_CHARS).to_owned()
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::{Document, MAX_INDEXED_BYTES, Status};

    #[test]
    fn a_body_is_every_text_of_the_content_in_order() {
        let data = br#"{"title":"T","tags":["a","b"],"content":{"x":"one","y":["two",{"z":"three"}]},
            "related_files":["src/a.rs"],"record_status":"retired","updated_at":"1970-01-01T00:00:01Z"}"#;
        let document = Document::read("decision", ".claude/memory/decisions/t.json", Some(data)).unwrap();
        assert_eq!(document.fields(), ["T", "a\nb", "", "one\ntwo\nthree\nsrc/a.rs\n"]);
        assert_eq!((document.status, document.updated_at()), (Status::Retired, Some(1_000_000)));
        assert_eq!(document.line, "- [DECISION] T -> .claude/memory/decisions/t.json #tags:a,b\n");
    }

    #[test]
    fn the_indexed_text_ends_at_a_character_within_its_limit() {
        let lengths = |title: &str, content: &str| {
            let data = format!(r#"{{"title":"{title}","tags":["a"],"content":["{content}","more"]}}"#);
            let document =
                Document::read("decision", ".claude/memory/decisions/t.json", Some(data.as_bytes())).unwrap();
            document.fields().map(|text| text.len())
        };
        assert_eq!(lengths("T", &"x".repeat(40_000)), [1, 1, 0, MAX_INDEXED_BYTES - 2]);
        assert_eq!(lengths("T", &"é".repeat(40_000)), [1, 1, 0, MAX_INDEXED_BYTES - 2]);
        assert_eq!(lengths("TT", &"é".repeat(40_000)), [2, 1, 0, MAX_INDEXED_BYTES - 4]);
        assert_eq!(lengths(&"x".repeat(40_000), "x"), [MAX_INDEXED_BYTES, 0, 0, 0]);
    }
}
