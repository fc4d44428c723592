"""cuecard announces data that leaves the machine, counts it afterwards, and never shows keys."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from command_process import run
from cuecard._pure.prompt.event import Event, append
from cuecard.files.environment import Environment
from cuecard.models.endpoints.allowed_hosts import allow
from cuecard.models.endpoints.sent import Ledger, ledger
from cuecard.models.sent_log import log_sent
from cuecard.observe.doctor.examine import examine
from cuecard.retrieval.recall import open_recall
from cuecard.store.log.events import read_events
from hook_process import Hook
from model_server import ModelServer
from scratch_home import kept_of, write_user_settings

KEY = "sk-very-secret-0123456789"
PROMPT = "why is the hook a native executable and no python script?"
JUDGE: dict[str, object] = {"retrieval": {"judge": {"enabled": True}}}

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TEST_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    ledger.take()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def configure(config: Mapping[str, object]) -> None:
    """Write the user's configuration."""
    write_user_settings(config)


def endpoints(project: Path) -> list[Any]:
    return [finding for finding in examine(project) if finding.name.endswith(("endpoint", "endpoints"))]


# Before data is sent


def test_with_default_settings_the_doctor_says_that_nothing_leaves(project: Path) -> None:
    (finding,) = endpoints(project)
    assert (finding.verdict, finding.words) == ("ok", "the settings name none: nothing leaves this machine")


def test_the_doctor_names_every_endpoint_and_what_it_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    settings = JUDGE | {"embedding": {"provider": "ollama"}}
    (project / ".claude/memory/memory-config.json").write_text(json.dumps(settings))
    named = (("http://localhost:11434", "embedding"), ("https://api.anthropic.com", "judge"))
    for finding, (place, purpose) in zip(endpoints(project), named, strict=True):
        assert finding.verdict == "warn"
        assert f"`{place}` is not among the places that you allow for the purpose `{purpose}`" in finding.words
        assert f"cuecard allow {place} --for {purpose}" in finding.hint
    monkeypatch.setenv("CUECARD_ALLOW_HOSTS", "api.anthropic.com,localhost:11434")
    embedding, judge = endpoints(project)
    assert embedding.facts["host"] == "http://localhost:11434"
    assert embedding.facts["leaves"] is False
    assert "stays on this machine" in embedding.words
    assert (judge.verdict, judge.facts["host"], judge.facts["leaves"]) == ("ok", "https://api.anthropic.com", True)
    assert "at https://api.anthropic.com: what is sent leaves this machine" in judge.words
    assert (
        "sent: the first 500 characters of each prompt with candidates, and up to 5 prompts before it" in judge.details
    )
    assert "sent: category, title, tags and gist of at most 15 memories" in judge.details
    assert "key: `ANTHROPIC_API_KEY` is set" in judge.details
    assert KEY not in json.dumps([embedding.as_dict(), judge.as_dict()])


@pytest.mark.parametrize(("variable", "value"), [("CUECARD_STRATEGY", "bm25"), ("CUECARD_OUTPUT", "classic")])
def test_the_doctor_says_that_a_judge_is_never_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    configure(JUDGE | {"embedding": {"provider": "ollama", "timeout_ms": 4001}})
    monkeypatch.setenv(variable, value)
    embedding, judge = endpoints(project)
    assert (judge.verdict, judge.facts) == ("warn", {"what": "judge", "is_asked": False})
    assert judge.words.startswith("the judge is switched on and never asked: the ")
    assert [told for told in embedding.details if "prompt" in told] == []
    assert {finding.name for finding in examine(project)}.isdisjoint({"endpoint time", "hand-over"})
    configure(JUDGE)
    assert [finding.verdict for finding in endpoints(project)] == ["warn", "ok"]


@pytest.mark.parametrize(
    ("judge_ms", "embedding_ms", "is_warned"),
    [(3000, 150, False), (4000, 0, False), (4001, 0, True), (3900, 101, True)],
)
def test_the_doctor_warns_where_hosts_wait_for_less_long_than_the_settings(
    project: Path, judge_ms: int, embedding_ms: int, is_warned: bool
) -> None:
    embedding: dict[str, object] = {}
    if embedding_ms:
        embedding["embedding"] = {"provider": "ollama", "timeout_ms": embedding_ms}
    configure({"retrieval": {"judge": {"enabled": True, "timeout_ms": judge_ms}}} | embedding)
    warned = [finding for finding in examine(project) if finding.name == "endpoint time"]
    assert [finding.verdict for finding in warned] == (["warn"] if is_warned else [])


