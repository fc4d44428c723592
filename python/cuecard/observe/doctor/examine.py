"""Runs all checks of the doctor, in the order in which they depend on each other."""

import os

from ...errors import BackendError
from .finding import Finding
from .installation import examine_installation


def examine(root: str | os.PathLike[str] | None = None) -> list[Finding]:
    """Findings about the installation, then about the project that `root` or the environment names.

    Problems become findings and are not raised. Reads every memory of the project, writes nothing.
    """
    findings = examine_installation()
    try:
        from .consent import examine_consent  # noqa: PLC0415 - they need a backend, which may not load
        from .embedding import examine_embedding  # noqa: PLC0415
        from .environment import examine_environment  # noqa: PLC0415
        from .project import examine_project  # noqa: PLC0415
        from .teams import examine_teams  # noqa: PLC0415
    except BackendError:
        # The findings about the installation report this.
        return findings
    project = examine_project(root)
    folder = next(
        (str(found.facts["root"]) for found in project if "root" in found.facts), os.path.abspath(root or ".")
    )
    findings += [*examine_environment(folder), *project]
    return findings + examine_embedding(root) + examine_consent(root) + examine_teams()
