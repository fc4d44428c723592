//! The scorer that the project began with: `index.md`, parsed at every prompt, scored by words and prefixes.
//!
//! The `keyword` strategies and `cuecard index rebuild` use it. Imports `memory` and what that imports.

pub mod index_md;
pub mod keyword;
pub mod rebuild;
pub mod record;

pub use index_md::IndexMd;
pub use keyword::{Query, ScorePart, Scored, score_description, score_entry};
pub use rebuild::{Rebuilt, RecordFile, index_text, rebuild_index};
pub use record::{check_record, recency_points};
