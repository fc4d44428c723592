"""The Claude Code plugin: its launcher, run as real processes, and its manifests."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cuecard.hook import WITH_HOST
from cuecard.hosts.programs.codex import END_SECONDS
from plugin_clone import BLOCK, PROMPT, REPOSITORY, SHELL, Launcher, handlers, interpreter, read_manifest, verb_of
from scratch_home import kept_of, kept_variables
from triage_cases import in_jsonl, said, typed

if TYPE_CHECKING:
    pass

PAYLOADS = Path(__file__).parents[1] / "data" / "payloads"
EVERY_PYTHON = ["python3", *(f"python3.{minor}" for minor in range(14, 9, -1)), "python"]

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script")]


def assert_answered(ran: subprocess.CompletedProcess[bytes]) -> None:
    assert (ran.returncode, ran.stderr) == (0, b"")
    answer = json.loads(ran.stdout)["hookSpecificOutput"]
    assert answer == {"hookEventName": "UserPromptSubmit", "additionalContext": BLOCK}


def assert_silent(ran: subprocess.CompletedProcess[bytes]) -> None:
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_the_hook_on_path_goes_before_the_clone(launcher: Launcher, installed: Path) -> None:
    launcher.put("cuecard-hook", installed)
    shutil.rmtree(launcher.clone / "python")
    assert_answered(launcher.run())


def test_without_a_hook_on_path_the_backend_of_the_clone_answers(launcher: Launcher) -> None:
    launcher.put("python3", interpreter())
    assert_answered(launcher.run())


@pytest.mark.parametrize("prompt", [PROMPT, "renew", "thanks!", "Zertifikat \u00fc\u6f22\U0001f512 TLS", "x" * 9000])
def test_the_hook_on_path_and_the_backend_give_the_same_bytes(launcher: Launcher, installed: Path, prompt: str) -> None:
    launcher.put("python3", interpreter())
    from_engine = launcher.run(launcher.payload(prompt=prompt))
    launcher.put("cuecard-hook", installed)
    from_installed = launcher.run(launcher.payload(prompt=prompt))
    assert (from_engine.returncode, from_engine.stdout) == (from_installed.returncode, from_installed.stdout)


def test_without_any_python_it_stays_silent(launcher: Launcher) -> None:
    assert_silent(launcher.run())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#!/nonexistent/python3\n", id="its interpreter is gone"),
        pytest.param("#!/bin/sh\necho 'Unknown option: -I' >&2\nexit 2\n", id="it does not know our options"),
        pytest.param("#!/bin/sh\nkill -9 $$\n", id="it is killed"),
    ],
)
def test_a_broken_python_is_passed_over_in_silence(launcher: Launcher, text: str) -> None:
    for name in EVERY_PYTHON:
        launcher.write(name, text)
    assert_silent(launcher.run())
    (launcher.bin / "python3.10").unlink()
    launcher.put("python3.10", interpreter())
    assert_answered(launcher.run())


def test_a_python_before_3_10_is_passed_over_in_silence(launcher: Launcher) -> None:
    pretend = "import sys; sys.version_info = (3, 9, 19)"
    old = f'#!{SHELL}\ncode=$4; shift 4\nexec "{interpreter()}" -I -S -c "{pretend}\n$code" "$@"\n'
    launcher.write("python3", old)
    assert_silent(launcher.run())
    launcher.put("python3.12", interpreter())
    assert_answered(launcher.run())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#!/nonexistent/python3\n", id="its interpreter is gone"),
        pytest.param("\x7fELF\x02\x01\x01 for another machine", id="it is for another machine"),
        pytest.param("#!/bin/sh\necho noise >&2\nexit 1\n", id="it fails"),
    ],
)
def test_where_the_hook_on_path_cannot_start_the_backend_answers(launcher: Launcher, text: str) -> None:
    launcher.write("cuecard-hook", text)
    launcher.put("python3", interpreter())
    assert_answered(launcher.run())


def test_the_launcher_may_itself_be_the_hook_on_path(launcher: Launcher) -> None:
    launcher.script.chmod(0o755)
    launcher.put("cuecard-hook", launcher.script)
    launcher.put("python3", interpreter())
    assert_answered(launcher.run())


@pytest.mark.parametrize("linked", ["the file", "the file, twice", "its folder", "the clone"])
def test_it_finds_its_clone_through_links(launcher: Launcher, tmp_path: Path, linked: str) -> None:
    launcher.put("python3", interpreter())
    links = tmp_path / "some links"
    links.mkdir()
    if linked.startswith("the file"):
        script = links / "start me.sh"
        script.symlink_to(launcher.script)
        if linked == "the file, twice":
            script = tmp_path / "again"
            script.symlink_to(Path("some links", "start me.sh"))
    elif linked == "its folder":
        (links / "hooks").symlink_to(launcher.script.parent)
        script = links / "hooks" / launcher.script.name
    else:
        (links / "clone").symlink_to(launcher.clone)
        script = links / "clone" / "hooks" / launcher.script.name
    assert_answered(launcher.run(script=script))


def test_it_may_be_called_by_a_bare_name(launcher: Launcher) -> None:
    launcher.put("python3", interpreter())
    move = f'cd "{launcher.script.parent}"; exec "$@"'
    ran = launcher.run(before=(SHELL, "-c", move, "sh"), script=Path(launcher.script.name))
    assert_answered(ran)


def test_a_read_only_clone_and_project_are_enough(launcher: Launcher) -> None:
    launcher.put("python3", interpreter())
    # Root may write everywhere, so it must first drop this capability.
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root needs `setpriv` to see a read-only folder")
        before = (setpriv, "--bounding-set", "-dac_override", "--inh-caps", "-all")
    folders = [path for top in (launcher.clone, launcher.project) for path in (top, *top.rglob("*")) if path.is_dir()]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert_answered(launcher.run(before=before))
        assert_silent(launcher.run(b"no payload", before=before))
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)
    assert not list(launcher.clone.rglob("__pycache__"))


@pytest.mark.parametrize("way", ["on PATH", "engine"])
@pytest.mark.parametrize("sample", sorted(PAYLOADS.glob("*.json")), ids=lambda sample: sample.stem)
def test_recorded_payloads_of_every_event_are_answered_or_left_alone(
    launcher: Launcher, request: pytest.FixtureRequest, sample: Path, way: str
) -> None:
    if way == "engine":
        launcher.put("python3", interpreter())
    else:
        launcher.put("cuecard-hook", request.getfixturevalue("installed"))
    payload = json.loads(sample.read_text("utf-8").replace("{project}", str(launcher.project)))
    if sample.stem == "UserPromptSubmit":
        payload["prompt"] = PROMPT
        assert_answered(launcher.run(json.dumps(payload).encode()))
    else:
        assert_silent(launcher.run(json.dumps(payload).encode()))


def read_version() -> str:
    found = re.search(r'(?m)^version = "([^"]+)"$', (REPOSITORY / "Cargo.toml").read_text("utf-8"))
    assert found
    return found[1]


def test_the_manifests_carry_the_version_of_the_workspace() -> None:
    plugin = read_manifest(".claude-plugin/plugin.json")
    [listed] = read_manifest(".claude-plugin/marketplace.json")["plugins"]
    codex = read_manifest(".codex-plugin/plugin.json")
    assert plugin["version"] == listed["version"] == codex["version"] == read_version()


def test_codex_gets_the_same_hooks_with_its_own_name_and_without_the_mod() -> None:
    """Codex refuses a file of hooks with a member that it does not know, and warns about a long `SessionEnd`."""
    manifest = read_manifest(".codex-plugin/plugin.json")
    hooks, codex = read_manifest("hooks/hooks.json"), read_manifest(manifest["hooks"])
    del hooks["modules"]
    for handler in [handler for groups in hooks["hooks"].values() for group in groups for handler in group["hooks"]]:
        if (verb := verb_of(handler)) in WITH_HOST:
            asked = handler["command"].replace(" --host claude-code", "")
            handler["command"] = asked.replace(f" {verb} ||", f" {verb} --host codex ||")
    for handler in [handler for group in hooks["hooks"]["SessionEnd"] for handler in group["hooks"]]:
        handler["timeout"] = END_SECONDS
    assert codex == hooks


def test_the_marketplace_lists_this_repository_as_its_one_plugin() -> None:
    [listed] = read_manifest(".claude-plugin/marketplace.json")["plugins"]
    plugin = read_manifest(".claude-plugin/plugin.json")
    assert listed["name"] == plugin["name"] == "cuecard"
    assert (REPOSITORY / listed["source"] / ".claude-plugin" / "plugin.json").samefile(
        REPOSITORY / ".claude-plugin" / "plugin.json"
    )


def test_the_plugin_asks_for_no_host_and_names_its_licence() -> None:
    plugin = read_manifest(".claude-plugin/plugin.json")
    assert plugin["network"] == {"hosts": []}
    assert plugin["license"] == "MIT"
    assert (REPOSITORY / "LICENSE").read_text("utf-8").startswith("MIT License")


def test_the_icon_is_one_that_the_directory_takes() -> None:
    icon = (REPOSITORY / ".claude-plugin" / "icon.png").read_bytes()
    width, height = int.from_bytes(icon[16:20], "big"), int.from_bytes(icon[20:24], "big")
    assert icon.startswith(b"\x89PNG\r\n\x1a\n")
    assert width == height == 512


def test_the_hooks_call_the_launcher_with_their_verbs() -> None:
    events = read_manifest("hooks/hooks.json")["hooks"]
    assert [(event, verb_of(handler)) for event in events for handler in handlers(event)] == [
        ("UserPromptSubmit", "prompt"),
        ("SessionStart", "session"),
        ("PreToolUse", "guard"),
        ("PreToolUse", "need"),
        ("PreToolUse", "permit"),
        ("PreToolUse", "permit"),
        ("PreToolUse", "permit"),
        ("PostToolUseFailure", "need"),
        ("PostToolUse", "validate"),
        ("Stop", "stop"),
        ("PreCompact", "session"),
        ("SessionEnd", "session"),
        ("SessionEnd", "background"),
    ]
    assert all(handler["type"] == "command" and 0 < handler["timeout"] <= 10 for handler in handlers())
    assert (REPOSITORY / "hooks" / "cuecard-hook.sh").is_file()


HOSTILE = {"prompt": "$(touch ran) and `touch ran`; touch ran", "tool_response": "\n`touch ran`\n$(touch ran)\n"}


@pytest.mark.parametrize("form", ["whole", "without args", "without args and shell"])
@pytest.mark.parametrize("place", range(13))
def test_no_hook_runs_what_it_reads(launcher: Launcher, place: int, form: str) -> None:
    """Other hosts take this plugin. Some ignore `args`, start the command without a shell, or set no variables."""
    handler = handlers()[place]
    words = [SHELL, "-c", handler["command"]] if form != "without args and shell" else [handler["command"]]
    words += handler.get("args", []) if form == "whole" else []
    payload = json.dumps({**HOSTILE, "cwd": str(launcher.project)}).encode()
    # A payload that is no JSON too: a host may send text.
    for sent in (payload, b"touch ran\n$(touch ran)\n", b"import os; os.system('touch ran')\n"):
        try:
            ran = subprocess.run(
                words,
                input=sent,
                env=kept_variables() | {"PATH": os.environ["PATH"], "HOME": str(launcher.home)},
                cwd=launcher.project,
                capture_output=True,
                timeout=60,
                check=False,
            )
        except FileNotFoundError:
            assert form == "without args and shell"
            continue
        # `sh` ends with 2 if it cannot open its script, and 2 keeps the user's prompt or the tool from going on.
        assert (ran.returncode, ran.stdout) == (0, b"")
    assert not list(launcher.project.rglob("ran"))


READS_ITS_INPUT = {"sh", "bash", "dash", "zsh", "ksh", "fish", "node", "ruby", "perl", "python", "python3", "pwsh"}


def test_no_manifest_starts_an_interpreter_that_would_read_its_input_without_its_arguments() -> None:
    servers = read_manifest(".mcp.json")["mcpServers"].values()
    for started in (*handlers(), *servers):
        words = [started["command"]] if "args" in started else shlex.split(started["command"])
        assert Path(words[0]).name not in READS_ITS_INPUT or len(words) > 1


@pytest.mark.parametrize(
    ("event", "verb", "tools"),
    [
        ("PreToolUse", "guard", ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "PowerShell", "mcp__.*"]),
        (
            "PreToolUse",
            "need",
            ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Bash", "PowerShell", "Agent", "Task"],
        ),
        ("PostToolUseFailure", "need", ["Bash"]),
        ("PostToolUse", "validate", ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "PowerShell", "mcp__.*"]),
    ],
)
def test_the_hooks_are_called_for_the_tools_that_they_look_at(event: str, verb: str, tools: list[str]) -> None:
    groups = read_manifest("hooks/hooks.json")["hooks"][event]
    [group] = [group for group in groups if verb_of(group["hooks"][0]) == verb]
    # If a matcher has only names and `|`, Claude Code compares whole names; other matchers are patterns (reference:
    # host protocols).
    names = group["matcher"].removeprefix("^(").removesuffix(")$")
    assert re.fullmatch(r"[A-Za-z|]+", names) if names == group["matcher"] else names.endswith("|mcp__.*")
    assert names.split("|") == tools


@pytest.mark.parametrize("way", ["on PATH", "engine"])
def test_the_commands_of_the_manifest_guard_the_store(
    launcher: Launcher, request: pytest.FixtureRequest, way: str
) -> None:
    if way == "engine":
        launcher.put("python3", interpreter())
    else:
        launcher.put("cuecard-hook", request.getfixturevalue("installed"))
    memory = launcher.project / ".claude" / "memory" / "runbooks" / "tls.json"
    tool_input = {"file_path": str(memory), "content": "{}"}
    event = {"tool_name": "Write", "cwd": str(launcher.project), "tool_input": tool_input}
    denied = launcher.handle("PreToolUse", "guard", event)
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "`cuecard update tls`" in denied["hookSpecificOutput"]["permissionDecisionReason"]
    complaint = launcher.handle("PostToolUse", "validate", event)
    assert complaint["decision"] == "block"
    [aside] = memory.parent.iterdir()
    assert aside.name.startswith("tls.json.invalid.")


@pytest.mark.parametrize("way", ["on PATH", "engine"])
def test_the_commands_of_the_manifest_show_what_is_needed(
    launcher: Launcher, request: pytest.FixtureRequest, way: str
) -> None:
    if way == "engine":
        launcher.put("python3", interpreter())
    else:
        launcher.put("cuecard-hook", request.getfixturevalue("installed"))
    launcher.anchor("src/app.py")
    event = {"cwd": str(launcher.project), "session_id": "s"}
    read = {"hook_event_name": "PreToolUse", "tool_name": "Read"}
    tool_input = {"file_path": str(launcher.project / "src" / "app.py")}
    shown = launcher.handle("PreToolUse", "need", {**event, **read, "tool_input": tool_input})["hookSpecificOutput"]
    assert set(shown) == {"hookEventName", "additionalContext"}
    assert "Nothing is written twice" in shown["additionalContext"]
    failure = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "curl"}}
    failure["error"] = "Exit code 60\ncurl: the TLS certificate has expired"
    helped = launcher.handle("PostToolUseFailure", "need", {**event, **failure})["hookSpecificOutput"]
    assert "Renew the TLS certificate" in helped["additionalContext"]


@pytest.mark.parametrize("way", ["beside the executable", "engine", "only the script on PATH"])
def test_the_command_of_the_manifest_has_what_was_taught_saved(
    launcher: Launcher, request: pytest.FixtureRequest, way: str
) -> None:
    if way != "only the script on PATH":
        launcher.put("python3", interpreter())
        launcher.write("cuecard", f"#!{SHELL}\n")
    if way == "beside the executable":
        launcher.put("cuecard-hook", request.getfixturevalue("installed"))
    if way == "only the script on PATH":
        start = f'exec "{sys.executable}" -I -m cuecard.hook "$@"'
        launcher.write("cuecard-hook", f"#!{SHELL}\n{start}\n")
    answer = launcher.handle("Stop", "stop", taught(launcher))
    assert answer["decision"] == "block"
    assert "[1] user: remember this: we use PostgreSQL for the ledger" in answer["reason"]


@pytest.mark.parametrize("has_packages", [True, False])
def test_a_bare_clone_asks_for_memories_only_where_its_command_runs(launcher: Launcher, has_packages: bool) -> None:
    """The launcher of `cuecard` exits with status 127 if no Python has the packages that it needs."""
    shutil.copytree(REPOSITORY / "bin", launcher.clone / "bin")
    if not has_packages:
        (launcher.clone / "bin" / "cuecard").write_text(f"#!{SHELL}\nexit 127\n")
    # If this were a symbolic link to Python, Python would not use its virtual environment.
    launcher.write("python3", f'#!{SHELL}\nexec "{sys.executable if has_packages else interpreter()}" "$@"\n')
    answer = launcher.handle("Stop", "stop", taught(launcher))
    assert (answer or {}).get("decision") == ("block" if has_packages else None)
    assert (kept_of(launcher.project / ".claude" / "memory") / "staging").exists() == has_packages


def taught(launcher: Launcher) -> dict[str, str]:
    """The event at the end of a session in which the user asked the agent to remember something."""
    transcript = launcher.home / "session.jsonl"
    transcript.write_bytes(in_jsonl([typed("remember this: we use PostgreSQL for the ledger"), said("I will.")]))
    return {"cwd": str(launcher.project), "session_id": "s", "transcript_path": str(transcript)}


def test_the_command_of_the_manifest_answers_a_prompt(launcher: Launcher) -> None:
    [handler] = handlers("UserPromptSubmit")
    launcher.put("python3", interpreter())
    variables = {"PATH": str(launcher.bin), "HOME": str(launcher.home), "CLAUDE_PLUGIN_ROOT": str(launcher.clone)}
    ran = subprocess.run(
        [SHELL, "-c", handler["command"]],
        input=launcher.payload(),
        env=kept_variables() | variables,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert_answered(ran)
