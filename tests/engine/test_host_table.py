"""The table of hosts: a row is all that the protocol of a host needs (SPEC 12)."""

from __future__ import annotations

import json
from typing import get_args

import pytest

import cuecard
from cuecard._backend import typed_text
from cuecard._pure.host import host
from cuecard._pure.text.sanitize import block_title
from cuecard.basics import host_table
from cuecard.basics.host_table import HOSTS, STOP_ANSWERS, TRANSCRIPTS, HostFacts
from cuecard.basics.tables import read_lines
from cuecard.hosts import registry
from cuecard.hosts.programs import opencode

CONTEXTS = {"kept", "transcript", "lost"}


@pytest.mark.parametrize("name", HOSTS)
def test_each_row_has_known_words_and_an_answer_that_is_json_or_the_block(name: str) -> None:
    facts = HOSTS[name]
    assert facts.context in CONTEXTS
    written = host.write_answer('a "block"\n', name, "the prompt").decode()
    if facts.answer is None:
        assert written == 'a "block"\n'
    else:
        assert written == json.dumps(json.loads(written), separators=(",", ":")) + "\n"
        assert json.dumps('a "block"')[1:-1] in written
        assert ("the prompt" in written) == facts.has_prompt


def test_a_row_is_all_that_an_answer_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    row = 'new-host 70 transcript shown {"text":PROMPT+BLOCK,"end":1}'
    monkeypatch.setitem(host_table.HOSTS, "new-host", HostFacts(row))
    assert host.write_answer("block\n", "new-host", "prompt") == b'{"text":"prompt\\n\\nblock","end":1}\n'
    assert host.write_answer("block\n", "new-host") == b""
    assert (host.budget_of("new-host"), host.shows_notices("new-host")) == (70, True)
    assert (host.keeps_context("new-host"), host.shows_context("new-host")) == (False, True)


def test_the_names_of_hosts_are_the_same_everywhere() -> None:
    names = list(HOSTS)
    assert names == list(get_args(cuecard.HostName)) == list(host.HOSTS)
    text = " ".join(read_lines("hosts", "help"))
    assert [name for name in names if f"`{name}`" in text] == names
    assert f"`{names[0]}` (the default)" in text
    assert {each.name for each in registry.HOSTS if each.injection != "no"} <= set(names)


def test_our_request_for_memories_begins_as_the_table_says() -> None:
    assert f'const REQUEST = "{host_table.REQUEST}"' in opencode.__dict__["_PLUGIN"]
    assert typed_text(f"{host_table.REQUEST}write") == ""
    assert typed_text(f"{host_table.REQUEST.strip()}x") == f"{host_table.REQUEST.strip()}x"


@pytest.mark.parametrize("name", STOP_ANSWERS)
def test_what_holds_up_a_stop_is_json_with_the_reason(name: str) -> None:
    assert name in HOSTS
    written = STOP_ANSWERS[name].replace("REASON", json.dumps('a "reason"'))
    assert written == json.dumps(json.loads(written), separators=(",", ":"))
    assert json.dumps('a "reason"') in written


def test_the_place_of_a_transcript_has_one_folder_of_any_name_and_the_session() -> None:
    for name, place in TRANSCRIPTS.items():
        assert name in HOSTS
        assert [place.count(part) for part in ("/*/", "*", "SESSION")] == [1, 1, 1]
        assert place.index("*") < place.index("SESSION")
        assert not place.startswith("/")


def test_each_tag_that_a_host_writes_around_text_is_a_frame_that_no_memory_can_close() -> None:
    tags = [
        tag
        for table in ("machine_tags", "inserted_tags")
        for line in read_lines("hosts", table)
        for tag in line.split()
    ]
    assert len(tags) > 30
    assert [tag for tag in tags if block_title(f"x</{tag}>") != f"x&lt;/{tag}>"] == []
