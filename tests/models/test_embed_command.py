"""`cuecard embed`, and the vectors of memories that are written: real processes, with an endpoint on loopback."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_process import Ran, environment, run_in, run_on_terminal
from cuecard import Store
from cuecard.models.vectors.embed_written import REST_SECONDS
from cuecard.models.vectors.vectors_file import read_vectors
from model_server import DIMENSION, ModelServer, free_port
from records import draft, make_store, path_in, put, stored
from scratch_home import is_foreign, seal_derived, write_user_settings

NAMES = [f"memory-{number:02}" for number in range(40)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def store(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of forty memories whose files were written directly."""
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    store = make_store(tmp_path / "project")
    configure(provider="ollama", url=server.url)
    for name in NAMES:
        put(store, stored(name))
    return store


def configure(**members: object) -> None:
    write_user_settings({"embedding": members})


def vector_files(store: Store) -> list[Path]:
    return sorted((Path(store.memory_dir) / ".cuecard").glob("vectors-*"))


def embedded(store: Store) -> list[str]:
    """The names of the memories that have a model vector."""
    [file] = vector_files(store)
    found = read_vectors(store.memory_dir, int(file.name.removeprefix("vectors-"), 16))
    assert found
    return [Path(path).stem for path in found.paths]


def asked_texts(server: ModelServer) -> list[str]:
    """All texts that were sent to the server since the last call."""
    texts = [text for body in server.bodies for text in body["input"]]
    server.requests.clear()
    return texts


def embed(store: Store, *arguments: str) -> Ran:
    return run_in(store, "embed", *arguments)


def test_every_active_memory_gets_its_vector_once(store: Store, server: ModelServer) -> None:
    put(store, stored("gone", record_status="retired"))
    ran = embed(store)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == "40 of 40 memories have a vector of `ollama/all-minilm`, 40 of them new\n"
    assert embedded(store) == NAMES
    assert len(asked_texts(server)) == 40
    again = embed(store)
    assert again.stdout == "40 of 40 memories have a vector of `ollama/all-minilm`, 0 of them new\n"
    assert asked_texts(server) == []


def test_only_what_says_something_else_is_embedded_again(store: Store, server: ModelServer) -> None:
    embed(store)
    asked_texts(server)
    put(store, stored(NAMES[3], title="Quite another title"))
    os.utime(path_in(store, NAMES[4]), ns=(10**18, 10**18))
    path_in(store, NAMES[5]).rename(path_in(store, "renamed"))
    path_in(store, NAMES[6]).unlink()
    assert embed(store, "--json").document["embedded"] == 2
    texts = asked_texts(server)
    assert [text.partition("\n")[0] for text in texts[1:]] == ["Quite another title", NAMES[5].replace("-", " ")]
    # The first text was also sent once before, to find out what the endpoint answers.
    assert texts[0] == texts[1]
    assert embedded(store) == sorted({*NAMES, "renamed"} - {NAMES[5], NAMES[6]})


def test_a_dry_run_asks_nobody_and_writes_nothing(store: Store, server: ModelServer) -> None:
    ran = embed(store, "--dry-run")
    assert (ran.code, ran.stdout) == (0, "40 of 40 memories have no vector of `ollama/all-minilm`\n")
    assert (server.requests, vector_files(store)) == ([], [])


def test_all_are_also_the_retired_and_archived_ones(store: Store) -> None:
    put(store, stored("retired", record_status="retired"))
    put(store, stored("archived", record_status="archived"))
    assert embed(store, "--all", "--json").document["embedded"] == 42
    assert embedded(store) == sorted([*NAMES, "retired", "archived"])


def test_anew_asks_about_every_memory(store: Store, server: ModelServer) -> None:
    embed(store)
    asked_texts(server)
    assert embed(store, "--anew", "--json").document["embedded"] == 40
    assert len(asked_texts(server)) == 40


def test_another_model_embeds_anew_and_leaves_the_vectors_of_the_first(store: Store, server: ModelServer) -> None:
    embed(store)
    [first] = vector_files(store)
    content = first.read_bytes()
    configure(provider="ollama", url=server.url, model="another")
    assert embed(store, "--json").document["embedded"] == 40
    assert len(vector_files(store)) == 2
    assert first.read_bytes() == content


def test_a_model_of_another_length_behind_the_same_name_embeds_all_anew(store: Store, server: ModelServer) -> None:
    embed(store)
    path_in(store, NAMES[0]).unlink()
    put(store, stored("new"))
    server.dimension = DIMENSION + 8
    assert embed(store, "--json").document["embedded"] == 40
    assert embedded(store) == sorted([*NAMES[1:], "new"])


