"""Judged prompts are made from a project's own memories and transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from cuecard import evaluate
from cuecard._pure.text.terms import document_terms
from cuecard.errors import InputError, StoreError, UsageError
from cuecard.evaluate import query_templates
from cuecard.evaluate.judged_prompts import JudgedPrompt
from cuecard.evaluate.transcript import read_turns
from small_project import MEMORIES, SampleMemory, write_project

HOOK, RELEASE = MEMORIES[1], MEMORIES[4]
READ_HOOK: dict[str, object] = {"name": "Read", "input": {"file_path": f"/somewhere/else/{HOOK.path}"}}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

pytestmark = pytest.mark.usefixtures("clean_environment")


def user(content: object, **fields: object) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


def agent(*blocks: str | dict[str, object], **fields: object) -> dict[str, Any]:
    """A message of the agent in a transcript.

    Each block is a text, or the name and input of a tool call.
    """
    content = [
        {"type": "text", "text": block} if isinstance(block, str) else {"type": "tool_use", "id": "t", **block}
        for block in blocks
    ]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, **fields}


def write_transcript(file: Path, *entries: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    file.write_text("".join([f"{line}\n" for line in lines]), encoding="utf-8")
    return file


def from_transcript(project: Path, *entries: object) -> list[JudgedPrompt]:
    file = write_transcript(project.parent / "session.jsonl", *entries)
    made = evaluate.make(root=str(project), transcripts=[file])
    return [prompt for prompt in made.prompts if prompt.kind.startswith("transcript")]


# From memories


def test_each_prompt_is_made_of_its_memorys_words_and_wants_that_memory(project: Path) -> None:
    made = evaluate.make(root=str(project)).prompts
    titles = {memory.name: memory.title for memory in MEMORIES}
    assert {prompt.kind for prompt in made} >= {"title-words", "inflected", "leave-one-out"}
    for prompt in made:
        [name] = prompt.judgments or prompt.without
        assert name != "old-hook", "retired memories are no answer"
        assert not prompt.is_reviewed
        assert prompt.source.endswith(f"/{name}.json")
        if prompt.kind == "title-words":
            assert prompt.judgments == {name: 2}
            assert set(document_terms(prompt.text)) <= set(document_terms(titles[name]))
        if prompt.kind == "leave-one-out":
            assert prompt.judgments == {}
            assert prompt.is_unanswerable


def test_the_same_seed_makes_the_same_prompts_and_another_one_others(project: Path) -> None:
    first, again, other = [evaluate.make(root=str(project), seed=seed).prompts for seed in (1, 1, 2)]
    assert first == again
    assert [prompt.text for prompt in first] != [prompt.text for prompt in other]


def test_a_new_memory_leaves_the_texts_of_the_others_as_they_are(project: Path, tmp_path: Path) -> None:
    more = write_project(tmp_path / "more", *MEMORIES, SampleMemory("decision", "new", "Retries go through the queue"))
    before, after = [{prompt.text for prompt in evaluate.make(root=str(root)).prompts} for root in (project, more)]
    assert before < after


def test_a_limit_takes_of_every_kind(project: Path) -> None:
    made = evaluate.make(root=str(project), limit=4).prompts
    assert len(made) == 4
    assert len({prompt.kind for prompt in made}) == 4
    with pytest.raises(UsageError):
        evaluate.make(root=str(project), limit=0)


def test_ids_are_distinct_and_bear_the_projects_name(project: Path) -> None:
    made = evaluate.make(root=str(project)).prompts
    assert len({prompt.id for prompt in made}) == len(made)
    assert all(prompt.id.startswith("project-") for prompt in made)
    assert {prompt.project for prompt in evaluate.make(root=str(project), project="named").prompts} == {"named"}


def test_what_was_made_can_be_run_and_scored(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    evaluate.write_prompts(file, evaluate.make(root=str(project)).prompts)
    prompts = evaluate.read_prompts(file)
    found = evaluate.score(evaluate.run(prompts, root=str(project), setting="off", strategy="bm25"), prompts)
    assert found.groups["title-words"].measures["R@5"] == 1
    assert found.unreviewed == len(prompts)


def test_without_memories_there_is_nothing_to_make(tmp_path: Path) -> None:
    (tmp_path / "empty" / ".claude" / "memory").mkdir(parents=True)
    with pytest.raises(InputError, match="no active memories"):
        evaluate.make(root=str(tmp_path / "empty"))
    with pytest.raises(StoreError):
        evaluate.make(root=str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Caching policies for deployed services", "caching policy for deployed services"),
        ("배포 서버", "배포를 서버를"),
        ("인증 시간", "인증을 시간을"),
        ("a of the", ""),
    ],
)
def test_inflected_words_keep_their_roots(title: str, expected: str) -> None:
    found = query_templates.inflected(title, 0)
    assert bool(found) == bool(expected)
    if title[0] > "z":
        assert found == expected
    else:
        assert found != title
        assert set(document_terms(found)) <= {*document_terms(title), *document_terms(expected)}


def test_short_forms_are_those_that_developers_write() -> None:
    assert query_templates.abbreviated("Database configuration of the Kubernetes environment", 0) == "db config k8s env"
    assert query_templates.abbreviated("Nothing to shorten here", 0) == ""


def test_body_words_are_not_those_of_the_title() -> None:
    body = "The hook is native. Interpreter start costs forty milliseconds of every prompt."
    assert (
        query_templates.body_words("native hook", body, 0) == "interpreter start costs forty milliseconds every prompt"
    )
    assert query_templates.body_words("native hook", "The hook is native.", 0) == ""


def test_identifiers_stay_as_they_are_pasted() -> None:
    assert query_templates.content_words("Set DISABLE_AUTH and maxRetries in app/config.py") == [
        "set",
        "DISABLE_AUTH",
        "maxRetries",
        "app/config.py",
    ]


# From transcripts


def test_a_prompt_after_which_a_memory_was_read_wants_it(project: Path) -> None:
    used, unused = from_transcript(
        project,
        user("make the tests quicker"),
        agent("Done."),
        user("why is there no python in the hook"),
        agent(READ_HOOK),
        user([{"type": "tool_result", "content": "..."}]),
        agent("Because of the start-up."),
    )
    assert (used.kind, used.text, used.judgments) == (
        "transcript-used",
        "why is there no python in the hook",
        {HOOK.name: 2},
    )
    assert used.history == ("make the tests quicker",)
    assert used.source == "session, prompt 2"
    assert (unused.kind, unused.judgments, unused.is_unanswerable) == ("transcript-unused", {}, True)


@pytest.mark.parametrize(
    "answer",
    [
        agent(f"By the decision `{HOOK.path}` it is native."),
        agent(f"As decided: the hook is a native\nexecutable, no Python script. {HOOK.name}"),
        agent({"name": "Bash", "input": {"command": f"cat {HOOK.path}"}}),
        agent({"name": "Bash", "input": {"command": f"cuecard show {HOOK.name} --json"}}),
        agent({"name": "mcp__cuecard__recall_memory", "input": {"path": HOOK.path}}),
        agent({"name": "Read", "input": {"file_path": "C:\\work\\" + HOOK.path.replace("/", "\\")}}),
    ],
)
def test_reading_and_citing_show_in_many_ways(project: Path, answer: dict[str, Any]) -> None:
    [prompt] = from_transcript(project, user("why native"), answer)
    assert prompt.judgments == {HOOK.name: 2}


@pytest.mark.parametrize(
    "answer",
    [
        agent({"name": "Write", "input": {"file_path": f"/p/{HOOK.path}", "content": "..."}}),
        agent({"name": "Bash", "input": {"command": f"cuecard update {HOOK.name} -f {HOOK.path}"}}),
        agent({"name": "Bash", "input": {"command": f"cuecard show {HOOK.name}-of-old"}}),
        agent("The twins give the same result"[:13]),
        agent(READ_HOOK, isSidechain=True),
        {"type": "attachment", "message": {"content": HOOK.path}},
    ],
)
def test_writing_and_the_work_of_others_is_no_use(project: Path, answer: dict[str, Any]) -> None:
    [prompt] = from_transcript(project, user("why native"), answer)
    assert prompt.judgments == {}


def test_a_memory_that_was_made_later_was_no_answer_yet(project: Path) -> None:
    [early] = from_transcript(project, user("why native", timestamp="2019-12-31T00:00:00Z"), agent(READ_HOOK))
    assert early.judgments == {}
    [late] = from_transcript(project, user("why native", timestamp="2020-01-02T00:00:00.000Z"), agent(READ_HOOK))
    assert late.judgments == {HOOK.name: 2}


def test_only_what_was_typed_is_a_prompt(project: Path) -> None:
    block = '<memory-context source=".claude/memory/">\n- [DECISION] The hook\n</memory-context>'
    made = from_transcript(
        project,
        user("<command-name>/clear</command-name>"),
        user("/compact now"),
        user([{"type": "text", "text": "expanded"}], isMeta=True),
        user("[Request interrupted by user]"),
        user("summary", isCompactSummary=True),
        "{broken",
        "[]",
        '{"type": "user"}',
        user(f"release it\n{block}", uuid="1"),
        user("release it", uuid="1"),
        user("  Release   it "),
        agent("fine"),
    )
    assert [prompt.text for prompt in made] == ["release it"]


def test_secrets_do_not_get_into_a_file_of_prompts(project: Path) -> None:
    first, second = from_transcript(project, user(f"push with {TOKEN}"), user("again"))
    assert TOKEN not in json.dumps([first.as_dict(), second.as_dict()])
    assert first.text == "push with [redacted:github-token]"
    assert second.history == (first.text,)


def test_of_a_folder_only_the_projects_own_sessions_count(project: Path, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    write_transcript(sessions / "a.jsonl", user("inside", cwd=str(project / "deep")), agent("yes"))
    write_transcript(sessions / "b.jsonl", user("outside", cwd=str(tmp_path)), agent("yes"))
    write_transcript(sessions / "a" / "subagents" / "agent-1.jsonl", user("sub", cwd=str(project)))
    made = evaluate.make(root=str(project), transcripts=[sessions])
    assert [prompt.text for prompt in made.prompts if prompt.kind == "transcript-unused"] == ["inside"]
    assert made.notes == ["1 session(s) of other projects were left out"]


def test_only_the_latest_prompts_are_taken(project: Path) -> None:
    entries = [user(f"prompt number {hour}", timestamp=f"2026-01-01T0{hour}:00:00Z") for hour in (3, 1, 2)]
    file = write_transcript(project.parent / "session.jsonl", *entries)
    made = evaluate.make(root=str(project), transcripts=[file], limit=2)
    assert [prompt.text for prompt in made.prompts if prompt.kind == "transcript-unused"] == [
        "prompt number 2",
        "prompt number 3",
    ]
    assert "latest 2" in made.notes[0]


def test_a_path_without_transcripts_is_an_error(project: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    for path in (tmp_path / "none", tmp_path / "missing.jsonl"):
        with pytest.raises(InputError, match="there is no transcript"):
            evaluate.make(root=str(project), transcripts=[path])


def test_a_transcript_of_noise_has_no_turns(tmp_path: Path) -> None:
    file = tmp_path / "noise.jsonl"
    file.write_bytes(b"\xff\xfe\n" + b"[" * 5000 + b"\n" + b'{"type": "user", "message": {"content": [1, null]}}\n')
    assert read_turns(file) == []
