//! The parts of a memory's file that an agent can be shown: date, state, gist, text, anchors, evidence (SPEC 39.1).

use crate::memory::gist::{fields_of, gist_of, is_placeholder};
use crate::memory::sections::{Section, fitting, is_value_said, lines_of, passage, read_sections};
use crate::text::chars::{cut, strip};
use crate::text::json_reader::{Json, read_json};
use crate::text::timestamp::parse_timestamp;
use foldhash::{HashMap, HashSet};
use std::ops::Range;

/// The maximal length of the full text in characters, before the text is cut to the token budget.
const MAX_TEXT_CHARS: usize = 6000;
const MAX_STATE_CHARS: usize = 20;
const MAX_ANCHORS: usize = 16;
const DATE_BYTES: usize = 10;
const MAX_EVIDENCE_CHARS: usize = 40;
const MAX_SCOPE_CHARS: usize = 120;
/// The maximal number of characters of the line with the headings of the sections that are not shown.
const MAX_HEADINGS_CHARS: usize = 200;
const EVIDENCE_KINDS: [&str; 4] = ["commit", "file", "command", "ticket"];
/// The field of a memory's content with the memory's state.
const STATUS: &str = "status";
/// For each category the field that says what the memory is there to say.
pub(crate) const MAIN_FIELDS: [(&str, &str); 6] = [
    ("session_summary", "completed"),
    ("decision", "decision"),
    ("runbook", "steps"),
    ("constraint", "rule"),
    ("tech_debt", "description"),
    ("preference", "value"),
];
/// The fields that say when a memory applies.
const WHEN: [&str; 2] = ["trigger", "symptoms"];
/// A field with a value of at least this many characters that was said before is left out. Shorter ones, such as numbers,
/// may well be the same in two fields.
const REPEATED_CHARS: usize = 12;

/// The parts of a memory's file that can be shown and that are not in its index line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Card {
    /// The memory's date as `YYYY-MM-DD`; empty if there is none. It is the first date that the file has, in this
    /// order: the day from which the memory is valid, the latest day of its evidence, the day of its source, of its
    /// last change, and of its creation.
    pub date: String,
    /// The `status` in the memory's content, e.g. `accepted` for a decision; empty if there is none.
    pub state: String,
    /// The one sentence that stands for the memory's content (its gist, SPEC 32); may be empty.
    pub gist: String,
    /// The scope of the memory, if it has one, and the fields of its content; one per line, each after its name. Of a
    /// memory with sections, the lines of one section come first, and the fields that sections say are left out.
    pub text: String,
    /// The files and folders of the project that the memory is about.
    pub anchors: Vec<String>,
    /// The last item of evidence that is short enough, e.g. `commit 1a2b3c4`; empty if there is none.
    pub evidence: String,
    /// What the main field of the category says, as in `text`, e.g. the rule of a constraint; empty if it is not there.
    /// Of a memory with sections, the lines of the section in `text`.
    pub main: String,
}

impl Card {
    /// The card of a memory whose file was already parsed.
    #[must_use]
    pub fn of(record: &Json) -> Self {
        Self::fitting(record, &[])
    }

    /// The card with the section that fits a prompt with these terms and weights best.
    #[must_use]
    pub fn fitting(record: &Json, terms: &[(String, u32)]) -> Self {
        let content = record.get("content");
        let state = content.and_then(|content| content.get(STATUS)).and_then(Json::as_text).unwrap_or_default();
        let is_word =
            state.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') && state.len() <= MAX_STATE_CHARS;
        let evidence = read_evidence(record);
        let sections = read_sections(record);
        let (text, main) = if sections.is_empty() {
            content.map(|content| text_of(content, record, &HashSet::default(), "")).unwrap_or_default()
        } else {
            text_of_sections(record, &sections, terms)
        };
        Self {
            date: read_date(record, evidence),
            state: if is_word { state.into() } else { String::new() },
            gist: gist_of(record),
            text,
            anchors: read_anchors(record),
            evidence: short_evidence(evidence),
            main,
        }
    }

    /// Whether the memory has neither a gist nor a text, so that only its title can be shown.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.gist.is_empty() && self.text.is_empty()
    }
}

/// Reads the card from the bytes of a memory's file; `None` if they are not a JSON object.
#[must_use]
pub fn read_card(data: &[u8]) -> Option<Card> {
    read_json(data).ok().filter(|record| matches!(record, Json::Object(_))).map(|record| Card::of(&record))
}

/// The items of a memory's `cuecard.evidence`; empty if this field is not a list.
fn read_evidence(record: &Json) -> &[Json] {
    match record.get("cuecard").and_then(|extension| extension.get("evidence")) {
        Some(Json::List(pieces)) => pieces,
        _ => &[],
    }
}

