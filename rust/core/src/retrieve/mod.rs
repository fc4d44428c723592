//! The retrievers, which find candidates in a snapshot: by words, terms, tf-idf, word vectors, sentence vectors,
//! anchors; and the memories that belong to another one: its subject, and what supersedes it.
//!
//! [`top_k`](mod@top_k) finds the best documents for weighted posting lists; [`plain_index`] is `cuecard.Index`.
//! Imports only `index`, `classic` and the modules that these import.

pub mod anchors;
pub(crate) mod best;
pub(crate) mod chunk;
pub(crate) mod keyword_lookup;
pub(crate) mod lexical;
pub mod model_vectors;
pub mod nearest;
pub mod plain_index;
pub(crate) mod prefixes;
pub mod prompt_terms;
pub mod segment_search;
pub mod subjects;
pub mod succession;
pub(crate) mod synonyms;
pub(crate) mod tf_idf;
pub mod top_k;

pub use model_vectors::nearest_rows;
pub use prompt_terms::{QueryTerm, query_terms};
pub use subjects::Subjects;
pub use top_k::Scratch;
