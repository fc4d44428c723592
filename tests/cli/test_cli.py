"""The output of the `cuecard` command for people, for pipes and for programs."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cuecard
from command_process import Ran
from command_process import run as run_command
from cuecard.observe.doctor import installation
from cuecard.observe.doctor.examine import examine
from cuecard.retrieval.recall import open_recall
from scratch_home import kept_of, kept_variables, write_user_settings
from small_project import MEMORIES, SampleMemory, write_project

PROMPT = "why is the hook not a python script?"
NATIVE_HOOK, NO_NETWORK = MEMORIES[1], MEMORIES[0]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
Command = Callable[..., "Ran"]


@pytest.fixture
def run(tmp_path: Path) -> Command:
    """A function that runs the command in a folder, in a clean environment."""

    def run(*arguments: str | Path, cwd: Path = tmp_path, stdin: str = "", **variables: str) -> Ran:
        return run_command(tmp_path, cwd, *map(str, arguments), stdin=stdin, **variables)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a few memories."""
    return write_project(tmp_path / "project")


def environment(home: Path, **variables: str) -> dict[str, str]:
    kept = kept_variables()
    return kept | {"HOME": str(home), "PYTHONIOENCODING": "utf-8"} | variables


def add_to_index(project: Path, *lines: str) -> None:
    with (project / ".claude" / "memory" / "index.md").open("a", encoding="utf-8") as index:
        index.writelines(f"{line}\n" for line in lines)


# For pipes


def test_recall_prints_the_score_and_the_index_line_of_each_memory(run: Command, project: Path) -> None:
    ran = run("recall", PROMPT, "--strategy", "keyword", cwd=project)
    assert ran == Ran(0, f"  9  {NATIVE_HOOK.line}\n  5  {NO_NETWORK.line}\n", "")
    ran = run("recall", PROMPT, cwd=project)
    [hit] = cuecard.recall(PROMPT, root=project, explain=True)
    assert ran == Ran(0, f"{hit.score:3}  {NATIVE_HOOK.line}\n", "")


def test_explain_prints_parts_that_sum_to_the_score(run: Command, project: Path) -> None:
    query = "wheels of rust hooks"
    ran = run("search", query, "--explain", "--strategy", "keyword", cwd=project)
    scores: list[int] = []
    points: list[int] = []
    for line in ran.stdout.splitlines():
        if line.endswith("  sum"):
            assert int(line.split()[0]) == points[-1]
        elif line.startswith("      "):
            points[-1] += int(line.split()[0])
        else:
            scores.append(int(line.split()[0]))
            points.append(0)
    assert len(scores) == 3
    assert scores == points
    assert "      +1  recency      updated at most 30 days ago\n" in ran.stdout
    assert "      +1  prefix       wheels ~ wheel\n" in ran.stdout


def test_search_is_bound_by_its_limit_alone(run: Command, project: Path) -> None:
    (project / ".claude" / "memory" / "memory-config.json").write_text('{"retrieval": {"enabled": false}}')
    by_words = ("--strategy", "keyword")
    assert run("search", "hook", *by_words, cwd=project).stdout.count("\n") == 2
    assert run("search", "hook", "--limit", "1", *by_words, cwd=project).stdout == f"  5  {NATIVE_HOOK.line}\n"
    for limit in range(1, 4):
        assert run("search", "hook", "--limit", str(limit), cwd=project).stdout.count("\n") == limit
    assert run("recall", PROMPT, cwd=project).stdout == ""


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--tag", "Hook"], [NATIVE_HOOK, NO_NETWORK]),
        (["--tag", "hook", "--tag", "rust"], [NATIVE_HOOK]),
        (["--category", "constraint"], [NO_NETWORK]),
        (["-c", "constraint", "-c", "DECISION"], [NATIVE_HOOK, NO_NETWORK]),
        (["--status", "retired"], [MEMORIES[5]]),
        (["--status", "active", "--status", "retired"], [NATIVE_HOOK, NO_NETWORK, MEMORIES[5]]),
        (["--status", "all", "--path", "tech-debt/"], [MEMORIES[5]]),
        (["--path", ".claude/memory/decisions/nat"], [NATIVE_HOOK]),
        (["--since", "2020-01-01", "--until", "2020-01-01"], [NATIVE_HOOK, NO_NETWORK]),
        (["--since", "2020-01-02"], []),
        (["--until", "2019-12-31T23:59:59Z"], []),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value and isinstance(value[0], str) else "",
)
def test_filters_narrow_a_search(run: Command, project: Path, options: list[str], found: list[SampleMemory]) -> None:
    ran = run("search", "hook", *options, "--strategy", "keyword", cwd=project)
    assert sorted(line.split(maxsplit=1)[1] for line in ran.stdout.splitlines()) == sorted(
        memory.line for memory in found
    )
    assert ran.stderr == ("" if found else "note: nothing found: no memory matches\n")


