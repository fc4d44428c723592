"""Arguments in the types that clients really send: what has one meaning by the schema is taken, the rest is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuecard import Store
from cuecard.mcp.arguments import fit_arguments
from mcp_process import Client, NearClient
from records import draft, read, read_files

INTEGER = {"type": "integer"}
LIST = {"type": "array", "items": INTEGER}
OBJECT = {"type": "object", "properties": {"n": INTEGER, "flag": {"type": "boolean"}}, "required": ["flag"]}


@pytest.fixture
def client(project: Path) -> Iterator[Client]:
    with NearClient(project, version="2025-11-25") as made:
        yield made


@pytest.mark.parametrize(
    ("value", "schema", "wanted"),
    [
        ("5", INTEGER, 5),
        (" 5 ", INTEGER, 5),
        (5.0, INTEGER, 5),
        ("5.0", INTEGER, 5),
        ("0.5", {"type": "number"}, 0.5),
        ("true", {"type": "boolean"}, True),
        ('["1", 2.0]', LIST, [1, 2]),
        ('{"n": "7", "flag": "false"}', OBJECT, {"n": 7, "flag": False}),
        ({"n": None, "flag": True}, OBJECT, {"flag": True}),
        ("[1]", {"$ref": "#/$defs/L", "$defs": {"L": LIST}}, [1]),
        ("[1]", {"anyOf": [LIST, {"type": "null"}]}, [1]),
    ],
)
def test_a_value_with_one_meaning_takes_the_wanted_type(value: object, schema: object, wanted: object) -> None:
    assert repr(fit_arguments(value, schema)) == repr(wanted)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("5 hits", INTEGER),
        ("five", INTEGER),
        ("", INTEGER),
        ("true", INTEGER),
        (True, INTEGER),
        (5.5, INTEGER),
        ("1", {"type": "boolean"}),
        (1, {"type": "boolean"}),
        ("True", {"type": "boolean"}),
        ("lint, style", LIST),
        ('"lint"', LIST),
        ('{"n": 1}', LIST),
        ("NaN and more", {"type": "number"}),
        ("[" * 5000, LIST),
        ("\ud800", LIST),
        (5, {"type": "string"}),
        ("[1]", {"type": "string"}),
        ({"flag": None}, OBJECT),
        ({"other": None, "flag": True}, OBJECT),
    ],
)
def test_anything_else_stays_as_it_is(value: object, schema: object) -> None:
    assert repr(fit_arguments(value, schema)) == repr(value)


@pytest.mark.parametrize(
    ("line", "is_list"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":""}}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":null}', True),
        (
            '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"remember","arguments":{"what":null}}}',
            True,
        ),
        ('{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"recall","arguments":{"prompt":5}}}', False),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":""}', False),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":" "}}', False),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":0}}', False),
    ],
)
def test_empty_cursors_and_missing_parameters_count_as_absent(client: Client, line: str, *, is_list: bool) -> None:
    answer = client.exchange(line.encode())
    assert ("result" in answer) is is_list
    assert is_list or answer["error"]["code"] == -32602


@pytest.mark.parametrize("limit", [pytest.param("2", id="text"), pytest.param(2.0, id="float")])
def test_a_limit_may_be_text_or_a_whole_float(client: Client, limit: object) -> None:
    assert len(client.call("memory_search", query="hook", limit=limit)["hits"]) == len(
        client.call("memory_search", query="hook", limit=2)["hits"]
    )


def test_a_filter_may_be_json_text_or_null(client: Client) -> None:
    all_hits = client.call("memory_search", query="hook")
    assert client.call("memory_search", query="hook", categories=None, tags=None, detail=None) == all_hits
    some = client.call("memory_search", query="hook", categories='["decision"]')
    assert some == client.call("memory_search", query="hook", categories=["decision"])


def test_a_memory_may_come_as_json_texts(client: Client, project: Path) -> None:
    wanted = draft("Lint with zzz", "preference")
    given = {
        **wanted,
        "tags": json.dumps(["lint"]),
        "content": json.dumps({**wanted["content"], "examples": json.dumps({"prefer": '["zzz"]', "avoid": None})}),
        "confidence": "0.5",
        "related_files": None,
        "cuecard": json.dumps({"questions": json.dumps(["Which linter do we run?"]), "gist": None}),
    }
    written = client.call("memory_save", **given)
    record = read(Store(project), written["id"], "preference")
    assert record["tags"] == ["lint"]
    assert record["confidence"] == 0.5
    assert record["content"] == {**wanted["content"], "examples": {"prefer": ["zzz"]}}
    assert record["cuecard"] == {"origin": "agent", "questions": ["Which linter do we run?"]}


def test_a_patch_may_be_json_text_and_its_null_still_removes(client: Client, project: Path) -> None:
    client.call("memory_update", id="twins", patch={"cuecard": {"gist": "Two of them."}})
    client.call("memory_update", id="twins", patch=json.dumps({"cuecard": {"gist": None}}))
    assert "gist" not in client.call("memory_get", id="twins")["record"].get("cuecard", {})


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("memory_search", {"query": None}, "`query` should be a text and is null"),
        ("memory_search", {"query": "x", "limit": "many"}, "`limit` should be a whole number"),
        ("memory_search", {"query": "x", "limit": 2.5}, "`limit` should be a whole number"),
        ("memory_search", {"query": "x", "categories": "decision"}, "`categories` should be a list"),
        ("memory_save", draft(tags="lint"), "`tags` should be a list"),
        ("memory_save", draft(content="Use zzz"), "`content` should be an object"),
        ("memory_save", draft(content="[]"), "`content` should be an object"),
    ],
)
def test_what_has_no_single_meaning_is_refused(
    client: Client, project: Path, tool: str, arguments: dict[str, Any], said: str
) -> None:
    before = read_files(Store(project))
    assert said in client.fault(tool, **arguments)
    assert read_files(Store(project)) == before
