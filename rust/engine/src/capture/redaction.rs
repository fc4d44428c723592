//! Replaces secrets before anything is written (SPEC 55).

use cuecard_core::capture::Unredacted;
use cuecard_core::secrets::redact_text;

/// Returns the text without secrets. After an error a secret might remain, so nothing may be written.
pub(crate) fn redact(text: &str) -> Result<String, Unredacted> {
    redact_text(text).ok_or(Unredacted)
}
