"""Model vectors in recall: what they find, and that the built-in table still works when the model fails."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import cuecard
from command_process import run_in
from cuecard import Store
from cuecard._backend import read_user_settings
from cuecard._pure.settings.reader import read_settings
from cuecard.models.embedders.choice import open_embedder
from cuecard.models.embedders.embedding_settings import read_embedding_settings
from cuecard.models.vectors.embed_run import embed_store
from cuecard.retrieval.recall import open_recall
from hook_process import Hook, Outcome
from mcp_process import Client
from model_server import UNWAITED_SECONDS, ModelServer, free_port
from records import make_store, path_in, put, stored
from scratch_home import forget_failures, is_foreign, kept_of, seal_derived, write_user_settings

# No memory contains these words, and the built-in table relates no word of a memory to them.
STRANGE = "zorblax quixen flimworth"
PROMPT = "how do we limit the rate of requests to the api?"
TITLES = {
    "limits": "Limit the rate of api requests by a token bucket",
    "cache": "Cache pages in the proxy",
    "fruit": "Bananas ripen in the dark",
}
FAULTS = (
    "down", "slow", "dripping", "dripping_headers", "500", "garbage", "half", "half_json", "empty", "hang_up",
    "not_http", "wrong_dimension", "wrong_count", "wrong_form", "not_numbers", "nan", "infinite", "redirect",
)  # fmt: skip
INSTEAD = "the built-in table is used instead of the embedder: "


def embed_by_topic(text: str) -> list[float]:
    """A vector for a text that puts the made-up word `zorblax` close to the word for a fruit."""
    text = text.lower()
    topics = (("limit", "rate"), ("cache",), ("banana", "zorblax"))
    return [float(any(word in text for word in words)) + 0.01 for words in topics]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.embed = embed_by_topic
        yield server


@pytest.fixture
def store(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of three memories that have model vectors."""
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    store = make_store(tmp_path / "project")
    for name, title in TITLES.items():
        put(store, stored(name, title=title))
    configure(server.url)
    embed(store)
    server.requests.clear()
    return store


def configure(url: str, **members: object) -> None:
    embedding = {"provider": "ollama", "url": url, **members}
    config = {"embedding": embedding, "retrieval": {"session": False}, "log": {"prompts": True}}
    write_user_settings(config)


def forget_embedder() -> None:
    write_user_settings({"retrieval": {"session": False}, "log": {"prompts": True}})


def embed(store: Store) -> None:
    settings = read_embedding_settings(read_settings(read_user_settings(), None), [])
    assert settings
    embed_store((store.root, store.memory_dir), open_embedder(settings), lambda done, total: None)


def break_server(store: Store, server: ModelServer, fault: str) -> None:
    if fault == "down":
        configure(f"http://127.0.0.1:{free_port()}")
    server.fault, server.redirect_to = fault, server.url


def likes(store: Store, name: str, text: str) -> bool:
    """Whether a memory gets points from the model vectors in a search for a text."""
    hits = [hit for hit in open_recall(store.root).search(text, explain=True) if Path(hit.path).stem == name]
    return any(part.kind == "embedding" for hit in hits for part in hit.parts)


def ask(hook: Hook, store: Store, prompt: str = PROMPT, **variables: str) -> Outcome:
    payload = json.dumps({"prompt": prompt, "cwd": store.root, "session_id": "s"}).encode()
    return hook.run("prompt", stdin=payload, cwd=Path(store.root), **variables)


def last_event(store: Store) -> dict[str, object]:
    log = kept_of(store.memory_dir) / "log" / "events.jsonl"
    event: dict[str, object] = json.loads(log.read_bytes().splitlines()[-1])
    return event


# Words that only the model knows


def test_a_memory_is_found_by_the_model_without_a_word_in_common(store: Store) -> None:
    first = open_recall(store.root).search(STRANGE, explain=True)[0]
    assert Path(first.path).stem == "fruit"
    assert [part.kind for part in first.parts] == ["embedding"]
    forget_embedder()
    assert not likes(store, "fruit", STRANGE)


def test_the_parts_still_sum_to_the_score(store: Store) -> None:
    for text in (PROMPT, STRANGE, "cache pages"):
        for hit in open_recall(store.root).search(text, explain=True):
            assert sum(part.points for part in hit.parts) == hit.score


def test_a_prompt_that_goes_on_is_embedded_with_the_one_before(store: Store, server: ModelServer) -> None:
    open_recall(store.root).recall("continue with that then", [PROMPT])
    assert server.bodies[-1]["input"] == [f"{PROMPT}\ncontinue with that then"]
    open_recall(store.root).recall(PROMPT, ["cache pages in the proxy"])
    assert server.bodies[-1]["input"] == [PROMPT]


def test_one_prompt_is_asked_about_once_however_much_is_wanted_of_it(store: Store, server: ModelServer) -> None:
    run_in(store, "recall", PROMPT, "--explain")
    assert len(server.requests) == 1