@pytest.mark.parametrize("strategy", ["bm25", "tfidf"])
def test_large_scores_are_explained_in_columns(run: Command, project: Path, strategy: str) -> None:
    query = "why are wheels released by hooks"
    ran = run("search", query, "--explain", "--strategy", strategy, cwd=project)
    lines = ran.stdout.splitlines()
    sums: list[int] = []
    for line in reversed(lines):
        if "  - [" in line:
            assert int(line.split()[0]) == sum(sums)
            sums.clear()
        elif not line.endswith("  sum"):
            sums.append(int(line.split()[0]))
    # The scores are right-aligned in one column, the points in another.
    width = len(lines[0].split()[0])
    assert width > 3
    assert all(
        re.match(rf" *\d+(?<=^.{{{width}}})  - \[|  {{3,}}\+?\d+(?<=^.{{{width + 5}}})  \w", line) for line in lines
    )
    if strategy == "bm25":
        assert re.search(r"  title        wheels ~ wheel$", ran.stdout, re.MULTILINE)
    else:
        assert re.search(r"  tfidf        rank 1$", ran.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("prompt", "config", "reason"),
    [
        ("hook", {}, "the prompt is under 10 characters"),
        ("nothing of the kind", {}, "no memory is sure enough for `balanced`"),
        ("nothing of the kind", {"retrieval": {"match_strategy": "keyword"}}, "no memory matches"),
        (PROMPT, {"retrieval": {"enabled": False}}, "recall is switched off by `retrieval.enabled`"),
    ],
)
def test_recall_with_nothing_to_say_gives_the_reason_on_standard_error(
    run: Command, tmp_path: Path, prompt: str, config: dict[str, object], reason: str
) -> None:
    project = write_project(tmp_path / "quiet")
    write_user_settings(config)
    assert run("recall", prompt, "--root", project) == Ran(0, "", f"note: nothing is injected: {reason}\n")


def test_a_store_without_memories_is_a_reason(run: Command, tmp_path: Path) -> None:
    (tmp_path / ".claude" / "memory").mkdir(parents=True)
    assert run("recall", PROMPT).stderr == "note: nothing is injected: the project has no memories\n"
    assert run("search", "hook").stderr == "note: nothing found: the project has no memories\n"


def test_what_the_hook_would_log_is_a_warning(run: Command, project: Path, backend: str) -> None:
    add_to_index(project, "- [DECISION] Gone hook -> .claude/memory/decisions/gone.json")
    ran = run("search", "gone hook", "--strategy", "keyword_classic", cwd=project, CUECARD_BACKEND=backend)
    assert (ran.code, ran.stderr) == (0, "warning: `.claude/memory/decisions/gone.json` is missing\n")
    (project / ".claude" / "memory" / "decisions" / "bad.json").write_text("[]")
    ran = run("search", "gone hook", "--strategy", "keyword", cwd=project, CUECARD_BACKEND=backend)
    assert ran.stdout.count("\n") == 2
    assert ran.stderr == ("warning: left `.claude/memory/decisions/bad.json` out of the snapshot: not a JSON object\n")


# For programs


def test_json_is_one_document_with_stable_keys(run: Command, project: Path) -> None:
    recalled = json.loads(run("recall", PROMPT, "--json", "--root", project).stdout)
    assert list(recalled) == ["prompt", "silence", "root", "strategy", "hits", "notes", "injection"]
    injection = open_recall(project).inject(PROMPT)
    assert recalled["injection"] == injection.as_dict()
    assert injection.block == run("recall", PROMPT, "--block", cwd=project).stdout
    assert (recalled["silence"], recalled["strategy"], recalled["root"]) == (None, "hybrid", str(project))
    assert recalled["hits"] == [hit.as_dict() for hit in cuecard.recall(PROMPT, root=project, explain=True)]
    keys = ["score", "probability", "category", "title", "path", "tags", "parts", "trust", "withheld", "validity"]
    keys.append("scope")
    assert list(recalled["hits"][0]) == keys
    found = json.loads(run("search", "hook", "--json", "--strategy", "keyword_classic", cwd=project).stdout)
    assert list(found) == ["query", "root", "strategy", "hits", "notes"]
    assert found["strategy"] == "keyword_classic"


