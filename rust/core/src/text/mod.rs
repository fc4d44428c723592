//! Basic functions on text: characters, tokens, terms, JSON, timestamps.
//!
//! [`tokenize`](mod@tokenize) is the tokenizer of the keyword retriever; [`terms`] makes the terms of the index.
//! Imports only `tables`.

pub mod chars;
pub(crate) mod clusters;
pub mod compose;
pub mod conflict_markers;
pub mod digest;
pub mod edits;
pub(crate) mod hangul;
pub mod identifier;
pub mod json_reader;
pub mod json_writer;
pub mod languages;
pub mod letters;
pub mod path_pattern;
pub mod possible_secret;
pub mod sanitize;
pub mod stem;
pub(crate) mod stop_words;
pub(crate) mod term_words;
pub mod terms;
pub mod timestamp;
pub mod token_estimate;
pub mod tokenize;
pub mod typed_text;

pub use digest::sha256_hex;
pub use sanitize::{plain_title, sanitize_title};
pub use terms::{document_terms, for_each_term};
pub use timestamp::parse_timestamp;
pub use token_estimate::estimate_tokens;
pub use tokenize::{Revision, tokenize};
