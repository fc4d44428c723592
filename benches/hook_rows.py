"""The commands whose times as whole processes are compared, and the targets for the ratios of these times."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cuecard
from hook_projects import Project, ScopedProject, TeamProject
from made_projects import HISTORY_PROMPTS, LONG_PROMPT, TYPOS_PROMPT

REPOSITORY = Path(__file__).resolve().parent.parent
BASE = "an empty python3 -I -S"
HOOK = "the executable"
BEFORE = "the executable before"
SCAN_SIZES = (600, 10_000)
# The sizes at which prompts of other kinds are measured.
PROMPT_SIZES = (600, 100_000)
# The hooks in Python are measured in the smallest projects.
PURE_PROJECTS = 2
# Half of the memories, with the one that answers the prompt.
HALF_OF_CATEGORIES = ("constraint", "preference", "runbook")
EVERYTHING = ", session, git, focus, log"
SCOPES = ", session, log, four scopes"
ALONE, PACKS = ", session, log, no pack", ", session, log, three packs"
STOP = "the executable at a stop"
TRANSCRIPTS = (1, 50)
# The arguments of the hook, and what an isolated Python executes to run it.
PROMPT = ("prompt", "--host", "claude-code")
START = f"import sys; sys.path.insert(0, {str(Path(cuecard.__file__).resolve().parent.parent)!r}); "
RUN = "from cuecard.hook import start; start()"
# `os` is not loaded, because the launcher of the hook does not load it either.
AS_PURE = "from posix import environ; environ[b'CUECARD_BACKEND'] = b'pure'; "


@dataclass(frozen=True)
class Row:
    """A command that is timed. All rows with the same project in `answers` must print the same answer.

    `prepare` is called before each run with the row's last answer. `variables` are environment variables for this row.
    """

    command: list[str]
    payload: Path = Path(os.devnull)
    answers: "Project | None" = None
    prepare: "Callable[[bytes], None] | None" = None
    variables: "tuple[tuple[str, str], ...]" = ()
    # Whether the row has to show a memory, whatever other rows show.
    is_answered: bool = False


@dataclass(frozen=True)
class Target:
    """A target of the performance reference, section D: the time of row `over` divided by that of row `under`.

    The ratio must be at most `limit`, or with `at_least` not less than `limit`.
    """

    number: str
    over: str
    under: str
    limit: float
    at_least: bool = False
    # Whether the limit is for the ratio of both rows' 95th percentiles, and not for the median of the rounds' ratios.
    is_tail: bool = False


def sized(name: str, size: int, what: str = "") -> str:
    """The name of a row for a project size."""
    return f"{name}, {size:,}{what}"


def find_executable() -> "str | None":
    """The native hook beside this Python or on PATH; None if there is only the console script of the pure package."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    executable = shutil.which("cuecard-hook", path=path)
    if executable is None:
        return None
    version = subprocess.run([executable, "--version"], capture_output=True, check=True).stdout
    return executable if b"native" in version else None


