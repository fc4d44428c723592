//! Filters: which documents of a snapshot a search accepts (SPEC 22.5).

use crate::memory::document::Status;
use crate::memory::stored_document::StoredDocument;

pub(crate) const STORE_PREFIX: &str = ".claude/memory/";

/// The conditions that a document must meet. By default, the only condition is that the document is active.
#[derive(Debug, Clone)]
pub struct Filters {
    /// The document has one of these categories, compared without case; empty for all categories.
    pub categories: Vec<String>,
    /// The document has all of these tags, which are in lower case; empty for no condition.
    pub tags: Vec<String>,
    /// The document has one of these statuses; empty for all.
    pub statuses: Vec<Status>,
    /// The least `updated_at` of the document, in microseconds since 1970; `None` for no limit.
    pub since: Option<i64>,
    /// The greatest `updated_at` of the document, in microseconds since 1970; `None` for no limit.
    pub until: Option<i64>,
    /// The prefix of the document's path, relative to `.claude/memory/`; empty for no condition.
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
    /// Whether documents with this status are accepted.
    #[must_use]
    pub fn takes_status(&self, status: Status) -> bool {
        self.statuses.is_empty() || self.statuses.contains(&status)
    }

    /// Whether the filters have no condition except the one on the status.
    #[must_use]
    pub fn is_by_status(&self) -> bool {
        self.categories.is_empty()
            && self.tags.is_empty()
            && self.path.is_empty()
            && self.since.is_none()
            && self.until.is_none()
    }

    /// Whether a document meets all conditions except the one on its status.
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
