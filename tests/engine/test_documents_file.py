"""The pure backend's file of documents: whatever its content is, it is refused or gives answers (SPEC 23.5)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard import _pure as pure
from cuecard._pure.engine.documents_file import NAME, VERSION, read_documents, write_documents
from cuecard._pure.engine.snapshot import Snapshot, build_snapshot, find_successor, update_snapshot
from cuecard._pure.index.json_lines import pack_lines
from cuecard._pure.requests.request import Request
from cuecard.basics.category import FOLDERS
from cuecard.basics.light_dataclass import replace
from cuecard.errors import SegmentError
from snapshot_damage import ANY_STATUS, CHANGED, DESCRIPTIONS, FILES, NUMBERS, RUNBOOK, attempt
from snapshot_strategies import STRATEGIES

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

WHOLE = write_documents(build_snapshot([*FILES, *CHANGED], [1, 2, 3, 4, 5, -2], NUMBERS)[0])
CONTENT = json.loads(WHOLE.partition(b"\n")[2])


def ask_everything(data: bytes) -> list[object]:
    """The answers to all calls on the documents in a file. If the file is refused, only the error message."""
    try:
        snapshot = read_documents(data)
    except SegmentError as error:
        return [str(error)]
    answers: list[object] = [len(snapshot), snapshot.active_lines, snapshot.watermark(), snapshot.is_partial()]
    answers += [snapshot.find(RUNBOOK)]
    answers += [(snapshot.files(folder), snapshot.unfit_files(folder)) for folder, _category in FOLDERS]
    answers.append(snapshot.has_settings(NUMBERS))
    answers += [snapshot.document(position) for position in range(-1, 4)]
    config = pure.read_settings(b'{"retrieval": {"graph": true}}', None)
    searched = Request("auth tls log", 3, config, DESCRIPTIONS, filters=ANY_STATUS, history=["auth logs"])
    for strategy in STRATEGIES:
        hits = snapshot.search(searched, strategy)
        answers += [hits, *[attempt(snapshot.explain, position, searched, strategy) for position, _score in hits]]
    answers.append(snapshot.recall(searched, "off"))
    situated = replace(searched, situation=(["a.py"], ["s/a.py"], ["auth"]), embedded=[(0, 400), (1, -5)])
    answers += [snapshot.recall(situated, "eager"), *[attempt(snapshot.trace, place, situated) for place in range(3)]]
    answers += [snapshot.anchored("s/a.py"), snapshot.anchored_name("a.py"), snapshot.anchored_below("s")]
    answers += [find_successor(snapshot, position) for position in range(-1, 4)]
    answers.append(snapshot.find(RUNBOOK, 9, -1))
    updated = update_snapshot(snapshot, CHANGED, [RUNBOOK], [2] * 6)[0]
    assert read_documents(write_documents(updated)).active_lines == updated.active_lines
    return answers


def with_head(body: bytes) -> bytes:
    """A file with `body` as its second line and a correct first line."""
    packed = pack_lines(NAME, VERSION, {})
    head = json.loads(packed.partition(b"\n")[0])
    from binascii import crc32  # noqa: PLC0415 - beside its one use

    return json.dumps({**head, "bytes": len(body), "crc32": crc32(body)}).encode() + b"\n" + body


def test_what_is_written_answers() -> None:
    assert len(ask_everything(WHOLE)) > 30
    assert write_documents(read_documents(WHOLE)) == WHOLE


def test_no_changed_byte_and_no_cut_goes_unnoticed() -> None:
    for place in range(len(WHOLE)):
        flipped = WHOLE[:place] + bytes([WHOLE[place] ^ 0xFF]) + WHOLE[place + 1 :]
        for data in (flipped, WHOLE[:place]):
            with pytest.raises(SegmentError):
                read_documents(data)
    with pytest.raises(SegmentError):
        read_documents(WHOLE + b"\n")


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_refused(data: bytes) -> None:
    for whole in (data, with_head(data)):
        with pytest.raises(SegmentError):
            read_documents(whole)


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 200_000, b"9" * 200_000, b"null", b"{}", b"[]", b"\xff"])
def test_deep_and_long_values_are_refused(body: bytes) -> None:
    with pytest.raises(SegmentError):
        read_documents(with_head(body))


def test_another_program_and_another_version_are_told_apart() -> None:
    said = []
    for data in (pack_lines("other", VERSION, CONTENT), pack_lines(NAME, VERSION + 1, CONTENT), WHOLE[:-1]):
        with pytest.raises(SegmentError) as raised:
            read_documents(data)
        said.append(raised.value.what)
    assert said == [
        "the file is not a cuecard index",
        "the index file was written by another version of cuecard",
        "the index file is damaged",
    ]


def test_an_empty_store_has_a_file() -> None:
    empty = Snapshot([], NUMBERS, [0] * 6, {"a": (1, 2)})
    assert read_documents(write_documents(empty)).unfit_files("") == []
    assert read_documents(write_documents(empty)).unfit == {"a": (1, 2)}
