"""Variables of the environment can come from a repository: what counts of them, in both backends."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cuecard.basics import surroundings
from cuecard.files.environment import Environment, take_options
from cuecard.files.root import find_project
from cuecard.files.user_folder import config_path, data_path, home_path, state_home_path
from cuecard.models.endpoints.allowed_hosts import is_allowed
from cuecard.observe.doctor.environment import examine_environment
from cuecard.observe.doctor.finding import Finding
from hook_process import Hook, Outcome
from scratch_home import write_user_settings
from trust_cases import CERTIFICATE, MEMORY, POISON, PROMPT, User, write

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = str(MEMORY["title"])
on_posix = pytest.mark.skipif(os.name != "posix", reason="files have no owner, and links need a privilege")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A clone of a stranger with one memory that nobody has reviewed."""
    root = tmp_path / "home/src/project"
    write(root, CERTIFICATE, MEMORY)
    (root / ".git").mkdir()
    return root


@pytest.fixture
def user(project: Path) -> User:
    return User(project.parent.parent)


def prompt(hook: Hook, project: Path, *options: str, cwd: Path | str | None = None, **environment: str) -> Outcome:
    """The answer to a prompt; `cwd` is the working directory of the process, if it is not the project."""
    sent = json.dumps({"prompt": PROMPT, "cwd": str(project), "session_id": "s-1"}).encode()
    ran = hook.run("prompt", "--host", "plain", *options, stdin=sent, cwd=Path(cwd or project), **environment)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


def vouching_folders(project: Path) -> Path:
    """Folders of the clone that would make its memory a reviewed one, under the names that variables give them."""
    folder = project / "data"
    for below in (".", "cuecard", ".local/share/cuecard"):
        vouching = User(folder / below / "x")
        vouching.vouch(project / CERTIFICATE)
        (folder / below / "trust").parent.mkdir(parents=True, exist_ok=True)
        (folder / below / "x/data/trust").rename(folder / below / "trust")
    for below in ("cuecard", ".config/cuecard"):
        (folder / below).mkdir(parents=True, exist_ok=True)
        (folder / below / "config.json").write_text(json.dumps({"trust": {"review": "off"}, "variables": True}))
    return folder


# Folders


