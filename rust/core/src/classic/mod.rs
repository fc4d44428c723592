//! The classic scorer: it parses `index.md` for every prompt, and scores memories by whole words and prefixes.
//!
//! The `keyword` strategies and `cuecard index rebuild` use it. Imports only `memory` and the modules that `memory`
//! imports.

pub mod index_md;
pub mod keyword;
pub mod rebuild;
pub mod record;

pub use index_md::IndexMd;
pub use keyword::{Query, ScorePart, Scored, score_description, score_entry};
pub use rebuild::{Rebuilt, RecordFile, index_text, rebuild_index};
pub use record::{check_record, recency_points};
