//! The settings that count, as the vectors describe them.

use super::{Failure, Input, Value, bytes, list, row};
use cuecard_core::settings::effective_settings;

/// The answer to a case about these; none where the function is another's.
pub(crate) fn call(function: &str, input: &Input) -> Option<Result<Value, Failure>> {
    if function != "effective_settings" {
        return None;
    }
    let file = |name| match input.value(name) {
        Value::None => None,
        value => Some(bytes(&value)),
    };
    let (user, repository) = (file("user"), file("repository"));
    let found = effective_settings(user.as_deref(), repository.as_deref());
    let text = String::from_utf8_lossy(&found.data).into_owned();
    Some(Ok(row([text.into(), list(found.problems)])))
}