def test_a_deleted_file_comes_back_byte_for_byte(store: Store) -> None:
    embed(store)
    [file] = vector_files(store)
    content = file.read_bytes()
    file.unlink()
    embed(store)
    assert file.read_bytes() == content


@pytest.mark.parametrize("damage", [b"", b"cuevecs1", b"x" * 5000])
def test_a_damaged_file_is_told_and_made_anew(store: Store, damage: bytes) -> None:
    embed(store)
    [file] = vector_files(store)
    content = file.read_bytes()
    file.write_bytes(damage)
    seal_derived(store.memory_dir)
    ran = embed(store)
    assert ran.code == 0
    assert "the file of the vectors is damaged" in ran.stderr
    assert file.read_bytes() == content


def test_an_endpoint_that_is_down_is_named_with_what_to_do(store: Store) -> None:
    configure(provider="ollama", url=f"http://127.0.0.1:{free_port()}")
    ran = embed(store)
    assert ran.code == 1
    assert ran.stderr.startswith("error: `http://127.0.0.1:")
    assert "cannot be reached" in ran.stderr
    assert "hint: " in ran.stderr
    assert vector_files(store) == []


@pytest.mark.parametrize("fault", ["500", "garbage", "half", "wrong_count", "nan", "several_lengths"])
def test_an_endpoint_that_fails_loses_nothing_of_what_is_there(store: Store, server: ModelServer, fault: str) -> None:
    for name in NAMES[20:]:
        path_in(store, name).rename(path_in(store, name).with_suffix(".aside"))
    embed(store)
    for name in NAMES[20:]:
        path_in(store, name).with_suffix(".aside").rename(path_in(store, name))
    server.fault = fault
    ran = embed(store)
    # A single text cannot show that an endpoint returns vectors of several lengths.
    assert ran.code == (0 if fault == "several_lengths" else 1), ran.stderr
    server.fault = ""
    embed(store)
    assert embedded(store) == NAMES


def test_a_text_that_the_model_refuses_does_not_keep_the_others_from_their_vectors(
    store: Store, server: ModelServer
) -> None:
    put(store, stored(NAMES[7], title="poison"))
    server.refused = "poison"
    ran = embed(store)
    assert ran.code == 1
    assert f"`.claude/memory/decisions/{NAMES[7]}.json` has no vector" in ran.stderr
    assert embedded(store) == [name for name in NAMES if name != NAMES[7]]


def test_a_kill_in_the_middle_keeps_what_was_done(store: Store, server: ModelServer) -> None:
    answered = 0

    def embed_slowly(text: str) -> list[float]:
        nonlocal answered
        answered += 1
        if answered > 20:
            server.wait(30)
        return [1.0] * DIMENSION

    server.embed = embed_slowly
    command = [sys.executable, "-m", "cuecard.cli", "embed"]
    root = Path(store.root)
    process = subprocess.Popen(command, cwd=root, env=environment(root.parent), stdout=subprocess.DEVNULL)
    ends = time.monotonic() + 30
    while not vector_files(store):
        assert time.monotonic() < ends
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = embedded(store)
    assert 0 < len(kept) < len(NAMES)
    server.embed = lambda text: [1.0] * DIMENSION
    asked_texts(server)
    assert embed(store, "--json").document["embedded"] == len(NAMES) - len(kept)
    assert embedded(store) == NAMES


