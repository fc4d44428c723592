//! What a memory forbids: code, imports, commands and paths, each as a text such as `command: npm install` (SPEC 40.1).

use crate::memory::links::normalize_path;
use crate::text::chars::cut;
use crate::text::json_reader::Json;
use crate::text::path_pattern::matches_path;

/// The prefix of an entry in the dictionary of links.
pub(crate) const FORBIDS: &str = "forbids:";
/// The maximal number of entries of a memory that count.
pub const MAX_FORBIDS: usize = 12;
/// The maximal number of characters of an entry; longer entries are ignored.
pub const MAX_FORBID_CHARS: usize = 80;

/// What kind of act an entry forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForbidKind {
    /// A name or another piece of code.
    Code,
    /// A command, by its first words and its options.
    Command,
    /// An import of a module.
    Import,
    /// A change of a file, by its path or a pattern of paths.
    Path,
}

impl ForbidKind {
    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "code" => Some(Self::Code),
            "command" => Some(Self::Command),
            "import" => Some(Self::Import),
            "path" => Some(Self::Path),
            _ => None,
        }
    }
}

/// The entries of a memory that count, in their normal form and order, without repetitions.
#[must_use]
pub fn read_forbids(record: &Json) -> Vec<String> {
    let mut forbids: Vec<String> = Vec::new();
    let listed = record.get("cuecard").and_then(|own| own.get("forbids"));
    let Some(Json::List(listed)) = listed else { return forbids };
    for entry in listed.iter().filter_map(|entry| normalize_forbid(entry.as_text()?)) {
        if forbids.len() == MAX_FORBIDS {
            break;
        }
        if !forbids.contains(&entry) {
            forbids.push(entry);
        }
    }
    forbids
}

/// The normal form of an entry, `KIND: TEXT` with single blanks; `None` if the entry does not count.
#[must_use]
pub fn normalize_forbid(entry: &str) -> Option<String> {
    let (kind, text) = entry.split_once(':')?;
    let kind = kind.trim_matches(is_blank);
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    let text = match ForbidKind::from_name(kind)? {
        ForbidKind::Code if text.chars().nth(1).is_none() => return None,
        ForbidKind::Path => normalize_path(&text)?,
        ForbidKind::Import => text.strip_prefix("import ").unwrap_or(&text).to_owned(),
        _ => text,
    };
    let entry = format!("{kind}: {text}");
    let counts = !text.is_empty() && !text.contains(['\n', '\r']) && cut(&entry, MAX_FORBID_CHARS) == entry;
    counts.then_some(entry)
}

/// The kind and the text of an entry in its normal form.
#[must_use]
pub fn split_forbid(entry: &str) -> Option<(ForbidKind, &str)> {
    let (kind, text) = entry.split_once(": ")?;
    Some((ForbidKind::from_name(kind)?, text))
}

/// Whether a path or a pattern covers a file or folder of the project: itself, what is below it, or what the pattern
/// matches.
#[must_use]
pub fn covers(pattern: &str, path: &str) -> bool {
    let (Some(pattern), Some(path)) = (normalize_path(pattern), normalize_path(path)) else { return false };
    if pattern.contains(['*', '?']) {
        return matches_path(&pattern, &path);
    }
    let folder = pattern.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// Where the paths in `applies_to` let a memory speak about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The memory names no paths.
    Anywhere,
    /// One of its paths covers the file.
    Inside,
    /// None of its paths covers the file.
    Outside,
}

/// Compares a file with the components in a memory's `applies_to` that are paths: those with `/`, `*` or `?`.
#[must_use]
pub fn reach(record: &Json, path: &str) -> Reach {
    let members = record.get("cuecard").and_then(|own| own.get("applies_to"));
    let Some(Json::List(members)) = members else { return Reach::Anywhere };
    let components = members.iter().filter_map(|member| member.get("component")?.as_text());
    let mut paths = components.filter(|component| component.contains(['/', '*', '?'])).peekable();
    if paths.peek().is_none() {
        return Reach::Anywhere;
    }
    if paths.any(|component| covers(component, path)) { Reach::Inside } else { Reach::Outside }
}

pub(crate) fn is_blank(char: char) -> bool {
    char == ' ' || char == '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_a_kind_and_a_text() {
        assert_eq!(normalize_forbid(" command :  npm \t install "), Some("command: npm install".into()));
        assert_eq!(normalize_forbid("import: import requests"), Some("import: requests".into()));
        assert_eq!(normalize_forbid("path: ./src\\gen/**"), Some("path: src/gen/**".into()));
        for bad in
            ["print", "Code: print", "code:", "code: x", "path: .", "code: a\nb", &format!("code: {}", "x".repeat(75))]
        {
            assert_eq!(normalize_forbid(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_covers_what_is_below_it() {
        assert!(
            covers("src/gen", "src/gen/a.py") && covers("src/gen/", "src/gen/a.py") && covers("src/gen", "src/gen")
        );
        assert!(!covers("src/gen", "src/general.py") && covers("src/**/a.py", "src/x/a.py"));
    }
}
