"""Drafts go to the store of the files that the session has edited, or wait for the user's own store (SPEC 48.13)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import checkouts
from checkouts import begin, remember
from command_process import run_in
from cuecard import Store
from cuecard._backend import engine
from cuecard.actions import person_actions as actions
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_folder import CommitFolder
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept, find_similar_to, hand_in, preview
from cuecard.capture.work_store import store_of_work
from cuecard.files.trust_levels import levels_of
from cuecard.files.user_folder import store_path
from handed_in import draft, staged
from hook_process import Hook
from ledger_project import Project, Session
from records import read
from scratch_home import write_user_settings

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
ALWAYS = "I always want answers without greetings, in all my projects"


@pytest.fixture
def mono(tmp_path: Path) -> Path:
    """A monorepo with memories in its root and in the package `packages/api`."""
    return checkouts.monorepo(tmp_path).parents[1]


def chosen(root: Path, *folders: "Path | str", cwd: "Path | None" = None) -> str:
    project = (str(root), str(root / ".claude" / "memory"))
    return Path(store_of_work(project, str(cwd or root), [str(folder) for folder in folders])[0]).name


def test_edits_of_one_package_choose_its_store_and_edits_of_both_the_root(mono: Path) -> None:
    api, web = mono / "packages" / "api", mono / "packages" / "web"
    web.mkdir()
    assert chosen(mono, api / "src", api / "tests" / "new") == "api"
    assert chosen(mono, api / "src", web) == "mono"
    assert chosen(mono, api / "src", mono) == "mono"
    assert chosen(mono) == "mono"
    assert chosen(mono, "packages/api/src") == "api"
    for strange in ("a\0b", "/tmp/\ud800"):
        assert chosen(mono, strange) == "mono"
        assert chosen(mono, strange, api / "src") == "api"
    # From within the package, work on another one belongs to the root.
    assert chosen(api, web, cwd=api) == "mono"


def test_no_edit_leads_into_another_repository(mono: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = begin(tmp_path / "victim")
    remember(victim, "victim")
    (mono / "packages" / "link").symlink_to(victim)
    nested = begin(mono / "packages" / "nested")
    remember(nested, "nested")
    for folder in (victim, mono / "packages" / "link", nested, "../victim", "/"):
        assert chosen(mono, folder) == "mono"
    monkeypatch.setenv("CUECARD_ROOT", str(mono))
    assert chosen(mono, mono / "packages" / "api") == "mono"


def test_a_worktree_without_memories_keeps_to_the_shared_store(tmp_path: Path) -> None:
    main = begin(tmp_path / "main")
    checkouts.git(main, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    remember(main, "main")
    assert chosen(main, tmp_path / "tree" / "src", cwd=tmp_path / "tree") == "main"


@pytest.mark.process
def test_a_session_that_edits_one_package_writes_there(hook: Hook, mono: Path, tmp_path: Path, data: Path) -> None:
    shutil.rmtree(mono / ".claude" / "memory")
    program = tmp_path / "programs" / "cuecard"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    session = Session(Project(hook, mono, str(program.parent)), "s-1")
    edit(session, mono / "packages" / "api" / "src" / "routes.py")
    reason = session.turn("remember this: routes of the API have no verbs")
    assert "routes of the API" in reason
    folder = Path(store_path(str(mono / ".claude" / "memory")), "staging", "s-1")
    assert json.loads((folder / "triage.json").read_text())["root"] == str(mono / "packages" / "api")

    # The agent has gone into the package meanwhile, and hands in what it was asked for there.
    api = Store(mono / "packages" / "api")
    ran = run_in(api, "capture", "commit", folder, send=[draft("Routes of the API have no verbs")])
    assert ran.code == 0, ran
    assert read(api, "routes-of-the-api-have-no-verbs")["title"]
    assert f"has edited files of `{api.root}`" in ran.stderr
    assert not [*(mono / ".claude" / "memory").glob("*/*.json")]


def edit(session: Session, file: Path) -> None:
    """Let the session's agent edit a file."""
    given = {"file_path": str(file), "old_string": "a", "new_string": "b"}
    call = {"type": "tool_use", "id": "t-1", "name": "Edit", "input": given}
    result = {"type": "tool_result", "tool_use_id": "t-1", "content": "done"}
    session.write(
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
    )


def test_the_scope_that_a_person_names_overrides_the_edits(mono: Path, data: Path) -> None:
    api, root = Store(mono / "packages" / "api"), Store(mono)
    folder = staged(api)
    manifest = json.loads((folder / "triage.json").read_text())
    (folder / "triage.json").write_text(json.dumps({**manifest, "root": api.root}))
    ran = run_in(api, "capture", "commit", folder, "--scope", "parent", send=[draft()])
    # Nothing else chose the store than the option.
    assert (ran.code, "has edited files" in ran.stderr) == (0, False)
    assert read(root, "use-postgresql-for-the-ledger")["title"]
    assert run_in(api, "capture", "commit", "--scope", "everywhere", send=[draft()]).code == 2


def test_a_text_of_an_unreviewed_memory_of_the_root_is_no_package_memory_of_the_user(mono: Path, data: Path) -> None:
    write_user_settings({"trust": {"review": "on"}})
    api = Store(mono / "packages" / "api")
    said = "The billing service answers on port 9443 behind the gateway, and nowhere else"
    path = remember(mono, "billing")
    stranger = json.loads(path.read_text())
    stranger["content"]["rule"] = said
    path.write_text(json.dumps(stranger))
    content = {"status": "accepted", "context": "it was asked", "decision": said, "rationale": ["it is so"]}
    assert commit_drafts(api, [draft("Billing answers on 9443", content=content)]).outcomes[0].status == "created"
    data_of = (mono / "packages/api/.claude/memory/decisions/billing-answers-on-9443.json").read_bytes()
    assert levels_of(api.memory_dir, [(engine.trust_hash(data_of), data_of)]) == ["unreviewed"]


