"""The stores of worktrees, submodules, packages and hubs in the real Claude Code client, offline (`make e2e`)."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

import checkouts

# `client` and `clone` are imported because they are fixtures.
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from plugin_clone import Launcher

LAYOUTS: list[tuple[Callable[[Path], Path], list[str]]] = [
    (checkouts.worktree, ["branch", "main", "user"]),
    (checkouts.submodule, ["super", "user"]),
    (checkouts.monorepo, ["package", "root", "user"]),
    (checkouts.hub, ["hub", "user"]),
]


@pytest.mark.parametrize(("begin", "expected"), LAYOUTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_session_gets_the_memories_of_all_stores_that_count(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    installed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begin: Callable[[Path], Path],
    expected: list[str],
) -> None:
    shutil.rmtree(clone / "python")
    monkeypatch.setenv("E2E_PATH", str(installed.parent))
    folder = begin(tmp_path / "work")
    checkouts.remember(launcher.home / ".local" / "share" / "cuecard" / "user", "user")
    result = client.run(checkouts.PROMPT, folder, plugins=[clone], home=str(launcher.home), out=str(tmp_path / "out"))
    assert result.rc == 0, result.stderr
    block = "".join(found["text"] for found in result.injected())
    assert sorted(re.findall(r"Deployments of (\w+) need", block)) == expected
    assert "scope: user" in block
