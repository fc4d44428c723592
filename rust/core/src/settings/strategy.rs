//! The strategies and their names (SPEC 22.7).

use crate::error::Error;
use crate::text::tokenize::Revision;

/// A named pipeline of retrievers and their fusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The lexical and the semantic retriever, fused (SPEC 27).
    #[default]
    Hybrid,
    /// The keyword retriever in its current revision.
    Keyword,
    /// The keyword retriever in its classic revision.
    KeywordClassic,
    /// The lexical retriever (SPEC 21).
    Bm25,
    /// Tf-idf vectors, fused with the keyword retriever (SPEC 22.6).
    TfIdf,
    /// The semantic retriever (SPEC 24).
    Vectors,
}

impl Strategy {
    const NAMES: &'static [&'static str] = &["hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic"];

    /// The strategy with this name or alias; `None` if the name is unknown.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "hybrid" => Some(Self::Hybrid),
            "keyword" | "title_tags" => Some(Self::Keyword),
            "keyword_classic" => Some(Self::KeywordClassic),
            "bm25" | "fts5_bm25" => Some(Self::Bm25),
            "tfidf" => Some(Self::TfIdf),
            "vectors" => Some(Self::Vectors),
            _ => None,
        }
    }

    /// The strategy with this name or alias; the error for an unknown name lists the valid names.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        Self::find(name).ok_or_else(|| Error::UnknownName { kind: "strategy", name: name.into(), known: Self::NAMES })
    }

    /// The name of the strategy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Keyword => "keyword",
            Self::KeywordClassic => "keyword_classic",
            Self::Bm25 => "bm25",
            Self::TfIdf => "tfidf",
            Self::Vectors => "vectors",
        }
    }

    /// The revision of the keyword rules for this strategy; `Current` if the strategy does not use keyword rules.
    #[must_use]
    pub fn revision(self) -> Revision {
        match self {
            Self::Hybrid | Self::Keyword | Self::Bm25 | Self::TfIdf | Self::Vectors => Revision::Current,
            Self::KeywordClassic => Revision::Classic,
        }
    }
}
