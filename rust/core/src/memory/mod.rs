//! One memory: its file, its line in `index.md`, the parts that can be shown, and its trust.
//!
//! [`Document`] contains what the index needs of a memory file, [`StoredDocument`] what a snapshot stores of it, and
//! [`Card`] the parts that can be shown. Imports `text` and `settings`.

pub mod card;
pub mod category;
pub mod document;
pub mod field_terms;
pub mod file_anchors;
pub mod forbidden_code;
pub mod forbids;
pub mod gist;
pub mod index_line;
pub mod links;
pub mod mentioned_paths;
pub mod pointer;
pub mod schema;
pub mod sections;
pub(crate) mod sign_patterns;
pub mod sign_search;
pub(crate) mod sign_words;
pub mod statement;
pub mod stored_document;
pub mod subjects;
pub mod trust;
pub mod trust_hash;
pub mod validity;

pub use card::{Card, read_card};
pub use category::{FOLDERS, category_of, is_memory};
pub use document::{Document, Status};
pub use field_terms::{FieldTerms, TermFields};
pub use file_anchors::{anchors_file, anchors_named, concrete_anchors, concrete_anchors_of, is_concrete};
pub use gist::{gist_of, gist_of_file};
pub use index_line::{BadLine, Entry, IndexLine, parse_index_line};
pub use mentioned_paths::mentioned_paths;
pub use pointer::{Pointer, read_pointer};
pub use schema::{Problem, Schema, check_schema, describe_problems};
pub use sections::{Section, read_sections};
pub use sign_search::{instruction_signs, withholding_signs};
pub use statement::{main_statement, statement_key};
pub use stored_document::{Stamp, StoredDocument};
pub use subjects::read_subjects;
pub use trust::{texts_of_memory, texts_of_record, trust_notice};
pub use trust_hash::{TrustPrefix, trust_hash, trust_hash_of, trust_prefix_of};
pub use validity::{Standing, Validity};
