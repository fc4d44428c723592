//! How cuecard finds the memories for a prompt: pure functions that use no Python, file, clock or environment.
//!
//! These are the modules ("rooms"). Each one imports only modules above it in this table; `tests/rooms.rs` checks that.
//!
//! | room | what it does |
//! | --- | --- |
//! | [`tables`] | the tables that Python reads too |
//! | [`text`] | characters, tokens, terms, JSON |
//! | [`settings`] | what a store and its user set |
//! | [`memory`] | one memory: its file, its index line, its trust |
//! | [`classic`] | the keyword scorer over `index.md` |
//! | [`index`] | the snapshot: writing it, reading it in place |
//! | [`retrieve`] | ways of finding candidates |
//! | [`rank`] | fusion, priors, the gate |
//! | [`present`] | the block that an agent reads |
//!
//! The files of a store are compiled into a snapshot once. Each prompt is then answered from the snapshot:
//!
//! ```
//! use cuecard_core::index::snapshot_writer::{Extent, build_snapshot};
//! use cuecard_core::index::{Filters, MemoryFile, Snapshot};
//! use cuecard_core::memory::{Stamp, read_card};
//! use cuecard_core::present::{PackItem, pack};
//! use cuecard_core::rank::{Context, Recall, Request};
//! use cuecard_core::retrieve::Scratch;
//! use cuecard_core::settings::{Bm25Settings, Settings};
//!
//! let runbook = br#"{"title": "Renew the TLS certificate", "tags": ["tls", "ops"],
//!     "content": {"steps": "Run certbot renew, then reload nginx."}}"#;
//! let path = ".claude/memory/runbooks/renew-tls.json";
//! let file = MemoryFile {
//!     category: "runbook".into(),
//!     path: path.into(),
//!     data: Some(runbook.to_vec()),
//!     stamp: Stamp { size: 1, modified: 1 },
//! };
//!
//! let (bytes, _) = build_snapshot(&[file], &[0; 6], &Bm25Settings::default(), 1);
//! let snapshot = Snapshot::open(bytes, None).unwrap();
//! let settings = Settings::default();
//! let prompt = "the TLS certificate expires tomorrow, how do we renew it?";
//! let filters = Filters::default();
//! let request = Request::of_prompt(prompt, Context::default(), &settings, &filters, 3);
//! let recall = Recall::new(&snapshot, request, &mut Scratch::default());
//! let chosen = recall.choose(3, settings.gate_setting);
//!
//! let found = snapshot.document(chosen[0].position).unwrap();
//! assert_eq!(found.path(), path);
//! let item = PackItem {
//!     category: "RUNBOOK".into(),
//!     title: "Renew the TLS certificate".into(),
//!     id: "renew-tls".into(),
//!     card: read_card(runbook).unwrap(),
//!     labels: Vec::new(),
//!     logit: chosen[0].logit,
//!     beside: None,
//! };
//! assert!(pack(&[item], 400, 6000).block.contains("certbot renew"));
//! ```
//!
//! `docs/spec` specifies what each function returns; `tests/vectors` checks this crate and `cuecard._pure` against it.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic))]

pub mod classic;
pub mod error;
pub mod index;
pub mod memory;
pub mod present;
pub mod rank;
pub mod retrieve;
pub mod settings;
pub mod tables;
pub mod text;

pub use error::Error;

/// The version of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

// `tests/` names the crate as its users do.
#[cfg(test)]
extern crate self as cuecard_core;
#[cfg(test)]
#[path = "../tests/mod.rs"]
mod tests;
