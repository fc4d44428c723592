//! Collects the situation of a prompt: the paths that it names, the state of Git, and the user's focus (SPEC 34).

use crate::situation::focus::read_focus;
use crate::situation::git_state::{GitState, branch_words};
use crate::store::root::Project;
use cuecard_core::memory::mentioned_paths;
use cuecard_core::rank::Situation;
use cuecard_core::settings::Settings;

/// The situation of a prompt, with the parts that the settings switch on.
#[derive(Debug, Default)]
pub(crate) struct SituationSources {
    /// The situation in the form that recall takes.
    pub(crate) situation: Situation,
    /// The words of the branch, which recall treats as older than the session's prompts; may be empty.
    pub(crate) branch: String,
    /// The state of Git, which is written to its cache after the answer.
    pub(crate) git: Option<GitState>,
}

impl SituationSources {
    /// Collects the situation of a prompt of a session; `cwd` is the host's working directory.
    pub(crate) fn find(
        prompt: &str,
        project: &Project,
        cwd: Option<&str>,
        session_id: Option<&str>,
        settings: &Settings,
    ) -> Self {
        let mut sources = Self::default();
        if settings.situation_focus {
            sources.situation.focus = read_focus(project, session_id);
        }
        if settings.situation_paths {
            sources.situation.paths = mentioned_paths(prompt);
        }
        if settings.situation_git {
            let git = GitState::read(project, cwd);
            sources.branch = git.branch.as_deref().map(branch_words).unwrap_or_default();
            sources.situation.changed.clone_from(&git.changed);
            sources.git = Some(git);
        }
        sources
    }
}
