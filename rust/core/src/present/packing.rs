//! Packs the memories that passed the gate into the budget. Each is shown in full, as a line with its gist, or as a
//! title (SPEC 39).

use crate::memory::card::Card;
use crate::rank::gate_model::{PRECISE, probability};
use crate::text::chars::cut;
use crate::text::sanitize::{escape_body, remove_hidden, sanitize_title};
use crate::text::terms::document_terms;
use crate::text::token_estimate::estimate_tokens;
use foldhash::HashSet;

pub(crate) const HEADER: &str = "<memory-context source=\".claude/memory/\" more=\"cuecard show ID|SLUG\">\n";
pub(crate) const FOOTER: &str = "</memory-context>\n";
/// The lowest logit of a memory that is shown in full: at this logit, nine of ten memories help
/// (`docs/recall-quality.md`).
pub const SURE: i64 = 1420;
/// The maximal number of tokens of a full text.
const FULL_TOKENS: usize = 160;
/// A full text is shown only if at least this many tokens are left for it.
const LEAST_FULL_TOKENS: usize = 60;
const MAX_GIST_CHARS: usize = 200;
const MAX_LABEL_CHARS: usize = 80;
const MAX_ID_CHARS: usize = 80;
/// The maximal number of characters of the prompt that are read.
const MAX_PROMPT_CHARS: usize = 4096;
/// The base value of a memory; each prompt term that no chosen memory has adds 1 to it.
const BASE_VALUE: i64 = 4;
/// Two heads (title and gist) count as the same if they share at least 4/5 of their terms.
const SAME_OF_FIVE: usize = 4;

/// The label of a memory that nobody vouches for.
pub const UNREVIEWED: &str = "unreviewed";

/// A memory to be packed into the block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackItem {
    /// The name of the category in upper case.
    pub category: String,
    /// The title, as in the index line.
    pub title: String,
    /// The id with which the agent can read the whole memory.
    pub id: String,
    /// The parts of the memory's file that can be shown.
    pub card: Card,
    /// Further notes for the reader, e.g. that a file which the memory is about has changed since the memory was
    /// written.
    pub labels: Vec<String>,
    /// The gate's logit, in 1/1024.
    pub logit: i64,
}

impl PackItem {
    /// Whether another memory that says nearly the same need not be shown beside this one. Nobody vouches for what an
    /// unreviewed memory says, so it stands only for others that are unreviewed (SPEC 52.10).
    fn can_stand_for(&self, other: &Self) -> bool {
        self.category == other.category && (!self.is_unreviewed() || other.is_unreviewed())
    }

    fn is_unreviewed(&self) -> bool {
        self.labels.iter().any(|label| label == UNREVIEWED)
    }
}

/// How a memory is shown, or why it is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Shown with its full text, which is cut if it does not fit.
    Full,
    /// Shown as a line with its gist.
    Gist,
    /// Shown only by its title, because its gist does not fit or its logit is too low.
    Title,
    /// Shown by its title, because it has neither a gist nor a text.
    Line,
    /// Not shown, because a shown memory of the same category says nearly the same.
    Duplicate,
    /// Not shown, because the budget is used up.
    Budget,
}

impl Outcome {
    /// The name of the outcome in traces and events.
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

/// Whether a memory with this logit may be shown with more than its title.
#[must_use]
pub fn is_more_than_title(logit: i64) -> bool {
    logit >= PRECISE
}

/// The result of [`pack`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    /// The block for the agent; empty if no memory is shown.
    pub block: String,
    /// The outcome of each memory, in the order of the items.
    pub outcomes: Vec<Outcome>,
    /// The estimated number of tokens of the whole block.
    pub tokens: usize,
}

