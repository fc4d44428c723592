"""The MCP server's tools, resources and prompts, its root folders, and several servers at the same time."""

import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from checkouts import remember
from cuecard import Store
from cuecard.mcp.advice import PEOPLE, without_shell
from cuecard.mcp.tool_schemas import CONTENT_FIELDS
from cuecard.store.records.record import MODELS
from mcp_process import Client, NearClient
from records import assert_index_is_a_rebuild, draft, make_store, put, read, read_files, stored
from scratch_home import kept_of

TOOLS = [
    *("memory_search", "memory_get", "memory_save", "memory_draft", "memory_update", "memory_retire", "memory_status")
]
SECRET = "ghp_" + "a1B2c3D4e5" * 4
SOURCE = {"kind": "adr", "path": "docs/0007-redis.md", "heading": "", "digest": "0"}
DRAFT = {name: draft("Drafted from a document")[name] for name in ("category", "title", "tags", "content")}
# Invisible characters: a zero-width space, a text direction override, a tag character, and a bell.
HIDDEN = "\u200b\u202e\U000e0041\x07"


@pytest.fixture(params=["2025-06-18", ""], ids=["handshake", "modern"])
def client(
    request: pytest.FixtureRequest, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Client]:
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path))
    with NearClient(version=request.param) as made:
        yield made


# The list


