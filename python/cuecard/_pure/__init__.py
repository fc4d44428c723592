"""The reference, which is the pure backend: the same answers as `cuecard._native`, found by looking at every memory.

Each file says which chapter of SPEC.md it implements. Nothing here touches a file, the clock or
the environment but `snapshot_recall`, `pack_items` and `trust_check`, which read the files of memories through
`cuecard.store`, and `snapshot_upkeep`, which keeps the snapshot. Names are loaded when they are first used: each event
of a host needs its own few.
"""

# These two are called like their modules, whose loading would put the module in the function's place.
from .render import render
from .tokenize import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .card import read_card
    from .complaint import write_complaint
    from .digest import sha256_hex
    from .file_anchors import anchors_file, anchors_named, concrete_anchors, is_concrete
    from .gist import gist_of_file
    from .host import (
        budget_of,
        is_machine_made,
        is_slash_command,
        is_too_short,
        keeps_context,
        read_payload,
        shows_notices,
        write_answer,
    )
    from .index_line import parse_index_line
    from .index_md import IndexMd
    from .keyword import score_description, score_entry
    from .mentioned_paths import mentioned_paths
    from .model_vectors import nearest_rows
    from .notice import add_notice
    from .pack_items import pack_memories
    from .packing import pack
    from .plain_index import Index
    from .rebuild import index_text, rebuild_index
    from .recalled_memory import RecalledMemory
    from .record import check_record, recency_points
    from .refusal import judge_write, write_denial
    from .sanitize import sanitize_title
    from .schema import check_schema, describe_problems
    from .session import (
        count_blocks,
        is_continued,
        read_session,
        read_session_event,
        session_file_name,
        write_session,
    )
    from .settings import Settings, read_settings
    from .shell_commands import find_writes
    from .sign_search import instruction_signs
    from .snapshot import Snapshot
    from .snapshot_recall import recall_memories, verify_memory
    from .snapshot_upkeep import Loaded, load_snapshot
    from .store_path import find_store_part
    from .stored_document import describe_file
    from .strategy import find_strategy, revision_of
    from .timestamp import parse_timestamp
    from .token_estimate import estimate_tokens
    from .tool_context import read_tool_event, write_tool_context
    from .tool_use import read_tool_use
    from .trust import texts_of_memory, trust_notice
    from .trust_hash import trust_hash

__all__ = [
    "Index",
    "IndexMd",
    "RecalledMemory",
    "Settings",
    "Snapshot",
    "add_notice",
    "anchors_file",
    "anchors_named",
    "budget_of",
    "check_record",
    "check_schema",
    "concrete_anchors",
    "count_blocks",
    "describe_file",
    "describe_problems",
    "estimate_tokens",
    "find_store_part",
    "find_strategy",
    "find_writes",
    "gist_of_file",
    "index_text",
    "instruction_signs",
    "is_concrete",
    "is_continued",
    "is_machine_made",
    "is_slash_command",
    "is_too_short",
    "judge_write",
    "keeps_context",
    "mentioned_paths",
    "nearest_rows",
    "parse_index_line",
    "parse_timestamp",
    "pack",
    "pack_memories",
    "read_card",
    "read_tool_event",
    "read_payload",
    "read_session",
    "read_session_event",
    "read_settings",
    "read_tool_use",
    "rebuild_index",
    "recall_memories",
    "recency_points",
    "render",
    "revision_of",
    "sanitize_title",
    "score_description",
    "score_entry",
    "session_file_name",
    "sha256_hex",
    "shows_notices",
    "texts_of_memory",
    "tokenize",
    "trust_hash",
    "trust_notice",
    "verify_memory",
    "write_answer",
    "write_complaint",
    "write_denial",
    "write_tool_context",
    "write_session",
    "Loaded",
    "load_snapshot",
]

_HOMES = {
    "Index": "plain_index",
    "IndexMd": "index_md",
    "RecalledMemory": "recalled_memory",
    "Settings": "settings",
    "Snapshot": "snapshot",
    "add_notice": "notice",
    "anchors_file": "file_anchors",
    "anchors_named": "file_anchors",
    "budget_of": "host",
    "check_record": "record",
    "check_schema": "schema",
    "concrete_anchors": "file_anchors",
    "count_blocks": "session",
    "describe_file": "stored_document",
    "describe_problems": "schema",
    "estimate_tokens": "token_estimate",
    "find_store_part": "store_path",
    "find_strategy": "strategy",
    "find_writes": "shell_commands",
    "gist_of_file": "gist",
    "index_text": "rebuild",
    "instruction_signs": "sign_search",
    "is_concrete": "file_anchors",
    "is_continued": "session",
    "is_machine_made": "host",
    "is_slash_command": "host",
    "is_too_short": "host",
    "judge_write": "refusal",
    "keeps_context": "host",
    "mentioned_paths": "mentioned_paths",
    "nearest_rows": "model_vectors",
    "parse_index_line": "index_line",
    "parse_timestamp": "timestamp",
    "pack": "packing",
    "pack_memories": "pack_items",
    "read_card": "card",
    "read_tool_event": "tool_context",
    "read_payload": "host",
    "read_session": "session",
    "read_session_event": "session",
    "read_settings": "settings",
    "read_tool_use": "tool_use",
    "rebuild_index": "rebuild",
    "recall_memories": "snapshot_recall",
    "recency_points": "record",
    "revision_of": "strategy",
    "sanitize_title": "sanitize",
    "score_description": "keyword",
    "score_entry": "keyword",
    "session_file_name": "session",
    "sha256_hex": "digest",
    "shows_notices": "host",
    "texts_of_memory": "trust",
    "trust_hash": "trust_hash",
    "trust_notice": "trust",
    "verify_memory": "snapshot_recall",
    "write_answer": "host",
    "write_complaint": "complaint",
    "write_denial": "refusal",
    "write_tool_context": "tool_context",
    "write_session": "session",
    "Loaded": "snapshot_upkeep",
    "load_snapshot": "snapshot_upkeep",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not `importlib`, whose import costs more than ours.
    found = getattr(__import__(f"{__name__}.{_HOMES[name]}", fromlist=[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
