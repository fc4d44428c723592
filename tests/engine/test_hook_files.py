"""The hook over files that are not what they should be, and over a missing index."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from asked_hook import LINE, RECORD, ask, assert_answered, assert_silent, payload
from cuecard.files.user_folder import allow_target
from hook_process import Hook
from unprivileged import heeding_permissions


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one memory."""
    root = tmp_path / "project"
    decisions = root / ".claude" / "memory" / "decisions"
    decisions.mkdir(parents=True)
    (decisions / "jwt.json").write_text(json.dumps(RECORD))
    (root / ".claude" / "memory" / "index.md").write_text(f"# Memory Index\n\n{LINE}\n")
    return root


# With this strategy, every host gets a block in the format of the claude-memory plugin, which is made from `index.md`.
AS_THE_PLUGIN = ("prompt", "--strategy", "keyword_classic")
LEFT_OUT = "`.claude/memory/decisions/jwt.json` out of the snapshot"


# Files that are not what they should be


def replace_by_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def make_unreadable(path: Path) -> None:
    if not path.exists():
        path.write_text("{}")
    path.chmod(0)


UNREADABLE = [
    replace_by_folder,
    replace_by_pipe,
    pytest.param(make_unreadable, marks=pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads every file")),
]


@pytest.mark.parametrize("spoil", UNREADABLE)
def test_an_index_that_cannot_be_read_is_logged_and_nothing_answered(
    hook: Hook, project: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(project / ".claude" / "memory" / "index.md")
    assert_silent(ask(hook, payload(project), arguments=AS_THE_PLUGIN), "index.md cannot be read")
    # All other strategies read the memories themselves.
    assert_answered(ask(hook, payload(project)))


@pytest.mark.parametrize("spoil", UNREADABLE)
def test_a_configuration_that_cannot_be_read_means_the_defaults(
    hook: Hook, project: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(project / ".claude" / "memory" / "memory-config.json")
    note = "memory-config.json: the file cannot be read; using the defaults"
    assert_answered(ask(hook, payload(project)), note)


@pytest.mark.parametrize("spoil", UNREADABLE)
def test_a_memory_that_cannot_be_read_is_shown_without_bonus(
    hook: Hook, project: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(project / ".claude" / "memory" / "decisions" / "jwt.json")
    keep_index(project)
    note = "`.claude/memory/decisions/jwt.json` cannot be read"
    assert_answered(ask(hook, payload(project), arguments=AS_THE_PLUGIN), note)


@pytest.mark.parametrize("spoil", UNREADABLE)
def test_a_memory_that_cannot_be_read_is_left_out_of_the_snapshot(
    hook: Hook, project: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(project / ".claude" / "memory" / "decisions" / "jwt.json")
    assert_silent(ask(hook, payload(project)), f"left {LEFT_OUT}: unreadable")


def keep_index(project: Path) -> None:
    """Make the index newer than the folders, so that it is not rebuilt after a change to the folders."""
    (project / ".claude" / "memory" / "index.md").touch()


def link_file_out(root: Path) -> None:
    record = root / ".claude" / "memory" / "decisions" / "jwt.json"
    record.rename(root.parent / "secret.json")
    record.symlink_to(root.parent / "secret.json")


def link_folder_out(root: Path) -> None:
    folder = root / ".claude" / "memory" / "decisions"
    folder.rename(root.parent / "secrets")
    folder.symlink_to(root.parent / "secrets")


def link_in_a_circle(root: Path) -> None:
    record = root / ".claude" / "memory" / "decisions" / "jwt.json"
    record.unlink()
    record.symlink_to("jwt.json")


@pytest.mark.parametrize("leave", [link_file_out, link_folder_out, link_in_a_circle])
def test_a_memory_behind_a_link_out_of_the_store_is_left_out(
    hook: Hook, project: Path, leave: Callable[[Path], None]
) -> None:
    leave(project)
    keep_index(project)
    note = "`.claude/memory/decisions/jwt.json` is outside the store"
    assert_silent(ask(hook, payload(project), arguments=AS_THE_PLUGIN), note)
    # A link in place of a folder does not count as a folder, so no memory in it is reported as left out.
    left_out = [] if leave is link_folder_out else [f"left {LEFT_OUT}: unreadable"]
    assert_silent(ask(hook, payload(project)), *left_out)


@pytest.mark.parametrize("leave", [link_file_out, link_folder_out, link_in_a_circle])
def test_a_memory_that_moves_behind_such_a_link_is_not_shown(
    hook: Hook, project: Path, leave: Callable[[Path], None]
) -> None:
    assert_answered(ask(hook, payload(project)))
    leave(project)
    ran = ask(hook, payload(project))
    assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")


def test_links_to_the_project_are_followed_and_links_in_the_store_are_not(hook: Hook, project: Path) -> None:
    record = project / ".claude" / "memory" / "decisions" / "jwt.json"
    link = project.parent / "link"
    link.symlink_to(project)
    assert_answered(ask(hook, payload(link), cwd=link))
    (project / ".claude" / "memory" / "real").mkdir()
    record.rename(project / ".claude" / "memory" / "real" / "jwt.json")
    record.symlink_to("../real/jwt.json")
    assert ask(hook, payload(link), cwd=link).stdout == b""


@pytest.mark.parametrize("name", [".claude", ".claude/memory"])
def test_a_link_to_the_store_is_refused_until_the_user_allows_it(hook: Hook, project: Path, name: str) -> None:
    elsewhere = project.parent / "elsewhere"
    (project / name).rename(elsewhere)
    (project / name).symlink_to(elsewhere)
    ran = ask(hook, payload(project))
    assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
    assert ran.log == [f"`{project / name}` is a link, and what it leads to is not read"]
    allow_target(str(project / name), str(elsewhere))
    assert_answered(ask(hook, payload(project)))
    (project / name).unlink()
    (project / name).symlink_to(project.parent / "another")
    (project.parent / "another").mkdir()
    assert ask(hook, payload(project)).stdout == b""


@pytest.mark.parametrize("path", ["/etc/hostname", "../secret.json", ".claude/memory/../../../secret.json", "a\0b"])
def test_an_index_line_cannot_lead_out_of_the_store(hook: Hook, project: Path, path: str) -> None:
    (project.parent / "secret.json").write_text(json.dumps(RECORD))
    (project / ".claude" / "memory" / "index.md").write_text(f"- [DECISION] auth token -> {path}\n")
    ran = ask(hook, payload(project), arguments=AS_THE_PLUGIN)
    assert (ran.code, ran.stdout) == (0, b"")
    assert ran.log == [f"`{path}` is outside the store".replace("\0", " ")]


def test_bad_lines_are_logged_and_the_good_ones_answered(hook: Hook, project: Path) -> None:
    (project / ".claude" / "memory" / "index.md").write_bytes(b"\xff\xfe\n" + LINE.encode() + b"\n- [bad\n")
    note = "index.md: 2 bad lines, the first is line 1 (`encoding`)"
    assert_answered(ask(hook, payload(project), arguments=AS_THE_PLUGIN), note)
    assert_answered(ask(hook, payload(project)))


# A missing index


def test_a_missing_index_is_rebuilt_and_comes_back_the_same(hook: Hook, project: Path) -> None:
    index = project / ".claude" / "memory" / "index.md"
    index.unlink()
    assert_answered(ask(hook, payload(project)))
    first = index.read_bytes()
    assert LINE in first.decode().splitlines()
    assert not list(index.parent.glob(".index.md*"))
    index.unlink()
    assert_answered(ask(hook, payload(project)))
    assert index.read_bytes() == first


def test_damage_silences_the_prompt_that_finds_it_and_no_other(hook: Hook, project: Path) -> None:
    (project / ".claude" / "memory" / "index.md").unlink()
    folder = project / ".claude" / "memory" / "decisions"
    (folder / "list.json").write_text("[]")
    # The files get an old time. After a change of just now, the next prompt would check the folders and log it again
    # (SPEC 13.2).
    for path in folder.parent.iterdir():
        os.utime(path, (1_600_000_000, 1_600_000_000))
    note = "left `.claude/memory/decisions/list.json` out of index.md: not a JSON object"
    assert_silent(ask(hook, payload(project), arguments=AS_THE_PLUGIN), note)
    assert_answered(ask(hook, payload(project), arguments=AS_THE_PLUGIN))
    assert_answered(ask(hook, payload(project)), f"left {LEFT_OUT.replace('jwt', 'list')}: not a JSON object")


def test_an_index_that_cannot_be_written_does_not_keep_the_answer(hook: Hook, project: Path) -> None:
    hook = heeding_permissions(hook)
    memory_dir = project / ".claude" / "memory"
    (memory_dir / "index.md").unlink()
    memory_dir.chmod(0o500)
    try:
        assert_answered(ask(hook, payload(project)), "index.md cannot be written")
    finally:
        memory_dir.chmod(0o700)
