//! What is known at a prompt besides its words: the paths it names, what git says, where the user has set the focus (SPEC 34).

use crate::situation::focus::read_focus;
use crate::situation::git_state::{GitState, branch_words};
use crate::store::root::Project;
use cuecard_core::memory::mentioned_paths;
use cuecard_core::rank::Situation;
use cuecard_core::settings::Settings;

/// What is known at a prompt besides its words, as far as the settings want it known.
#[derive(Debug, Default)]
pub(crate) struct SituationSources {
    /// For recall.
    pub(crate) situation: Situation,
    /// The words of the branch, which stand before the session's prompts; may be empty.
    pub(crate) branch: String,
    /// What is kept of git after the answer.
    pub(crate) git: Option<GitState>,
}

impl SituationSources {
    /// Finds the situation of a prompt that a session asks in a folder.
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
