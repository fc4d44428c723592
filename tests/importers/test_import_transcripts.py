"""Memories from old sessions: few, only of this project, understandable on their own, and no memory twice."""

from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.importers.sessions.session_sentences import MAX_PER_CATEGORY, MAX_PER_SESSION
from cuecard.importers.sessions.standalone_sentence import stands_alone
from cuecard.importers.sessions.transcript import is_in_project
from cuecard.store.records.autofix import fix_new
from cuecard.store.records.record_check import check
from old_sessions import SECRET, drafts_of, imported, outcomes, session
from records import assert_index_is_a_rebuild, draft, make_store, read_files
from triage_cases import DECIDED, read_sessions, said, transcript_of, typed, used


def test_what_an_agent_answered_becomes_a_memory_with_its_context(store: Store) -> None:
    answer = "I compared the two under our load.\n\nWe decided to move to `PostgreSQL` instead of tuning SQLite, "
    answer += "because two writers block each other.\n\nThe migration is a day's work."
    ran = imported(store, {"0a1b.jsonl": session(store.root, typed("SQLite locks up. What now?"), said(answer))})
    [outcome] = outcomes(ran)
    assert outcome["category"] == "decision"
    [memory] = store.memories()
    record = memory.record
    sentence = "We decided to move to `PostgreSQL` instead of tuning SQLite, because two writers block each other."
    assert record["title"] == sentence
    assert record["content"] == {
        "status": "accepted",
        "context": "I compared the two under our load. The migration is a day's work.",
        "decision": sentence,
        "rationale": ["two writers block each other"],
    }
    assert record["tags"] == ["backfill"]
    assert record["confidence"] == 0.3
    source = record["cuecard"]["source"]
    assert record["cuecard"]["origin"] == "import"
    assert (source["kind"], source["path"]) == ("transcript", "0a1b.jsonl")
    assert source["heading"].startswith("decision: We decided to move to `PostgreSQL`")
    assert source["date"] == "2026-03-01T10:00:00.000Z"
    assert_index_is_a_rebuild(store)


@pytest.mark.parametrize(
    ("who", "text", "category", "field", "value"),
    [
        ("user", "From now on always run the linter before you commit anything.", "preference", "value", None),
        ("user", "앞으로 주석은 한국어로 써 줘.", "preference", "value", None),
        ("agent", "로그 포맷은 JSON으로 하기로 결정했습니다. 검색 도구 때문입니다.", "decision", "decision", None),
        ("agent", "The root cause was a stale lock. It is fixed by removing it at start.", "runbook", "steps", "list"),
        (
            "agent",
            "I found that the provider has a rate limit of 20 requests per second per account.",
            "constraint",
            "rule",
            None,
        ),
        (
            "agent",
            "I left the retry loop hard-coded for now because the config service is not ready.",
            "tech_debt",
            "description",
            None,
        ),
    ],
)
def test_each_category_has_the_sentence_in_its_main_field(
    tmp_path: Path, who: str, text: str, category: str, field: str, value: "str | None"
) -> None:
    [found] = drafts_of(
        tmp_path, typed("go on") if who == "agent" else said("yes"), (said if who == "agent" else typed)(text)
    )
    assert found.category == category
    assert found.title == text
    assert found.content[field] == ([text] if value else text)
    check(fix_new(found.record(), found.category, "2026-01-01T00:00:00Z")[0])


def test_what_the_source_does_not_state_is_said_so(tmp_path: Path) -> None:
    [found] = drafts_of(tmp_path, typed("Please never use mocks for the database in this project."))
    assert found.content["reason"] == "not stated in the source"


def test_the_labelled_sessions_come_to_memories_of_their_kind_and_the_others_to_none(tmp_path: Path) -> None:
    found = {"sessions": 0, "heldout": 0}
    for name in found:
        for labelled in read_sessions(name):
            made = {each.category for each in drafts_of(tmp_path, *transcript_of(labelled))}
            assert made <= set(labelled["worth"]), labelled["id"]
            found[name] += bool(made)
    # The two sets have 70 and 32 sessions with something to save. In comparison, triage asks an agent in 69 and 17
    # sessions.
    assert found["sessions"] >= 66
    assert found["heldout"] >= 15


