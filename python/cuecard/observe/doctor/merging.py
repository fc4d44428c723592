"""Checks whether branches of the project's repository can be merged without a conflict in `index.md`."""

from ...store.merging.git_setup import read_git_setup
from .finding import Finding

COMMITTED = "index.md is committed, so branches that add memories conflict in it"


def examine_merging(folder: str) -> list[Finding]:
    """A finding if git keeps `index.md`, which is made from the memories; none outside of a repository."""
    setup = read_git_setup(folder)
    if setup is None or not setup.keeps_index:
        return []
    hint = f"`cuecard init` writes the line that ignores it; then `{setup.forget_index}`, and commit both"
    return [Finding("merging", "warn", COMMITTED, hint)]
