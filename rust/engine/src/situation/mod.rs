//! What else is known of the moment: the branch, the changed files, the file in focus.

pub(crate) mod focus;
pub(crate) mod git_index;
pub(crate) mod git_state;
pub(crate) mod sources;