def of_user(**members: Any) -> dict[str, Any]:  # noqa: ANN401
    content = {"topic": "answers", "value": "Answers have no greeting and no thanks", "strength": "strong"}
    return {**draft("Answers have no greeting", category="preference", content=content), "scope": "user", **members}


def test_a_draft_for_the_users_own_store_waits_for_the_user(store: Store, data: Path) -> None:
    folder = staged(store)
    ran = run_in(store, "capture", "commit", folder, send=[of_user()])
    assert (ran.code, ran.stdout.split("  ")[0]) == (0, "waiting")
    assert not [*data.glob("user/.claude/memory/[a-z]*/*.json")]
    [waiting] = read_inbox(store.memory_dir)
    assert "your own store" in waiting.note
    assert accept(store, [waiting])[0].is_discarded
    own = Store(data / "user")
    assert read(own, "answers-have-no-greeting", "preference")["title"] == "Answers have no greeting"
    assert store.memories("preference") == []


@pytest.mark.parametrize("more", [[], [draft("Use PostgreSQL for the ledger")]])
def test_the_printed_undo_of_an_accepted_draft_of_the_user_lets_it_wait_again(
    store: Store, data: Path, more: list[dict[str, Any]]
) -> None:
    hand_in(store, [*more, of_user()])
    texts = [(waiting.id, waiting.text_hash) for waiting in read_inbox(store.memory_dir)]
    names = [name for name, _hash in texts]
    assert all(one.is_discarded for one in actions.accept(store, texts))
    printed = actions.operation_of(names, store)
    assert run_in(store, "undo", printed, "--dry-run").code == 0
    assert [*data.glob("user/.claude/memory/preferences/*.json")]
    ran = run_in(store, "undo", printed)
    assert (ran.code, ran.stdout.count("removed")) == (0, 1 + len(more))
    assert not [*data.glob("user/.claude/memory/[a-z]*/*.json")]
    assert store.memories() == []
    assert sorted(waiting.id for waiting in read_inbox(store.memory_dir)) == sorted(names)


def test_a_look_at_a_draft_of_the_user_makes_no_store(store: Store, data: Path) -> None:
    [tried] = commit_drafts(store, [of_user()], is_dry_run=True).outcomes
    assert tried.status == "created"
    hand_in(store, [of_user()])
    [waiting] = read_inbox(store.memory_dir)
    assert preview(store, waiting).status == "created"
    assert find_similar_to(store, waiting) == []
    assert not (data / "user").exists()


def test_the_option_is_no_way_around_the_user(store: Store, data: Path) -> None:
    ran = run_in(store, "capture", "commit", "--scope", "user", send=[of_user(scope="project")])
    assert (ran.code, ran.stdout.split("  ")[0]) == (0, "waiting")
    assert not [*data.glob("user/.claude/memory/[a-z]*/*.json")]


def test_where_the_users_store_does_not_count_the_draft_is_the_projects(store: Store, data: Path) -> None:
    (Path(store.memory_dir) / "memory-config.json").write_text('{"scopes": {"user": false}}')
    [outcome] = commit_drafts(store, [of_user()]).outcomes
    assert outcome.status == "created"
    assert "`scopes.user` is off" in outcome.notes[0]
    assert not (data / "user").exists()


def test_another_scope_of_a_draft_is_a_mistake(store: Store, data: Path) -> None:
    [outcome] = commit_drafts(store, [of_user(scope="everyone")]).outcomes
    assert outcome.error is not None
    assert "drafts[0].scope" in outcome.error.what


@pytest.mark.process
@pytest.mark.parametrize(("said", "is_offered"), [(ALWAYS, True), ("the parser never allocates memory", False)])
def test_a_statement_about_the_user_is_offered_for_the_users_store(
    hook: Hook, tmp_path: Path, data: Path, said: str, is_offered: bool
) -> None:
    program = tmp_path / "programs" / "cuecard"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    session = Session(Project(hook, tmp_path / "project", str(program.parent)), "s-1")
    reason = session.turn(f"remember this: {said}")
    assert said in reason
    assert ("a draft of its own with" in reason) is is_offered


def test_the_user_is_told_where_a_draft_of_the_session_waits(mono: Path, data: Path) -> None:
    root, api = Store(mono), Store(mono / "packages" / "api")
    folder = staged(root)
    manifest = json.loads((folder / "triage.json").read_text())
    (folder / "triage.json").write_text(json.dumps({**manifest, "root": api.root}))
    vague = draft("Decision")
    staging = CommitFolder(root.memory_dir, str(folder))
    commit_drafts(root, [vague], folder=staging, asks=True)
    done = commit_drafts(root, [vague, of_user()], folder=staging, asks=True)
    assert [outcome.status for outcome in done.outcomes] == ["waiting", "waiting"]
    assert [waiting.raw["category"] for waiting in read_inbox(api.memory_dir)] == ["decision"]
    # A draft for the user's own store waits where the session was.
    assert [waiting.raw["category"] for waiting in read_inbox(root.memory_dir)] == ["preference"]
    assert f"1 draft waits for `cuecard review` in `{api.root}`, 1 draft waits for `cuecard review`" in done.notice
    for store in (root, api):
        assert Path(store_path(store.memory_dir, "inbox"), "inbox", "told").exists()
