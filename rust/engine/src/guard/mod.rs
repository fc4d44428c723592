//! Which writes of tools into a store are refused.

pub(crate) mod answer;
pub mod shell_reader;
pub mod shell_writes;
pub mod tool_use;
pub mod verdict;