def test_json_tells_of_silence_too(run: Command, project: Path) -> None:
    ran = run("recall", "hook", "--json", cwd=project)
    document = json.loads(ran.stdout)
    assert (document["silence"], document["hits"]) == ("the prompt is under 10 characters", [])
    assert ran.stderr == ""


# What is refused


def test_an_error_is_one_sentence_and_a_hint(run: Command, tmp_path: Path) -> None:
    assert run("search", "hook", "--root", "nowhere") == Ran(
        1,
        "",
        "error: `nowhere` is not a project with `.claude/memory`\n"
        "hint: go into a project with memories, begin one with `cuecard init`, or name its folder as the root\n",
    )


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["recall"], "there is no prompt"),
        (["search", "why", "not"], "got unexpected extra argument"),
        (["search", "hook", "--limit", "0"], "the limit 0 is too small"),
        (["search", "hook", "--limit", "many"], "invalid value for `--limit`"),
        (["search", "hook", "--strategy", "magic"], "unknown strategy `magic`"),
        (["search", "hook", "--colour"], "no such option"),
        (["search", "hook", "--since", "soon"], "`since` is `soon`, which is not a date"),
        (["search", "hook", "--until", ""], "`until` is `''`, which is not a date"),
        (["search", "hook", "--category", "decisions"], "unknown category `decisions`"),
        (["search", "hook", "--status", "gone"], "unknown status `gone`"),
        (["remember"], "no such command `remember`"),
    ],
)
def test_wrong_usage_ends_with_status_2(run: Command, project: Path, arguments: list[str], what: str) -> None:
    ran = run(*arguments, cwd=project)
    assert (ran.code, ran.stdout) == (2, "")
    error, hint = ran.stderr.splitlines()
    assert error.startswith(f"error: {what}")
    assert hint.startswith("hint: ")


def test_a_backend_that_does_not_exist_is_an_error(run: Command, project: Path) -> None:
    ran = run("search", "hook", cwd=project, CUECARD_BACKEND="quantum")
    assert ran == Ran(1, "", "error: `CUECARD_BACKEND` is `quantum`\nhint: use `auto`, `native` or `pure`\n")


def test_help_and_version_need_no_project(run: Command) -> None:
    assert run("--version") == Ran(0, f"cuecard {cuecard.__version__}\n", "")
    assert run("--help") == run()
    for command in ("recall", "search", "doctor"):
        assert command in run("--help").stdout
        assert "--root" in run(command, "--help").stdout
    assert "__complete" not in run("--help").stdout


# Hostile text


EVIL = SampleMemory("decision", "evil", "Evil \x1b[31mhook\x9b2J \u202etxet\u200b [bold]b[/bold] :smile:", ("a\x07b",))


def test_nothing_stored_can_steer_a_terminal(run: Command, tmp_path: Path) -> None:
    project = write_project(tmp_path / "evil", EVIL, SampleMemory("decision", "gone", "Gone \x1b[1mhook"))
    add_to_index(project, "- [DECISION] Evil \x1b[2Jhook -> ../\x1b[2J.json")
    (project / ".claude" / "memory" / "decisions" / "bad\x1b[2J.json").write_text("[]")
    for strategy in ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic"):
        options = ("--explain", "--strategy", strategy)
        ran = run("search", "evil hook txet \x1b[1mhook", *options, cwd=project)
        assert "  - [DECISION] Evil [31mhook2J txet [bold]b[/bold] :smile: -> " in ran.stdout
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", ran.stdout + ran.stderr)
        assert ran.stderr.startswith("warning: ")
    assert run("search", "evil", "--json", cwd=project).stdout.isascii()


