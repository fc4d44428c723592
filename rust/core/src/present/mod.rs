//! Writes the text that an agent reads: as many memories, and as many of their details, as fit into the budget. Markup
//! is escaped.
//!
//! Imports only `rank` and the modules that `rank` imports.

pub(crate) mod cut_text;
pub mod forbidden_block;
pub mod named_line;
pub mod packing;
pub mod render;

pub use forbidden_block::pack_forbidden;
pub use named_line::pack_named;
pub use packing::{AHEAD, OVER, Outcome, POINTER, PackItem, Packed, UNREVIEWED, is_more_than_title, pack};
pub use render::{Form, render};
