//! What a store and its user set: each value is checked, and a wrong one has its default and is reported.
//!
//! [`effective_settings`](mod@effective_settings) decides which values of a repository count. Imports `text`.

pub mod config;
pub mod effective_settings;
pub mod endpoint_place;
pub mod lexical_config;
pub mod recall_config;
pub(crate) mod settings_table;
pub mod strategy;

pub use config::{Config, read_config};
pub use effective_settings::{EffectiveSettings, effective_settings};
pub use endpoint_place::endpoint_place;
pub use lexical_config::{Bm25Settings, LexicalConfig, read_lexical_config};
pub use recall_config::{Fusion, GateSetting, RecallConfig, read_recall_config};
pub use strategy::Strategy;
