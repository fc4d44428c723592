"""`cuecard install`, `uninstall` and `hosts` as processes; the installed hooks run as in their hosts."""

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import command_process
import cuecard
from cuecard.basics import surroundings
from cuecard.errors import HostFileError
from cuecard.hosts.hook_command import find_hook
from host_machine import BLOCK, PROMPT, Machine

pytestmark = pytest.mark.process

NAMES = [
    *("claude-code", "codex", "gemini", "cursor", "copilot", "vscode", "opencode", "cline"),
    *("qwen", "kimi", "pi", "kilo", "droid", "vibe"),
]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def handler_of(settings: Any, event: str) -> Any:  # noqa: ANN401
    [entry] = settings["hooks"][event]
    return entry["hooks"][0] if "hooks" in entry else entry


def test_the_hook_that_is_found_runs() -> None:
    hook = find_hook()
    ran = subprocess.run([*hook, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("cuecard-hook ")
    assert Path(hook[0]).is_absolute()


def test_without_the_executable_the_interpreter_runs_the_hook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    assert find_hook() == [str(python), "-I", "-m", "cuecard.hook"]
    # A script named `cuecard-hook` is used only if Python in isolated mode does not find the package.
    script = tmp_path / "cuecard-hook"
    script.write_text(f"#!/bin/sh\necho 'cuecard-hook {cuecard.__version__} (pure)'\n")
    script.chmod(0o755)
    assert find_hook() == [str(python), "-I", "-m", "cuecard.hook"]
    python.write_text("#!/bin/sh\nexit 1\n")
    assert find_hook() == [str(script)]
    script.write_text("#!/bin/sh\necho 'cuecard-hook 0.0.1 (native)'\n")
    with pytest.raises(HostFileError, match="there is no hook to install"):
        find_hook()


CLAUDE = {"session_id": "1", "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
INJECTING = [
    ("claude-code", "UserPromptSubmit", {**CLAUDE, "transcript_path": "/t"}, "cwd"),
    ("codex", "UserPromptSubmit", {**CLAUDE, "turn_id": "1", "transcript_path": None, "model": "m"}, "cwd"),
    ("gemini", "BeforeAgent", {"session_id": "1", "prompt": PROMPT, "timestamp": "2026-11-21T10:00:00Z"}, "cwd"),
    ("cursor", "beforeSubmitPrompt", {"conversation_id": "1", "prompt": PROMPT}, "workspace_roots"),
    (
        "copilot",
        "userPromptTransformed",
        {"timestamp": 1, "prompt": PROMPT, "transformedPrompt": f"<x/>{PROMPT}"},
        "cwd",
    ),
]


@pytest.mark.parametrize(("host", "event", "payload", "folder"), INJECTING, ids=[case[0] for case in INJECTING])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_an_installed_hook_answers_what_its_host_sends(
    machine: Machine, host: str, scope: str, event: str, payload: dict[str, object], folder: str
) -> None:
    done = machine.document("install", host, "--scope", scope)
    assert (done["action"], done["host"], done["scope"], done["backup"]) == ("install", host, scope, None)
    handler = handler_of(json.loads(Path(done["file"]).read_text()), event)
    line = handler.get("command") or handler["bash"]
    command = [line, *handler["args"]] if "args" in handler else ["/bin/sh", "-c", line]
    where = [str(machine.project)] if folder == "workspace_roots" else str(machine.project)
    answer = json.loads(machine.ask(command, {**payload, folder: where}))
    if host == "cursor":
        assert answer == {"continue": True, "additional_context": BLOCK}
    elif host == "copilot":
        assert answer == {"modifiedTransformedPrompt": f"<x/>{PROMPT}\n\n{BLOCK}"}
    else:
        assert answer == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": BLOCK}}
    assert machine.ask(command, {**payload, folder: where, "prompt": "/compact now please"}) == ""


@pytest.mark.skipif(os.name == "nt", reason="the hook is a POSIX shell script")
def test_clines_program_answers_what_cline_sends(machine: Machine) -> None:
    file = machine.document("install", "cline")["file"]
    payload: dict[str, object] = {
        "hookName": "UserPromptSubmit",
        "taskId": "1",
        "workspaceRoots": [str(machine.project)],
    }
    answer = json.loads(machine.ask([file], {**payload, "prompt": PROMPT}))
    assert answer == {"cancel": False, "contextModification": BLOCK, "errorMessage": ""}
    assert json.loads(machine.ask([file], {**payload, "prompt": "thanks"})) == {"cancel": False}


RUN_PLUGIN = """
import { Cuecard } from FILE
const hooks = await Cuecard({ directory: FOLDER })
const parts = [{ type: "text", text: PROMPT }, { type: "file" }, { type: "text", text: "docker", synthetic: true }]
const output = { message: { id: "msg_1" }, parts }
// The user's copy of the plugin and the project's.
for (let copy = 0; copy < 2; copy++) await hooks["chat.message"]({ sessionID: "ses_1" }, output)
const kept = JSON.stringify(output.parts.slice(3))
const messages = [{ info: output.message, parts: output.parts }, { info: { id: "msg_2" }, parts: [] }]
const sent = { messages: [...messages] }
await hooks["experimental.chat.messages.transform"]({}, sent)
console.log(JSON.stringify([JSON.parse(kept), sent.messages[0].parts.slice(3)]))
if (JSON.stringify(messages[0].parts.slice(3)) !== kept) throw new Error("the message itself was changed")
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_1" } } })
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("prompt", [PROMPT, "thanks"])
def test_opencodes_plugin_adds_a_part_to_the_message(machine: Machine, tmp_path: Path, prompt: str) -> None:
    file = Path(machine.document("install", "opencode")["file"])
    script = tmp_path / "run.mjs"
    # Node reads a `.mjs` file as a module; with another extension, a setting would be needed.
    module = file.with_suffix(".mjs")
    shutil.copy(file, module)
    filled = {"FILE": str(module), "FOLDER": str(machine.project), "PROMPT": prompt}
    text = RUN_PLUGIN
    for name, value in filled.items():
        text = text.replace(name, json.dumps(value))
    script.write_text(text)
    kept, sent = json.loads(machine.ask([str(shutil.which("node")), str(script)], {}))
    if prompt == "thanks":
        assert kept == sent == []
        return
    [part] = kept
    # The part is stored as ignored, so that it is not in the request for a title.
    assert sent == [part | {"ignored": False}]
    assert part.pop("ignored") is True
    assert part.pop("id").startswith("prt_")
    assert part == {"sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": BLOCK, "synthetic": True}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_opencodes_plugin_does_no_harm_without_its_hook(machine: Machine, tmp_path: Path) -> None:
    file = Path(machine.document("install", "opencode")["file"])
    module = tmp_path / "plugin.mjs"
    module.write_text(file.read_text().replace("const command = [", 'const command = ["/gone/cuecard-hook", '))
    script = tmp_path / "run.mjs"
    filled = {"FILE": str(module), "FOLDER": str(machine.project), "PROMPT": PROMPT}
    text = RUN_PLUGIN
    for name, value in filled.items():
        text = text.replace(name, json.dumps(value))
    script.write_text(text)
    assert json.loads(machine.ask([str(shutil.which("node")), str(script)], {})) == [[], []]


@pytest.mark.parametrize("host", NAMES)
def test_a_user_installs_looks_and_uninstalls(machine: Machine, host: str) -> None:
    before = sorted(machine.home.rglob("*")) + sorted(machine.project.rglob("*"))
    dry = machine.run("install", host, "--dry-run")
    assert dry.code == 0
    assert dry.stdout.startswith("--- /dev/null\n+++ ")
    assert "would install for" in dry.stdout
    assert sorted(machine.home.rglob("*")) + sorted(machine.project.rglob("*")) == before
    done = machine.run("install", host)
    assert done.code == 0
    assert "installed for" in done.stdout
    assert f"undo: cuecard uninstall {host}" in done.stdout
    again = machine.run("install", host)
    untrusted = "note: Codex ignores it until you trust it: type `/hooks` in Codex\n" if host == "codex" else ""
    assert (again.code, again.stderr) == (0, untrusted)
    assert again.stdout.startswith("already installed for")
    [listed] = [one for one in machine.document("hosts")["hosts"] if one["host"] == host]
    [installed] = listed["installed"]
    assert installed["problems"] == listed["problems"] == []
    assert any(line.startswith(host) and installed["file"] in line for line in machine.run("hosts").stdout.splitlines())
    away = machine.run("uninstall", host)
    assert (away.code, away.stderr) == (0, "")
    assert away.stdout.startswith("removed from")
    absent = machine.run("uninstall", host)
    assert (absent.code, absent.stderr) == (0, "")
    assert absent.stdout.startswith("not installed for")
    assert sorted(machine.home.rglob("*")) + sorted(machine.project.rglob("*")) == before


@pytest.mark.parametrize(
    ("host", "setting"),
    [
        ("claude-code", {"disableAllHooks": True}),
        ("qwen", {"disableAllHooks": True}),
        ("gemini", {"hooksConfig": {"enabled": False}}),
    ],
)
def test_a_host_whose_hooks_are_switched_off_is_not_called_installed_alone(
    machine: Machine, host: str, setting: dict[str, object]
) -> None:
    file = Path(machine.document("install", host, "--scope", "user", "--dry-run")["file"])
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(setting))
    [*_, name] = re.findall(r'"(\w+)":', json.dumps(setting))
    assert re.search(
        rf"runs no hooks: `(\w+\.)?{name}` is .* in {re.escape(str(file))}",
        machine.run("install", host, "--scope", "user").stderr,
    )
    [doctor] = [one for one in machine.run("doctor", "--json").document["findings"] if one["name"] == "hosts"]
    assert doctor["verdict"] == "warn"
    assert "runs no hooks" in machine.run("hosts").stdout
    # A project's settings go before those of the user.
    project = machine.project / file.relative_to(machine.home)
    project.parent.mkdir(exist_ok=True)
    project.write_text(json.dumps(setting).replace("true", "TRUE").replace("false", "true").replace("TRUE", "false"))
    assert "runs no hooks" not in machine.run("hosts").stdout


@pytest.mark.parametrize("host", ["gemini", "copilot", "codex"])
def test_what_a_host_ignores_until_it_is_trusted_is_not_called_installed_alone(machine: Machine, host: str) -> None:
    scope = "user" if host == "codex" else "project"
    done = machine.run("install", host, "--scope", scope)
    file = Path(machine.document("install", host, "--scope", scope)["file"])
    assert "trust" in done.stderr

    def ask() -> tuple[str | None, str, list[str]]:
        [listed] = [one for one in machine.document("hosts")["hosts"] if one["host"] == host]
        [installed] = listed["installed"]
        [doctor] = [one for one in machine.run("doctor", "--json").document["findings"] if one["name"] == "hosts"]
        told = machine.run("hosts").stdout
        return installed["waits_for"], doctor["verdict"], [line for line in told.splitlines() if line.startswith(host)]

    why, verdict, [line] = ask()
    assert "until you trust" in str(why)
    assert verdict == "warn"
    assert line.endswith(str(why))
    trust_file, content = {
        "gemini": (".gemini/trustedFolders.json", json.dumps({str(machine.project.parent): "TRUST_FOLDER"})),
        "copilot": (".copilot/config.json", "// mine\n" + json.dumps({"trustedFolders": [str(machine.project)]})),
        "codex": (".codex/config.toml", f'[hooks.state."{file}:user_prompt_submit:0:0"]\ntrusted_hash = "x"\n'),
    }[host]
    (machine.home / trust_file).parent.mkdir(exist_ok=True)
    (machine.home / trust_file).write_text(content)
    why, verdict, [line] = ask()
    assert (why, verdict) == (None, "ok")
    assert "config.toml" not in machine.run("install", host, "--scope", scope, "--dry-run").stderr
    if host == "gemini":
        rules = {str(machine.project.parent): "TRUST_FOLDER", str(machine.project): "DO_NOT_TRUST"}
        (machine.home / trust_file).write_text(json.dumps(rules))
        assert ask()[1] == "warn"


def test_who_installs_is_told_that_cuecard_is_not_on_path(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    # Tests before may have worked in this repository, and a program of a project is none for its agents.
    monkeypatch.setattr(surroundings, "_noted", {})
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    notes = machine.document("install", "gemini")["notes"]
    assert [note for note in notes if note.startswith("`cuecard` is not on PATH")]
    monkeypatch.setenv("PATH", f"{sysconfig.get_path('scripts')}{os.pathsep}/usr/bin:/bin")
    notes = machine.document("install", "copilot")["notes"]
    assert not [note for note in notes if note.startswith("`cuecard` is not on PATH")]


def test_the_list_names_every_host_and_what_it_can_do(machine: Machine) -> None:
    listed = machine.document("hosts")["hosts"]
    assert [one["host"] for one in listed] == NAMES
    injects = {one["host"]: one["injects"] for one in listed}
    assert (injects["claude-code"], injects["cursor"], injects["vscode"]) == ("yes", "not verified", "no")
    # A client may be on the PATH of this machine.
    assert not any(one["installed"] or one["problems"] for one in listed)
    on_terminal = command_process.run_on_terminal(machine.home, machine.project, "hosts", columns=150)
    assert on_terminal.code == 0
    assert all(name in on_terminal.stdout for name in NAMES)


def test_a_hook_that_is_gone_is_named_by_hosts_and_doctor(machine: Machine) -> None:
    file = Path(machine.document("install", "gemini")["file"])
    settings = json.loads(file.read_text())
    handler_of(settings, "BeforeAgent")["command"] = "/gone/cuecard-hook prompt --host gemini"
    file.write_text(json.dumps(settings))
    listed = machine.run("hosts")
    assert listed.code == 0
    assert "warning: Gemini CLI: " in listed.stderr
    assert "`/gone/cuecard-hook` is gone" in listed.stderr
    doctor = machine.run("doctor", "--json")
    assert doctor.code == 1
    [finding] = [one for one in doctor.document["findings"] if one["name"] == "hosts"]
    assert finding["verdict"] == "fail"
    assert finding["details"] == [f"{file}: `/gone/cuecard-hook` is gone"]
    assert machine.document("install", "gemini")["action"] == "update"
    assert machine.run("hosts").stderr.count("warning") == 0


def test_what_stands_in_two_places_is_said(machine: Machine) -> None:
    machine.document("install", "codex")
    ran = machine.run("install", "codex", "--scope", "project")
    assert f"note: the hook is also in {machine.home}/.codex/hooks.json" in ran.stderr
    ran = machine.run("uninstall", "codex")
    assert "`cuecard uninstall codex --scope project` removes it" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("install", "emacs"), "unknown host `emacs`"),
        (("install", "gemini", "--scope", "world"), "Gemini CLI has no scope `world`"),
        (("uninstall", "vscode", "--scope", "user"), "VS Code has no scope `user`"),
    ],
)
def test_wrong_arguments_end_with_status_2(machine: Machine, arguments: tuple[str, ...], what: str) -> None:
    ran = machine.run(*arguments)
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"error: {what}\nhint: use ")


def test_a_malformed_file_ends_with_status_1_and_stays(machine: Machine) -> None:
    file = machine.home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n  "theme": dark\n}')
    for command in ("install", "uninstall"):
        ran = machine.run(command, "gemini", "--json")
        assert ran.code == 1
        error = command_process.error_of(ran)
        assert error["code"] == "HOST_FILE_ERROR"
        assert error["what"] == f"`{file}` cannot be changed: line 2, column 12: expected a value"
    assert file.read_text() == '{\n  "theme": dark\n}'
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_outside_a_project_the_working_directory_is_the_project(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    ran = command_process.run(machine.home, folder, "install", "vscode")
    assert ran.code == 0
    assert (folder / ".github" / "instructions" / "cuecard.instructions.md").is_file()


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (f"/compact {PROMPT}", "the prompt is a slash command, which only the host handles"),
        (f"<task-notification>{PROMPT}</task-notification>", "the prompt was made by a program"),
    ],
)
def test_recall_says_why_such_a_prompt_is_not_answered(machine: Machine, prompt: str, why: str) -> None:
    assert machine.run("recall", prompt).stderr == f"note: nothing is injected: {why}\n"


@pytest.mark.e2e
@pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: the client is not started")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_the_real_claude_code_gets_the_memory_until_it_is_uninstalled(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scope: str
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "e2e")
    client = importlib.import_module("cc_session")

    def injected(name: str) -> list[str]:
        result = client.run(PROMPT, machine.project, home=str(machine.home), out=str(tmp_path / name))
        assert result.rc == 0, result.stderr
        return [one["text"].rstrip() for one in result.injected()]

    machine.document("install", "claude-code", "--scope", scope)
    assert injected("with") == [f"UserPromptSubmit hook additional context: {BLOCK}"]
    memory = machine.project / ".claude" / "memory" / "decisions" / "jwt.json"
    before = memory.read_bytes()
    result = client.run(
        "thanks, bye",
        machine.project,
        home=str(machine.home),
        script=[{"tool": "Bash", "input": {"command": f"echo x > '{memory}'", "description": "t"}}],
        extra_args=["--dangerously-skip-permissions"],
        extra_env={"IS_SANDBOX": "1"},
        out=str(tmp_path / "guarded"),
    )
    assert "PreToolUse:Bash" in result.body_text(1)
    assert memory.read_bytes() == before
    machine.document("uninstall", "claude-code", "--scope", scope)
    assert injected("without") == []


def test_the_hooks_are_tried_and_old_programs_are_named(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, version in (("copilot", "1.0.50"), ("codex", "codex-cli 0.171.0")):
        (programs / name).write_text(f"#!/bin/sh\necho {version}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin:/bin")
    notes = machine.document("install", "copilot")["notes"]
    assert "this needs GitHub Copilot CLI 1.0.80 or newer; 1.0.50 is here" in notes
    machine.document("install", "codex")
    listed = {one["host"]: one for one in machine.document("hosts", "--check")["hosts"]}
    assert (listed["codex"]["version"], listed["codex"]["runs"], listed["codex"]["problems"]) == ("0.171.0", True, [])
    assert listed["copilot"]["problems"] == ["version 1.0.50 is too old: this needs 1.0.80 or newer"]
    assert listed["gemini"]["runs"] is None
    started = tmp_path / "started"
    foreign = tmp_path / "cuecard-hook"
    foreign.write_text(f"#!/bin/sh\ntouch '{started}'\n")
    foreign.chmod(0o755)
    file = machine.home / ".codex" / "hooks.json"
    settings = json.loads(file.read_text())
    handler_of(settings, "UserPromptSubmit")["command"] = f"{foreign} prompt --host codex"
    file.write_text(json.dumps(settings))
    [codex] = [one for one in machine.document("hosts", "--check")["hosts"] if one["host"] == "codex"]
    assert (codex["runs"], codex["problems"]) == (False, [f"`{foreign}` is not of this installation and was not tried"])
    assert not started.exists()


@pytest.mark.skipif(os.name == "nt", reason="the clients are POSIX shell scripts")
@pytest.mark.parametrize("version", ["1.0.50", "1.0.102-0"])
def test_a_client_of_a_package_is_not_started_to_learn_its_version(machine: Machine, version: str) -> None:
    package, programs = machine.home.parent / "lib/node_modules/@github/copilot", machine.home.parent / "programs"
    for folder in (package, programs):
        folder.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "@github/copilot", "version": version}))
    (package / "loader.js").write_text("#!/bin/sh\nmkdir ~/unpacked\necho 9.9.9\n")
    (package / "loader.js").chmod(0o755)
    (programs / "copilot").symlink_to(package / "loader.js")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    ran = command_process.run(
        machine.home, machine.project, "install", "copilot", "--dry-run", **machine.variables | {"PATH": path}
    )
    assert ("1.0.80 or newer; 1.0.50 is here" in ran.stdout + ran.stderr) == (version == "1.0.50")
    assert not (machine.home / "unpacked").exists()


def test_the_check_starts_no_program_that_a_repository_names(machine: Machine) -> None:
    machine.document("install", "pi", "--scope", "project")
    file = machine.project / ".pi" / "extensions" / "cuecard.ts"
    started = machine.project / "started"
    chosen = ["/bin/sh", "-c", f"touch '{started}'", "prompt"]
    text = re.sub(
        r"const command = \[.*\]", lambda _found: f"const command = {json.dumps(chosen)}", file.read_text("utf-8")
    )
    assert json.dumps(chosen) in text
    file.write_text(text, encoding="utf-8")
    [found] = [one for one in machine.document("hosts", "--check")["hosts"] if one["host"] == "pi"]
    assert found["runs"] is False
    assert not started.exists()


def test_all_agent_programs_that_are_here_are_served_at_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for folder in (".gemini", ".codex"):
        (machine.home / folder).mkdir()
    before = sorted(machine.home.rglob("*"))
    planned = machine.document("install", "--all", "--dry-run")["changes"]
    assert [(one["host"], one["action"]) for one in planned] == [("codex", "install"), ("gemini", "install")]
    assert sorted(machine.home.rglob("*")) == before
    machine.document("install", "--all")
    assert [one["host"] for one in machine.document("hosts")["hosts"] if one["installed"]] == ["codex", "gemini"]
    gone = machine.document("uninstall", "--all")["changes"]
    assert [(one["host"], one["action"]) for one in gone] == [("codex", "uninstall"), ("gemini", "uninstall")]
    assert sorted(machine.home.rglob("*")) == before
    refused = machine.run("install")
    assert (refused.code, refused.stderr.splitlines()[0]) == (2, "error: name one agent program, or use `--all`")


def test_a_hook_whose_program_is_gone_is_not_called_working(machine: Machine) -> None:
    file = Path(machine.document("install", "gemini")["file"])
    file.write_text(file.read_text().replace("cuecard-hook", "gone/cuecard-hook"))
    [line] = [line for line in machine.run("hosts").stdout.splitlines() if line.startswith("gemini")]
    assert "no: the program of its hook is gone" in line
