"""Reads the two files of settings: the user's configuration and the configuration of a store (SPEC 47.1).

Code that is not part of a backend asks `read_effective_settings` of `cuecard._backend`.
"""

import os

from ...basics.json_reader import BYTE_ORDER_MARK
from ...files.folder import Unread
from ...files.store_files import read_bounded, read_in_store
from ...files.user_folder import config_path
from .reader import read_settings

MAX_SETTINGS_BYTES = 1 << 20
REPOSITORY_FILE = "memory-config.json"
USER_FILE = "config.json"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .reader import Settings

    ReadSettings = Callable[["bytes | None", "bytes | None"], Settings]


class EffectiveSettings:
    """The settings in effect, with the bytes of the two files that they come from.

    `unread` has a sentence for each file that cannot be read. `source` is the name of the file for messages about
    malformed values.
    """

    settings: "Settings"

    def __init__(
        self,
        user: "bytes | None",
        repository: "bytes | None",
        unread: list[str],
        read: "ReadSettings" = read_settings,
    ) -> None:
        """Combine the two files, given as bytes, with the `read_settings` of a backend.

        None means that a file does not exist or cannot be read.
        """
        self.user = user
        self.repository = repository
        self.unread = unread
        self.settings = read(user, repository)
        self.source = USER_FILE if repository is None and user is not None else REPOSITORY_FILE

    def note(self) -> str:
        """One sentence about the settings that are ignored; "" if none is."""
        ignored = self.settings.ignored
        if not ignored:
            return ""
        more = len(ignored) - 1
        return f"{ignored[0]}; {more} more in `cuecard doctor`" if more else ignored[0]

    def file_of(self, problem: str) -> str:
        """The name of the file with the malformed value that `problem`, a sentence of `settings.problems`, is about."""
        is_own = self.user is not None and problem in self.settings.user_problems
        return USER_FILE if is_own and self.repository is not None else self.source

    def file_problems(self) -> list[str]:
        """The problems of a whole file. (A problem of one setting begins with the name of the setting.)"""
        return [problem for problem in self.settings.problems if not problem.startswith("`")]

    def notes(self) -> list[str]:
        """A sentence for each file that cannot be read, and one for the settings that are ignored."""
        note = self.note()
        return [*self.unread, note] if note else self.unread


def read_effective_settings(
    memory_dir: str, read: "ReadSettings" = read_settings, *, as_plugin: bool = False
) -> EffectiveSettings:
    """The settings in effect for the store at `memory_dir`, or only the user's if it is "". Never raises.

    `read` is the `read_settings` of a backend. With `as_plugin`, a byte order mark makes the store's file unreadable,
    as it does for the claude-memory plugin.
    """
    unread: list[str] = []
    user = _read(user_settings_path(), f"{USER_FILE}: the file {{}}; using the defaults", unread)
    repository = None
    try:
        if memory_dir:
            repository = read_in_store(memory_dir, REPOSITORY_FILE, MAX_SETTINGS_BYTES)[0]
            if as_plugin and repository.startswith(BYTE_ORDER_MARK):
                repository = None
                unread.append(f"{REPOSITORY_FILE}: the file is not JSON; using the defaults")
    except Unread as problem:
        if problem.words != Unread.MISSING:
            unread.append(f"{REPOSITORY_FILE}: the file {problem.words}; using the defaults")
    return EffectiveSettings(user, repository, unread, read)


def read_user_settings() -> "bytes | None":
    """The bytes of the user's configuration; None if it does not exist or cannot be read."""
    return _read(user_settings_path(), "", [])


def read_named_settings(path: str, read: "ReadSettings" = read_settings) -> EffectiveSettings:
    """The settings of a file that the user names, with the same rights as the user's configuration. Never raises."""
    unread: list[str] = []
    data = _read(path, f"{path}: the file {{}}; using the defaults", unread)
    found = EffectiveSettings(data, None, unread, read)
    found.source = path
    return found


def user_settings_path() -> str:
    """The path of the user's configuration, which need not exist; "" if the user has no home folder."""
    folder = config_path()
    return folder and os.path.join(folder, USER_FILE)


def _read(path: str, words: str, unread: list[str]) -> "bytes | None":
    if not path:
        return None
    try:
        return read_bounded(path, MAX_SETTINGS_BYTES)
    except Unread as problem:
        if problem.words != Unread.MISSING:
            unread.append(words.format(problem.words))
        return None
