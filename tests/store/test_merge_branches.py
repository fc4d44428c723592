"""Branches that change memories are merged in real git, and `cuecard merge` repairs what is in conflict.

Random branches add, update, retire, rename and delete memories on either side. After one repair nothing is in conflict,
no file has markers, no value is lost, and the store is valid.
"""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.store.merging.git_setup import ignore_index, register_driver
from cuecard.store.merging.repair import repair
from records import draft, make_store

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
WORDS = "amber basil cedar dune ember fjord grove heath islet jetty knoll larch marsh nook oasis pine quay reef".split()


def git(root: Path, *arguments: str, fails: bool = False) -> str:
    ran = subprocess.run([*GIT, *arguments], cwd=root, capture_output=True, text=True, check=False, timeout=60)
    assert fails or ran.returncode == 0, ran.stderr + ran.stdout
    return ran.stdout


def commit(root: Path, what: str) -> None:
    git(root, "add", "-A", ".")
    git(root, "commit", "-qm", what, "--allow-empty")


def change(store: Store, chance: random.Random, side: str) -> None:
    """Make one random change in the name of a side."""
    memories = [memory for memory in store.memories() if memory.status == "active"]
    kind = chance.choice(("add", "text", "text", "tags", "question", "title", "retire", "delete"))
    chosen = chance.choice(memories) if memories else None
    mark = f"{side}-{chance.randrange(10**6)}"
    if kind == "add" or chosen is None:
        store.add(draft(f"{chance.choice(WORDS)} {chance.choice(WORDS)} {mark}", tags=[mark]))
    elif kind == "text":
        store.update(chosen.path, {"content": {"decision": f"It is {mark}."}})
    elif kind == "tags":
        store.update(chosen.path, {"tags": [*chosen.record["tags"], mark]})
    elif kind == "question":
        known = (chosen.record.get("cuecard") or {}).get("questions") or []
        store.update(chosen.path, {"cuecard": {"questions": [*known, f"What about {mark}?"][-5:]}})
    elif kind == "title":
        store.update(chosen.path, {"title": f"{chance.choice(WORDS)} {mark}"})
    elif kind == "retire":
        store.retire(chosen.path, reason=mark)
    else:
        (Path(store.root) / chosen.path).unlink()


def texts_of(root: Path) -> dict[str, str]:
    return {file.name: file.read_text("utf-8") for file in (root / ".claude" / "memory").glob("[!.]*/*.json")}


def marks_in(text: str, side: str) -> set[str]:
    return {word.strip('".?,') for word in text.replace("\\n", " ").split() if word.strip('"').startswith(f"{side}-")}


def merge_random_branches(folder: Path, seed: str, *, has_driver: bool, is_committed: bool) -> None:
    """Change a store on two branches at random, merge them in git, repair once, and hold the result against both."""
    chance = random.Random(f"{seed} {is_committed}")
    store = make_store(folder)
    root = Path(store.root)
    git(root, "init", "-q", "-b", "main")
    if has_driver:
        register_driver(str(root), str(Path(sys.executable).with_name("cuecard")))
    if not is_committed:
        ignore_index(store.memory_dir)
    for number in range(4):
        store.add(draft(f"{WORDS[number]} {WORDS[-number - 1]}", tags=[WORDS[number]]))
    commit(root, "begin")
    made = {}
    for side in ("ours", "theirs"):
        git(root, "checkout", "-q", "-b", side, "main")
        store = Store(root)
        run_in(store, "index", "rebuild")
        for _ in range(chance.randint(1, 4)):
            change(store, chance, side)
        commit(root, side)
        made[side] = texts_of(root)
    git(root, "checkout", "-q", "ours")
    git(root, "merge", "-q", "theirs", fails=True)
    repaired = repair(str(root), str(root / ".claude" / "memory"))
    assert repaired.left == {}
    assert git(root, "ls-files", "--unmerged") == ""
    after = texts_of(root)
    assert not any("<<<<<<<" in text for text in after.values())
    assert "<<<<<<<" not in (root / ".claude/memory/index.md").read_text("utf-8")
    # Every text that a side has written and still had is there, except in memories that the other side has deleted.
    everything = " ".join(after.values())
    for side, other in (("ours", "theirs"), ("theirs", "ours")):
        for name, text in made[side].items():
            if name in made[other]:
                assert {mark for mark in marks_in(text, side) if mark not in everything} == set(), (name, repaired)
    health = run_in(store, "health", "--json").document
    assert (health["damaged"], health["conflicted"], health["unfit"]) == ([], [], [])
    assert run_in(store, "index", "validate").code == 0
    assert run_in(store, "doctor", "--ci").code == 0
    git(root, "commit", "-qm", "merged", "--allow-empty")


@pytest.mark.parametrize("has_driver", [False, True], ids=["no driver", "driver"])
@pytest.mark.parametrize("seed", range(2))
def test_branches_merge_without_a_loss(tmp_path: Path, seed: int, has_driver: bool) -> None:
    merge_random_branches(tmp_path / "project", f"few {seed}", has_driver=has_driver, is_committed=bool(seed))


# Starts some thirty processes of git for each merge. `CUECARD_MERGE_SEEDS=10` makes 200, 100 of them with a driver.
@pytest.mark.slow
@pytest.mark.parametrize("is_committed", [True, False], ids=["index committed", "index ignored"])
@pytest.mark.parametrize("has_driver", [False, True], ids=["no driver", "driver"])
@pytest.mark.parametrize("seed", range(int(os.environ.get("CUECARD_MERGE_SEEDS", "1"))))
def test_random_branches_merge_without_a_loss(tmp_path: Path, seed: int, has_driver: bool, is_committed: bool) -> None:
    for number in range(5):
        folder = tmp_path / str(number)
        merge_random_branches(folder, f"{seed} {number}", has_driver=has_driver, is_committed=is_committed)