def test_seven_tools_of_one_noun_say_what_they_do(client: Client) -> None:
    tools = client.ask("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == TOOLS
    for tool in tools:
        assert len(tool["description"]) < 2000
        assert tool["annotations"]["openWorldHint"] is False
        assert tool["annotations"]["readOnlyHint"] is (tool["name"] in TOOLS[:2] + TOOLS[6:])
        assert tool["annotations"]["destructiveHint"] is (tool["name"] in ("memory_update", "memory_retire"))
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False


def test_the_contents_are_described_as_the_models_have_them() -> None:
    parts = dict(part.split(": ", 1) for part in CONTENT_FIELDS.split(". ")[1:] if ": " in part)
    # The first sentence is an explanation; each other sentence is about one category.
    assert set(parts) == set(MODELS)
    for category, model in MODELS.items():
        content = model.model_fields["content"].annotation
        assert content
        for name, field in content.model_fields.items():
            described = next(part for part in parts[category].split(", ") if part.split(" ")[0].strip("[]?.") == name)
            assert field.is_required() is ("?" not in described.split("{")[0].split("}")[0]), (category, name)


def test_every_result_is_as_its_schema_says(client: Client) -> None:
    schemas = {tool["name"]: tool["outputSchema"] for tool in client.ask("tools/list")["tools"]}
    calls: list[tuple[str, dict[str, object]]] = [
        ("memory_search", {"query": "hook"}),
        ("memory_search", {"query": "hook", "status": "all", "detail": "full", "limit": 3}),
        ("memory_search", {"query": "zzzz", "tags": ["no such tag"]}),
        ("memory_get", {"id": "twins"}),
        ("memory_save", draft("Two things", cuecard={"supersedes": ["twins"]})),
        ("memory_save", draft(f"A secret {SECRET}")),
        ("memory_draft", {"source": SOURCE, "drafts": [DRAFT, {**DRAFT, "content": {}}]}),
        ("memory_update", {"id": "two-things", "patch": {"title": "Something else entirely now"}, "summary": "grown"}),
        ("memory_retire", {"id": "plain-words", "reason": "nobody cares"}),
        ("memory_status", {}),
    ]
    for name, arguments in calls:
        Draft202012Validator(schemas[name]).validate(client.call(name, **arguments))


# Reading


def test_a_search_gives_short_hits_best_first(client: Client) -> None:
    [hit, *others] = client.call("memory_search", query="why is the hook a native executable?")["hits"]
    assert (hit["id"], hit["category"], hit["date"]) == ("native-hook", "decision", "2020-01-01")
    assert hit["title"] == "The hook is a native executable, no Python script"
    assert 0.5 < hit["probability"] <= 1
    assert "text" not in hit
    assert all(hit["score"] >= other["score"] for other in others)


def test_a_search_is_narrowed_by_limit_category_tag_and_status(client: Client) -> None:
    def ids(**narrowed: object) -> list[str]:
        return [hit["id"] for hit in client.call("memory_search", query="hook", **narrowed)["hits"]]

    assert len(ids(limit=1)) == 1
    assert ids(limit=2)[:1] == ids(limit=1)
    assert ids(categories=["constraint"]) == ["no-network"]
    assert set(ids(categories=["constraint", "decision"])) >= {"no-network", "native-hook"}
    assert ids(tags=["hook", "rust"]) == ["native-hook"]
    assert ids(status="retired") == ["old-hook"]
    assert "old-hook" not in ids()
    assert "old-hook" in ids(status="all")
    [retired] = client.call("memory_search", query="hook", status="retired")["hits"]
    assert retired["status"] == "retired"


def test_in_detail_the_hits_have_their_texts(client: Client) -> None:
    [hit] = client.call("memory_search", query="network", detail="full", limit=1)["hits"]
    assert "rule: a rule" in hit["text"]


def test_what_finds_nothing_says_what_else_to_try(client: Client) -> None:
    found = client.call("memory_search", query="hook", tags=["no such tag"])
    assert found["hits"] == []
    assert "other words" in found["note"]


def test_texts_beyond_the_budget_are_left_out(tmp_path: Path, client: Client) -> None:
    store = Store(tmp_path / "project")
    for number in range(8):
        content = {**draft()["content"], "context": "frobnicate the widget. " * 300}
        store.add(draft(f"Frobnicate the widget {number}", content=content))
    found = client.call("memory_search", query="frobnicate the widget", detail="full")
    texts = [hit for hit in found["hits"] if "text" in hit]
    assert 0 < len(texts) < len(found["hits"])
    assert sum(len(hit["text"]) for hit in texts) <= 30_000
    assert "memory_get" in found["note"]


def test_a_search_sees_what_was_written_a_moment_ago(tmp_path: Path, client: Client) -> None:
    assert "brand-new-zebra" not in [hit["id"] for hit in client.call("memory_search", query="zebra")["hits"]]
    Store(tmp_path / "project").add(draft("Brand new zebra"))
    assert client.call("memory_search", query="zebra")["hits"][0]["id"] == "brand-new-zebra"


@pytest.mark.parametrize(
    "name", ["twins", "decision/twins", "decisions/twins.json", ".claude/memory/decisions/twins.json", "Twins"]
)
def test_a_memory_is_read_whole_by_any_of_its_names(client: Client, project: Path, name: str) -> None:
    found = client.call("memory_get", id=name)
    data = (project / ".claude/memory/decisions/twins.json").read_bytes()
    assert found["record"] == json.loads(data)
    assert found["hash"] == hashlib.sha256(data).hexdigest()
    assert (found["id"], found["category"], found["status"]) == ("twins", "decision", "active")


def test_a_retired_memory_can_be_read(client: Client) -> None:
    assert client.call("memory_get", id="old-hook")["status"] == "retired"


def test_nothing_hidden_reaches_the_agent(tmp_path: Path, client: Client) -> None:
    store = Store(tmp_path / "project")
    content = {**draft()["content"], "context": f"line one\n\tline{HIDDEN} two", "decision": f"do{HIDDEN} it"}
    put(store, stored("sneaky", title=f"Sneaky{HIDDEN} widget", tags=[f"a{HIDDEN}b"], content=content))
    answers = [
        client.ask("tools/call", name="memory_search", arguments={"query": "sneaky widget", "detail": "full"}),
        client.ask("tools/call", name="memory_get", arguments={"id": "sneaky"}),
        client.ask("resources/read", uri="cuecard://memory/decision/sneaky"),
        client.ask("resources/list"),
        client.ask("resources/read", uri="cuecard://index"),
    ]
    for answer in answers:
        text = json.dumps(answer, ensure_ascii=False)
        assert not set(HIDDEN) & set(text)
        assert "\\u0007" not in text
    record = answers[1]["structuredContent"]["record"]
    assert record["title"] == "Sneaky widget"
    assert record["content"]["context"] == "line one\n\tline two"


def test_the_status_counts_and_says_how_the_store_is(tmp_path: Path, client: Client) -> None:
    log = kept_of(tmp_path / "project/.claude/memory") / "log/hook.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"2026-01-01T00:00:00Z prompt: line {number}{HIDDEN}\n" for number in range(30)))
    found = client.call("memory_status")
    assert (found["active"], found["retired"], found["archived"]) == (5, 1, 0)
    assert found["categories"]["decision"] == 2
    assert found["health"] == "NEEDS ATTENTION"
    assert found["reasons"] == ["index.md does not match the memories"]
    assert found["settings"]["strategy"] == "hybrid"
    assert found["log"] == [f"2026-01-01T00:00:00Z prompt: line {number}" for number in range(20, 30)]
    assert Path(found["root"]) == tmp_path / "project"


# Writing


def test_a_memory_is_saved_in_the_name_of_the_agent(tmp_path: Path, client: Client) -> None:
    given = draft(related_files=["src/index.rs"], confidence=0.5, cuecard={"gist": "An index is mapped."})
    saved = client.call("memory_save", **given)
    assert (saved["status"], saved["id"], saved["category"]) == ("created", "use-an-mmap-index", "decision")
    store = Store(tmp_path / "project")
    record = read(store, "use-an-mmap-index")
    assert record["cuecard"] == {"origin": "agent", "gist": "An index is mapped."}
    assert record["related_files"] == ["src/index.rs"]
    assert client.call("memory_save", **given)["status"] == "unchanged"
    assert client.call("memory_get", id=saved["id"])["hash"] == saved["hash"]
    assert_index_is_a_rebuild(store)


def test_what_the_user_dictated_may_be_saved_as_theirs(tmp_path: Path, client: Client) -> None:
    client.call("memory_save", **draft(cuecard={"origin": "user"}))
    assert read(Store(tmp_path / "project"), "use-an-mmap-index")["cuecard"]["origin"] == "user"


def test_a_secret_does_not_get_in_and_is_not_repeated(tmp_path: Path, client: Client) -> None:
    saved = client.call("memory_save", **draft(content={**draft()["content"], "context": f"the token is {SECRET}"}))
    assert saved["redactions"]
    assert SECRET not in json.dumps(saved)
    assert SECRET not in json.dumps(read(Store(tmp_path / "project"), saved["id"]))


def test_an_update_is_a_merge_patch(tmp_path: Path, client: Client) -> None:
    before = client.call("memory_get", id="twins")
    patch = {"content": {"decision": "three of them"}, "related_files": ["a.py"]}
    written = client.call(
        "memory_update", id="twins", patch=patch, expected_hash=before["hash"], summary="one more was needed"
    )
    assert written["status"] == "updated"
    record = read(Store(tmp_path / "project"), "twins")
    assert record["content"] == {**before["record"]["content"], "decision": "three of them"}
    assert "one more was needed" in json.dumps(record["changes"])
    again = client.call("memory_update", id="twins", patch=patch)
    assert again["status"] == "unchanged"


def test_a_retired_memory_is_found_no_more(client: Client) -> None:
    written = client.call("memory_retire", id="twins", reason="one is enough")
    assert written["status"] == "retired"
    assert client.call("memory_get", id="twins")["record"]["retired_reason"] == "one is enough"
    assert "twins" not in [hit["id"] for hit in client.call("memory_search", query="twins")["hits"]]
    assert client.call("memory_retire", id="twins", reason="again")["status"] == "already_retired"


def test_advice_names_tools_and_leaves_commands_to_the_user(client: Client) -> None:
    uri = "cuecard://memory/decision/zzzzzz"
    for text in (client.fault("memory_get", id="zzzzzz"), client.refusal("resources/read", uri=uri)["message"]):
        assert "`memory_search` with `status` `all` shows what there is" in text
        assert "`cuecard " not in text
    text = client.fault("memory_update", id="twins", patch={"record_status": "retired"})
    assert "use `memory_retire`" in text


@pytest.mark.parametrize(
    ("advice", "told"),
    [
        (
            "read it again with `cuecard show m --json` and repeat the change",
            "read it again with `memory_get` and repeat the change",
        ),
        (
            "change it with `cuecard update m`, or choose another title",
            "change it with `memory_update`, or choose another title",
        ),
        ("bring it back with `cuecard restore m`", f"bring it back with `cuecard restore m`; {PEOPLE}"),
        ("did you mean `m`?", "did you mean `m`?"),
    ],
)
def test_a_command_becomes_the_tool_that_does_the_same(advice: str, told: str) -> None:
    assert without_shell(advice) == told


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("memory_search", {}, ["`query` should be a text and is nothing", "memory_search takes: `query`, `limit`"]),
        ("memory_search", {"query": ""}, ["`query` should be at least 1 character"]),
        ("memory_search", {"query": 3}, ["`query` should be a text and is 3"]),
        ("memory_search", {"query": "x", "limit": 0}, ["`limit` should be a number of at least 1"]),
        ("memory_search", {"query": "x", "limit": 1000}, ["`limit` should be a number of at most 50"]),
        ("memory_search", {"query": "x", "limit": "three"}, ["`limit` should be a whole number"]),
        ("memory_search", {"query": "x", "categories": ["decisions"]}, ["`categories[0]` should be `decision`, "]),
        ("memory_search", {"query": "x", "k": 1}, ["`k` should be no such field", "`detail`"]),
        ("memory_get", {"id": "native-hok"}, ["no memory `native-hok`", "hint: did you mean `native-hook`?"]),
        ("memory_get", {"id": "../../../etc/passwd"}, ["no memory"]),
        ("memory_get", {"id": "a\0b"}, ["no memory"]),
        ("memory_get", {"id": "\ud800"}, ["no memory"]),
        ("memory_save", {"title": "x"}, ["`category` should be", "`tags` should be a list", "`content` should be"]),
        (
            "memory_save",
            draft(content={"status": "accepted"}),
            ["- `content.decision`: expected a string, found missing", "- `content.decision`", "nothing was written"],
        ),
        ("memory_save", draft(content={**draft()["content"], "status": "done"}), ["`content.status`", "proposed"]),
        ("memory_save", draft("x" * 201), ["`title` should be at most 200 characters"]),
        ("memory_save", draft("The hook", id="native-hook"), ["`id` should be no such field"]),
        ("memory_update", {"id": "twins", "patch": {}}, ["the patch is empty"]),
        ("memory_update", {"id": "twins", "patch": {"content": {"decision": None}}}, ["`content.decision`"]),
        ("memory_update", {"id": "twins", "patch": {"title": "x"}, "expected_hash": "0" * 64}, ["OCC_CONFLICT"]),
        ("memory_update", {"id": "nobody", "patch": {"title": "x"}}, ["NOT_FOUND_ERROR"]),
        ("memory_retire", {"id": "twins"}, ["`reason` should be a text and is nothing"]),
        ("memory_retire", {"id": "nobody", "reason": "x"}, ["NOT_FOUND_ERROR; nothing was written"]),
        ("memory_status", {"x": 1}, ["`x` should be no such field", "memory_status takes: none"]),
    ],
)
def test_what_cannot_be_done_says_what_where_and_how_to_mend_it(
    tmp_path: Path, project: Path, tool: str, arguments: dict[str, Any], said: list[str]
) -> None:
    store = Store(project)
    before = read_files(store)
    with NearClient(project, version="2025-11-25") as client:
        text = client.fault(tool, **arguments)
    for words in said:
        assert words in text, text
    assert read_files(store) == before


