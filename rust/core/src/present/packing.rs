//! Packs the memories that passed the gate, and the others of their subjects, into the budget. Each is shown in full, as
//! a line with what it says, or as a title (SPEC 39).

use crate::memory::card::Card;
use crate::memory::sections::is_fence;
use crate::present::cut_text::cut_sentences;
use crate::rank::gate_model::PRECISE;
use crate::text::chars::cut;
use crate::text::sanitize::{block_title, escape_frames, remove_hidden};
use crate::text::terms::document_terms;
use crate::text::token_estimate::estimate_tokens;
use foldhash::HashSet;
use std::cmp::Reverse;
use std::ops::Range;

pub(crate) const HEADER: &str = "<memory-context source=\".claude/memory/\" more=\"cuecard show ID|SLUG\">\n";
pub(crate) const FOOTER: &str = "</memory-context>\n";
/// The lowest logit of a memory that is shown in full: at this logit, nine of ten memories help
/// (`docs/recall-quality.md`).
pub const SURE: i64 = 1420;
/// The maximal number of tokens of a full text, unless its main field alone has more.
const FULL_TOKENS: usize = 160;
/// A full text is cut only if at least this many tokens are left for it.
const LEAST_FULL_TOKENS: usize = 60;
const MAX_GIST_CHARS: usize = 200;
/// A memory that is not sure enough for its full text is shown by its gist, if its main field is longer than this; and so
/// is a memory beside a surer one of its subject.
const MAX_MAIN_CHARS: usize = 1200;
const MAX_BESIDE_CHARS: usize = 320;
/// The tokens of a main field with several lines that is longer than that.
const MAX_LINES_TOKENS: usize = 240;
const MAX_LABEL_CHARS: usize = 80;
pub(crate) const MAX_NOTE_CHARS: usize = 120;
/// What closes a block of code that is cut.
const FENCE: &str = "  ```\n";
/// A text with fewer characters is not shortened again.
pub(crate) const SHORT_CHARS: usize = 20;
const MAX_ID_CHARS: usize = 80;
/// Two heads (title and gist) count as the same if they share at least 4/5 of their terms.
const SAME_OF_FIVE: usize = 4;

/// What stands in place of the category of a memory with a pointer (SPEC 39.8).
pub const POINTER: &str = "POINTER";
/// The label of a memory that nobody vouches for.
pub const UNREVIEWED: &str = "unreviewed";
/// The label of a memory whose validity has ended.
pub const OVER: &str = "no longer holds";
/// The label of a memory whose validity has not begun.
pub const AHEAD: &str = "does not hold yet";

/// A memory to be packed into the block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackItem {
    /// The name of the category in upper case, or [`POINTER`].
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
    /// The logit of the surer memory of the same subject beside which the memory is shown; `None` if there is none.
    pub beside: Option<i64>,
}

impl PackItem {
    /// Whether another memory that says nearly the same need not be shown beside this one. Nobody vouches for what an
    /// unreviewed memory says, so it stands only for others that are unreviewed (SPEC 45.10).
    fn can_stand_for(&self, other: &Self) -> bool {
        self.category == other.category && (!self.is_unreviewed() || other.is_unreviewed())
    }

    /// The logit of the surest memory of the group to which the memory belongs in the block.
    fn certainty(&self) -> i64 {
        self.beside.unwrap_or(self.logit)
    }

    /// The tier that this certainty allows: 0 for a full text, 1 for a gist and 2 for a title.
    fn tier(&self) -> u8 {
        let certainty = self.certainty();
        if certainty >= SURE { 0 } else { u8::from(!is_more_than_title(certainty)) + 1 }
    }

    fn is_pointer(&self) -> bool {
        self.category == POINTER
    }

    fn is_unreviewed(&self) -> bool {
        self.labels.iter().any(|label| label == UNREVIEWED)
    }

