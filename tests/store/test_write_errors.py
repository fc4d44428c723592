"""How commands report errors: a sentence, a hint, a document, and the exit status."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_process import Ran, error_of, run_in
from cuecard import Store
from cuecard.errors import InputError
from records import (
    ago,
    draft,
    make_store,
    put,
    read_files,
    stored,
)
from scratch_home import is_foreign


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    return make_store(tmp_path / "project")


ERRORS = [
    (["add"], draft(colour=1), "VALIDATION_ERROR"),
    (["add"], [], "INPUT_ERROR"),
    (["add"], "", "INPUT_ERROR"),
    (["add"], "{nonsense", "INPUT_ERROR"),
    (["add"], b"\xff\xfe", "INPUT_ERROR"),
    (["add"], '{"a": 1, "a": 2}', "INPUT_ERROR"),
    (["add"], '{"a": NaN}', "INPUT_ERROR"),
    (["add"], '{"a": 1e999}', "INPUT_ERROR"),
    (["add"], '{"a": "\\ud800"}', "INPUT_ERROR"),
    (["add"], '{"a": ' * 200 + "1" + "}" * 200, "INPUT_ERROR"),
    (["add"], "[" * 100_000, "INPUT_ERROR"),
    (["add"], " " * 300_000, "INPUT_ERROR"),
    (["add", "--file", "missing.json"], None, "INPUT_ERROR"),
    (["add", "--file", "."], None, "INPUT_ERROR"),
    (["add"], draft("taken", tags=["x"]), "CREATE_OVERWRITE_ERROR"),
    (["add"], draft("gone"), "ANTI_RESURRECTION_ERROR"),
    (["update", "taken"], {"tags": []}, "MERGE_ERROR"),
    (["update", "taken"], {"record_status": "retired"}, "STATUS_ERROR"),
    (["update", "nobody"], {}, "NOT_FOUND_ERROR"),
    (["retire", "taken", "--expect-hash", "0"], None, "OCC_CONFLICT"),
    (["retire", "gone", "--archive"], None, "STATUS_ERROR"),
    (["show", "nobody"], None, "NOT_FOUND_ERROR"),
    (["show", "broken"], None, "INPUT_ERROR"),
]


@pytest.mark.parametrize(("arguments", "sent", "code"), ERRORS, ids=lambda value: str(value)[:30])
def test_an_error_is_a_sentence_a_hint_and_a_document_and_writes_nothing(
    store: Store, arguments: list[str], sent: object, code: str
) -> None:
    put(store, stored("taken"))
    put(store, stored("gone", record_status="retired", retired_at=ago(1)))
    put(store, stored("broken")).write_bytes(b"[")
    before = read_files(store)
    ran = run_in(store, *arguments, "--json", send=sent)
    assert ran.code == 1
    found = error_of(ran)
    assert found["code"] == code
    assert found["expected"]
    assert found["found"]
    assert found["fix"]
    assert "Traceback" not in ran.stderr
    assert read_files(store) == before


def test_without_json_an_error_leaves_standard_output_alone(store: Store) -> None:
    ran = run_in(store, "show", "nobody")
    hint = "hint: `cuecard list --status all` shows what there is\n"
    assert ran == Ran(1, "", f"error: there is no memory `nobody`\n{hint}")


USAGE = [
    ["add", "--category", "note"],
    ["list", "--status", "deleted"],
    ["list", "--category", "note"],
    ["update"],
    ["retire", "a", "b"],
    ["show", "--colour"],
]


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_a_mistake_in_the_arguments_is_status_2(store: Store, arguments: list[str]) -> None:
    ran = run_in(store, *arguments, "--json", send=draft())
    assert ran.code == 2
    assert error_of(ran)["code"] == "USAGE_ERROR"
    assert "hint: " in ran.stderr
    assert read_files(store) == {}


def test_every_problem_of_a_record_is_told_at_once(store: Store) -> None:
    sent = draft(confidence="quite", colour="red")
    del sent["content"]["decision"]
    ran = run_in(store, "add", "--json", send=sent)
    fields = ["confidence", "content.decision", "colour"]
    assert [problem["field"] for problem in ran.document["error"]["problems"]] == fields
    assert ran.stderr.splitlines() == [
        "error: `confidence` of the decision is `quite`, expected a number (and 2 more)",
        "  `confidence`: expected a number, found `quite`; make `confidence` a number",
        "  `content.decision`: expected a string, found missing; add `content.decision`",
        "  `colour`: expected no such field, found unknown; remove `colour`",
    ]


def test_arguments_that_are_no_unicode_are_no_defect(store: Store) -> None:
    put(store, stored("m"))
    assert run_in(store, "retire", "m", b"--reason=caf\xe9").code == 0
    assert run_in(store, "update", "m", b"--summary=caf\xe9", send={"confidence": 0}).code == 0
    assert store.show("m").record["confidence"] == 0
    assert run_in(store, "show", b"\xe9", "--json").document["error"]["code"] == "NOT_FOUND_ERROR"


def test_a_closed_or_full_output_is_no_traceback(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p")
    put(store, stored("m"))
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    command = [sys.executable, "-m", "cuecard.cli", "list", "--root", store.root]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: the output cannot be written: No space left on device\n")
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], capture_output=True, text=True, check=False)
    assert "Traceback" not in closed.stderr


def test_a_text_that_does_not_end_is_told_with_its_line(tmp_path: Path) -> None:
    ran = run_in(make_store(tmp_path / "p"), "add", "--file", "-", send='{"title": "never ends')
    assert "not JSON: unterminated string starting at line 1, column 11\n" in ran.stderr


@pytest.mark.parametrize("command", ["list", "add x", "stores", "review", "doctor"])
def test_in_a_folder_that_is_gone_no_command_says_that_it_is_done(tmp_path: Path, command: str) -> None:
    words = [sys.executable, "-m", "cuecard.cli", *command.split()]
    lines = 'mkdir gone && cd gone && rmdir ../gone && exec "$@" < /dev/null'
    ran = subprocess.run(["sh", "-c", lines, "sh", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.splitlines()[0] == "error: the working directory no longer exists"


@pytest.mark.parametrize("command", ["list", "show m", "stores", "recall anything"])
def test_a_root_that_is_no_project_is_named(tmp_path: Path, command: str) -> None:
    ran = run_in(make_store(tmp_path / "p"), *command.split(), "--root", str(tmp_path))
    assert ran.code == 1
    assert ran.stderr.startswith(f"error: `{tmp_path}` is not a project with `.claude/memory`\nhint: go into a project")


def test_a_reader_that_wants_no_more_is_no_error(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p")
    put(store, stored("m"))
    Path(store.memory_dir, "decisions", "damaged.json").write_text("{")
    for words, status in ((["list"], 0), (["show", "none", "--json"], 1), (["doctor"], 1)):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "cuecard.cli", *words, "--root", store.root]
        with open(writing, "w") as pipe:  # noqa: PTH123 - it is a number
            ran = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
        assert (ran.returncode, "Broken pipe" in ran.stderr) == (status, False)


def test_an_empty_hash_is_refused(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p")
    put(store, stored("m"))
    command = [sys.executable, "-m", "cuecard.cli", "retire", "m", "--expect-hash", "", "--root", store.root]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "the hash of `--expect-hash` is empty" in ran.stderr
    assert store.show("m").status == "active"


def test_a_name_that_is_a_secret_is_refused_and_not_repeated(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p")
    token = "ghp" + "_" + "a1B2c3D4e5" * 4
    for fields in ({"cuecard": {token: "x"}}, {token: 1}, {"changes": [{"old_value": {token: 1}}]}):
        with pytest.raises(InputError) as caught:
            store.add(draft() | fields)
        assert token not in str(caught.value.as_dict())
    assert store.memories() == []