def test_what_an_encoding_lacks_is_spelled_out(run: Command, tmp_path: Path) -> None:
    project = write_project(tmp_path / "far", SampleMemory("decision", "far", "Größe des hook"))
    ran = run("search", "hook", "--strategy", "keyword", cwd=project, PYTHONIOENCODING="ascii")
    assert (ran.code, ran.stdout.split(" -> ")[0]) == (0, "  2  - [DECISION] Gr\\xf6\\xdfe des hook")


# For people


def run_on_terminal(cwd: Path, columns: int, *arguments: str) -> str:
    """The output of the command on a terminal with `columns` columns, without colours."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    terminal, process_end = pty.openpty()
    fcntl.ioctl(process_end, termios.TIOCSWINSZ, _window_size(columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "cuecard.cli", *arguments],
        cwd=cwd,
        env=environment(cwd, TERM="xterm-256color"),
        stdin=process_end,
        stdout=process_end,
        stderr=process_end,
    )
    os.close(process_end)
    shown = b""
    try:
        while chunk := os.read(terminal, 1 << 16):
            shown += chunk
    except OSError:
        # With this error, Linux reports that the other end was closed.
        pass
    os.close(terminal)
    process.wait(timeout=60)
    return ESCAPES.sub("", shown.decode().replace("\r\n", "\n"))


def _window_size(columns: int) -> bytes:
    return b"".join(value.to_bytes(2, sys.byteorder) for value in (50, columns, 0, 0))


@pytest.mark.parametrize("columns", [60, 160])
def test_a_terminal_gets_a_table_that_fits_it(project: Path, columns: int) -> None:
    shown = run_on_terminal(project, columns, "recall", PROMPT, "--explain", "--strategy", "keyword")
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[1].split() == ["score", "memory"]
    for part in ("DECISION  #hook  #rust", "+3  tag    hook", "+2  title  python"):
        assert part in lines
    assert all(len(line) <= columns for line in shown.splitlines())
    path = NATIVE_HOOK.path
    assert (path if columns > 60 else path.removeprefix(".claude/memory/").removesuffix(".json")) in shown


@pytest.mark.parametrize(("strategy", "part"), [("bm25", "title  wheels ~ wheel"), ("tfidf", "tfidf    rank 1")])
def test_large_scores_fit_a_narrow_terminal_too(project: Path, strategy: str, part: str) -> None:
    shown = run_on_terminal(project, 60, "search", "hooks and wheels", "--explain", "--strategy", strategy)
    assert part in shown
    assert all(len(line) <= 60 for line in shown.splitlines())


def test_markup_in_a_memory_stays_text_on_a_terminal(tmp_path: Path) -> None:
    shown = run_on_terminal(write_project(tmp_path / "evil", EVIL), 160, "search", "evil")
    assert "Evil [31mhook2J txet [bold]b[/bold] :smile:" in shown


# The doctor


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for PATH with a hook that has the same version as the package."""
    folder = tmp_path / "tools"
    folder.mkdir()
    write_hook(folder, f"echo cuecard-hook {cuecard.__version__} '(native)'")
    return folder


def write_hook(folder: Path, script: str) -> None:
    if os.name == "nt":
        pytest.skip("needs a shell script as a hook")
    hook = folder / "cuecard-hook"
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)


def findings(ran: Ran) -> dict[str, dict[str, object]]:
    return {finding["name"]: finding for finding in json.loads(ran.stdout)["findings"]}


def test_the_doctor_finds_nothing_where_all_is_well(run: Command, tools: Path, tmp_path: Path, backend: str) -> None:
    project = write_project(tmp_path / "well", *MEMORIES[:5])
    ran = run("doctor", cwd=project, PATH=str(tools), CUECARD_BACKEND=backend)
    assert (ran.code, ran.stderr) == (0, "")
    *lines, blank, summary = ran.stdout.splitlines()
    assert [line[:4] for line in lines] == ["ok  "] * len(lines)
    assert (blank, summary) == ("", f"{len(lines)} ok")
    found = findings(run("doctor", "--json", cwd=project, PATH=str(tools), CUECARD_BACKEND=backend))
    assert found["cuecard"]["facts"] == {
        "version": cuecard.__version__,
        "path": str(Path(cuecard.__file__).parent),
    }
    assert found["backend"]["words"] == ("native" if backend == "native" else "pure, as `CUECARD_BACKEND` says")
    assert ("native module" in found) == (backend == "native")
    assert found["hook"]["facts"] == {
        "path": str(tools / "cuecard-hook"),
        "version": cuecard.__version__,
        "backend": "native",
    }
    assert found["store"]["facts"] == {"root": str(project), "source": "in the working directory"}
    user_file = str(Path(os.environ["XDG_CONFIG_HOME"], "cuecard", "config.json"))
    facts = {"enabled": True, "max_inject": 5, "strategy": "hybrid", "user_file": user_file}
    assert found["settings"]["facts"] == facts
    assert found["index"]["facts"] == {"lines": 5, "memories": 5, "active": 5, "inactive": 0}


