//! Secrets are replaced before anything is written (SPEC 55).

use cuecard_core::capture::Unredacted;

/// Whether secrets can be looked for here. The rules are read by Python alone so far, so the engine keeps no ledger yet.
pub(crate) const IS_READY: bool = false;

/// The text without secrets; an error where one might stay: then nothing may be written.
pub(crate) fn redact(_text: &str) -> Result<String, Unredacted> {
    Err(Unredacted)
}
