"""Chooses the backend of this process once, by `CUECARD_BACKEND`, and exports its engine (SPEC 15)."""

import sys

from .errors import BackendError

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Type checkers see the pure engine, whose source code has annotations.
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
    """The value of an environment variable; "" if it is not set."""
    if "os" not in sys.modules and sys.platform != "win32":
        # Importing `os` would add a fifth to the start of the interpreter.
        from posix import environ

        return environ.get(name.encode(), b"").decode("utf-8", "replace")
    from os import environ as variables

    return variables.get(name, "")


def _choose() -> tuple[str, object, str]:
    """Choose a backend; returns its name, its module, and why the native backend does not load.

    The third value is "" if the native backend loads or was not tried.
    """
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
    # The files of a store's snapshot in its folder of derived files. The second has what was added to the first.
    snapshot_files: tuple[str, ...]
else:
    backend, engine, native_problem = _choose()
    snapshot_files = ("snapshot", "snapshot.delta") if backend == "native" else ("documents.json",)