/// The memory's date, chosen as [`Card::date`] describes.
fn read_date(record: &Json, evidence: &[Json]) -> String {
    let own = |name| record.get("cuecard").and_then(|extension| extension.get(name));
    let seen = || evidence.iter().filter_map(|piece| date_of(piece.get("at")?)).max();
    let first = own("valid_from").and_then(date_of).or_else(seen);
    let first = first.or_else(|| date_of(own("source")?.get("date")?));
    first
        .or_else(|| date_of(record.get("updated_at")?))
        .or_else(|| date_of(record.get("created_at")?))
        .unwrap_or_default()
}

/// The last item of evidence with at most `MAX_EVIDENCE_CHARS` characters, as text; empty if there is none.
fn short_evidence(evidence: &[Json]) -> String {
    let shown = |piece: &Json| {
        let kind = piece.get("kind")?.as_text()?;
        if kind == "user" {
            return Some("said by the user".to_owned());
        }
        let line = one_line(piece.get("ref")?.as_text()?);
        let fits = !line.is_empty() && line.chars().count() <= MAX_EVIDENCE_CHARS && EVIDENCE_KINDS.contains(&kind);
        fits.then(|| format!("{kind} {line}"))
    };
    evidence.iter().rev().find_map(shown).unwrap_or_default()
}

/// The date at the beginning of a timestamp, as `YYYY-MM-DD`; `None` unless the date is written with dashes.
fn date_of(value: &Json) -> Option<String> {
    let text = value.as_text()?;
    parse_timestamp(text)?;
    let date = text.get(..DATE_BYTES)?;
    date.contains('-').then(|| date.to_owned())
}

/// The text of a memory with sections: the headings of the other sections, the lines of the fitting one, and the fields of
/// the content that no section says. The second text is that without the fields.
fn text_of_sections(record: &Json, sections: &[Section<'_>], terms: &[(String, u32)]) -> (String, String) {
    let content = record.get("content").unwrap_or(&Json::Null);
    let category = record.get("category").and_then(Json::as_text).unwrap_or_default();
    let steps = MAIN_FIELDS.iter().find(|(name, _)| *name == category).and_then(|(_, field)| content.get(field));
    let first = match steps {
        Some(Json::List(items)) => items.first().and_then(Json::as_text),
        steps => steps.and_then(Json::as_text),
    };
    let when: Vec<&str> = WHEN.iter().filter_map(|name| content.get(name)).flat_map(texts_of).collect();
    let chosen = fitting(sections, terms, first.unwrap_or_default(), &when);
    let headings: Vec<String> = sections
        .iter()
        .filter(|section| Some(**section) != chosen && !section.heading.is_empty())
        .map(|section| one_line(section.heading))
        .collect();
    let mut shown = chosen.as_ref().map(passage).unwrap_or_default();
    if !headings.is_empty() {
        shown = format!("other sections: {}\n{shown}", cut(&headings.join("; "), MAX_HEADINGS_CHARS));
    }
    text_of(content, record, &lines_of(sections), &shown)
}

/// The fields of a memory's content, one per line: first the most important fields of its category, then the others in
/// file order. The status is left out, and so is a field that only repeats the title or a field before it, or that the
/// lines of sections (`said`) say. The second text is what the main field says. The lines `passage` come before all
/// fields, and are the main text where they are not empty.
fn text_of(content: &Json, record: &Json, said_lines: &HashSet<&str>, passage: &str) -> (String, String) {
    let Json::Object(members) = content else {
        let text = if passage.is_empty() { flat(content) } else { passage.to_owned() };
        let text = cut(&text, MAX_TEXT_CHARS).to_owned();
        return (text.clone(), text);
    };
    let category = record.get("category").and_then(Json::as_text).unwrap_or_default();
    let main = MAIN_FIELDS.iter().find(|(name, _)| *name == category).map(|(_, field)| *field);
    let main = main.filter(|_| passage.is_empty());
    let first = fields_of(category);
    let others = members.iter().map(|(name, _)| name.as_str()).filter(|name| *name != STATUS && !first.contains(name));
    // Where each value stands in the text; the title does not stand there.
    let mut said: HashMap<String, Range<usize>> = HashMap::default();
    said.extend(record.get("title").and_then(Json::as_text).map(|title| (one_line(title), 0..0)));
    let mut text = String::new();
    let mut main_at = None;
    if !passage.is_empty() {
        text = scope_of(record) + passage;
        main_at = Some(text.len() - passage.len()..text.len());
    }
    for name in first.iter().copied().chain(others) {
        let value = content.get(name).filter(|value| !is_value_said(value, said_lines)).map(flat).unwrap_or_default();
        let earlier = said.get(&value).filter(|_| value.chars().nth(REPEATED_CHARS - 1).is_some());
        if value.is_empty() || earlier.is_some() {
            main_at = if Some(name) == main { earlier.cloned() } else { main_at };
            continue;
        }
        if text.len() > 4 * MAX_TEXT_CHARS {
            break;
        }
        let begin = if text.is_empty() { scope_of(record) } else { "\n".to_owned() };
        text.extend([begin.as_str(), &label(name), ": "]);
        let place = text.len()..text.len() + value.len();
        text.push_str(&value);
        if Some(name) == main {
            main_at = Some(place.clone());
        }
        said.insert(value, place);
    }
    let text = cut(&text, MAX_TEXT_CHARS).to_owned();
    let main =
        main_at.and_then(|place| text.get(place.start..place.end.min(text.len()))).unwrap_or_default().to_owned();
    (text, main)
}

/// A text, or the texts of a list.
fn texts_of(value: &Json) -> Vec<&str> {
    match value {
        Json::List(items) => items.iter().filter_map(Json::as_text).collect(),
        value => value.as_text().into_iter().collect(),
    }
}

/// The line with the parts, versions and platforms of the project for which a memory is valid; empty if the memory does
/// not limit them.
fn scope_of(record: &Json) -> String {
    let Some(Json::List(scopes)) = record.get("cuecard").and_then(|extension| extension.get("applies_to")) else {
        return String::new();
    };
    let scope = |scope: &Json| {
        let part = |name: &str| scope.get(name).and_then(Json::as_text).map(one_line).filter(|text| !text.is_empty());
        let platform = part("platform").map(|platform| format!("on {platform}"));
        let parts: Vec<_> = [part("component"), part("version"), platform].into_iter().flatten().collect();
        Some(parts.join(" ")).filter(|text| !text.is_empty())
    };
    let scopes: Vec<_> = scopes.iter().filter_map(scope).collect();
    if scopes.is_empty() {
        String::new()
    } else {
        format!("applies to: {}\n", cut(&scopes.join("; "), MAX_SCOPE_CHARS))
    }
}

fn label(name: &str) -> String {
    one_line(&name.replace('_', " "))
}

/// The texts and whole numbers in a value, at any depth, joined into one line.
fn flat(value: &Json) -> String {
    let join = |texts: Vec<String>, between: &str| {
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(between)
    };
    match value {
        Json::Text(text) => Some(one_line(text)).filter(|text| !is_placeholder(text)).unwrap_or_default(),
        Json::Integer(number) => number.to_string(),
        Json::List(items) => join(items.iter().map(flat).collect(), "; "),
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                let text = flat(value);
                if text.is_empty() { text } else { format!("{}: {text}", label(name)) }
            };
            join(members.iter().map(member).collect(), ", ")
        }
        _ => String::new(),
    }
}

