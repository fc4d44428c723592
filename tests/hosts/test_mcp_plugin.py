"""The plugin's MCP server: its launcher in clones without an installation, its manifest, and the real client."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scratch_home import kept_variables
from small_project import write_project

if TYPE_CHECKING:
    from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[2]
E2E = Path(__file__).parents[1] / "e2e"
LAUNCHER = "hooks/cuecard-mcp.sh"
SHELL = shutil.which("sh") or "/bin/sh"
ASKED = "why is the hook a native executable and no python script?"

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script")]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone without an installation, with a blank in its path."""
    made = tmp_path / "a clone"
    shutil.copytree(REPOSITORY / "hooks", made / "hooks")
    ignored = shutil.ignore_patterns("__pycache__", "_native*")
    shutil.copytree(REPOSITORY / "python", made / "python", ignore=ignored)
    shutil.copy(REPOSITORY / ".mcp.json", made)
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "a project")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Python that has no packages."""
    made = tmp_path_factory.mktemp("a python")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    return made / "bin"


@pytest.fixture
def programs(tmp_path: Path, python: Path) -> Path:
    """A folder for PATH that has the Python of the fixture `python`."""
    made = tmp_path / "a bin"
    made.mkdir()
    for tool in ("dirname", "readlink"):
        (made / tool).symlink_to(shutil.which(tool) or f"/usr/bin/{tool}")
    write_program(made / "python3", f'#!{SHELL}\nexec "{python / "python3"}" "$@"\n')
    return made


def write_program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def serve(script: Path, project: Path, programs: Path, *calls: tuple[str, dict[str, object]]) -> Any:  # noqa: ANN401
    """Launch the server with `script`, send tool calls, and return its stderr and the results of the calls."""
    lines = [
        {"jsonrpc": "2.0", "id": place, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(calls)
    ]
    ran = subprocess.run(
        [SHELL, script],
        cwd=project,
        env=kept_variables() | {"PATH": str(programs), "HOME": str(project.parent)},
        input="".join([f"{json.dumps(line)}\n" for line in lines]).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return ran.stderr.decode(), [json.loads(line)["result"] for line in ran.stdout.splitlines()]


def test_the_manifest_names_the_launcher() -> None:
    [(name, server)] = json.loads((REPOSITORY / ".mcp.json").read_text("utf-8"))["mcpServers"].items()
    assert name == "cuecard"
    # `env` and not `sh`: without its arguments it prints variables, where `sh` would run what the client sends.
    assert server == {"command": "/usr/bin/env", "args": ["/bin/sh", f"${{CLAUDE_PLUGIN_ROOT}}/{LAUNCHER}"]}
    assert (REPOSITORY / LAUNCHER).is_file()


def test_a_bare_clone_reads_and_says_what_writing_needs(clone: Path, project: Path, programs: Path) -> None:
    record: dict[str, object] = {"category": "decision", "title": "x", "tags": ["y"], "content": {"status": "accepted"}}
    said, results = serve(
        clone / LAUNCHER,
        project,
        programs,
        ("memory_search", {"query": "native hook"}),
        ("memory_get", {"id": "twins"}),
        ("memory_status", {}),
        ("prompt_hook", {"prompt": ASKED}),
        ("memory_save", record),
        ("memory_retire", {"id": "twins", "reason": "x"}),
    )
    assert said == ""
    searched, read, status, hooked, saved, retired = results
    assert searched["structuredContent"]["hits"][0]["id"] == "native-hook"
    assert read["structuredContent"]["id"] == "twins"
    assert status["structuredContent"]["backend"] == "pure"
    assert "additionalContext" in hooked["content"][0]["text"]
    for refused in (saved, retired):
        assert refused["isError"] is True
        assert "which this Python does not have" in refused["content"][0]["text"]
        assert "pip install" in refused["content"][0]["text"]


def test_the_installed_cuecard_goes_before_the_clone(clone: Path, project: Path, programs: Path) -> None:
    write_program(programs / "cuecard", f'#!{SHELL}\nexec "{sys.executable}" -m cuecard.cli "$@"\n')
    shutil.rmtree(clone / "python")
    said, [saved] = serve(clone / LAUNCHER, project, programs, ("memory_retire", {"id": "twins", "reason": "x"}))
    assert said == ""
    assert saved["structuredContent"]["status"] == "retired"


@pytest.mark.parametrize(
    "text", ["#!/no/such/interpreter\n", f"#!{SHELL}\nexit 2\n", f"#!{SHELL}\necho noise; exit 1\n"]
)
def test_a_cuecard_that_cannot_serve_is_passed_over(clone: Path, project: Path, programs: Path, text: str) -> None:
    write_program(programs / "cuecard", text)
    said, [read] = serve(clone / LAUNCHER, project, programs, ("memory_get", {"id": "twins"}))
    assert said == ""
    assert read["structuredContent"]["id"] == "twins"


def test_a_file_of_the_project_does_not_stand_in_for_a_module(clone: Path, project: Path, programs: Path) -> None:
    for name in ("json", "os", "cuecard", "sys"):
        (project / f"{name}.py").write_text("raise SystemExit('mine')", encoding="utf-8")
    said, [read] = serve(clone / LAUNCHER, project, programs, ("memory_get", {"id": "twins"}))
    assert said == ""
    assert read["structuredContent"]["id"] == "twins"


def test_it_finds_its_clone_through_links(clone: Path, project: Path, programs: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "start"
    link.symlink_to(os.path.relpath(clone / LAUNCHER, link.parent))
    _said, [read] = serve(link, project, programs, ("memory_get", {"id": "twins"}))
    assert read["structuredContent"]["id"] == "twins"


def test_without_any_python_it_says_what_it_needs(clone: Path, project: Path, programs: Path) -> None:
    (programs / "python3").unlink()
    said, results = serve(clone / LAUNCHER, project, programs, ("memory_status", {}))
    assert results == []
    assert "Python 3.10" in said


@pytest.mark.e2e
@pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: the real client is not started")
@pytest.mark.timeout(900)
class TestRealClient:
    """The server in the real Claude Code client (`make e2e`)."""

    @pytest.fixture
    def client(self, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        monkeypatch.syspath_prepend(E2E)
        return importlib.import_module("cc_session")

    @pytest.fixture
    def plugin(self, clone: Path) -> Path:
        """A plugin that has only the server, and a prompt hook that calls a tool of the server."""
        (clone / ".claude-plugin").mkdir()
        manifest = {"name": "cuecard", "version": "0.1.0", "description": "a test", "author": {"name": "tests"}}
        (clone / ".claude-plugin/plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
        members = {"prompt": "${prompt}", "cwd": "${cwd}", "session_id": "${session_id}"}
        hook = {"type": "mcp_tool", "server": "plugin:cuecard:cuecard", "tool": "prompt_hook", "input": members}
        hooks = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}
        (clone / "hooks/hooks.json").write_text(json.dumps(hooks), encoding="utf-8")
        return clone

    def test_the_agent_is_offered_the_six_tools_and_the_hook_answers(
        self, client: ModuleType, plugin: Path, project: Path, tmp_path: Path
    ) -> None:
        ran = client.run(
            ASKED,
            str(project),
            plugins=[str(plugin)],
            out=str(tmp_path / "out"),
            extra_env={"ENABLE_TOOL_SEARCH": "false"},
            script=[{"tool": "mcp__plugin_cuecard_cuecard__memory_get", "input": {"id": "twins"}}],
            extra_args=["--allowedTools", "mcp__plugin_cuecard_cuecard__memory_get"],
        )
        offered = [tool["name"] for tool in ran.main_requests[0]["body"]["tools"]]
        ours = [name.rpartition("__")[2] for name in offered if name.startswith("mcp__plugin_cuecard_cuecard__")]
        assert sorted(ours) == sorted(
            f"memory_{name}" for name in ("search", "get", "save", "draft", "update", "retire", "status")
        )
        assert "The hook is a native executable" in ran.injected()[0]["text"]
        assert "Two twins give the same result" in ran.body_text(1)
