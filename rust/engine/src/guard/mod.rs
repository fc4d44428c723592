//! The guard: refuses writes of the agent's tools into a store.

pub(crate) mod answer;
pub mod refusal;
pub mod shell_commands;
