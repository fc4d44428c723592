//! Writes the text that an agent reads: as many memories in as much detail as fit the budget, with markup escaped.
//!
//! Imports only `rank` and the modules that `rank` imports.

pub mod packing;
pub mod render;

pub use packing::{Outcome, PackItem, Packed, is_more_than_title, pack};
pub use render::{Form, render};
