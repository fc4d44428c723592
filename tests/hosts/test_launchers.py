"""The plugin's launchers start no program of the project, whatever PATH and other variables say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cuecard.basics import surroundings
from cuecard.files.program_record import record_programs, recorded_programs
from plugin_clone import REPOSITORY

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name == "nt", reason="the launchers are POSIX shell scripts")]
LAUNCHERS = ("hooks/cuecard-hook.sh", "hooks/cuecard-mcp.sh", "bin/cuecard")
NAMES = ("cuecard", "cuecard-hook", "python3", "python", "readlink", "dirname", "id", "sh")
SYSTEM = "/usr/bin:/bin"
SHELLS = [shell for shell in ("/bin/sh", "/bin/dash", "/bin/bash", "/bin/busybox") if Path(shell).exists()]


class Machine:
    """A home, a project with programs of its own, and a folder outside of it with installed programs."""

    def __init__(self, folder: Path) -> None:
        """Make everything in an empty folder."""
        self.folder = folder
        self.started = folder / "started"
        self.home, self.project, self.tools = folder / "home", folder / "home/src/project", folder / "tools"
        for made in (self.project / ".git", self.project / "src", self.home / ".local/share/cuecard", self.tools):
            made.mkdir(parents=True)
        for below in ("bin", ".venv/bin", "node_modules/.bin", ".", "src"):
            self.write(self.project / below, "evil")

    def write(self, folder: Path, said: str, names: tuple[str, ...] = NAMES) -> None:
        """Write programs that note that they were started; those of the tools end well."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            line = (
                f'echo {said} {name} "PATH=$PATH" "SHELL=$CUECARD_SHELL_PATH" "PYTHON=$PYTHONPATH" >>\'{self.started}\''
            )
            (folder / name).write_text(f"#!/bin/sh\n{line}\n")
            (folder / name).chmod(0o755)

    def record(self, **programs: Path | str) -> Path:
        """Write the record of programs into the data folder."""
        file = self.home / ".local/share/cuecard/programs"
        names = {name.replace("_", "-"): path for name, path in programs.items()}
        file.write_text("".join([f"{name}={path}\n" for name, path in names.items()]))
        return file

    def run(
        self, launcher: str, *, shell: str = "/bin/sh", cwd: Path | str | None = None, **variables: str
    ) -> list[str]:
        """Run a launcher; returns a line for each of the test's programs that was started."""
        self.started.write_text("")
        script = [shell, *(["sh"] if shell.endswith("busybox") else []), str(REPOSITORY / launcher)]
        subprocess.run(
            [*script, *(["prompt"] if "hook" in launcher else [])],
            env={"HOME": str(self.home), "PATH": SYSTEM, **variables},
            input=b"{}",
            cwd=cwd or self.project,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return self.started.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("shell", SHELLS)
def test_no_form_of_path_starts_a_program_of_the_project(machine: Machine, launcher: str, shell: str) -> None:
    project = machine.project
    (machine.folder / "link").symlink_to(project / "bin")
    (machine.folder / "a:b").mkdir()
    (machine.folder / "colon").symlink_to(machine.folder / "a:b")
    for path in (
        "",
        ":",
        f":{SYSTEM}",
        f"{SYSTEM}:",
        f"/usr/bin::{SYSTEM}",
        f".:{SYSTEM}",
        f"bin:{SYSTEM}",
        f"node_modules/.bin:{SYSTEM}",
        f"./bin:{SYSTEM}",
        f"../project/bin:{SYSTEM}",
        f"{project}:{SYSTEM}",
        f"{project}/bin:{SYSTEM}",
        f"{project}/.venv/bin:{SYSTEM}",
        f"{project}/bin",
        f"{machine.folder}/link:{SYSTEM}",
        f"{machine.home}/../home/src/project/bin:{SYSTEM}",
        f"{machine.folder}/colon:{SYSTEM}",
    ):
        # The working directory counts only where a part of the path is relative.
        is_relative = not all(part.startswith("/") for part in path.split(":"))
        for cwd in (project, project / "src") if is_relative else (project,):
            assert machine.run(launcher, shell=shell, cwd=cwd, PATH=path) == [], path


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_project_that_the_host_names_is_a_project_too(machine: Machine, launcher: str) -> None:
    path = f"{machine.project}/bin:{SYSTEM}"
    named = {"PATH": path, "CLAUDE_PROJECT_DIR": str(machine.project / "src")}
    assert machine.run(launcher, cwd=machine.tools, **named) == []
    # Without a project there, the folder is as good as any other.
    assert machine.run(launcher, cwd=machine.tools, PATH=path) != []


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_started_program_gets_a_path_without_the_project(machine: Machine, launcher: str) -> None:
    machine.write(machine.tools, "good")
    path = f"{machine.project}/bin:bin::{machine.tools}:{SYSTEM}"
    first = machine.run(launcher, PATH=path, PYTHONPATH=str(machine.project))[0]
    assert first.startswith("good cuecard")
    found = first.partition(" PATH=")[2].partition(" SHELL=")
    assert found[0] == f"{machine.tools}:{SYSTEM}"
    assert found[2] == f"{path} PYTHON="


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_recorded_program_goes_before_path(machine: Machine, launcher: str) -> None:
    machine.write(machine.tools, "good")
    machine.write(machine.folder / "recorded", "recorded")
    recorded = machine.folder / "recorded"
    machine.record(cuecard_hook=recorded / "cuecard-hook", cuecard=recorded / "cuecard")
    assert machine.run(launcher, PATH=f"{machine.tools}:{SYSTEM}")[0].startswith("recorded cuecard")


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("why", ["gone", "not executable", "relative", "a link", "another's"])
def test_a_record_that_cannot_be_used_counts_as_none(machine: Machine, launcher: str, why: str) -> None:
    machine.write(machine.tools, "good")
    recorded = machine.folder / "recorded"
    machine.write(recorded, "recorded")
    file = machine.record(cuecard_hook=recorded / "cuecard-hook", cuecard=recorded / "cuecard")
    if why == "gone":
        shutil.rmtree(recorded)
    elif why == "not executable":
        for name in NAMES:
            (recorded / name).chmod(0o644)
    elif why == "relative":
        machine.record(cuecard_hook="bin/cuecard-hook", cuecard="bin/cuecard")
    elif why == "a link":
        (machine.project / "programs").write_text(file.read_text())
        file.unlink()
        file.symlink_to(machine.project / "programs")
    else:
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(file, 12345, 12345)
    assert machine.run(launcher, PATH=f"{machine.tools}:{SYSTEM}")[0].startswith("good cuecard")


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("variable", ["HOME", "XDG_DATA_HOME", "CUECARD_HOME"])
def test_a_record_of_the_project_is_not_read(machine: Machine, launcher: str, variable: str) -> None:
    evil = machine.project / "bin"
    for below in ("data", "data/cuecard", "data/.local/share/cuecard"):
        (machine.project / below).mkdir(parents=True, exist_ok=True)
        (machine.project / below / "programs").write_text(f"cuecard-hook={evil}/cuecard-hook\ncuecard={evil}/cuecard\n")
    (machine.folder / "link").symlink_to(machine.project / "data")
    for folder in (machine.project / "data", machine.folder / "link"):
        assert machine.run(launcher, **{variable: str(folder)}) == []


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_project_that_is_the_users_home_keeps_the_users_own_programs(machine: Machine, launcher: str) -> None:
    """The home of the account tells, and not `HOME`, which the project may have set."""
    machine.write(machine.home / ".local/bin", "good")
    (machine.home / ".git").mkdir()
    path = f"{machine.home}/.local/bin:{SYSTEM}"
    # In the user's own home, that is a project; here `HOME` is not the home of the account.
    assert machine.run(launcher, cwd=machine.home, PATH=path) == []
    shutil.rmtree(machine.home / ".git")
    assert machine.run(launcher, PATH=path)[0].startswith("good cuecard")


def test_at_the_root_of_the_file_system_absolute_folders_count(machine: Machine) -> None:
    machine.write(machine.tools, "good")
    path = f".:{machine.tools}:{SYSTEM}"
    assert machine.run(LAUNCHERS[0], cwd=Path("/"), PATH=path)[0].startswith("good cuecard-hook")


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="only bash takes functions from the environment")
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_functions_of_the_environment_do_not_run(machine: Machine, launcher: str) -> None:
    function = f"() {{ echo function >>'{machine.started}'; }}"
    variables = {
        f"BASH_FUNC_{name}%%": function for name in ("cd", "command", "printf", "read", "id", "pwd", "readlink")
    }
    more = {"ENV": str(machine.project / "bin/sh"), "BASH_ENV": str(machine.project / "bin/sh"), "CDPATH": ".:bin"}
    link = machine.folder / "linked"
    link.symlink_to(REPOSITORY / launcher)
    # Under another name bash reads `BASH_ENV`, but no host starts the launchers so.
    shell = machine.folder / "sh"
    shell.symlink_to("/bin/bash")
    for script in (launcher, str(link)):
        assert machine.run(script, shell=str(shell), **variables, **more, IFS="/") == []


def test_the_programs_of_this_installation_are_recorded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("CUECARD_HOME", str(data))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert record_programs() == []
    for name in ("cuecard", "cuecard-hook"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert record_programs() == [tmp_path / "cuecard-hook", tmp_path / "cuecard"]
    assert recorded_programs() == {name: str(tmp_path / name) for name in ("cuecard-hook", "cuecard")}
    assert (data / "programs").stat().st_mode & 0o777 == 0o600
    assert record_programs() == []


def test_a_mark_of_a_project_is_the_same_in_the_launchers_and_in_python() -> None:
    text = (REPOSITORY / "hooks/programs.sh").read_text()
    assert all(f"$above/{mark}" in text for mark in surroundings.MARKS)


def test_every_hook_of_the_plugin_names_its_shell_absolutely() -> None:
    hooks = json.loads((REPOSITORY / "hooks/hooks.json").read_text())["hooks"]
    commands = [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]
    servers = json.loads((REPOSITORY / ".mcp.json").read_text())["mcpServers"].values()
    assert all(command.startswith("/bin/sh ") for command in commands)
    assert [(server["command"], server["args"][0]) for server in servers] == [("/usr/bin/env", "/bin/sh")]