@pytest.mark.skipif(sys.platform == "win32", reason="the file has no extension of a program")
def test_the_doctor_says_whether_the_executable_finds_a_python(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delegation() -> list[tuple[str, object]]:
        return [(one.verdict, one.facts["python"]) for one in examine(project) if one.name == "hand-over"]

    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "cuecard-hook"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert delegation() == [], "nobody is asked"
    configure(JUDGE)
    assert delegation() == [("warn", None)]
    (folder / "python3").write_text("")
    assert delegation() == [("ok", str(folder / "python3"))]
    program.write_bytes(b"#!/usr/bin/python3\n")
    assert delegation() == []
    program.unlink()
    assert delegation() == []


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (JUDGE, "`ANTHROPIC_API_KEY` is not set"),
        ({"embedding": {"provider": "openai"}}, "`OPENAI_API_KEY` is not set"),
        ({"embedding": {"provider": "openai", "url": "https://models.example/v1"}}, "`OPENAI_API_KEY` is not set"),
    ],
)
def test_the_doctor_warns_where_a_key_is_missing(project: Path, config: dict[str, object], words: str) -> None:
    configure(config)
    (finding,) = endpoints(project)
    assert finding.verdict == "warn"
    assert words in finding.words
    assert finding.facts["leaves"] is True