@pytest.mark.parametrize(
    ("script", "verdict", "words"),
    [
        (None, "warn", "`cuecard-hook` is not on PATH"),
        ("echo cuecard-hook 0.0.1 '(native)'", "fail", "has version 0.0.1"),
        ("echo hello", "fail", "does not print its version"),
        ("exit 3", "fail", "does not print its version"),
    ],
)
def test_the_doctor_tries_the_hook(
    run: Command, tools: Path, project: Path, script: str | None, verdict: str, words: str
) -> None:
    if script is None:
        (tools / "cuecard-hook").unlink()
    else:
        write_hook(tools, script)
    ran = run("doctor", "--json", cwd=project, PATH=str(tools))
    hook = findings(ran)["hook"]
    assert hook["verdict"] == verdict
    assert words in str(hook["words"])
    assert hook["hint"]
    assert ran.code == (verdict == "fail")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("#!/bin/sh\nexec sleep 60\n", "does not end"),
        ("#!/bin/sh\nexec >&-\nexec sleep 60\n", "does not end"),
        ("#!/bin/sh\nexec yes cuecard-hook\n", "does not end"),
        ("no program", "cannot be started"),
    ],
)
def test_the_doctor_does_not_wait_for_a_hook_that_hangs(
    tools: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    (tools / "cuecard-hook").write_text(script)
    monkeypatch.setattr(installation, "HOOK_SECONDS", 0.2)
    monkeypatch.setattr(installation, "find_program", lambda *_: str(tools / "cuecard-hook"))
    hook = next(finding for finding in installation.examine_installation() if finding.name == "hook")
    assert (hook.verdict, hook.words.endswith(words)) == ("fail", True)


def test_a_hook_slower_than_the_package_is_worth_a_warning(
    run: Command, tools: Path, project: Path, native: object
) -> None:
    write_hook(tools, f"echo cuecard-hook {cuecard.__version__} '(pure)'")
    hook = findings(run("doctor", "--json", cwd=project, PATH=str(tools), CUECARD_BACKEND="native"))["hook"]
    assert (hook["verdict"], str(hook["words"]).endswith("is the slower, pure hook")) == ("warn", True)


@pytest.fixture
def broken_package(tmp_path: Path) -> Path:
    """A folder for imports, with a copy of the package whose native module cannot be loaded."""
    home = tmp_path / "site"
    # A package that was built without Rust has a file with the reason. These tests do not need this file.
    left_out = shutil.ignore_patterns("__pycache__", "_native.*so", "why_pure.txt")
    shutil.copytree(Path(cuecard.__file__).parent, home / "cuecard", ignore=left_out)
    (home / "cuecard" / "_native.abi3.so").write_bytes(b"no shared library")
    return home


def test_a_native_module_that_does_not_load_is_a_failure(
    run: Command, tools: Path, project: Path, broken_package: Path
) -> None:
    variables = {"PYTHONPATH": str(broken_package), "CUECARD_BACKEND": "auto", "PATH": str(tools)}
    ran = run("doctor", "--json", cwd=project, **variables)
    found = findings(ran)["backend"]
    assert (ran.code, found["verdict"], found["facts"]) == (1, "fail", {"backend": "pure"})
    assert str(found["words"]).startswith("pure, because `_native.abi3.so` does not load: ")
    searched = run("search", "hook", "--strategy", "keyword", cwd=project, **variables)
    assert searched.stdout.count("\n") == 2
    assert searched.stderr.startswith("warning: the native backend does not load: ")
    assert searched.stderr.count("\n") == 2


def test_a_package_without_a_native_module_is_in_order(
    run: Command, tools: Path, project: Path, broken_package: Path
) -> None:
    (broken_package / "cuecard" / "_native.abi3.so").unlink()
    variables = {"PYTHONPATH": str(broken_package), "CUECARD_BACKEND": "auto", "PATH": str(tools)}
    found = findings(run("doctor", "--json", cwd=project, **variables))["backend"]
    assert (found["verdict"], found["words"]) == ("ok", "pure: this package has no native module")
    assert run("search", "hook", cwd=project, **variables).stderr == ""


def test_a_package_that_should_have_been_native_says_why_it_is_not(
    run: Command, tools: Path, project: Path, broken_package: Path
) -> None:
    (broken_package / "cuecard" / "_native.abi3.so").unlink()
    (broken_package / "cuecard" / "why_pure.txt").write_text("`rustc` cannot link a program\n")
    variables = {"PYTHONPATH": str(broken_package), "CUECARD_BACKEND": "auto", "PATH": str(tools)}
    found = findings(run("doctor", "--json", cwd=project, **variables))["backend"]
    words = "pure, because the native module could not be built: `rustc` cannot link a program"
    assert (found["verdict"], found["words"]) == ("warn", words)
    variables["CUECARD_BACKEND"] = "pure"
    assert findings(run("doctor", "--json", cwd=project, **variables))["backend"]["verdict"] == "ok"


def test_a_backend_that_does_not_load_leaves_the_doctor_standing(run: Command, tools: Path, project: Path) -> None:
    ran = run("doctor", "--json", cwd=project, PATH=str(tools), CUECARD_BACKEND="quantum")
    assert ran.code == 1
    assert findings(ran)["backend"]["words"] == "`CUECARD_BACKEND` is `quantum`"


def test_outside_a_project_the_doctor_warns_but_a_wrong_root_fails(run: Command, tools: Path) -> None:
    outside = run("doctor", "--json", PATH=str(tools))
    assert (outside.code, findings(outside)["store"]["verdict"]) == (0, "warn")
    wrong = run("doctor", "--json", "--root", "nowhere", PATH=str(tools))
    assert (wrong.code, findings(wrong)["store"]["verdict"]) == (1, "fail")
    named = run("doctor", "--json", PATH=str(tools), CUECARD_ROOT="nowhere")
    assert (named.code, findings(named)["store"]["verdict"]) == (1, "fail")


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ('{"retrieval": {\n  "max_inject": 3,\n}}', "fail", r"ignored: line \d, column \d+: "),
        ("[]", "fail", "ignored: it is not a JSON object"),
        ("[" * 500 + "]" * 500, "fail", "ignored: it "),
        ('{"a": ' * 200 + "1" + "}" * 200, "fail", "ignored: it nests too deep"),
        ('{"retrieval": {"max_inject": "lots"}}', "warn", "1 value of the settings cannot be used"),
        ('{"retrieval": {"enabled": false}}', "warn", "switched off by `retrieval.enabled`"),
        ('{"retrieval": {"max_inject": 0}}', "warn", "switched off by `retrieval.max_inject`"),
        ('{"retrieval": {"max_inject": 7}}', "ok", "at most 7 memories a prompt"),
    ],
)
def test_the_doctor_reads_the_settings(
    run: Command, tools: Path, project: Path, text: str, verdict: str, words: str
) -> None:
    (project / ".claude" / "memory" / "memory-config.json").write_text(text)
    ran = run("doctor", "--json", cwd=project, PATH=str(tools))
    settings = findings(ran)["settings"]
    assert settings["verdict"] == verdict
    assert re.search(words, str(settings["words"]))
    assert ran.code == (verdict == "fail")


