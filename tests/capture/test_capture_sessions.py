"""The judged sessions are complete, and their transcripts contain the labelled statements."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from capture_sessions import (
    HOSTS,
    KINDS,
    SESSIONS,
    CaptureSession,
    Transcript,
    read_session_projects,
    read_sessions,
    write_transcript,
)
from cuecard.capture.triage.conversation import read_conversation

READ = read_sessions()
PROJECTS = read_session_projects()
LEAST_WORDS = 5
LEAST_SIGNS = 6
MANY = 8
UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
MAX_BYTES = 1_500_000


@pytest.fixture(scope="module")
def written() -> dict[str, Transcript]:
    return {session.id: write_transcript(session, PROJECTS[session.project]) for session in READ}


def is_substantial(prompt: str) -> bool:
    """Whether a prompt has at least five words, or a sentence in a script without blanks; this is a rough rule."""
    if prompt.startswith("/"):
        return False
    return len(prompt) >= LEAST_SIGNS if UNSPACED.search(prompt) else len(prompt.split()) >= LEAST_WORDS


def has_many_prompts(session: CaptureSession) -> bool:
    return sum(is_substantial(turn.prompt) for turn in session.turns) >= MANY


def test_there_are_sessions_of_three_hosts_in_six_languages() -> None:
    assert len(READ) >= 150
    assert len({session.id for session in READ}) == len(READ)
    hosts = Counter(session.host for session in READ)
    assert all(hosts[host] >= 30 for host in HOSTS)
    languages = Counter(session.language for session in READ)
    assert all(languages[language] >= 10 for language in ("en", "de", "es", "ja", "fr"))
    assert languages["ko"] + languages["zh"] >= 10


def test_many_sessions_teach_nothing_and_many_are_long() -> None:
    assert 0.40 <= sum(not session.labels for session in READ) / len(READ) <= 0.50
    assert sum(map(has_many_prompts, READ)) >= 60
    assert sum(has_many_prompts(session) and not session.labels for session in READ) >= 10
    assert sum(len(session.turns) <= 3 for session in READ) >= 60


def test_every_special_kind_of_session_is_there() -> None:
    modes = Counter(session.mode for session in READ)
    assert modes["plan"] >= 6
    assert modes["print"] >= 6
    assert sum(any(turn.compaction for turn in session.turns) for session in READ) >= 15
    assert sum(any(turn.reverted for turn in session.turns) for session in READ) >= 10
    assert sum(any(turn.failed for turn in session.turns) for session in READ) >= 30
    assert sum(bool(turn.quoted) for session in READ for turn in session.turns) >= 10
    turns = [turn for session in READ for turn in session.turns]
    assert sum(turn.queued for turn in turns) >= 2
    assert sum(bool(turn.wrapped) for turn in turns) >= 4
    assert sum(bool(session.fork_of) for session in READ) >= 1


def test_a_session_that_is_continued_ended_early_in_the_same_project() -> None:
    sessions = {session.id: session for session in READ}
    continuing = [session for session in READ if session.continues]
    assert len(continuing) >= 10
    for session in continuing:
        earlier = sessions[session.continues]
        assert earlier.ends_early
        assert (earlier.project, earlier.host, earlier.language) == (session.project, session.host, session.language)
    assert {session.continues for session in continuing} == {session.id for session in READ if session.ends_early}


def test_every_label_is_in_the_record_that_it_names(written: dict[str, Transcript]) -> None:
    kinds = Counter(label.kind for session in READ for label in session.labels)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 10
    for session in READ:
        transcript = written[session.id]
        for label in session.labels:
            is_users = {"user": True, "agent": False}[label.by]
            assert is_users == (label.kind != "discovered"), label
            lines = transcript.prompt_lines if is_users else transcript.answer_lines
            record = json.dumps(transcript.records[lines[label.turn]], ensure_ascii=False)
            assert json.dumps(label.text, ensure_ascii=False)[1:-1] in record, label


def test_quoted_words_stand_in_the_prompt_and_teach_nothing() -> None:
    for session in READ:
        for number, turn in enumerate(session.turns):
            labels = [label.text for label in session.labels if label.turn == number]
            for quoted in turn.quoted:
                assert quoted in turn.prompt
                assert not any(text in quoted or quoted in text for text in labels)


def test_every_turn_is_a_prompt_with_an_answer_or_a_compaction() -> None:
    for session in READ:
        assert session.project in PROJECTS
        for turn in session.turns:
            assert bool(turn.prompt) == bool(turn.agent) != bool(turn.compaction), session.id


def test_transcripts_have_20_to_300_records_and_are_the_same_each_time(written: dict[str, Transcript]) -> None:
    assert all(20 <= len(transcript.records) <= 300 for transcript in written.values())
    for session in READ[::40]:
        assert write_transcript(session, PROJECTS[session.project]) == written[session.id]


def test_the_reader_of_transcripts_finds_every_typed_prompt(written: dict[str, Transcript], tmp_path: Path) -> None:
    for session in READ[::8]:
        if session.host == "gemini-cli":
            continue
        file = tmp_path / f"{session.id}.jsonl"
        file.write_bytes(written[session.id].as_bytes())
        found = [
            text
            for message in read_conversation(str(file), 1000).messages
            if message.is_typed
            for text in message.texts
        ]
        assert found == [turn.prompt for turn in session.turns if turn.prompt and not turn.prompt.startswith("/")]


def test_a_later_session_is_younger_than_the_one_that_it_continues(written: dict[str, Transcript]) -> None:
    def times(name: str) -> list[str]:
        return [record["timestamp"] for record in written[name].records if "timestamp" in record]

    for session in READ:
        if session.continues:
            assert min(times(session.id)) > max(times(session.continues))


def test_the_set_stays_small() -> None:
    assert sum(file.stat().st_size for file in SESSIONS.iterdir()) < MAX_BYTES
