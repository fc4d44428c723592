//! Runs the test vectors of the trust hash, and of the anchors that count even in unreviewed memories.

use super::{Failure, Input, Value, bytes, list};
use cuecard_core::memory::{
    anchors_file, anchors_named, concrete_anchors, is_concrete, texts_of_memory, trust_hash, trust_notice,
};
use cuecard_core::text::sha256_hex;

/// Runs a test case of this module; `None` if the function belongs to another module.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    let data = || bytes(&input.value("data"));
    Some(Ok(match function {
        "sha256_hex" => sha256_hex(&data()).into(),
        "trust_hash" => trust_hash(&data()).map_or(Value::None, Value::from),
        "concrete_anchors" => list(concrete_anchors(&data())),
        "is_concrete" => Value::Bool(is_concrete(&input.text("anchor"))),
        "texts_of_memory" => list(texts_of_memory(&data(), &input.text("name"))),
        "trust_notice" => {
            let is_more = matches!(input.value("is_more"), Value::Bool(true));
            trust_notice(usize::try_from(input.number("count")).unwrap(), is_more).into()
        }
        "anchors_file" => Value::Bool(anchors_file(&input.texts("anchors"), &input.text("path"))),
        "anchors_named" => Value::Bool(anchors_named(&input.texts("anchors"), &input.texts("paths"))),
        _ => return None,
    }))
}
