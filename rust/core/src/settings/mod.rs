//! The settings of a store and its user. Each value is checked; an invalid value is replaced by its default and
//! reported.
//!
//! [`read_settings`] reads the user's file and the repository's file into [`Settings`]. The table
//! `python/cuecard/assets/settings.tsv` lists every setting with its values, its default and who may set it. Imports
//! `text`.

pub mod bm25_settings;
pub mod choices;
mod descriptions;
pub mod endpoint_place;
mod merge;
pub mod reader;
pub mod strategy;
pub mod table;
mod unknown;
mod values;

pub use bm25_settings::{Bm25Settings, FIELDS};
pub use choices::{Fusion, GateSetting};
pub use endpoint_place::endpoint_place;
pub use reader::{Settings, read_settings};
pub use strategy::Strategy;
pub use table::setting;
