"""The environment variables that recall uses (SPEC 14.3)."""

import os


class Environment:
    """The values of the variables that recall uses; "" stands for a variable that is not set."""

    __slots__ = ("home", "log", "output", "project_dir", "root", "state_home", "strategy")

    def __init__(self) -> None:
        """Read the variables from the environment of this process."""
        variables = os.environ
        self.root = variables.get("CUECARD_ROOT", "")
        self.strategy = variables.get("CUECARD_STRATEGY", "").strip()
        self.output = variables.get("CUECARD_OUTPUT", "").strip()
        self.log = variables.get("CUECARD_LOG", "")
        self.project_dir = variables.get("CLAUDE_PROJECT_DIR", "").strip()
        self.home = variables.get("HOME", "") or variables.get("USERPROFILE", "")
        state_home = variables.get("XDG_STATE_HOME", "")
        self.state_home = state_home or (self.home and os.path.join(self.home, ".local", "state"))