/// Packs memories, given best first, into a block within both budgets, `max_tokens` and `budget_chars` (in characters).
///
/// Memories that the user vouches for come before the unreviewed ones (SPEC 52.10). The next memory is always the one
/// with the greatest value: its probability, weighted by the number of prompt terms that no chosen memory has. In the block, memories are sorted by tier, category and id, so that the same memories
/// give the same block.
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
    let mut chosen: Vec<(&PackItem, &HashSet<String>)> = Vec::new();
    // Memories that the user vouches for are packed first, so that the others get only what is left of the budgets.
    let (mut waiting, mut others): (Vec<usize>, Vec<usize>) =
        (0..items.len()).partition(|number| items.get(*number).is_some_and(|item| !item.is_unreviewed()));
    loop {
        if waiting.is_empty() {
            waiting = std::mem::take(&mut others);
        }
        let Some(place) = next_of(&waiting, items, &heads, &missing) else { break };
        let number = waiting.remove(place);
        let (Some(item), Some(head), Some(outcome)) = (items.get(number), heads.get(number), outcomes.get_mut(number))
        else {
            break;
        };
        if chosen.iter().any(|(earlier, other)| earlier.can_stand_for(item) && is_same(head, other)) {
            *outcome = Outcome::Duplicate;
            continue;
        }
        let Some((tier, text, tokens)) = fit(item, &room) else { continue };
        room.tokens -= tokens;
        room.chars -= text.chars().count();
        used += tokens;
        *outcome = if item.card.is_bare() { Outcome::Line } else { tier };
        chosen.push((item, head));
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

/// What is left of the two budgets.
struct Room {
    tokens: usize,
    chars: usize,
}

impl Room {
    /// The number of tokens of a text; `None` if the text does not fit.
    fn take(&self, text: &str) -> Option<usize> {
        let tokens = estimate_tokens(text);
        (tokens <= self.tokens && text.chars().count() <= self.chars).then_some(tokens)
    }
}

/// The index in `waiting` of the memory with the greatest value; the first one if several have this value. `None` if
/// `waiting` is empty.
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

/// The terms of a memory's title and gist.
fn head_terms(item: &PackItem) -> HashSet<String> {
    document_terms(&format!("{}\n{}", item.title, item.card.gist)).into_iter().collect()
}

/// Whether two heads, given as sets of terms, count as the same.
fn is_same(head: &HashSet<String>, other: &HashSet<String>) -> bool {
    let common = head.intersection(other).count();
    let all = head.len() + other.len() - common;
    all > 0 && 5 * common >= SAME_OF_FIVE * all
}

/// The highest tier (full text, gist or title) that a memory's logit allows and that fits, with the text to show and
/// its number of tokens. `None` if not even the title fits.
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

/// The category and title of a memory, then in brackets its state, date (if `is_dated`), evidence and labels.
fn head(item: &PackItem, is_dated: bool) -> String {
    let (title, category) = (sanitize_title(&remove_hidden(&item.title)), shown(&item.category, MAX_LABEL_CHARS));
    let (date, evidence) = if is_dated { (item.card.date.as_str(), item.card.evidence.as_str()) } else { ("", "") };
    let words = [item.card.state.as_str(), date, evidence].into_iter().chain(item.labels.iter().map(String::as_str));
    let notes: Vec<_> = words.filter(|word| !word.is_empty()).map(|word| shown(word, MAX_LABEL_CHARS)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("- [{category}] {title}{notes}")
}

/// The gist; if the gist begins with the title, only the text after the title.
fn gist_beside_title(item: &PackItem) -> &str {
    let gist = item.card.gist.as_str();
    match gist.strip_prefix(item.title.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with([':', '.', ' ']) => rest.trim_start_matches([':', '.', ' ']),
        _ => gist,
    }
}

/// The reference to a memory's id. It is empty if the id can be derived from the title, or is not safe in a command.
fn pointer(item: &PackItem) -> String {
    if slug(&item.title).as_deref() == Some(item.id.as_str()) || !is_safe_id(&item.id) {
        return String::new();
    }
    format!(" -> {}", shown(&item.id, usize::MAX))
}

/// Whether an id is safe in a shell command, because none of its ASCII characters has a special meaning for a shell.
fn is_safe_id(id: &str) -> bool {
    !id.starts_with('-')
        && id.chars().all(|char| !char.is_ascii() || char.is_ascii_alphanumeric() || "-_.".contains(char))
}

/// The id that a memory with this title gets when it is written; `None` if the title is not ASCII.
fn slug(title: &str) -> Option<String> {
    let lower = title.is_ascii().then(|| title.to_ascii_lowercase())?;
    let runs: Vec<_> = lower.split(|char: char| !char.is_ascii_alphanumeric()).filter(|run| !run.is_empty()).collect();
    Some(cut(&runs.join("-"), MAX_ID_CHARS).trim_end_matches('-').to_owned())
}

/// The head and full text of a memory. The text is cut to `FULL_TOKENS` tokens and to what is left of the budgets.
/// `None` if there is no text or too little is left.
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

/// The first words of a line, at most `limit` characters; empty if not even one word fits.
fn cut_words(line: &str, limit: usize) -> &str {
    let end = line.char_indices().nth(limit).map_or(line.len(), |(end, _)| end);
    line.get(..end).and_then(|begin| begin.rsplit_once(' ')).map_or("", |(begin, _)| begin)
}

/// A text that is safe in the block: without hidden characters, cut to `limit` characters, and with markup escaped.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    escape_body(cut(&remove_hidden(text), limit))
}
