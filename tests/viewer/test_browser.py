"""The page in a real Chromium: each page is walked, memories are edited and reviewed, and axe finds nothing serious."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuecard import Store
from cuecard._backend import engine
from cuecard.actions import person_actions as actions
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import hand_in
from cuecard.store.log.verdict_log import Verdict, say
from cuecard.store.trust.review import review
from handed_in import draft
from hook_process import Hook
from page_browser import TOKEN, browser, served
from records import draft as record
from records import put, stored
from scratch_home import write_user_settings

# A browser is started, and pages are checked one by one.
pytestmark = pytest.mark.slow
SERIOUS = ("serious", "critical")
PAGES = ("memories", "memory?name=decision/use-an-mmap-index", "inbox?tab=drafts", "prompts", "health", "use")
SUCCESSOR = "memory?name=decision/index-files-are-mapped-read-only"
FURTHER = ("inbox?tab=decided", "inbox?tab=wrong", SUCCESSOR, f"{PAGES[1]}&edit=1")
MANY = 10_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture
def filled(hook: Hook, store: Store) -> Store:
    """A store with memories, drafts, and prompts that were answered."""
    store.add(record(), trust="own")
    store.update("use-an-mmap-index", {"content": {**record()["content"], "decision": "map the file"}}, trust="own")
    other = {"supersedes": ["decision/use-an-mmap-index"]}
    steps = "Map it:\n- once\n- read-only\n\n```sh\nmake index\n```"
    drawn = {**record()["content"], "decision": steps}
    store.add(record("Index files are mapped read-only", cuecard=other, content=drawn), trust="own")
    hand_in(store, [draft("Old labels stay")], source={"kind": "document", "path": "docs/labels.md"})
    actions.reject(store, [read_inbox(store.memory_dir)[0].id])
    for title in ("Use PostgreSQL for the ledger", "Labels are printed in two languages"):
        hand_in(store, [draft(title)], source={"kind": "document", "path": "docs/shop.md"})
    for prompt in ("which mmap index do we use?", "thank you"):
        sent = json.dumps({"prompt": prompt, "cwd": store.root, "session_id": "s"}).encode()
        hook.run("prompt", "--host", "plain", stdin=sent, cwd=Path(store.root))
    wrong = store.show(store.add(record("Old indexes are kept"), trust="own").id)
    for session in "abc":
        hashed = engine.trust_hash(wrong.data) or ""
        kept = "0 s:index=256;"
        say(store.memory_dir, Verdict("", "", "wrong", wrong.path, hashed, session=session, prompt=session, kept=kept))
    return store


def opened(chromium: Any, address: str, **options: object) -> Any:  # noqa: ANN401
    page = chromium.new_context(**options).new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    foreign: list[str] = []
    page.on("request", lambda sent: None if sent.url.startswith(address) else foreign.append(sent.url))
    refused: list[str] = []
    page.on("response", lambda got: refused.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    page.problems, page.foreign, page.refused = problems, foreign, refused
    page.goto(f"{address}/#{TOKEN}")
    page.wait_for_selector("#page", state="attached")
    return page


def go(page: Any, address: str, path: str) -> None:  # noqa: ANN401
    page.goto(f"{address}/{path}")
    page.wait_for_selector("#page", state="attached")
    page.wait_for_load_state("networkidle")


def settle(page: Any) -> None:  # noqa: ANN401
    """Wait until the page takes the same action again."""
    page.wait_for_selector("#main:not([aria-busy])")


@pytest.fixture
def cloned(store: Store, request: pytest.FixtureRequest) -> Store:
    """Twelve long memories that nobody vouches for; trust is of the user, so each test has its own texts."""
    write_user_settings({"variables": True})
    for number in range(12):
        rationale = [f"reason {line} of shop {number}" for line in range(30)]
        content = {"status": "accepted", "decision": "so", "context": request.node.name, "rationale": rationale}
        put(store, stored(f"shop-{number:02}", content=content))
    return store


def unreviewed(store: Store) -> list[str]:
    return [one.memory.id for one in review(store.project) if one.level == "unreviewed"]


def test_ticked_memories_are_accepted_together_and_undone_in_place(chromium: Any, cloned: Store) -> None:  # noqa: ANN401
    with served(cloned) as address:
        page = opened(chromium, address)
        go(page, address, "inbox?tab=unreviewed")
        for name in ("shop-03", "shop-05", "shop-06"):
            page.check(f"article:has-text('{name.replace('-', ' ')}') input")
        assert page.text_content("[data-chosen]") == "3 chosen"
        assert not page.is_checked("[data-all]")
        # Another action, on a card that is not ticked, leaves the ticks.
        page.locator("article", has_text="shop 04").get_by_role("button", name="Retire").click()
        page.wait_for_selector(".done:has-text('shop-04')")
        assert page.text_content("[data-chosen]") == "3 chosen"
        settle(page)
        page.keyboard.press("a")
        page.wait_for_selector("text=3 accepted")
        assert page.locator(".done").is_visible()
        assert len(unreviewed(cloned)) == 9
        assert not {"shop-03", "shop-05", "shop-06"} & {*unreviewed(cloned)}
        assert page.text_content("[data-chosen]") == "0 chosen"
        page.keyboard.press("u")
        page.wait_for_selector(".done:has-text('Taken back')")
        assert {"shop-03", "shop-05", "shop-06"} <= {*unreviewed(cloned)}
        assert "/inbox?tab=unreviewed" in page.url
        assert page.problems == []


def test_the_box_for_all_follows_the_single_boxes(chromium: Any, cloned: Store) -> None:  # noqa: ANN401
    with served(cloned) as address:
        page = opened(chromium, address)
        go(page, address, "inbox?tab=unreviewed")
        page.check("[data-all]")
        assert page.text_content("[data-chosen]") == "12 chosen"
        page.uncheck("article >> nth=0 >> input")
        assert not page.is_checked("[data-all]")
        page.check("article >> nth=0 >> input")
        assert page.is_checked("[data-all]")


def test_after_an_action_the_next_card_is_marked_and_a_double_press_counts_once(
    chromium: Any,  # noqa: ANN401
    cloned: Store,
) -> None:
    with served(cloned) as address:
        page = opened(chromium, address, viewport={"width": 1000, "height": 600})
        go(page, address, "inbox?tab=unreviewed")
        for _step in range(4):
            page.keyboard.press("j")
        page.locator("article.is-here >> text=Accept this text").dblclick()
        page.wait_for_selector(".done >> text=Undo")
        settle(page)
        assert len(unreviewed(cloned)) == 11
        assert "shop-03" not in unreviewed(cloned)
        focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert focused == "shop 04"
        # Its title is in view, below the bar.
        title = page.locator("article.is-here h2").bounding_box()
        bar = page.locator("form.bar").bounding_box()
        assert bar["y"] + bar["height"] <= title["y"] < 600
        page.keyboard.press("a")
        page.keyboard.press("a")
        page.wait_for_selector(".done:has-text('shop 04')")
        settle(page)
        assert len(unreviewed(cloned)) == 10
        page.keyboard.press("u")
        page.wait_for_selector(".done:has-text('Taken back')")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "shop 04"


def test_a_card_is_left_by_a_key_and_the_next_one_is_marked(chromium: Any, cloned: Store) -> None:  # noqa: ANN401
    with served(cloned) as address:
        page = opened(chromium, address)
        go(page, address, "inbox?tab=unreviewed")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("l")
        page.wait_for_selector(".done:has-text('Left for now')")
        settle(page)
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "shop 02"
        assert page.locator("article").last.get_attribute("aria-label") == "shop 01"
        assert len(unreviewed(cloned)) == 12


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 1100), ("light", 400), ("dark", 400)])
def test_every_page_is_accessible_and_fits(chromium: Any, filled: Store, scheme: str, width: int) -> None:  # noqa: ANN401
    axe_type = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    with served(filled) as address:
        page = opened(chromium, address, color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
        for path in (*PAGES, *FURTHER):
            go(page, address, path)
            found = axe_type().run(page).response["violations"]
            serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in SERIOUS]
            assert serious == [], path
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, path
        assert page.foreign == []
        # Every page and every file of it was there.
        assert page.refused == []


def test_a_memory_is_found_edited_and_put_back(chromium: Any, filled: Store) -> None:  # noqa: ANN401
    with served(filled) as address:
        page = opened(chromium, address)
        assert TOKEN not in page.url
        page.keyboard.press("/")
        page.keyboard.type("mapped")
        page.wait_for_selector("text=best first")
        page.click("text=Index files are mapped read-only")
        page.wait_for_selector("h1:has-text('mapped read-only')")
        assert page.locator("svg.lineage").count() == 1
        page.keyboard.press("e")
        page.fill("textarea[name='content.decision']", "mapped, and never written")
        page.click("text=Save")
        page.wait_for_selector(".done")
        name = "index-files-are-mapped-read-only"
        assert filled.show(name).record["content"]["decision"] == "mapped, and never written"
        page.keyboard.press("u")
        page.wait_for_selector("text=Undone")
        assert filled.show(name).record["content"]["decision"] != "mapped, and never written"
        page.go_back()
        page.wait_for_selector("h1:has-text('mapped read-only')")
        assert page.problems == []
        assert page.foreign == []


def test_the_inbox_is_emptied_by_keys(chromium: Any, filled: Store) -> None:  # noqa: ANN401
    with served(filled) as address:
        page = opened(chromium, address)
        page.click("nav >> text=Inbox")
        page.wait_for_selector("article")
        page.keyboard.press("j")
        page.keyboard.press("a")
        page.wait_for_selector(".done")
        assert len(read_inbox(filled.memory_dir)) == 1
        page.keyboard.press("j")
        page.keyboard.press("r")
        page.wait_for_selector("text=No draft waits")
        page.keyboard.press("u")
        page.wait_for_selector("h1")
        page.wait_for_selector("text=Waits again")
        assert len(read_inbox(filled.memory_dir)) == 1


def test_drafts_below_the_screen_are_said_not_to_be_shown(chromium: Any, filled: Store) -> None:  # noqa: ANN401
    for number in range(6):
        hand_in(filled, [draft(f"The shop number {number} opens at {number} in the morning", tags=[f"shop{number}"])])
    before = len(filled.memories())
    with served(filled) as address:
        page = opened(chromium, address, viewport={"width": 1000, "height": 500})
        go(page, address, "inbox?tab=drafts")
        page.check("[data-all]")
        page.click("text=Accept chosen")
        page.wait_for_selector("text=were not shown to you")
        assert len(filled.memories()) == before
        settle(page)
        page.click("text=Accept them without a look")
        page.wait_for_selector(".done")
        assert read_inbox(filled.memory_dir) == []


def test_without_the_token_the_page_says_what_is_missing(chromium: Any, filled: Store) -> None:  # noqa: ANN401
    with served(filled) as address:
        page = chromium.new_context().new_page()
        page.goto(f"{address}/memories")
        page.wait_for_selector("text=cuecard view")
        assert "mmap" not in page.content()


def test_ten_thousand_memories_are_searched(chromium: Any, store: Store) -> None:  # noqa: ANN401
    words = ("ledger", "queue", "index", "cache", "deploy", "invoice", "label", "order", "basket", "refund")
    folder = Path(store.memory_dir, "decisions")
    folder.mkdir(parents=True)
    for number in range(MANY):
        title = f"The {words[number % 10]} of shop {number} waits for the {words[number // 10 % 10]}"
        (folder / f"m{number}.json").write_text(json.dumps(stored(f"m{number}", title=title)))
    with served(store) as address:
        page = opened(chromium, address)
        page.wait_for_selector(f"text={MANY} of {MANY}", timeout=60_000)
        page.fill("#q", "the refund of shop 4709")
        page.wait_for_selector("text=of shop 4709")
        took = []
        for path in ("memories", "memories?tag=index&age=old", "memories?page=150", "use", "prompts"):
            start = time.perf_counter()
            page.evaluate(
                "path => fetch('/' + path, {headers: {'X-Cuecard-Token': sessionStorage.getItem('cuecard-token')}})"
                ".then(answer => answer.text())",
                path,
            )
            took.append(round((time.perf_counter() - start) * 1000))
        print("milliseconds:", took)  # noqa: T201 - a figure for people
