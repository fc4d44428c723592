"""`cuecard trust`: what it shows and accepts; no repository can choose a program that git runs."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

import command_process
from command_process import Ran
from scratch_home import kept_variables
from trust_cases import CERTIFICATE, MEMORY, POISON, User, write

# Most tests in this file start git or use a terminal.
pytestmark = pytest.mark.process

COMMAND = (sys.executable, "-m", "cuecard.cli")
DECISION = ".claude/memory/decisions/use-sqlite.json"


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "user")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root, CERTIFICATE, MEMORY)
    write(root, DECISION, {"title": "Use sqlite", "category": "decision"})
    return root


def variables(user: User, **more: str) -> dict[str, str]:
    home = user.home / "home"
    home.mkdir(parents=True, exist_ok=True)
    return kept_variables() | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"} | user.environment | more


def run(project: Path, user: User, *arguments: str, code: int = 0, **more: str) -> Ran:
    ran = command_process.run(user.home / "home", project, *arguments, **variables(user, **more))
    assert ran.code == code, ran.stderr
    return ran


def type_in(project: Path, user: User, answer: str, *arguments: str) -> str:
    """The output of the command on a terminal, when `answer` is typed."""
    above, below = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=project,
        env=variables(user, TERM="dumb", COLUMNS="160"),
        stdin=below,
        stdout=below,
        stderr=below,
        close_fds=True,
    )
    os.close(below)
    os.write(above, answer.encode())
    shown = b""
    while select.select([above], [], [], 30)[0]:
        try:
            data = os.read(above, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    process.wait(30)
    os.close(above)
    return shown.decode()


def unreviewed(project: Path, user: User) -> set[str]:
    listed = json.loads(run(project, user, "trust", "--json").stdout)["unreviewed"]
    return {one["id"] for one in listed}


def git(project: Path, *arguments: str, author: str = "Ann <ann@example.org>", day: str = "2026-03-01") -> str:
    name, _, address = author.rstrip(">").partition(" <")
    stamp = f"{day}T12:00:00Z"
    more = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": address,
        "GIT_AUTHOR_DATE": stamp,
        "GIT_COMMITTER_DATE": stamp,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    ran = subprocess.run(command, cwd=project, env=os.environ | more, capture_output=True, text=True, check=True)
    return ran.stdout


def test_without_arguments_it_lists_what_is_unreviewed(project: Path, user: User) -> None:
    ran = run(project, user, "trust")
    assert ran.stdout.splitlines() == [
        "decision/use-sqlite  Use sqlite  (unreviewed)",
        "runbook/renew-the-tls-certificate  Renew the TLS certificate  (unreviewed)",
    ]
    assert "`cuecard trust` in a terminal shows their texts and accepts them" in ran.stderr
    assert unreviewed(project, user) == {"use-sqlite", "renew-the-tls-certificate"}


def test_one_command_accepts_a_whole_store(project: Path, user: User) -> None:
    run(project, user, "trust", "--all")
    assert unreviewed(project, user) == set()
    assert "no memory is unreviewed" in run(project, user, "trust").stderr
    files = list((user.home / "data/trust").iterdir())
    assert files
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    assert (user.home / "data/trust").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "words", [["use-sqlite"], ["Use sqlite"], ["decision/use-sqlite"], ["--category", "decision"], ["-c", "decision"]]
)
def test_a_selection_is_accepted(project: Path, user: User, words: list[str]) -> None:
    run(project, user, "trust", *words)
    assert unreviewed(project, user) == {"renew-the-tls-certificate"}


def test_what_was_accepted_can_be_revoked(project: Path, user: User) -> None:
    run(project, user, "trust", "--all")
    run(project, user, "trust", "--revoke", "use-sqlite")
    assert unreviewed(project, user) == {"use-sqlite"}
    run(project, user, "trust", "--revoke", "--all")
    assert len(unreviewed(project, user)) == 2


def test_what_is_unknown_is_an_error(project: Path, user: User) -> None:
    assert "there is no memory" in run(project, user, "trust", "nothing-like-it", code=1).stderr
    assert "unknown category `x`" in run(project, user, "trust", "-c", "x", code=2).stderr
    assert "no memory is named" in run(project, user, "trust", "--revoke", code=2).stderr
    assert "is not a date" in run(project, user, "trust", "--since", "yesterday", code=2).stderr
    assert "is not a key" in run(project, user, "trust", "--signed-by", "abcd", code=2).stderr
    assert unreviewed(project, user) == {"use-sqlite", "renew-the-tls-certificate"}


def test_the_text_of_a_withheld_memory_is_shown_to_a_person_only(project: Path, user: User) -> None:
    write(project, DECISION, {"title": POISON, "category": "decision"})
    ran = run(project, user, "trust")
    document = run(project, user, "trust", "--json").stdout
    assert POISON[:30] not in ran.stdout + ran.stderr + document
    assert "withheld" in ran.stdout
    shown = type_in(project, user, "n\nn\n", "trust")
    assert POISON[:30] in " ".join(shown.split())
    assert "addresses the model" in shown
    assert "This memory is withheld from agents: read it." in shown


def test_a_person_is_asked(project: Path, user: User) -> None:
    assert "Accept these 2 memories?" in type_in(project, user, "n\n", "trust")
    assert len(unreviewed(project, user)) == 2
    type_in(project, user, "y\n", "trust")
    assert unreviewed(project, user) == set()


def test_without_a_home_nothing_can_be_accepted(project: Path, user: User) -> None:
    nowhere = {"CUECARD_HOME": "", "XDG_DATA_HOME": "", "HOME": "", "USERPROFILE": ""}
    assert "trust cannot be saved" in run(project, user, "trust", "--all", code=1, **nowhere).stderr


# Trust by commits


@pytest.fixture
def history(project: Path) -> Path:
    """A project with two memories, in two commits by two people."""
    git(project, "init")
    git(project, "add", CERTIFICATE)
    git(project, "commit", "-m", "one", author="Ann <ann@example.org>", day="2026-03-01")
    git(project, "add", ".")
    git(project, "commit", "-m", "two", author="Bob <bob@example.org>", day="2026-04-01")
    return project


def test_a_day_selects(history: Path, user: User) -> None:
    run(history, user, "trust", "--since", "2026-04-01")
    assert unreviewed(history, user) == {"renew-the-tls-certificate"}


def test_an_author_selects_by_eye_only(history: Path, user: User) -> None:
    for words in (["--author", "ann"], ["--author", "ann", "--yes"], ["--author", "ann", "--all", "--yes"]):
        assert "authors can be forged" in run(history, user, "trust", *words, code=2).stderr
        assert "authors can be forged" in run(history, user, "trust", *words, "--json", code=2).stderr
    assert len(unreviewed(history, user)) == 2
    shown = type_in(history, user, "y\n", "trust", "--author", "ann", "--yes")
    assert "Ann <ann@example.org>" in shown
    assert "Use sqlite" not in shown
    assert unreviewed(history, user) == {"use-sqlite"}


def test_without_a_repository_git_says_why(project: Path, user: User) -> None:
    assert "git cannot read the history" in run(project, user, "trust", "--since", "2026-01-01", code=1).stderr


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with two SSH keys, `own` and `other`."""
    folder = tmp_path / "keys"
    folder.mkdir()
    for name in ("own", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    return folder


def commit_signed(project: Path, key: Path, message: str) -> None:
    git(project, "add", ".")
    git(project, "-c", "gpg.format=ssh", "-c", f"user.signingkey={key}.pub", "commit", "-S", "-m", message)


def test_a_signature_by_a_named_key_accepts(project: Path, user: User, keys: Path) -> None:
    git(project, "init")
    git(project, "add", CERTIFICATE)
    git(project, "commit", "-m", "not signed")
    commit_signed(project, keys / "own", "signed")
    run(project, user, "trust", "--signed-by", str(keys / "other.pub"))
    assert len(unreviewed(project, user)) == 2
    run(project, user, "trust", "--signed-by", str(keys / "own.pub"))
    assert unreviewed(project, user) == {"renew-the-tls-certificate"}


@pytest.mark.parametrize("form", ["fingerprint", "text"])
def test_a_key_has_several_forms(project: Path, user: User, keys: Path, form: str) -> None:
    git(project, "init")
    commit_signed(project, keys / "own", "signed")
    text = (keys / "own.pub").read_text()
    if form == "fingerprint":
        listed = subprocess.run(
            ["ssh-keygen", "-lf", str(keys / "own.pub")], capture_output=True, text=True, check=True
        )
        text = listed.stdout.split()[1]
    run(project, user, "trust", "--signed-by", text)
    assert unreviewed(project, user) == set()


def test_what_was_changed_after_the_signature_is_not_accepted(project: Path, user: User, keys: Path) -> None:
    git(project, "init")
    commit_signed(project, keys / "own", "signed")
    write(project, DECISION, {"title": "Use another database", "category": "decision"})
    run(project, user, "trust", "--signed-by", str(keys / "own.pub"))
    assert unreviewed(project, user) == {"use-sqlite"}


def test_what_a_merge_brings_in_is_not_signed_by_its_parents(project: Path, user: User, keys: Path) -> None:
    git(project, "init")
    commit_signed(project, keys / "own", "signed")
    git(project, "checkout", "-q", "-b", "side")
    write(project, CERTIFICATE, {**MEMORY, "title": "Renew the certificate there"})
    git(project, "commit", "-qam", "side")
    git(project, "checkout", "-q", "main")
    git(project, "merge", "-q", "--no-ff", "--no-commit", "side")
    write(project, DECISION, {"title": "Use what the merge says", "category": "decision"})
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "merge")
    run(project, user, "trust", "--signed-by", str(keys / "own.pub"))
    assert unreviewed(project, user) == {"use-sqlite", "renew-the-tls-certificate"}


