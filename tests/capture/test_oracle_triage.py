"""Triage in the revision of the claude-memory plugin gives the answers that were recorded from the plugin."""

import json
import os
import re
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from cuecard.capture.triage.context_file import shown_snippet
from cuecard.capture.triage.plugin_record import MalformedMessage
from cuecard.capture.triage.triage import triage
from cuecard.capture.triage.triage_settings import read_triage_settings
from hook_process import Hook
from oracle_cases import lay_out, read_cases, stdin_of
from scratch_home import kept_of, write_user_settings

REVISION = "v5-0220"


def transcript_of(case: dict[str, Any]) -> bytes:
    rows = [row["$raw"] if "$raw" in row else json.dumps(row, ensure_ascii=False) for row in case["lines"]]
    return "".join([f"{row}\n" for row in rows]).encode()


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in read_cases(f"triage.{REVISION}")])
def test_scores_and_triggers_are_the_recorded_ones(case: dict[str, Any], tmp_path: Path) -> None:
    lay_out(tmp_path, {}, case["config"])
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(transcript_of(case))
    settings = read_triage_settings(str(tmp_path / ".claude" / "memory"), REVISION)
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(MalformedMessage):
            triage(str(transcript), settings)
        return
    found = triage(str(transcript), settings)
    assert settings.is_enabled == expected["enabled"]
    assert settings.max_messages == expected["max_messages"]
    assert {name.upper(): number for name, number in settings.thresholds.items()} == expected["thresholds"]
    activity = found.conversation.activity
    metrics = (activity.tool_uses, activity.distinct_tools, activity.exchanges)
    assert len(found.conversation.messages) == expected["messages"]
    assert metrics == tuple(expected["metrics"][name] for name in ("tool_uses", "distinct_tools", "exchanges"))
    text = "\n".join([line.text for line in found.lines])
    assert len(text) == expected["text_len"]
    assert expected.get("text") in (None, text)
    scores = {score.category.upper(): {"score": score.score, "snippets": score.snippets} for score in found.scores}
    assert scores == expected["scores"]
    triggered = [{"category": score.category.upper(), "score": score.score} for score in found.triggered]
    assert triggered == expected["triggered"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in read_cases(f"triage-hook.{REVISION}")])
def test_the_hook_holds_up_when_and_for_what_was_recorded(
    python_hook: Hook, case: dict[str, Any], tmp_path: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    lay_out(root, {}, case["config"])
    # The plugin shows the descriptions from every settings file; we show only those from the user's own settings.
    own = case["config"].get("categories") if isinstance(case["config"], dict) else None
    write_user_settings({"categories": own} if isinstance(own, dict) else {})
    (root / "t.jsonl").write_bytes(transcript_of(case))
    flag, handled = root / ".claude" / ".stop_hook_active", root / ".claude/memory/.staging/.triage-handled"
    for name, age in case["pre"].items():
        path = flag if "flag" in name else handled
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (time.time() - age, time.time() - age))
    ran = python_hook.run("stop", "--revision", REVISION, stdin=stdin_of(case, root), cwd=root)
    expected = case["expect"]
    assert (ran.code, ran.stderr) == (0, b"")
    assert (flag.exists(), handled.exists()) == (expected["stop_flag"], expected["sentinel"])
    # The plugin keeps these files in the project, where a clone could contain them; we keep them in the user's folder.
    staged = kept_of(root / ".claude/memory") / "staging"
    contexts = {path.stem.removeprefix("context-"): path for path in staged.rglob("context-*.txt")}
    if not expected["stdout"]:
        assert ran.stdout == b""
        assert not contexts
        return
    said = json.loads(ran.stdout)
    was = json.loads(expected["stdout"])
    assert said["decision"] == was["decision"] == "block"
    assert heads(said["reason"]) == heads(was["reason"])
    assert set(contexts) == set(expected["context"])
    for category, path in contexts.items():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        text = expected["context"][category]
        if isinstance(text, str):
            assert path.read_text("utf-8") == text
        else:
            assert len(path.read_bytes()) <= 50_000
    recorded = json.loads(re.search(r"<triage_data>\n(.*)\n</triage_data>", was["reason"], re.DOTALL)[1])  # type: ignore[index]
    [manifest] = [json.loads(path.read_text()) for path in staged.rglob("triage.json")]
    assert manifest["parallel_config"] == recorded["parallel_config"]
    for entry in (*manifest["categories"], *recorded["categories"]):
        del entry["context_file"]
    assert manifest["categories"] == recorded["categories"]


def heads(reason: str) -> list[str]:
    """The lines of a message that have a category, a first snippet and a score."""
    return [line for line in reason.split("\n") if line.startswith("- [")]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in read_cases(f"sanitize.{REVISION}")])
def test_snippets_are_sanitised_as_recorded(case: dict[str, Any]) -> None:
    assert shown_snippet(case["text"]) == case["triage_snippet"]
