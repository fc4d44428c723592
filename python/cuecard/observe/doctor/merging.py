"""Checks whether branches of the project's repository can be merged without a conflict in `index.md`."""

import os

from .finding import Finding

COMMITTED = "index.md is committed, so branches that add memories conflict in it"


def examine_merging(folder: str) -> list[Finding]:
    """A finding if git keeps `index.md`, which is made from the memories; none outside of a repository."""
    if not _is_in_repository(folder):
        return []
    from ...store.merging.git_setup import read_git_setup  # noqa: PLC0415 - it loads what starts programs

    setup = read_git_setup(folder)
    if setup is None or not setup.keeps_index:
        return []
    hint = f"`cuecard init` writes the line that ignores it; then `{setup.forget_index}`, and commit both"
    return [Finding("merging", "warn", COMMITTED, hint)]


def _is_in_repository(folder: str) -> bool:
    above = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(above, ".git")):
        if os.path.dirname(above) == above:
            return False
        above = os.path.dirname(above)
    return True
