"""The MCP server reads memories of the same name in several stores (SPEC 48.8)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkouts import TITLE, remember
from mcp_process import Client, NearClient
from scratch_home import write_user_settings
from trust_cases import User

URI = "cuecard://memory/constraint/vpn"
OWN, NEAR = TITLE.format("user"), TITLE.format("project")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """A user who reviews, and who vouches for a memory of the own store that a repository has too."""
    user = User(tmp_path / "user")
    monkeypatch.setenv("CUECARD_HOME", str(user.home / "data"))
    write_user_settings({"trust": {"review": "on"}})
    user.vouch(remember(user.home / "data" / "user", "user", "vpn"))
    return user


@pytest.fixture
def near(tmp_path: Path) -> Path:
    """The memory of the repository."""
    return remember(tmp_path / "project", "project", "vpn")


@pytest.fixture
def client(user: User, near: Path, tmp_path: Path) -> Iterator[Client]:
    with NearClient(tmp_path / "project", version="2025-11-25") as made:
        yield made


def _title(client: Client, **more: str) -> str:
    return str(client.call("memory_get", id="vpn", **more)["record"]["title"])


def test_an_unreviewed_memory_hides_none_that_the_user_vouches_for(client: Client, user: User, near: Path) -> None:
    assert _title(client) == OWN
    [content] = client.ask("resources/read", uri=URI)["contents"]
    assert json.loads(content["text"])["title"] == OWN
    user.vouch(near)
    assert _title(client) == NEAR


def test_the_scope_of_a_hit_names_its_memory(client: Client) -> None:
    assert _title(client, scope="project") == NEAR
    assert _title(client, scope="user") == OWN
    assert "`project`, `user`" in client.fault("memory_get", id="vpn", scope="team acme")


def test_where_nobody_vouches_the_nearest_counts(client: Client, user: User) -> None:
    own = user.home / "data" / "user" / ".claude" / "memory" / "constraints" / "vpn.json"
    own.write_text(own.read_text().replace("through the VPN", "through the new VPN"))
    assert _title(client) == NEAR
