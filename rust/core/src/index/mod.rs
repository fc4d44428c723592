//! The snapshot: a compiled index of a store, in segments that are read without decoding them first.
//!
//! [`Documents`] contains the memories to write, [`snapshot_writer`] writes them, and [`Snapshot`] opens the bytes.
//! [`layout`] defines the sections. Imports only `memory` and the modules that `memory` imports.

pub mod bm25;
pub mod concept_graph;
pub mod concept_graph_writer;
pub mod dictionary;
pub mod documents;
pub mod filters;
pub mod layout;
pub(crate) mod lexicon;
pub mod other_words;
pub(crate) mod piece_index;
pub mod postings;
pub(crate) mod question_vectors;
pub mod segment;
pub mod segment_builder;
pub(crate) mod segment_error;
pub mod segment_writer;
pub mod snapshot;
pub(crate) mod snapshot_part;
pub mod snapshot_writer;
pub mod static_table;
pub mod static_vector;
pub mod threads;
pub(crate) mod unfit_files;
pub mod vectors;

pub use documents::{Documents, MemoryFile, Skipped};
pub use filters::Filters;
pub use snapshot::Snapshot;
