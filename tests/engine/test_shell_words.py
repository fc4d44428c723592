"""Our texts never ask an agent to put a user's words into a shell line, where `$(...)` would be run."""

import re
import shlex
from pathlib import Path

import pytest

from command_process import run
from cuecard.capture.triage.triage_reason import Item, write_reason
from cuecard.hosts import registry
from cuecard.hosts.host_environment import HostEnvironment
from cuecard.mcp import prompts, server
from cuecard.mcp.tools import TOOLS
from small_project import write_project

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "python" / "cuecard"
# Placeholders whose values are chosen by cuecard or the agent itself; these values have no special meaning in a shell.
SAFE_PLACES = {"ID", "SLUG", "DIR", "FILE", "ID|SLUG"}
_COMMANDS = re.compile(r"```sh\n(.*?)```|`((?:cuecard|COMMAND) [^`]*)`|more=\\?\"(cuecard [^\"\\]*)", re.DOTALL)


def agent_texts() -> dict[str, str]:
    """Every text that an agent reads, by the name of its file or place."""
    files = [*REPOSITORY.glob("commands/*.md"), *REPOSITORY.glob("skills/*/*.md"), *REPOSITORY.glob("agents/*.md")]
    names = ("hosts/programs/vscode.py", "_pure/present/packing.py", "capture/commit_outcome.py")
    files += [PACKAGE / name for name in names]
    texts = {path.relative_to(REPOSITORY).as_posix(): path.read_text("utf-8") for path in files}
    texts["the reason of Stop"] = write_reason([Item("decision", 1.0, "", "a line")], "/a folder/s-1", "cuecard")
    texts["the instructions of the MCP server"] = server.INSTRUCTIONS
    texts["the prompts of the MCP server"] = prompts.INSTRUCTION
    for tool in TOOLS:
        texts[f"the tool {tool.name}"] = str(tool.listed["description"])
    return texts


TEXTS = agent_texts()


@pytest.mark.parametrize("where", TEXTS)
def test_commands_for_agents_have_no_place_for_words(where: str) -> None:
    for found in _COMMANDS.findall(TEXTS[where]):
        for line in "".join(found).splitlines():
            if not re.match(r"(?:cuecard|COMMAND) ", line):
                continue
            words = shlex.split(line.partition("<<")[0])
            places = {word for word in words[1:] if re.search(r"[A-Z]{2}", word)}
            assert places <= SAFE_PLACES, line
            assert not any(" " in word for word in words), line


@pytest.mark.parametrize("where", TEXTS)
def test_no_text_offers_quotes_for_words_of_others(where: str) -> None:
    for word in ('the request"', "'WORDS'", "'WHY'", "'MEMORY'", '"QUERY"', '"PROMPT"', "ID|TITLE"):
        assert word not in TEXTS[where]


def test_the_files_that_hosts_get_have_no_place_for_words(tmp_path: Path) -> None:
    environment = HostEnvironment(tmp_path / "home", tmp_path / "project", {})
    for host in registry.HOSTS:
        content = getattr(host, "content", None)
        if content is None:
            continue
        text = content(["cuecard-hook"], environment)
        assert not re.search(r"recall (?!--file FILE)\S", text), host.name
        assert "$prompt" not in text
        assert "${prompt}" not in text


def test_the_reason_of_stop_quotes_its_folder() -> None:
    folder = "/home/a b/$(reboot)`x`'y"
    reason = write_reason([Item("decision", 1.0, "", "")], folder, "cuecard")
    [line] = [line for line in reason.splitlines() if "capture commit" in line]
    assert shlex.split(line.partition("<<")[0])[-1] == folder


def test_recall_and_search_read_their_words_from_a_file_or_standard_input(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    words = "why is the hook a native executable and no `script` of $(python)?\n"
    file = tmp_path / "request.txt"
    file.write_text(words)
    for command in ("recall", "search"):
        given = run(tmp_path, project, command, words.strip())
        assert given.stdout
        assert run(tmp_path, project, command, "-", stdin=words) == given
        assert run(tmp_path, project, command, "--file", file) == given
        assert run(tmp_path, project, command, "--file", "-", stdin=words) == given
        assert run(tmp_path, project, command, words, "--file", file).code == 2
        assert run(tmp_path, project, command).code == 2
        assert "cannot be read" in run(tmp_path, project, command, "--file", tmp_path / "none").stderr


def test_a_reason_is_read_from_a_file(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    file = tmp_path / "reason.txt"
    file.write_text("it is `over` $(now)\n")
    assert run(tmp_path, project, "retire", "twins", "--archive", "--reason-file", file).code == 0
    shown = run(tmp_path, project, "show", "twins", "--json").document["record"]
    assert shown["archived_reason"] == "it is `over` $(now)"
