"""Lets the test suite `agmi` change the files of a pack and of a project's store, and asks whether that is noticed.

`python tests/support/tampered.py` prints the table of docs/reference/sync.md. The words are those of `agmi`: *reported*
means that a check which the user runs names the change, *accepted* that nothing does.
"""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agmi.adapters.base import MemoryAdapter, Record
from agmi.adapters.semantic_base import MemoryItem, Retrieved, SemanticMemoryAdapter
from agmi.attacks import memory_specific
from agmi.check import run as run_changes
from agmi.signing import KEYRING

from cuecard import Store
from cuecard._backend import engine
from cuecard.files.trust_levels import OWN, UNREVIEWED, grant, revoke
from cuecard.retrieval.recall import open_recall
from cuecard.store.trust.review import review
from cuecard.sync.exchange import session
from cuecard.sync.pack import current_root, pack_path
from cuecard.sync.team_status import read_status
from cuecard.sync.teams import add_team, find_team, make_team
from memory_remote import MemoryRemote, MemoryServer
from records import draft
from scratch_home import make_home
from team_remotes import change, memory

NAMES = ("first", "second")
STAMP = "2026-01-01T00:00:{:02}Z"


class _Files(MemoryAdapter):  # type: ignore[misc]
    """Records are memory files in two folders, in the order of their names."""

    supports_replay = supports_metadata = supports_snapshot = True
    detection_point = "audit"

    def setup(self) -> None:
        self.home = tempfile.mkdtemp(prefix="cuecard-agmi-")
        self._before = {name: os.environ.get(name) for name in ("CUECARD_HOME", "XDG_CONFIG_HOME")}
        os.environ.update(make_home(Path(self.home)))
        Path(os.environ["XDG_CONFIG_HOME"], "cuecard", "config.json").write_text("{}")
        self.open()

    def teardown(self) -> None:
        for name, value in self._before.items():
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(self.home, ignore_errors=True)

    def open(self) -> None:
        raise NotImplementedError

    def folder(self, context: str) -> Path:
        raise NotImplementedError

    def reload(self) -> None:
        """Every check opens the files again."""

    def read_all_raw(self) -> list[Record]:
        return self._read(NAMES[0])

    def read_other_raw(self) -> list[Record]:
        return self._read(NAMES[1])

    def _read(self, context: str) -> list[Record]:
        return [
            Record(place, {"id": file.name, "context": context, "data": file.read_text()})
            for place, file in enumerate(sorted(self.folder(context).glob("*.json")))
        ]

    def write_raw(self, record: Record) -> None:
        there = self.read_all_raw()
        name = there[record.seq].fields["id"] if record.seq < len(there) else record.fields["id"]
        self._write(self.folder(NAMES[0]) / name, record.fields["data"])

    @staticmethod
    def _write(file: Path, text: str) -> None:
        file.unlink(missing_ok=True)
        # A file of a pack may share its bytes with the last version.
        file.write_text(text)

    def delete_raw(self, seq: int) -> None:
        (self.folder(NAMES[0]) / self.read_all_raw()[seq].fields["id"]).unlink()

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        victim = self.read_all_raw()[victim_seq].fields
        record = json.loads(donor.fields["data"]) | {"id": victim["id"].removesuffix(".json")}
        self._write(self.folder(NAMES[0]) / victim["id"], json.dumps(record, indent=2))

    def mutate_payload(self, record: Record) -> Record:
        found = json.loads(record.fields["data"])
        found["content"]["decision"] = "The opposite holds."
        record.fields["data"] = json.dumps(found, indent=2)
        return record

    def forge_record(self, template: Record) -> Record:
        found = json.loads(template.fields["data"]) | {"id": "zz-forged", "title": "A forged rule"}
        return Record(
            template.seq + 1, {**template.fields, "id": "zz-forged.json", "data": json.dumps(found, indent=2)}
        )

    def read_meta(self, seq: int) -> dict[str, Any]:
        return {"created_at": json.loads(self.read_all_raw()[seq].fields["data"])["created_at"]}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        fields = self.read_all_raw()[seq].fields
        record = json.loads(fields["data"]) | {"created_at": "2020-01-01T00:00:00Z"}
        self._write(self.folder(NAMES[0]) / fields["id"], json.dumps(record, indent=2))

    def identity_of(self, record: Record) -> str:
        return f"{record.fields['context']}/{record.fields['id']}"

    def payload_of(self, record: Record) -> str:
        found = json.loads(record.fields["data"])
        return json.dumps([found["title"], found["content"], found["tags"]])

    def owner_of(self, record: Record) -> str:
        return str(record.fields["context"])


