"""Runs a sentence model in ONNX form with `onnxruntime` and `tokenizers` (docs/reference/models.md, "Providers")."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...basics.installing import INSTALL_EMBEDDINGS
from ...errors import ModelError
from .local_model import THREADS
from .model_files import ModelFiles

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGES = ("numpy", "onnxruntime", "tokenizers")


class OnnxModel:
    """A loaded model and its tokenizer. The vector of a text is the mean of the model's last states."""

    def __init__(self, files: ModelFiles, provider: str, full_name: str, max_tokens: int) -> None:
        """Load the files, of a model that reads `max_tokens` tokens; further tokens are cut off. Raises ModelError."""
        self._session = _open_session(files, provider, full_name)
        self._names = [given.name for given in self._session.get_inputs()]
        self._tokenizer = _open_tokenizer(files, provider)
        self._tokenizer.enable_truncation(max_tokens)

    def encode(self, text: str) -> list[float]:
        """Compute the vector of a text. Raises ModelError."""
        import numpy

        tokens = self._tokenizer.encode(text)
        given = {
            "input_ids": numpy.array([tokens.ids], dtype=numpy.int64),
            "attention_mask": numpy.ones((1, len(tokens.ids)), dtype=numpy.int64),
            "token_type_ids": numpy.zeros((1, len(tokens.ids)), dtype=numpy.int64),
        }
        try:
            states = self._session.run(None, {name: given[name] for name in self._names})[0]
        except Exception as error:  # whatever the runtime raises
            raise ModelError(f"the model cannot be run: {type(error).__name__}", "check `embedding.path`") from None
        # The mean is not normalized, because `rows_of` scales every vector.
        return [float(value) for value in states[0].mean(axis=0)]


def check_packages(provider: str) -> None:
    """Raise ModelError if a package is missing that running a model needs."""
    for name in PACKAGES:
        if find_spec(name) is None:
            raise not_installed(provider, name)


def not_installed(provider: str, name: str | None) -> ModelError:
    """The error for a missing package."""
    return ModelError(f"the provider `{provider}` needs `{name}`, which is not installed", INSTALL_EMBEDDINGS)


def _open_session(files: ModelFiles, provider: str, full_name: str) -> Any:  # noqa: ANN401 - no types
    try:
        import onnxruntime
    except ImportError as error:
        raise not_installed(provider, error.name) from None
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
        raise ModelError(f"`{files.model}` is not a model of the expected kind", f"replace it with {full_name}")
    return session


def _open_tokenizer(files: ModelFiles, provider: str) -> "Tokenizer":
    try:
        import tokenizers
    except ImportError as error:
        raise not_installed(provider, error.name) from None
    try:
        words = files.vocabulary()
        tokenizer = tokenizers.Tokenizer.from_file(files.tokenizer) if words is None else _make_tokenizer(words)
    except Exception as error:  # whatever the library raises
        raise ModelError(
            f"the tokenizer of `{files.model}` cannot be loaded: {type(error).__name__}", "replace it with another copy"
        ) from None
    tokenizer.no_padding()
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
