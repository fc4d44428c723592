"""Shell completion: it suggests the right words, prints no raw text of a memory, and works in real shells."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_process import environment, run
from small_project import SampleMemory, write_project

EVIL_TITLE = "Evil \x1b[31mhook\x9b2J \u202etxet\n$(touch owned) `touch owned`"


def offered(project: Path, *words: str) -> tuple[str, list[str]]:
    """The kind of word to complete, and the suggestions for it; the last of `words` is being typed."""
    ran = run(project.parent, project, "__complete", *words)
    assert (ran.code, ran.stderr) == (0, "")
    kind, *lines = ran.stdout.splitlines()
    return kind, [line.partition("\t")[0] for line in lines]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sea"], ["search"]),
        (["--v"], ["--version"]),
        (["index", ""], ["rebuild", "validate", "query"]),
        (["show", "n"], ["native-hook", "no-network"]),
        (["show", "decision/n"], ["decision/native-hook"]),
        (["retire", "--reason", "gone", "nat"], ["native-hook"]),
        (["retire", "native-hook", ""], []),
        (["retire", "--reason", "nat"], []),
        (["trust", "twins", "nat"], ["native-hook"]),
        (["show", "--", "nat"], ["native-hook"]),
        (["show", "--js"], ["--json"]),
        (["show", "--json", "--js"], []),
        (["config", "retrieval.max_"], ["retrieval.max_inject", "retrieval.max_tokens"]),
        (["list", "-c", "de"], ["decision"]),
        (["list", "--category", "de"], ["decision"]),
        (["list", "--status", "a"], ["active", "archived", "all"]),
        (["search", "x", "--strategy", "ve"], ["vectors"]),
        (["recall", "--setting", "e"], ["eager"]),
        (["install", "co"], ["codex", "copilot"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["consolidate", "--dry"], ["--dry-run"]),
    ],
    ids=" ".join,
)
def test_a_word_is_completed_by_what_can_stand_there(project: Path, words: list[str], found: list[str]) -> None:
    assert offered(project, *words) == ("words", found)


def test_files_are_left_to_the_shell(project: Path) -> None:
    assert offered(project, "import", "") == ("files", [])
    assert offered(project, "show", "--root", "") == ("folders", [])


def test_memories_are_those_of_the_root_that_is_named(project: Path) -> None:
    words = ("show", "--root", str(project), "nat")
    assert run(project.parent, project.parent, "__complete", *words).stdout.startswith("words\nnative-hook\t")


@pytest.mark.parametrize("words", [["nothing", ""], ["index", "nothing", ""], ["show", "--nothing", ""], ["show", ""]])
def test_what_cannot_be_completed_says_nothing(tmp_path: Path, words: list[str]) -> None:
    ran = run(tmp_path, tmp_path, "__complete", *words)
    assert (ran.code, ran.stdout, ran.stderr) == (0, "", "")


def test_nothing_of_a_memory_is_printed_raw(tmp_path: Path) -> None:
    project = write_project(tmp_path / "evil", SampleMemory("decision", "evil", EVIL_TITLE))
    record = (project / ".claude" / "memory" / "decisions" / "evil.json").read_text()
    for name in ("a\x1b[2Jb", "a\nb", "a$(touch owned)", "a b", "a`b`"):
        (project / ".claude" / "memory" / "decisions" / f"{name}.json").write_text(record)
    ran = run(tmp_path, project, "__complete", "show", "")
    assert [line.partition("\t")[0] for line in ran.stdout.splitlines()] == ["words", "evil"]
    assert all(sign.isprintable() or sign in "\n\t" for sign in ran.stdout)


def test_other_shells_are_refused(tmp_path: Path) -> None:
    ran = run(tmp_path, tmp_path, "completion", "tcsh")
    assert ran.code == 2
    assert ran.stderr.splitlines()[1] == "hint: " + "use `bash`, `zsh`, `fish`"


# Real shells

BASH = """
eval "$(cuecard completion bash)"
COMP_WORDS=(cuecard {words}) COMP_CWORD={place}
_cuecard
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# This replaces the function of the line editor that gives the words to the script.
ZSH = """
compdef() {{ : }}
_describe() {{ print -rl -- "${{(@)${{(P)3}}%%:*}}" }}
_files() {{ print files }}
eval "$(cuecard completion zsh)"
words=(cuecard {words}) CURRENT=$(( {place} + 1 ))
_cuecard
"""
FISH = """
cuecard completion fish | source
complete --do-complete 'cuecard {line}' | string replace --regex '\\t.*' ''
true
"""


def ask_shell(shell: str, project: Path, words: list[str]) -> list[str]:
    """The suggestions of a shell that has loaded our script; the last of `words` is being typed."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"`{shell}` is not installed")
    quoted = " ".join([f"'{word}'" for word in words])
    script = {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell].format(
        words=quoted, place=len(words), line=" ".join(words)
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    options = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    ran = subprocess.run(
        [program, *options, "-c", script],
        cwd=project,
        env=environment(project.parent) | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sea"], ["search"]),
        (["index", "re"], ["rebuild"]),
        (["show", "nat"], ["native-hook"]),
        (["config", "retrieval.max_"], ["retrieval.max_inject", "retrieval.max_tokens"]),
    ],
    ids=" ".join,
)
def test_shells_offer_it(project: Path, shell: str, words: list[str], found: list[str]) -> None:
    assert ask_shell(shell, project, words) == found


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_shell_runs_what_it_is_given(tmp_path: Path, shell: str) -> None:
    project = write_project(tmp_path / "evil", SampleMemory("decision", "evil", EVIL_TITLE))
    assert ask_shell(shell, project, ["show", "ev"]) == ["evil"]
    assert not list(tmp_path.rglob("owned"))
