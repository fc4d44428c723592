"""Sessions, as real processes: a memory is not shown twice, and earlier prompts help prompts that continue them."""

import json
import os
import re
import stat
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from hook_process import Hook, Outcome, memories_in
from scratch_home import kept_of, write_user_settings

PROMPT = "how do we rotate the signing keys?"
OTHER = "which queue do background jobs use?"
ID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
ROTATE, QUEUE = ".claude/memory/runbooks/rotate-keys.json", ".claude/memory/decisions/queue.json"
MEMORIES: dict[str, Mapping[str, object]] = {
    ROTATE: {
        "title": "Rotate the signing keys",
        "category": "runbook",
        "tags": ["signing", "keys", "rotate"],
        "content": {"steps": ["make a new key", "publish both", "retire the old one"]},
    },
    QUEUE: {
        "title": "Background jobs use a queue in Postgres",
        "category": "decision",
        "tags": ["queue", "jobs", "postgres"],
        "content": {"decision": "SKIP LOCKED over a table of jobs"},
    },
    ".claude/memory/preferences/commits.json": {
        "title": "Commit messages say why",
        "category": "preference",
        "tags": ["git", "commits"],
        "content": {"preference": "one line, then the reason"},
    },
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with three memories."""
    root = tmp_path / "project"
    for path, memory in MEMORIES.items():
        write(root, path, memory)
    return root


def write(project: Path, path: str, memory: Mapping[str, object]) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"id": file.stem, "record_status": "active", "updated_at": "2026-01-01", **memory}))
    # The files get an old time, so that the next change gives them another time.
    os.utime(file, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000 + len(file.read_bytes())))


def ask(
    hook: Hook,
    project: Path,
    prompt: str = PROMPT,
    session: object = ID,
    options: tuple[str, ...] | str = (),
    **environment: str,
) -> Outcome:
    sent = json.dumps({"prompt": prompt, "cwd": str(project), "session_id": session}).encode()
    ran = hook.run("prompt", "--host", "plain", *options, stdin=sent, cwd=project, **environment)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


def tell(hook: Hook, project: Path, event: str, source: str | None = None, session: object = ID) -> Outcome:
    sent = {"hook_event_name": event, "source": source, "cwd": str(project), "session_id": session}
    ran = hook.run("session", stdin=json.dumps(sent).encode(), cwd=project)
    assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
    return ran


def shown(ran: Outcome) -> list[str]:
    """The paths of the memories in a block."""
    return memories_in(ran.stdout.decode(), {path: str(memory["title"]) for path, memory in MEMORIES.items()})


def session_file(project: Path, session: str = ID) -> Path:
    return kept_of(project / ".claude/memory") / "sessions" / session


# What was shown


def test_what_was_shown_is_not_shown_again(hook: Hook, project: Path) -> None:
    assert shown(ask(hook, project)) == [ROTATE]
    assert shown(ask(hook, project)) == []
    assert shown(ask(hook, project, OTHER)) == [QUEUE]
    assert shown(ask(hook, project, OTHER)) == []


def test_sessions_do_not_mix(hook: Hook, project: Path) -> None:
    assert shown(ask(hook, project)) == [ROTATE]
    assert shown(ask(hook, project, session="another")) == [ROTATE]
    assert shown(ask(hook, project, session="another")) == []


@pytest.mark.parametrize("session", [None, "", "../../snapshot", "a.b", "a" * 101])
def test_without_an_id_that_a_file_can_have_there_is_no_session(hook: Hook, project: Path, session: object) -> None:
    before = sorted(project.rglob("*"))
    assert shown(ask(hook, project, session=session)) == [ROTATE]
    assert shown(ask(hook, project, session=session)) == [ROTATE]
    assert not session_file(project).parent.exists()
    derived = project / ".claude/memory/.cuecard"
    assert {file for file in project.rglob("*") if derived not in (file, *file.parents)} - set(before) <= {
        project / ".claude/memory/index.md"
    }


def test_a_memory_that_changed_is_shown_again(hook: Hook, project: Path) -> None:
    assert shown(ask(hook, project)) == [ROTATE]
    write(project, ROTATE, {**MEMORIES[ROTATE], "title": "Rotate the signing keys every month"})
    os.utime((project / ROTATE).parent)
    assert b"] Rotate the signing keys every month (" in ask(hook, project).stdout
    assert shown(ask(hook, project)) == []
    assert session_file(project).read_text().count(ROTATE) == 1


@pytest.mark.parametrize(
    ("event", "source"), [("SessionStart", "compact"), ("SessionStart", "clear"), ("PostCompact", None)]
)
def test_what_the_agent_no_longer_has_is_shown_again(hook: Hook, project: Path, event: str, source: str | None) -> None:
    assert shown(ask(hook, project)) == [ROTATE]
    assert tell(hook, project, event, source).log == []
    assert shown(ask(hook, project)) == [ROTATE]


@pytest.mark.parametrize("source", ["startup", "resume", "fork"])
def test_a_session_that_goes_on_keeps_what_it_has(hook: Hook, project: Path, source: str) -> None:
    assert shown(ask(hook, project)) == [ROTATE]
    assert tell(hook, project, "SessionStart", source).log == []
    assert shown(ask(hook, project)) == []


def test_an_event_of_another_session_changes_nothing(hook: Hook, project: Path) -> None:
    assert shown(ask(hook, project)) == [ROTATE]
    assert tell(hook, project, "SessionStart", "clear", session="another").log == []
    assert not session_file(project, "another").exists()
    assert shown(ask(hook, project)) == []


def test_an_event_that_is_none_is_logged(hook: Hook, project: Path) -> None:
    ran = hook.run("session", stdin=b"[]", cwd=project)
    assert (ran.code, ran.stdout, ran.log) == (0, b"", ["the payload is not a JSON object"])


def test_what_did_not_fit_is_shown_the_next_time(hook: Hook, project: Path) -> None:
    write_user_settings({"retrieval": {"gate_setting": "off", "max_inject": 20, "max_tokens": 150}})
    titles = {str(number): f"Rotate the signing keys of region {number}{'abcdefghij'[number]}" for number in range(10)}
    for number, title in titles.items():
        memory = {"title": title, "category": "runbook", "content": {"steps": [f"ask {number * 40}"]}}
        write(project, f".claude/memory/runbooks/region-{number}.json", memory)
    seen: list[str] = []
    for _ in range(10):
        block = ask(hook, project, "rotate the signing keys of a region").stdout.decode()
        found = memories_in(block, titles)
        assert len(found) < 10
        seen += found
        if not block:
            break
    assert sorted(seen) == sorted(titles)


def test_what_was_a_title_is_shown_with_more_once_it_is_surer(hook: Hook, project: Path) -> None:
    write_user_settings({"retrieval": {"gate_setting": "off", "priors": False}})
    unsure = "which keys do the deployment scripts of our new staging region want"
    assert f"] {MEMORIES[ROTATE]['title']}\n" in re.sub(" -> .*", "", ask(hook, project, unsure).stdout.decode())
    assert "titled" in session_file(project).read_text()
    assert ROTATE not in shown(ask(hook, project, unsure))
    assert b"  steps: make a new key; publish both" in ask(hook, project).stdout
    assert ROTATE not in shown(ask(hook, project))
    assert ROTATE not in shown(ask(hook, project, unsure))


# Earlier prompts


def test_a_prompt_that_goes_on_has_the_words_of_those_before(hook: Hook, project: Path) -> None:
    assert shown(ask(hook, project, "and again?", session="fresh")) == []
    ask(hook, project)
    tell(hook, project, "SessionStart", "compact")
    assert shown(ask(hook, project, "continue")) == [ROTATE]


def test_a_cleared_session_has_no_prompts_before(hook: Hook, project: Path) -> None:
    ask(hook, project)
    tell(hook, project, "SessionStart", "clear")
    assert shown(ask(hook, project, "continue")) == []


def test_a_greeting_is_neither_answered_nor_kept(hook: Hook, project: Path) -> None:
    ask(hook, project)
    before = session_file(project).read_bytes()
    assert shown(ask(hook, project, "thanks")) == []
    assert session_file(project).read_bytes() == before


def test_of_the_last_five_prompts_the_terms_are_kept_that_a_memory_has(hook: Hook, project: Path) -> None:
    words = ["signing", "keys", "queue", "postgres", "commits", "jobs", "rotate"]
    for word in words:
        ask(hook, project, f"where is the xyzzy of {word} in here?")
    kept = [line for line in session_file(project).read_text().split("\n") if line.startswith("prompt ")]
    assert len(kept) == 5
    for line, stem in zip(kept, ["queu", "postgr", "commit", "job", "rotat"], strict=True):
        assert line.startswith("prompt 1 s:")
        assert f"{stem}=256" in line
    assert "xyzzy" not in session_file(project).read_text()


def test_prompts_of_which_the_same_is_kept_are_kept_once(hook: Hook, project: Path) -> None:
    for name in ("alpha", "beta", "gamma"):
        ask(hook, project, f"where does the {name} keep its signing keys?")
    kept = [line for line in session_file(project).read_text().split("\n") if line.startswith("prompt ")]
    assert len(kept) == len(set(kept))


def test_a_memory_that_is_written_later_is_not_found_by_the_prompts_before_it(hook: Hook, project: Path) -> None:
    ask(hook, project, "why do invoices wait for customs?")
    late = ".claude/memory/decisions/customs.json"
    content = {"decision": "customs clears invoices first"}
    write(project, late, {"title": "Invoices wait for customs", "category": "decision", "content": content})
    os.utime((project / late).parent)
    assert b"customs" not in ask(hook, project, "continue").stdout
    assert b"customs" in ask(hook, project, "why do invoices wait for customs?").stdout


@pytest.mark.parametrize("session", [ID, "another"])
def test_the_files_that_held_texts_are_never_read_and_go_with_the_next_prompt(
    hook: Hook, project: Path, session: str
) -> None:
    ask(hook, project)
    for name in (ID, "another", "third"):
        old = f"cuecard session 1\nprompt {PROMPT} with ghp_secret\nshown 1 2 {ROTATE}\n"
        session_file(project, name).write_text(old)
    assert ROTATE not in shown(ask(hook, project, "continue", session="new"))
    ask(hook, project, OTHER, session=session)
    texts = [file.read_text() for file in session_file(project).parent.iterdir()]
    assert texts
    assert not [text for text in texts if "ghp_secret" in text or "session 1" in text]


def test_an_event_of_a_session_removes_its_file_that_held_texts(hook: Hook, project: Path) -> None:
    ask(hook, project)
    session_file(project).write_text(f"cuecard session 1\nprompt {PROMPT}\n")
    assert tell(hook, project, "SessionStart", "compact").log == []
    assert not session_file(project).exists()


@pytest.mark.parametrize("host", ["claude-code", "codex", "copilot", "opencode"])
def test_a_host_that_keeps_what_it_was_given_gets_it_once(hook: Hook, project: Path, host: str) -> None:
    names = ("sessionId", "transformedPrompt") if host == "copilot" else ("session_id", "permission_mode")
    data = json.dumps({"prompt": PROMPT, "cwd": str(project), names[0]: ID, names[1]: PROMPT}).encode()
    first, second = (hook.run("prompt", "--host", host, stdin=data, cwd=project) for _ in range(2))
    assert (b"] Rotate the signing keys" in first.stdout, second.stdout) == (True, b"")
    assert first.log == second.log == []


def test_copilot_says_before_it_compacts(hook: Hook, project: Path) -> None:
    # Copilot CLI 1.0.102 sends this payload to a hook whose event is named in this form (`PreCompact`).
    payload = {
        "hook_event_name": "PreCompact",
        "session_id": ID,
        "timestamp": "2026-11-22T23:22:42.412Z",
        "cwd": str(project),
        "transcript_path": f"/home/me/.copilot/session-state/{ID}/events.jsonl",
        "trigger": "manual",
        "custom_instructions": "",
    }
    assert shown(ask(hook, project)) == [ROTATE]
    assert shown(ask(hook, project)) == []
    ran = hook.run("session", stdin=json.dumps(payload).encode(), cwd=project)
    assert (ran.code, ran.stdout, ran.stderr, ran.log) == (0, b"", b"", [])
    assert shown(ask(hook, project)) == [ROTATE]


# Gemini CLI, whose transcript shows what its agent still remembers


class Gemini:
    """A session of Gemini CLI.

    Each prompt is sent to the hook; then it is written into the transcript, together with the block.
    """

    def __init__(self, hook: Hook, project: Path) -> None:
        self.hook, self.project, self.messages = hook, project, 0
        self.transcript = project.parent / "session.jsonl"
        self.append({"sessionId": ID, "projectHash": "0", "kind": "main"})

    def append(self, *records: Mapping[str, object]) -> None:
        with self.transcript.open("a") as file:
            for record in records:
                file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def answer(self, prompt: str, transcript_path: object = ...) -> bool:
        """Send a prompt, and return whether the hook prints a block."""
        path = str(self.transcript) if transcript_path is ... else transcript_path
        sent = {"prompt": prompt, "cwd": str(self.project), "session_id": ID, "transcript_path": path}
        data = json.dumps({**sent, "hook_event_name": "BeforeAgent"}).encode()
        ran = self.hook.run("prompt", "--host", "gemini", stdin=data, cwd=self.project)
        assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
        said = json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"] if ran.stdout else ""
        self.messages += 1
        text = said.replace("<", "&lt;").replace(">", "&gt;")
        content = [{"text": prompt}, *([{"text": f"<hook_context>{text}</hook_context>"}] if text else [])]
        self.append({"id": str(self.messages), "type": "user", "content": content}, {"$set": {"lastUpdated": "now"}})
        return bool(said)

    def replace(self, *messages: Mapping[str, object]) -> None:
        """Write the line with which Gemini CLI replaces the messages of its conversation."""
        self.append({"$set": {"messages": messages, "lastUpdated": "now"}})

    def said(self) -> list[dict[str, object]]:
        """The messages of the transcript."""
        return [line for line in map(json.loads, self.transcript.read_text().splitlines()) if "id" in line]


SUMMARY = {"id": "s", "type": "user", "content": [{"text": "<state_snapshot>keys rotate</state_snapshot>"}]}


def test_gemini_gets_a_memory_once_and_again_after_a_compression(hook: Hook, project: Path) -> None:
    gemini = Gemini(hook, project)
    assert gemini.answer(PROMPT)
    # Gemini CLI sends this event at every turn, even if it has compressed nothing.
    assert tell(hook, project, "PreCompress").log == []
    assert not gemini.answer(PROMPT)
    assert gemini.answer(OTHER)
    assert not gemini.answer(OTHER)
    gemini.replace(SUMMARY, *gemini.said()[2:])
    assert gemini.answer(PROMPT)
    assert not gemini.answer(PROMPT)


def test_gemini_keeps_what_it_writes_again(hook: Hook, project: Path) -> None:
    gemini = Gemini(hook, project)
    assert gemini.answer(PROMPT)
    gemini.replace(*gemini.said())
    assert not gemini.answer(PROMPT)


def test_gemini_gets_again_what_was_taken_back_or_never_arrived(hook: Hook, project: Path) -> None:
    gemini = Gemini(hook, project)
    assert gemini.answer(PROMPT)
    gemini.append({"$rewindTo": "1"})
    assert gemini.answer(PROMPT)
    gemini.transcript.write_text("")
    assert gemini.answer(PROMPT)


@pytest.mark.parametrize("transcript", [None, "", "gone.jsonl", "."])
def test_gemini_without_a_transcript_gets_everything_each_time(
    hook: Hook, project: Path, transcript: str | None
) -> None:
    gemini = Gemini(hook, project)
    path = transcript and str(project / transcript)
    assert gemini.answer(PROMPT, path)
    assert gemini.answer(PROMPT, path)


def test_only_the_end_of_a_long_transcript_counts(hook: Hook, project: Path) -> None:
    gemini = Gemini(hook, project)
    assert gemini.answer(PROMPT)
    with gemini.transcript.open("a") as file:
        file.write("x" * (15 << 20) + "\n")
    assert not gemini.answer(PROMPT)
    with gemini.transcript.open("a") as file:
        file.write("x" * (2 << 20) + "\n")
    assert gemini.answer(PROMPT)


# The session file


def test_the_file_is_the_users_alone(hook: Hook, project: Path) -> None:
    ask(hook, project)
    assert stat.S_IMODE(session_file(project).stat().st_mode) == 0o600
    assert stat.S_IMODE(session_file(project).parent.stat().st_mode) == 0o700
    assert [file.name for file in session_file(project).parent.iterdir()] == [ID]
    assert not (project / ".claude/memory/.cuecard/sessions").exists()


@pytest.mark.parametrize("damage", [b"", b"cuecard session 9\n", b"\xff\xfe", b"cuecard session 2\nprompt half"])
def test_a_damaged_file_counts_as_none(hook: Hook, project: Path, damage: bytes) -> None:
    ask(hook, project)
    session_file(project).write_bytes(damage)
    ran = ask(hook, project)
    assert (shown(ran), ran.log) == ([ROTATE], [])
    assert shown(ask(hook, project)) == []


def test_what_is_no_file_is_left_alone_and_told(hook: Hook, project: Path) -> None:
    session_file(project).mkdir(parents=True)
    ran = ask(hook, project)
    assert (shown(ran), ran.log) == ([ROTATE], ["the session's file cannot be written"])
    assert [file.name for file in session_file(project).parent.iterdir()] == [ID]


def test_sessions_of_long_ago_are_forgotten(hook: Hook, project: Path) -> None:
    ask(hook, project, session="old")
    ask(hook, project, session="young")
    os.utime(session_file(project, "old"), (time.time() - 8 * 86_400,) * 2)
    os.utime(session_file(project, "young"), (time.time() - 6 * 86_400,) * 2)
    ask(hook, project)
    assert sorted(file.name for file in session_file(project).parent.iterdir()) == sorted([ID, "young"])


def test_two_prompts_of_a_session_at_once_leave_a_whole_file(hook: Hook, project: Path) -> None:
    ask(hook, project, "something else entirely, to begin with")
    sent = json.dumps({"prompt": PROMPT, "cwd": str(project), "session_id": ID}).encode()
    processes = [hook.start("prompt", cwd=project) for _ in range(8)]
    threads = [threading.Thread(target=process.communicate, args=(sent, 60)) for process in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.returncode for process in processes] == [0] * 8
    lines = session_file(project).read_text().split("\n")
    assert lines[0] == "cuecard session 2"
    assert lines[-2].startswith("shown ")
    assert [file.name for file in session_file(project).parent.iterdir()] == [ID]


# Without a session


def test_a_project_can_do_without(hook: Hook, project: Path) -> None:
    (project / ".claude/memory/memory-config.json").write_text('{"retrieval": {"session": false}}')
    assert shown(ask(hook, project)) == [ROTATE]
    assert shown(ask(hook, project)) == [ROTATE]
    assert not session_file(project).parent.exists()


@pytest.mark.parametrize("options", [("--output", "classic"), ("--strategy", "keyword_classic")])
def test_the_classic_forms_know_no_sessions(hook: Hook, project: Path, options: tuple[str, ...]) -> None:
    first = ask(hook, project, options=options)
    assert ROTATE in shown(first)
    assert ask(hook, project, options=options).stdout == first.stdout
    assert not session_file(project).parent.exists()


def test_other_strategies_show_nothing_twice_either(hook: Hook, project: Path) -> None:
    assert ROTATE in shown(ask(hook, project, CUECARD_STRATEGY="bm25"))
    assert shown(ask(hook, project, CUECARD_STRATEGY="bm25")) == []
    assert shown(ask(hook, project, "continue", CUECARD_STRATEGY="bm25")) == []