def test_the_doctor_compares_index_and_memories(run: Command, tools: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path / "ill")
    store = project / ".claude" / "memory"
    add_to_index(
        project,
        "- [decision] In lower case -> x.json",
        "- [DECISION] Without a path",
        "- [DECISION] Gone -> .claude/memory/decisions/gone.json",
        "- [DECISION] Away -> ../secret.json",
    )
    (store / "decisions" / "new.json").write_text('{"title": "Not in the index"}')
    (store / "decisions" / "typo.json").write_text('{"title": "x", "record_status": "actve"}')
    (store / "decisions" / "torn.json").write_text('{"title": ')
    (store / "decisions" / "odd.json").write_text('{"title": "x", "category": "no-such"}')
    (store / "decisions" / "large.json").write_text(" " * 300_000)
    ran = run("doctor", "--json", cwd=project, PATH=str(tools))
    found = {name: finding["details"] for name, finding in findings(ran).items() if finding["details"]}
    folder = ".claude/memory/decisions"
    assert ran.code == 1
    assert found == {
        "index lines": ["line 9: no `[CATEGORY]` at the beginning", "line 10: no `title -> path`"],
        "unlisted": [f"{folder}/new.json"],
        "vanished": [f"line 11: {folder}/gone.json"],
        "inactive": ["line 8: .claude/memory/tech-debt/old-hook.json is retired"],
        "outside": ["line 12: ../secret.json"],
        "damaged": [
            f"{folder}/large.json: it is too large",
            f"{folder}/odd.json: a `category` or `tags` that an index line cannot contain",
            f"{folder}/torn.json: not JSON",
            f"{folder}/typo.json: a `record_status` that is not `active`, `retired` or `archived`",
        ],
    }


