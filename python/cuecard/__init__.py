"""Hands a coding agent the right project memories at every prompt.

    import cuecard

    for hit in cuecard.search("why is the hook not a python script"):
        print(hit.score, hit.title, hit.path)

    store = cuecard.open()
    store.search("how do we retry payments", categories="decision", since="2026-01-01")
    store.retire("the-old-way", reason="superseded")

Names are loaded when they are first used: importing the package imports nothing else.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._backend import backend
    from .basics.version import __version__
    from .capture.candidate import find_candidate
    from .errors import (
        BackendError,
        ConflictError,
        CuecardError,
        InputError,
        LimitError,
        LockError,
        MergeError,
        MissingError,
        ModelError,
        OverwriteError,
        PayloadError,
        ResurrectionError,
        SegmentError,
        StatusError,
        StoreError,
        UsageError,
        ValidationError,
        WriteError,
    )
    from .library.hit import Hit, Part
    from .library.plain_index import Index
    from .library.search import Recaller, recall_prompt, search
    from .library.searchable_store import Store, open
    from .library.trace import Trace
    from .settings.options import GateSetting, Strategy
    from .store.records.memory import Memory
    from .store.writes.written import Written

__all__ = [
    "BackendError",
    "ConflictError",
    "CuecardError",
    "GateSetting",
    "Hit",
    "Index",
    "InputError",
    "LimitError",
    "LockError",
    "Memory",
    "MergeError",
    "MissingError",
    "ModelError",
    "OverwriteError",
    "Part",
    "PayloadError",
    "Recaller",
    "ResurrectionError",
    "SegmentError",
    "StatusError",
    "Store",
    "StoreError",
    "Strategy",
    "Trace",
    "UsageError",
    "ValidationError",
    "WriteError",
    "Written",
    "__version__",
    "backend",
    "find_candidate",
    "open",
    "recall_prompt",
    "search",
]

_HOMES = {
    "GateSetting": "settings.options",
    "Hit": "library.hit",
    "Index": "library.plain_index",
    "Memory": "store.records.memory",
    "Part": "library.hit",
    "Recaller": "library.search",
    "Store": "library.searchable_store",
    "Strategy": "settings.options",
    "Trace": "library.trace",
    "Written": "store.writes.written",
    "__version__": "basics.version",
    "backend": "_backend",
    "find_candidate": "capture.candidate",
    "open": "library.searchable_store",
    "recall_prompt": "library.search",
    "search": "library.search",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not `importlib`, whose import costs more than ours.
    home = f"{__name__}.{_HOMES.get(name, 'errors')}"
    return getattr(__import__(home, fromlist=[name]), name)


def __dir__() -> list[str]:
    return __all__
