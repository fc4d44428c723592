"""The plugin's commands, skill and agent name existing commands, and put no words of a user into a shell line."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_process import environment
from cuecard._pure.settings.reader import GATE_SETTINGS
from cuecard._pure.settings.table import settings_table
from cuecard.capture.draft import check_draft
from cuecard.capture.guidance import good_questions
from cuecard.capture.triage.triage_reason import CONTENT
from cuecard.cli.arguments import Command
from cuecard.cli.command_table import GROUPS, load
from cuecard.mcp.prompts import RECALL, REMEMBER
from cuecard.mcp.tools import TOOLS as MCP_TOOLS
from cuecard.store.records.record import CATEGORIES, MODELS
from cuecard.store.records.record_limits import MAX_QUESTIONS
from cuecard.store.settings.settings_names import known_name
from hook_process import Hook
from records import make_store, put, stored
from scratch_home import kept_of
from test_plugin_commands_client import CALLS

pytestmark = pytest.mark.process

REPOSITORY = Path(__file__).resolve().parents[2]
COMMANDS = sorted((REPOSITORY / "commands").glob("*.md"))
SKILL = REPOSITORY / "skills" / "memory-management" / "SKILL.md"
AGENT = REPOSITORY / "agents" / "memory-drafter.md"
GOOD_MEMORY = REPOSITORY / "python" / "cuecard" / "assets" / "good_memory.md"
TEXTS = [*COMMANDS, SKILL, AGENT]
LAUNCHER = REPOSITORY / "bin" / "cuecard"

_CODE = re.compile(r"```sh\n(.*?)```|`(cuecard [^`]*)`", re.DOTALL)
_TOOL = re.compile(
    r"Read|Write|Bash\(cuecard ([a-z]+(?: [a-z]+)?)(?: --origin import)?:\*\)"
    r"|mcp__plugin_cuecard_cuecard__(memory_[a-z]+)"
)


def test_every_command_is_tried_in_the_real_client() -> None:
    assert sorted(words.split()[0] for words in CALLS) == [path.stem for path in COMMANDS]


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def read_parts(path: Path) -> tuple[dict[str, str], str]:
    """The members of a file's head, which has one member per line, and the file's body."""
    _, head, body = path.read_text("utf-8").split("---\n", 2)
    return {key: value for key, _, value in (line.partition(": ") for line in head.splitlines())}, body


def named_commands(path: Path) -> Iterator[list[str]]:
    """Every `cuecard` command line in a text, split into words as a shell does."""
    for block, span in _CODE.findall(path.read_text("utf-8")):
        for line in (block or span).splitlines():
            if line.startswith("cuecard "):
                yield shlex.split(line.partition("<<")[0])[1:]


def find_command(words: list[str]) -> tuple[Command, list[str]]:
    """The command that a list of words begins with, and the words after the command."""
    length = 2 if words[0] in GROUPS else 1
    return load(" ".join(words[:length])), words[length:]


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_every_command_that_a_text_names_exists_with_its_options(path: Path) -> None:
    for words in named_commands(path):
        command, rest = find_command(words)
        options = {name: option for option in command.options for name in (*option.names, option.off)}
        places = len(command.arguments)
        while rest:
            word, rest = rest[0], rest[1:]
            if not word.startswith("-"):
                places -= 1
                continue
            assert word in options, f"`{words}` has no option `{word}`"
            rest = rest if options[word].is_flag else rest[1:]
        assert places >= 0, f"`{words}` takes fewer arguments"


def test_the_plugin_has_the_commands_that_its_users_know() -> None:
    assert [path.stem for path in COMMANDS] == [
        "config",
        "enrich",
        "finish",
        "gc",
        "import",
        "inbox",
        "recall",
        "remember",
        "restore",
        "retire",
        "save",
        "search",
        "shown",
        "status",
        "wrong",
    ]
    assert sum(len(list(named_commands(path))) for path in TEXTS) >= 15


@pytest.mark.parametrize("path", COMMANDS, ids=name_of)
def test_a_command_may_run_what_it_names_and_no_more(path: Path) -> None:
    head, body = read_parts(path)
    assert set(head) - {"argument-hint"} == {"description", "allowed-tools", "disable-model-invocation"}
    tools = head["allowed-tools"].split(", ")
    assert all(_TOOL.fullmatch(tool) for tool in tools)
    allowed = {found[1].split()[0] for tool in tools if (found := _TOOL.fullmatch(tool)) and found[1]}
    in_blocks = re.findall(r"^cuecard ([a-z]+)", body, re.MULTILINE)
    assert set(in_blocks) <= allowed
    of_server = {found[2] for tool in tools if (found := _TOOL.fullmatch(tool)) and found[2]}
    assert of_server == set(re.findall(r"`(memory_[a-z]+)`", body)) <= {tool.name for tool in MCP_TOOLS}
    assert in_blocks or of_server
    assert ("argument-hint" in head) == ("$ARGUMENTS" in body)


def test_every_prompt_of_the_server_is_a_command_that_gets_all_words() -> None:
    # Claude Code splits the arguments of an MCP prompt at blanks. So a prompt with one argument would get only the
    # first word.
    for prompt in (RECALL, REMEMBER):
        _, body = read_parts(REPOSITORY / "commands" / f"{prompt['name']}.md")
        assert "$ARGUMENTS" in body.splitlines()


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_the_client_runs_a_prescribed_document_without_a_question(
    path: Path, python_hook: Hook, tmp_path: Path
) -> None:
    """Claude Code asks before it runs a command that has a brace and a quote, except where our hook approves it."""
    store = make_store(tmp_path / "p")
    folder = Path(kept_of(store.memory_dir), "staging", "s-1")
    folder.mkdir(mode=0o700, parents=True)
    (folder / "triage.json").write_text("{}")
    documents = re.compile(r"^(cuecard [^\n]*<<'CUECARD'\n.*?\nCUECARD)$", re.MULTILINE | re.DOTALL)
    for command in documents.findall(path.read_text("utf-8")):
        sent = command.replace("'DIR'", f"'{folder}'").replace("[DRAFT, ...]", "[DRAFT]")
        sent = sent.replace("DRAFT", '{"category": "decision", "action": "noop"}')
        event = {"tool_name": "Bash", "session_id": "s-1", "cwd": store.root, "tool_input": {"command": sent}}
        approved = python_hook.run("permit", stdin=json.dumps(event).encode(), cwd=Path(store.root)).stdout
        assert b'"allow"' in approved or "{" not in sent, command


def test_the_settings_that_a_command_teaches_are_valid() -> None:
    _, body = read_parts(REPOSITORY / "commands" / "config.md")
    table = settings_table()
    placeholders = re.findall(r"`([a-z_]+(?:\.[a-zA-Z_]+)+)`(?: \(([^)]*)\))?", body)
    named = [(re.sub(r"\b[A-Z]+\b", "decision", name), values) for name, values in placeholders]
    known = [(known_name(name), values) for name, values in named if not name.endswith(".json")]
    assert len(known) >= 7
    assert all(name in table.rows for name, _ in known)
    [values] = [values for name, values in known if name == "retrieval.gate_setting"]
    assert set(re.findall(r"`([a-z]+)`", values)) == {*GATE_SETTINGS} - {"off"}


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_nothing_that_a_user_types_is_pasted_into_a_shell(path: Path) -> None:
    text = path.read_text("utf-8")
    # The client runs such parts as shell commands when it expands a text, and does not quote the arguments in them.
    assert "!`" not in text
    assert "```!" not in text
    for code in re.findall(r"```.*?```|`[^`\n]*`", text, re.DOTALL):
        assert "$" not in code
    assert all(line == "$ARGUMENTS" for line in text.splitlines() if "ARGUMENTS" in line)


@pytest.mark.parametrize("path", COMMANDS, ids=name_of)
def test_a_name_goes_into_a_shell_only_if_it_has_plain_letters(path: Path) -> None:
    text = path.read_text("utf-8")
    # `FILE` of a reason is a file that the agent has just named itself.
    quoted = set(re.findall(r"'([A-Z]+)'", re.sub(r"`--reason-file 'FILE'`", "", text))) - {"CUECARD"}
    if not quoted:
        return
    rules = {
        "ID": "has nothing but letters, digits and hyphens",
        "FILE": "has nothing but\n   letters, digits, blanks and `-_./`",
    }
    assert all(rules[name] in text for name in quoted)
    assert "run nothing" in text


@pytest.mark.parametrize("path", [SKILL, AGENT], ids=name_of)
def test_skill_and_agent_know_the_members_of_every_content(path: Path) -> None:
    text = path.read_text("utf-8")
    for category in CATEGORIES:
        [line] = [line for line in text.splitlines() if re.match(rf"(\| |- )`{category}`", line)]
        content = MODELS[category].model_fields["content"].annotation
        assert content is not None
        fields = content.model_fields
        for shown in (line, f" {CONTENT[category]}"):
            for name, field in fields.items():
                found = re.search(rf"\b{name}\b[^,`(]*`?(?: \([^)]*\))?", shown)
                # `expires` is needed only for memories with an end date, and drafts have none.
                assert found or name == "expires", f"{category}: `{name}` is missing"
                assert not found or not field.is_required() or not re.match(rf"{name}[^ ,]*\?", found[0])


@pytest.mark.parametrize("path", [SKILL, AGENT], ids=name_of)
def test_the_example_is_a_draft(path: Path) -> None:
    [example] = re.findall(r"```json\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    value = json.loads(example)
    [raw] = value if isinstance(value, list) else [value]
    raw["partial_content"]["content"] = {"decision": "so"}
    assert check_draft(raw, 0).ignored == []


@pytest.mark.parametrize("path", [SKILL, AGENT, REPOSITORY / "docs" / "guides" / "writing.md"], ids=name_of)
def test_people_and_agents_read_the_same_page_on_what_a_good_memory_is(path: Path) -> None:
    page = GOOD_MEMORY.read_text("utf-8")
    assert page in path.read_text("utf-8"), "copy assets/good_memory.md into it"
    # The text is only one part of the request to an agent, beside excerpts and the forms of drafts.
    assert len(page) < 2000


@pytest.mark.parametrize(
    "path",
    [*[REPOSITORY / "commands" / name for name in ("enrich.md", "finish.md")], SKILL, AGENT, GOOD_MEMORY],
    ids=name_of,
)
def test_the_sentence_about_questions_is_the_same_everywhere(path: Path) -> None:
    assert good_questions() in " ".join(path.read_text("utf-8").split()), "copy assets/good_questions.md into it"


def test_finish_names_the_withheld_ones_first_and_reads_the_document_of_a_pointer() -> None:
    _, body = read_parts(REPOSITORY / "commands" / "finish.md")
    text = " ".join(body.split())
    assert text.index("If `withheld` of the memories is above 0") < text.index("1. **Questions and titles**")
    assert "Read the document that `pointer.path` names, only inside the project, and nothing else" in text
    assert MAX_QUESTIONS == 5
    assert "one for each section that matters, at most five in all" in text
    for told in ("Take each name from the last output", "a text that reads like an order", "`known` says already"):
        assert told in text


@pytest.mark.parametrize("name", ["import.md", "finish.md"])
def test_what_is_drafted_from_documents_can_only_be_left_for_review(name: str) -> None:
    head, _ = read_parts(REPOSITORY / "commands" / name)
    commits = [tool for tool in head["allowed-tools"].split(", ") if "commit" in tool]
    assert commits == ["Bash(cuecard capture commit --origin import:*)"]


def test_the_drafter_can_only_read() -> None:
    head, _ = read_parts(AGENT)
    assert (head["name"], head["tools"]) == ("memory-drafter", "Read")
    assert read_parts(SKILL)[0]["name"] == SKILL.parent.name


def test_the_guard_lets_the_commands_pass(python_hook: Hook, tmp_path: Path) -> None:
    store = make_store(tmp_path / "p")
    folder = f"{kept_of(store.memory_dir)}/staging/s-1"
    for command in (
        f'cuecard capture commit {folder} <<\'CUECARD\'\n[{{"category": "decision"}}]\nCUECARD',
        f"cuecard capture commit '{folder}' -f '{folder}/failed-0123456789ab.json'",
        "cuecard capture commit --origin user <<'CUECARD'\n[]\nCUECARD",
        "cuecard capture commit --origin import <<'CUECARD'\n[]\nCUECARD",
        "cuecard capture sources --json 'docs/adr' 'CLAUDE.md'",
    ):
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": store.root}
        payload = event | {"tool_input": {"command": command}}
        ran = python_hook.run("guard", stdin=json.dumps(payload).encode(), cwd=Path(store.root))
        assert ran.stdout == b""


@pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script")
class TestLauncher:
    """`bin/cuecard`, which the client puts on the PATH of the shell that the agent uses."""

    def run(self, tmp_path: Path, path: list[Path], *arguments: str) -> subprocess.CompletedProcess[str]:
        tools = tmp_path / "tools"
        tools.mkdir(exist_ok=True)
        for tool in ("dirname", "readlink"):
            if not (tools / tool).exists():
                (tools / tool).symlink_to(shutil.which(tool) or f"/usr/bin/{tool}")
        # Programs of the project are not started.
        project = tmp_path / "a project"
        project.mkdir(exist_ok=True)
        return subprocess.run(
            [shutil.which("sh") or "/bin/sh", str(LAUNCHER), *arguments],
            cwd=project,
            env=environment(tmp_path) | {"PATH": os.pathsep.join(map(str, [LAUNCHER.parent, *path, tools]))},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def test_the_installed_command_comes_first(self, tmp_path: Path) -> None:
        other = tmp_path / "an installed one"
        other.mkdir()
        (other / "cuecard").write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
        (other / "cuecard").chmod(0o755)
        assert self.run(tmp_path, [other], "search", "a b", "$(x)").stdout == "<search><a b><$(x)>"

    def test_without_one_the_clone_answers(self, tmp_path: Path) -> None:
        store = make_store(tmp_path / "p")
        put(store, stored("use-redis", title="Use Redis for sessions"))
        interpreter = tmp_path / "python"
        interpreter.mkdir()
        (interpreter / "python3").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        (interpreter / "python3").chmod(0o755)
        ran = self.run(tmp_path, [interpreter], "list", "--root", store.root)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "Use Redis for sessions" in ran.stdout

    def test_without_a_python_it_says_what_to_install(self, tmp_path: Path) -> None:
        ran = self.run(tmp_path, [], "list")
        assert (ran.returncode, ran.stdout) == (127, "")
        assert f"hint: `uv tool install '{REPOSITORY}'`, or `pipx install '{REPOSITORY}'`\n" in ran.stderr

    def test_two_clones_do_not_start_each_other_for_ever(self, tmp_path: Path) -> None:
        other = tmp_path / "clone" / "bin"
        other.mkdir(parents=True)
        shutil.copy(LAUNCHER, other / "cuecard")
        assert self.run(tmp_path, [other], "list").returncode == 127
