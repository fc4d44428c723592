"""What a user of an older version had is found again after an upgrade (see tests/data/older_installation)."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from command_process import Ran, run
from cuecard.capture.ledger.ledger_file import LedgerFile
from cuecard.files.user_folder import store_key

DATA = Path(__file__).parents[1] / "data" / "older_installation"
MADE = "2026-11-28"


@dataclass(frozen=True)
class Installation:
    """The project, home and folders of the user."""

    root: Path
    home: Path
    variables: dict[str, str]

    def run(self, *arguments: str) -> Ran:
        ran = run(self.home, self.root, *arguments, **self.variables)
        assert ran.code == 0, ran.stderr
        return ran

    def ids(self, *arguments: str) -> set[str]:
        return {memory["id"] for memory in self.run("list", "--json", *arguments).document["memories"]}


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    """The old installation, moved to this day, in the places of this machine."""
    root, home, data = tmp_path / "project", tmp_path / "home", tmp_path / "data"
    home.mkdir()
    shutil.copytree(DATA / "project" / "memory", root / ".claude" / "memory")
    shutil.copytree(DATA / "data" / "trust", data / "trust")
    store = data / "stores" / store_key(str(root / ".claude" / "memory"))
    shutil.copytree(DATA / "data" / "store", store)
    (store / "path").write_text(str(root / ".claude" / "memory"), encoding="utf-8")
    shutil.copytree(DATA / "config", tmp_path / "config" / "cuecard")
    today = time.strftime("%Y-%m-%d", time.gmtime())
    for file in [*(store / "journal").iterdir(), *(store / "inbox").iterdir(), *(store / "log").iterdir()]:
        text = file.read_text("utf-8").replace(MADE, today)
        file.unlink()
        file.with_name(file.name.replace(MADE.replace("-", ""), today.replace("-", ""))).write_text(text, "utf-8")
    for folder in (data, *[each for each in data.rglob("*") if each.is_dir()]):
        folder.chmod(0o700)
    return Installation(root, home, {"CUECARD_HOME": str(data), "XDG_CONFIG_HOME": str(tmp_path / "config")})


def test_memories_settings_and_trust_are_found(installed: Installation) -> None:
    assert installed.ids() == {"always-use-pnpm", "invoices-are-kept-for-ten-years", "foreign", "waiting"}
    assert installed.ids("--status", "retired") == {"we-use-tabs-in-makefiles"}
    settings = {each["name"]: each["value"] for each in installed.run("config", "--json").document["settings"]}
    assert (settings["log.prompts"], settings["retrieval.max_inject"]) == (True, 4)
    assert [each["id"] for each in installed.run("trust", "--json").document["unreviewed"]] == ["waiting"]


def test_a_write_of_before_can_be_undone(installed: Installation) -> None:
    assert len(installed.run("history", "--json").document["operations"]) == 4
    installed.run("undo")
    assert "we-use-tabs-in-makefiles" in installed.ids()


def test_a_draft_of_before_can_be_accepted(installed: Installation) -> None:
    (draft,) = installed.run("review", "--json").document["drafts"]
    installed.run("review", "accept", draft["id"])
    assert "thumbnails-are-made-when-a-picture-is-first-asked-for" in installed.ids()


def test_the_ledger_of_before_is_read(installed: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUECARD_HOME", installed.variables["CUECARD_HOME"])
    ledger = LedgerFile(str(installed.root / ".claude" / "memory"), "s1").ledger
    typed = [entry["text"] for entry in ledger.entries if entry["k"] == "prompt"]
    assert typed[1] == "no, never run the export while the backup runs, it locks the tables"
