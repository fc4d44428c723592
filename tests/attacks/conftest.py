"""The processes that run cuecard's programs for the attack set."""

from collections.abc import Iterator

import pytest

from attacks.launcher import Launcher
from attacks.running import backend_of, doors_here


@pytest.fixture(scope="session")
def launchers() -> Iterator[dict[str, Launcher]]:
    """A launcher for each backend that some door has."""
    found = {backend: Launcher(backend) for backend in sorted({backend_of(door) for door in doors_here()})}
    yield found
    for launcher in found.values():
        launcher.close()
