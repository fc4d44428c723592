//! The guard: refuses writes of the agent's tools into a store, and commands that are for people.

pub(crate) mod answer;
pub mod forbidden_command;
pub mod people_commands;
pub mod refusal;
pub mod shell_commands;
mod shell_words;
mod user_folders;
