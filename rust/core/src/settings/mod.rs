//! What a store and its user set: each value is checked, and a wrong one has its default and is reported.
//!
//! [`read_settings`] reads the user's file and that of a repository once, as [`Settings`]. The table
//! `python/cuecard/assets/settings.tsv` names every setting, its values, its default and who may set it. Imports `text`.

pub mod bm25_settings;
pub mod choices;
mod descriptions;
pub mod endpoint_place;
mod merge;
pub mod reader;
pub mod strategy;
mod table;
mod unknown;
mod values;

pub use bm25_settings::{Bm25Settings, FIELDS};
pub use choices::{Fusion, GateSetting};
pub use endpoint_place::endpoint_place;
pub use reader::{Settings, read_settings};
pub use strategy::Strategy;
