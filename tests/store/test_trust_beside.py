"""A new text is compared with the unreviewed memories of all stores that its writer may have read (SPEC 48.9)."""

import json
import shutil
from pathlib import Path

import pytest

import checkouts
from checkouts import remember
from cuecard import Store
from cuecard._backend import engine
from cuecard.capture.commit import commit_drafts
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept
from cuecard.files.trust_levels import levels_of
from cuecard.store.trust import trust_of_writes
from handed_in import draft
from records import path_in
from scratch_home import write_user_settings

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
SAID = "The billing service answers on port 9443 behind the gateway, and nowhere else"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a user who reviews."""
    folder = tmp_path / "user-data"
    folder.mkdir()
    monkeypatch.setenv("CUECARD_HOME", str(folder))
    write_user_settings({"trust": {"review": "on"}})
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A package of a monorepo, in which the agent works and which has a memory of a stranger."""
    folder = checkouts.monorepo(tmp_path)
    monkeypatch.chdir(folder)
    _say(remember(folder, "billing"), SAID)
    return Store(folder)


def _say(path: Path, text: str) -> None:
    record = json.loads(path.read_text())
    record["content"]["rule"] = text
    path.write_text(json.dumps(record))


def _own_store(data: Path) -> Store:
    folder = data / "user" / ".claude" / "memory"
    folder.mkdir(parents=True)
    return Store(data / "user")


def _level(store: Store, name: str, category: str = "decision") -> str:
    found = path_in(store, name, category).read_bytes()
    return levels_of(store.memory_dir, [(engine.trust_hash(found), found)])[0]


def _text(title: str, said: str) -> dict[str, object]:
    content = {"status": "accepted", "context": "it was asked", "decision": said, "rationale": ["it is so"]}
    return {"category": "decision", "title": title, "tags": ["billing"], "content": content}


@pytest.mark.parametrize("scope", ["parent", "user"])
def test_a_text_of_the_nearer_store_is_nobodys_in_a_farther_one(scope: str, package: Store, data: Path) -> None:
    store = Store(Path(package.root).parents[1]) if scope == "parent" else _own_store(data)
    copied = store.add(_text("Billing answers on 9443", SAID))
    other = store.add(_text("Payments use one queue", "Payments are kept in one queue until they are booked"))
    assert (_level(store, copied.id), _level(store, other.id)) == ("unreviewed", "own")
    content = {"status": "accepted", "context": "it was asked", "decision": SAID, "rationale": ["it is so"]}
    store.update(other.id, {"content": content})
    assert _level(store, other.id) == "unreviewed"


def test_an_accepted_draft_of_the_user_is_compared_with_the_project(
    package: Store, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The page of the inbox runs in any folder.
    monkeypatch.chdir(tmp_path)
    content = {"status": "accepted", "context": "it was asked", "decision": SAID, "rationale": ["it is so"]}
    given = {**draft("Billing answers on 9443", content=content), "scope": "user"}
    assert commit_drafts(package, [given]).outcomes[0].status == "waiting"
    assert accept(package, read_inbox(package.memory_dir))[0].is_discarded
    assert _level(Store(data / "user"), "billing-answers-on-9443") == "reviewed"


def test_a_folder_that_is_gone_has_no_stores(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    store = _own_store(data)
    assert _level(store, store.add(_text("Billing answers on 9443", SAID)).id) == "own"


def test_a_large_store_beside_does_not_decide_about_a_new_text(
    package: Store, monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    root = Path(package.root).parents[1]
    large = remember(root, "large")
    _say(large, "words of a store that is too large " * 100)
    _say(remember(root, "short"), "Refunds are paid by the ledger service, after a day in the queue of the bank")
    monkeypatch.setattr(trust_of_writes, "MAX_COMPARED_BYTES", 2500)
    fresh = package.add(_text("Payments use one queue", "Payments are kept in one queue until they are booked"))
    assert _level(package, fresh.id) == "own"
    assert any(f"`{root}`" in note and "not all of it" in note for note in fresh.warnings), fresh.warnings
    # What fits is compared, the shortest first.
    refunds = "Refunds are paid by the ledger service, after a day in the queue of the bank"
    assert _level(package, package.add(_text("Refunds take a day", refunds)).id) == "unreviewed"
    assert _level(package, package.add(_text("Billing answers on 9443", SAID)).id) == "unreviewed"


def test_a_store_that_is_too_large_itself_says_so(package: Store, monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    _say(remember(Path(package.root), "large"), "words of a store that is too large " * 100)
    monkeypatch.setattr(trust_of_writes, "MAX_COMPARED_BYTES", 2500)
    fresh = package.add(_text("Payments use one queue", "Payments are kept in one queue until they are booked"))
    assert _level(package, fresh.id) == "unreviewed"
    assert any(f"`{package.root}` has more unreviewed text" in note for note in fresh.warnings), fresh.warnings
