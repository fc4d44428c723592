"""`cuecard trust --signed-by`: only commits that chose a version count, and only in a whole, unchanged history."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path

import pytest

from test_trust_command import commit_signed, git, keys, run, unreviewed, user
from trust_cases import MEMORY, User, write

pytestmark = pytest.mark.process

__all__ = ["keys", "user"]

GOOD = ".claude/memory/decisions/good.json"
EVIL = ".claude/memory/decisions/evil.json"


def decide(root: Path, path: str, title: str) -> None:
    write(root, path, {"title": title, "category": "decision"})


def commit(root: Path, message: str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)


def signed_by(root: Path, user: User, keys: Path, code: int = 0) -> str:
    return run(root, user, "trust", "--signed-by", str(keys / "own.pub"), code=code).stderr


@pytest.fixture
def origin(tmp_path: Path, keys: Path) -> Path:
    """A signed memory, an unsigned one, and a signed commit on top that touches neither."""
    root = tmp_path / "origin"
    decide(root, GOOD, "Use the good one")
    git(root, "init", "-q")
    commit_signed(root, keys / "own", "good")
    decide(root, EVIL, "Use the evil one")
    commit(root, "evil")
    (root / "README.md").write_text("text\n")
    commit_signed(root, keys / "own", "readme")
    return root


def test_a_whole_clone_accepts_what_was_signed(origin: Path, user: User, keys: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", f"file://{origin}", "clone")
    signed_by(tmp_path / "clone", user, keys)
    assert unreviewed(tmp_path / "clone", user) == {"evil"}


def test_a_shallow_clone_is_refused(origin: Path, user: User, keys: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{origin}", "clone")
    assert "the clone is shallow" in signed_by(tmp_path / "clone", user, keys, code=1)
    assert unreviewed(tmp_path / "clone", user) == {"evil", "good"}


@pytest.mark.parametrize("name", ["shallow", "info/grafts", "objects/info/alternates"])
def test_a_file_that_changes_the_history_is_refused(origin: Path, user: User, keys: Path, name: str) -> None:
    head = git(origin, "rev-parse", "HEAD").strip()
    text = f"{origin / '.git/objects'}\n" if "alternates" in name else f"{head}\n"
    file = origin / ".git" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert "signatures do not count here" in signed_by(origin, user, keys, code=1)
    assert unreviewed(origin, user) == {"evil", "good"}


def test_a_replaced_commit_is_refused(origin: Path, user: User, keys: Path) -> None:
    git(origin, "replace", "HEAD", "HEAD~1")
    assert "replaced" in signed_by(origin, user, keys, code=1)
    assert unreviewed(origin, user) == {"evil", "good"}


def test_grafts_of_the_environment_do_not_count(origin: Path, user: User, keys: Path, tmp_path: Path) -> None:
    (tmp_path / "grafts").write_text(git(origin, "rev-parse", "HEAD"))
    key = str(keys / "own.pub")
    run(origin, user, "trust", "--signed-by", key, GIT_GRAFT_FILE=str(tmp_path / "grafts"))
    assert unreviewed(origin, user) == {"evil"}


def test_a_history_without_one_of_its_commits_is_refused(origin: Path, user: User, keys: Path) -> None:
    parent = git(origin, "rev-parse", "HEAD~1").strip()
    (origin / ".git/objects" / parent[:2] / parent[2:]).unlink()
    signed_by(origin, user, keys, code=1)
    assert unreviewed(origin, user) == {"evil", "good"}


def test_a_partial_clone_without_its_objects_is_refused(origin: Path, user: User, keys: Path, tmp_path: Path) -> None:
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=tree:0", f"file://{origin}", "clone")
    assert "signatures do not count" in signed_by(tmp_path / "clone", user, keys, code=1)
    assert unreviewed(tmp_path / "clone", user) == {"evil", "good"}


def test_a_linked_repository_is_refused(origin: Path, user: User, keys: Path, tmp_path: Path) -> None:
    shutil.move(origin / ".git", tmp_path / "elsewhere")
    (origin / ".git").symlink_to(tmp_path / "elsewhere")
    assert "`.git` is a link" in signed_by(origin, user, keys, code=1)


def test_an_object_with_another_hash_is_refused(origin: Path, user: User, keys: Path) -> None:
    blob = git(origin, "rev-parse", f"HEAD:{GOOD}").strip()
    forged = json.dumps({**MEMORY, "title": "Use what was forged", "category": "decision"}).encode()
    (origin / GOOD).write_bytes(forged)
    file = origin / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob %d\0" % len(forged) + forged))
    assert "damaged or forged" in signed_by(origin, user, keys, code=1)


def test_an_unsigned_commit_that_restores_a_signed_version_chose_it(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "project"
    decide(root, GOOD, "Use the old one")
    git(root, "init", "-q")
    commit_signed(root, keys / "own", "old")
    decide(root, GOOD, "Use the new one")
    commit_signed(root, keys / "own", "new")
    decide(root, GOOD, "Use the old one")
    commit(root, "back")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == {"good"}


def test_an_unsigned_commit_that_adds_it_again_chose_it(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "project"
    decide(root, GOOD, "Use the good one")
    git(root, "init", "-q")
    commit_signed(root, keys / "own", "one")
    (root / GOOD).unlink()
    commit_signed(root, keys / "own", "gone")
    decide(root, GOOD, "Use the good one")
    commit(root, "again")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == {"good"}


def test_an_unsigned_rename_is_a_choice(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "project"
    decide(root, GOOD, "Use the good one")
    git(root, "init", "-q")
    commit_signed(root, keys / "own", "one")
    shutil.move(root / GOOD, root / EVIL)
    commit(root, "moved")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == {"good"} or unreviewed(root, user) == {"evil"}


def test_a_later_commit_that_leaves_the_text_alone_chose_nothing(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "project"
    decide(root, GOOD, "Use the good one")
    git(root, "init", "-q")
    commit_signed(root, keys / "own", "one")
    write(root, GOOD, {"title": "Use the good one", "category": "decision", "updated_at": "2026-02-02"})
    commit(root, "date")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == set()


def branch(root: Path, keys: Path) -> None:
    """`main` with a signed new version of GOOD, and a branch `side` that has the old one and another file."""
    decide(root, GOOD, "Use the old one")
    git(root, "init", "-q")
    commit_signed(root, keys / "own", "old")
    git(root, "checkout", "-qb", "side")
    decide(root, EVIL, "Use what the side says")
    commit_signed(root, keys / "own", "side")
    git(root, "checkout", "-q", "main")
    decide(root, GOOD, "Use the new one")
    commit_signed(root, keys / "own", "new")


def test_an_unsigned_merge_that_takes_both_sides_as_git_does_chose_nothing(
    tmp_path: Path, user: User, keys: Path
) -> None:
    root = tmp_path / "project"
    branch(root, keys)
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == set()


def test_an_unsigned_merge_that_brings_an_old_version_back_chose_it(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "project"
    branch(root, keys)
    git(root, "merge", "-q", "--no-ff", "--no-commit", "side")
    git(root, "checkout", "-q", "side", "--", GOOD)
    commit(root, "merge")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == {"good"}


def test_a_signed_tree_counts_in_a_worktree_and_below_a_folder(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "whole"
    decide(root / "packages/one", GOOD, "Use the good one")
    git(root / "packages/one", "init", "-q", str(root))
    commit_signed(root, keys / "own", "one")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    signed_by(tmp_path / "tree/packages/one", user, keys)
    assert unreviewed(root / "packages/one", user) == set()


def test_a_repository_with_sha256_counts(tmp_path: Path, user: User, keys: Path) -> None:
    root = tmp_path / "project"
    decide(root, GOOD, "Use the good one")
    git(root, "init", "-q", "--object-format=sha256")
    commit_signed(root, keys / "own", "one")
    decide(root, EVIL, "Use the evil one")
    commit(root, "two")
    signed_by(root, user, keys)
    assert unreviewed(root, user) == {"evil"}


def test_a_commit_graph_that_lies_does_not_count(origin: Path, user: User, keys: Path) -> None:
    git(origin, "commit-graph", "write", "--reachable")
    graph = origin / ".git/objects/info/commit-graph"
    evil, signed = (git(origin, "rev-parse", f"{name}^{{tree}}").strip() for name in ("HEAD~1", "HEAD~2"))
    data = graph.read_bytes().replace(bytes.fromhex(signed), bytes.fromhex(evil))
    graph.chmod(0o644)
    graph.write_bytes(data)
    signed_by(origin, user, keys)
    assert unreviewed(origin, user) == {"evil"}


def test_a_program_that_the_repository_names_for_signatures_is_not_started(
    origin: Path, user: User, keys: Path, tmp_path: Path
) -> None:
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path / 'trap'}\nexit 0\n")
    script.chmod(0o755)
    for name in ("gpg.program", "gpg.ssh.program", "core.fsmonitor", "diff.external", "core.pager"):
        git(origin, "config", name, str(script))
    git(origin, "config", "diff.orderFile", "/dev/zero")
    git(origin, "config", "core.commentChar", "x")
    signed_by(origin, user, keys)
    assert unreviewed(origin, user) == {"evil"}
    assert not os.path.lexists(tmp_path / "trap")


def test_a_signature_by_gpg_counts(tmp_path: Path, user: User) -> None:
    if not shutil.which("gpg"):
        pytest.skip("gpg is not installed")
    # The path of a socket in this folder must be short.
    home = Path(tempfile.mkdtemp(prefix="gpg"))
    made = subprocess.run(
        ["gpg", "--homedir", str(home), "--batch", "--passphrase", "", "--quick-gen-key", "a@example.org", "ed25519"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("gpg cannot make a key here")
    listed = subprocess.run(
        ["gpg", "--homedir", str(home), "--with-colons", "-k"], capture_output=True, text=True, check=True
    )
    fingerprint = next(line.split(":")[9] for line in listed.stdout.splitlines() if line.startswith("fpr"))
    root = tmp_path / "project"
    decide(root, GOOD, "Use the good one")
    git(root, "init", "-q")
    git(root, "add", "-A")
    wrapper = tmp_path / "gpg.sh"
    wrapper.write_text(f'#!/bin/sh\nexec gpg --homedir {home} "$@"\n')
    wrapper.chmod(0o755)
    git(root, "-c", f"gpg.program={wrapper}", "-c", f"user.signingkey={fingerprint}", "commit", "-q", "-S", "-m", "one")
    try:
        run(root, user, "trust", "--signed-by", fingerprint, GNUPGHOME=str(home))
    finally:
        subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)
        shutil.rmtree(home)
    assert unreviewed(root, user) == set()
