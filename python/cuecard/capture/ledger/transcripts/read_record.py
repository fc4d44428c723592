"""Reads a line of a transcript of any host (docs/reference/ledger.md)."""

from typing import Any

from ....basics.json_reader import BYTE_ORDER_MARK, read_json_object
from ....basics.timestamp import parse_timestamp
from . import record_claude, record_codex, record_copilot, record_gemini, record_kimi, record_qwen
from .record import COMPACTED, Item, list_of, text_of

# A longer line is skipped. A line with a prompt may be long, because pasted pictures and logs stand in it.
MAX_LINE_BYTES = 8 << 20
MICROSECONDS, MILLISECONDS = 1_000_000, 1000


def read_record(line: bytes) -> list[Item]:
    """The items in a line of a transcript, in order; empty if the line is not a known record."""
    return read_timed(line)[1]


def read_timed(line: bytes) -> tuple[int | None, list[Item]]:
    """When a line of a transcript was written, in seconds since 1970 (None if it does not say), and its items."""
    if len(line) > MAX_LINE_BYTES or not line.startswith((b"{", BYTE_ORDER_MARK)):
        return None, []
    record = read_json_object(line)
    if record is None or record_claude.is_copied(record):
        return None, []
    return _moment_of(record), _read(record)


def _moment_of(record: dict[str, Any]) -> int | None:
    """When a line was written, in seconds since 1970; None if it does not say."""
    if type(record.get("time")) is int:
        return int(record["time"]) // MILLISECONDS
    moment = parse_timestamp(text_of(record, "timestamp"))
    return None if moment is None else moment // MICROSECONDS


def _read(record: dict[str, Any]) -> list[Item]:
    kind = text_of(record, "type")
    if list_of(record.get("message"), "parts"):
        return record_qwen.read_message(record)
    if kind in ("user", "assistant") and "message" in record:
        return record_claude.read_message(record)
    if kind == "attachment" and "attachment" in record:
        return record_claude.read_attachment(record)
    if kind == "system" and text_of(record, "subtype") == "compact_boundary":
        return [Item(COMPACTED)]
    if kind == "system" and text_of(record, "subtype") == "chat_compression":
        return record_qwen.read_compaction(record)
    if "agentId" in record and type(record.get("time")) is int:
        return record_kimi.read_event(record)
    if kind in ("user", "gemini") and "content" in record:
        return record_gemini.read_message(record)
    if kind == "info":
        return record_gemini.read_notice(record)
    if kind == "" and "$set" in record:
        return record_gemini.read_change(record)
    if "data" in record:
        return record_copilot.read_event(record)
    return record_codex.read_item(record)
