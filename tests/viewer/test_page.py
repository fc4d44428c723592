"""The local page: what its pages say and do, and that nobody but the person who started it gets anything."""

import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import checkouts
from command_process import run_in
from cuecard import Store
from cuecard.actions import person_actions as actions
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import hand_in
from cuecard.store.log.events import read_events
from cuecard.store.log.verdict_log import read_verdicts
from cuecard.store.trust.review import review
from handed_in import draft
from hook_process import Hook
from records import draft as record
from records import put, stored
from scratch_home import write_user_settings

starlette = pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from page_client import TOKEN, PageClient  # noqa: E402 - without the extra there is no page

PAGES = ("/", "/memories", "/inbox", "/prompts", "/health", "/health/files", "/health/pairs", "/health/secrets", "/use")
NAME = "decision/use-an-mmap-index"
HOSTILE = "\"><img src=x onerror=alert(1)><script>alert(2)</script>{{73*73}}'`${1}"


@pytest.fixture
def page(store: Store) -> PageClient:
    store.add(record(), trust="own")
    return PageClient(store)


def forms_of(page: str, kind: str) -> list[dict[str, str]]:
    """What the buttons for a verdict of this kind send."""
    forms = [json.loads(html.unescape(values)) for values in re.findall(r"hx-vals='([^']+)'", page)]
    return [form for form in forms if form.get("kind") == kind]


def test_every_page_answers_with_an_empty_store_too(store: Store) -> None:
    client = PageClient(store)
    for path in PAGES:
        answer = client.get(path)
        assert answer.status == 200, (path, answer.text)
    assert "There are no memories yet" in client.get("/memories").text


def test_memories_are_searched_and_filtered(store: Store) -> None:
    store.add(record())
    store.add(record("Deploy on Monday", "runbook", tags=["deploy"]))
    client = PageClient(store)
    assert "2 of 2 memories" in client.get("/memories").text
    found = client.get("/memories", q="deploying").text
    assert "Deploy on Monday" in found
    assert "Use an mmap index" not in found
    assert "1 of 2" in client.get("/memories", category="runbook").text
    assert "1 of 2" in client.get("/memories", tag="deploy").text
    assert "0 of 2" in client.get("/memories", status="retired").text
    assert "0 of 2" in client.get("/memories", age="old").text


def test_what_a_form_sends_again_stays_as_it_was_typed(store: Store) -> None:
    typed = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    store.add(record())
    page = PageClient(store).get("/memories", q=typed, tag=typed).text
    assert page.count(f'value="{typed}"') == 2


def test_another_processs_write_is_seen_at_the_next_load(page: PageClient, store: Store) -> None:
    page.get("/memories")
    Store(store.root).update("use-an-mmap-index", {"title": "Use a mapped index"})
    assert "Use a mapped index" in page.get("/memories").text


def test_a_memory_is_edited_with_validation_and_undone(page: PageClient, store: Store) -> None:
    memory = store.show(NAME)
    form = {
        "name": NAME,
        "hash": memory.hash,
        "title": memory.title,
        "tags": "index",
        "content.decision": "another way",
    }
    assert store.show(NAME).record["content"]["decision"] == "so"
    answer = page.post("/memory/edit", **form)
    assert "another way" in answer.text
    # The form is of an older text now.
    refused = page.post("/memory/edit", **{**form, "content.decision": "a third way"})
    assert refused.status == 409 or "problem" in refused.text
    assert store.show(NAME).record["content"]["decision"] == "another way"
    [operation] = re.findall(r'class="done".*?"id": "([^"]+)"', html.unescape(answer.text), re.DOTALL)
    page.post("/undo", id=operation)
    assert store.show(NAME).record["content"]["decision"] == "so"


def test_an_invalid_edit_comes_back_with_the_problem(page: PageClient, store: Store) -> None:
    memory = store.show(NAME)
    answer = page.post("/memory/edit", name=NAME, hash=memory.hash, title="x" * 300, tags="index")
    assert 'role="alert"' in answer.text
    assert store.show(NAME).title == memory.title


