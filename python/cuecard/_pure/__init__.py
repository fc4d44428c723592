"""The reference, which is the pure backend: the same answers as `cuecard._native`, found by looking at every memory.

Each file says which chapter of docs/spec it implements. Nothing here touches a file, the clock or
the environment but `snapshot_recall`, `pack_items` and `trust_check`, which read the files of memories through
`cuecard.store`, and `snapshot_upkeep`, which keeps the snapshot. Names are loaded when they are first used: each event
of a host needs its own few.
"""

# These two are called like their modules, whose loading would put the module in the function's place.
from ..text.tokenize import tokenize as tokenize
from .present.render import render as render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.digest import sha256_hex as sha256_hex
    from ..basics.timestamp import parse_timestamp as parse_timestamp
    from ..guard.complaint import write_complaint as write_complaint
    from ..guard.refusal import judge_write as judge_write
    from ..guard.refusal import write_denial as write_denial
    from ..guard.shell_commands import find_writes as find_writes
    from ..guard.store_path import find_store_part as find_store_part
    from ..memory.card import read_card as read_card
    from ..memory.deep_check import check_record as check_record
    from ..memory.deep_check import recency_points as recency_points
    from ..memory.file_anchors import anchors_file as anchors_file
    from ..memory.file_anchors import anchors_named as anchors_named
    from ..memory.file_anchors import concrete_anchors as concrete_anchors
    from ..memory.file_anchors import is_concrete as is_concrete
    from ..memory.gist import gist_of_file as gist_of_file
    from ..memory.index_line import parse_index_line as parse_index_line
    from ..memory.rebuild import index_text as index_text
    from ..memory.rebuild import rebuild_index as rebuild_index
    from ..memory.trust_texts import texts_of_memory as texts_of_memory
    from ..memory.trust_texts import trust_notice as trust_notice
    from ..protocol.host import budget_of as budget_of
    from ..protocol.host import is_machine_made as is_machine_made
    from ..protocol.host import is_slash_command as is_slash_command
    from ..protocol.host import is_too_short as is_too_short
    from ..protocol.host import keeps_context as keeps_context
    from ..protocol.host import read_payload as read_payload
    from ..protocol.host import shows_notices as shows_notices
    from ..protocol.host import write_answer as write_answer
    from ..protocol.mentioned_paths import mentioned_paths as mentioned_paths
    from ..protocol.notice import add_notice as add_notice
    from ..protocol.session import count_blocks as count_blocks
    from ..protocol.session import is_continued as is_continued
    from ..protocol.session import read_session as read_session
    from ..protocol.session import read_session_event as read_session_event
    from ..protocol.session import session_file_name as session_file_name
    from ..protocol.session import write_session as write_session
    from ..protocol.tool_event import read_tool_event as read_tool_event
    from ..protocol.tool_event import write_tool_context as write_tool_context
    from ..protocol.tool_use import read_tool_use as read_tool_use
    from ..settings.reader import Settings as Settings
    from ..settings.reader import read_settings as read_settings
    from ..settings.strategy import find_strategy as find_strategy
    from ..settings.strategy import revision_of as revision_of
    from ..text.sanitize import sanitize_title as sanitize_title
    from ..text.token_estimate import estimate_tokens as estimate_tokens
    from .classic.index_md import IndexMd as IndexMd
    from .classic.keyword import score_description as score_description
    from .classic.keyword import score_entry as score_entry
    from .engine.recalled_memory import RecalledMemory as RecalledMemory
    from .engine.snapshot import Snapshot as Snapshot
    from .engine.snapshot_recall import recall_memories as recall_memories
    from .engine.snapshot_recall import verify_memory as verify_memory
    from .engine.snapshot_upkeep import Loaded as Loaded
    from .engine.snapshot_upkeep import load_snapshot as load_snapshot
    from .index.plain_index import Index as Index
    from .memory.schema import check_schema as check_schema
    from .memory.schema import describe_problems as describe_problems
    from .memory.sign_search import instruction_signs as instruction_signs
    from .memory.stored_document import describe_file as describe_file
    from .memory.trust_hash import trust_hash as trust_hash
    from .present.pack_items import pack_memories as pack_memories
    from .present.packing import pack as pack
    from .retrieve.model_vectors import nearest_rows as nearest_rows

_HOMES = {
    "_pure.classic.index_md": "IndexMd",
    "_pure.classic.keyword": "score_description score_entry",
    "_pure.engine.recalled_memory": "RecalledMemory",
    "_pure.engine.snapshot": "Snapshot",
    "_pure.engine.snapshot_recall": "recall_memories verify_memory",
    "_pure.engine.snapshot_upkeep": "Loaded load_snapshot",
    "_pure.index.plain_index": "Index",
    "_pure.memory.schema": "check_schema describe_problems",
    "_pure.memory.sign_search": "instruction_signs",
    "_pure.memory.stored_document": "describe_file",
    "_pure.memory.trust_hash": "trust_hash",
    "_pure.present.pack_items": "pack_memories",
    "_pure.present.packing": "pack",
    "_pure.retrieve.model_vectors": "nearest_rows",
    "basics.digest": "sha256_hex",
    "basics.timestamp": "parse_timestamp",
    "guard.complaint": "write_complaint",
    "guard.refusal": "judge_write write_denial",
    "guard.shell_commands": "find_writes",
    "guard.store_path": "find_store_part",
    "memory.card": "read_card",
    "memory.deep_check": "check_record recency_points",
    "memory.file_anchors": "anchors_file anchors_named concrete_anchors is_concrete",
    "memory.gist": "gist_of_file",
    "memory.index_line": "parse_index_line",
    "memory.rebuild": "index_text rebuild_index",
    "memory.trust_texts": "texts_of_memory trust_notice",
    "protocol.host": "budget_of is_machine_made is_slash_command is_too_short keeps_context read_payload shows_notices "
    "write_answer",
    "protocol.mentioned_paths": "mentioned_paths",
    "protocol.notice": "add_notice",
    "protocol.session": "count_blocks is_continued read_session read_session_event session_file_name write_session",
    "protocol.tool_event": "read_tool_event write_tool_context",
    "protocol.tool_use": "read_tool_use",
    "settings.reader": "Settings read_settings",
    "settings.strategy": "find_strategy revision_of",
    "text.sanitize": "sanitize_title",
    "text.token_estimate": "estimate_tokens",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["render", "tokenize", *_HOME_OF]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not `importlib`, whose import costs more than ours.
    found = getattr(__import__(f"cuecard.{_HOME_OF[name]}", fromlist=[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
