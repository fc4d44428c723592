"""What is shown at a tool comes from all stores that count, with the paths of each (SPEC 37, 40, 48.6)."""

import json
import re
import shutil
from itertools import count
from pathlib import Path

import pytest

import checkouts
from hook_process import Hook

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
SESSIONS = count()
EXPIRED = "x509: certificate has expired or is not yet valid while dialing registry.internal"


def write(root: Path, path: str, title: str, **extension: object) -> None:
    """Write a memory of a decision, constraint, preference or runbook into the store of a folder."""
    file = root / ".claude" / "memory" / f"{path}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"rule": title, "value": title, "trigger": EXPIRED, "steps": [f"{title}: renew the certificate"]}
    whole = {"id": file.stem, "title": title, "record_status": "active", "updated_at": "2026-01-01", "tags": []}
    file.write_text(json.dumps({**whole, "content": content, "cuecard": extension}))


def tell(hook: Hook, folder: Path, data: Path, name: str, given: dict[str, str], **more: object) -> str:
    """What the hook prints at a tool event in a session of its own."""
    event = {"session_id": f"s{next(SESSIONS)}", "cwd": str(folder), "tool_name": name, "tool_input": given, **more}
    sent = json.dumps({"hook_event_name": "PreToolUse", **event}).encode()
    ran = hook.run("tool-context", stdin=sent, cwd=folder, CUECARD_HOME=str(data))
    assert (ran.code, ran.stderr) == (0, b"")
    return ran.stdout.decode()


def test_a_file_has_the_anchors_of_the_root_and_those_of_the_package(hook: Hook, tmp_path: Path, data: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    root = package.parents[1]
    write(package, "decisions/own", "The package pools its clients", anchors=["src/client.py"])
    write(root, "decisions/outer", "The root pins all clients", anchors=["packages/api/src/client.py"])
    # The same words mean another file in the root.
    write(root, "decisions/other", "The root has a client too", anchors=["src/client.py"])
    shown = tell(hook, package, data, "Read", {"file_path": str(package / "src" / "client.py")})
    assert "The package pools its clients" in shown
    assert re.search(r"The root pins all clients \([^)]*scope: parent\)", shown)
    assert "The root has a client too" not in shown
    shown = tell(hook, package, data, "Read", {"file_path": str(root / "src" / "client.py")})
    assert "The root has a client too" in shown
    assert "The package pools" not in shown


def test_a_rule_of_the_root_and_one_of_the_user_speak_at_an_act(hook: Hook, tmp_path: Path, data: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    root = package.parents[1]
    write(root, "constraints/generated", "Generated clients are not edited", forbids=["path: packages/api/gen/**"])
    write(data / "user", "preferences/print", "Nothing is printed", forbids=["code: print()"])
    new = {"file_path": str(package / "gen" / "client.py"), "content": "print(1)\n"}
    shown = tell(hook, package, data, "Write", new)
    assert "Generated clients are not edited" in shown
    assert "Nothing is printed" in shown
    # From the package's own folder the path has other names, which the root's rule does not mean.
    other = tell(hook, package, data, "Write", {"file_path": str(package / "src" / "a.py"), "content": "x = 1\n"})
    assert other == ""


def test_after_a_failure_memories_of_the_user_help(hook: Hook, tmp_path: Path, data: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    write(data / "user", "runbooks/tls", "Renew an expired TLS certificate of the registry")
    failed = {"hook_event_name": "PostToolUseFailure", "error": EXPIRED, "is_interrupt": False}
    shown = tell(hook, package, data, "Bash", {"command": "make pull"}, **failed)
    assert re.search(r"certificate of the registry \([^)]*scope: user\)", shown)


def test_a_project_that_declines_the_users_store_hears_nothing_of_it(hook: Hook, tmp_path: Path, data: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    write(data / "user", "preferences/print", "Nothing is printed", forbids=["code: print()"])
    (package / ".claude/memory/memory-config.json").write_text('{"scopes": {"user": false}}')
    new = {"file_path": str(package / "a.py"), "content": "print(1)\n"}
    assert tell(hook, package, data, "Write", new) == ""


PATCH = "*** Begin Patch\n{}*** End Patch\n"


def test_where_only_the_users_store_counts_its_rules_speak_about_the_files_of_the_work(
    hook: Hook, tmp_path: Path, data: Path
) -> None:
    repository = checkouts.begin(tmp_path / "work")
    below = repository / "web" / "src"
    below.mkdir(parents=True)
    write(data / "user", "preferences/print", "Nothing is printed", forbids=["code: print()"])
    write(data / "user", "constraints/gen", "Generated files are not edited", forbids=["path: web/gen/**"])
    write(data / "user", "decisions/pool", "Clients are pooled", anchors=["web/src/client.py"])
    assert "Nothing is printed" in tell(hook, below, data, "Write", {"file_path": "a.py", "content": "print(1)\n"})
    assert "Generated files" in tell(hook, below, data, "Bash", {"command": "echo x > ../gen/a.py"})
    assert "Clients are pooled" in tell(hook, below, data, "Read", {"file_path": str(below / "client.py")})
    outside = {"file_path": str(tmp_path / "elsewhere.py"), "content": "print(1)\n"}
    assert tell(hook, below, data, "Write", outside) == ""
    # Without a repository the paths begin at the working folder.
    plain = tmp_path / "plain"
    plain.mkdir()
    assert "Nothing is printed" in tell(hook, plain, data, "Write", {"file_path": "a.py", "content": "print(1)\n"})


def test_every_file_of_a_patch_counts(hook: Hook, tmp_path: Path, data: Path) -> None:
    package = checkouts.monorepo(tmp_path)
    root = package.parents[1]
    write(package, "decisions/own", "The package pools its clients", anchors=["src/client.py"])
    write(root, "constraints/generated", "Generated clients are not edited", forbids=["path: packages/api/gen/**"])
    first = [f"*** Add File: src/new_{number}.py\n+x = 1\n" for number in range(40)]
    last = f"*** Update File: {package}/src/client.py\n+y = 1\n*** Add File: gen/client.py\n+z = 1\n"
    shown = tell(hook, package, data, "apply_patch", {"input": PATCH.format("".join([*first, last]))})
    assert "The package pools its clients" in shown
    assert "Generated clients are not edited" in shown