def test_the_doctor_says_that_a_key_is_for_another_host(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    configure({"retrieval": {"judge": {"enabled": True, "url": "https://evil.example"}}})
    (finding,) = endpoints(project)
    assert "evil.example" in finding.words
    assert "is sent only to api.anthropic.com" in finding.words
    assert KEY not in json.dumps(finding.as_dict())


def test_a_minilm_folder_is_no_endpoint(project: Path, tmp_path: Path) -> None:
    configure({"embedding": {"provider": "minilm", "path": str(tmp_path)}})
    (finding,) = endpoints(project)
    assert "nothing leaves this machine" in finding.words


def test_the_doctor_asks_nobody(project: Path, server: ModelServer) -> None:
    judge = {"enabled": True, "url": server.url}
    configure({"retrieval": {"judge": judge}, "embedding": {"provider": "ollama", "url": server.url}})
    assert len(endpoints(project)) == 2
    assert server.requests == []


def test_the_command_prints_it(project: Path, tmp_path: Path) -> None:
    configure(JUDGE)
    ran = run(tmp_path, project, "doctor", ANTHROPIC_API_KEY=KEY)
    assert "api.anthropic.com" in ran.stdout
    assert "leaves this machine" in ran.stdout
    assert KEY not in ran.stdout + ran.stderr


@pytest.mark.parametrize("where", ["http://127.0.0.1:{port}", "http://localhost:{port}"])
def test_a_repository_that_names_an_endpoint_on_this_machine_is_told_nothing(
    project: Path, server: ModelServer, hook: Hook, where: str
) -> None:
    url = where.format(port=server.url.rpartition(":")[2])
    judge = {"enabled": True, "provider": "openai", "url": url, "api_key_env": "TEST_API_KEY", "timeout_ms": 10_000}
    embedding = {"provider": "openai", "url": url, "api_key_env": "TEST_API_KEY", "timeout_ms": 10_000}
    settings = {"retrieval": {"judge": judge}, "embedding": embedding}
    (project / ".claude/memory/memory-config.json").write_text(json.dumps(settings))
    payload = json.dumps({"prompt": PROMPT, "cwd": str(project)}).encode()
    ran = hook.run("prompt", stdin=payload, cwd=project, TEST_API_KEY=KEY)
    assert b"native executable" in ran.stdout
    assert ran.log[1:] == ["the settings name an endpoint that you have not allowed; `cuecard doctor` says which"]
    assert server.requests == []
    # When the user allows the host, the prompt is sent to it, but still without a key.
    hook.run("prompt", stdin=payload, cwd=project, TEST_API_KEY=KEY, CUECARD_ALLOW_HOSTS=url)
    assert KEY not in json.dumps([asked.headers for asked in server.requests])


def settings_at(url: str) -> str:
    """The settings of a repository that wants a server of the user to do something else."""
    judge = {"enabled": True, "provider": "ollama", "model": "evil.example/trojan:latest", "timeout_ms": 700}
    embedding = {"provider": "ollama", "model": "evil.example/trojan:latest"}
    judge["url"], embedding["url"] = f"{url}/admin/delete-all?x=", f"{url}/api/pull?"
    return json.dumps({"retrieval": {"judge": judge}, "embedding": embedding})


def send_everything(tmp_path: Path, project: Path) -> None:
    """Run everything that asks an endpoint: embedding all memories, a prompt, and questions by a model."""
    run(tmp_path, project, "embed")
    run(tmp_path, project, "recall", PROMPT)
    run(tmp_path, project, "enrich", "--model")


@pytest.fixture
def consents(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CUECARD_ALLOW_HOSTS", raising=False)


@pytest.mark.usefixtures("consents")
def test_a_repository_chooses_neither_path_nor_model_at_a_place_that_the_user_allows(
    project: Path, tmp_path: Path, server: ModelServer
) -> None:
    (project / ".claude/memory/memory-config.json").write_text(settings_at(server.url))
    assert allow(server.url)
    send_everything(tmp_path, project)
    asked = {(request.path, request.body["model"]) for request in server.requests}
    assert asked == {("/api/embed", "all-minilm"), ("/api/chat", "llama3.2")}


@pytest.mark.usefixtures("consents")
def test_a_consent_names_the_model_that_is_asked(project: Path, tmp_path: Path, server: ModelServer) -> None:
    (project / ".claude/memory/memory-config.json").write_text(settings_at(server.url))
    assert allow(server.url, ["embedding"], "nomic-embed-text")
    send_everything(tmp_path, project)
    asked = {(request.path, request.body["model"]) for request in server.requests}
    assert asked == {("/api/embed", "nomic-embed-text")}, "there is no consent for the judge"


@pytest.mark.usefixtures("consents")
@pytest.mark.parametrize("scheme", ["https", "http"])
def test_a_consent_for_https_is_none_for_http(project: Path, tmp_path: Path, server: ModelServer, scheme: str) -> None:
    (project / ".claude/memory/memory-config.json").write_text(settings_at(server.url))
    assert allow(server.url.replace("http", scheme))
    send_everything(tmp_path, project)
    assert bool(server.requests) == (scheme == "http")


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_what_the_own_embedder_asks_is_not_open_to_the_judge_of_a_repository(
    project: Path, tmp_path: Path, server: ModelServer, hook: Hook, provider: str
) -> None:
    configure({"embedding": {"provider": "ollama", "url": server.url, "timeout_ms": 10_000}})
    judge = {"enabled": True, "provider": provider, "url": f"{server.url}/steal", "timeout_ms": 700}
    (project / ".claude/memory/memory-config.json").write_text(json.dumps({"retrieval": {"judge": judge}}))
    payload = json.dumps({"prompt": PROMPT, "cwd": str(project)}).encode()
    assert b"native executable" in hook.run("prompt", stdin=payload, cwd=project).stdout
    send_everything(tmp_path, project)
    assert {request.path for request in server.requests} == {"/api/embed"}


@pytest.mark.usefixtures("consents")
def test_the_doctor_lists_consents_of_an_earlier_version(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "config" / "cuecard" / "allowed-hosts"
    file.parent.mkdir(parents=True)
    file.write_text("localhost:11434\nhttps://a.example judge\n10.0.0.5:11434\n")
    (found,) = [finding for finding in examine(project) if finding.name == "old consents"]
    assert found.details == ["http://localhost:11434", "https://10.0.0.5:11434"]
    file.write_text("https://a.example judge\n")
    assert [finding for finding in examine(project) if finding.name == "old consents"] == []


# After data was sent


def test_the_ledger_adds_up_and_is_emptied_by_taking() -> None:
    counted = Ledger()
    for what, host, size in (("judge", "b", 5), ("embedding", "b", 7), ("judge", "a", 1), ("judge", "b", 6)):
        counted.add(what, host, size)
    assert counted.take() == [("embedding", "b", 1, 7), ("judge", "a", 1, 1), ("judge", "b", 2, 11)]
    assert counted.take() == []


def test_what_the_library_sends_is_logged_once(project: Path, server: ModelServer) -> None:
    configure({"retrieval": {"judge": {"enabled": True, "url": server.url}}})
    memory_dir = str(project / ".claude/memory")
    open_recall(project).recall(PROMPT)
    log_sent(memory_dir)
    (event,) = read_events(memory_dir).events
    assert (event.kind, event.host, event.is_decision) == ("sent", "cuecard", False)
    (sent,) = event.sent
    assert (sent.what, sent.host, sent.requests) == ("judge", server.url, 1)
    assert sent.bytes == len(json.dumps(server.bodies[0]))


@pytest.mark.parametrize("off", ["settings", "environment"])
def test_a_log_that_is_off_stays_off(
    project: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, off: str
) -> None:
    log: dict[str, object] = {"log": {"events": False}} if off == "settings" else {}
    if off == "environment":
        monkeypatch.setenv("CUECARD_LOG", "off")
    configure({"retrieval": {"judge": {"enabled": True, "url": server.url}}} | log)
    open_recall(project).recall(PROMPT)
    assert len(server.requests) == 1
    assert not (kept_of(project / ".claude/memory") / "log/events.jsonl").exists()


def sent_event(*sent: tuple[str, str, int, int], kind: str = "prompt") -> Event:
    event = Event(kind, "claude-code")
    event.sent = list(sent)
    return event


def test_stats_add_up_what_was_sent_and_say_what_left(project: Path, tmp_path: Path) -> None:
    memory_dir = str(project / ".claude/memory")
    away, near = ("judge", "api.anthropic.com", 2, 300), ("embedding", "localhost:11434", 1, 50)
    for event in (sent_event(near, away), sent_event(away), sent_event(("embedding", "x.example", 1, 1), kind="sent")):
        append(Environment(), memory_dir, event)
    found = run(tmp_path, project, "stats", "--json").document
    assert found["sent"] == [
        {"what": "embedding", "host": "x.example", "leaves": True, "requests": 1, "bytes": 1},
        {"what": "judge", "host": "api.anthropic.com", "leaves": True, "requests": 4, "bytes": 600},
        {"what": "embedding", "host": "localhost:11434", "leaves": False, "requests": 1, "bytes": 50},
    ]
    # An event that only counts sent data is neither a prompt nor a tool event.
    assert (found["prompts"], found["needs"]) == (2, 0)
    assert found["hosts"] == {"claude-code": 2}
    printed = run(tmp_path, project, "stats", "--details").stdout
    assert "sent to api.anthropic.com (judge): 4 requests, 600 bytes, left this machine" in printed
    assert "sent to localhost:11434 (embedding): 1 request, 50 bytes, stayed on this machine" in printed


def test_the_log_lists_what_was_sent_besides_and_why_asks_about_decisions(project: Path, tmp_path: Path) -> None:
    memory_dir = str(project / ".claude/memory")
    only_sent = sent_event(("embedding", "x.example", 3, 4000), kind="sent")
    append(Environment(), memory_dir, only_sent)
    why = run(tmp_path, project, "why", "native-hook")
    assert why.code == 2
    assert "no event is logged yet" in why.stderr
    append(Environment(), memory_dir, sent_event())
    append(Environment(), memory_dir, only_sent)
    log = run(tmp_path, project, "log").stdout
    assert log.count("embedding: 3 requests, 4,000 bytes to x.example, which left this machine") == 2
    for option in ("--silent", "--shown"):
        assert "x.example" not in run(tmp_path, project, "log", option).stdout
    assert run(tmp_path, project, "why", "native-hook").code == 0
    assert run(tmp_path, project, "replay", "--json").document["prompts"] == 1
    named = run(tmp_path, project, "log", "--json").document["events"][0]
    shown = run(tmp_path, project, "log", "--event", named["id"])
    assert "sent      embedding: 3 requests" in shown.stdout


@pytest.mark.parametrize(
    "extra",
    [
        '"judge":{"outcome":"maybe","kept":1,"of":2,"micros":3}',
        '"judge":{"outcome":"kept","kept":-1,"of":2,"micros":3}',
        '"judge":{"outcome":"kept","kept":1,"of":2}',
        '"judge":3',
        '"sent":3',
        '"sent":[3]',
        '"sent":[{"what":"judge","host":"a","requests":"1","bytes":1}]',
    ],
)
def test_a_line_with_a_damaged_addition_is_counted_as_damaged(project: Path, extra: str) -> None:
    memory_dir = project / ".claude/memory"
    append(Environment(), str(memory_dir), Event("prompt", "claude-code"))
    log = kept_of(memory_dir) / "log/events.jsonl"
    log.write_text(log.read_text().replace("}}\n", "}," + extra + "}\n"))
    assert log.read_text().endswith(extra + "}\n")
    read = read_events(str(memory_dir))
    assert (read.events, read.damaged) == ([], 1)
