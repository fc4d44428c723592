//! The situation of a prompt: the branch, the changed files and the user's focus.

pub(crate) mod focus;
pub(crate) mod git_index;
pub(crate) mod git_state;
pub(crate) mod sources;
