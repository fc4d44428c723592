"""The memory to which new information belongs; the answers are compared with those of the claude-memory plugin."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cuecard import Category
from cuecard.capture.comparing.candidate import Selection, find_candidate
from cuecard.cli.run import run
from cuecard.errors import StoreError, UsageError
from oracle_cases import lay_out, read_cases, read_projects
from small_project import MEMORIES, SampleMemory, write_project

pytestmark = pytest.mark.usefixtures("untouched_environment")
PROJECTS = read_projects()
CATEGORIES = ("decision", "constraint", "preference", "runbook", "tech_debt", "session_summary")

# Recorded cases (version and id) in which our answer differs, and the reason.
EXCEPTIONS = {
    ("v5-0219", "cand-prefix-flag"): "options are never abbreviated: exit 2, as in v5-0220, where `--new` is ambiguous",
}


# Recorded cases


CASES = [
    pytest.param(version, case, id=f"{version}-{case['id']}")
    for version in ("v5-0219", "v5-0220")
    for case in read_cases(f"candidate.{version}")
]


@pytest.mark.parametrize(("version", "case"), CASES)
def test_the_candidate_is_the_recorded_one(
    version: str,
    case: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    lay_out(project, PROJECTS[case["project"]], None)
    for name, text in case.get("write", {}).items():
        (project / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(project)
    arguments = [argument.replace("$CWD", str(project)) for argument in case["args"]]
    code = run(["candidate", *arguments, "--tokens", "classic"])
    printed = capsys.readouterr()
    expected = case["expect"]
    if (version, case["id"]) in EXCEPTIONS:
        assert code == 2
    elif "argparse" in expected:
        assert code == expected["exit"]
    else:
        assert (code, printed.out) == (expected["exit"], expected["stdout"])
        assert bool(printed.err) == bool(expected["stderr"])


@pytest.mark.parametrize("version", ["v5-0219", "v5-0220"])
def test_tags_keep_case_order_and_repetitions(version: str, tmp_path: Path) -> None:
    compared = 0
    for number, case in enumerate(read_cases(f"index_line.{version}")):
        recorded = case["candidate"]
        if recorded is None or recorded["category_display"].lower() not in CATEGORIES:
            continue
        project = tmp_path / str(number)
        (project / ".claude" / "memory").mkdir(parents=True)
        (project / ".claude" / "memory" / "index.md").write_text(case["line"], encoding="utf-8")
        asked = " ".join([recorded["title"], *recorded["tags"]])
        found = find_candidate(recorded["category_display"].lower(), asked, root=project).candidate
        if found:
            compared += 1
            assert (found.title, found.path, list(found.tags)) == (
                recorded["title"],
                recorded["path"],
                recorded["tags"],
            )
    assert compared >= 30


# Our own tokens


def ask(project: Path, category: Category, new_info: str, **options: Any) -> Selection:  # noqa: ANN401 - also of unknown names
    return find_candidate(category, new_info, root=project, **options)


def test_two_letters_are_a_token_unless_classic(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", SampleMemory("decision", "db", "Which DB is the main one", ("ci",)))
    found = ask(project, "decision", "db in ci")
    assert found.candidate is not None
    assert found.hints == ["1 candidate found (score=5)"]
    assert ask(project, "decision", "db in ci", tokens="classic").candidate is None


def test_a_word_of_the_memory_that_begins_a_new_one_does_not_count(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", SampleMemory("decision", "a", "Auth with hook", ("deploy",)))
    # In recall, `deployments` matches the tag `deploy`. Here the new word must be a prefix of the memory's word.
    assert ask(project, "decision", "authentication hooks deployments").candidate is None
    assert ask(project, "decision", "hook depl").hints == ["1 candidate found (score=3)"]


def test_equal_scores_go_by_path_and_worse_bounds_do_not_hide_better_scores(tmp_path: Path) -> None:
    memories = [
        SampleMemory("decision", "z", "Hooked on rust"),
        SampleMemory("decision", "b", "Rust wheels", ("hook",)),
        SampleMemory("decision", "a", "Rust parsers", ("hook",)),
        # Recall would rank this memory first, because three of its tags are prefixes of words in the question.
        SampleMemory("decision", "c", "Rust hook", ("whee", "pars", "lexe")),
    ]
    project = write_project(tmp_path / "p", *memories)
    found = ask(project, "decision", "rust hook wheelwright parsimony lexeme").candidate
    assert found is not None
    assert found.path.endswith("/a.json")


# The best usable candidate


def test_the_runner_up_is_tried_when_the_best_has_an_unusable_path(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", SampleMemory("runbook", "good", "Restart the queue worker", ("queue",)))
    index = project / ".claude" / "memory" / "index.md"
    with index.open("a", encoding="utf-8") as file:
        file.write("- [RUNBOOK] Restart the queue worker now -> ../../queue.json #tags:queue,worker\n")
        file.write(
            "- [RUNBOOK] Restart the queue worker soon -> .claude/memory/runbooks/queue.txt #tags:queue,worker\n"
        )
    found = ask(project, "runbook", "restart the queue worker now, soon")
    assert found.candidate is not None
    assert found.candidate.path == ".claude/memory/runbooks/good.json"
    assert found.notes == [
        "candidate `../../queue.json` is outside the store; skipping it",
        "candidate `.claude/memory/runbooks/queue.txt` is no `.json` file; skipping it",
    ]
    assert found.structural_cud == "UPDATE_OR_DELETE"


def test_a_link_out_of_the_store_is_no_candidate(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", SampleMemory("decision", "away", "Secret hook wheels", ("secret",)))
    away = tmp_path / "away.json"
    file = project / ".claude" / "memory" / "decisions" / "away.json"
    file.rename(away)
    file.symlink_to(away)
    # Make the index newer than the folder, so that it is not rebuilt without the link.
    (project / ".claude" / "memory" / "index.md").touch()
    found = ask(project, "decision", "secret hook wheels")
    assert (found.candidate, found.structural_cud) == (None, "CREATE")
    assert found.hints == ["Candidate path invalid; falling back to CREATE"]


def test_paths_are_those_of_the_project_wherever_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = write_project(tmp_path / "p")
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    found = find_candidate("decision", "the hook is native")
    assert found.candidate is not None
    assert found.candidate.excerpt is not None


def test_what_is_retired_is_no_candidate_unless_classic(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    found = ask(project, "tech_debt", "the slow shell hook")
    assert (found.candidate, found.structural_cud) == (None, "CREATE")
    assert found.notes == ["candidate `.claude/memory/tech-debt/old-hook.json` is retired; skipping it"]
    classic = ask(project, "tech_debt", "the slow shell hook", tokens="classic").candidate
    assert classic is not None
    assert classic.excerpt is not None
    assert classic.excerpt.record_status == "retired"


def test_a_stale_index_is_not_believed(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    later = SampleMemory("decision", "later", "Wheels are signed before they are published", ("signing",))
    (project / later.path).write_text(json.dumps(later.record), encoding="utf-8")
    index = project / ".claude" / "memory" / "index.md"
    before = index.read_bytes()
    os.utime(index, ns=(1, 1))
    found = ask(project, "decision", "signing of wheels").candidate
    assert found is not None
    assert found.path == later.path
    assert index.read_bytes() == before


# Excerpts


def test_an_excerpt_makes_do_with_odd_records(tmp_path: Path) -> None:
    memory = SampleMemory("preference", "odd", "Prefer odd records", ("odd",))
    project = write_project(tmp_path / "p", memory)
    file = project / memory.path

    def excerpt(record: object) -> dict[str, Any] | None:
        file.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
        os.utime(project / ".claude" / "memory" / "index.md")
        found = ask(project, "preference", "odd records").as_dict()["candidate"]
        assert isinstance(found, dict)
        value = found["excerpt"]
        assert value is None or isinstance(value, dict)
        return value

    assert excerpt("{broken") is None
    assert excerpt([1]) is None
    assert excerpt({}) == {
        "title": "",
        "record_status": "active",
        "tags": [],
        "last_change_summary": "Initial creation",
        "key_fields": {},
    }
    content = {"topic": "x" * 300, "value": ["a", 3], "reason": True, "strength": "soft"}
    read = excerpt({"title": 5, "tags": ["a", 1], "changes": [{"date": "d"}], "content": content})
    assert read is not None
    assert read["key_fields"] == {"topic": "x" * 200, "value": "a; 3", "reason": "True"}
    assert (read["title"], read["tags"], read["last_change_summary"]) == ("", ["a"], "Unknown change")
    assert excerpt({"changes": "oops", "content": []})
    assert excerpt({"changes": ["oops"]})


# Refusals and hostile text


def test_unknown_names_are_wrong_usage(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    for options in ({"lifecycle_event": "gone"}, {"tokens": "modern"}):
        with pytest.raises(UsageError):
            ask(project, "decision", "x", **options)
    with pytest.raises(UsageError, match="unknown category `nope`"):
        ask(project, "nope", "x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--category", "nope", "--new-info", "x"], "unknown category `nope`"),
        (["--category", "decision"], "neither `--new-info` nor `--new-info-file` is given"),
        (["--category", "decision", "--new-info", "--category"], "`--new-info` is followed by `--category`"),
        (["--category", "decision", "--new-info", "-x"], "`--new-info` is followed by `-x`"),
        (
            ["--category", "decision", "--new-info-file", "none.txt"],
            "the file `none.txt` of `--new-info-file` is missing",
        ),
        (["--category", "decision", "--new-info-file", "."], "the file `.` of `--new-info-file` cannot be read"),
        (["--category", "decision", "--new-info", "x", "--tokens", "x"], "unknown tokenizer `x`"),
    ],
)
def test_wrong_usage_is_a_sentence_and_status_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    what: str,
) -> None:
    monkeypatch.chdir(write_project(tmp_path / "p"))
    assert run(["candidate", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"error: {what}")
    assert "\nhint: " in printed.err


@pytest.mark.parametrize(
    "new_info",
    [
        "",
        "   ",
        "- a list item",
        "-5",
        "-",
        "\0\x1b[2J",
        "\ud800 hooked",
        "a" * 100_000,
        "'; rm -rf / #",
        "{}" * 999,
        "훅",
    ],
)
def test_any_text_gets_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], new_info: str
) -> None:
    monkeypatch.chdir(write_project(tmp_path / "p"))
    assert run(["candidate", "--category", "decision", "--new-info", new_info]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["structural_cud"] == "CREATE"
    assert (printed.out.isascii(), printed.err) == (True, "")


def test_a_long_text_is_answered_at_once(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    words = " ".join([f"word{number}" for number in range(200_000)])
    assert ask(project, "decision", f"{words} twins parity").candidate is None
    found = ask(project, "decision", f"twins parity {words}").candidate
    assert found is not None
    assert found.title == MEMORIES[2].title


def test_without_a_store_or_memories_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a project"):
        ask(tmp_path, "decision", "x")
    (tmp_path / ".claude" / "memory").mkdir(parents=True)
    with pytest.raises(StoreError, match="no memories to make it from"):
        ask(tmp_path, "decision", "x")
    (tmp_path / ".claude" / "memory" / "index.md").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        ask(tmp_path, "decision", "x")


def test_a_missing_index_is_made_in_memory_despite_a_damaged_file(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    index = project / ".claude" / "memory" / "index.md"
    index.unlink()
    (project / ".claude" / "memory" / "decisions" / "torn.json").write_text("{")
    found = ask(project, "decision", "the hook is native")
    assert found.candidate is not None
    assert found.notes == ["left `.claude/memory/decisions/torn.json` out of the index: not JSON"]
    assert not index.exists()


def test_a_real_process_prints_nothing_but_json(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    (project / "new.txt").write_bytes("the hook is native \u00e9 ".encode("latin-1"))
    ran = subprocess.run(
        [sys.executable, "-m", "cuecard.cli", "candidate", "--category", "decision", "--new-info-file", "new.txt"],
        cwd=project,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert list(json.loads(ran.stdout)) == [
        "candidate",
        "lifecycle_event",
        "delete_allowed",
        "pre_action",
        "structural_cud",
        "vetoes",
        "hints",
    ]
