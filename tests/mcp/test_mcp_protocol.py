"""The MCP server's protocol, in its old and new versions, with real processes."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_process import environment
from cuecard.files.lock import locked
from mcp_process import COMMAND, MODERN_META, Client, run_lines
from records import draft

HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSION = "io.modelcontextprotocol/protocolVersion"
MIB = 1 << 20


@pytest.fixture(params=["2025-11-25", ""], ids=["handshake", "modern"])
def client(request: pytest.FixtureRequest, tmp_path: Path, project: Path) -> Iterator[Client]:
    """A client for each of the two kinds of protocol: with and without a handshake."""
    with Client(tmp_path, project, version=request.param) as made:
        yield made


@pytest.fixture
def old_client(tmp_path: Path, project: Path) -> Iterator[Client]:
    with Client(tmp_path, project, version="2025-11-25") as made:
        yield made


# Eras


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_handshake_agrees_on_what_the_client_asks_for(tmp_path: Path, project: Path, version: str) -> None:
    with Client(tmp_path, project, version=version) as client:
        assert client.opening["protocolVersion"] == version
        assert set(client.opening["capabilities"]) == {"tools", "resources", "prompts"}
        assert client.opening["serverInfo"]["name"] == "cuecard"
        assert "memory_search" in client.opening["instructions"].splitlines()[0]
        assert len(client.opening["instructions"]) < 2000
        assert client.ask("ping") == {}
        assert "resultType" not in client.ask("tools/list")


@pytest.mark.parametrize("version", ["2026-07-28", "2030-01-01", "1.0", ""])
def test_a_handshake_for_another_revision_is_offered_the_newest_that_has_one(
    tmp_path: Path, project: Path, version: str
) -> None:
    opening = {"protocolVersion": version, "capabilities": {}}
    [answer] = run_lines(
        tmp_path,
        project,
        [json.dumps({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": opening}).encode()],
    )
    assert answer["id"] == "a"
    assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_the_newest_revision_needs_no_handshake(tmp_path: Path, project: Path) -> None:
    with Client(tmp_path, project) as client:
        found = client.ask("server/discover")
        assert found["supportedVersions"] == ["2026-07-28"]
        assert found["resultType"] == "complete"
        assert found["ttlMs"] > 0
        assert found["cacheScope"] == "public"
        assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "cuecard"
        assert found["instructions"]
        called = client.ask("tools/call", name="memory_search", arguments={"query": "hook"})
        assert called["resultType"] == "complete"
        assert "ttlMs" not in called
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
            listed = client.ask(method)
            assert isinstance(listed["ttlMs"], int)
            assert listed["cacheScope"] in ("public", "private")
        for method in ("initialize", "ping"):
            assert client.refusal(method)["code"] == -32601


def test_another_revision_is_refused_with_those_that_there_are(tmp_path: Path, project: Path) -> None:
    with Client(tmp_path, project) as client:
        request = client.request("tools/list")
        request["params"] = {"_meta": {**MODERN_META, VERSION: "2031-01-01"}}
        error = client.exchange(request)["error"]
        assert error["code"] == -32022
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


@pytest.mark.parametrize("meta", [{}, {VERSION: 1}, {VERSION: "2026-07-28"}])
def test_a_request_for_itself_says_its_revision_and_what_the_client_can(
    old_client: Client, meta: dict[str, object]
) -> None:
    request = old_client.request("server/discover") | {"params": {"_meta": meta}}
    assert old_client.exchange(request)["error"]["code"] == -32602


def test_lists_are_the_same_each_time(client: Client) -> None:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        assert client.ask(method) == client.ask(method)
        assert client.refusal(method, cursor="nonsense")["code"] == -32602


# Messages


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":1' + b"0" * 5000 + b',"method":"ping"}', -32700, None),
        (b'"ping"', -32600, None),
        (b"1", -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b'{"id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":"x","method":3}', -32600, "x"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/eat"}', -32601, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_eat"}}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"no"}}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{}}', -32602, 7),
    ],
)
def test_what_is_no_request_is_told_so_and_the_server_goes_on(
    old_client: Client, line: bytes, code: int, id: object
) -> None:
    answer = old_client.exchange(line)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]
    assert answer["id"] == id
    assert old_client.ask("ping") == {}


def test_a_byte_order_mark_before_a_message_is_skipped(old_client: Client) -> None:
    mark = "\ufeff".encode()
    assert old_client.exchange(mark + b'{"jsonrpc":"2.0","id":7,"method":"ping"}')["result"] == {}


def test_what_wants_no_answer_gets_none(old_client: Client) -> None:
    for line in (
        b"",
        b"  \r",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/nobody/knows","params":{"a":1}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":[]}',
        b'{"method":"notifications/x"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}}',
    ):
        old_client.send(line)
    assert old_client.ask("ping") == {}


def test_a_message_over_four_mib_is_refused_and_the_next_one_answered(old_client: Client) -> None:
    for size in (4 * MIB + 1, 9 * MIB):
        assert old_client.exchange(b"x" * size)["error"]["code"] == -32600
    query = "x" * (4 * MIB - 1000)
    request = old_client.request("tools/call", name="memory_search", arguments={"query": query})
    assert old_client.exchange(request)["result"]["isError"] is True
    assert old_client.ask("ping") == {}


@pytest.mark.parametrize("version", ["2025-03-26", "2024-11-05"])
def test_the_revisions_that_have_batches_are_answered_in_one(tmp_path: Path, project: Path, version: str) -> None:
    with Client(tmp_path, project, version=version) as client:
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        batch = [client.request("ping"), note, client.request("no"), 5, client.request("initialize")]
        answers = client.exchange(batch)
        assert [answer.get("error", {}).get("code", 0) for answer in answers] == [0, -32601, -32600, -32600]
        client.send([note, note])
        assert client.ask("ping") == {}


def test_ids_come_back_as_they_were(old_client: Client) -> None:
    for id in (0, -5, 1.5, "", "a\u2028b", 2**70):
        assert old_client.exchange({"jsonrpc": "2.0", "id": id, "method": "ping"})["id"] == id


def test_what_is_cancelled_is_not_answered(tmp_path: Path, project: Path) -> None:
    with Client(tmp_path, project, version="2025-11-25") as client:
        with locked(str(project / ".claude" / "memory")):
            # The new memory is not similar to any memory in the project. Otherwise the server would ask about relations
            # at once.
            content = {"status": "accepted", "context": "none", "decision": "keep", "rationale": ["said"]}
            new = draft("Kept all the same", content=content)
            saving = client.request("tools/call", name="memory_save", arguments=new)
            searching = client.request("tools/call", name="memory_search", arguments={"query": "hook"})
            client.send(saving)
            # The server very likely handles this message now, and waits for the lock. It still reads the next messages.
            time.sleep(0.5)
            client.send(searching)
            for request in (saving, searching):
                client.notify("notifications/cancelled", requestId=request["id"], reason="changed my mind")
            time.sleep(0.5)
        assert client.ask("ping") == {}
        assert client.call("memory_search", query="hook")["hits"]


# Processes


def test_it_ends_with_its_input_even_in_the_middle_of_a_line(tmp_path: Path, project: Path) -> None:
    assert run_lines(tmp_path, project, []) == []
    [answer] = run_lines(tmp_path, project, [b'{"jsonrpc":"2.0","id":1,"method":"ping"}'])
    assert answer == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_all_that_was_asked_is_answered_before_it_ends(tmp_path: Path, project: Path) -> None:
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() for number in range(1000)]
    assert [answer["id"] for answer in run_lines(tmp_path, project, lines)] == list(range(1000))


def test_a_client_that_does_not_read_any_more_is_no_failure(tmp_path: Path, project: Path) -> None:
    process = subprocess.Popen(
        COMMAND,
        cwd=project,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()


def test_arguments_that_it_does_not_know_are_refused(tmp_path: Path, project: Path) -> None:
    for command in (COMMAND, (sys.executable, "-m", "cuecard.mcp")):
        ran = subprocess.run(
            [*command, "--port", "80"], cwd=project, env=environment(tmp_path), capture_output=True, check=False
        )
        assert ran.returncode == 2
        assert ran.stdout == b""
        assert b"--port" in ran.stderr or b"usage" in ran.stderr


def test_the_help_lists_it(tmp_path: Path, project: Path) -> None:
    for arguments, words in (["--help"], b"mcp"), (["mcp", "--help"], b"Serve the memories to an MCP client"):
        command = [sys.executable, "-m", "cuecard.cli", *arguments]
        ran = subprocess.run(command, cwd=project, env=environment(tmp_path), capture_output=True, check=True)
        assert words in ran.stdout


def test_reading_loads_nothing_that_only_writing_needs(tmp_path: Path, project: Path) -> None:
    def modules_of(*methods: tuple[str, dict[str, object]]) -> str:
        lines = [
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) for method, params in methods
        ]
        command = [sys.executable, "-X", "importtime", "-m", "cuecard.cli", "mcp"]
        ran = subprocess.run(
            command, cwd=project, env=environment(tmp_path), input="\n".join(lines).encode(), capture_output=True
        )
        assert ran.returncode == 0
        assert ran.stdout.count(b"\n") == len(methods)
        return ran.stderr.decode()

    opening: tuple[str, dict[str, object]] = ("initialize", {"protocolVersion": "2025-11-25"})

    def call(name: str, **arguments: object) -> tuple[str, dict[str, object]]:
        return "tools/call", {"name": name, "arguments": arguments}

    started = modules_of(opening)
    for name in ("pydantic", "rich", "filelock", "cuecard.retrieval.recall", "cuecard.store", "cuecard.mcp.tools"):
        assert name not in started
    read = modules_of(
        opening,
        ("tools/list", {}),
        ("resources/list", {}),
        ("resources/read", {"uri": "cuecard://memory/decision/twins"}),
        ("prompts/get", {"name": "recall", "arguments": {"prompt": "why is the hook native?"}}),
        call("memory_search", query="hook", status="all", detail="full"),
        call("memory_get", id="twins"),
        call("memory_status"),
    )
    for name in ("pydantic", "rich", "filelock"):
        assert name not in read
    assert "pydantic" in modules_of(opening, call("memory_retire", id="twins", reason="why not"))
