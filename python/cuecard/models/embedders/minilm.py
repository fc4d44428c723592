"""Runs all-MiniLM-L6-v2 in this process, from files on this machine (docs/reference/models.md, "Providers").

The extra `embeddings` installs the required packages. Nothing is ever downloaded here.
"""

import atexit
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...basics.chars import scrub
from ...basics.installing import INSTALL_EMBEDDINGS
from ...configuration.embedding_settings import EmbeddingSettings
from ...errors import ModelError
from .embedder import Embedder, fingerprint_of
from .minilm_files import ModelFiles, find_files
from .rows import rows_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
# The limit with which the model was trained; further tokens are cut off.
MAX_TOKENS = 256
THREADS = 4
# How long a process that ends waits for a running computation; without this wait it would abort.
EXIT_SECONDS = 10.0
PACKAGES = ("numpy", "onnxruntime", "tokenizers")


class MiniLm(Embedder):
    """The embedder all-MiniLM-L6-v2. The model is loaded at its first use."""

    name = "minilm"
    dimension = DIMENSION
    is_local = True
    is_latin = True

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._path = settings.path
        # A thread has this lock while the runtime computes.
        self._working = threading.RLock()
        self._files: ModelFiles | None = None
        self._loaded: tuple[Any, Tokenizer] | None = None

    @property
    def fingerprint(self) -> int:
        """The fingerprint of the model's file and its tokenizer's file. The first call reads both files."""
        files = self._find()
        return fingerprint_of("minilm", files.model_hash, files.tokenizer_hash)

    @property
    def is_ready(self) -> bool:
        """Whether the model is in memory."""
        return self._loaded is not None

    def check(self) -> None:
        """Raise ModelError if the model's files or the required packages are missing."""
        self._find()
        for name in PACKAGES:
            if find_spec(name) is None:
                raise _not_installed(name)

    def load(self) -> None:
        """Load the model, which takes about a second. Raises ModelError."""
        with self._working:
            if self._loaded is None:
                files = self._find()
                # When the process exits, it takes this lock and keeps it, so that no computation starts afterwards.
                atexit.register(self._working.acquire, timeout=EXIT_SECONDS)
                self._loaded = _open_session(files), _open_tokenizer(files)

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        """Encode the texts one by one, so that a row does not depend on the other texts. Ignores `timeout`."""
        with self._working:
            self.load()
            session, tokenizer = self._loaded  # type: ignore[misc]  # loaded just now
            names = [given.name for given in session.get_inputs()]
            vectors = [_encode(session, names, tokenizer, text) for text in texts]
        return rows_of(vectors, len(texts))

    def _find(self) -> ModelFiles:
        if self._files is None:
            self._files = find_files(self._path)
        return self._files


def _encode(session: Any, names: list[str], tokenizer: "Tokenizer", text: str) -> list[float]:  # noqa: ANN401 - no types
    import numpy

    tokens = tokenizer.encode(scrub(text))
    given = {
        "input_ids": numpy.array([tokens.ids], dtype=numpy.int64),
        "attention_mask": numpy.ones((1, len(tokens.ids)), dtype=numpy.int64),
        "token_type_ids": numpy.zeros((1, len(tokens.ids)), dtype=numpy.int64),
    }
    try:
        states = session.run(None, {name: given[name] for name in names})[0]
    except Exception as error:  # whatever the runtime raises
        raise ModelError(f"the model cannot be run: {type(error).__name__}", "check `embedding.path`") from None
    # The mean is not normalized, because `rows_of` scales every vector.
    return [float(value) for value in states[0].mean(axis=0)]


def _open_session(files: ModelFiles) -> Any:  # noqa: ANN401 - no types
    try:
        import onnxruntime
    except ImportError as error:
        raise _not_installed(error.name) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    # Otherwise a process that waits for prompts would keep a core busy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(files.model_data(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever the runtime raises
        raise ModelError(
            f"`{files.model}` cannot be loaded: {type(error).__name__}", "replace it with another copy"
        ) from None
    known = {"input_ids", "attention_mask", "token_type_ids"}
    if not known.issuperset([given.name for given in session.get_inputs()]):
        raise ModelError(f"`{files.model}` is not a model of the expected kind", "replace it with all-MiniLM-L6-v2")
    return session


def _open_tokenizer(files: ModelFiles) -> "Tokenizer":
    try:
        import tokenizers
    except ImportError as error:
        raise _not_installed(error.name) from None
    try:
        if files.tokenizer:
            tokenizer = tokenizers.Tokenizer.from_file(files.tokenizer)
        else:
            tokenizer = _make_tokenizer(files.vocabulary())
    except Exception as error:  # whatever the library raises
        raise ModelError(
            f"the tokenizer of `{files.model}` cannot be loaded: {type(error).__name__}", "replace it with another copy"
        ) from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _make_tokenizer(words: list[str]) -> "Tokenizer":
    """A tokenizer for lower-case BERT models, made from a vocabulary."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(name, numbers[name]) for name in ("[SEP]", "[CLS]")]
    tokenizer.post_processor = processors.BertProcessing(*ends)
    return tokenizer


def _not_installed(name: str | None) -> ModelError:
    return ModelError(f"the provider `minilm` needs `{name}`, which is not installed", INSTALL_EMBEDDINGS)