def test_other_strategies_ask_no_model(store: Store, server: ModelServer) -> None:
    for strategy in ("bm25", "tfidf", "vectors", "keyword", "keyword_classic"):
        open_recall(store.root, strategy=strategy).search(PROMPT, explain=True)
    assert server.requests == []


# Outdated vectors


def test_a_memory_that_has_changed_has_no_vector_until_it_is_embedded_again(store: Store) -> None:
    put(store, stored("fruit", title="Something else by now"))
    assert not likes(store, "fruit", "something else")
    assert not likes(store, "fruit", STRANGE)
    put(store, stored("fruit", title=TITLES["fruit"]))
    embed(store)
    assert likes(store, "fruit", STRANGE)


def test_the_vectors_of_another_model_are_never_compared_with_those_of_this_one(
    store: Store, server: ModelServer
) -> None:
    before = server.requests.copy()
    configure(server.url, model="another")
    recaller = open_recall(store.root)
    plain = recaller.search(PROMPT, explain=True)
    assert recaller.notes == [f"{INSTEAD}there are no vectors of `ollama/another`; `cuecard embed` makes them"]
    # The prompt is not sent, because there are no vectors to compare it with.
    assert server.requests == before
    forget_embedder()
    assert open_recall(store.root).search(PROMPT, explain=True) == plain


@pytest.mark.parametrize("damage", [b"", b"cuevecs1", b"\xff" * 500])
def test_a_damaged_file_of_vectors_is_as_good_as_none(store: Store, server: ModelServer, damage: bytes) -> None:
    [file] = (Path(store.memory_dir) / ".cuecard").glob("vectors-*")
    file.write_bytes(damage)
    seal_derived(store.memory_dir)
    recaller = open_recall(store.root)
    hits = recaller.search(PROMPT, explain=True)
    assert recaller.notes == [f"{INSTEAD}the file of the vectors is damaged"]
    assert server.requests == []
    forget_embedder()
    assert open_recall(store.root).search(PROMPT, explain=True) == hits


def test_deleting_the_file_of_vectors_loses_nothing_for_good(store: Store) -> None:
    before = open_recall(store.root).search(STRANGE, explain=True)
    [file] = (Path(store.memory_dir) / ".cuecard").glob("vectors-*")
    file.unlink()
    assert not likes(store, "fruit", STRANGE)
    embed(store)
    assert open_recall(store.root).search(STRANGE, explain=True) == before


# Faults


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_endpoint_does_the_library_answers_as_without_it(
    store: Store, server: ModelServer, fault: str
) -> None:
    break_server(store, server, fault)
    recaller = open_recall(store.root)
    start = time.monotonic()
    hits = recaller.search(PROMPT, explain=True)
    assert time.monotonic() - start < UNWAITED_SECONDS
    assert [note.startswith(INSTEAD) for note in recaller.notes] == [True]
    trace = recaller.trace(PROMPT, "limits")
    assert trace.embedder == "static"
    assert f"{INSTEAD}{trace.embedder_note}" in recaller.notes
    forget_embedder()
    plain = open_recall(store.root)
    assert plain.search(PROMPT, explain=True) == hits
    assert plain.notes == []


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_endpoint_does_the_hook_prints_the_same_bytes_as_without_it(
    store: Store, server: ModelServer, python_hook: Hook, fault: str
) -> None:
    break_server(store, server, fault)
    ran = ask(python_hook, store)
    assert (ran.code, ran.stderr) == (0, b"")
    assert [note.startswith(INSTEAD) for note in ran.log] == [True]
    embedder = last_event(store)["embedder"]
    assert embedder == {"name": "static", "note": ran.log[0].removeprefix(INSTEAD)}
    forget_embedder()
    plain = ask(python_hook, store)
    assert plain.stdout == ran.stdout
    assert plain.stdout
    assert plain.log == []
    assert "embedder" not in last_event(store)


def last_event_after(hook: Hook, store: Store) -> object:
    """The member `embedder` in the event of one more prompt.

    Asserts that the hook logs nothing for this prompt, because it asks no model.
    """
    assert ask(hook, store).log == []
    return last_event(store)["embedder"]


def test_a_slow_endpoint_is_waited_for_as_long_as_the_settings_say(
    store: Store, server: ModelServer, python_hook: Hook
) -> None:
    def embed_slowly(text: str) -> list[float]:
        server.wait(0.4)
        return embed_by_topic(text)

    server.embed = embed_slowly
    assert len(ask(python_hook, store).log) == 1
    assert "failed a short time ago and is not asked again yet" in str(last_event_after(python_hook, store))
    forget_failures()
    configure(server.url, timeout_ms=10_000)
    assert ask(python_hook, store).log == []
    assert last_event(store)["embedder"] == {"name": "ollama/all-minilm", "note": None}


