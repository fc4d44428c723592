//! Which documents of a snapshot a search accepts (SPEC 22.5).

use crate::memory::document::Status;
use crate::memory::stored_document::StoredDocument;

pub(crate) const STORE_PREFIX: &str = ".claude/memory/";

/// What a search accepts; by default every active document.
#[derive(Debug, Clone)]
pub struct Filters {
    /// Any of these categories, of any case; empty for all.
    pub categories: Vec<String>,
    /// All of these tags, in lower case.
    pub tags: Vec<String>,
    /// Any of these statuses; empty for all.
    pub statuses: Vec<Status>,
    /// `updated_at` not before this, in microseconds since 1970.
    pub since: Option<i64>,
    /// `updated_at` not after this.
    pub until: Option<i64>,
    /// The beginning of the path below `.claude/memory/`.
    pub path: String,
}

impl Default for Filters {
    fn default() -> Self {
        Self {
            categories: Vec::new(),
            tags: Vec::new(),
            statuses: vec![Status::Active],
            since: None,
            until: None,
            path: String::new(),
        }
    }
}

impl Filters {
    /// Whether a status is accepted.
    #[must_use]
    pub fn takes_status(&self, status: Status) -> bool {
        self.statuses.is_empty() || self.statuses.contains(&status)
    }

    /// Whether nothing but the status counts.
    #[must_use]
    pub fn is_by_status(&self) -> bool {
        self.categories.is_empty()
            && self.tags.is_empty()
            && self.path.is_empty()
            && self.since.is_none()
            && self.until.is_none()
    }

    /// Whether a document fits, its status left aside.
    #[must_use]
    pub fn takes(&self, document: &StoredDocument) -> bool {
        let Some(parts) = document.parts() else { return false };
        let is_between = |updated: i64| {
            self.since.is_none_or(|since| updated >= since) && self.until.is_none_or(|until| updated <= until)
        };
        let path = parts.path.strip_prefix(STORE_PREFIX).unwrap_or(parts.path);
        ((self.since.is_none() && self.until.is_none()) || document.updated_at.is_some_and(is_between))
            && (self.categories.is_empty() || self.categories.iter().any(|name| is_category(name, parts.category)))
            && self.tags.iter().all(|tag| parts.tags.iter().any(|other| other == tag))
            && path.starts_with(&self.path)
    }
}

fn is_category(name: &str, category: &str) -> bool {
    name.to_ascii_uppercase() == category
}