def test_retiring_and_restoring(page: PageClient, store: Store) -> None:
    shown = re.findall(r'"trust_hash": "(\w+)"', html.unescape(page.get("/memory", name=NAME).text))[0]
    assert page.post("/memory/status", name=NAME, to="retire", trust_hash="0" * 64).status == 409
    assert "Restore" in page.post("/memory/status", name=NAME, to="retire", trust_hash=shown).text
    assert store.show(NAME).status == "retired"
    page.post("/memory/status", name=NAME, to="restore")
    assert store.show(NAME).status == "active"


def test_a_verdict_is_given_where_it_was_shown(hook: Hook, page: PageClient, store: Store) -> None:
    sent = json.dumps({"prompt": "which mmap index do we use?", "cwd": store.root, "session_id": "s"}).encode()
    hook.run("prompt", "--host", "plain", stdin=sent, cwd=Path(store.root))
    [event] = re.findall(r"/prompt\?event=(\w+)", page.get("/prompts").text)
    shown = page.get("/prompt", event=event, text="which mmap index do we use?", setting="precise")
    assert "Use an mmap index" in shown.text
    assert shown.text.count("<rect") >= 5
    for text in (shown.text, page.get("/memory", name=NAME).text):
        [form] = forms_of(text, "wrong")
        answer = page.post("/memory/verdict", **form)
        assert "Wrong" in answer.text
    [verdict] = read_verdicts(store.memory_dir)
    page.post("/undo", id=verdict.id)
    assert read_verdicts(store.memory_dir) == []


def test_a_memory_of_another_store_is_not_the_projects_at_the_same_path(hook: Hook, store: Store, data: Path) -> None:
    (data / "user").mkdir()
    own = Store(data / "user", create=True)
    name = f"decision/{own.add(record('Rotate the signing keys each month'), trust='own').id}"
    sent = {"prompt": "when do we rotate the signing keys each month?", "cwd": store.root, "session_id": "s1"}
    hook.run("prompt", "--host", "plain", stdin=json.dumps(sent).encode(), cwd=Path(store.root))
    store.add(record("Rotate the signing keys each quarter"), trust="own")
    mine = Path(store.root, own.show(name).path)
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_bytes(own.show(name).data.replace(b"each month", b"each decade"))
    client = PageClient(store)
    assert "No prompt has met it yet" in client.get("/memory", name=name).text
    [event] = re.findall(r"/prompt\?event=(\w+)", client.get("/prompts").text)
    page = client.get("/prompt", event=event).text
    assert "each decade" not in client.get("/prompts").text + page
    assert '<span class="chip">user</span>' in page
    # The verdict is about the memory that was shown, and the page of the prompt stays.
    [form] = forms_of(page, "wrong")
    answer = client.post("/memory/verdict", **form)
    assert (answer.status, "Ask it again" in answer.text) == (200, True)
    [verdict] = read_verdicts(store.memory_dir)
    assert verdict.scope == "user"
    assert "Verdicts and signs" not in client.get("/memory", name=name).text
    undone = client.post("/undo", id=verdict.id, back=f"/prompt?event={event}")
    assert ("Ask it again" in undone.text, read_verdicts(store.memory_dir)) == (True, [])
    assert "2 active memories" in client.get("/use").text.split("Never shown")[1]
    # The command line says the same.
    counted = run_in(store, "stats", "--json").document
    assert [(one["scope"], one["id"]) for one in counted["shown_most"]] == [("user", name.partition("/")[2])]
    assert len(counted["never_shown"]) == 2
    assert run_in(store, "why", name, "--event", event, "--json").document["verdict"].startswith("not shown")