@pytest.mark.parametrize(
    "text",
    [
        "Root cause: Timestamp Generation Issue",
        "Now there are compile errors to fix, and the fix is the import.",
        "I'll use plain `mv` rather than `git mv` since git is for research only.",
        "(26) ✅ The hardcoded list is deferred until somebody needs it because of the costs.",
        "If you prefer we could go with Redis instead of Valkey because it is smaller.",
        "The root cause is in the parser, where the result is typed as a text.",
    ],
)
def test_steps_headings_proposals_and_halves_are_no_memories(tmp_path: Path, text: str) -> None:
    assert drafts_of(tmp_path, typed("go on"), said(text)) == []


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Let's use those to create the opposite pair in that folder.", "decision"),
        ("No, let's use 12 characters instead of 10 for issue 17", "decision"),
        ("Great, let's go with your recommendation and write it into the list.", "decision"),
        ("Let's keep debugging until the root issue is fixed for good.", "decision"),
        ('npm error notsup Unsupported platform for the package: wanted {"os":"darwin"}', "constraint"),
        ("There is a rule about names in the file, but these plans are older.", "preference"),
        ("Please fix the root cause rather than adding a workaround to the code.", "runbook"),
    ],
)
def test_what_leans_on_something_else_cannot_stand_alone(text: str, category: str) -> None:
    assert not stands_alone(text, category, True)


def test_what_says_all_of_it_can_stand_alone() -> None:
    assert stands_alone("Let's use 12 characters instead of 10 for short ids.", "decision", True)
    assert stands_alone("Please never use mocks for the database in this project.", "preference", True)


def test_only_the_last_word_of_an_agents_turn_counts(tmp_path: Path) -> None:
    records = [typed("go on"), said(DECIDED), used("Edit"), said("All tests pass.")]
    assert drafts_of(tmp_path, *records) == []
    assert len(drafts_of(tmp_path, *records[:2], typed("good"), *records[2:])) == 1


def test_what_a_user_pastes_is_not_what_the_user_says(tmp_path: Path) -> None:
    rule = "From now on always run the linter before you commit anything."
    assert len(drafts_of(tmp_path, typed(rule))) == 1
    assert drafts_of(tmp_path, typed(f"{rule}\n" + "a line of a log\n" * 200)) == []


def test_a_session_comes_to_a_few_memories_the_users_words_first(tmp_path: Path) -> None:
    letters = "abcdefghij"
    records = [
        said(f"We decided to use the {letter * 8} format instead of text, because it is smaller.") for letter in letters
    ]
    typed_one = typed("Let's go with server-sent events for the progress bar, sockets are more than we need.")
    [*agents, users] = drafts_of(tmp_path, *[each for one in records for each in (typed("go on"), one)], typed_one)
    assert len(agents) == MAX_PER_CATEGORY - 1
    assert "server-sent" in users.title
    rules = [typed(f"From now on always use the {letter * 8} style for modules.") for letter in letters]
    debts = [
        typed("Leave the N+1 query, we'll deal with it after the launch, it is known."),
        typed("We must never store card numbers, required by the contract with the bank."),
    ]
    every = drafts_of(tmp_path, *[each for one in records for each in (typed("go on"), one)], typed_one, *rules, *debts)
    assert len(every) == MAX_PER_SESSION


def test_sessions_of_other_projects_are_passed_over_with_a_word(store: Store, tmp_path: Path) -> None:
    make_store(tmp_path / "other")
    ran = imported(
        store,
        {
            "a.jsonl": session(tmp_path / "other", said(DECIDED)),
            "b.jsonl": session(tmp_path / "nowhere", said(DECIDED)),
            "c.jsonl": session("C:\\work\\project", said(DECIDED)),
            "c2.jsonl": b'{"type":"user","sessionId":"s","cwd":"/\\ud800","timestamp":"2026-03-01"}\n',
            "c3.jsonl": session("/" + "x" * 5000, said(DECIDED)),
            "d.jsonl": session(Path(store.root, "packages", "gone"), said(DECIDED)),
        },
    )
    assert [outcome["source"].partition("#")[0] for outcome in outcomes(ran)] == ["d.jsonl"]
    [skipped] = outcomes(ran, "skipped")
    assert skipped["why"] == "5 sessions of other projects"