def make_rows(
    python: str, projects: list[Project], bare: list[Project], full: Project, tool: Path, incumbent: str
) -> dict[str, Row]:
    """The commands by name; a row is left out if this installation does not have its program.

    `projects` have snapshots, `bare` projects lose their snapshot before each run, `full` has all features switched on,
    `tool` is the payload of a tool call.
    """
    isolated = [python, "-I", "-S", "-c"]
    small = projects[0]
    rows = {
        BASE: Row([*isolated, "pass"]),
        "an empty native process": Row(["/bin/true"]),
        "import cuecard, native": Row([*isolated, f"{START}import cuecard; assert cuecard.backend == 'native'"]),
        "the pure guard": Row([*isolated, AS_PURE + START + RUN, "guard"], tool),
        "the console script, pure": Row(
            [sys.executable, "-c", f"import os, re, sys; os.environ['CUECARD_BACKEND'] = 'pure'; {RUN}", *PROMPT],
            small.payload,
            small,
        ),
    }
    if incumbent:
        rows["the incumbent"] = Row([python, incumbent], small.payload)
    for project in projects[:PURE_PROJECTS]:
        rows[sized("the pure hook", project.size)] = Row(
            [*isolated, AS_PURE + START + RUN, *PROMPT], project.payload, project
        )
        rows[sized("the Python hook, native", project.size)] = Row(
            [*isolated, START + RUN, *PROMPT], project.payload, project
        )
    executable = find_executable()
    if executable is None:
        return rows
    launcher = ["/bin/sh", str(REPOSITORY / "hooks" / "cuecard-hook.sh"), *PROMPT]
    rows["the executable, doing nothing"] = Row([executable, "--version"])
    rows["the executable as guard"] = Row([executable, "guard"], tool)
    prompt = json.loads(small.payload.read_text("utf-8"))["prompt"]
    for name, used in (
        ("at a tool", json.loads(tool.read_text("utf-8"))),
        (
            "at the start of a subagent",
            {"tool_name": "Agent", "tool_input": {"prompt": prompt}, "cwd": str(small.root)},
        ),
    ):
        event = tool.with_name(f"{name}.json")
        event.write_text(json.dumps({**used, "hook_event_name": "PreToolUse", "session_id": "bench"}), "utf-8")
        rows[f"the executable {name}"] = Row([executable, "need"], event)
    rows["the plugin's launcher, executable on PATH"] = Row(launcher, small.payload, small)
    for project in projects:
        rows[sized(HOOK, project.size)] = Row([executable, *PROMPT], project.payload, project)
    rows[sized(HOOK, small.size, ", a session")] = Row(
        [executable, *PROMPT], small.session_payload, small, small.forget_session
    )
    rows[sized(HOOK, full.size, EVERYTHING)] = Row(
        [executable, *PROMPT], full.session_payload, full, full.forget_session
    )
    for mebibytes in TRANSCRIPTS:
        payload, put_back = small.prepare_stop(mebibytes, [executable, *PROMPT])
        rows[f"{STOP}, {mebibytes} MiB"] = Row([executable, "stop"], payload, prepare=put_back)
    for project in bare:
        rows[sized(HOOK, project.size, ", no snapshot")] = Row(
            [executable, *PROMPT], project.payload, project, project.forget_snapshot
        )
    return rows


def make_scope_rows(project: ScopedProject) -> dict[str, Row]:
    """The row of a prompt that is answered from four stores of the same size."""
    executable = find_executable()
    if executable is None:
        return {}
    variables = (("CUECARD_HOME", str(project.data)),)
    row = Row([executable, *PROMPT], project.payload, None, project.forget_session, variables, is_answered=True)
    return {sized(HOOK, project.size, SCOPES): row}


def make_pack_rows(project: TeamProject) -> dict[str, Row]:
    """The rows of a prompt in a project with and without the packs of three teams."""
    executable = find_executable()
    if executable is None:
        return {}
    return {
        sized(HOOK, project.size, what): Row(
            [executable, *PROMPT],
            project.payload,
            None,
            project.forget_session,
            (("CUECARD_HOME", str(data)),),
            is_answered=True,
        )
        for what, data in ((ALONE, project.alone), (PACKS, project.data))
    }


def make_prompt_rows(python: str, project: Project, asked: Project) -> dict[str, Row]:
    """Rows for prompts that cost more than an ordinary one; the memories of `asked` have questions."""
    pure = [python, "-I", "-S", "-c", AS_PURE + START + RUN, *PROMPT]
    rows = {}
    if project.size == PROMPT_SIZES[0]:
        rows[sized("the pure hook", project.size, ", questions")] = Row(pure, asked.payload, is_answered=True)
    executable = find_executable()
    if executable is None:
        return rows
    command = [executable, *PROMPT]
    earlier, later = [
        project.write_payload(f"history-{number}", prompt, session_id="bench")
        for number, prompt in enumerate(HISTORY_PROMPTS)
    ]
    made = {
        "questions": Row(command, asked.payload),
        "200 words": Row(command, project.write_payload("long", LONG_PROMPT)),
        "typos": Row(command, project.write_payload("typos", TYPOS_PROMPT)),
        "a history": Row(command, later, prepare=project.begin_session(command, earlier)),
    }
    answered = {name: replace(row, is_answered=name != "200 words") for name, row in made.items()}
    return rows | {sized(HOOK, project.size, f", {name}"): row for name, row in answered.items()}