def test_a_verdict_is_about_the_marked_one_of_two_memories_at_the_same_path(
    hook: Hook, store: Store, data: Path
) -> None:
    (data / "user").mkdir()
    own = Store(data / "user", create=True)
    monthly = "Rotate the signing keys each month with the vault tool and tell the security team by mail"
    own.add(record("Rotate the signing keys", content={**record()["content"], "decision": monthly}), trust="own")
    # The project's memory is unreviewed, so it does not hide the user's own.
    quarterly = "In this project the signing keys rotate quarterly, in a job of the release pipeline of staging"
    content = {**record()["content"], "decision": quarterly}
    put(store, stored("rotate-the-signing-keys", title="Rotate the signing keys", content=content))
    write_user_settings({"trust": {}})
    sent = {"prompt": "when do we rotate the signing keys?", "cwd": store.root, "session_id": "s1"}
    hook.run("prompt", "--host", "plain", stdin=json.dumps(sent).encode(), cwd=Path(store.root))
    client = PageClient(store)
    [event] = re.findall(r"/prompt\?event=(\w+)", client.get("/prompts").text)
    forms = forms_of(client.get("/prompt", event=event).text, "wrong")
    assert sorted([form["scope"] for form in forms]) == ["", "user"]
    assert len({form["name"] for form in forms}) == 1
    for form in forms:
        client.post("/memory/verdict", **form)
        assert read_verdicts(store.memory_dir)[-1].scope == form["scope"]
    # On its own page the memory is the project's.
    [form] = forms_of(client.get("/memory", name="decision/rotate-the-signing-keys").text, "good")
    client.post("/memory/verdict", **form)
    assert [(one.scope, one.kind) for one in read_verdicts(store.memory_dir)] == [("user", "wrong"), ("", "good")]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_prompts_in_a_submodule_count_for_the_memories_of_the_superproject(
    hook: Hook, tmp_path: Path, data: Path
) -> None:
    del data
    library = checkouts.submodule(tmp_path)
    text = "how do deployments of super go through the VPN?"
    sent = {"prompt": text, "cwd": str(library), "session_id": "s1"}
    hook.run("prompt", "--host", "plain", stdin=json.dumps(sent).encode(), cwd=library)
    store = Store(tmp_path / "super")
    [event] = read_events(store.memory_dir).events
    assert [(one.scope, one.id) for one in event.shown] == [("parent", "vpn-super")]
    client = PageClient(store)
    title = store.show("vpn-super").title
    assert title in client.get("/prompts").text
    assert "0 active memories" in client.get("/use").text.split("Never shown")[1]
    of_prompt = client.get("/prompt", event=event.id, text=text).text
    assert f'">{title}</a>' in of_prompt.split("Ask it again")[0]
    of_memory = client.get("/memory", name="constraint/vpn-super").text
    for page, kind in ((of_prompt, "good"), (of_memory, "wrong")):
        [form] = forms_of(page, kind)
        client.post("/memory/verdict", **form)
    [verdict] = read_verdicts(store.memory_dir)
    assert verdict.kind == "wrong"
    assert "Verdicts and signs" in client.get("/memory", name="constraint/vpn-super").text
    # From the command line it is found, too.
    assert actions.judge(store, "wrong", "vpn-super").is_new is False


def test_an_older_acceptance_of_a_memory_is_taken_back_on_its_page(store: Store) -> None:
    put(store, stored("aa-one"))
    write_user_settings({"trust": {}})
    [one] = review(store.project)
    actions.vouch(store, [("decision/aa-one", one.trust_hash)])
    client = PageClient(store)
    shown = html.unescape(client.get("/memory", name="decision/aa-one").text)
    [name] = re.findall(r'"id": "(t\w+)"', shown)
    assert "Take the acceptance back" in shown
    client.post("/undo", id=name, back="/memory?name=decision/aa-one")
    assert [one.level for one in review(store.project)] == ["unreviewed"]


def test_all_files_are_read_before_the_first_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(record(), trust="own")
    client = PageClient(store)

    def fails(*_asked: object) -> None:
        raise AssertionError("a file was read again")

    monkeypatch.setattr("cuecard.viewer.rows._read", fails)
    assert "Use an mmap index" in client.get("/memories").text