def test_no_program_of_the_repository_is_started(history: Path, user: User, keys: Path, tmp_path: Path) -> None:
    commit_signed(history, keys / "own", "signed") if git(history, "status", "--short") else None
    write(history, DECISION, {"title": "Use postgres", "category": "decision"})
    commit_signed(history, keys / "own", "signed")
    trap = tmp_path / "trap"
    script = tmp_path / "project" / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {trap}\nexit 0\n')
    script.chmod(0o755)
    evil = str(script)
    (history / "bin").mkdir()
    for name in ("git", "ssh-keygen", "gpg", "ssh", "cat"):
        (history / "bin" / name).symlink_to(script)
    settings = {
        "core.fsmonitor": evil,
        "core.hooksPath": str(history / "bin"),
        "core.pager": evil,
        "core.editor": evil,
        "core.sshCommand": evil,
        "core.askPass": evil,
        "core.gitProxy": evil,
        "core.alternateRefsCommand": evil,
        "pager.log": evil,
        "credential.helper": f"!{evil}",
        "diff.external": evil,
        "diff.json.textconv": evil,
        "diff.json.command": evil,
        "filter.json.clean": evil,
        "filter.json.smudge": evil,
        "filter.json.process": evil,
        "gpg.program": evil,
        "gpg.openpgp.program": evil,
        "gpg.ssh.program": evil,
        "gpg.x509.program": evil,
        "gpg.ssh.defaultKeyCommand": evil,
        "log.showSignature": "true",
        "alias.log": f"!{evil}",
        "alias.cat-file": f"!{evil}",
        "alias.verify-commit": f"!{evil}",
        "interactive.diffFilter": evil,
        "uploadpack.packObjectsHook": evil,
        "protocol.ext.allow": "always",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{evil}",
        "remote.origin.promisor": "true",
        "remote.origin.vcs": "evil",
        "remote.origin.uploadpack": evil,
        "trace2.normalTarget": str(tmp_path / "trace"),
    }
    for name, value in settings.items():
        git(history, "config", name, value)
    (history / ".gitattributes").write_text("*.json diff=json filter=json\n")
    path = f"{history / 'bin'}:.:bin:{os.environ['PATH']}"
    run(history, user, "trust", "--since", "2026-01-01", "--json", PATH=path)
    run(history, user, "trust", "--revoke", "--all", PATH=path)
    run(history, user, "trust", "--signed-by", str(keys / "own.pub"), PATH=path)
    assert not trap.exists(), trap.read_text()
    assert unreviewed(history, user) == {"renew-the-tls-certificate"}