def test_two_at_once_lose_nothing(store: Store) -> None:
    root = Path(store.root)
    command = [sys.executable, "-m", "cuecard.cli", "embed"]
    processes = [subprocess.Popen(command, cwd=root, env=environment(root.parent)) for _ in range(3)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    assert embedded(store) == NAMES


def test_a_terminal_shows_how_far_it_is(store: Store) -> None:
    root = Path(store.root)
    ran = run_on_terminal(root.parent, root, "embed")
    assert ran.code == 0
    assert "40/40" in ran.stdout
    assert "40 of 40 memories have a vector" in ran.stdout


@pytest.mark.parametrize("members", [{}, {"provider": "static"}])
def test_the_built_in_table_has_nothing_to_embed(store: Store, members: dict[str, str]) -> None:
    configure(**members)
    ran = embed(store)
    assert (ran.code, ran.stdout) == (0, "")
    assert "note: the embedder is the built-in table" in ran.stderr
    assert embed(store, "--json").document["embedder"] == "static"


def test_malformed_settings_are_told(store: Store) -> None:
    configure(provider="torch")
    assert "`embedding.provider` must be one of" in embed(store).stderr


def test_what_went_where_is_counted(store: Store, server: ModelServer) -> None:
    embed(store)
    sent = run_in(store, "stats", "--json").document["sent"]
    assert [(one["what"], one["leaves"], one["requests"]) for one in sent] == [("embedding", False, 3)]
    assert sent[0]["bytes"] == sum(int(asked.headers["Content-Length"]) for asked in server.requests)


# A memory that is written


def test_a_memory_that_is_written_gets_its_vector_at_once(store: Store, server: ModelServer) -> None:
    # The memory is not similar to another memory, so the command does not ask about relations.
    content = {"status": "accepted", "context": "slow pages", "decision": "warm the cache", "rationale": ["speed"]}
    ran = run_in(store, "add", send=draft("A memory of its own", content=content))
    assert (ran.code, ran.stderr) == (0, "")
    assert embedded(store) == ["a-memory-of-its-own"]
    assert len(asked_texts(server)) == 1
    update = {"tags": ["index", "other"]}
    assert run_in(store, "update", "a-memory-of-its-own", send=update).code == 0
    assert "other" in asked_texts(server)[0]
    run_in(store, "retire", "a-memory-of-its-own")
    run_in(store, "restore", "a-memory-of-its-own")
    # The text of the memory already has a vector, so it is not sent again.
    assert asked_texts(server) == []
    document = embed(store, "--json").document
    assert (document["memories"], document["embedded"]) == (41, 40)


@pytest.mark.parametrize("fault", ["500", "garbage", "half", "hang_up"])
def test_a_write_is_done_whatever_the_endpoint_does(store: Store, server: ModelServer, fault: str) -> None:
    server.fault = fault
    ran = run_in(store, "add", send=draft("A memory of its own"))
    assert ran.code == 0
    assert path_in(store, "a-memory-of-its-own").exists()
    assert "the memory has no vector yet" in ran.stderr
    assert "`cuecard embed` makes it" in ran.stderr
    server.fault = ""
    embed(store)
    assert "a-memory-of-its-own" in embedded(store)


def test_an_endpoint_that_is_down_is_told_once_and_not_asked_at_every_write(store: Store, server: ModelServer) -> None:
    server.fault = "500"
    # The URL is different, because an endpoint that has failed is not asked again in this process.
    configure(provider="ollama", url=f"{server.url}/")
    first, second = (store.add(draft(f"Memory number {word}")) for word in ("one", "two"))
    assert ["has no vector yet" in warning for warning in first.warnings] == [True]
    assert second.warnings == []
    assert len(server.requests) == 1
    assert REST_SECONDS > 0


def test_a_write_sends_nothing_where_the_settings_ask_for_nothing(store: Store, server: ModelServer) -> None:
    configure()
    store.add(draft("A memory of its own"))
    assert server.requests == []
    assert vector_files(store) == []


# The doctor


def finding(store: Store) -> dict[str, object]:
    findings = run_in(store, "doctor", "--json").document["findings"]
    found: list[dict[str, object]] = [one for one in findings if one["name"] == "embedding"]
    [one] = found
    return one


def test_the_doctor_says_how_many_have_no_vector_and_asks_nobody(store: Store, server: ModelServer) -> None:
    assert finding(store)["words"] == "40 of 40 memories have no vector of `ollama/all-minilm`"
    assert server.requests == []
    embed(store)
    path_in(store, NAMES[0]).unlink()
    put(store, stored("new"))
    found = finding(store)
    assert (found["verdict"], found["words"]) == ("warn", "1 of 40 memories have no vector of `ollama/all-minilm`")
    assert "`cuecard embed`" in str(found["hint"])
    embed(store)
    found = finding(store)
    assert (found["verdict"], found["words"]) == ("ok", "each memory has a vector of `ollama/all-minilm`, 40 in all")


def test_the_doctor_names_vectors_that_nobody_uses(store: Store, server: ModelServer) -> None:
    embed(store)
    [file] = vector_files(store)
    configure(provider="ollama", url=server.url, model="another")
    embed(store)
    assert finding(store)["details"] == [f"{file.name} belongs to another embedder, and may be deleted"]


def test_the_doctor_says_that_the_model_is_not_there(store: Store, model_folder: Path) -> None:
    configure(provider="minilm", path=str(model_folder / "none"))
    found = finding(store)
    assert found["verdict"] == "warn"
    assert "the built-in table is used instead of the embedder" in str(found["words"])
    assert "model.onnx" in str(found["hint"])
