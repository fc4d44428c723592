"""Only the command with which the agent answers triage is approved, and no other command."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import cuecard
from cuecard import Store
from cuecard.capture import program
from hook_process import Hook
from records import memory_dir_of
from scratch_home import kept_of

DRAFTS = json.dumps([{"category": "decision", "action": "noop"}])


@pytest.mark.parametrize("module", ["cuecard.capture.triage.approval", "cuecard.capture.triage.triage", "cuecard.hook"])
def test_the_hook_needs_nothing_that_is_not_in_the_clone(module: str) -> None:
    """The plugin starts the module with the machine's Python, which may lack pydantic."""
    package = str(Path(cuecard.__file__).parent.parent)
    # In an installed tree the packages lie beside ours.
    hidden = "sys.modules.update(dict.fromkeys(['filelock', 'pydantic', 'rich']))"
    code = f"import importlib, sys; sys.path.insert(0, sys.argv[1]); {hidden}; importlib.import_module(sys.argv[2])"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, package, module], capture_output=True, encoding="utf-8", check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def is_allowed(hook: Hook, store: Store, command: object, **members: object) -> bool:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s-1", "cwd": store.root}
    payload = json.dumps(event | {"tool_input": {"command": command}} | members).encode()
    ran = hook.run("approve", stdin=payload, cwd=Path(store.root))
    assert (ran.code, ran.stderr) == (0, b"")
    if not ran.stdout:
        return False
    return bool(json.loads(ran.stdout)["hookSpecificOutput"]["permissionDecision"] == "allow")


@pytest.fixture
def folder(store: Store) -> Path:
    folder = kept_of(store.memory_dir) / "staging" / "s-1"
    folder.mkdir(mode=0o700, parents=True)
    (folder / "triage.json").write_text("{}")
    return folder


def test_both_names_of_the_hook_give_the_same_approval(python_hook: Hook, store: Store, folder: Path) -> None:
    command = f"cuecard capture commit {folder} <<'CUECARD'\n{DRAFTS}\nCUECARD"
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s-1", "cwd": store.root}
    payload = json.dumps(event | {"tool_input": {"command": command}}).encode()
    answers = [python_hook.run(name, stdin=payload, cwd=folder).stdout for name in ("approve", "permit")]
    assert b'"allow"' in answers[0]
    assert answers[0] == answers[1]


def test_the_command_that_triage_asked_for_may_run(python_hook: Hook, store: Store, folder: Path) -> None:
    for place in (folder, f"'{folder}'"):
        command = f"cuecard capture commit {place} <<'CUECARD'\n{DRAFTS}\nCUECARD"
        assert is_allowed(python_hook, store, command)
        assert is_allowed(python_hook, store, command + "\n")
        # After exit status 3, the agent sends the same command again, with `relations` in the draft.
        related = json.dumps([{"category": "decision", "relations": [{"id": "decision/a", "verdict": "updates"}]}])
        assert is_allowed(python_hook, store, command.replace(DRAFTS, related))


def test_the_command_that_prints_the_page_may_run_and_nothing_behind_it(python_hook: Hook, store: Store) -> None:
    command = "cuecard capture commit --page"
    assert is_allowed(python_hook, store, command)
    for other in (f"{command}; ls", f"ls; {command}", f"{command} --dry-run", "./cuecard capture commit --page"):
        assert not is_allowed(python_hook, store, other)


def script(folder: Path, name: str = "cuecard") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("folder_name", ["bin", "a bin's"])
def test_the_command_may_be_named_by_the_path_that_path_or_the_plugin_gives(
    python_hook: Hook, store: Store, folder: Path, tmp_path: Path, folder_name: str
) -> None:
    on_path, plugin = script(tmp_path / folder_name), script(tmp_path / "a plugin" / "bin")
    related = json.dumps([{"category": "decision", "relations": [{"id": "decision/a", "verdict": "updates"}]}])
    variables = {"PATH": str(on_path.parent), "CLAUDE_PLUGIN_ROOT": str(plugin.parent.parent)}

    def may_run(program: str, drafts: str = DRAFTS, place: str = str(folder)) -> bool:
        command = f"{program} capture commit {place} <<'CUECARD'\n{drafts}\nCUECARD"
        event = {"tool_name": "Bash", "session_id": "s-1", "cwd": store.root, "tool_input": {"command": command}}
        ran = python_hook.run("permit", stdin=json.dumps(event).encode(), cwd=Path(store.root), **variables)
        return b'"allow"' in ran.stdout

    for file in (on_path, plugin):
        word = shlex.quote(str(file))
        assert may_run(word)
        assert may_run(word, "[]")
        assert may_run(word, related)
        assert may_run(word, place="--origin import")
        for wrong in (
            f"{word}-x",
            f"x {word}",
            f"{word} --root /",
            f"env {word}",
            f"{word}\n",
            f"{word};",
            f"./{word}",
        ):
            assert not may_run(wrong), wrong
    other = script(tmp_path / "elsewhere")
    assert not may_run(str(other))
    assert not may_run(str(script(on_path.parent, "cuecard-x")))
    assert not may_run(f"{on_path.parent}/../{on_path.parent.name}/cuecard")


def test_the_command_beside_python_may_be_named_by_its_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = script(tmp_path / "real")
    (tmp_path / "link").symlink_to(real.parent)
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path / "link"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT", raising=False)
    assert program.known_words("/project") == {"cuecard", str(real), f"{tmp_path}/link/cuecard"}
    assert program.find_word() == f"{tmp_path}/link/cuecard"


