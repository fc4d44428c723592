"""What each host is given and told: its files, its plugin, its trust, and what the survey says of it."""

import json
import shlex
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cuecard.basics.light_dataclass import replace
from cuecard.errors import HostFileError, UsageError
from cuecard.hosts import shells
from cuecard.hosts.features import wires_of
from cuecard.hosts.hook_command import is_ours, problem_of, python_hook
from cuecard.hosts.host_environment import HostEnvironment, Scope
from cuecard.hosts.host_file import Host
from cuecard.hosts.installation import look_up, plan_install
from cuecard.hosts.registry import choose_scope, find_host
from cuecard.hosts.survey import examine_hosts, survey
from host_places import AWKWARD, PLACES, each, make_environment, make_hook, run


@pytest.fixture(params=["plain", AWKWARD], ids=["plain", "awkward"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> HostEnvironment:
    return make_environment(tmp_path / request.param)


@pytest.fixture
def hook(environment: HostEnvironment) -> list[str]:
    return make_hook(environment)


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
