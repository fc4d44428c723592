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
        from .project import examine_project  # noqa: PLC0415
    except BackendError:
        # The findings about the installation report this.
        return findings
    return findings + examine_project(root) + examine_embedding(root) + examine_consent(root)