def test_a_project_without_memories_knows_its_sessions(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    (root / "src").mkdir(parents=True)
    (tmp_path / "fresh-2").mkdir()
    assert is_in_project(str(root), str(root))
    assert is_in_project(str(root / "src"), str(root))
    assert not is_in_project(str(tmp_path), str(root))
    assert not is_in_project(str(tmp_path / "fresh-2"), str(root))
    assert not is_in_project("src", str(root))
    (root / "vendored" / ".git").mkdir(parents=True)
    assert not is_in_project(str(root / "vendored"), str(root))


def test_a_second_run_and_a_longer_session_write_nothing_twice(store: Store) -> None:
    first = [typed("Which store?"), said(DECIDED), typed("From now on always run the linter before a commit, please.")]
    assert len(outcomes(imported(store, {"a.jsonl": session(store.root, *first)}))) == 2
    before = read_files(store)
    again = imported(store, {})
    assert again.document["counts"] == {"unchanged": 2}
    # The session has grown, and its start is also in another file: hosts copy a session when it is resumed.
    longer = session(store.root, *first, said("Yes."), typed("thanks"))
    ran = imported(store, {"a.jsonl": longer, "b.jsonl": longer})
    assert ran.document["counts"] == {"duplicate": 2, "unchanged": 2}
    assert read_files(store) == before
    file = Path(store.root).parent / "sessions" / "a.jsonl"
    assert run_in(store, "import", file, "--json").document["counts"] == {"unchanged": 2}


def test_a_dry_run_says_what_would_be_made(store: Store) -> None:
    dry = imported(store, {"a.jsonl": session(store.root, said(DECIDED))}, "--dry-run")
    assert [outcome["title"] for outcome in outcomes(dry)] == [DECIDED]
    assert store.memories() == []
    # Nobody vouches for what a trial would make.
    would_be = [{name: outcome[name] for name in outcome if name != "trust"} for outcome in outcomes(dry)]
    assert outcomes(imported(store, {})) == would_be


def test_a_session_of_a_former_version_of_a_memory_is_left_alone_too(store: Store) -> None:
    sources = [{"session": name, "transcript": f"{name}.jsonl", "start": 0, "end": 9} for name in ("a", "c")]
    written = store.add(draft("Jobs live in the database", cuecard={"origin": "agent", "source": sources[0]}))
    store.update(written.id, {"title": "Jobs live in a queue", "cuecard": {"source": sources[1]}})
    said_there = session(store.root, said(DECIDED))
    ran = imported(store, {"a.jsonl": said_there, "b.jsonl": said_there, "c.jsonl": said_there})
    assert ran.document["counts"] == {"created": 1, "skipped": 2}


def test_a_session_that_an_agent_has_drafted_from_is_left_alone(store: Store) -> None:
    extension = {"origin": "agent", "source": {"session": "s-1", "transcript": "a.jsonl", "start": 0, "end": 9}}
    store.add(draft("Jobs live in the database", cuecard=extension))
    [outcome] = imported(store, {"a.jsonl": session(store.root, said(DECIDED))}).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == (
        "skipped",
        "an agent has already drafted from this session: `decision/jobs-live-in-the-database`",
    )


def test_what_is_switched_off_is_not_imported(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project", categories={"decision": {"auto_capture": False}})
    ran = imported(store, {"a.jsonl": session(store.root, said(DECIDED))})
    assert outcomes(ran) == []


def test_secrets_are_replaced_wherever_they_stand(store: Store) -> None:
    text = f"From now on always use the token {SECRET} for the staging server, and never another one."
    ran = imported(store, {"a.jsonl": session(store.root, said(f"The old one was {SECRET}."), typed(text))})
    [outcome] = outcomes(ran)
    assert outcome["secrets"]
    assert SECRET[:12] not in ran.stdout
    assert SECRET[:12] not in "".join([data.decode() for data in read_files(store).values()])
    assert imported(store, {}).document["counts"] == {"unchanged": 1}


def test_what_was_imported_is_found_by_its_words(store: Store) -> None:
    imported(store, {"a.jsonl": session(store.root, said(DECIDED))})
    assert "PostgreSQL" in run_in(store, "recall", "which database do the writers use, PostgreSQL?").stdout
