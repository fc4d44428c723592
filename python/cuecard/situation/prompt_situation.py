"""What is known at a prompt besides its words: the paths it names, what git says, where the user has set the focus
(SPEC 34)."""

import os

from ..files.user_folder import store_path
from ..protocol.mentioned_paths import mentioned_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.root import Project
    from ..protocol.request import Situation
    from ..settings.reader import Settings
    from .git_state import GitState


class SituationSources:
    """What is known at a prompt besides its words, as far as the settings want it known."""

    __slots__ = ("before", "git", "situation")

    def __init__(
        self,
        prompt: str,
        project: "Project",
        config: "Settings",
        cwd: str | None = None,
        session_id: str | None = None,
    ) -> None:
        """The situation of a prompt that a session asks in a folder; without one, in the project's own."""
        # What stands before the session's prompts: the words of the branch.
        self.before: list[str] = []
        # What is kept of git after the answer.
        self.git: GitState | None = None
        # Neither of these is loaded where there is nothing to find.
        names_paths = config.situation_paths and any(mark in prompt for mark in "/\\.")
        paths = mentioned_paths(prompt) if names_paths else []
        changed: list[str] = []
        focus: list[str] = []
        if config.situation_focus and _may_have_focus(project[1], session_id):
            from .focus import read_focus

            focus = read_focus(project[1], session_id)
        if config.situation_git:
            from .git_state import branch_words, read_git_state

            self.git = read_git_state(project, cwd)
            words = branch_words(self.git.branch or "")
            self.before = [words] if words else []
            changed = self.git.changed
        self.situation: Situation = (paths, changed, focus)


def _may_have_focus(memory_dir: str, session_id: str | None) -> bool:
    kept = store_path(memory_dir)
    of_session = os.path.join(kept, "sessions", f"{session_id}.focus")
    return os.path.exists(os.path.join(kept, "focus")) or (session_id is not None and os.path.exists(of_session))
