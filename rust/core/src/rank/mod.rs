//! Ranks candidates and decides which of them are worth showing: fusion, priors, the gate.
//!
//! [`Recall`] answers one prompt from one snapshot. Imports only `retrieve` and the modules that `retrieve` imports.

pub mod cues;
pub(crate) mod earlier_prompt;
pub(crate) mod evidence;
pub mod gate;
pub(crate) mod gate_model;
pub(crate) mod hybrid;
pub mod priors;
pub mod recall;
pub mod request;
pub mod search;
pub mod situation;
pub mod typed_prompt;
pub mod verdicts;

pub use cues::{Cue, find_cues};
pub use gate_model::{Best, NAMED_BELOW, gate_threshold, lowest_shown, probability};
pub use priors::{MAX_PRIOR, prior_points};
pub use recall::{Judged, Recall, Recalled};
pub use request::{Context, Request};
pub use situation::Situation;
pub use verdicts::Verdicts;
