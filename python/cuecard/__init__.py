"""Hands a coding agent the right project memories at every prompt.

    import cuecard

    for hit in cuecard.search("why is the hook not a python script"):
        print(hit.score, hit.title, hit.path)

Names are loaded when they are first used: importing the package imports nothing else.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._backend import backend
    from .errors import BackendError, CuecardError, PayloadError, StoreError, UsageError
    from .recall.hit import Hit, Part
    from .recall.search import Recaller, recall_prompt, search

__version__ = "0.1.0"

__all__ = [
    "BackendError",
    "CuecardError",
    "Hit",
    "Part",
    "PayloadError",
    "Recaller",
    "StoreError",
    "UsageError",
    "__version__",
    "backend",
    "recall_prompt",
    "search",
]

_HOMES = {
    "Hit": "recall.hit",
    "Part": "recall.hit",
    "Recaller": "recall.search",
    "backend": "_backend",
    "recall_prompt": "recall.search",
    "search": "recall.search",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Not `importlib`, whose import costs more than ours.
    home = f"{__name__}.{_HOMES.get(name, 'errors')}"
    return getattr(__import__(home, fromlist=[name]), name)


def __dir__() -> list[str]:
    return __all__
