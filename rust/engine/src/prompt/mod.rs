//! The way of a prompt: `stages` has them in their order, `answer` what they leave.

pub(crate) mod answer;
pub(crate) mod delegate;
pub(crate) mod index_recall;
pub(crate) mod notice;
pub(crate) mod notice_text;
pub(crate) mod packing;
pub(crate) mod shown;
pub(crate) mod snapshot_recall;
pub(crate) mod stages;
pub(crate) mod trust_greeting;
