//! Packs the line with the titles of memories that may concern a prompt for which no memory is sure enough (SPEC 39.9).

use crate::present::packing::{FOOTER, HEADER, MAX_NOTE_CHARS, Outcome, PackItem, Packed, SHORT_CHARS, pointer, shown};
use crate::text::chars::cut;
use crate::text::sanitize::block_title;
use crate::text::token_estimate::estimate_tokens;

const LEAD: &str = "may concern this: ";
/// The maximal number of tokens of the line.
const MAX_TOKENS: usize = 40;

/// Packs the titles of memories, given best first, into a block of one line, within both budgets and `MAX_TOKENS`. The
/// first title is cut if it does not fit, and another one is left out.
#[must_use]
pub fn pack_named(items: &[PackItem], max_tokens: usize, budget_chars: usize) -> Packed {
    let frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER);
    let max_tokens = MAX_TOKENS.min(max_tokens.saturating_sub(frame));
    let max_chars = budget_chars.saturating_sub(HEADER.len() + FOOTER.len());
    let fits = |line: &str| estimate_tokens(line) <= max_tokens && line.chars().count() <= max_chars;
    let (mut line, mut outcomes) = (String::new(), Vec::new());
    for item in items {
        let longer = if line.is_empty() {
            shortening(&item.title).map(|title| format!("{LEAD}{}\n", named(item, &title))).find(|line| fits(line))
        } else {
            Some(format!("{}; {}\n", line.trim_end_matches('\n'), named(item, &item.title))).filter(|line| fits(line))
        };
        let longer = longer.filter(|_| !block_title(&item.title).is_empty());
        outcomes.push(if longer.is_some() { Outcome::Named } else { Outcome::Budget });
        line = longer.unwrap_or(line);
    }
    if line.is_empty() {
        return Packed { block: String::new(), outcomes, tokens: 0 };
    }
    Packed { tokens: frame + estimate_tokens(&line), block: format!("{HEADER}{line}{FOOTER}"), outcomes }
}

/// A title with the labels of its memory in brackets, and the reference to its id. A title that is cut does not tell the
/// id.
fn named(item: &PackItem, title: &str) -> String {
    let labels: Vec<_> = item.labels.iter().map(|label| shown(label, MAX_NOTE_CHARS)).collect();
    let labels = if labels.is_empty() { String::new() } else { format!(" ({})", labels.join(", ")) };
    format!("{}{labels}{}", block_title(title), pointer(item, title))
}

/// A title, and then the title cut to fewer and fewer characters, at a blank if there is one in the second half.
fn shortening(title: &str) -> impl Iterator<Item = String> {
    let whole = title.chars().count();
    let fewer = std::iter::successors(Some(whole - whole / 8), |chars| Some(chars - chars / 8));
    let fewer = fewer.take_while(move |chars| *chars < whole && *chars >= SHORT_CHARS);
    std::iter::once(title.to_owned()).chain(fewer.map(move |chars| {
        let begin = cut(title, chars);
        let words = begin.rfind(' ').and_then(|place| begin.get(..place)).unwrap_or_default();
        format!("{} …", if 2 * words.chars().count() >= chars { words } else { begin })
    }))
}
