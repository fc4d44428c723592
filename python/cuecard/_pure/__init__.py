"""The reference, which is the pure backend: the same answers as `cuecard._native`, found by looking at every memory.

Each file says which chapter of docs/spec it implements. Nothing here touches a file, the clock or
the environment but `snapshot_recall`, `pack_items` and `trust_check`, which read the files of memories through
`cuecard.store`, and `snapshot_upkeep`, which keeps the snapshot. Names are loaded when they are first used: each event
of a host needs its own few.
"""

# These two are called like their modules, whose loading would put the module in the function's place.
from ..text.tokenize import tokenize
from .present.render import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.digest import sha256_hex
    from ..basics.timestamp import parse_timestamp
    from ..guard.complaint import write_complaint
    from ..guard.refusal import judge_write, write_denial
    from ..guard.shell_commands import find_writes
    from ..guard.store_path import find_store_part
    from ..memory.card import read_card
    from ..memory.deep_check import check_record, recency_points
    from ..memory.file_anchors import anchors_file, anchors_named, concrete_anchors, is_concrete
    from ..memory.gist import gist_of_file
    from ..memory.index_line import parse_index_line
    from ..memory.rebuild import index_text, rebuild_index
    from ..memory.trust_texts import texts_of_memory, trust_notice
    from ..protocol.host import (
        budget_of,
        is_machine_made,
        is_slash_command,
        is_too_short,
        keeps_context,
        read_payload,
        shows_notices,
        write_answer,
    )
    from ..protocol.mentioned_paths import mentioned_paths
    from ..protocol.notice import add_notice
    from ..protocol.session import (
        count_blocks,
        is_continued,
        read_session,
        read_session_event,
        session_file_name,
        write_session,
    )
    from ..protocol.tool_event import read_tool_event, write_tool_context
    from ..protocol.tool_use import read_tool_use
    from ..settings.reader import Settings, read_settings
    from ..settings.strategy import find_strategy, revision_of
    from ..text.sanitize import sanitize_title
    from ..text.token_estimate import estimate_tokens
    from .classic.index_md import IndexMd
    from .classic.keyword import score_description, score_entry
    from .engine.recalled_memory import RecalledMemory
    from .engine.snapshot import Snapshot
    from .engine.snapshot_recall import recall_memories, verify_memory
    from .engine.snapshot_upkeep import Loaded, load_snapshot
    from .index.plain_index import Index
    from .memory.schema import check_schema, describe_problems
    from .memory.sign_search import instruction_signs
    from .memory.stored_document import describe_file
    from .memory.trust_hash import trust_hash
    from .present.pack_items import pack_memories
    from .present.packing import pack
    from .retrieve.model_vectors import nearest_rows

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
    "Index": "_pure.index.plain_index",
    "IndexMd": "_pure.classic.index_md",
    "RecalledMemory": "_pure.engine.recalled_memory",
    "Settings": "settings.reader",
    "Snapshot": "_pure.engine.snapshot",
    "add_notice": "protocol.notice",
    "anchors_file": "memory.file_anchors",
    "anchors_named": "memory.file_anchors",
    "budget_of": "protocol.host",
    "check_record": "memory.deep_check",
    "check_schema": "_pure.memory.schema",
    "concrete_anchors": "memory.file_anchors",
    "count_blocks": "protocol.session",
    "describe_file": "_pure.memory.stored_document",
    "describe_problems": "_pure.memory.schema",
    "estimate_tokens": "text.token_estimate",
    "find_store_part": "guard.store_path",
    "find_strategy": "settings.strategy",
    "find_writes": "guard.shell_commands",
    "gist_of_file": "memory.gist",
    "index_text": "memory.rebuild",
    "instruction_signs": "_pure.memory.sign_search",
    "is_concrete": "memory.file_anchors",
    "is_continued": "protocol.session",
    "is_machine_made": "protocol.host",
    "is_slash_command": "protocol.host",
    "is_too_short": "protocol.host",
    "judge_write": "guard.refusal",
    "keeps_context": "protocol.host",
    "mentioned_paths": "protocol.mentioned_paths",
    "nearest_rows": "_pure.retrieve.model_vectors",
    "parse_index_line": "memory.index_line",
    "parse_timestamp": "basics.timestamp",
    "pack": "_pure.present.packing",
    "pack_memories": "_pure.present.pack_items",
    "read_card": "memory.card",
    "read_tool_event": "protocol.tool_event",
    "read_payload": "protocol.host",
    "read_session": "protocol.session",
    "read_session_event": "protocol.session",
    "read_settings": "settings.reader",
    "read_tool_use": "protocol.tool_use",
    "rebuild_index": "memory.rebuild",
    "recall_memories": "_pure.engine.snapshot_recall",
    "recency_points": "memory.deep_check",
    "revision_of": "settings.strategy",
    "sanitize_title": "text.sanitize",
    "score_description": "_pure.classic.keyword",
    "score_entry": "_pure.classic.keyword",
    "session_file_name": "protocol.session",
    "sha256_hex": "basics.digest",
    "shows_notices": "protocol.host",
    "texts_of_memory": "memory.trust_texts",
    "trust_hash": "_pure.memory.trust_hash",
    "trust_notice": "memory.trust_texts",
    "verify_memory": "_pure.engine.snapshot_recall",
    "write_answer": "protocol.host",
    "write_complaint": "guard.complaint",
    "write_denial": "guard.refusal",
    "write_tool_context": "protocol.tool_event",
    "write_session": "protocol.session",
    "Loaded": "_pure.engine.snapshot_upkeep",
    "load_snapshot": "_pure.engine.snapshot_upkeep",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not `importlib`, whose import costs more than ours.
    found = getattr(__import__(f"cuecard.{_HOMES[name]}", fromlist=[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
