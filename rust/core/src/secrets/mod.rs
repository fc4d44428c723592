//! Secrets found in texts and replaced, before anything of them is written (SPEC 55).
//!
//! [`redact_texts`] gives the same answers as `redact` in `python/cuecard/store/intake/redaction.py`. The rules are data
//! that both read; a pattern is read when a text has one of its literals. A search is linear in the text, and texts of
//! more than [`MAX_BYTES`] bytes are refused.

mod assigned;
mod broken;
mod checks;
mod class;
mod matcher;
mod pattern;
mod private_keys;
mod reading;
mod redaction;
mod rules;
mod search;
#[cfg(test)]
mod tests;
mod values;

pub use redaction::{MAX_BYTES, redact_text, redact_texts};
