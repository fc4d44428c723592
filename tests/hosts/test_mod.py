"""The plugin's mod for Claude Code: what its file may hold, and its tests in the client's environment for mods."""

import json
import os
import re
import shutil
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from cuecard.basics.visible_text import visible
from cuecard.hosts.host_environment import HostEnvironment
from cuecard.hosts.programs import claude_mod
from cuecard.hosts.programs.claude_plugin import PARTS
from cuecard.hosts.survey import examine_hosts_of
from cuecard.observe.doctor.finding import Finding
from plugin_clone import REPOSITORY, read_manifest

MOD = REPOSITORY / "hooks" / "mod.js"
TESTS = Path(__file__).parents[1] / "data" / "mod" / "mod.test.ts"
E2E = Path(__file__).parents[1] / "e2e"
# Titles with characters that control a terminal, hide or reorder text.
TEXTS = (
    "two\u200bwords",
    "a\u2028line",
    "\x1b[2Jcleared",
    "wide\u00a0 spaces\there",
    "\u202ereordered",
    "\ufeffmarked",
    "next\x85line",
    "\x1d\x1fseparated",
    "e\u0301 \U0001f600 stays",
    "soft\u00adhyphen",
)


def test_the_manifest_names_one_file_of_code_that_is_shipped() -> None:
    assert read_manifest("hooks/hooks.json")["modules"] == ["./mod.js"]
    assert MOD.is_file()
    assert "hooks" in PARTS
    assert not re.search(r"^\s*import\b|\bimport\(", MOD.read_text("utf-8"), re.MULTILINE)
    assert MOD.stat().st_size < 30_000


def test_each_hook_of_the_mod_has_an_answer_for_its_failure() -> None:
    hooks = re.split(r"^  on\(", MOD.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert len(hooks) == 6
    assert all(".catch(" in hook for hook in hooks)


def test_the_mod_adds_nothing_to_a_prompt() -> None:
    text = MOD.read_text("utf-8")
    assert not re.search(r"additionalContext\s*:|\bcontext\s*:|prompt\.submit|prompt\.section|\$\.model|\$\.http", text)
    assert not re.search(r"\$\.fs\b|\$\.env\b", text)


def test_the_mod_starts_only_the_launchers_of_the_plugin() -> None:
    text = MOD.read_text("utf-8")
    assert re.findall(r"\$\.process\.\w+\(\[([^\]]*)\]", text) == ["'/bin/sh', `${$.plugin.root}/${file}`, ...words"]
    assert set(re.findall(r"^const (?:HOOK|COMMAND) = '(.*)'$", text, re.MULTILINE)) == {
        "hooks/cuecard-hook.sh",
        "bin/cuecard",
    }
    assert all((REPOSITORY / name).is_file() for name in ("hooks/cuecard-hook.sh", "bin/cuecard"))


@pytest.mark.e2e
@pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: the real client is not started")
@pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script")
@pytest.mark.timeout(900)
def test_the_mod_passes_its_tests_in_the_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(E2E)
    monkeypatch.setenv("CLAUDE_CODE_VERSION", os.environ.get("CLAUDE_CODE_VERSION", "2.1.332"))
    for name in (".claude-plugin", "hooks"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    tests = TESTS.read_text("utf-8").replace(
        "JSON.parse('TEXTS')", json.dumps([[text, visible(text)] for text in TEXTS])
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / TESTS.name).write_text(tests, encoding="utf-8")
    done = import_module("cc_session").plain(["plugin", "test", str(tmp_path)])
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert re.search(r"^ 0 fail$", said, re.MULTILINE)
    assert len(re.findall(r"^\(pass\)", said, re.MULTILINE)) == tests.count("test(") + 4


# What the doctor says


@pytest.fixture
def environment(tmp_path: Path) -> HostEnvironment:
    """A user who has enabled the plugin in Claude Code, and a project in which memories were shown on a day."""
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".claude" / "plugins" / "store").mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"cuecard@cuecard": true}}')
    (project / ".claude" / "memory").mkdir(parents=True)
    return HostEnvironment(home, project, {}, is_windows=False)


def answer_on(environment: HostEnvironment, day: str, name: str = "cuecard_cuecard-0f.json") -> None:
    file = environment.home / ".claude" / "plugins" / "store" / name
    file.write_text(json.dumps({"answered": f"{day}T10:00:00.123Z"}))


def shown_on(monkeypatch: pytest.MonkeyPatch, *days: int, host: str = "claude-code") -> None:
    """Let the event log have a shown memory on these days of November 2026."""
    first = 1_793_491_200
    events = [SimpleNamespace(seconds=first + day * 86_400, host=host, shown=["a memory"]) for day in days]
    monkeypatch.setattr(claude_mod, "read_events", lambda _folder: SimpleNamespace(events=events))


def test_the_doctor_says_when_the_mod_has_answered_last(
    environment: HostEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_on(monkeypatch, 3, 20)
    answer_on(environment, "2026-11-19")
    answer_on(environment, "2026-11-02", "cuecard_inline-12.json")
    [finding] = claude_mod.examine_mod(environment)
    assert (finding.verdict, finding.words) == ("ok", "the mod in Claude Code has answered, last on 2026-11-19")


@pytest.mark.parametrize("day", ["", "2026-11-02"])
def test_the_doctor_warns_of_a_mod_that_has_not_answered_lately(
    environment: HostEnvironment, monkeypatch: pytest.MonkeyPatch, day: str
) -> None:
    shown_on(monkeypatch, 20)
    if day:
        answer_on(environment, day)
    [finding] = claude_mod.examine_mod(environment)
    assert finding.verdict == "warn"
    assert ("never" if not day else f"not since {day}") in finding.words


def test_nothing_is_said_of_the_mod_without_the_plugin_or_without_a_shown_memory(
    environment: HostEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert claude_mod.examine_mod(environment) == []
    shown_on(monkeypatch, 20, host="codex")
    assert claude_mod.examine_mod(environment) == []
    shown_on(monkeypatch, 20)
    (environment.home / ".claude" / "settings.json").write_text("{}")
    assert claude_mod.examine_mod(environment) == []


@pytest.mark.parametrize("content", ["", "[]", '{"answered": 5}', '{"answered": "soon"}', "\xff"])
def test_a_file_that_the_client_has_not_written_so_counts_as_no_answer(
    environment: HostEnvironment, content: str
) -> None:
    file = environment.home / ".claude" / "plugins" / "store" / "cuecard_x.json"
    file.write_text(content, encoding="latin-1")
    assert claude_mod.last_answer(environment) is None


def test_the_doctor_asks_for_the_mod(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = Finding("mod", "ok", "it has answered")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("cuecard.hosts.survey.examine_mod", lambda _environment: [said])
    (tmp_path / ".claude" / "memory").mkdir(parents=True)
    assert examine_hosts_of(str(tmp_path))[-1] is said