/// The text with every run of blanks, tabs and line ends replaced by one blank.
fn one_line(text: &str) -> String {
    let is_blank = |byte: u8| matches!(byte, b'\n' | b'\r' | b'\t' | b' ');
    // Most texts are on one line already. A blank at an end is stripped in any case.
    let mut pairs = text.bytes().zip(text.bytes().skip(1));
    if !pairs.any(|(first, second)| is_blank(first) && (first != b' ' || is_blank(second))) {
        return strip(text).to_owned();
    }
    let text = text.replace(['\n', '\r', '\t'], " ");
    let words: Vec<_> = text.split(' ').filter(|word| !word.is_empty()).collect();
    strip(&words.join(" ")).to_owned()
}

fn read_anchors(record: &Json) -> Vec<String> {
    let named = [record.get("related_files"), record.get("cuecard").and_then(|extension| extension.get("anchors"))];
    let mut anchors: Vec<String> = Vec::new();
    for list in named.into_iter().flatten() {
        let Json::List(items) = list else { continue };
        for anchor in items.iter().filter_map(Json::as_text) {
            if !anchor.is_empty() && anchors.len() < MAX_ANCHORS && !anchors.iter().any(|known| known == anchor) {
                anchors.push(anchor.to_owned());
            }
        }
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_the_content_says_field_by_field() {
        let data = br#"{"category": "decision", "updated_at": "2026-02-03T04:05:06Z", "related_files": ["a.rs", "a.rs", 1], "content":
            {"status": "accepted", "times": 3, "decision": "Use\n the  queue.", "alternatives": [{"option": "call", "why_not": "slow"}, "wait"],
             "empty": []}, "cuecard": {"gist": "Queue it.", "anchors": ["src/"]}}"#;
        let card = read_card(data).unwrap();
        assert_eq!(
            (card.date.as_str(), card.state.as_str(), card.gist.as_str()),
            ("2026-02-03", "accepted", "Queue it.")
        );
        assert_eq!(card.text, "decision: Use the queue.\nalternatives: option: call, why not: slow; wait\ntimes: 3");
        assert_eq!(card.anchors, ["a.rs", "src/"]);
    }

    #[test]
    fn what_is_no_memory_has_no_card_or_an_empty_one() {
        assert_eq!(read_card(b"[]"), None);
        assert_eq!(read_card(b"{"), None);
        assert_eq!(read_card(b"{}"), Some(Card::default()));
    }
}