    /// Whether the memory is not valid at the time of the prompt; such memories come last.
    fn is_late(&self) -> bool {
        self.labels.iter().any(|label| label == OVER || label == AHEAD)
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
    /// Shown as a line with what it says, beside a surer memory of its subject.
    Sibling,
    /// Not shown, but named in the line of titles that may concern the prompt.
    Named,
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
            Self::Sibling => "sibling",
            Self::Named => "named",
            Self::Duplicate => "duplicate",
            Self::Budget => "budget",
        }
    }

    /// Whether the memory is shown.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self <= Self::Sibling
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
/// The surest memory comes first, with its siblings behind it, so that less sure memories get only what is left of the
/// budgets. Memories that the user vouches for come before the unreviewed ones (SPEC 45.10), and pointers behind the
/// other memories of their tier.
#[must_use]
pub fn pack(items: &[PackItem], max_tokens: usize, budget_chars: usize) -> Packed {
    let frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER);
    let mut room = Room {
        tokens: max_tokens.saturating_sub(frame),
        chars: budget_chars.saturating_sub(HEADER.len() + FOOTER.len()),
    };
    let (mut used, mut outcomes, mut lines) = (frame, vec![Outcome::Budget; items.len()], String::new());
    let mut order: Vec<(usize, &PackItem)> = items.iter().enumerate().collect();
    order.sort_by_key(|(_, item)| {
        let is_below = (item.is_unreviewed(), item.is_late());
        (is_below, item.tier(), item.is_pointer(), Reverse(item.certainty()), item.beside.is_some())
    });
    let mut chosen: Vec<(&PackItem, HashSet<String>)> = Vec::new();
    for (number, item) in order {
        let Some(outcome) = outcomes.get_mut(number) else { break };
        let head = head_terms(item);
        if chosen.iter().any(|(earlier, other)| earlier.can_stand_for(item) && is_same(&head, other)) {
            *outcome = Outcome::Duplicate;
            continue;
        }
        let leads = items.iter().any(|other| other.beside == Some(item.logit));
        let Some((tier, text, tokens)) = fit(item, leads, &room) else { continue };
        room.tokens -= tokens;
        room.chars -= text.chars().count();
        used += tokens;
        *outcome = if item.card.is_bare() { Outcome::Line } else { tier };
        chosen.push((item, head));
        lines.push_str(&text);
    }
    if lines.is_empty() {
        return Packed { block: String::new(), outcomes, tokens: 0 };
    }
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
/// its number of tokens. `None` if not even the title fits. `leads` says whether others of its subject stand beside it.
fn fit(item: &PackItem, leads: bool, room: &Room) -> Option<(Outcome, String, usize)> {
    if item.logit >= SURE {
        if let Some(text) = full_text(item, room) {
            if let Some(tokens) = room.take(&text) {
                return Some((Outcome::Full, text, tokens));
            }
        }
    }
    let is_beside = item.beside.is_some();
    if is_beside || leads || is_more_than_title(item.logit) {
        let (outcome, limit) =
            if is_beside { (Outcome::Sibling, MAX_BESIDE_CHARS) } else { (Outcome::Gist, MAX_MAIN_CHARS) };
        let is_short = |main: &&str| main.chars().nth(limit).is_none() || (main.contains('\n') && !is_beside);
        let main = Some(item.card.main.as_str()).filter(|main| !main.is_empty() && is_short(main));
        for said in main.into_iter().chain([cut(&item.card.gist, MAX_GIST_CHARS)]) {
            let begin = head(item, !is_beside);
            let end = pointer(item, &item.title);
            let text = if said.contains('\n') {
                let lines: Vec<String> = said.split('\n').map(shown_line).collect();
                let is_long = said.chars().nth(limit).is_some();
                let lines = if is_long { cut_lines(&lines, MAX_LINES_TOKENS, &cut_mark(item)) } else { lines.concat() };
                format!("{begin}{end}\n{lines}")
            } else {
                let said = shown(beside_title(item, said), limit);
                if said.is_empty() { format!("{begin}{end}\n") } else { format!("{begin}: {said}{end}\n") }
            };
            if let Some(tokens) = room.take(&text) {
                return Some((outcome, text, tokens));
            }
        }
    }
    let text = format!("{}{}\n", head(item, false), pointer(item, &item.title));
    room.take(&text).map(|tokens| (Outcome::Title, text, tokens))
}

/// The category and title of a memory, then in brackets its state, date (if `is_dated`), evidence and labels.
fn head(item: &PackItem, is_dated: bool) -> String {
    let (title, category) = (block_title(&item.title), shown(&item.category, MAX_LABEL_CHARS));
    let (date, evidence) = if is_dated { (item.card.date.as_str(), item.card.evidence.as_str()) } else { ("", "") };
    let words = [item.card.state.as_str(), date, evidence].map(|word| (word, MAX_LABEL_CHARS));
    let labels = item.labels.iter().map(|label| (label.as_str(), MAX_NOTE_CHARS));
    let words = words.into_iter().chain(labels).filter(|(word, _)| !word.is_empty());
    let notes: Vec<_> = words.map(|(word, limit)| shown(word, limit)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("- [{category}] {title}{notes}")
}

/// A statement; if it begins with the title, only the text after the title.
fn beside_title<'a>(item: &PackItem, said: &'a str) -> &'a str {
    match said.strip_prefix(item.title.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with([':', '.', ' ']) => rest.trim_start_matches([':', '.', ' ']),
        _ => said,
    }
}