# Attacks


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1], TOKEN + "x"])
def test_without_the_token_no_page_says_anything(page: PageClient, token: str | None) -> None:
    for path in PAGES:
        answer = page.get(path, {"x-cuecard-token": token})
        assert "mmap" not in answer.text
        # Without the header there is only the frame, which asks for the data with the token.
        assert answer.status == (200 if token is None else 403)
    assert page.post("/memory/status", {"x-cuecard-token": token}, name=NAME, to="retire").status == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4711", "127.0.0.1", "127.0.0.1:80", "[::1]:4711", ""])
def test_a_name_that_points_at_this_machine_gets_nothing(page: PageClient, host: str) -> None:
    for path in (*PAGES, "/static/app.js"):
        assert page.get(path, {"host": host}).status == 403
    assert page.post("/undo", {"host": host, "origin": f"http://{host}"}, id="x").status == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:1", "", None]
)
def test_another_origin_cannot_act(page: PageClient, store: Store, origin: str | None) -> None:
    answer = page.post("/memory/status", {"origin": origin}, name=NAME, to="retire")
    assert answer.status == 403
    assert store.show(NAME).status == "active"


def test_another_site_cannot_even_ask(page: PageClient) -> None:
    assert page.get("/memories", {"sec-fetch-site": "cross-site"}).status == 403
    assert page.get("/memories", {"sec-fetch-site": "same-site"}).status == 403


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/../SECURITY.md"],
)
def test_no_path_leads_out_of_the_page(page: PageClient, path: str) -> None:
    answer = page.get(path)
    assert answer.status == 404
    assert "import" not in answer.text


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", ".claude/memory/../../secret.json", "decision/../x"])
def test_no_name_leads_out_of_the_store(page: PageClient, store: Store, name: str) -> None:
    Path(store.root, "secret.json").write_text('{"title": "a secret of the project"}')
    answer = page.get("/memory", name=name)
    assert "a secret of the project" not in answer.text
    assert answer.status == 409


def test_markup_of_a_memory_is_text_on_every_page(store: Store) -> None:
    members = {"gist": HOSTILE, "questions": [HOSTILE], "supersedes": [HOSTILE], "source": {"path": HOSTILE}}
    content = {"status": "accepted", "context": HOSTILE, "decision": HOSTILE, "rationale": [HOSTILE]}
    change = {"date": HOSTILE, "summary": HOSTILE, "field": HOSTILE, "old_value": HOSTILE, "new_value": HOSTILE}
    fields: dict[str, Any] = {
        "title": HOSTILE,
        "tags": [HOSTILE],
        "content": content,
        "cuecard": members,
        "changes": [change],
    }
    put(store, stored("hostile", **fields))
    hand_in(store, [draft(HOSTILE)], source={"path": HOSTILE, "kind": "document"})
    client = PageClient(store)
    paths: list[tuple[str, dict[str, str]]] = [(path, {}) for path in PAGES]
    paths += [("/memory", {"name": "decision/hostile"}), ("/memory", {"name": "decision/hostile", "edit": "1"})]
    paths += [("/inbox", {"tab": tab}) for tab in ("drafts", "unreviewed", "wrong")]
    paths += [("/memories", {"q": HOSTILE}), ("/memories", {"tag": HOSTILE}), ("/memory", {"name": HOSTILE})]
    for path, query in paths:
        text = client.get(path, **query).text
        assert not re.search(r"<(img|script)\b", text), (path, query)
        # A template in a memory is not evaluated.
        assert "5329" not in text
        # Nothing of it ends an attribute.
        assert '"><img' not in text