# Links


def test_a_link_is_allowed_by_the_user(tmp_path: Path, user: User) -> None:
    shared = tmp_path / "shared"
    write(shared, CERTIFICATE, MEMORY)
    project = tmp_path / "linked"
    project.mkdir()
    (project / ".claude").symlink_to(shared / ".claude")
    run(project, user, "list", code=1)
    assert "the link cannot be confirmed without a terminal" in run(project, user, "trust", "--link", code=2).stderr
    run(project, user, "trust", "--link", "--yes")
    assert "Renew the TLS certificate" in run(project, user, "list").stdout
    links = (user.home / "data/links").read_text()
    assert links == f"{project / '.claude'}\t{shared / '.claude'}\n"
    # If the link later leads elsewhere, it is refused again.
    (project / ".claude").unlink()
    write(tmp_path / "evil", CERTIFICATE, MEMORY)
    (project / ".claude").symlink_to(tmp_path / "evil/.claude")
    run(project, user, "list", code=1)


def test_without_a_link_there_is_none_to_allow(project: Path, user: User) -> None:
    assert "there is no link" in run(project, user, "trust", "--link", "--yes", code=2).stderr


# The doctor


def finding(project: Path, user: User, name: str, **more: str) -> dict[str, object]:
    ran = command_process.run(user.home / "home", project, "doctor", "--json", **variables(user, **more))
    assert ran.code in (0, 1), ran.stderr
    found: list[dict[str, object]] = ran.document["findings"]
    return next(one for one in found if one["name"] == name)


def test_the_doctor_counts_and_says_where_trust_is_kept(project: Path, user: User) -> None:
    write(project, DECISION, {"title": POISON, "category": "decision"})
    found = finding(project, user, "trust")
    assert found["verdict"] == "warn"
    assert "2 of 2 memories are unreviewed, 1 of them withheld" in str(found["words"])
    assert str(user.home / "data/trust") in str(found["words"])
    run(project, user, "trust", "--all")
    run(project, user, "trust", "use-sqlite", "--yes")
    assert finding(project, user, "trust")["verdict"] == "ok"


def test_the_doctor_says_that_nothing_can_be_kept(project: Path, user: User) -> None:
    nowhere = {"CUECARD_HOME": "", "XDG_DATA_HOME": "", "HOME": "", "USERPROFILE": ""}
    assert "every memory is unreviewed" in str(finding(project, user, "trust", **nowhere)["words"])


def test_the_doctor_names_a_link_that_is_refused(tmp_path: Path, user: User) -> None:
    write(tmp_path / "shared", CERTIFICATE, MEMORY)
    project = tmp_path / "linked"
    project.mkdir()
    (project / ".claude").symlink_to(tmp_path / "shared/.claude")
    found = finding(project, user, "store")
    assert "link" in str(found["words"])
    assert "`cuecard trust --link`" in str(found["hint"])
