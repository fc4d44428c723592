//! Finds secrets in texts and replaces them before the texts are written (SPEC 55).
//!
//! [`redact_texts`] returns the same as `redact` in `python/cuecard/store/intake/redaction.py`; both read the same
//! tables of rules. A pattern is compiled when a text first has one of its literals. A search takes time linear in the
//! text, and texts of more than [`MAX_BYTES`] bytes are refused.

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
