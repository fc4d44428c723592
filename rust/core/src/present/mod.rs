//! The text that an agent reads: what fits the budget, in which detail, without markup of its own.
//!
//! Imports `rank` and what that imports.

pub mod packing;
pub mod render;

pub use packing::{Outcome, PackItem, Packed, is_more_than_title, pack};
pub use render::{Form, render};
