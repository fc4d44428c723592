//! Which writes of tools into a store are refused.

pub(crate) mod answer;
pub mod powershell_words;
pub mod powershell_writes;
pub mod shell_options;
pub mod shell_scope;
pub mod shell_words;
pub mod shell_writes;
pub mod tool_use;
pub mod verdict;
