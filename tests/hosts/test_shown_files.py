"""A prompt does not repeat what the host itself shows its agent, in files such as `CLAUDE.md`."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cuecard import Store
from cuecard._backend import hosted_is_stale
from cuecard.basics.time_limit import check_time
from cuecard.files.environment import Environment
from cuecard.hosts import shown_files
from cuecard.hosts.shown_files import refresh, refresh_quietly
from cuecard.importers.draft import Reading
from cuecard.store.log.events import read_events
from hook_process import Hook, Outcome, find_executable
from scratch_home import kept_of

RETRIED = "Failed payments are retried through a queue in Postgres, never in the request."
CENTS = "Amounts of payments are whole cents, never floating point numbers."
PROMPT = "how are failed payments retried, and how do we keep amounts of payments?"
Ask = Callable[..., Outcome]


@pytest.fixture
def home(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of the hook, which is also that of this process."""
    folder = hook.scratch / "home"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(folder))
    # The account of a test has another home folder.
    monkeypatch.setattr("cuecard.hosts.shown_files.account_home", lambda: str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a decision and a constraint about payments."""
    root = tmp_path / "project"
    for category, folder, field, said in (
        ("decision", "decisions", "decision", RETRIED),
        ("constraint", "constraints", "rule", CENTS),
    ):
        file = root / ".claude/memory" / folder / f"{field}.json"
        file.parent.mkdir(parents=True)
        title = f"Payments: {'retries of failed payments' if field == 'decision' else 'amounts of payments'}"
        record = {"title": title, "category": category, "tags": ["payments"], "content": {field: said}}
        file.write_text(json.dumps({"id": field, "record_status": "active", **record}))
    return root


@pytest.fixture
def ask(hook: Hook, project: Path) -> Ask:
    def ask(session: str = "first", host: str = "claude-code", where: Path = project, **more: str) -> Outcome:
        variables = {name: value for name, value in more.items() if name.isupper()}
        members = {name: value for name, value in more.items() if name not in variables}
        sent = json.dumps({"prompt": PROMPT, "cwd": str(where), "session_id": session, **members}).encode()
        ran = hook.run("prompt", "--host", host, stdin=sent, cwd=where, **variables)
        assert (ran.code, ran.stderr) == (0, b"")
        return ran

    return ask


def shown(ran: Outcome) -> list[str]:
    """Which of the two memories a block has."""
    return [name for name, words in (("decision", b"retries of"), ("rule", b"amounts of")) if words in ran.stdout]


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def read_files(project: Path, host: str = "claude-code") -> None:
    refresh(host, str(project), Environment())


def test_what_the_host_shows_is_not_repeated_and_the_log_says_why(home: Path, project: Path, ask: Ask) -> None:
    assert shown(ask()) == ["decision", "rule"]
    file = write(project / "CLAUDE.md", f"# Payments\n\n- {RETRIED}\n- Amounts are checked. **{CENTS}**\n")
    write(home / ".claude/CLAUDE.md", f"{CENTS}\n")
    read_files(project)
    assert shown(ask("second")) == []
    [*_, event] = read_events(Store(project).memory_dir).events
    assert event.silence == "hosted"
    assert {memory.outcome for memory in event.memories} == {"hosted"}
    # A host that does not show this file gets the memories.
    assert shown(ask("third", "kimi")) == ["decision", "rule"]
    file.write_text("# Payments\n")
    read_files(project)
    assert shown(ask("fourth")) == ["decision"]


def test_a_whole_section_that_the_host_shows_is_not_repeated(home: Path, project: Path, ask: Ask) -> None:
    section = f"- {CENTS}\n- Never round an amount of a payment twice.\n\n```py\nround(cents)\n```"
    file = project / ".claude/memory/constraints/rule.json"
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "content": {"rule": section}}))
    write(home / ".claude/CLAUDE.md", f"# Rules\n\n## Amounts\n\n{section}\n")
    read_files(project)
    assert shown(ask()) == ["decision"]
    write(home / ".claude/CLAUDE.md", f"# Rules\n\n## Amounts\n\n{section.replace('twice', 'again')}\n")
    read_files(project)
    assert shown(ask("second")) == ["decision", "rule"]


def test_a_file_of_the_project_silences_no_rule_that_somebody_vouches_for(home: Path, project: Path, ask: Ask) -> None:
    write(project / "CLAUDE.md", f"These rules are obsolete:\n\n- {CENTS}\n- {RETRIED}\n")
    read_files(project)
    assert shown(ask()) == ["rule"]


@pytest.mark.parametrize(
    "text",
    [
        "It is no longer true that {}",
        "```\n{}\n```",
        "> {}",
        "<!-- {} -->",
        "- ~~{}~~",
        "| rule |\n| --- |\n| {} |",
        "# {}",
    ],
)
def test_only_a_whole_sentence_in_the_text_counts(home: Path, project: Path, ask: Ask, text: str) -> None:
    write(home / ".claude/CLAUDE.md", f"Rules of payments.\n\n{text.format(RETRIED)}\n")
    read_files(project)
    assert shown(ask()) == ["decision", "rule"]


def test_files_that_are_included_count_as_far_as_they_lie_in_the_project(
    home: Path, project: Path, tmp_path: Path, ask: Ask
) -> None:
    write(project / "CLAUDE.md", "Read @docs/rules.md and @../outside.md and @loop.md.\n")
    write(tmp_path / "outside.md", f"{RETRIED}\n")
    write(project / "loop.md", "See @CLAUDE.md.\n")
    rules = write(project / "docs/rules.md", "Nothing.\n")
    read_files(project)
    assert shown(ask()) == ["decision", "rule"]
    rules.write_text(f"{RETRIED}\n")
    read_files(project)
    assert shown(ask("second")) == ["rule"]


def test_the_index_of_claude_codes_own_notes_counts_as_the_projects(home: Path, project: Path, ask: Ask) -> None:
    """The agent has written these notes: nobody vouches for them."""
    slug = re.sub("[^A-Za-z0-9]", "-", os.path.realpath(project))
    index = home / f".claude/projects/{slug}/memory/MEMORY.md"
    write(index, f"- No longer true:\n- {CENTS}\n- {RETRIED}\n")
    read_files(project)
    assert shown(ask()) == ["rule"]
    write(index, "\n".join([*["- x"] * 200, f"- {RETRIED}"]))
    read_files(project)
    assert shown(ask("second")) == ["decision", "rule"]
    write(index, f"- {RETRIED}\n")
    write(home / ".claude/settings.json", '{"autoMemoryEnabled": false}')
    read_files(project)
    assert shown(ask("third")) == ["decision", "rule"]


def test_files_that_the_host_leaves_out_do_not_count(home: Path, project: Path, ask: Ask) -> None:
    write(project / "CLAUDE.md", f"{RETRIED}\n")
    write(project / ".claude/settings.local.json", '{"claudeMdExcludes": ["**/CLAUDE.md"]}')
    read_files(project)
    assert shown(ask()) == ["decision", "rule"]


def test_a_folder_that_a_variable_moves_into_the_project_is_not_the_users(
    home: Path, project: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / "mine/CLAUDE.md", f"- {CENTS}\n- {RETRIED}\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(project / "mine"))
    read_files(project)
    assert shown(ask(CLAUDE_CONFIG_DIR=str(project / "mine"))) == ["rule"]


def test_a_folder_that_a_variable_names_is_not_the_users_and_is_forgotten_without_it(
    home: Path, project: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of a project can set the variable, and lead to a repository of somebody else."""
    other = tmp_path / "other"
    write(other / "CLAUDE.md", f"It was wrong that:\n\n- {CENTS}\n- {RETRIED}\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(other))
    read_files(project)
    assert shown(ask(CLAUDE_CONFIG_DIR=str(other))) == ["rule"]
    assert shown(ask("second")) == ["decision", "rule"]
    read_files(project)
    place = (str(project), str(project / ".claude/memory"))
    assert not hosted_is_stale(place, "claude-code", str(project), str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert hosted_is_stale(place, "claude-code", str(project), str(home))


def test_a_home_that_a_variable_names_is_not_the_users(
    home: Path, project: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / ".claude/CLAUDE.md", f"- {CENTS}\n- {RETRIED}\n")
    monkeypatch.setattr("cuecard.hosts.shown_files.account_home", lambda: str(home.parent / "another"))
    read_files(project)
    assert shown(ask()) == ["rule"]


@pytest.mark.parametrize(
    ("host", "file", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"claudeMdExcludes": ["**/CLAUDE.md"]}'),
        ("gemini", "~/.gemini/trustedFolders.json", "{}"),
        ("codex", "~/.codex/config.toml", "project_doc_max_bytes = 0\n"),
        ("codex", ".codex/config.toml", "project_doc_max_bytes = 0\n"),
        ("codex", "~/.codex/config.toml", 'project_root_markers = ["WORKSPACE"]\n'),
    ],
)
def test_settings_that_have_changed_since_count_at_once_when_a_session_begins(
    home: Path, project: Path, ask: Ask, host: str, file: str, text: str
) -> None:
    for name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md"):
        write(project / name, f"- {RETRIED}\n")
    write(home / ".gemini/trustedFolders.json", json.dumps({str(project): "TRUST_FOLDER"}))
    read_files(project, host)
    assert shown(ask("first", host)) == ["rule"]
    write(home / file[2:] if file.startswith("~/") else project / file, text)
    assert shown(ask("second", host)) == ["decision", "rule"]
    read_files(project, host)
    assert shown(ask("third", host)) == ["decision", "rule"]


def test_only_the_part_of_a_file_that_the_host_shows_counts(home: Path, project: Path, ask: Ask) -> None:
    filler = "Words that say nothing.\n" * 1500
    write(project / "AGENTS.md", f"{filler}\n- {RETRIED}\n")
    read_files(project, "codex")
    assert shown(ask("first", "codex")) == ["decision", "rule"]
    write(project / "AGENTS.md", f"- {RETRIED}\n\n{filler}")
    read_files(project, "codex")
    assert shown(ask("second", "codex")) == ["rule"]


def test_what_codex_shows_of_the_folders_above_counts_towards_its_limit(home: Path, project: Path, ask: Ask) -> None:
    filler = "Words that say nothing.\n" * 1500
    write(project / "AGENTS.md", f"- {RETRIED}\n")
    above = write(project.parent / "AGENTS.md", filler)
    # Without a repository, Codex looks at no folder above.
    read_files(project, "codex")
    assert shown(ask("first", "codex")) == ["rule"]
    (project.parent / ".git").mkdir()
    read_files(project, "codex")
    assert shown(ask("second", "codex")) == ["decision", "rule"]
    above.write_text("Nothing.\n")
    read_files(project, "codex")
    assert shown(ask("third", "codex")) == ["rule"]
    # The list is out of date as soon as such a file has changed.
    above.write_text(filler)
    assert shown(ask("fourth", "codex")) == ["decision", "rule"]


def test_a_worktree_without_memories_has_a_list_of_its_own(home: Path, project: Path, ask: Ask) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=project, check=True)

    git("init", "-q")
    write(project / ".gitignore", ".claude/\n")
    git("add", ".gitignore")
    git("commit", "-qm", "first")
    write(project / "CLAUDE.md", f"- {RETRIED}\n")
    # One lies beside the project, and one in it.
    for worktree in (project.parent / "beside", project / "trees/inside"):
        git("worktree", "add", "-q", "--detach", str(worktree))
        read_files(project)
        assert shown(ask(f"{worktree.name} 1")) == ["rule"]
        assert shown(ask(f"{worktree.name} 2", where=worktree)) == ["decision", "rule"]
        read_files(worktree)
        assert shown(ask(f"{worktree.name} 3", where=worktree)) == ["decision", "rule"]
        write(worktree / "CLAUDE.md", f"- {RETRIED}\n")
        read_files(worktree)
        assert shown(ask(f"{worktree.name} 4", where=worktree)) == ["rule"]
        assert shown(ask(f"{worktree.name} 5")) == ["rule"]


def test_the_lists_of_other_checkouts_are_bounded(home: Path, project: Path) -> None:
    kept = kept_of(project / ".claude/memory") / "hosted"
    read_files(project)
    for number in range(30):
        os.utime(write(kept / f"claude-code.{number}", ""), (number, number))
    read_files(project)
    assert sorted(file.name for file in kept.iterdir()) == sorted(
        ["claude-code", *[f"claude-code.{number}" for number in range(10, 30)]]
    )


def test_a_link_out_of_the_project_is_not_followed(home: Path, project: Path, tmp_path: Path, ask: Ask) -> None:
    secret = write(tmp_path / "elsewhere.md", f"{RETRIED}\n")
    (project / "CLAUDE.md").symlink_to(secret)
    read_files(project)
    assert shown(ask()) == ["decision", "rule"]


@pytest.mark.parametrize("more", [{"source": "sdk"}, {"agent_id": "a1"}])
def test_a_prompt_that_nobody_typed_gets_everything(home: Path, project: Path, ask: Ask, more: dict[str, str]) -> None:
    write(project / "CLAUDE.md", f"{RETRIED}\n")
    read_files(project)
    assert shown(ask(**more)) == ["decision", "rule"]


def test_the_list_has_no_text_and_is_private(home: Path, project: Path) -> None:
    write(project / "CLAUDE.md", f"{RETRIED}\n")
    read_files(project)
    file = kept_of(project / ".claude/memory") / "hosted/claude-code"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "payments" not in file.read_text().replace(str(project), "").lower()


def test_a_large_file_is_not_read_and_the_list_is_bounded(home: Path, project: Path) -> None:
    write(project / "CLAUDE.md", "".join([f"- This is the rule with number {number}.\n" for number in range(20_000)]))
    write(project / "CLAUDE.local.md", "".join([f"- Rule number {number} is here.\n" for number in range(4500)]))
    read_files(project)
    lines = (kept_of(project / ".claude/memory") / "hosted/claude-code").read_text().splitlines()
    assert len([line for line in lines if line.startswith("project ")]) == 4000


def test_the_sections_of_all_files_have_one_limit_of_time(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, read = [0.0], []

    def take_time(_document: object, name: str, _text: str) -> Reading:
        read.append(name)
        now[0] += shown_files.SECTION_SECONDS / 2
        check_time()
        return Reading()

    monkeypatch.setattr("cuecard.basics.time_limit.clock", lambda: now[0])
    monkeypatch.setattr(shown_files, "read_instructions", take_time)
    names = [f"part-{at}.md" for at in range(8)]
    for name in names:
        write(project / name, f"See {name}.\n")
    write(project / "CLAUDE.md", "\n".join([f"@{name}" for name in names]))
    # A project cannot use up the time for the user's own file.
    write(home / ".claude/CLAUDE.md", CENTS)
    read_files(project)
    assert len(read) == 3
    assert read[:2] == ["CLAUDE.md", "CLAUDE.md"]
    read.clear()
    monkeypatch.setattr(shown_files, "MAX_KEYS", 1)
    read_files(project)
    assert read == []


def test_a_folder_without_a_project_gets_no_list(home: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert refresh_quietly("claude-code", str(tmp_path / "empty"), Environment()) == ""
    assert refresh_quietly("plain", str(tmp_path / "empty"), Environment()) == ""


@pytest.mark.parametrize("event", ["session", "prompt"])
def test_the_files_are_read_when_a_session_begins_and_when_they_have_changed(
    home: Path, project: Path, hook: Hook, ask: Ask, event: str
) -> None:
    """The Python door to the native engine starts no process, so it is left out where the other tests leave it out."""
    file = write(project / "CLAUDE.md", f"{RETRIED}\n")

    def begin(session: str) -> None:
        if event == "prompt":
            ask(session)
        else:
            sent = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(project), "session_id": session}
            hook.run("session", stdin=json.dumps(sent).encode(), cwd=project)
        hook.wait_for_background()

    kept = kept_of(project / ".claude/memory") / "hosted/claude-code"
    begin("first")
    first = kept.read_bytes()
    assert shown(ask("second")) == ["rule"]
    begin("third")
    assert kept.read_bytes() == first
    file.write_text("# Nothing any more, but a longer text than before, so that the size of the file is another one.\n")
    begin("fourth")
    assert kept.read_bytes() != first
    assert shown(ask("fifth")) == ["decision", "rule"]


def test_the_process_in_the_background_is_told_the_folder_alone(home: Path, project: Path, tmp_path: Path) -> None:
    """A prompt may be larger than the buffer of a pipe, and the hook would wait until somebody reads it."""
    executable = find_executable()
    if executable is None:
        pytest.skip("there is no native executable")
    programs = tmp_path / "programs"
    programs.mkdir()
    hook = Hook((str(shutil.copy2(executable, programs)),), {}, tmp_path / "hook")
    interpreter = write(programs / "python3", f"#!/bin/sh\ncat > {programs}/new\nmv {programs}/new {programs}/told\n")
    interpreter.chmod(0o755)
    write(project / "CLAUDE.md", f"{RETRIED}\n")
    sent = {"prompt": PROMPT + " and so on" * 20_000, "cwd": str(project), "session_id": "first"}
    hook.run("prompt", "--host", "claude-code", stdin=json.dumps(sent).encode(), cwd=tmp_path)
    hook.wait_for_background()
    assert json.loads((programs / "told").read_text()) == {"cwd": str(project)}
