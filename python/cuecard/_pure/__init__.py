"""The pure backend, which is the reference: it gives the same answers as `cuecard._native`, by scanning every memory.

Each file names the chapter of docs/spec that it implements. Only `snapshot_recall`, `pack_items`, `trust_check`,
`vouched` and `snapshot_upkeep` read files; no other module uses files, the clock or the environment. The public names
are the names of `_native.pyi` and the functions of `tool_recall`, which the native backend calls only inside
`run_hook`. A name is loaded when it is first used, because each event of a host needs only a few.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .classic.index_md import IndexMd as IndexMd
    from .engine.pack_items import pack_memories as pack_memories
    from .engine.recalled_memory import RecalledMemory as RecalledMemory
    from .engine.snapshot import Snapshot as Snapshot
    from .engine.snapshot_recall import recall_memories as recall_memories
    from .engine.snapshot_recall import verify_memory as verify_memory
    from .engine.snapshot_upkeep import Loaded as Loaded
    from .engine.snapshot_upkeep import inspect_snapshot as inspect_snapshot
    from .engine.snapshot_upkeep import load_snapshot as load_snapshot
    from .engine.snapshot_upkeep import read_snapshot as read_snapshot
    from .engine.tool_recall import pack_anchored as pack_anchored
    from .engine.tool_recall import recall_for_failure as recall_for_failure
    from .engine.tool_recall import recall_for_file as recall_for_file
    from .index.plain_index import Index as Index
    from .memory.index_line import parse_index_line as parse_index_line
    from .memory.sign_search import instruction_signs as instruction_signs
    from .memory.stored_document import describe_file as describe_file
    from .memory.trust_hash import trust_hash as trust_hash
    from .retrieve.model_vectors import nearest_rows as nearest_rows
    from .retrieve.vectors import document_row as document_row
    from .settings.reader import Settings as Settings
    from .settings.reader import read_settings as read_settings
    from .text.tokenize import tokenize as tokenize
    from .tool.forbidden import Scene as Scene
    from .tool.forbidden import find_breaches as find_breaches
    from .tool.forbidden import pack_breaches as pack_breaches

_HOMES = {
    "classic.index_md": "IndexMd",
    "engine.pack_items": "pack_memories",
    "engine.recalled_memory": "RecalledMemory",
    "engine.snapshot": "Snapshot",
    "engine.snapshot_recall": "recall_memories verify_memory",
    "index.plain_index": "Index",
    "memory.sign_search": "instruction_signs",
    "memory.stored_document": "describe_file",
    "memory.trust_hash": "trust_hash",
    "retrieve.model_vectors": "nearest_rows",
    "retrieve.vectors": "document_row",
    "memory.index_line": "parse_index_line",
    "settings.reader": "Settings read_settings",
    "text.tokenize": "tokenize",
    "engine.snapshot_upkeep": "Loaded inspect_snapshot load_snapshot read_snapshot",
    "tool.forbidden": "Scene find_breaches pack_breaches",
    "engine.tool_recall": "pack_anchored recall_for_failure recall_for_file",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [*_HOME_OF]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Importing `importlib` would take longer than importing our module.
    found = getattr(__import__(f"cuecard._pure.{_HOME_OF[name]}", fromlist=[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
