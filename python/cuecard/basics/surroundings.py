"""Decides which folders that environment variables name are the user's (SPEC 44.5).

The variables can come from a repository, because hosts take variables from the settings of a project.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A folder with one of these is the root of a project.
MARKS = (".git", ".claude/memory")
# Files in which a project can set environment variables for a host.
HOST_SETTINGS = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".gemini/.env",
    ".qwen/settings.json",
    ".qwen/.env",
)
ACCOUNT_PARENTS = ("/home", "/Users")

# The folders besides that of this process in which the user works (true), and all folders above them (false), as real
# paths. A process that was once asked about a project never takes that project's folders for the user's.
_noted: dict[str, bool] = {}


def note_place(path: str) -> None:
    """Note that the user works in a folder, which is then part of a project like the working directory."""
    real = _real_path(path) if path else None
    if real:
        for folder in _upwards(real):
            _noted.setdefault(folder, False)
        _noted[real] = True


def places() -> list[str]:
    """The real paths of all folders in which the user works."""
    noted = [folder for folder, is_place in _noted.items() if is_place]
    return list(dict.fromkeys([*_working_directory(), *noted, *_named()]))


def admits(folder: str) -> bool:
    """Whether a folder that a variable names counts.

    Its path is absolute, and with all links resolved it lies outside of the project and belongs to the user. For a
    folder that does not exist, the nearest existing folder above it counts.
    """
    if not os.path.isabs(folder):
        return False
    real, existing = resolve(folder)
    return bool(real) and _is_own(existing) and not is_in_project(real)


def is_in_project(real: str) -> bool:
    """Whether a real path is the folder of the project or lies below it."""
    named = _named()
    here = [*_working_directory(), *named]
    above_here = {folder for place in here for folder in _upwards(place)}
    for folder in _upwards(real):
        # The folder is looked at once, however many places are below it.
        is_root = folder in named or (
            (folder in above_here or folder in _noted)
            and (
                any(os.path.exists(os.path.join(folder, mark)) for mark in MARKS)
                or (folder != real and (folder in here or _noted.get(folder, False)) and _has_host_settings(folder))
            )
        )
        if is_root and not _holds_account(folder):
            return True
    return False


def offers_programs(folder: str) -> bool:
    """Whether programs in a folder of PATH may be started: the folder is absolute, and no project has it."""
    real = _real_path(folder) if os.path.isabs(folder) else None
    return real is not None and not is_in_project(real)


def account_home() -> str:
    """The home folder of the user's account, whatever the environment says; "" if it is not known.

    Accounts of a directory service may be unknown: for them it is the folder directly below `/home` or `/Users` in
    which they work, if it is theirs.
    """
    try:
        from pwd import getpwuid
    except ImportError:
        return ""
    try:
        home = getpwuid(os.geteuid()).pw_dir
    except KeyError:
        home = ""
    if os.path.isabs(home):
        return home
    for place in places():
        for above in ACCOUNT_PARENTS:
            if place.startswith(f"{above}/"):
                home = os.path.join(above, place[len(above) + 1 :].partition("/")[0])
                if _is_own(home):
                    return home
    return ""


def resolve(path: str) -> tuple[str, str]:
    """The real path of a folder that need not exist, and the real path of the nearest existing folder.

    Both are "" if there is a `..` behind what exists, or a link that leads nowhere, because it could lead into the
    project later.
    """
    existing, missing = path.rstrip(os.sep) or os.sep, list[str]()
    while True:
        real = _real_path(existing)
        if real is not None:
            return (os.path.join(real, *reversed(missing)), real) if os.pardir not in missing else ("", "")
        above, name = os.path.split(existing)
        if os.path.islink(existing) or above == existing:
            return "", ""
        if name not in ("", os.curdir):
            missing.append(name)
        existing = above


def _upwards(folder: str) -> "Iterator[str]":
    """A folder and all folders above it, without the root of the file system."""
    while (above := os.path.dirname(folder)) != folder:
        yield folder
        folder = above


def _working_directory() -> list[str]:
    """The real path of the working directory, if it still exists."""
    try:
        return [os.path.realpath(os.getcwd())]
    except OSError:
        return []


def _named() -> list[str]:
    """The real path of the folder that the host names as the project, if it names one."""
    path = os.environ.get("CLAUDE_PROJECT_DIR", "").strip()
    real = _real_path(path) if os.path.isabs(path) else None
    return [real] if real else []


def _real_path(path: str) -> str | None:
    try:
        return os.path.realpath(path, strict=True)
    except (OSError, ValueError):
        return None


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip(os.sep)}{os.sep}")


def _is_own(folder: str) -> bool:
    if os.name != "posix":
        return True
    try:
        return os.stat(folder).st_uid == os.geteuid()
    except OSError:
        return False


def _has_host_settings(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, file)) for file in HOST_SETTINGS)


def _holds_account(folder: str) -> bool:
    """Whether a folder is the account's home folder or lies above it: then everything in it is the user's own."""
    home = _real_path(account_home() or "?")
    return home is not None and _is_below(home, folder)
