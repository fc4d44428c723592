"""Which backend serves this process, and its engine: decided once, by `CUECARD_BACKEND` (SPEC 15)."""

import sys

from .errors import BackendError

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Type checkers are shown the pure engine: one set of annotations, and definitions that can be read.
    from . import _pure as engine
    from ._pure import IndexMd as IndexMd
    from ._pure import Loaded as Loaded
    from ._pure import RecalledMemory as RecalledMemory
    from ._pure import Snapshot as Snapshot
    from ._pure.engine.recalled_memory import Found as Found
    from ._pure.present.packing import Packed as Packed
    from ._pure.rank.recall import Traced as Traced

__all__ = ["backend", "engine", "native_problem", "snapshot_files"]

CHOICES = ("auto", "native", "pure")


def _variable(name: str) -> str:
    """An environment variable, "" where it is not set."""
    if "os" not in sys.modules and sys.platform != "win32":
        # Importing `os` would cost a fifth of the interpreter's own start.
        from posix import environ

        return environ.get(name.encode(), b"").decode("utf-8", "replace")
    from os import environ as variables

    return variables.get(name, "")


def _choose() -> tuple[str, object, str]:
    """Name, module, and why the native backend does not serve where it was not asked to stay away."""
    choice = _variable("CUECARD_BACKEND").strip() or "auto"
    if choice not in CHOICES:
        raise BackendError(f"`CUECARD_BACKEND` is `{choice}`", "use `auto`, `native` or `pure`")
    reason = ""
    if choice != "pure":
        try:
            from . import _native
        except ImportError as error:
            reason = str(error)
            if choice == "native":
                raise BackendError(
                    f"the native backend does not load: {reason}", "install a native wheel or unset `CUECARD_BACKEND`"
                ) from error
        else:
            return "native", _native, ""
    from . import _pure

    return "pure", _pure, reason


if TYPE_CHECKING:
    backend: str
    native_problem: str
    # Where the snapshot of a store is, in its folder of derived files; what comes behind the first is added to it.
    snapshot_files: tuple[str, ...]
else:
    backend, engine, native_problem = _choose()
    snapshot_files = ("snapshot", "snapshot.delta") if backend == "native" else ("documents.json",)