def test_the_browser_is_told_to_load_and_frame_nothing_else(page: PageClient) -> None:
    for answer in (page.get("/memories"), page.get("/", {"x-cuecard-token": None}), page.get("/static/app.js")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_nothing_of_the_page_names_another_host() -> None:
    folder = Path(__file__).resolve().parents[2] / "python" / "cuecard" / "viewer"
    texts = [*folder.glob("templates/*.html"), folder / "static" / "app.css", folder / "static" / "app.js"]
    assert len(texts) > 8
    for file in texts:
        assert "//" not in re.sub(r"^\s*//.*$", "", file.read_text("utf-8"), flags=re.MULTILINE), file.name


def test_a_page_that_only_reads_changes_nothing(store: Store) -> None:
    store.add(record())
    hand_in(store, [draft()])
    client = PageClient(store, is_read_only=True)
    [waiting] = read_inbox(store.memory_dir)
    assert client.post("/memory/status", name=NAME, to="retire").status == 403
    assert client.post("/inbox/decide", do="accept", ids=waiting.id, seen=waiting.id).status == 403
    for path, query in (("/memory", {"name": NAME}), ("/inbox", {})):
        assert "hx-post" not in re.sub(r'<form id="bulk".*?>', "", client.get(path, **query).text)


def test_a_large_form_is_refused(page: PageClient) -> None:
    assert page.post("/undo", {"content-length": str(2 << 20)}, id="x").status == 403


def mirrored(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A value of JSON in which each text has a character that reorders what follows."""
    if isinstance(value, dict):
        return {f"{name}\u202e" if name in ("extra", "more") else name: mirrored(one) for name, one in value.items()}
    if isinstance(value, list):
        return [*map(mirrored, value)]
    return f"{value}\u202e" if isinstance(value, str) else value


def test_no_text_of_a_memory_reorders_a_page(hook: Hook, store: Store) -> None:
    change = {"date": "2026-01-05", "summary": "said", "field": "title", "old_value": "old", "new_value": ["new"]}
    members = {"gist": "g", "questions": ["which index?"], "supersedes": ["older"], "anchors": ["gone/file.py"]}
    source = {"path": "docs/a.md", "heading": "h"}
    fields = {
        "title": "Use an mmap index",
        "tags": ["index"],
        "content": {**record()["content"], "extra": {"more": ["odd"]}},
        "cuecard": {**members, "origin": "import", "source": source},
        "changes": [change],
        "related_files": ["gone/other.py"],
        "extra": "odd",
    }
    for name in ("one", "two"):
        put(store, stored(name, **{**mirrored(fields), "record_status": "active"}))
    put(store, stored("three", **mirrored({**fields, "record_status": "odd"})))
    handed = draft("Search with an mmap index", tags=["index"], content=record()["content"])
    hand_in(store, [{**handed, "partial_content": mirrored(handed["partial_content"])}])
    assert len(read_inbox(store.memory_dir)) == 1
    sent = {"prompt": "which mmap index do we use?", "cwd": store.root, "session_id": "s1"}
    hook.run("prompt", "--host", "plain", stdin=json.dumps(sent).encode(), cwd=Path(store.root))
    client = PageClient(store)
    pages: list[tuple[str, dict[str, str]]] = [(path, {}) for path in PAGES]
    pages += [("/memory", {"name": f"decision/{name}"}) for name in ("one", "three")]
    pages += [("/inbox", {"tab": tab}) for tab in ("drafts", "unreviewed", "wrong", "decided")]
    pages += [("/inbox/nearest", {"id": one.id}) for one in read_inbox(store.memory_dir)]
    pages += [("/prompt", {"event": one.id, "text": sent["prompt"]}) for one in read_events(store.memory_dir).events]
    for path, query in pages:
        answer = client.get(path, **query)
        assert answer.status == 200, path
        assert "\u202e" not in answer.text, (path, query)
        assert "No two of the" not in answer.text
        assert "No memory is near to it" not in answer.text
    # In its box a text is what it is, because saving it must not change it.
    assert "\u202e" in client.get("/memory", name="decision/one", edit="1").text


def test_what_reorders_or_hides_a_text_is_not_on_the_page(page: PageClient, store: Store) -> None:
    hidden = "Never run \u202egnp.lla mr\u202c\u200b the cleanup"
    put(store, stored("mirrored", title=hidden, content={"decision": hidden, "status": "accepted"}))
    for answer in (page.get("/memories"), page.get("/memory", name="decision/mirrored")):
        assert "the cleanup" in answer.text
        assert not {"\u202e", "\u202c", "\u200b"} & set(answer.text)
