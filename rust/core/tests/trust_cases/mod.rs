//! The hash that trust is kept by and the anchors that count without it, as the vectors describe them.

use super::{Failure, Input, Value, bytes, list};
use cuecard_core::{anchors_file, anchors_named, concrete_anchors, is_concrete, sha256_hex, trust_hash};

/// The answer to a case about these; none where the function is another's.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    let data = || bytes(&input.value("data"));
    Some(Ok(match function {
        "sha256_hex" => sha256_hex(&data()).into(),
        "trust_hash" => trust_hash(&data()).map_or(Value::None, Value::from),
        "concrete_anchors" => list(concrete_anchors(&data())),
        "is_concrete" => Value::Bool(is_concrete(&input.text("anchor"))),
        "anchors_file" => Value::Bool(anchors_file(&input.texts("anchors"), &input.text("path"))),
        "anchors_named" => Value::Bool(anchors_named(&input.texts("anchors"), &input.texts("paths"))),
        _ => return None,
    }))
}