@pytest.mark.parametrize("is_link", [True, False])
def test_a_command_of_the_project_is_not_run_unasked(
    python_hook: Hook, store: Store, folder: Path, tmp_path: Path, is_link: bool
) -> None:
    """A repository may come from strangers, and a tool may put the repository's folders on PATH."""
    inside = Path(store.root, "node_modules", "bin", "cuecard")
    if is_link:
        inside.parent.mkdir(parents=True)
        inside.symlink_to(script(tmp_path / "outside"))
    else:
        script(inside.parent)
    for name in ("cuecard", str(inside)):
        command = f"{name} capture commit {folder} <<'CUECARD'\n{DRAFTS}\nCUECARD"
        event = {"tool_name": "Bash", "session_id": "s-1", "cwd": store.root, "tool_input": {"command": command}}
        payload = json.dumps(event).encode()
        assert python_hook.run("permit", stdin=payload, cwd=folder, PATH=str(inside.parent)).stdout == b""
        allowed = python_hook.run("permit", stdin=payload, cwd=folder, PATH="/nowhere").stdout
        assert bool(allowed) == (name == "cuecard")


def test_no_other_command_may(python_hook: Hook, store: Store, folder: Path) -> None:
    good = f"cuecard capture commit {folder} <<'CUECARD'\n{DRAFTS}\nCUECARD"
    for command in (
        None,
        "",
        "ls",
        f"{good}\ntouch x",
        f"touch x; {good}",
        f"{good}; touch x",
        good.replace("'CUECARD'", "CUECARD"),
        good.replace("'CUECARD'", '"CUECARD"'),
        good.replace("<<", "--root / <<"),
        good.replace("<<'CUECARD'", "<<'CUECARD' ; touch x"),
        good.replace(DRAFTS, f"{DRAFTS}\nCUECARD\ntouch x"),
        good.replace(DRAFTS, "touch x"),
        good.replace(DRAFTS, f"{DRAFTS}\0"),
        good.replace(str(folder), f"{folder}/../s-2"),
        good.replace(str(folder), "$(touch x)"),
        good.replace(str(folder), f"{folder.parent}"),
        good.replace(str(folder), "s-1"),
        good.replace("cuecard", "./cuecard", 1),
    ):
        assert not is_allowed(python_hook, store, command), command
    assert not is_allowed(python_hook, store, good, session_id="s-2")
    assert not is_allowed(python_hook, store, good, tool_name="PowerShell")
    assert not is_allowed(python_hook, store, good, cwd=str(Path(store.root).parent))
    assert not is_allowed(python_hook, store, good, tool_input=None)
    # Without the file `triage.json`, the session does not wait for drafts.
    (folder / "triage.json").unlink()
    assert not is_allowed(python_hook, store, good)


def test_the_texts_to_draft_from_may_be_read_and_no_other_file(
    python_hook: Hook, store: Store, folder: Path, tmp_path: Path
) -> None:
    def may_read(path: object, **members: object) -> bool:
        return is_allowed(python_hook, store, None, tool_name="Read", tool_input={"file_path": path}, **members)

    assert may_read(f"{folder}/context-decision.txt")
    for path in (None, "", "context-decision.txt", f"{folder}/triage.json", f"{folder}/context-a/b.txt", "/etc/passwd"):
        assert not may_read(path), path
    assert not may_read(f"{tmp_path}/s-1/context-decision.txt")
    assert not may_read(f"{folder}/context-decision.txt", session_id="s-2")
    (folder / "triage.json").unlink()
    assert not may_read(f"{folder}/context-decision.txt")


@pytest.mark.parametrize("setting", [False, None, "yes", 1])
def test_a_user_who_wants_to_be_asked_is(python_hook: Hook, store: Store, folder: Path, setting: object) -> None:
    command = f"cuecard capture commit {folder} <<'CUECARD'\n{DRAFTS}\nCUECARD"
    config = memory_dir_of(store) / "memory-config.json"
    config.write_text(json.dumps({"triage": {"permit": setting}}))
    assert not is_allowed(python_hook, store, command)
    config.write_text(json.dumps({"triage": {"permit": True}}))
    assert is_allowed(python_hook, store, command)


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"null", b"\xff", b'{"tool_name": "Bash", "tool_input": 5}'])
def test_whatever_comes_nothing_breaks(python_hook: Hook, tmp_path: Path, payload: bytes) -> None:
    ran = python_hook.run("permit", stdin=payload, cwd=tmp_path)
    assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")


def test_drafts_for_the_inbox_are_approved_and_nothing_beside_them(python_hook: Hook, store: Store) -> None:
    good = f"cuecard capture commit --origin import <<'CUECARD'\n{DRAFTS}\nCUECARD"
    assert is_allowed(python_hook, store, good)
    for command in (
        f"{good}\ntouch x",
        f"touch x; {good}",
        good.replace("import", "user"),
        good.replace("import", "agent"),
        good.replace("import", "import --origin agent"),
        good.replace("import", "import --root /"),
        good.replace("'CUECARD'", "CUECARD"),
        good.replace(DRAFTS, f"{DRAFTS}\nCUECARD\ntouch x"),
    ):
        assert not is_allowed(python_hook, store, command), command
    (memory_dir_of(store) / "memory-config.json").write_text(json.dumps({"triage": {"permit": False}}))
    assert not is_allowed(python_hook, store, good)
