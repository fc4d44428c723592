"""Finds a symbolic link in the place of a store, and records the user's consent to its target (SPEC 43)."""

import os
from pathlib import Path

from ...errors import WriteError
from ...files.user_folder import allow_target, allowed_target

PLACES = (".claude", ".claude/memory")


def find_link(root: str | None = None) -> tuple[str, str] | None:
    """Return the first link in the place of `.claude` or `.claude/memory` that is not allowed yet, and its target.

    The search is in the folder `root`, or else in the nearest folder, from the working directory upwards, that has a
    `.claude`. In both returned paths, links in the folders above are resolved. Returns None if there is no such link.
    """
    here = Path(root or ".").absolute()
    folders = [here] if root else [here, *here.parents]
    for folder in folders:
        if not os.path.lexists(folder / PLACES[0]):
            continue
        for place in PLACES:
            path = folder / place
            if path.is_symlink():
                link = os.path.join(os.path.realpath(path.parent), path.name)
                target = os.path.realpath(path)
                if allowed_target(link) != target:
                    return link, target
        return None
    return None


def allow(link: str, target: str) -> None:
    """Record that a link may lead to a target. Raises WriteError."""
    try:
        allow_target(link, target)
    except (OSError, ValueError) as error:
        raise WriteError(f"the link cannot be stored: {error}", "check whether your data folder is writable") from error
