"""Embedders: their requests, how they read answers, where their files are, and how their vectors are stored."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard import ModelError
from cuecard._pure.settings.reader import read_settings
from cuecard.basics.installing import INSTALL_EMBEDDINGS
from cuecard.models.embedders import minilm, onnx_model
from cuecard.models.embedders.choice import open_embedder
from cuecard.models.embedders.embedder import Embedder
from cuecard.models.embedders.embedding_settings import EmbeddingSettings, read_embedding_settings
from cuecard.models.embedders.minilm import DIMENSION, MiniLm
from cuecard.models.embedders.rows import rows_of
from cuecard.models.vectors.vectors_file import DamagedVectors, VectorEntry, encode_vectors, read_vectors, vectors_name
from cuecard.models.vectors.vectors_update import update_vectors
from model_server import ModelServer, vector_of
from scratch_home import seal_derived

TEXTS = ["the hook is an executable", "bananas are yellow"]
KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server:
        monkeypatch.setenv("CUECARD_ALLOW_HOSTS", server.url)
        yield server


def read(config: object, problems: list[str]) -> EmbeddingSettings | None:
    return read_embedding_settings(read_settings(json.dumps(config).encode(), None), problems)


def settings_of(provider: str, **members: object) -> EmbeddingSettings:
    problems: list[str] = []
    found = read({"embedding": {"provider": provider, **members}}, problems)
    assert (problems, found is None) == ([], False)
    assert found
    return found


def embedder_of(provider: str, **members: object) -> Embedder:
    return open_embedder(settings_of(provider, **members))


# Rows


def test_the_largest_magnitude_of_a_vector_becomes_127() -> None:
    assert rows_of([[0.5, -1.0, 0.0, 0.25]], 1) == [bytes([64, 256 - 127, 0, 32])]
    assert rows_of([[3, 0, -1]], 1) == [bytes([127, 0, 256 - 42])]


def test_a_vector_of_zeros_stays_one_and_the_smallest_of_numbers_are_scaled_too() -> None:
    assert rows_of([[0.0, -0.0]], 1) == [bytes(2)]
    assert rows_of([[5e-324, 0.0]], 1) == [bytes([127, 0])]
    assert rows_of([[1.7e308, -1.7e308]], 1) == [bytes([127, 129])]


# Very small numbers cannot be scaled without loss, because a float then has too few digits.
VALUES = st.floats(-1e6, 1e6).map(lambda value: value if abs(value) > 1e-100 else 0.0)


@given(st.lists(VALUES, min_size=1, max_size=50), st.floats(1e-3, 1e3))
def test_a_row_does_not_depend_on_the_length_of_its_vector_but_for_rounding(vector: list[float], factor: float) -> None:
    [row] = rows_of([vector], 1)
    [scaled] = rows_of([[value * factor for value in vector]], 1)
    for one, other in zip(memoryview(row).cast("b"), memoryview(scaled).cast("b"), strict=True):
        assert abs(one - other) <= 1


@pytest.mark.parametrize(
    "answer",
    [
        None, {}, [], [[1.0]], [[1.0], []], [[1.0], [1.0, 2.0]], [[1.0], ["x"]], [[1.0], [None]], [[1.0], [True]],
        [[1.0], [float("nan")]], [[1.0], [float("inf")]], [[1.0], [10**400]], [[1.0], 3], [[1.0], [2.0], [3.0]],
    ],
)  # fmt: skip
def test_what_is_no_vector_for_each_text_is_refused(answer: object) -> None:
    with pytest.raises(ModelError):
        rows_of(answer, 2)


# Settings


@pytest.mark.parametrize(
    "config", [b"", b"[]", b"{}", b'{"embedding": 3}', b'{"embedding": {}}', b'{"embedding": {"provider": "static"}}']
)
def test_without_a_provider_the_built_in_table_is_the_embedder(config: bytes) -> None:
    problems: list[str] = []
    assert read_embedding_settings(read_settings(config, None), problems) is None
    assert problems == []


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"provider": "torch"}, "`embedding.provider` must be one of"),
        ({"provider": 3}, "`embedding.provider` must be one of"),
        ({"provider": "openai", "url": "ftp://x"}, "`embedding.url` must be an `http` or `https` URL"),
        ({"provider": "openai", "url": 3}, "`embedding.url` must be an `http` or `https` URL"),
        (
            {"provider": "openai", "url": "https://name:word@example.org"},
            "`embedding.url` must be an `http` or `https` URL",
        ),
        ({"provider": "openai", "api_key_env": KEY}, "`embedding.api_key_env` must be the name"),
        ({"provider": "openai", "api_key_env": "AWS_SECRET_ACCESS_KEY"}, "`embedding.api_key_env` must be the name"),
        ({"provider": "minilm", "path": "models"}, "`embedding.path` is not an absolute path"),
        ({"provider": "minilm", "path": ["/"]}, "`embedding.path` is not an absolute path"),
    ],
)
def test_a_text_goes_to_no_place_that_stands_in_for_a_malformed_one(members: dict[str, object], problem: str) -> None:
    problems: list[str] = []
    assert read({"embedding": members}, problems) is None
    assert len(problems) == 1
    assert problems[0].startswith(problem)
    assert problems[0].endswith("; using `static`")
    # A key that the user wrote into the wrong member does not appear in the message.
    assert KEY not in problems[0]


def test_a_malformed_model_or_time_has_its_default() -> None:
    problems: list[str] = []
    config = {"embedding": {"provider": "ollama", "model": " ", "timeout_ms": 5}}
    found = read(config, problems)
    assert found
    assert (found.model, found.timeout_ms, found.url) == ("all-minilm", 150, "http://localhost:11434")
    assert len(problems) == 2


def test_a_folder_may_be_named_from_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("USERPROFILE", "/home/ann")
    assert Path(settings_of("minilm", path="~/models").path) == Path("/home/ann/models")


# Endpoints


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_an_endpoint_gives_each_text_its_row(server: ModelServer, provider: str) -> None:
    embedder = embedder_of(provider, url=server.url, model="m")
    assert embedder.encode(TEXTS, 5) == rows_of([vector_of(text) for text in TEXTS], 2)
    asked = server.requests[0]
    assert asked.path == {"ollama": "/api/embed", "openai": "/v1/embeddings"}[provider]
    assert (asked.body["model"], asked.body["input"]) == ("m", TEXTS)


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_the_route_stands_once_in_the_url(server: ModelServer, base: str) -> None:
    embedder_of("openai", url=server.url + base).encode(TEXTS, 5)
    assert server.requests[0].path == "/v1/embeddings"


def test_the_key_comes_from_the_environment_and_goes_to_the_endpoint_alone(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    embedder = embedder_of("openai", url=server.url, api_key_env="MY_API_KEY")
    embedder.encode(TEXTS, 5)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    server.fault = "echo"
    with pytest.raises(ModelError) as raised:
        embedder.encode(TEXTS, 5)
    assert KEY not in f"{raised.value.what} {raised.value.hint}"


def test_without_a_key_only_this_machine_is_asked(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder_of("openai", url=server.url).encode(TEXTS, 5)
    assert "Authorization" not in server.requests[0].headers
    elsewhere = embedder_of("openai", url="https://embeddings.invalid")
    with pytest.raises(ModelError, match="`OPENAI_API_KEY` is not set"):
        elsewhere.check()
    with pytest.raises(ModelError, match="`OPENAI_API_KEY` is not set"):
        elsewhere.encode(TEXTS, 5)


def test_vectors_that_come_out_of_order_find_their_texts(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    shuffled = {"data": [{"index": 1, "embedding": [1.0, 0.0]}, {"index": 0, "embedding": [0.0, 1.0]}]}
    monkeypatch.setattr("cuecard.models.embedders.openai.post_json", lambda *_: shuffled)
    assert embedder_of("openai", url=server.url).encode(TEXTS, 5) == [bytes([0, 127]), bytes([127, 0])]
    shuffled["data"][0]["index"] = 0
    with pytest.raises(ModelError):
        embedder_of("openai", url=server.url).encode(TEXTS, 5)


@pytest.mark.parametrize("provider", ["ollama", "openai"])
@pytest.mark.parametrize(
    "fault",
    ["500", "garbage", "half", "half_json", "empty", "wrong_count", "wrong_form", "not_numbers", "nan", "infinite",
     "several_lengths", "hang_up", "not_http", "huge"],
)  # fmt: skip
def test_whatever_an_endpoint_does_is_an_error_of_ours(server: ModelServer, provider: str, fault: str) -> None:
    server.fault = fault
    with pytest.raises(ModelError):
        embedder_of(provider, url=server.url).encode(TEXTS, 5)


def test_embedders_of_other_vectors_have_other_fingerprints(model_folder: Path) -> None:
    found = {
        embedder_of("ollama", url=f"http://{host}", model=model).fingerprint
        for host in ("localhost", "127.0.0.1")
        for model in ("a", "b")
    }
    assert len(found) == 2
    found.add(embedder_of("openai", model="a").fingerprint)
    for content in (b"one", b"two"):
        folder = model_folder / content.decode()
        folder.mkdir()
        (folder / "model.onnx").write_bytes(content)
        found.add(embedder_of("minilm", path=str(folder)).fingerprint)
    assert len(found) == 5


# The files of MiniLM


def test_a_folder_that_is_not_there_or_has_no_model_is_named(model_folder: Path) -> None:
    for place, words in ((model_folder / "none", "does not exist"), (model_folder, "has no model")):
        with pytest.raises(ModelError, match=words) as raised:
            embedder_of("minilm", path=str(place)).check()
        assert "model.onnx" in raised.value.hint


def test_without_the_package_and_without_a_folder_the_hint_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_of_models")
    with pytest.raises(ModelError, match="is not on this machine") as raised:
        MiniLm(settings_of("minilm")).load()
    assert INSTALL_EMBEDDINGS in raised.value.hint


def test_a_package_with_another_file_than_the_known_one_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / minilm.PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('never imported')")
    (package / "model.onnx").write_bytes(b"something else")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModelError, match="is not the model file that cuecard knows"):
        MiniLm(settings_of("minilm")).load()
    assert minilm.PACKAGE not in sys.modules


def test_without_the_extra_the_hint_says_what_to_install(model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (model_folder / "model.onnx").write_bytes(b"a model")
    for name in ("onnxruntime", "tokenizers", "numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(onnx_model, "find_spec", lambda name: None)
    embedder = embedder_of("minilm", path=str(model_folder))
    for work in (embedder.check, embedder.load, lambda: embedder.encode(TEXTS, None)):
        with pytest.raises(ModelError, match="is not installed") as raised:
            work()
        assert INSTALL_EMBEDDINGS in raised.value.hint


def test_the_vocabulary_is_that_of_the_model() -> None:
    words = Path(minilm.VOCABULARY).read_text("utf-8").removesuffix("\n").split("\n")
    assert len(words) == 30_522
    assert [words[number] for number in (0, 100, 101, 102, 1996, 30_521)] == [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "##～"
    ]  # fmt: skip


@pytest.fixture(scope="module")
def mini() -> MiniLm:
    """The MiniLM model; the test is skipped if it is not installed."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    embedder = MiniLm(settings_of("minilm"))
    try:
        embedder.load()
    except ModelError as error:
        pytest.skip(error.what)
    return embedder


