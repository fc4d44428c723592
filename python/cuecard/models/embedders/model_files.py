"""Reads the files of a model that runs in this process (docs/reference/models.md, "Providers")."""

import os
import stat
from hashlib import sha256
from importlib.util import find_spec

from ...errors import ModelError

# The names of a model file in a folder; the first that exists is used.
MODEL_NAMES = ("model.onnx", "model_quantized.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
TOKENIZER_NAME = "tokenizer.json"
MAX_MODEL_BYTES = 512 << 20
# The tokenizer of a multilingual model has 17 million bytes.
MAX_TOKENIZER_BYTES = 64 << 20


class ModelFiles:
    """The paths and hashes of a model's ONNX file and of the file that makes its tokenizer.

    The latter is a `tokenizer.json`, or a vocabulary with one token a line.
    """

    def __init__(self, model: str, tokenizer: str) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self._data = read_model_file(model, MAX_MODEL_BYTES)
        self.model_hash = sha256(self._data).hexdigest()
        self.tokenizer_hash = sha256(read_model_file(tokenizer, MAX_TOKENIZER_BYTES)).hexdigest()

    def model_data(self) -> bytes:
        """The bytes of the model's file. They are not kept in memory, so a second call reads the file again."""
        data, self._data = self._data or read_model_file(self.model, MAX_MODEL_BYTES), b""
        return data

    def vocabulary(self) -> list[str] | None:
        """The tokens of the vocabulary, in the order of their numbers; None if there is a `tokenizer.json` instead."""
        if self.tokenizer.endswith(TOKENIZER_NAME):
            return None
        return read_model_file(self.tokenizer, MAX_TOKENIZER_BYTES).decode().removesuffix("\n").split("\n")


def find_model(folder: str) -> str:
    """The path of the model's ONNX file in a folder that `embedding.path` names. Raises ModelError without one."""
    if not os.path.isdir(folder):
        raise ModelError(
            f"`{folder}`, named by `embedding.path`, does not exist", "name the folder that has `model.onnx`"
        )
    for name in MODEL_NAMES:
        if os.path.isfile(place := os.path.join(folder, *name.split("/"))):
            return place
    names = ", ".join([f"`{name}`" for name in MODEL_NAMES])
    raise ModelError(f"`{folder}`, named by `embedding.path`, has no model", f"add a model named one of {names}")


def find_in_package(package: str, name: str) -> str:
    """The path of a file in an installed package, whose code is not run; "" if it is not there."""
    spec = find_spec(package)
    path = os.path.join(os.path.dirname(spec.origin), name) if spec and spec.origin else ""
    return path if os.path.isfile(path) else ""


def check_known(path: str, found: str, known: str) -> None:
    """Raise ModelError if the SHA-256 `found` of a package's file differs from that of the `known` file."""
    if found != known:
        raise ModelError(
            f"`{path}` is not the model file that cuecard knows",
            "install the package again, or set `embedding.path` to a folder with the model",
        )


def read_model_file(path: str, limit: int) -> bytes:
    """The bytes of a regular file. Raises ModelError for other files, without blocking on a pipe or device."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise ModelError(f"`{path}` is not a regular file", "replace it with the model's own file")
            data = file.read(limit + 1)
    except OSError as error:
        raise ModelError(f"`{path}` cannot be read: {error.strerror or error}", "check its permissions") from None
    if len(data) > limit:
        raise ModelError(f"`{path}` is larger than {limit >> 20} MiB", "replace it with the model's own file")
    return data
