//! What the user, and not the agent, is told with an answer.

pub(crate) mod conflicts;
pub(crate) mod of_store;
pub(crate) mod text;
pub(crate) mod trust_greeting;
