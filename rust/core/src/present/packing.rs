//! What the gate lets through, made to fit: in full, as a line with its gist, or as a title (SPEC 39).

use crate::memory::card::Card;
use crate::rank::gate_model::{PRECISE, probability};
use crate::text::chars::cut;
use crate::text::sanitize::{escape_body, remove_hidden, sanitize_title};
use crate::text::terms::document_terms;
use crate::text::token_estimate::estimate_tokens;
use std::collections::HashSet;

const HEADER: &str = "<memory-context source=\".claude/memory/\" more=\"cuecard show ID|SLUG\">\n";
const FOOTER: &str = "</memory-context>\n";
/// The least logit of a memory that is shown in full: nine of ten such help (`docs/recall-quality.md`).
pub const SURE: i64 = 1420;
/// A full text is cut to this many tokens.
const FULL_TOKENS: usize = 160;
/// With less room than this a full text is not worth its place.
const LEAST_FULL_TOKENS: usize = 60;
const MAX_GIST_CHARS: usize = 200;
const MAX_LABEL_CHARS: usize = 80;
const MAX_ID_CHARS: usize = 80;
/// So many characters of the prompt are looked at.
const MAX_PROMPT_CHARS: usize = 4096;
/// What a memory counts for beside the terms of the prompt that none before it has.
const BASE_VALUE: i64 = 4;
/// Two heads with this share of their terms in common, 4/5, count as one.
const SAME_OF_FIVE: usize = 4;

/// A memory on its way into the block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackItem {
    /// In capitals.
    pub category: String,
    /// As its index line has it.
    pub title: String,
    /// The id by which the rest can be read.
    pub id: String,
    /// What its file says.
    pub card: Card,
    /// What else the reader must know, as that a file it is about has changed since.
    pub labels: Vec<String>,
    /// The gate's logit, in 1/1024.
    pub logit: i64,
}

/// How a memory is shown, or why it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// With its full text, as far as that fits.
    Full,
    /// As a line with its gist.
    Gist,
    /// With its title only.
    Title,
    /// With all there is to say of it, which is its title.
    Line,
    /// Another one of its category that is shown says nearly the same.
    Duplicate,
    /// There is no room for it.
    Budget,
}

impl Outcome {
    /// Its name in traces and events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Gist => "gist",
            Self::Title => "title",
            Self::Line => "line",
            Self::Duplicate => "duplicate",
            Self::Budget => "budget",
        }
    }

    /// Whether the memory is shown.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self <= Self::Line
    }
}

/// Whether a memory of that logit may have more than its title.
#[must_use]
pub fn is_more_than_title(logit: i64) -> bool {
    logit >= PRECISE
}

/// A block and what became of each memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    /// For the agent; empty where nothing is shown.
    pub block: String,
    /// In the order in which the memories were given.
    pub outcomes: Vec<Outcome>,
    /// Estimated for the whole block.
    pub tokens: usize,
}

/// The block for memories, best first, under both budgets.
///
/// Each in turn is the one that is most probably wanted and has the most terms of the prompt that none before it
/// has. In the block they stand by tier, category and id, so that the same memories make the same block.
#[must_use]
pub fn pack(prompt: &str, items: &[PackItem], max_tokens: usize, budget_chars: usize) -> Packed {
    let prompt = prompt.char_indices().nth(MAX_PROMPT_CHARS).and_then(|(end, _)| prompt.get(..end)).unwrap_or(prompt);
    let mut missing: HashSet<String> = document_terms(prompt).into_iter().collect();
    let heads: Vec<HashSet<String>> = items.iter().map(head_terms).collect();
    let frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER);
    let mut room = Room {
        tokens: max_tokens.saturating_sub(frame),
        chars: budget_chars.saturating_sub(HEADER.len() + FOOTER.len()),
    };
    let (mut used, mut outcomes) = (frame, vec![Outcome::Budget; items.len()]);
    let mut texts: Vec<(Outcome, &PackItem, String)> = Vec::new();
    let mut chosen: Vec<(&str, &HashSet<String>)> = Vec::new();
    let mut waiting: Vec<usize> = (0..items.len()).collect();
    while let Some(place) = next_of(&waiting, items, &heads, &missing) {
        let number = waiting.remove(place);
        let (Some(item), Some(head), Some(outcome)) = (items.get(number), heads.get(number), outcomes.get_mut(number))
        else {
            break;
        };
        if chosen.iter().any(|(category, other)| *category == item.category && is_same(head, other)) {
            *outcome = Outcome::Duplicate;
            continue;
        }
        let Some((tier, text, tokens)) = fit(item, &room) else { continue };
        room.tokens -= tokens;
        room.chars -= text.chars().count();
        used += tokens;
        *outcome = if item.card.is_bare() { Outcome::Line } else { tier };
        chosen.push((&item.category, head));
        missing.retain(|term| !head.contains(term));
        texts.push((tier, item, text));
    }
    if texts.is_empty() {
        return Packed { block: String::new(), outcomes, tokens: 0 };
    }
    texts.sort_by(|(a, one, _), (b, other, _)| (a, &one.category, &one.id).cmp(&(b, &other.category, &other.id)));
    let lines: String = texts.into_iter().map(|(_, _, text)| text).collect();
    Packed { block: format!("{HEADER}{lines}{FOOTER}"), outcomes, tokens: used }
}

/// What is left of the budgets.
struct Room {
    tokens: usize,
    chars: usize,
}

impl Room {
    /// What a text takes of the tokens, if it fits.
    fn take(&self, text: &str) -> Option<usize> {
        let tokens = estimate_tokens(text);
        (tokens <= self.tokens && text.chars().count() <= self.chars).then_some(tokens)
    }
}

