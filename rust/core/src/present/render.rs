//! Renders hits as the block of text that the agent reads (SPEC 10).

use crate::error::Error;
use crate::memory::Entry;
use crate::text::chars::{cut, fold};
use crate::text::sanitize::{MAX_TITLE_CHARS, escape_text, remove_hidden, sanitize_title};
use std::borrow::Cow;

const FOOTER: &str = "</memory-context>\n";

/// The format of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Hidden characters are removed from titles, tags and paths.
    Safe,
    /// The block has exactly the bytes that the retriever of the claude-memory plugin (seed 003) prints (SPEC 10).
    Classic,
}

impl Form {
    const NAMES: &'static [&'static str] = &["safe", "classic"];

    /// The form with this name; the error for an unknown name lists the valid names.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "safe" => Ok(Self::Safe),
            "classic" => Ok(Self::Classic),
            _ => Err(Error::UnknownName { kind: "form", name: name.into(), known: Self::NAMES }),
        }
    }
}

/// Renders the block for entries, given best first; empty if no entry fits.
///
/// The first entry that would exceed `budget_chars`, and all entries after it, are left out. The list of descriptions
/// is left out if no entry would fit together with it. In the safe form, `labels[i]` follows the title of `entries[i]`,
/// unless the label is missing or empty.
#[must_use]
pub fn render(
    entries: &[Entry<'_>],
    descriptions: &[(String, String)],
    form: Form,
    budget_chars: usize,
    labels: &[&str],
) -> String {
    let labels = labels.iter().copied().chain(std::iter::repeat(""));
    let lines: Vec<String> =
        entries.iter().zip(labels).map(|(entry, label)| render_entry(entry, form, label)).collect();
    for header in [render_header(descriptions, form), render_header(&[], form)] {
        let mut used = header.chars().count() + FOOTER.len();
        let mut kept = lines.iter().take_while(|line| {
            used += line.chars().count();
            used <= budget_chars
        });
        if let Some(first) = kept.next() {
            let mut block = header + first;
            block.extend(kept.map(String::as_str));
            return block + FOOTER;
        }
    }
    String::new()
}

fn render_header(descriptions: &[(String, String)], form: Form) -> String {
    let mut sorted: Vec<_> = descriptions.iter().collect();
    sorted.sort_unstable();
    let mut listed = Vec::new();
    for (key, text) in sorted {
        let safe_key: String = fold(key).chars().filter(|char| matches!(char, 'a'..='z' | '_')).collect();
        if !safe_key.is_empty() {
            listed.push(format!("{safe_key}={}", sanitize_title(&visible(text, form))));
        }
    }
    let attribute = if listed.is_empty() { String::new() } else { format!(" descriptions=\"{}\"", listed.join("; ")) };
    format!("<memory-context source=\".claude/memory/\"{attribute}>\n")
}

fn render_entry(entry: &Entry<'_>, form: Form, label: &str) -> String {
    let title = sanitize_title(&visible(entry.title, form));
    let shown = |text: &str, limit: usize| match form {
        Form::Safe => escape_text(cut(&remove_hidden(text), limit)),
        Form::Classic => escape_text(text),
    };
    let mut tags: Vec<String> =
        entry.tags.iter().map(|tag| shown(tag, MAX_TITLE_CHARS)).filter(|tag| !tag.is_empty()).collect();
    tags.sort_unstable();
    let suffix = if tags.is_empty() { String::new() } else { format!(" #tags:{}", tags.join(",")) };
    let label = match form {
        Form::Safe if !label.is_empty() => format!(" ({})", shown(label, MAX_TITLE_CHARS)),
        _ => String::new(),
    };
    format!("- [{}] {title}{label} -> {}{suffix}\n", entry.category, shown(entry.path, usize::MAX))
}

/// Removes hidden characters from a text in the safe form; the classic form leaves the text unchanged.
fn visible(text: &str, form: Form) -> Cow<'_, str> {
    match form {
        Form::Safe => remove_hidden(text),
        Form::Classic => Cow::Borrowed(text),
    }
}