class PackAdapter(_Files):
    """A pack that was pulled; the check is `cuecard sync status`."""

    name = "pack"

    def open(self) -> None:
        self.servers = {name: MemoryServer(epoch=name) for name in NAMES}
        for name in NAMES:
            add_team(make_team("/nowhere", name))
        self._pull()

    def folder(self, context: str) -> Path:
        return Path(current_root(context), ".claude", "memory", "decisions")

    def seed(self, n: int) -> None:
        self._push(NAMES[0], range(n))

    def seed_other(self, n: int) -> None:
        self._push(NAMES[1], range(n))

    def append_genuine(self) -> None:
        self._push(NAMES[0], [8])

    def _push(self, name: str, numbers: Iterable[int]) -> None:
        changes = [
            change(
                f"m{number}", memory(f"m{number}", title=f"Rule {number} of {name}", created_at=STAMP.format(number))
            )
            for number in numbers
        ]
        MemoryRemote(self.servers[name]).push("team", changes)
        self._pull()

    def _pull(self) -> None:
        for name in NAMES:
            with session(find_team(name), MemoryRemote(self.servers[name])) as opened:
                opened.pull()

    def verify(self) -> bool:
        found = read_status(find_team(NAMES[0]))
        self.verify_detail = str(found.tampered)
        return not found.tampered

    def snapshot_store(self) -> object:
        return self._copy_store(pack_path(NAMES[0]))

    def restore_store(self, token: object) -> None:
        self._restore_store(str(token), pack_path(NAMES[0]))


class StoreAdapter(_Files):
    """A project's store, whose memories the user vouches for; the check is `cuecard trust`."""

    name = "project"

    def open(self) -> None:
        self.roots = {name: Path(self.home, name) for name in NAMES}
        for root in self.roots.values():
            (root / ".claude" / "memory").mkdir(parents=True)

    def folder(self, context: str) -> Path:
        return self.roots[context] / ".claude" / "memory" / "decisions"

    def seed(self, n: int) -> None:
        self._add(NAMES[0], range(n))

    def seed_other(self, n: int) -> None:
        self._add(NAMES[1], range(n))

    def append_genuine(self) -> None:
        self._add(NAMES[0], [8])

    def _add(self, name: str, numbers: Iterable[int]) -> None:
        for number in numbers:
            Store(self.roots[name]).add(draft(f"Rule {number} of {name}"), trust="own")

    def verify(self) -> bool:
        store = Store(self.roots[NAMES[0]])
        return all(one.level != UNREVIEWED for one in review(store.project))

    def snapshot_store(self) -> object:
        return self._copy_store(self.roots[NAMES[0]])

    def restore_store(self, token: object) -> None:
        self._restore_store(str(token), self.roots[NAMES[0]])


class RecallAdapter(SemanticMemoryAdapter):  # type: ignore[misc]
    """What an agent reads; memories that a good key has signed are the user's own, all others are unreviewed."""

    name = "cuecard"

    def __init__(self) -> None:
        self._home = tempfile.mkdtemp(prefix="cuecard-agmi-")
        os.environ.update(make_home(Path(self._home)))
        Path(os.environ["XDG_CONFIG_HOME"], "cuecard", "config.json").write_text("{}")
        self.reset()

    def close(self) -> None:
        shutil.rmtree(self._home, ignore_errors=True)

    def reset(self) -> None:
        self._root = Path(tempfile.mkdtemp(dir=self._home))
        self._count = 0

    def _store(self, user: str) -> Store:
        root = self._root / user
        (root / ".claude" / "memory").mkdir(parents=True, exist_ok=True)
        return Store(root)

    def add_memory(self, item: MemoryItem) -> None:
        self._count += 1
        store = self._store(item.user_id)
        folder = Path(store.memory_dir, "decisions")
        folder.mkdir(exist_ok=True)
        content = {"status": "accepted", "context": "c", "decision": item.text, "rationale": ["r"]}
        title = " ".join(item.text.split()[:12])[:110]
        data = memory(f"m{self._count}", title=title, tags=["note"], content=content)
        (folder / f"m{self._count}.json").write_bytes(data)
        is_own = item.source == "user" and KEYRING.verify(item.user_id, item.source, item.text, item.signature)
        (grant if is_own else lambda hashes, _level: revoke(hashes))([engine.trust_hash(data) or ""], OWN)

    def retrieve(self, query: str, user_id: str, k: int = 5) -> list[Retrieved]:
        block = open_recall(self._store(user_id).root).inject(query).block
        return [Retrieved(block, user_id, 1.0)] if block else []


def print_table() -> None:
    """Print both tables in Markdown."""
    rows = {
        adapter.name: {row["edit"]: row for row in run_changes(adapter)} for adapter in (PackAdapter(), StoreAdapter())
    }
    print("| change | a pack (`cuecard sync status`) | a project's store (`cuecard trust`) |\n| --- | --- | --- |")
    for edit in rows["pack"]:
        words = [rows[name][edit]["verdict"].lower() for name in ("pack", "project")]
        print(f"| {edit.partition(' ')[2]} | {words[0]} | {words[1]} |")
        for name in ("pack", "project"):
            if rows[name][edit]["verdict"] in ("ERROR", "NOT EVALUABLE"):
                print(name, rows[name][edit]["detail"], file=sys.stderr)
    recalled = RecallAdapter()
    print("\n| attack | outcome |\n| --- | --- |")
    for attack in memory_specific.ALL_MEMORY_ATTACKS:
        found = attack().run(recalled)
        print(f"| {found.attack} | {found.detail or found.error} |")
    recalled.close()


if __name__ == "__main__":
    print_table()
