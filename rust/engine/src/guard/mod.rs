//! Which writes of tools into a store are refused.

pub(crate) mod answer;
pub mod refusal;
pub mod shell_commands;
