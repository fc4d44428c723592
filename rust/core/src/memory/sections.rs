//! The sections of a memory: the parts of a longer text, such as the branches of a runbook, kept as they were written
//! (SPEC 39.7).

use crate::text::chars::{cut, strip};
use crate::text::json_reader::Json;
use crate::text::terms::for_each_term;
use foldhash::{HashMap, HashSet};

/// The maximal number of sections of a memory, and of characters of a section's heading and text.
const MAX_SECTIONS: usize = 64;
const MAX_HEADING_CHARS: usize = 200;
const MAX_SECTION_CHARS: usize = 8000;
/// A line with fewer characters is not looked for in other texts.
const LEAST_LINE_CHARS: usize = 12;
/// What stands in front of a heading, an item of a list or a quotation.
const MARKS: [char; 6] = ['#', '-', '*', '+', '>', ' '];
/// The beginnings of a line that opens or closes a block of code.
const FENCES: [&str; 2] = ["```", "~~~"];

/// A part of a memory's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading; may be empty.
    pub heading: &'a str,
    /// The text, with its lines.
    pub text: &'a str,
}

/// The sections in `cuecard.sections` that have a text, in their order.
#[must_use]
pub fn read_sections(record: &Json) -> Vec<Section<'_>> {
    let Some(Json::List(items)) = record.get("cuecard").and_then(|extension| extension.get("sections")) else {
        return Vec::new();
    };
    let section = |item| {
        let part = |name| Json::get(item, name).and_then(Json::as_text).unwrap_or_default();
        let heading = cut(strip(part("heading")), MAX_HEADING_CHARS);
        let text = cut(part("text"), MAX_SECTION_CHARS);
        (!strip(text).is_empty()).then_some(Section { heading, text })
    };
    items.iter().take(MAX_SECTIONS).filter_map(section).collect()
}

/// The lines of some sections, each without the white space and the marks around it.
pub(crate) fn lines_of<'a>(sections: &[Section<'a>]) -> HashSet<&'a str> {
    sections.iter().flat_map(|section| [section.heading, section.text]).flat_map(bare_lines).collect()
}

/// The lines of a text without the white space around them, and without the marks of headings, items and quotations.
fn bare_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| strip(strip(line).trim_start_matches(MARKS)))
}

/// Whether sections with these lines say a text, because they have all of its lines.
pub(crate) fn is_said(text: &str, lines: &HashSet<&str>) -> bool {
    !lines.is_empty() && bare_lines(text).all(|line| line.is_empty() || lines.contains(line))
}

/// Whether sections with these lines say every text of a value, and nothing but texts is in it.
pub(crate) fn is_value_said(value: &Json, lines: &HashSet<&str>) -> bool {
    match value {
        Json::Text(text) => is_said(text, lines),
        Json::List(items) => items.iter().all(|item| is_value_said(item, lines)),
        _ => false,
    }
}

/// The section that fits a prompt with these terms and weights best. If none of them has a term, it is the first one
/// that has a line of the text `first`, else the first of all. That section also stands for one without a heading, and
/// for one with a line that stands in `when`: such sections say when the memory applies, and the prompt knows that already.
pub(crate) fn fitting<'a>(
    sections: &[Section<'a>],
    terms: &[(String, u32)],
    first: &str,
    when: &[&str],
) -> Option<Section<'a>> {
    let points: Vec<HashMap<String, u64>> = sections.iter().map(points_of_terms).collect();
    let mut scores = vec![0; sections.len()];
    for (term, weight) in terms {
        let having = points.iter().filter(|points| points.contains_key(term)).count();
        let rarity = u64::try_from(sections.len() + 1 - having).unwrap_or_default();
        for (score, points) in scores.iter_mut().zip(&points) {
            *score += points.get(term).map_or(0, |points| points * rarity * u64::from(*weight));
        }
    }
    let most = scores.iter().copied().max()?;
    let best = sections.iter().zip(&scores).find(|(_, score)| **score == most && most > 0).map(|(section, _)| *section);
    let says_when = |section: &Section<'_>| {
        let stands = |line: &str| {
            line.chars().nth(LEAST_LINE_CHARS - 1).is_some() && when.iter().any(|text| text.contains(line))
        };
        section.heading.is_empty() || bare_lines(section.text).any(stands)
    };
    if let Some(best) = best.filter(|best| !says_when(best)) {
        return Some(best);
    }
    let having = |line| sections.iter().find(|section| bare_lines(section.text).any(|other| other == line));
    bare_lines(first).filter(|line| !line.is_empty()).find_map(having).or(sections.first()).copied()
}

/// The points of a section for each of its terms: 2 where the heading has the term, else 1.
fn points_of_terms(section: &Section<'_>) -> HashMap<String, u64> {
    let mut points = HashMap::default();
    for (text, of_text) in [(section.text, 1), (section.heading, 2)] {
        for_each_term(text, &mut |term| {
            points.insert(term.to_owned(), of_text);
        });
    }
    points
}

/// The lines of a section as a block shows them: its heading, then its text without empty lines outside of code.
pub(crate) fn passage(section: &Section<'_>) -> String {
    let heading = section.heading.replace('\n', " ");
    let mut lines = Vec::new();
    if !heading.is_empty() {
        lines.push(if heading.ends_with(':') { heading } else { format!("{heading}:") });
    }
    let mut is_code = false;
    for line in section.text.split('\n') {
        is_code ^= is_fence(line);
        if is_code || !strip(line).is_empty() {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

/// Whether a line opens or closes a block of code.
pub(crate) fn is_fence(line: &str) -> bool {
    FENCES.iter().any(|fence| strip(line).starts_with(fence))
}
