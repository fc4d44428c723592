"""A small snapshot in which each byte is flipped in turn, with and without correct checksums, and calls to it."""

from __future__ import annotations

from binascii import crc32
from typing import TYPE_CHECKING

from cuecard._pure.requests.request import Request
from cuecard.basics.light_dataclass import replace
from cuecard.errors import SegmentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from cuecard import _pure as pure
    from snapshot_strategies import File

RUNBOOK = ".claude/memory/runbooks/log.json"
LINKED = (
    b'{"title":"Use TLS","tags":["auth"],"content":"pins","related_files":["s/a.py"],"cuecard":{"anchors":["*.md"],'
    b'"questions":["which log has auth","tls"],"valid_from":"2026-01-02","valid_until":"2026-02-03"}}'
)
FILES: list[File] = [
    ("decision", ".claude/memory/decisions/tls.json", LINKED, 7, 8),
    ("runbook", RUNBOOK, b'{"title":"auth logs","updated_at":"2026-01-02","tags":["a"]}', 9, -1),
]
CHANGED: list[File] = [
    (
        "decision",
        ".claude/memory/decisions/db.json",
        b'{"title":"auth db","record_status":"archived","cuecard":{"supersedes":["tls"]}}',
        3,
        4,
    ),
]
NUMBERS = (1.2, (3.0, 2.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
DESCRIPTIONS = [("decision", "tls pins"), ("runbook", "auth")]
ANY_STATUS: tuple[list[str], list[str], list[str], None, None, str] = ([], [], [], None, None, "")


def small_snapshot(native: ModuleType) -> tuple[bytes, bytes]:
    """A base with two documents, and a delta that adds one document and removes one."""
    base, _skipped = native.build_snapshot(FILES, [0] * 6, NUMBERS)
    updated = native.update_snapshot(native.Snapshot(base), CHANGED, [RUNBOOK], [1] * 6, False)
    assert updated is not None
    return base, updated[1]


def mended(data: bytes) -> bytes:
    """The bytes with a correct checksum of the header, at the offset that the header gives."""
    head = int.from_bytes(data[12:16], "little")
    return data[:head] + crc32(data[:head]).to_bytes(4, "little") + data[head + 4 :]


def flips(data: bytes) -> Iterator[bytes]:
    """For each byte, a copy with this byte flipped. For bytes of the header, also a copy with a correct checksum."""
    head = int.from_bytes(data[12:16], "little")
    for place in range(len(data)):
        flipped = data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        yield flipped
        if place < head:
            yield mended(flipped)


def ask_everything(native: ModuleType, base: bytes, delta: bytes = b"") -> list[object]:
    """The answers of a snapshot to all calls. If the snapshot is refused, only the error message."""
    try:
        snapshot: pure.Snapshot = native.Snapshot(base, delta)
    except SegmentError as error:
        return [str(error)]
    answers: list[object] = [len(snapshot), native.snapshot_state(snapshot), snapshot.active_lines()]
    answers += [
        snapshot.find(RUNBOOK),
        snapshot.files("runbooks"),
        snapshot.order_keyword([(0, 1), (1, 1), (2, 1), (9, 1)]),
    ]
    for position in range(3):
        answers.append(snapshot.document(position))
    searched = Request("auth tls", 3, native.Settings(), DESCRIPTIONS, filters=ANY_STATUS)
    for strategy in ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic"):
        hits = snapshot.search(searched, strategy)
        answers.append(hits)
        if hits:
            answers.append(attempt(snapshot.explain, hits[0][0], searched, strategy))
    config = native.read_settings(b'{"retrieval": {"graph": true}}', None)
    asked = Request("how to tls", 3, config, DESCRIPTIONS, history=["auth logs"])
    narrowed = replace(asked, filters=ANY_STATUS)
    answers.append(snapshot.recall(narrowed, "off"))
    answers += [attempt(snapshot.trace, position, asked) for position in range(3)]
    answers += [snapshot.anchored("s/a.py"), snapshot.anchored("a.md"), snapshot.anchored_name("a.py")]
    answers += [snapshot.anchored_below("s"), *[snapshot.successor(position) for position in range(3)]]
    situated = replace(narrowed, situation=(["a.py"], ["s/a.py"], ["auth"]))
    answers.append(snapshot.recall(situated, "off"))
    answers.append(attempt(snapshot.check))
    answers.append(attempt(native.update_snapshot, snapshot, CHANGED, [RUNBOOK], [2] * 6, True))
    answers.append(attempt(native.update_snapshot, snapshot, [], [RUNBOOK], [2] * 6, False))
    return answers


def attempt(method: Callable[..., object], *arguments: object) -> object:
    """The result of a call; or the text of its error, if a damaged snapshot may raise this error."""
    try:
        return method(*arguments)
    except (IndexError, SegmentError) as error:
        return f"{type(error).__name__}: {error}"