/// The place among those waiting of the one with the greatest value, of equal ones the first.
fn next_of(
    waiting: &[usize],
    items: &[PackItem],
    heads: &[HashSet<String>],
    missing: &HashSet<String>,
) -> Option<usize> {
    let value = |number: usize| {
        let new = heads.get(number).map_or(0, |head| head.intersection(missing).count());
        let logit = items.get(number).map_or(0, |item| item.logit);
        probability(logit) * (BASE_VALUE + i64::try_from(new).unwrap_or_default())
    };
    let values = waiting.iter().map(|number| value(*number));
    values.enumerate().min_by_key(|(place, value)| (-value, *place)).map(|(place, _)| place)
}

/// The terms of title and gist.
fn head_terms(item: &PackItem) -> HashSet<String> {
    document_terms(&format!("{}\n{}", item.title, item.card.gist)).into_iter().collect()
}

/// Whether two heads say nearly the same.
fn is_same(head: &HashSet<String>, other: &HashSet<String>) -> bool {
    let common = head.intersection(other).count();
    let all = head.len() + other.len() - common;
    all > 0 && 5 * common >= SAME_OF_FIVE * all
}

/// A memory in the highest tier that its logit allows and that fits, and its tokens.
fn fit(item: &PackItem, room: &Room) -> Option<(Outcome, String, usize)> {
    if item.logit >= SURE {
        if let Some(text) = full_text(item, room) {
            if let Some(tokens) = room.take(&text) {
                return Some((Outcome::Full, text, tokens));
            }
        }
    }
    if is_more_than_title(item.logit) {
        let gist = shown(gist_beside_title(item), MAX_GIST_CHARS);
        let line = if gist.is_empty() { head(item, true) } else { format!("{}: {gist}", head(item, true)) };
        let text = format!("{line}{}\n", pointer(item));
        if let Some(tokens) = room.take(&text) {
            return Some((Outcome::Gist, text, tokens));
        }
    }
    let text = format!("{}{}\n", head(item, false), pointer(item));
    room.take(&text).map(|tokens| (Outcome::Title, text, tokens))
}

/// Category and title; behind it state, date and labels.
fn head(item: &PackItem, is_dated: bool) -> String {
    let (title, category) = (sanitize_title(&remove_hidden(&item.title)), shown(&item.category, MAX_LABEL_CHARS));
    let (date, evidence) = if is_dated { (item.card.date.as_str(), item.card.evidence.as_str()) } else { ("", "") };
    let words = [item.card.state.as_str(), date, evidence].into_iter().chain(item.labels.iter().map(String::as_str));
    let notes: Vec<_> = words.filter(|word| !word.is_empty()).map(|word| shown(word, MAX_LABEL_CHARS)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("- [{category}] {title}{notes}")
}

/// The gist, without a title that it begins with.
fn gist_beside_title(item: &PackItem) -> &str {
    let gist = item.card.gist.as_str();
    match gist.strip_prefix(item.title.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with([':', '.', ' ']) => rest.trim_start_matches([':', '.', ' ']),
        _ => gist,
    }
}

/// The id, where the title does not tell it.
fn pointer(item: &PackItem) -> String {
    if slug(&item.title).as_deref() == Some(item.id.as_str()) || !is_safe_id(&item.id) {
        return String::new();
    }
    format!(" -> {}", shown(&item.id, usize::MAX))
}

/// Whether an agent can put an id into a command: of ASCII it has only what no shell gives a meaning.
fn is_safe_id(id: &str) -> bool {
    !id.starts_with('-')
        && id.chars().all(|char| !char.is_ascii() || char.is_ascii_alphanumeric() || "-_.".contains(char))
}

/// The id that a writer makes of a title in ASCII.
fn slug(title: &str) -> Option<String> {
    let lower = title.is_ascii().then(|| title.to_ascii_lowercase())?;
    let runs: Vec<_> = lower.split(|char: char| !char.is_ascii_alphanumeric()).filter(|run| !run.is_empty()).collect();
    Some(cut(&runs.join("-"), MAX_ID_CHARS).trim_end_matches('-').to_owned())
}

/// Head and full text, cut where it passes what a full text may have, or what is left; `None` where too little is.
fn full_text(item: &PackItem, room: &Room) -> Option<String> {
    let mut text = format!("{}{}\n", head(item, true), pointer(item));
    let mut left = FULL_TOKENS.min(room.tokens.saturating_sub(estimate_tokens(&text)));
    if item.card.text.is_empty() || left < LEAST_FULL_TOKENS {
        return None;
    }
    for line in item.card.text.split('\n') {
        let line = format!("  {}\n", shown(line, usize::MAX));
        let tokens = estimate_tokens(&line);
        if tokens > left {
            let fitting = cut_words(&line, line.chars().count() * left / tokens);
            let end =
                if fitting.trim_end_matches(' ').is_empty() { "  …\n".into() } else { format!("{fitting} …\n") };
            text.push_str(&end);
            break;
        }
        left -= tokens;
        text.push_str(&line);
    }
    Some(text)
}

/// The first words of a line of at most `limit` characters; none where not even one fits.
fn cut_words(line: &str, limit: usize) -> &str {
    let end = line.char_indices().nth(limit).map_or(line.len(), |(end, _)| end);
    line.get(..end).and_then(|begin| begin.rsplit_once(' ')).map_or("", |(begin, _)| begin)
}

/// A text as the block shows it.
fn shown(text: &str, limit: usize) -> String {
    escape_body(cut(&remove_hidden(text), limit))
}
