"""Runs the user's git against the repository of a team.

Unlike `SafeGit`, from which it comes, it may use the network, and the user's own settings for it count: the ssh
command, credential helpers, and the key that signs commits. Programs that a repository chooses stay switched off.
"""

import os

from ..errors import SyncError
from ..files.user_folder import config_path, home_path
from ..store.trust.safe_git import OVERRIDES, SafeGit
from .urls import hide_password

FETCH_SECONDS = 300.0
_PROTOCOLS = ("file", "git", "http", "https", "ssh")
# Settings of the user that git needs to reach a repository and to sign.
_OF_USER = ("core.sshCommand", "core.gitProxy", "credential.helper", "gpg.", "protocol.", "safe.bareRepository")
_OF_TEAM = {
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "push.recurseSubmodules": "no",
    "receive.autogc": "false",
    "transfer.bundleURI": "false",
} | {f"protocol.{name}.allow": "always" for name in _PROTOCOLS}
# On a local path `receive-pack` runs as the user, and would start the hooks, the filters and the watcher that the
# settings of that repository name.
_RECEIVE = (
    "git -c core.hooksPath=/dev/null -c core.alternateRefsCommand=false -c core.fsmonitor=false -c receive.autogc=false"
    " -c receive.denyCurrentBranch=refuse receive-pack"
)


class TeamGit(SafeGit):
    """Git in the folder that cuecard keeps for the repository of a team."""

    overrides = {name: value for name, value in OVERRIDES.items() if not name.startswith(_OF_USER)} | _OF_TEAM
    index = ""
    """The path of the index that commands use; "" for git's own."""

    def _environment(self) -> dict[str, str]:
        kept = super()._environment()
        for name in ("GIT_ASKPASS", "GIT_CONFIG_NOSYSTEM", "GIT_PROTOCOL_FROM_USER", "GIT_SSH_COMMAND"):
            kept.pop(name, None)
        # Whatever a project has put into the environment, the settings are those of the user.
        kept["HOME"], kept["XDG_CONFIG_HOME"] = home_path(), os.path.dirname(config_path())
        kept["GIT_ALLOW_PROTOCOL"] = ":".join(_PROTOCOLS)
        return kept | ({"GIT_INDEX_FILE": self.index} if self.index else {})

    def ask(self, *arguments: str, stdin: bytes = b"", timeout: float = FETCH_SECONDS) -> bytes:
        """What a command prints. Raises SyncError if it fails."""
        done = self.run(arguments, stdin=stdin, timeout=timeout)
        if done.returncode:
            raise failure(done.stderr)
        return done.stdout

    def ask_line(self, *arguments: str, stdin: bytes = b"") -> str:
        """The only line that a command prints. Raises SyncError if it fails."""
        return self.ask(*arguments, stdin=stdin).decode("utf-8", "replace").strip()


def receive_options(url: str) -> list[str]:
    """Options for a push: on this machine, hooks of the repository that receives it do not run."""
    is_local = url.startswith(("/", "file://")) or os.path.isabs(url)
    return [f"--receive-pack={_RECEIVE}"] if is_local else []


def failure(stderr: bytes) -> SyncError:
    """The error for what git has printed about its failure."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "ssh:"))] or lines
    words = told[0].partition(": ")[2] or told[0] if told else "it gave no reason"
    return SyncError(f"git could not do it: {hide_password(words)[:200]}", "check the URL, the network and your rights")