def test_the_doctor_recommends_the_native_backend_for_a_large_store(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sizes() -> list[str]:
        return [finding.words for finding in examine(project) if finding.name == "size"]

    monkeypatch.setattr("cuecard._backend.backend", "pure")
    assert sizes() == []
    monkeypatch.setattr("cuecard.observe.doctor.project.MOST_FOR_PURE", 2)
    assert sizes() == ["6 memories, and the pure backend looks at each of them for every prompt"]
    monkeypatch.setattr("cuecard._backend.backend", "native")
    assert sizes() == []


@pytest.mark.parametrize(
    ("state", "verdict", "words"),
    [
        ("missing", "warn", "index.md is missing; the next prompt makes it from 5 memories, 1 more retired"),
        ("folder", "fail", "index.md cannot be read: no prompt is answered"),
        ("empty", "warn", "index.md lists no memory"),
    ],
)
def test_the_doctor_tells_how_the_index_is(
    run: Command, tools: Path, project: Path, state: str, verdict: str, words: str
) -> None:
    index = project / ".claude" / "memory" / "index.md"
    index.unlink()
    if state == "folder":
        index.mkdir()
    elif state == "empty":
        index.touch()
    ran = run("doctor", "--json", cwd=project, PATH=str(tools))
    found = findings(ran)["index"]
    assert (found["verdict"], str(found["words"])[: len(words)]) == (verdict, words)
    assert ran.code == (verdict == "fail")
    if state == "missing":
        assert not index.exists()


def test_the_doctor_shows_the_last_line_of_a_log(run: Command, tools: Path, project: Path, hook_log: Path) -> None:
    log = findings(run("doctor", "--json", cwd=project, PATH=str(tools)))["log"]
    assert (log["verdict"], str(log["words"])[:9]) == ("warn", "1 line in")
    assert [detail.split("Z ")[1] for detail in log["details"]] == ["prompt: the payload is empty"]  # type: ignore[attr-defined]
    hook_log.write_text("2020-01-01T00:00:00Z prompt: long ago\n")
    assert findings(run("doctor", "--json", cwd=project, PATH=str(tools)))["log"]["verdict"] == "ok"
    off = findings(run("doctor", "--json", cwd=project, PATH=str(tools), CUECARD_LOG="off"))["log"]
    assert off["words"] == "switched off by `CUECARD_LOG`"


@pytest.fixture
def hook_log(project: Path, tmp_path: Path) -> Path:
    """The path of the log that a hook wrote when its stdin was empty."""
    subprocess.run(
        [sys.executable, "-m", "cuecard.hook", "prompt"],
        cwd=project,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return kept_of(project / ".claude" / "memory") / "log" / "hook.log"


def test_the_doctor_writes_nothing(run: Command, tools: Path, project: Path) -> None:
    before = sorted(project.rglob("*"))
    run("doctor", cwd=project, PATH=str(tools))
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize("columns", [60, 160])
def test_the_doctor_fits_a_terminal(project: Path, columns: int) -> None:
    (project / ".claude" / "memory" / "memory-config.json").write_text("{")
    shown = run_on_terminal(project, columns, "doctor")
    assert all(len(line) <= columns for line in shown.splitlines())
    assert re.search(r"^fail  settings +memory-config.json is ignored", shown, re.MULTILINE)
    assert re.search(r"^\d+ ok, (\d+ warn, )?[12] fail$", shown, re.MULTILINE)