/// The reference to a memory's id. It is empty if the id can be derived from the title as it is shown, or is not safe in a
/// command.
pub(crate) fn pointer(item: &PackItem, title: &str) -> String {
    if slug(title).as_deref() == Some(item.id.as_str()) || !is_safe_id(&item.id) {
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

/// The head and full text of a memory. The main field is whole if it fits; the other fields get what is left of
/// `FULL_TOKENS`. `None` if there is no text, or if the main field must be cut and too little is left.
fn full_text(item: &PackItem, room: &Room) -> Option<String> {
    let mut text = format!("{}{}\n", head(item, true), pointer(item, &item.title));
    let left = room.tokens.saturating_sub(estimate_tokens(&text));
    let lines: Vec<String> = item.card.text.split('\n').map(shown_line).collect();
    let main = main_lines(item);
    let of_main = main.clone().and_then(|places| lines.get(places)).map_or(0, tokens_of);
    let is_whole = main.is_some() && of_main <= left;
    if item.card.text.is_empty() || (left < LEAST_FULL_TOKENS && !is_whole) {
        return None;
    }
    let mark = cut_mark(item);
    let of_mark = estimate_tokens(&mark);
    let mut others = FULL_TOKENS.max(of_main + of_mark).min(left).saturating_sub(of_main);
    let (mut is_cut, mut place) = (false, 0);
    while let Some(line) = lines.get(place) {
        let is_main = main.as_ref().is_some_and(|places| places.start == place);
        let group = if is_main { main.clone().unwrap_or_default() } else { place..place + 1 };
        place = group.end;
        let group = lines.get(group).unwrap_or_default();
        let limit = if is_main { left } else { others };
        let tokens = tokens_of(group);
        if tokens <= limit && (is_main || !is_cut) {
            text.extend(group.iter().map(String::as_str));
            others -= if is_main { 0 } else { tokens };
        } else if limit >= of_mark && (is_main || !is_cut) {
            text.push_str(&if group.len() > 1 { cut_lines(group, limit, &mark) } else { cut_line(line, limit, &mark) });
            is_cut = true;
        }
    }
    Some(text)
}

fn tokens_of(lines: &[String]) -> usize {
    lines.iter().map(|line| estimate_tokens(line)).sum()
}

/// The places of the lines of a memory's text that have its main field.
fn main_lines(item: &PackItem) -> Option<Range<usize>> {
    let main = Some(item.card.main.as_str()).filter(|main| !main.is_empty())?;
    let lines: Vec<&str> = item.card.text.split('\n').collect();
    let wanted: Vec<&str> = main.split('\n').collect();
    let says = |line: &str| line == main || line.split_once(": ").is_some_and(|(_, said)| said == main);
    let place = match wanted.len() {
        1 => lines.iter().position(|line| says(line)),
        count => lines.windows(count).position(|lines| lines == wanted),
    }?;
    Some(place..place + wanted.len())
}

/// As many whole lines as give less than `limit` tokens with the mark that they are cut. A block of code is closed before
/// the mark.
fn cut_lines(lines: &[String], limit: usize, mark: &str) -> String {
    // Rounded for each line, the estimates of lines are at most twice that of their text.
    let mut tokens = 0;
    let is_near = |line: &&String| {
        tokens += estimate_tokens(line);
        tokens <= 2 * limit
    };
    let mut count = lines.iter().take_while(is_near).count();
    loop {
        let kept = lines.get(..count).unwrap_or_default();
        let is_open = kept.iter().filter(|line| is_fence(line)).count() % 2 == 1;
        let text = format!("{}{} {mark}\n", kept.concat(), if is_open { FENCE } else { "" });
        if count == 0 || estimate_tokens(&text) < limit {
            return text;
        }
        count -= 1;
    }
}

/// A line cut to at most `limit` tokens, with the mark that it is cut.
fn cut_line(line: &str, limit: usize, mark: &str) -> String {
    let tokens = estimate_tokens(line).max(1);
    let mut chars = line.chars().count() * limit.saturating_sub(estimate_tokens(mark)) / tokens;
    loop {
        let begin = cut_sentences(line.trim_end_matches('\n'), chars);
        let text = if begin.is_empty() { format!(" {mark}\n") } else { format!("{begin}{mark}\n") };
        if chars < SHORT_CHARS || estimate_tokens(&text) <= limit {
            return text;
        }
        chars -= chars / 8;
    }
}

/// What stands behind a text that is cut: the command that shows all of it, if the id is safe in a command.
fn cut_mark(item: &PackItem) -> String {
    if is_safe_id(&item.id) {
        format!(" (cut: `cuecard show {}`)", shown(&item.id, usize::MAX))
    } else {
        " (cut)".into()
    }
}

/// A line of a text that is safe in the block, below the line of its memory: as it was written, but without hidden
/// characters, and with no beginning of a frame's tag. Code keeps its tabs and its placeholders.
fn shown_line(line: &str) -> String {
    let line: Vec<_> = line.split('\t').map(remove_hidden).collect();
    let line = escape_frames(&line.join("\t"));
    if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }
}

/// A text that is safe in the block: without hidden characters, cut to `limit` characters, and with no beginning of a
/// frame's tag.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    escape_frames(cut(&remove_hidden(text), limit))
}
