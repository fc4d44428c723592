"""The launchers that run cuecard's programs for the attack set."""

from collections.abc import Iterator

import pytest

from attacks.running import backend_of, entry_points_here
from fork_launcher import Launcher


@pytest.fixture(scope="session")
def launchers() -> Iterator[dict[str, Launcher]]:
    """One launcher for each backend that an entry point on this machine needs."""
    found = {
        backend: Launcher(backend)
        for backend in sorted({backend_of(entry_point) for entry_point in entry_points_here()})
    }
    yield found
    for launcher in found.values():
        launcher.close()
