//! The names of strategies and what they stand for (SPEC 7).

use crate::error::Error;
use crate::tokenize::Revision;

/// A named pipeline: which legs, how fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The keyword leg in its current revision.
    #[default]
    Keyword,
    /// The keyword leg in its classic revision.
    KeywordClassic,
}

impl Strategy {
    const NAMES: &'static [&'static str] = &["keyword", "keyword_classic"];

    /// The strategy that a name or an alias stands for.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "keyword" | "title_tags" => Some(Self::Keyword),
            "keyword_classic" => Some(Self::KeywordClassic),
            _ => None,
        }
    }

    /// The strategy of that name; an error says which there are.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        Self::find(name).ok_or_else(|| Error::UnknownName { kind: "strategy", name: name.into(), known: Self::NAMES })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::KeywordClassic => "keyword_classic",
        }
    }

    /// The revision of the keyword rules that it uses.
    #[must_use]
    pub fn revision(self) -> Revision {
        match self {
            Self::Keyword => Revision::Current,
            Self::KeywordClassic => Revision::Classic,
        }
    }
}
