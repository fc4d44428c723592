"""Installing and uninstalling for every host: what the files contain, and that all other settings stay."""

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cuecard.errors import HostFileError
from cuecard.hosts.host_environment import HostEnvironment, Scope
from cuecard.hosts.host_file import Host, OwnFileHost, SettingsHost
from cuecard.hosts.installation import look_up, plan_install, plan_uninstall
from cuecard.hosts.jsonc import parse
from host_places import AWKWARD, PLACES, each, make_environment, make_hook, run

SETTINGS = [(host, scope) for host, scope in PLACES if isinstance(host, SettingsHost)]
OWN_FILES = [(host, scope) for host, scope in PLACES if isinstance(host, OwnFileHost)]
EVENTS = {
    "claude-code": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "gemini": "BeforeAgent",
    "cursor": "beforeSubmitPrompt",
    "copilot": "userPromptTransformed",
    "qwen": "UserPromptSubmit",
    "droid": "UserPromptSubmit",
}


# The worst name of a home is enough, because only the commands of our own entries depend on it.
@pytest.fixture(params=[AWKWARD], ids=["awkward"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> HostEnvironment:
    return make_environment(tmp_path / request.param)


@pytest.fixture
def hook(environment: HostEnvironment) -> list[str]:
    return make_hook(environment)


def contents(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Every file below a folder, with its bytes and its mode; for a folder, None."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def others(host: Host) -> dict[str, Any]:
    """Settings of a host with hooks of other programs, also for the events that our hooks use."""
    other = {"type": "command", "command": "/opt/other hook"}
    flat = host.name in ("cursor", "copilot")
    entry = {"bash": "/opt/other hook", "command": "x"} if flat else {"hooks": [other]}
    return {"theme": "dark", "hooks": {"Stop": [entry], EVENTS[host.name]: [entry, entry]}, "after": [1, {}]}


def starting_points(host: Host) -> dict[str, bytes]:
    text = json.dumps(others(host), indent=4)
    lines = text.splitlines()
    odd = "\n".join(f'{line} // {number}: "a", {{' for number, line in enumerate(lines))
    event = EVENTS[host.name]
    return {
        "empty": b"",
        "blank": b" \r\n\n",
        "braces": b"{}",
        "braces and no line end": b"{ }\n\n",
        "no hooks": b'{"hooks": {}}\n',
        "an empty event": json.dumps({"hooks": {event: []}}).encode(),
        "one line": json.dumps(others(host)).encode(),
        "others": f"{text}\n".encode(),
        "no last line end": text.encode(),
        "comments": f"// before\n{odd}\n/* behind */".encode(),
        "trailing commas": text.replace("\n    ]", ",\n    ]").replace("}\n}", "},\n}").encode(),
        "CRLF": text.replace("\n", "\r\n").encode(),
        "tabs": json.dumps(others(host), indent="\t").encode(),
        "mark": "\ufeff".encode() + text.encode(),
        "mark alone": "\ufeff".encode(),
        "not ASCII": json.dumps({"é": "漢\U0001f600", **others(host)}, ensure_ascii=False, indent=1).encode(),
    }


@pytest.mark.parametrize("environment", ["plain", AWKWARD], ids=["plain", "awkward"], indirect=True)
@each(PLACES)
def test_install_and_uninstall_leave_nothing_where_nothing_was(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    host.file(scope, environment).relative_to(environment.home if scope == "user" else environment.project)
    before = contents(environment.home.parent)
    assert run(plan_install(host, scope, environment, hook)) == "install"
    installed = contents(environment.home.parent)
    assert len([data for data in installed.values() if data]) == len([data for data in before.values() if data]) + 1
    assert run(plan_install(host, scope, environment, hook)) == "unchanged"
    assert contents(environment.home.parent) == installed
    assert run(plan_uninstall(host, scope, environment)) == "uninstall"
    assert contents(environment.home.parent) == before
    assert run(plan_uninstall(host, scope, environment)) == "absent"
    assert contents(environment.home.parent) == before


@each(PLACES)
def test_an_empty_folder_that_was_there_before_stays(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    host.file(scope, environment).parent.mkdir(parents=True, exist_ok=True)
    before = contents(environment.home.parent)
    assert run(plan_install(host, scope, environment, hook)) == "install"
    assert run(plan_uninstall(host, scope, environment)) == "uninstall"
    assert contents(environment.home.parent) == before


# The files of both scopes of a host have the same form.
@each(list({host.name: (host, scope) for host, scope in SETTINGS}.values()))
def test_a_file_of_others_comes_back_byte_for_byte(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    for name, data in starting_points(host).items():
        file.write_bytes(data)
        file.chmod(0o640)
        before = contents(environment.home.parent)
        assert run(plan_install(host, scope, environment, hook)) == "install", name
        backup = file.with_name(f"{file.name}.cuecard-backup")
        assert backup.read_bytes() == data, name
        assert stat.S_IMODE(backup.stat().st_mode) == stat.S_IMODE(file.stat().st_mode) == 0o640
        installed = file.read_bytes()
        assert installed.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf"), name
        if name == "CRLF":
            assert installed.count(b"\n") == installed.count(b"\r\n")
        plain: Any = parse(installed.decode().removeprefix("\ufeff")).to_plain()
        expected = {"claude-code": 13, "codex": 10, "gemini": 6, "cursor": 4, "copilot": 8, "qwen": 8, "droid": 5}.get(
            host.name, 1
        )
        assert len(look_up(host, scope, environment).commands) == expected, name
        if b"other hook" in data:
            was = others(host)
            event = EVENTS[host.name]
            assert plain["hooks"][event][:2] == was["hooks"][event], name
            assert len(plain["hooks"][event]) == 3
            assert (plain["theme"], plain["after"]) == ("dark", [1, {}])
            assert plain["hooks"]["Stop"][: len(was["hooks"]["Stop"])] == was["hooks"]["Stop"]
        assert run(plan_install(host, scope, environment, hook)) == "unchanged", name
        assert run(plan_uninstall(host, scope, environment)) == "uninstall", name
        assert contents(environment.home.parent) == before, name


@each(SETTINGS)
def test_what_others_change_meanwhile_stays(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(others(host), indent=2))
    run(plan_install(host, scope, environment, hook))
    file.write_text(file.read_text().replace('"dark"', '"light", // mine\n  "more": 1'))
    run(plan_uninstall(host, scope, environment))
    assert "// mine" in file.read_text()
    assert parse(file.read_text()).to_plain() == {**others(host), "theme": "light", "more": 1} | (
        {"version": 1} if host.name in ("cursor", "copilot") else {}
    )
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@each(SETTINGS)
def test_what_others_add_to_a_file_that_we_made_stays(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    run(plan_install(host, scope, environment, hook))
    file.write_text(file.read_text().replace("{", '{"theme": "dark",', 1))
    run(plan_uninstall(host, scope, environment))
    plain: Any = parse(file.read_text()).to_plain()
    assert plain.pop("version", 1) == 1
    assert plain == {"theme": "dark"}


@each(SETTINGS)
def test_an_older_path_of_ours_is_replaced_in_its_place(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(others(host), indent=2))
    before = file.read_bytes()
    run(plan_install(host, scope, environment, ["/old/bin/cuecard-hook"]))
    assert run(plan_install(host, scope, environment, ["/old py/python3", "-I", "-m", "cuecard.hook"])) == "update"
    assert run(plan_install(host, scope, environment, hook)) == "update"
    assert "/old" not in file.read_text()
    # Python handles the events of an idle agent and its drafts, even if the executable answers prompts.
    commands = look_up(host, scope, environment).commands
    programs = {command[0] for command in commands if command[-1] not in ("stop", "permit", "background")}
    assert programs == set(hook)
    run(plan_uninstall(host, scope, environment))
    assert file.read_bytes() == before


@each(SETTINGS)
def test_entries_that_stand_there_twice_become_one(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    run(plan_install(host, scope, environment, hook))
    plain: Any = json.loads(file.read_text())
    once = json.loads(file.read_text())
    for event in plain["hooks"]:
        plain["hooks"][event] *= 3
    plain["hooks"]["Stop"] = plain["hooks"][EVENTS[host.name]][:1]
    file.write_text(json.dumps(plain))
    assert run(plan_install(host, scope, environment, hook)) == "update"
    assert json.loads(file.read_text()) == once
    assert run(plan_install(host, scope, environment, hook)) == "unchanged"


MALFORMED = [
    (b'{"a": 1', "the file ends too early", 1, 8),
    (b'{\n  "a" 1\n}', "expected `:`", 2, 7),
    (b'{"a": 1} x', "something follows the end of the value", 1, 10),
    (b"{'a': 1}", "expected a name in quotes", 1, 2),
    (b'{"a": NaN}', "expected a value", 1, 7),
    (b'{"a": 1 "b": 2}', "expected `,` or `}`", 1, 9),
    (b"/* never closed", "expected a value", 1, 1),
]


@each(SETTINGS)
def test_a_malformed_file_is_refused_with_its_place_and_left_alone(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    cases = [(data, f"line {line}, column {column}: {what}") for data, what, line, column in MALFORMED]
    cases += [
        (b"[]", "it is not a JSON object"),
        (b'{"hooks": []}', "`hooks` is not an object"),
        (b'{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"),
        (b'{"a": "\xff"}', "byte 8 is not UTF-8"),
    ]
    for data, what in cases:
        file.write_bytes(data)
        before = contents(environment.home.parent)
        with pytest.raises(HostFileError) as refused:
            plan_install(host, scope, environment, hook)
        with pytest.raises(HostFileError) as refused_too:
            plan_uninstall(host, scope, environment)
        for raised in (refused, refused_too):
            assert raised.value.what == f"`{file}` cannot be changed: {what}"
            assert raised.value.hint.endswith("then run this again; nothing was changed")
        assert look_up(host, scope, environment).problem == what
        assert contents(environment.home.parent) == before


@each(OWN_FILES)
def test_a_file_that_is_not_ours_is_never_replaced(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n# of somebody else\n")
    before = contents(environment.home.parent)
    with pytest.raises(HostFileError, match="it exists already, and cuecard has not written it"):
        plan_install(host, scope, environment, hook)
    assert run(plan_uninstall(host, scope, environment)) == "absent"
    assert contents(environment.home.parent) == before


@each(PLACES)
def test_a_folder_in_the_place_of_the_file_is_refused(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    host.file(scope, environment).mkdir(parents=True)
    with pytest.raises(HostFileError, match="cannot be read"):
        plan_install(host, scope, environment, hook)


@each(PLACES)
def test_a_file_in_the_place_of_the_folder_is_an_error_of_the_machine(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    folder = host.file(scope, environment).parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("no folder")
    with pytest.raises(OSError, match=r"exists|directory"):
        plan_install(host, scope, environment, hook).apply()
    assert folder.read_text() == "no folder"


@each(SETTINGS)
def test_a_link_is_followed_and_stays(host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    target = environment.home.parent / "dotfiles" / "settings.json"
    target.parent.mkdir()
    target.write_text('{"theme": "dark"}')
    file.symlink_to(target)
    run(plan_install(host, scope, environment, hook))
    assert file.is_symlink()
    assert b"cuecard-hook" in target.read_bytes()
    run(plan_uninstall(host, scope, environment))
    assert file.is_symlink()
    assert target.read_text() == '{"theme": "dark"}'
    assert [path.name for path in target.parent.iterdir()] == ["settings.json"]


@each(SETTINGS)
def test_a_read_only_folder_is_left_as_it_was(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    file = host.file(scope, environment)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}")
    file.parent.chmod(0o500)
    before = contents(environment.home.parent)
    try:
        if os.access(file.parent, os.W_OK):
            pytest.skip("the superuser writes everywhere")
        with pytest.raises(PermissionError):
            plan_install(host, scope, environment, hook).apply()
        assert contents(environment.home.parent) == before
    finally:
        file.parent.chmod(0o700)


@each(PLACES)
def test_planning_changes_nothing_and_shows_the_difference(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    before = contents(environment.home.parent)
    change = plan_install(host, scope, environment, hook)
    assert contents(environment.home.parent) == before
    diff = change.diff().splitlines()
    assert diff[:2] == [f"--- {os.devnull}", f"+++ {host.file(scope, environment)}"]
    change.apply()
    added = "\n".join(line[1:] for line in diff[3:])
    assert f"{added}\n" == host.file(scope, environment).read_text()
    assert plan_install(host, scope, environment, hook).diff() == ""
    removed = plan_uninstall(host, scope, environment).diff().splitlines()
    assert [line[1:] for line in removed[3:]] == [line[1:] for line in diff[3:]]
    assert host.file(scope, environment).exists()


@each(SETTINGS)
def test_the_line_in_the_file_runs_the_hook_whatever_its_folder_is_called(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    run(plan_install(host, scope, environment, hook))
    plain: Any = json.loads(host.file(scope, environment).read_text())
    [entry] = plain["hooks"][EVENTS[host.name]]
    handler = entry["hooks"][0] if "hooks" in entry else entry
    wanted = f"prompt --host {host.name} "
    if "args" in handler:
        ran = subprocess.run([handler["command"], *handler["args"]], capture_output=True, text=True, check=True)
    else:
        line = handler.get("command") or handler["bash"]
        ran = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True)
    assert ran.stdout == wanted
    # Gemini CLI, and Qwen Code after it, take the time limit in milliseconds.
    [limit] = [handler[name] for name in ("timeout", "timeoutSec") if name in handler]
    assert limit == (5000 if host.name in ("gemini", "qwen") else 5)