def test_the_hook_says_who_has_served_and_counts_what_was_sent(
    store: Store, server: ModelServer, python_hook: Hook
) -> None:
    configure(server.url, timeout_ms=10_000)
    ran = ask(python_hook, store)
    assert (ran.code, ran.log) == (0, [])
    event = last_event(store)
    assert event["embedder"] == {"name": "ollama/all-minilm", "note": None}
    [asked] = server.requests
    assert asked.body["input"] == [PROMPT]
    size = int(asked.headers["Content-Length"])
    assert event["sent"] == [{"what": "embedding", "host": server.url, "requests": 1, "bytes": size}]


def test_why_says_who_served_the_prompt(store: Store, server: ModelServer, python_hook: Hook) -> None:
    configure(server.url, timeout_ms=10_000)
    ask(python_hook, store)
    ran = run_in(store, "why", "limits")
    assert "embedder  ollama/all-minilm" in ran.stdout
    document = run_in(store, "why", "limits", "--json").document
    assert document["event"]["embedder"] == {"name": "ollama/all-minilm", "note": None}
    assert document["trace"]["embedder"] == "ollama/all-minilm"
    server.fault = "500"
    ask(python_hook, store)
    ran = run_in(store, "why", "limits")
    assert "static: `http://127.0.0.1:" in ran.stdout
    assert "has answered with status 500" in ran.stdout


# MiniLM, which short-lived processes do not load


def test_a_hook_does_not_load_a_model_and_does_not_complain_about_that(
    store: Store, python_hook: Hook, model_folder: Path
) -> None:
    (model_folder / "model.onnx").write_bytes(b"a model")
    write_user_settings({"embedding": {"provider": "minilm", "path": str(model_folder)}})
    ran = ask(python_hook, store)
    assert (ran.code, ran.log) == (0, [])
    assert last_event(store)["embedder"] == {
        "name": "static", "note": "a hook has no time to load `minilm`; `cuecard mcp` keeps it loaded"
    }  # fmt: skip


def test_a_server_without_the_extra_answers_from_the_built_in_table_and_says_why(
    store: Store, model_folder: Path
) -> None:
    write_user_settings({"embedding": {"provider": "minilm", "path": str(model_folder / "none")}})
    root = Path(store.root)
    with Client(root.parent, root, version="2025-06-18") as client:
        ends = time.monotonic() + 30
        while True:
            answer = client.ask("tools/call", name="prompt_hook", arguments={"prompt": PROMPT})
            assert TITLES["limits"] in answer["content"][0]["text"]
            note = last_event(store)["embedder"]["note"]  # type: ignore[index]
            if "does not exist" in note:
                break
            assert note == "`minilm` is being loaded"
            assert time.monotonic() < ends
            time.sleep(0.05)


def test_a_resident_server_has_the_model_in_memory(store: Store) -> None:
    pytest.importorskip("onnxruntime")
    write_user_settings({"embedding": {"provider": "minilm", "timeout_ms": 5000}})
    assert run_in(store, "embed").code == 0
    root = Path(store.root)
    with Client(root.parent, root, version="2025-06-18") as client:
        ends = time.monotonic() + 60
        while True:
            client.ask("tools/call", name="prompt_hook", arguments={"prompt": PROMPT})
            embedder = last_event(store)["embedder"]
            if embedder == {"name": "minilm", "note": None}:
                break
            assert time.monotonic() < ends, embedder
            time.sleep(0.1)


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_a_server_that_ends_while_the_model_is_being_loaded_ends_well(store: Store, seconds: float) -> None:
    pytest.importorskip("onnxruntime")
    write_user_settings({"embedding": {"provider": "minilm"}})
    root = Path(store.root)
    client = Client(root.parent, root, version="2025-06-18")
    time.sleep(seconds)
    assert client.close() == ""


# Default settings


@pytest.mark.parametrize("config", [None, "{}", '{"embedding": {"provider": "static"}}'])
def test_no_prompt_loads_what_asks_models_unless_the_settings_do(store: Store, config: str | None) -> None:
    write_user_settings({})
    if config is not None:
        (Path(store.memory_dir) / "memory-config.json").write_text(config)
    script = (
        "import sys\nfrom cuecard import hook\nhook.main()\n"
        "loaded = [name for name in sys.modules if name.startswith('cuecard.models')]\n"
        "sys.stderr.write(' '.join(loaded))"
    )
    payload = json.dumps({"prompt": PROMPT, "cwd": store.root}).encode()
    command = [sys.executable, "-c", script, "prompt"]
    ran = subprocess.run(command, input=payload, capture_output=True, cwd=store.root, timeout=60, check=True)
    assert TITLES["limits"].encode() in ran.stdout
    assert ran.stderr.decode() == ""


def test_the_library_opens_a_store_with_an_embedder(store: Store) -> None:
    with_model = cuecard.open(store.root)
    assert Path(with_model.search(STRANGE)[0].path).stem == "fruit"
    assert with_model.trace(STRANGE, "fruit").embedder == "ollama/all-minilm"
    assert path_in(store, "fruit").exists()
