"""Finds this package's modules without the search that Python does for any package.

That search asks for each of the fifty modules of a prompt after extensions, folders and archives, and costs as much as
to answer the prompt. Here a module is taken from its compiled file if that is where it usually is and in step with its
source; everything else is left to the search.
"""

import sys
from marshal import loads

from .system import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

# As PEP 552 has it: a magic number, flags, time and size of the source.
HEADER_BYTES = 16
# Most files are smaller, none is larger than both.
FIRST_BYTES, MORE_BYTES = 1 << 14, 1 << 17
PREFIX = __name__.rpartition(".")[0] + "."

_make_spec = type(__spec__)


class Loader:
    """Runs what was read."""

    __slots__ = ("_code",)

    def __init__(self, code: "CodeType") -> None:
        self._code = code

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        """None: the usual one."""
        return None

    def exec_module(self, module: "ModuleType") -> None:
        """Fill a module."""
        exec(self._code, module.__dict__)


class Finder:
    """Finds modules for `sys.meta_path`."""

    __slots__ = ("_ending", "_magic")

    def __init__(self, magic: bytes, tag: str) -> None:
        """`magic` begins the compiled files of this interpreter, `tag` is in their names."""
        self._magic = magic + bytes(4)
        self._ending = f".{tag}.pyc"

    def find_spec(
        self, name: str, path: "Sequence[str] | None", target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """The spec of a module of this package; None leaves it to the others."""
        if not name.startswith(PREFIX) or not path:
            return None
        last = name.rpartition(".")[2]
        return self._read(name, path[0], last, None) or self._read(name, path[0] + os.sep + last, "__init__", last)

    def _read(self, name: str, folder: str, last: str, package: "str | None") -> "ModuleSpec | None":
        source = f"{folder}{os.sep}{last}.py"
        compiled = f"{folder}{os.sep}__pycache__{os.sep}{last}{self._ending}"
        try:
            status = os.stat(source)
            handle = os.open(compiled, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError:
            return None
        try:
            data = os.read(handle, FIRST_BYTES)
            if len(data) == FIRST_BYTES:
                data += os.read(handle, MORE_BYTES)
        finally:
            os.close(handle)
        stamp = int(status.st_mtime) & 0xFFFFFFFF | (status.st_size & 0xFFFFFFFF) << 32
        if data[:HEADER_BYTES] != self._magic + stamp.to_bytes(8, "little"):
            return None
        loader = Loader(loads(memoryview(data)[HEADER_BYTES:]))
        # Not every loader is of the class that the stub names.
        spec: ModuleSpec = _make_spec(name, loader, origin=source)  # type: ignore[arg-type]
        spec.has_location, spec.cached = True, compiled
        if package:
            spec.submodule_search_locations = [folder]
        return spec


def install() -> None:
    """Let this process find the package's modules so, where their compiled files are where they usually are."""
    from _frozen_importlib_external import MAGIC_NUMBER

    tag = sys.implementation.cache_tag
    if tag and not sys.flags.optimize and not sys.pycache_prefix:
        sys.meta_path.insert(0, Finder(MAGIC_NUMBER, tag))
