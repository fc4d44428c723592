"""Installing and uninstalling for every host: what the files contain, and that all other settings stay."""

import json
import os
import shlex
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cuecard.basics.light_dataclass import replace
from cuecard.errors import HostFileError, UsageError
from cuecard.hosts import shells
from cuecard.hosts.features import wires_of
from cuecard.hosts.hook_command import is_ours, problem_of, python_hook
from cuecard.hosts.host_environment import HostEnvironment, Scope
from cuecard.hosts.host_file import Host, OwnFileHost, SettingsHost
from cuecard.hosts.installation import FileChange, look_up, plan_install, plan_uninstall
from cuecard.hosts.jsonc import parse
from cuecard.hosts.registry import HOSTS, choose_scope, find_host
from cuecard.hosts.survey import examine_hosts, survey

PLACES = [(host, scope) for host in HOSTS for scope in host.scopes]
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


def each(places: Sequence[tuple[Host, Scope]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("host", "scope"), places, ids=[f"{host.name}-{scope}" for host, scope in places])


AWKWARD = 'a "home" of mine\'s $HOME'


@pytest.fixture(params=["plain", AWKWARD], ids=["plain", "awkward"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> HostEnvironment:
    """The environment of a host: empty home and project folders, no variables, and no programs on PATH."""
    folder = tmp_path / request.param
    for name in ("home", "project"):
        (folder / name).mkdir(parents=True)
    return HostEnvironment(folder / "home", folder / "project", {"PATH": ""}, is_windows=False)


@pytest.fixture
def hook(environment: HostEnvironment) -> list[str]:
    """A hook program in a folder with blanks and quotes in its name; it prints its arguments."""
    program = environment.home.parent / "the bin's" / "cuecard-hook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    program.chmod(0o755)
    return [str(program)]


def contents(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Every file below a folder, with its bytes and its mode; for a folder, None."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def run(change: FileChange) -> str:
    change.apply()
    return change.action


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


# What a file is like has nothing to do with the name of the home, so that the worst name is enough.
@pytest.mark.parametrize("environment", [AWKWARD], ids=["awkward"], indirect=True)
@each(SETTINGS)
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


def test_the_files_are_those_of_the_hosts_documentation(environment: HostEnvironment) -> None:
    files = {f"{host.name} {scope}": host.file(scope, environment) for host, scope in PLACES}
    home, project = environment.home, environment.project
    assert files == {
        "claude-code user": home / ".claude/settings.json",
        "claude-code project": project / ".claude/settings.local.json",
        "codex user": home / ".codex/hooks.json",
        "codex project": project / ".codex/hooks.json",
        "gemini user": home / ".gemini/settings.json",
        "gemini project": project / ".gemini/settings.json",
        "cursor user": home / ".cursor/hooks.json",
        "cursor project": project / ".cursor/hooks.json",
        "copilot user": home / ".copilot/hooks/cuecard.json",
        "copilot project": project / ".github/hooks/cuecard.json",
        "vscode project": project / ".github/instructions/cuecard.instructions.md",
        "opencode user": home / ".config/opencode/plugins/cuecard.js",
        "opencode project": project / ".opencode/plugins/cuecard.js",
        "cline project": project / ".clinerules/hooks/UserPromptSubmit",
        "cline user": home / "Documents/Cline/Hooks/UserPromptSubmit",
        "qwen user": home / ".qwen/settings.json",
        "qwen project": project / ".qwen/settings.json",
        "kimi user": home / ".kimi-code/config.toml",
        "pi user": home / ".pi/agent/extensions/cuecard.ts",
        "pi project": project / ".pi/extensions/cuecard.ts",
        "kilo user": home / ".config/kilo/plugin/cuecard.js",
        "droid user": home / ".factory/settings.json",
        "droid project": project / ".factory/settings.json",
        "vibe user": home / ".vibe/hooks.toml",
        "vibe project": project / ".vibe/hooks.toml",
    }


@pytest.mark.parametrize(
    ("host", "variable", "below"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("copilot", "COPILOT_HOME", "hooks/cuecard.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/cuecard.js"),
        ("opencode", "OPENCODE_CONFIG_DIR", "plugins/cuecard.js"),
        ("vibe", "VIBE_HOME", "hooks.toml"),
        ("kimi", "KIMI_CODE_HOME", "config.toml"),
    ],
)
def test_a_variable_of_the_host_moves_its_file(
    environment: HostEnvironment, host: str, variable: str, below: str
) -> None:
    elsewhere = environment.home.parent / "elsewhere"
    moved = replace(environment, variables={variable: str(elsewhere)})
    assert find_host(host).file("user", moved) == elsewhere / below
    blank = replace(environment, variables={variable: " "})
    assert find_host(host).file("user", blank) == find_host(host).file("user", environment)


def test_claude_code_gets_the_hooks_of_the_plugin(environment: HostEnvironment, hook: list[str]) -> None:
    """The hooks are the same as in the plugin, except for the program, which the plugin's launcher finds."""
    run(plan_install(find_host("claude-code"), "user", environment, hook))
    installed: Any = json.loads((environment.home / ".claude/settings.json").read_text())["hooks"]
    plugin: Any = json.loads(Path(__file__).parents[2].joinpath("hooks/hooks.json").read_text())["hooks"]
    launcher = ["/bin/sh", "${CLAUDE_PLUGIN_ROOT}/hooks/cuecard-hook.sh"]
    for groups in (*installed.values(), *plugin.values()):
        for group in groups:
            for handler in group["hooks"]:
                words = shlex.split(handler["command"])
                # The launcher may be gone, and `sh` then ends with 2, which stops the host.
                assert words[0] != "/bin/sh" or words[-3:] == ["||", "exit", "0"]
                started = next(start for start in ([*hook], launcher, python_hook()) if words[: len(start)] == start)
                handler["command"] = [word for word in words[len(started) :] if word not in ("||", "exit", "0")]
    assert installed == plugin


def test_claude_code_is_left_to_the_plugin_where_that_is_enabled(environment: HostEnvironment, hook: list[str]) -> None:
    settings = environment.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"enabledPlugins": {"cuecard@cuecard": true}}')
    host = find_host("claude-code")
    with pytest.raises(HostFileError, match="the plugin `cuecard` is enabled"):
        plan_install(host, "project", environment, hook)
    settings.write_text('{"enabledPlugins": {"cuecard@cuecard": false, "other@x": true}}')
    assert plan_install(host, "project", environment, hook).action == "install"


def test_codex_and_qwen_are_left_to_the_plugin_if_they_have_it(environment: HostEnvironment, hook: list[str]) -> None:
    codex, qwen = find_host("codex"), find_host("qwen")
    settings = environment.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    table = '[plugins."cuecard@cuecard"]\n'
    odd = f'{table}list = ["a"] # "x [y]"\nenabled = false\n'
    for text in ("[plugins]\n", '[plugins."other@x"]\nenabled = true\n', f"{table}enabled = false\n\n[other]\n", odd):
        settings.write_text(text)
        assert plan_install(codex, "user", environment, hook).action == "install"
    second = f'{odd}\n[plugins."cuecard@other"]\nenabled = true\n'
    for text in (f"model = 'm'\n\n{table}enabled = true\n\n[other]\nenabled = false\n", second):
        settings.write_text(text)
        with pytest.raises(HostFileError, match="the plugin `cuecard` is enabled"):
            plan_install(codex, "user", environment, hook)
    assert plan_install(qwen, "user", environment, hook).action == "install"
    (environment.home / ".qwen/extensions/cuecard").mkdir(parents=True)
    with pytest.raises(HostFileError, match="the plugin `cuecard` is in"):
        plan_install(qwen, "user", environment, hook)


def test_codex_says_that_hooks_must_be_trusted_and_stand_in_two_places(environment: HostEnvironment) -> None:
    codex = find_host("codex")
    assert any("/hooks" in note for note in codex.notes("user", environment))
    settings = environment.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    settings.write_text('model = "hooks"\n')
    assert not any("config.toml" in note for note in codex.notes("user", environment))
    settings.write_text('model = "x"\n[[hooks.Stop]]\n')
    assert any("config.toml" in note for note in codex.notes("user", environment))


def test_a_host_that_cannot_inject_says_so_and_asks_the_agent(environment: HostEnvironment, hook: list[str]) -> None:
    host = find_host("vscode")
    assert host.injection == "no"
    assert any("no prompt hook" in note for note in host.notes("project", environment))
    run(plan_install(host, "project", environment, hook))
    rule = host.file("project", environment).read_text()
    assert rule.startswith('---\napplyTo: "**"\n---\n')
    assert " recall --file FILE\n" in rule
    assert "`memory_search`" in rule
    with pytest.raises(UsageError, match="has no scope `user`"):
        choose_scope(host, "user")


def test_clines_program_answers_also_where_the_hook_is_silent(environment: HostEnvironment, hook: list[str]) -> None:
    host = find_host("cline")
    file = host.file("project", environment)
    run(plan_install(host, "project", environment, hook))
    assert stat.S_IMODE(file.stat().st_mode) & 0o111
    ran = subprocess.run([str(file)], input="{}", capture_output=True, text=True, check=True)
    assert ran.stdout == "prompt --host cline \n"
    for silent in ("#!/bin/sh\n", "#!/bin/sh\nexit 1\n"):
        Path(hook[0]).write_text(silent)
        ran = subprocess.run([str(file)], input="{}", capture_output=True, text=True, check=False)
        assert (ran.returncode, json.loads(ran.stdout)) == (0, {"cancel": False})
    assert look_up(host, "project", environment).commands == [[*hook, "prompt", "--host", "cline"]]


# Installed hosts, and hooks that would not work


def test_the_survey_tells_hosts_that_are_here_from_the_others(environment: HostEnvironment, tmp_path: Path) -> None:
    assert [one.host.name for one in survey(environment) if one.is_there] == []
    (environment.home / ".gemini").mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\n")
    (programs / "codex").chmod(0o755)
    found = survey(replace(environment, variables={"PATH": str(programs)}))
    assert [one.host.name for one in found if one.is_there] == ["codex", "gemini"]


@each(PLACES)
def test_a_hook_that_is_gone_is_a_problem(
    host: Host, scope: Scope, environment: HostEnvironment, hook: list[str]
) -> None:
    run(plan_install(host, scope, environment, hook))
    verdict = "warn" if host.waits_for(scope, environment) else "ok"
    assert [finding.verdict for finding in examine_hosts(environment)] == [verdict]
    Path(hook[0]).unlink()
    [finding] = examine_hosts(environment)
    if not wires_of(host.name):
        assert finding.verdict == "ok"
    else:
        assert finding.verdict == "fail"
        assert finding.details == [f"{host.file(scope, environment)}: `{hook[0]}` is gone"]


def test_without_any_installation_the_doctor_says_nothing(environment: HostEnvironment) -> None:
    assert examine_hosts(environment) == []


def test_a_file_that_cannot_be_read_is_a_problem_not_a_failure(environment: HostEnvironment) -> None:
    (environment.home / ".cursor").mkdir()
    (environment.home / ".cursor" / "hooks.json").write_text("{")
    [finding] = examine_hosts(environment)
    assert finding.details[0].endswith("hooks.json: line 1, column 2: the file ends too early")


# Commands


@pytest.mark.parametrize(
    ("words", "is_of_us"),
    [
        (["/x y/cuecard-hook", "prompt", "--host", "codex"], True),
        (["C:\\Program Files\\x\\cuecard-hook.exe", "guard"], True),
        (["cuecard-hook", "validate"], True),
        (["/py", "-I", "-m", "cuecard.hook", "prompt"], True),
        (["/x/cuecard-hook"], False),
        (["/x/cuecard-hook", "--version"], False),
        (["/x/my-cuecard-hook", "prompt"], False),
        (["env", "A=1", "cuecard-hook", "prompt"], False),
        (["/py", "-m", "cuecard.hook", "prompt"], False),
        (["sh", "/clone/hooks/cuecard-hook.sh", "prompt"], False),
        ([], False),
    ],
)
def test_only_what_we_write_is_ours(words: list[str], is_of_us: bool) -> None:
    assert is_ours(words) == is_of_us


@pytest.mark.parametrize("shell", ["posix", "powershell", "cmd"])
@pytest.mark.parametrize(
    "program", ["/usr/bin/x", "/a b/it's/cuecard-hook", "C:\\Program Files\\it's\\cuecard-hook.exe"]
)
def test_a_line_is_read_back_as_the_words_that_it_was_made_of(shell: shells.Shell, program: str) -> None:
    words = [program, "prompt", "--host", "codex"]
    if shell == "posix" and "\\" in program:
        pytest.skip("not a path of this system")
    assert shells.split(shells.join(words, shell)) == words
    if shell == "posix":
        assert shlex.split(shells.join(words, shell)) == words


def test_a_program_that_is_gone_or_cannot_be_run_is_a_problem(tmp_path: Path) -> None:
    program = tmp_path / "cuecard-hook"
    assert problem_of([str(program)]) == f"`{program}` is gone"
    program.write_text("")
    assert problem_of([str(program)]) == f"`{program}` cannot be run"
    program.chmod(0o755)
    assert problem_of([str(program)]) == ""


def test_an_unknown_host_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="unknown host `emacs`") as raised:
        find_host("emacs")
    assert "`gemini`" in raised.value.hint