@on_posix
@pytest.mark.parametrize(
    "where", ["in the project", "through a link", "through a link in the project", "not there yet"]
)
@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["in the project", "elsewhere"])
@pytest.mark.parametrize("variable", ["CUECARD_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"])
def test_no_folder_of_the_project_vouches_for_its_memories(
    hook: Hook, project: Path, user: User, tmp_path: Path, variable: str, where: str, *, is_elsewhere: bool
) -> None:
    folder = vouching_folders(project)
    if where == "through a link":
        (tmp_path / "link").symlink_to(folder)
        folder = tmp_path / "link"
    elif where == "through a link in the project":
        (project / "link").symlink_to("data")
        folder = project / "link"
    elif where == "not there yet":
        folder = project / "data/new/below"
    own = {
        "HOME": str(user.home),
        "XDG_DATA_HOME": str(tmp_path / "share"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "CUECARD_HOME": "",
    }
    if variable in ("CUECARD_HOME", "HOME"):
        # The folders that count instead lie in the test's own folder.
        own["CUECARD_HOME"] = str(tmp_path / "share/cuecard") if variable == "HOME" else ""
    environment = own | {variable: str(folder)}
    block = prompt(hook, project, cwd=tmp_path if is_elsewhere else None, CUECARD_LOG="off", **environment)
    assert f"{TITLE} (2026-01-01, unreviewed)" in block.stdout.decode()
    assert not (project / "data/stores").exists()
    assert not (project / "data/new").exists()


@on_posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("variable", ["CUECARD_HOME", "XDG_DATA_HOME"])
def test_a_folder_of_somebody_else_does_not_count(
    hook: Hook, project: Path, user: User, tmp_path: Path, variable: str
) -> None:
    folder = tmp_path / "foreign"
    vouching_folders(project).rename(folder)
    os.chown(folder, 12345, 12345)
    own = {
        "HOME": str(user.home),
        "CUECARD_HOME": "",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        variable: str(folder),
    }
    assert "unreviewed)" in prompt(hook, project, CUECARD_LOG="off", **own).stdout.decode()
    assert (user.home / ".local/share/cuecard/stores").is_dir()


def test_a_folder_of_the_user_outside_of_the_project_counts(
    hook: Hook, project: Path, user: User, tmp_path: Path
) -> None:
    other = User(tmp_path / "other")
    other.vouch(project / CERTIFICATE)
    block = prompt(hook, project, CUECARD_HOME=str(other.home / "data"), XDG_CONFIG_HOME=str(tmp_path / "none"))
    assert "unreviewed" not in block.stdout.decode()
    assert TITLE in block.stdout.decode()


@on_posix
def test_python_finds_the_same_folders(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.parent.parent
    monkeypatch.setattr(surroundings, "_noted", {})
    monkeypatch.chdir(project)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CUECARD_HOME", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    defaults = (str(home), f"{home}/.local/share/cuecard", f"{home}/.config/cuecard", f"{home}/.local/state")
    assert (home_path(), data_path(), config_path(), state_home_path()) == defaults
    (home / "cuecard").symlink_to(project)
    for name, refused in {
        "CUECARD_HOME": (
            str(project),
            f"{project}/x/y",
            "relative",
            f"{project}/../project",
            f"{home}/no/../src/project",
        ),
        # The folder of cuecard in it would be the project.
        "XDG_DATA_HOME": (str(project), str(home)),
        "XDG_CONFIG_HOME": (str(project), str(home)),
        "XDG_STATE_HOME": (str(project), str(home), "state"),
    }.items():
        for value in refused:
            monkeypatch.setenv(name, value)
            assert (home_path(), data_path(), config_path(), state_home_path()) == defaults, (name, value)
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", f"{project}/home")
    assert home_path() == surroundings.account_home()
    monkeypatch.setenv("HOME", str(tmp_path / "new/home"))
    assert home_path() == str(tmp_path / "new/home")


@on_posix
def test_a_home_that_is_itself_a_project_is_the_users(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = project.parent.parent
    (home / ".git").mkdir()
    monkeypatch.setattr(surroundings, "_noted", {})
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    assert not surroundings.admits(str(home))
    monkeypatch.setattr(surroundings, "account_home", lambda: str(home))
    assert surroundings.admits(str(home))
    assert surroundings.offers_programs(str(home))
    assert not surroundings.admits(str(project)) or surroundings.places() == [str(home)]
    # The clone below it is a project like any other.
    monkeypatch.chdir(project)
    assert surroundings.admits(str(home))
    assert not surroundings.admits(str(project))


@on_posix
def test_the_places_of_other_projects_are_looked_up_and_not_searched(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unsearched(dict[str, bool]):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError("a server that knows many projects would take long")

    monkeypatch.setattr(surroundings, "_noted", Unsearched())
    monkeypatch.chdir("/")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (project / "src").mkdir()
    assert surroundings.admits(str(project / "src"))
    surroundings.note_place(str(project))
    assert not surroundings.admits(str(project / "src"))
    assert surroundings.admits(str(project.parent))


@on_posix
def test_memories_above_the_home_of_the_account_are_not_looked_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = project / "home/me"
    (home / "src").mkdir(parents=True)
    monkeypatch.setattr(surroundings, "account_home", lambda: str(home))
    assert find_project(str(home / "src"), "", str(home)) is None
    monkeypatch.setattr(surroundings, "account_home", lambda: str(project.parent))
    assert find_project(str(home / "src"), "", str(home)) is not None


# Form, ranking, log, consent and root


@pytest.mark.parametrize(
    "environment",
    [{"CUECARD_OUTPUT": "classic"}, {"CUECARD_STRATEGY": "keyword_classic"}, {"CUECARD_STRATEGY": "keyword"}],
    ids=str,
)
@pytest.mark.parametrize("settings", [{}, {"variables": True}], ids=str)
def test_what_is_unreviewed_stays_marked_or_withheld_whatever_the_environment_chooses(
    hook: Hook, project: Path, user: User, environment: dict[str, str], settings: dict[str, object]
) -> None:
    (project / ".claude/memory/memory-config.json").write_text(
        json.dumps(
            {"category_descriptions": {"runbook": "CANARY"}, "categories": {"runbook": {"description": "CANARY"}}}
        )
    )
    user.settle(**settings)
    marked = prompt(hook, project, **user.environment, **environment).stdout.decode()
    assert f"- [RUNBOOK] {TITLE} (unreviewed) -> " in marked
    assert "CANARY" not in marked
    write(project, CERTIFICATE, {**MEMORY, "cuecard": {"gist": POISON}})
    assert prompt(hook, project, **user.environment, **environment).stdout == b""


def test_the_environment_chooses_the_form_of_what_the_user_vouches_for(hook: Hook, project: Path, user: User) -> None:
    user.vouch(project / CERTIFICATE)
    of_variable = prompt(hook, project, **user.environment, CUECARD_OUTPUT="classic").stdout.decode()
    assert of_variable == prompt(hook, project, "--output", "classic", **user.environment).stdout.decode()
    assert of_variable.startswith('<memory-context source=".claude/memory/">\n- [RUNBOOK] Renew')


@pytest.mark.parametrize("options", [("--output", "classic"), ("--output=classic",)], ids=str)
def test_the_command_line_chooses_the_exact_block(
    hook: Hook, project: Path, user: User, options: tuple[str, ...]
) -> None:
    block = prompt(hook, project, *options, **user.environment).stdout.decode()
    assert f"- [RUNBOOK] {TITLE} -> " in block
    assert "unreviewed" not in block


def test_the_command_line_goes_before_the_environment(hook: Hook, project: Path, user: User) -> None:
    environment = {**user.environment, "CUECARD_STRATEGY": "magic"}
    ran = prompt(hook, project, "--strategy=bm25", **environment)
    assert (f"- [RUNBOOK] {TITLE} (unreviewed) -> " in ran.stdout.decode(), ran.log) == (True, [])
    unknown = prompt(hook, project, "--strategy", "magic", "--output", "Classic", **user.environment)
    assert unknown.log == [
        "`--strategy` is not a known strategy; using `hybrid`",
        "`--output` is not `classic`; ignoring it",
    ]


@pytest.mark.parametrize(
    "wrong", [("--strategy",), ("--root=",), ("--output", "classic", "--output", "classic")], ids=str
)
def test_an_option_without_a_value_or_a_repeated_one_is_logged(
    hook: Hook, project: Path, user: User, wrong: tuple[str, ...]
) -> None:
    ran = prompt(hook, project, *wrong, **user.environment)
    assert ran.stdout == b""
    assert ran.log[0].startswith("unknown arguments `prompt --host plain --")


def test_every_event_takes_the_root_of_the_command_line(hook: Hook, project: Path, tmp_path: Path, user: User) -> None:
    sent = json.dumps({"prompt": PROMPT, "cwd": str(tmp_path)}).encode()
    for arguments in (("prompt", "--root", str(project), "--host", "plain"), (f"--root={project}", "prompt")):
        ran = hook.run(*arguments, stdin=sent, cwd=tmp_path, **user.environment)
        assert (TITLE in ran.stdout.decode(), ran.log) == (True, [])
    for event in ("guard", "validate", "session", "need", "stop"):
        ran = hook.run(event, "--root", str(project), stdin=b"", cwd=tmp_path, **user.environment)
        assert (ran.stdout, ran.log) == (b"", ["the payload is empty"])


@on_posix
@pytest.mark.parametrize(
    "where", ["a file of the user", "the project", "through a link", "no log", "beside", "relative"]
)
def test_the_log_of_the_environment_lies_in_the_data_folder(hook: Hook, project: Path, user: User, where: str) -> None:
    data = user.home / "data"
    (data / "trust").mkdir(parents=True)
    victim = user.home / "profile.log"
    victim.write_text("mine\n")
    (data / "link.log").symlink_to(victim)
    (data / "trust/ab").write_text("mine\n")
    named = {
        "a file of the user": str(victim),
        "the project": str(project / "x.log"),
        "through a link": str(data / "link.log"),
        "no log": str(data / "trust/ab"),
        "beside": str(data / "../profile.log"),
        "relative": "x.log",
    }[where]
    hook.run("prompt", stdin=b"", cwd=project, **user.environment, CUECARD_LOG=named)
    assert (victim.read_text(), (data / "trust/ab").read_text()) == ("mine\n", "mine\n")
    assert not (project / "x.log").exists()
    own = data / "own/my.log"
    hook.run("prompt", stdin=b"", cwd=project, **user.environment, CUECARD_LOG=str(own))
    assert own.read_text().endswith("the payload is empty\n")


def test_the_root_of_the_environment_counts_if_the_user_says_so(
    hook: Hook, project: Path, tmp_path: Path, user: User
) -> None:
    environment = {**user.environment, "CUECARD_ROOT": str(project)}
    away = tmp_path / "away"
    away.mkdir()
    sent = json.dumps({"prompt": PROMPT, "cwd": str(away)}).encode()
    for settings, is_answered in (
        ({}, False),
        ({"variables": False}, False),
        ({"variables": 1}, False),
        ({"variables": True}, True),
    ):
        user.settle(**settings)
        ran = hook.run("prompt", "--host", "plain", stdin=sent, cwd=away, **environment)
        assert (TITLE in ran.stdout.decode()) == is_answered


def test_a_repository_cannot_let_variables_count(hook: Hook, project: Path, tmp_path: Path, user: User) -> None:
    (project / ".claude/memory/memory-config.json").write_text('{"variables": true}')
    other = tmp_path / "other"
    write(other, CERTIFICATE, {**MEMORY, "title": "Another TLS certificate"})
    block = prompt(hook, project, **user.environment, CUECARD_ROOT=str(other)).stdout.decode()
    assert (TITLE in block, "Another" in block) == (True, False)


def test_hosts_of_the_environment_count_if_the_user_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", "models.example")
    for settings, is_heeded in (({"variables": False}, False), ({"variables": True}, True)):
        write_user_settings(settings)
        assert is_allowed("https://models.example/v1", "judge") == is_heeded


def test_the_environment_does_not_switch_the_guard_off(hook: Hook, project: Path, user: User) -> None:
    written = {"tool_name": "Write", "tool_input": {"file_path": str(project / CERTIFICATE), "content": "{}"}}
    sent = json.dumps({"cwd": str(project), "hook_event_name": "PreToolUse", **written}).encode()
    for settings, is_denied in (({}, True), ({"variables": True}, False)):
        user.settle(**settings)
        ran = hook.run("guard", stdin=sent, cwd=project, **user.environment, CUECARD_DISABLE="1")
        assert (b'"deny"' in ran.stdout) == is_denied
        assert prompt(hook, project, **user.environment, CUECARD_DISABLE="1").stdout == b""


def test_the_home_of_the_shell_is_what_a_command_means_by_a_tilde(hook: Hook, project: Path, user: User) -> None:
    """The agent's shell has the `HOME` that the project sets, so the guard looks there."""
    command = {"tool_name": "Bash", "tool_input": {"command": "echo x > ~/memory/decisions/x.json"}}
    sent = json.dumps({"cwd": str(project), "hook_event_name": "PreToolUse", **command}).encode()
    ran = hook.run("guard", stdin=sent, cwd=project, **user.environment, HOME=str(project / ".claude"))
    assert b'"deny"' in ran.stdout


def test_options_are_taken_out_of_the_arguments() -> None:
    found = take_options(["prompt", "--root=a=b", "--strategy", "bm25", "--host", "plain"])
    assert found == ({"--root": "a=b", "--strategy": "bm25"}, ["prompt", "--host", "plain"])
    assert Environment(found[0]).root == "a=b"


# The doctor


def finding(project: Path, name: str) -> Finding | None:
    return next((found for found in examine_environment(str(project)) if found.name == name), None)


@pytest.mark.parametrize(
    ("file", "text", "names"),
    [
        (
            ".claude/settings.json",
            '{"env": {"PATH": "bin", "CUECARD_HOME": "x", "OTHER": "y"}}',
            "`CUECARD_HOME`, `PATH`",
        ),
        (".claude/settings.local.json", '{"env": {"HOME": "x"}}', "`HOME`"),
        (".claude/settings.json", '{"env": {"XDG_DATA_HOME": "x"}, // a comment\n}', "`XDG_DATA_HOME`"),
        (".gemini/settings.json", '{"env": {"CUECARD_LOG": "x"}}', "`CUECARD_LOG`"),
        (".gemini/.env", "# PATH=no\nexport PATH=bin:$PATH\nMY_PATH=x\n", "`PATH`"),
        (".env", "CUECARD_OUTPUT=classic\n", "`CUECARD_OUTPUT`"),
        (".qwen/settings.json", '{"env": {"PATH": "x"}}', "`PATH`"),
        (".codex/config.toml", '[shell_environment_policy]\nset = { PATH = "bin", FOO = "x" }\n', "`PATH`"),
        (".codex/config.toml", '[shell_environment_policy.set]\n"HOME" = "x"\n[other]\nPATH = "y"\n', "`HOME`"),
        (".codex/config.toml", 'shell_environment_policy.set.XDG_CONFIG_HOME = "x"\n', "`XDG_CONFIG_HOME`"),
    ],
)
def test_the_doctor_reports_a_project_whose_host_settings_set_such_variables(
    project: Path, file: str, text: str, names: str
) -> None:
    assert finding(project, "host settings") is None
    (project / file).parent.mkdir(exist_ok=True)
    (project / file).write_text(text)
    found = finding(project, "host settings")
    assert found is not None
    assert (found.verdict, found.details) == ("warn", [f"{file}: {names}"])


@on_posix
def test_the_doctor_says_what_replaces_a_variable_that_does_not_count(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "_noted", {})
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(project.parent.parent))
    assert finding(project, "variables") is None
    write_user_settings({"variables": False})
    for name, value, words in (
        ("CUECARD_HOME", f"{project}/x", f"`{project}/x` is in the project, or not yours"),
        ("CUECARD_LOG", "/tmp/x.log", "the store's own log counts"),
        ("CUECARD_ROOT", "x", "`--root DIR` does"),
        ("CUECARD_ALLOW_HOSTS", "x", "`cuecard allow HOST` does"),
        ("CUECARD_DISABLE", "1", "does not switch the guard off"),
        ("CUECARD_OUTPUT", "classic", "`--output classic` is the exact block"),
        ("CUECARD_STRATEGY", "keyword_classic", "`--strategy keyword_classic` is the exact strategy"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            found = finding(project, "variables")
        assert found is not None
        assert found.words == "1 variable of the environment does not count as set"
        assert f"`{name}`" in found.details[0]
        assert words in found.details[0]


def test_the_doctor_shows_what_the_launchers_start(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, program = tmp_path / "data", tmp_path / "cuecard-hook"
    monkeypatch.setenv("CUECARD_HOME", str(data))
    data.mkdir()
    (data / "programs").write_text(f"cuecard-hook={program}\n")
    found = finding(project, "launchers")
    assert found is not None
    assert (found.verdict, found.details) == ("warn", [f"cuecard-hook: {program}"])
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    found = finding(project, "launchers")
    assert found is not None
    assert found.verdict == "ok"
