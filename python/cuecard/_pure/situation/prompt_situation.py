"""Collects the situation of a prompt: the paths that it names, the state of Git, and the user's focus (SPEC 34)."""

import os

from ...files.user_folder import store_path
from ..host.mentioned_paths import mentioned_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Project
    from ..requests.request import Situation
    from ..settings.reader import Settings
    from .git_state import GitState


class SituationSources:
    """The situation of a prompt, with the parts that the settings switch on."""

    def __init__(
        self,
        prompt: str,
        project: "Project",
        config: "Settings",
        cwd: str | None = None,
        session_id: str | None = None,
    ) -> None:
        """Collect the situation of a prompt. `cwd` is the host's working directory, by default the project's folder."""
        # Text that recall treats as older than the session's prompts: the words of the branch.
        self.before: list[str] = []
        # The state of Git, which is cached after the answer.
        self.git: GitState | None = None
        # The modules for paths and focus are used only if there can be something to find.
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
    if os.path.exists(os.path.join(store_path(memory_dir), "focus")):
        return True
    of_session = os.path.join(store_path(memory_dir, "sessions"), "sessions", f"{session_id}.focus")
    return session_id is not None and os.path.exists(of_session)