def test_minilm_finds_the_same_meaning_in_other_words(mini: MiniLm) -> None:
    query, near, far = mini.encode(["slow down too many calls", "we limit the rate of requests", TEXTS[1]], None)
    assert {len(query), len(near), len(far)} == {DIMENSION}

    def product(one: bytes, other: bytes) -> int:
        return sum(a * b for a, b in zip(memoryview(one).cast("b"), memoryview(other).cast("b"), strict=True))

    assert product(query, near) > 2 * abs(product(query, far))


def test_a_row_of_minilm_does_not_depend_on_the_texts_beside_it(mini: MiniLm) -> None:
    texts = [*TEXTS, "", "\0\ud800 naïve 漢字 한국어 😀", "word " * 2000, "[SEP] [MASK]"]
    assert mini.encode(texts, None) == [mini.encode([text], None)[0] for text in texts]


# The file of vectors


def entry(seed: int, dimension: int = 4) -> VectorEntry:
    return 100 + seed, 10**18 + seed, bytes([seed] * 16), bytes([seed] * dimension)


PATHS = [f".claude/memory/decisions/{name}.json" for name in ("a", "b", "한국어")]


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    folder = tmp_path / ".claude" / "memory"
    (folder / "decisions").mkdir(parents=True)
    for path in PATHS:
        (tmp_path / path).write_text("{}")
    return folder


