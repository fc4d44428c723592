//! From candidates to an order, and from an order to what is worth showing: fusion, priors, the gate.
//!
//! [`Recall`] is one prompt before one snapshot. Imports `retrieve` and what that imports.

pub mod cues;
pub(crate) mod evidence;
pub mod gate;
pub(crate) mod gate_model;
pub(crate) mod hybrid;
pub mod priors;
pub mod recall;
pub mod request;
pub mod search;
pub mod situation;

pub use cues::{Cue, find_cues};
pub use gate_model::gate_threshold;
pub use priors::{MAX_PRIOR, prior_points};
pub use recall::{Recall, Recalled};
pub use request::{Context, Request};
pub use situation::Situation;
