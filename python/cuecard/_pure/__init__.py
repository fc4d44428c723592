"""The pure backend, which is the reference: it gives the same answers as `cuecard._native`, by scanning every memory.

Each file names the chapter of docs/spec that it implements. As in rust/core, `text`, `memory`, `classic`, `retrieve`,
`rank` and `present` use no file of a user, no clock and no environment. The public names are the names of
`_native.pyi`. A name is loaded when it is first used, because each event of a host needs only a few.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .classic.index_md import IndexMd as IndexMd
    from .engine.judging import judge_memories as judge_memories
    from .engine.pack_items import pack_memories as pack_memories
    from .engine.recalled_memory import RecalledMemory as RecalledMemory
    from .engine.snapshot import Snapshot as Snapshot
    from .engine.snapshot_recall import recall_memories as recall_memories
    from .engine.snapshot_recall import verify_memory as verify_memory
    from .engine.snapshot_upkeep import Loaded as Loaded
    from .engine.snapshot_upkeep import inspect_snapshot as inspect_snapshot
    from .engine.snapshot_upkeep import load_snapshot as load_snapshot
    from .index.plain_index import Index as Index
    from .memory.index_line import parse_index_line as parse_index_line
    from .memory.sign_search import instruction_signs as instruction_signs
    from .memory.trust_hash import trust_hash as trust_hash
    from .prompt.prompt_path import answer_prompt as answer_prompt
    from .retrieve.model_vectors import nearest_rows as nearest_rows
    from .retrieve.vectors import document_row as document_row
    from .settings.reader import Settings as Settings
    from .settings.reader import read_settings as read_settings
    from .text.tokenize import tokenize as tokenize

_HOMES = {
    "classic.index_md": "IndexMd",
    "engine.judging": "judge_memories",
    "engine.pack_items": "pack_memories",
    "engine.recalled_memory": "RecalledMemory",
    "engine.snapshot": "Snapshot",
    "engine.snapshot_recall": "recall_memories verify_memory",
    "index.plain_index": "Index",
    "memory.sign_search": "instruction_signs",
    "memory.trust_hash": "trust_hash",
    "prompt.prompt_path": "answer_prompt",
    "retrieve.model_vectors": "nearest_rows",
    "retrieve.vectors": "document_row",
    "memory.index_line": "parse_index_line",
    "settings.reader": "Settings read_settings",
    "text.tokenize": "tokenize",
    "engine.snapshot_upkeep": "Loaded inspect_snapshot load_snapshot",
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