def test_what_is_written_is_read_again(memory_dir: Path) -> None:
    fresh = {path: entry(number) for number, path in enumerate(PATHS)}
    update_vectors(str(memory_dir), 7, 4, fresh)
    found = read_vectors(str(memory_dir), 7)
    assert found
    assert (found.entries(), found.dimension, found.paths) == (fresh, 4, sorted(PATHS))
    assert read_vectors(str(memory_dir), 8) is None
    assert vectors_name(7) == "vectors-00000007"


def test_an_update_keeps_the_others_and_drops_those_whose_files_are_gone(memory_dir: Path) -> None:
    update_vectors(str(memory_dir), 7, 4, {PATHS[0]: entry(0), PATHS[1]: entry(1)})
    (memory_dir.parent.parent / PATHS[0]).unlink()
    update_vectors(str(memory_dir), 7, 4, {PATHS[2]: entry(2)})
    found = read_vectors(str(memory_dir), 7)
    assert found
    assert found.entries() == {PATHS[1]: entry(1), PATHS[2]: entry(2)}


def test_of_two_vectors_of_a_memory_the_one_of_the_younger_file_stays(memory_dir: Path) -> None:
    update_vectors(str(memory_dir), 7, 4, {PATHS[0]: entry(5)})
    update_vectors(str(memory_dir), 7, 4, {PATHS[0]: entry(3)})
    found = read_vectors(str(memory_dir), 7)
    assert found
    assert found.entries() == {PATHS[0]: entry(5)}


def test_rows_of_another_dimension_never_stand_together(memory_dir: Path) -> None:
    update_vectors(str(memory_dir), 7, 4, {PATHS[0]: entry(0)})
    update_vectors(str(memory_dir), 7, 8, {PATHS[1]: entry(1, 8)})
    found = read_vectors(str(memory_dir), 7)
    assert found
    assert found.entries() == {PATHS[1]: entry(1, 8)}


@given(st.data())
def test_a_damaged_file_is_refused_wherever_the_damage_is(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged" / ".claude" / "memory" / ".cuecard"
    folder.mkdir(parents=True, exist_ok=True)
    whole = encode_vectors(7, 4, {path: entry(number) for number, path in enumerate(PATHS)})
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        damaged = whole[:place]
    else:
        damaged = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    (folder / "vectors-00000007").write_bytes(damaged)
    seal_derived(folder.parent)
    with pytest.raises(DamagedVectors):
        read_vectors(str(folder.parent), 7)
