//! Secrets are replaced before anything is written (SPEC 55).

use cuecard_core::capture::Unredacted;
use cuecard_core::secrets::redact_text;

/// The text without secrets; an error where one might stay: then nothing may be written.
pub(crate) fn redact(text: &str) -> Result<String, Unredacted> {
    redact_text(text).ok_or(Unredacted)
}