def test_arguments_may_be_absent_or_nested_too_deep(tmp_path: Path, project: Path) -> None:
    with NearClient(project, version="2025-11-25") as client:
        assert client.ask("tools/call", name="memory_status")["structuredContent"]["active"] == 5
        deep = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_update","arguments":'
        deep += b'{"id":"twins","patch":'
        for depth in (150, 900):
            answer = client.exchange(deep + b'{"content":' * depth + b"1" + b"}" * depth + b"}}}")
            assert answer["result"]["isError"] is True
            assert "nested too deep" in answer["result"]["content"][0]["text"]


# Roots


def test_without_memories_each_call_says_how_to_begin(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    with NearClient(bare, version="2025-11-25") as client:
        for tool, arguments in (
            ("memory_search", {"query": "x"}),
            ("memory_get", {"id": "x"}),
            ("memory_status", {}),
            ("memory_update", {"id": "x", "patch": {"title": "y"}}),
            ("memory_retire", {"id": "x", "reason": "y"}),
        ):
            assert "hint: `memory_save` creates the store" in client.fault(tool, **arguments)
        assert client.ask("resources/list") == {"resources": []}
        assert "memory_save" in client.refusal("resources/read", uri="cuecard://index")["message"]
        text = client.ask("prompts/get", name="recall", arguments={"prompt": "why?"})["messages"][0]["content"]["text"]
        assert text.endswith("why?")
        assert not (bare / ".claude").exists()
        client.call("memory_save", **draft())
        assert (bare / ".claude/memory/decisions/use-an-mmap-index.json").is_file()
        assert client.call("memory_search", query="mmap")["hits"][0]["id"] == "use-an-mmap-index"


def test_the_root_is_named_by_argument_host_or_variable_or_found_from_here(tmp_path: Path) -> None:
    roots = {}
    for name in ("argument", "host", "variable", "here"):
        make_store(tmp_path / name).add(draft(f"The root of the {name}"))
        roots[name] = str(tmp_path / name)
    (tmp_path / "here/src").mkdir()
    (tmp_path / "host/src").mkdir()

    def root(*arguments: str, **variables: str) -> str:
        with Client(tmp_path, tmp_path / "here/src", *arguments, version="2025-11-25", **variables) as client:
            found: str = client.call("memory_status")["root"]
            return found

    assert root() == roots["here"]
    # Like the hook, the server begins its search for the project at the folder that the host names.
    assert root(CLAUDE_PROJECT_DIR=roots["host"] + "/src") == roots["host"]
    assert root(CLAUDE_PROJECT_DIR=roots["host"], CUECARD_ROOT=roots["variable"]) == roots["variable"]
    assert root("--root", roots["argument"], CUECARD_ROOT=roots["variable"]) == roots["argument"]
    assert root("--root=../../argument", CLAUDE_PROJECT_DIR=roots["host"]) == roots["argument"]


# The hook


def test_a_host_can_ask_it_what_it_would_ask_the_hook(tmp_path: Path, project: Path, client: Client) -> None:
    def hook(**payload: str) -> str:
        result = client.ask("tools/call", name="prompt_hook", arguments=payload)
        [content] = result["content"]
        text: str = content["text"]
        return text

    assert "prompt_hook" not in [tool["name"] for tool in client.ask("tools/list")["tools"]]
    asked = "why is the hook a native executable and no python script?"
    answered = json.loads(hook(prompt=asked, cwd=str(project), session_id="a-session"))
    assert answered["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "The hook is a native executable" in answered["hookSpecificOutput"]["additionalContext"]
    # As with the hook, the session is not shown the memory again, and the event is logged.
    assert hook(prompt=asked, cwd=str(project), session_id="a-session") == ""
    assert hook(prompt=asked) != ""
    assert hook(prompt="hi") == ""
    assert hook() == ""
    events = (kept_of(project / ".claude/memory") / "log/events.jsonl").read_text().splitlines()
    assert [json.loads(line)["silence"] for line in events] == [None, "session", None, "short", "error"]


# Several servers


def test_two_servers_write_to_one_store(tmp_path: Path, project: Path) -> None:
    failures: list[BaseException] = []

    def word(server: int, number: int) -> str:
        return "".join(["abcdefghij"[int(digit)] for digit in f"{hash((server, number)) % 10**9:09}"])

    def content_of(said: str) -> dict[str, object]:
        """Content that has no word in common with other memories, so that the server does not ask about relations."""
        return {"status": "accepted", "context": f"k{said}", "decision": f"l{said}", "rationale": [f"m{said}"]}

    def write(server: int) -> None:
        try:
            with Client(tmp_path, project, version="2025-11-25") as client:
                for number in range(10):
                    said = word(server, number)
                    client.call("memory_save", **draft(said, tags=[said], content=dict(content_of(said))))
                    client.call("memory_update", id="twins", patch={"content": {"context": f"{server}, {number}"}})
                    client.call("memory_search", query=f"memory {number}")
        except BaseException as error:  # it belongs to the test, not to the thread
            failures.append(error)

    threads = [threading.Thread(target=write, args=(server,)) for server in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    store = Store(project)
    written = {memory.id for memory in store.memories("decision")}
    assert written >= {word(server, number) for number in range(10) for server in range(2)}
    assert store.show("twins").record["times_updated"] == 20
    assert_index_is_a_rebuild(store)


def test_a_store_that_is_taken_away_and_brought_back_is_noticed(tmp_path: Path, project: Path) -> None:
    with NearClient(project, version="2025-11-25") as client:
        assert client.call("memory_search", query="hook")["hits"]
        shutil.move(project / ".claude", tmp_path / "kept")
        assert "memory_save" in client.fault("memory_search", query="hook")
        shutil.move(tmp_path / "kept", project / ".claude")
        assert client.call("memory_search", query="hook")["hits"]


def test_memories_of_other_stores_are_found_and_read(
    client: Client, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUECARD_HOME", str(tmp_path / "user-data"))
    remember(tmp_path / "user-data" / "user", "user")
    found = client.call("memory_search", query="what do deployments need, the VPN?", detail="full")
    [hit] = [hit for hit in found["hits"] if hit["id"] == "vpn-user"]
    assert hit["scope"] == "user"
    assert "go through the VPN" in hit["text"]
    read_back = client.call("memory_get", id="vpn-user")
    assert (read_back["scope"], read_back["record"]["title"]) == ("user", "Deployments of user need the VPN")
    assert "vpn-user" in client.fault("memory_retire", id="vpn-user", reason="over")
