//! What a script's commands see: the folder they work in, and their variables (SPEC 16.3).

use crate::guard::shell_words::{Piece, Word};
use std::collections::HashMap;

/// Stands in a text for what only the shell could know; no path has it.
pub const UNKNOWN: char = '\0';

/// Longer values of variables count as unknown: a script can double them at every line.
const MAX_VALUE_CHARS: usize = 512;
const MAX_FOLDER_CHARS: usize = 4096;
const MAX_VARIABLES: usize = 256;

/// Where a script begins.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The host's working directory.
    pub cwd: &'a str,
    /// The user's home folder, empty where there is none.
    pub home: &'a str,
    /// `CLAUDE_PROJECT_DIR`, empty where it is not set.
    pub project: &'a str,
}

/// Folder and variables at a point of a script.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    folder: String,
    previous: Option<String>,
    variables: HashMap<String, String>,
}

impl Scope {
    pub(crate) fn new(place: &Place) -> Self {
        let known = [("HOME", place.home), ("CLAUDE_PROJECT_DIR", place.project)];
        let variables = known.iter().filter(|(_, value)| !value.is_empty());
        Self {
            folder: place.cwd.to_owned(),
            previous: None,
            variables: variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        }
    }

    /// The text of a word, with [`UNKNOWN`] where it has none.
    pub(crate) fn expand(&self, word: &Word) -> String {
        let mut text = String::new();
        let mut taken = 0;
        for piece in word {
            let value = match piece {
                Piece::Text(part) => {
                    text.push_str(part);
                    continue;
                }
                Piece::Variable(name) if name == "PWD" => Some(&self.folder),
                Piece::Variable(name) => self.variables.get(name),
                Piece::Unknown => None,
            };
            let length = value.map_or(0, |value| value.chars().count());
            match value {
                Some(value) if taken + length <= MAX_VALUE_CHARS => {
                    taken += length;
                    text.push_str(value);
                }
                _ => text.push(UNKNOWN),
            }
        }
        text
    }

    pub(crate) fn assign(&mut self, name: &str, value: &str) {
        if self.variables.len() < MAX_VARIABLES || self.variables.contains_key(name) {
            let value = self.expand_home(value);
            let is_short = value.chars().count() <= MAX_VALUE_CHARS;
            self.variables.insert(name.to_owned(), if is_short { value } else { UNKNOWN.into() });
        }
    }

    /// `~` and what is below it, as file tools and assignments understand it.
    pub(crate) fn expand_home(&self, text: &str) -> String {
        match (text.strip_prefix('~'), self.variables.get("HOME")) {
            (Some(below), Some(home)) if below.is_empty() || below.starts_with(['/', '\\']) => format!("{home}{below}"),
            _ => text.to_owned(),
        }
    }

    /// The path that a text names here, its dots and links as they are.
    pub(crate) fn locate(&self, text: &str) -> String {
        if text.is_empty() {
            return UNKNOWN.into();
        }
        if is_absolute(text) { text.to_owned() } else { format!("{}/{text}", self.folder) }
    }

    /// `cd` with its argument, if it has one.
    pub(crate) fn enter(&mut self, target: Option<&str>) {
        let folder = match target {
            Some("-") => self.previous.clone().unwrap_or_else(|| UNKNOWN.into()),
            Some(text) => self.locate(text),
            None => self.variables.get("HOME").cloned().unwrap_or_else(|| UNKNOWN.into()),
        };
        let is_short = folder.chars().count() <= MAX_FOLDER_CHARS;
        let folder = if is_short { folder } else { UNKNOWN.into() };
        self.previous = Some(std::mem::replace(&mut self.folder, folder));
    }
}

/// Whether a path needs no folder before it: a root, a drive, or a beginning that is not known.
fn is_absolute(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('/' | '\\' | UNKNOWN), _) => true,
        (Some(drive), Some(':')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
