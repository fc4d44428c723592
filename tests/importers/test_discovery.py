"""Which sources are found in a project and at home, and which are not."""

import os
from pathlib import Path

import pytest

from cuecard.importers.discovery import FoundSources, find_sources
from home_with_project import RULES, Machine, fill
from old_sessions import rollout

NOTE = "---\nname: pnpm\ndescription: pnpm is used\ntype: feedback\n---\nUse pnpm.\n\n**Why:** the lock file.\n"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_sources_of_the_project_are_found_once(machine: Machine) -> None:
    fill(machine)
    for path in (
        ".cursor/rules/a.mdc",
        "packages/api/AGENTS.md",
        ".github/copilot-instructions.md",
        "ops/runbooks/tls/renew.md",
        ".memsearch/memory/2026-01-01.md",
        # The files below are not sources, so they must not be found.
        "README.md",
        "CLAUDE.local.md",
        "tests/fixtures/CLAUDE.md",
        "node_modules/dep/CLAUDE.md",
        "lib/other/AGENTS.md",
        ".claude/memory/decisions/CLAUDE.md",
    ):
        machine.put(path, RULES)
    machine.put("lib/other/.git", "gitdir: elsewhere\n")
    (machine.root / "AGENTS.md").symlink_to("CLAUDE.md")
    [own, *_others] = find_sources(str(machine.root), str(machine.home), {})
    assert [os.path.relpath(path, machine.root) for path in own.paths] == [
        ".cursor/rules",
        ".github/copilot-instructions.md",
        ".memsearch",
        # `AGENTS.md` is a link to it.
        "CLAUDE.md",
        "docs/adr",
        "ops/runbooks",
        "packages/api/AGENTS.md",
    ]


@pytest.mark.parametrize(
    ("name", "title", "is_found"),
    [
        ("docs/runbook-restore.md", "Restore the database", True),
        ("docs/restore.md", "Runbook: restore the database", True),
        ("docs/restore.md", "Restore the database", False),
    ],
)
def test_a_single_runbook_is_found_by_its_name_or_title(
    machine: Machine, name: str, title: str, is_found: bool
) -> None:
    machine.put(name, f"# {title}\n\n1. Stop the writers.\n2. Run `pg_restore -d app latest.dump`.\n")
    [own, *_others] = find_sources(str(machine.root), str(machine.home), {})
    assert (name in [os.path.relpath(path, machine.root) for path in own.paths]) is is_found


def test_a_link_out_of_the_project_is_no_source(machine: Machine) -> None:
    elsewhere = machine.put("secret/CLAUDE.md", RULES, is_at_home=True)
    (machine.root / "CLAUDE.md").symlink_to(elsewhere)
    (machine.root / "docs").mkdir()
    (machine.root / "docs" / "adr").symlink_to(elsewhere.parent)
    assert machine.found() == {}


def test_only_sessions_and_notes_of_this_project_are_found_at_home(machine: Machine) -> None:
    ours = machine.sessions("one").parent
    machine.put(f".claude/projects/{ours.name}/memory/pnpm.md", NOTE, is_at_home=True)
    machine.sessions("two", machine.home / "code" / "other", slug="-home-other")
    machine.put(".codex/sessions/2026/03/02/r.jsonl", rollout(machine.root), is_at_home=True)
    machine.put(".claude-mem/claude-mem.db", b"SQLite format 3\0", is_at_home=True)
    projects = f".claude/projects/{ours.name}"
    assert machine.found() == {
        "sessions of Claude Code": [projects],
        "notes that Claude Code has made": [f"{projects}/memory"],
        "sessions of Codex": [".codex/sessions"],
        "claude-mem": [".claude-mem/claude-mem.db"],
    }
    # Another project with a different path gets the same folder name, so it is unknown whose notes these are.
    machine.sessions("three", machine.home / "code-shop", slug=ours.name)
    assert "notes that Claude Code has made" not in machine.found()


@pytest.mark.parametrize("place", [".claude", ".claude/projects", ".claude/projects/{slug}", ".codex", ".claude-mem"])
def test_links_at_home_are_not_followed(machine: Machine, place: str) -> None:
    slug = machine.sessions("one").parent.name
    machine.put(".codex/sessions/r.jsonl", rollout(machine.root), is_at_home=True)
    machine.put(".claude-mem/claude-mem.db", b"SQLite format 3\0", is_at_home=True)
    before = sum([len(paths) for paths in machine.found().values()])
    folder = machine.home / place.format(slug=slug)
    elsewhere = machine.home / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    assert sum([len(paths) for paths in machine.found().values()]) == before - 1


def test_variables_of_the_hosts_name_other_folders(machine: Machine) -> None:
    machine.sessions("one")
    (machine.home / ".claude").rename(machine.home / "host")
    variables = {"CLAUDE_CONFIG_DIR": str(machine.home / "host"), "CODEX_HOME": "relative"}
    [found] = find_sources(str(machine.root), str(machine.home), variables)
    assert isinstance(found, FoundSources)
    assert found.kind == "transcript"
