//! The recall path of cuecard as pure functions: no Python, no file, no clock, no environment.
//!
//! A prompt's way, in the order of the modules it passes:
//!
//! 1. [`host`]: the bytes on standard input to a [`Payload`]
//! 2. [`config`]: the store's settings
//! 3. [`index_md`], line by line [`index_line`]: `index.md` to an [`IndexMd`]; [`rebuild`] where there is none
//! 4. [`tokenize`](mod@tokenize) and [`keyword`]: the prompt to a [`Query`], the index to a shortlist
//! 5. [`record`]: what the files of its first members say; then the final order
//! 6. [`render`](mod@render), through [`sanitize`]: the hits to a block of text
//! 7. [`host`] again: the block to the bytes on standard output
//!
//! A tool's way: [`tool_use`] reads the event and finds the writes, those of commands through [`shell_words`] or
//! [`powershell_words`]; [`guard`] judges them; [`schema`] checks what was written nevertheless. [`need`](mod@need)
//! reads the moments at which an agent is shown memories that nobody has asked for.
//!
//! ```
//! use cuecard_core::{IndexMd, Query, Revision};
//!
//! let index = IndexMd::parse(b"- [RUNBOOK] Renew the certificate -> runbooks/tls.json #tags:tls,ops".to_vec());
//! let hits = index.shortlist(Query::new("renewing a TLS certificate", Revision::Current, &[]));
//! assert_eq!(hits[0].score, 3 + 2 + 1);
//! ```
//!
//! `SPEC.md` says what each function answers; `tests/vectors` holds it to that, and `cuecard._pure` with it.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic))]

pub mod anchors;
mod best;
pub mod bm25;
pub mod card;
pub mod category;
pub mod chars;
mod chunk;
pub mod concept_graph;
pub mod concept_graph_writer;

pub mod config;
mod cue_words;
pub mod cues;
pub mod dictionary;
pub mod digest;
pub mod document;
pub mod documents;
pub mod effective_settings;
pub mod endpoint_place;
pub mod error;
pub mod file_anchors;
pub mod filters;
pub mod gate;
mod gate_model;
pub mod gist;
pub mod guard;
mod hangul;
pub mod host;
mod hybrid;
pub mod identifier;
pub mod index_line;
pub mod index_md;
pub mod json_reader;
pub mod json_writer;
pub mod keyword;
mod keyword_lookup;
pub mod layout;
mod letters;
mod lexical;
pub mod lexical_config;
mod lexicon;
pub mod links;
pub mod mentioned_paths;
pub mod model_vectors;
pub mod nearest;
pub mod need;
mod notice;
pub mod packing;
pub mod path_pattern;
mod piece_index;
pub mod plain_index;
pub mod postings;
pub mod powershell_words;
mod powershell_writes;
mod prefixes;
pub mod priors;
pub mod prompt_terms;
pub mod rebuild;
pub mod recall;
pub mod recall_config;
pub mod record;
pub mod render;
pub mod sanitize;
pub mod schema;
pub mod search;
pub mod segment;
pub mod segment_builder;
mod segment_error;
pub mod segment_writer;
pub mod session;
mod settings_table;
mod shell_options;
pub mod shell_scope;
pub mod shell_words;
mod shell_writes;
mod sign_patterns;
pub mod sign_search;
mod sign_words;
pub mod situation;
pub mod snapshot;
pub mod snapshot_writer;
pub mod static_table;
pub mod static_vector;
pub mod stem;
mod stop_words;
pub mod stored_document;
pub mod strategy;
pub mod succession;
mod synonym_table;
mod synonyms;
mod term_words;
pub mod terms;
mod tf_idf;
pub mod threads;
pub mod timestamp;
pub mod token_estimate;
pub mod tokenize;
pub mod tool_use;
pub mod top_k;
pub mod trust;
pub mod trust_hash;
mod unfit_files;
mod unicode_tables;
pub mod vectors;

pub use bm25::Settings;
pub use card::{Card, read_card};
pub use category::FOLDERS;
pub use cues::{Cue, find_cues};
pub use digest::sha256_hex;
pub use document::{Document, Status};
pub use documents::{Documents, MemoryFile, Skipped};
pub use file_anchors::{anchors_file, anchors_named, concrete_anchors, concrete_anchors_of, is_concrete};
pub use filters::Filters;
pub use gate::gate_threshold;
pub use gist::{gist_of, gist_of_file};
pub use lexical_config::{LexicalConfig, read_lexical_config};
pub use model_vectors::nearest_rows;
pub use search::Context;
pub use session::{Kept, Session, SessionEvent, Shown, read_session_event, session_file_name};
pub use sign_search::instruction_signs;
pub use situation::Situation;
pub use snapshot::Snapshot;
pub use stored_document::{Stamp, StoredDocument};
pub use top_k::Scratch;

pub use config::{Config, read_config};
pub use effective_settings::{EffectiveSettings, effective_settings};
pub use endpoint_place::endpoint_place;
pub use error::Error;
pub use guard::{find_store_part, judge_write};
pub use host::{Host, Payload, is_machine_made, is_slash_command, is_too_short, read_payload};
pub use index_line::{BadLine, IndexLine, parse_index_line};
pub use index_md::{Entry, IndexMd};
pub use keyword::{Part, Query, Scored, score_description, score_entry};
pub use mentioned_paths::mentioned_paths;
pub use need::{Moment, Need, read_need, write_need};
pub use packing::{Outcome, PackItem, Packed, is_more_than_title, pack};
pub use priors::{MAX_PRIOR, prior_points};
pub use prompt_terms::{QueryTerm, query_terms};
pub use rebuild::{Rebuilt, RecordFile, index_text, rebuild_index};
pub use recall::{Recall, Recalled, Request};
pub use recall_config::{Fusion, GateSetting, RecallConfig, read_recall_config};
pub use record::{check_record, recency_points};
pub use render::{Form, render};
pub use sanitize::sanitize_title;
pub use schema::{Problem, Schema, check_schema, describe_problems};
pub use shell_scope::Place;
pub use strategy::Strategy;
pub use terms::{document_terms, for_each_term};
pub use timestamp::parse_timestamp;
pub use token_estimate::estimate_tokens;
pub use tokenize::{Revision, tokenize};
pub use tool_use::{Action, Tool, ToolUse, Write, find_writes, read_tool_use, write_complaint, write_denial};
pub use trust::{texts_of_memory, texts_of_record, trust_notice};
pub use trust_hash::{trust_hash, trust_hash_of};

/// The version of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