def make_before_rows(before: str, project: Project) -> dict[str, Row]:
    """The prompt rows with another version's executable, in a project that no other command uses."""
    command = [before, *PROMPT]
    return {
        sized(BEFORE, project.size): Row(command, project.payload),
        sized(BEFORE, project.size, ", a session"): Row(
            command, project.session_payload, prepare=project.forget_earlier_session
        ),
    }


def make_trust_rows(python: str, by_trust: dict[str, Project]) -> dict[str, Row]:
    """Rows for a user whose settings review memories; in all other rows the review is switched off."""
    by_trust["each accepted"].accept("--all")
    by_trust["half of them accepted"].accept(*[f"--category={category}" for category in HALF_OF_CATEGORIES])
    commands = {"the pure hook": [python, "-I", "-S", "-c", AS_PURE + START + RUN, *PROMPT]}
    executable = find_executable()
    if executable is not None:
        commands[HOOK] = [executable, *PROMPT]
    return {
        sized(name, project.size, f", {level}"): Row(
            command, project.payload, project, variables=project.reviewing(), is_answered=True
        )
        for name, command in commands.items()
        for level, project in by_trust.items()
    }


def make_evicted_rows(projects: list[Project]) -> dict[str, Row]:
    """Rows with the executable, in projects whose files are not in the page cache.

    They are timed separately, because evicting files also slows down the other rows.
    """
    executable = find_executable()
    if executable is None:
        return {}
    return {
        sized(HOOK, project.size, ", evicted"): Row([executable, *PROMPT], project.payload, project, project.evict)
        for project in projects
    }


def make_targets(sizes: list[int]) -> list[Target]:
    """The targets of rows 1 to 8 for the given sizes."""
    small = sizes[0]
    hook, pure = sized(HOOK, small), sized("the pure hook", small)
    entry, nothing, incumbent = (
        sized("the Python hook, native", small),
        "the executable, doing nothing",
        "the incumbent",
    )
    grown = [Target("6", sized(HOOK, size), hook, 2.0 if size > 100_000 else 1.4) for size in sizes[1:]]
    stale = [
        Target("7", sized(HOOK, size, ", no snapshot"), sized(HOOK, size), limit)
        for size, limit in zip(SCAN_SIZES, (1.5, 4.5), strict=True)
    ]
    return [
        Target("1", hook, BASE, 0.30),
        Target("1 p95", sized(HOOK, small, EVERYTHING), BASE, 0.30, is_tail=True),
        Target("scopes", sized(HOOK, small, SCOPES), BASE, 0.30),
        Target("packs", sized(HOOK, small, PACKS), sized(HOOK, small, ALONE), 1.4),
        Target("2", hook, nothing, 1.6),
        Target("3", incumbent, hook, 25, at_least=True),
        Target("4", entry, BASE, 1.20),
        Target("5", incumbent, entry, 4.5, at_least=True),
        *grown,
        *stale,
        *[Target("stop", f"{STOP}, {mebibytes} MiB", hook, 2.0) for mebibytes in TRANSCRIPTS],
        *[
            Target("prompt", sized(HOOK, size, f", {name}"), sized(HOOK, size, of), 1.3)
            for size in sizes
            if size in PROMPT_SIZES
            for name, of in (("questions", ""), ("200 words", ""), ("typos", ""), ("a history", ", a session"))
            if not of or size == small
        ],
        Target("pure", sized("the pure hook", small, ", questions"), BASE, 10),
        Target("8", "import cuecard, native", BASE, 1.15),
        Target("pure", pure, BASE, 8),
    ]
