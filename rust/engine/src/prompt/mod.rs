//! Answers a prompt: `stages` is the way of a prompt, `answer` its result.

pub(crate) mod answer;
pub mod candidates;
pub(crate) mod contradictions;
pub(crate) mod delegate;
pub(crate) mod from_snapshot;
pub(crate) mod holdout;
pub mod hosted;
pub(crate) mod index_recall;
pub(crate) mod judging;
pub mod models;
pub(crate) mod named;
pub(crate) mod pack_items;
pub(crate) mod placing;
pub mod question;
pub(crate) mod ranked_recall;
pub mod recalled_memory;
pub(crate) mod searched;
pub(crate) mod shown;
pub(crate) mod siblings;
pub(crate) mod snapshot_recall;
pub(crate) mod stages;
pub(crate) mod stopwatch;
pub(crate) mod store_source;
pub(crate) mod verdicts;
