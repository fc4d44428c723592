"""The places where hooks are installed, and a home folder with a project in which tests install them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cuecard.hosts.host_environment import HostEnvironment, Scope
from cuecard.hosts.host_file import Host
from cuecard.hosts.installation import FileChange
from cuecard.hosts.registry import HOSTS

PLACES = [(host, scope) for host in HOSTS for scope in host.scopes]
AWKWARD = 'a "home" of mine\'s $HOME'


def each(places: Sequence[tuple[Host, Scope]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("host", "scope"), places, ids=[f"{host.name}-{scope}" for host, scope in places])


def make_environment(folder: Path) -> HostEnvironment:
    """The environment of a host: empty home and project folders, no variables, and no programs on PATH."""
    for name in ("home", "project"):
        (folder / name).mkdir(parents=True)
    return HostEnvironment(folder / "home", folder / "project", {"PATH": ""}, is_windows=False)


def make_hook(environment: HostEnvironment) -> list[str]:
    """A hook program in a folder with blanks and quotes in its name; it prints its arguments."""
    program = environment.home.parent / "the bin's" / "cuecard-hook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    program.chmod(0o755)
    return [str(program)]


def run(change: FileChange) -> str:
    change.apply()
    return change.action
