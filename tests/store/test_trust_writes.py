"""Which trust level memories get when they are written, imported or changed (SPEC 45.7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cuecard.files import trust_levels as trust
from cuecard.importers.run import Import
from cuecard.importers.source import ImportSource
from cuecard.mcp.project import OpenProject
from cuecard.mcp.write_tools import save
from cuecard.store.trust.review import review
from old_sessions import session
from records import draft, make_store, path_in, put, stored
from test_trust_command import run
from triage_cases import DECIDED, said, typed
from trust_cases import User

if TYPE_CHECKING:
    from cuecard import Store

FOREIGN = "Resized images are kept for ninety days in the bucket of the old region, because the auditors ask for them."


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """A user whose folders this process uses."""
    user = User(tmp_path / "user")
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    return user


@pytest.fixture
def store(tmp_path: Path, user: User) -> Store:
    return make_store(tmp_path / "project")


def level(store: Store, name: str) -> str:
    found = {one.memory.id: one.level for one in review((store.root, store.memory_dir))}
    return found[name]


def put_foreign(store: Store) -> None:
    """Write a memory directly, in the way in which it would come with a clone."""
    content = {"status": "accepted", "context": FOREIGN, "decision": "keep them", "rationale": ["audits"]}
    put(store, stored("keep-images", content=content))


def test_what_is_typed_is_own(store: Store) -> None:
    assert level(store, store.add(draft()).id) == "own"


def test_what_an_agent_saves_is_own(store: Store) -> None:
    saved = save(OpenProject(store.root), draft())
    assert level(store, str(saved["id"])) == "own"


@pytest.mark.parametrize(
    "title",
    [
        "The agent may only call the tools listed in tools.yaml",
        "The agent's system prompt lives in prompts/system.md; change it only together with the evaluation set",
    ],
)
def test_what_an_agent_saves_about_the_agent_of_the_product_is_own(store: Store, title: str) -> None:
    content = {"status": "accepted", "context": f"{title}.", "decision": f"{title}.", "rationale": [f"{title}."]}
    saved = save(OpenProject(store.root), draft(title, content=content))
    assert level(store, str(saved["id"])) == "own"


def test_a_change_keeps_the_level(store: Store) -> None:
    put_foreign(store)
    added = store.add(draft())
    store.update(added.id, {"tags": ["index", "new"]})
    store.update("keep-images", {"tags": ["index", "new"]})
    assert level(store, added.id) == "own"
    assert level(store, "keep-images") == "unreviewed"


def test_a_reviewed_memory_stays_reviewed(store: Store, user: User) -> None:
    put_foreign(store)
    user.vouch(path_in(store, "keep-images"))
    store.update("keep-images", {"tags": ["index", "new"]})
    assert level(store, "keep-images") == "reviewed"


def test_a_new_name_keeps_the_level(store: Store) -> None:
    added = store.add(draft())
    renamed = store.update(added.id, {"title": "Something entirely different now"})
    assert renamed.renamed_from
    assert level(store, renamed.id) == "own"


def test_its_life_changes_no_level(store: Store) -> None:
    put_foreign(store)
    added = store.add(draft())
    for name, expected in ((added.id, "own"), ("keep-images", "unreviewed")):
        store.retire(name, reason="over")
        assert level(store, name) == expected
        store.restore(name)
        store.archive(name)
        store.restore(name)
        assert level(store, name) == expected


def test_what_supersedes_unreviewed_text_is_unreviewed(store: Store) -> None:
    put_foreign(store)
    added = store.add(draft(cuecard={"supersedes": ["keep-images"]}))
    assert level(store, added.id) == "unreviewed"


def test_what_comes_from_unreviewed_text_is_unreviewed(store: Store) -> None:
    put_foreign(store)
    added = store.add(draft(cuecard={"derived_from": ["decision/keep-images"]}))
    assert level(store, added.id) == "unreviewed"


def test_what_supersedes_reviewed_text_is_own(store: Store, user: User) -> None:
    put_foreign(store)
    user.vouch(path_in(store, "keep-images"))
    assert level(store, store.add(draft(cuecard={"supersedes": ["keep-images"]})).id) == "own"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FOREIGN, "unreviewed"),
        (f"We have learnt today that {FOREIGN.lower()}", "unreviewed"),
        ("Images are resized in the background by two workers behind the queue, so that requests stay fast.", "own"),
    ],
)
def test_a_copy_of_unreviewed_text_is_unreviewed(store: Store, text: str, expected: str) -> None:
    put_foreign(store)
    content = {"status": "accepted", "context": text, "decision": "so", "rationale": ["because"]}
    assert level(store, store.add(draft(content=content)).id) == expected


def test_an_own_memory_into_which_it_is_copied_is_unreviewed_then(store: Store) -> None:
    put_foreign(store)
    added = store.add(draft())
    store.update(added.id, {"content": {"context": FOREIGN}})
    assert level(store, added.id) == "unreviewed"


def test_with_the_review_off_nothing_is_compared(store: Store, user: User) -> None:
    user.settle(trust={"review": "off"})
    put_foreign(store)
    assert level(store, store.add(draft(cuecard={"supersedes": ["keep-images"]})).id) == "own"


def test_without_a_home_memories_are_written_all_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUECARD_HOME", "XDG_DATA_HOME", "HOME", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    assert level(store, store.add(draft()).id) == "unreviewed"


def test_the_lines_of_the_specification_are_written(store: Store, user: User) -> None:
    trust.grant(["ab" * 32], "own")
    trust.revoke(["ab" * 32])
    lines = (user.home / "data/trust/ab").read_text().splitlines()
    assert [line.split()[:2] for line in lines] == [["ab" * 32, "own"], ["ab" * 32, "revoked"]]
    assert trust.levels_of(store.memory_dir, [("ab" * 32, b"")]) == ["unreviewed"]


def test_many_shards_are_told_apart(user: User) -> None:
    hashes = [f"{number:02x}" * 32 for number in range(40)]
    trust.grant(hashes[::2], "own")
    trust.grant(hashes[1::4], "reviewed")
    found = trust.levels_of("/store", [(each, b"") for each in hashes])
    assert found[:4] == ["own", "reviewed", "own", "unreviewed"]


# Imports


@pytest.fixture
def notes(store: Store, tmp_path: Path) -> Path:
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Rules\n\n## Database\n\nNever write to the replica of the payments database from a job.\n")
    return file


def bring(store: Store, source: Path) -> list[str]:
    found = ImportSource(str(source), None, store.root)
    outcomes = Import(store, is_dry=False, are_sessions_own=not found.is_in(store.root)).run(
        list(found.read(lambda: None)), lambda: None
    )
    return [outcome.target.rpartition("/")[2].removesuffix(".json") for outcome in outcomes if outcome.target]


def test_what_is_imported_is_unreviewed(store: Store, notes: Path) -> None:
    (name,) = bring(store, notes)
    assert level(store, name) == "unreviewed"


def test_a_new_import_ends_the_trust(store: Store, notes: Path, user: User) -> None:
    (name,) = bring(store, notes)
    (file,) = [path for path in (store_files(store)) if path.stem == name]
    user.vouch(file)
    assert level(store, name) == "reviewed"
    notes.write_text(notes.read_text().replace("replica", "replica or the backup"))
    (name,) = bring(store, notes)
    assert level(store, name) == "unreviewed"


def store_files(store: Store) -> list[Path]:
    return sorted(Path(store.memory_dir).glob("[!.]*/*.json"))


def test_the_command_hints_or_accepts(store: Store, notes: Path, user: User) -> None:
    root = store_files(store)
    assert root == []
    said = run(notes.parent / "project", user, "import", str(notes))
    assert "1 memory is unreviewed" in said.stderr
    assert "`cuecard trust`" in said.stderr
    notes.write_text(notes.read_text().replace("replica", "replica or the backup"))
    said = run(notes.parent / "project", user, "import", str(notes), "--accept", "--json")
    assert json.loads(said.stdout)["accepted"] == 1
    (file,) = store_files(store)
    assert level(store, file.stem) == "reviewed"


@pytest.mark.parametrize("is_inside", [False, True])
def test_sessions_of_the_user_are_own_and_those_of_the_repository_are_not(
    store: Store, tmp_path: Path, *, is_inside: bool
) -> None:
    folder = (tmp_path / "project" if is_inside else tmp_path) / "sessions"
    folder.mkdir()
    (folder / "one.jsonl").write_bytes(
        session(
            tmp_path / "project",
            typed("SQLite locks up. What now?"),
            said(DECIDED),
        )
    )
    names = bring(store, folder)
    assert names
    assert {level(store, name) for name in names} == ({"unreviewed"} if is_inside else {"own"})
