"""Hands a coding agent the right project memories at every prompt.

    import cuecard

    for hit in cuecard.search("why is the hook not a python script"):
        print(hit.score, hit.title, hit.path)

    store = cuecard.open()
    store.search("how do we retry payments", categories="decision", since="2026-01-01")
    store.retire("the-old-way", reason="superseded")

Each name is loaded when it is first used; importing the package alone loads no other module.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._backend import backend
    from .api import Store, inject, open, recall, recall_prompt, search, trace
    from .basics.options import (
        Category,
        GateSetting,
        HostName,
        ImportKind,
        LifecycleEvent,
        Status,
        StatusFilter,
        Strategy,
        Tokens,
        WriteTrust,
    )
    from .basics.version import __version__
    from .capture.comparing.candidate import find_candidate
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
    from .retrieval.hit import Hit, Part
    from .retrieval.injection import Injected, Injection
    from .retrieval.options import PromptOptions, RecallOptions, SearchOptions
    from .retrieval.plain_index import Index
    from .retrieval.recall import Recall
    from .retrieval.trace import Trace
    from .store.records.memory import Memory
    from .store.writes.written import Written

__all__ = [
    "BackendError",
    "Category",
    "ConflictError",
    "CuecardError",
    "GateSetting",
    "Hit",
    "HostName",
    "ImportKind",
    "Index",
    "Injected",
    "Injection",
    "InputError",
    "LifecycleEvent",
    "LimitError",
    "LockError",
    "Memory",
    "MergeError",
    "MissingError",
    "ModelError",
    "OverwriteError",
    "Part",
    "PayloadError",
    "PromptOptions",
    "Recall",
    "RecallOptions",
    "ResurrectionError",
    "SearchOptions",
    "SegmentError",
    "Status",
    "StatusError",
    "StatusFilter",
    "Store",
    "StoreError",
    "Strategy",
    "Tokens",
    "Trace",
    "UsageError",
    "ValidationError",
    "WriteError",
    "WriteTrust",
    "Written",
    "__version__",
    "backend",
    "find_candidate",
    "inject",
    "open",
    "recall",
    "recall_prompt",
    "search",
    "trace",
]

# The module that defines each name. Names that are not listed here are exceptions, which `errors` defines.
_HOMES = {
    "Category": "basics.options",
    "GateSetting": "basics.options",
    "Hit": "retrieval.hit",
    "HostName": "basics.options",
    "ImportKind": "basics.options",
    "Index": "retrieval.plain_index",
    "Injected": "retrieval.injection",
    "Injection": "retrieval.injection",
    "LifecycleEvent": "basics.options",
    "Memory": "store.records.memory",
    "Part": "retrieval.hit",
    "PromptOptions": "retrieval.options",
    "Recall": "retrieval.recall",
    "RecallOptions": "retrieval.options",
    "SearchOptions": "retrieval.options",
    "Status": "basics.options",
    "StatusFilter": "basics.options",
    "Store": "api",
    "Strategy": "basics.options",
    "Tokens": "basics.options",
    "Trace": "retrieval.trace",
    "WriteTrust": "basics.options",
    "Written": "store.writes.written",
    "__version__": "basics.version",
    "backend": "_backend",
    "find_candidate": "capture.comparing.candidate",
    "inject": "api",
    "open": "api",
    "recall": "api",
    "recall_prompt": "api",
    "search": "api",
    "trace": "api",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # `__import__`, because importing `importlib` would take longer than importing this package.
    home = f"{__name__}.{_HOMES.get(name, 'errors')}"
    return getattr(__import__(home, fromlist=[name]), name)


def __dir__() -> list[str]:
    return __all__
