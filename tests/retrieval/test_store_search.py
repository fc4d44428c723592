"""The store, as programs search it: what it finds, how filters work, and that it finds memories just written."""

import copy
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cuecard
from cuecard import Hit, Store, Strategy, UsageError
from cuecard._backend import snapshot_files, user_settings_path
from cuecard.files.environment import Environment
from cuecard.files.user_folder import data_path
from cuecard.retrieval import loaded_project
from cuecard.retrieval.recall import open_recall
from records import draft
from scratch_home import write_user_settings
from small_project import FOLDERS, MEMORIES, SampleMemory, write_project

# Strategies that find only memories with a word of the text, and strategies that also find similar memories.
BY_WORDS: tuple[Strategy, ...] = ("bm25", "tfidf", "keyword", "keyword_classic")
BY_MEANING: tuple[Strategy, ...] = ("hybrid", "vectors")
STRATEGIES = BY_MEANING + BY_WORDS
LONG_BEFORE = 10**9
KOREAN = SampleMemory("decision", "korean", "결제는 큐에서 다시 시도한다", ("결제",), updated_at="2024-05-06T07:08:09Z")
OLD_RUNBOOK = SampleMemory(
    "runbook", "old-release", "Release by hand", ("Release",), "2021-03-04T05:06:07Z", "archived"
)
ALL = (*MEMORIES, KOREAN, OLD_RUNBOOK)


@pytest.fixture(autouse=True)
def without_settings(clean_environment: None) -> None:
    """Run every test without the user's variables."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project for a single test."""
    return write_project(tmp_path / "project", *ALL)


@pytest.fixture
def store(project: Path) -> Store:
    """The store of the project."""
    return cuecard.open(project)


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that gets one more item each time the memories are loaded."""
    seen: list[object] = []
    serving: ModuleType = vars(loaded_project)["engine"]
    counting = ModuleType(serving.__name__)
    vars(counting).update({name: getattr(serving, name) for name in dir(serving)})

    def count(*arguments: Any) -> object:  # noqa: ANN401
        seen.append(arguments)
        return serving.load_snapshot(*arguments)

    counting.load_snapshot = count  # type: ignore[attr-defined]
    monkeypatch.setattr(loaded_project, "engine", counting)
    return seen


def names(hits: list[Hit]) -> set[str]:
    return {Path(hit.path).stem for hit in hits}


def age(project: Path) -> None:
    """Set the times of all files in a store, as if they had not changed for a long time."""
    store = project / ".claude" / "memory"
    # The user's settings and data folder say which stores count beside this one.
    of_user = [path for path in (Path(user_settings_path()), Path(data_path())) if path.exists()]
    for path in (store, *store.rglob("*"), *of_user):
        os.utime(path, ns=(LONG_BEFORE, LONG_BEFORE))


def file_states(project: Path) -> dict[str, tuple[int, bytes]]:
    paths = [path for path in project.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


# What is found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_store_finds_what_the_library_finds(store: Store, strategy: Strategy) -> None:
    for text in ("why is the hook not a python script", "release", "결제 재시도", "nothing of the kind", ""):
        expected = open_recall(store.root, strategy=strategy).search(text, explain=True)
        assert cuecard.search(text, root=store.root, strategy=strategy, explain=True) == expected
        assert store.search(text, strategy=strategy, explain=True) == expected
        assert [hit.path for hit in store.search(text, strategy=strategy)] == [hit.path for hit in expected]


def test_bodies_stems_and_korean_are_found_by_bm25(store: Store) -> None:
    assert names(store.search("releasing wheels", strategy="bm25")) == {"release"}
    assert names(store.search("because", strategy="bm25")) == {"native-hook", "twins", "korean"}
    assert names(store.search("결제를 어떻게 하나", strategy="bm25")) == {"korean"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_scores_have_parts_only_where_asked_and_they_sum(store: Store, strategy: Strategy) -> None:
    text = "hooks release a native wheel in python"
    explained = store.search(text, strategy=strategy, explain=True)
    assert len(explained) >= 3
    assert all(sum(part.points for part in hit.parts) == hit.score for hit in explained)
    plain = store.search(text, strategy=strategy)
    assert [(hit.path, hit.score, hit.parts) for hit in plain] == [(hit.path, hit.score, ()) for hit in explained]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_larger_k_changes_no_earlier_hit(store: Store, strategy: Strategy) -> None:
    everything = store.search("the hook release twins", 100, strategy=strategy)
    for k in range(1, len(everything) + 2):
        assert store.search("the hook release twins", k, strategy=strategy) == everything[:k]


def test_many_searches_are_as_many_single_ones(store: Store, loads: list[object]) -> None:
    age(Path(store.root))
    texts = ["hook", "release", "", "결제"]
    found = store.search_many(iter(texts), 2, strategy="bm25", tags=(), explain=True)
    assert len(loads) == 1
    assert found == [store.search(text, 2, strategy="bm25", explain=True) for text in texts]
    assert store.search_many([]) == []


def test_the_strategy_is_the_one_named_else_that_of_the_environment_else_the_configured(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "releasing because"
    assert store.search(text) == store.search(text, strategy="hybrid")
    assert "release" in names(store.search(text))
    write_user_settings({"retrieval": {"match_strategy": "keyword"}})
    assert names(store.search(text)) == set()
    write_user_settings({"retrieval": {"match_strategy": "fts5_bm25"}})
    assert "release" in names(store.search(text))
    assert names(store.search(text, strategy="keyword")) == set()
    monkeypatch.setenv("CUECARD_STRATEGY", "keyword")
    assert names(cuecard.open(store.root).search(text)) == set()
    assert "release" in names(store.search(text, strategy="bm25"))


WORDS = ("hook", "hooks", "wheel", "release", "native", "python", "words", "twin", "exec", "executable")
TITLES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
DAYS_AGO = st.sampled_from([0, 3, 31, 400])


@given(
    drawn=st.lists(
        st.tuples(
            st.sampled_from(sorted(FOLDERS)),
            TITLES,
            st.lists(st.sampled_from(WORDS), max_size=2),
            DAYS_AGO,
            st.sampled_from(["active", "active", "active", "retired", "archived"]),
        ),
        max_size=30,
    ),
    texts=st.lists(TITLES, min_size=1, max_size=3),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_keyword_finds_through_the_snapshot_what_it_finds_in_the_index(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[str, str, list[str], int, str]],
    texts: list[str],
) -> None:
    root = tmp_path_factory.mktemp("drawn")
    now = datetime.now(timezone.utc)
    memories = [
        SampleMemory(category, f"m{number}", title, tuple(tags), (now - timedelta(days=days)).isoformat(), status)
        for number, (category, title, tags, days, status) in enumerate(drawn)
    ]
    if memories:
        write_project(root, *memories)
        (root / ".claude" / "memory" / "index.md").unlink()
    else:
        (root / ".claude" / "memory").mkdir(parents=True)
    recaller = open_recall(root, strategy="keyword")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "is_exactly_classic", True)
        of_index = open_recall(root, strategy="keyword")
    for text in texts:
        assert recaller.search(text, k=40, explain=True) == of_index.search(text, k=40, explain=True)


# Filters


def in_order(value: object) -> str:
    """A value as a test id that is the same in every process; therefore the elements of sets are sorted."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {in_order(each)}" for name, each in value.items())
    if isinstance(value, set):
        return "{" + ", ".join(sorted(map(str, value))) + "}"
    return str(value)


@pytest.mark.parametrize("strategy", BY_WORDS)
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"categories": "decision"}, {"native-hook"}),
        ({"categories": ["DECISION", "runbook"]}, {"native-hook", "release"}),
        ({"categories": ["session_summary"]}, set()),
        ({"tags": "hook"}, {"no-network", "native-hook"}),
        ({"tags": {"Hook", " rust "}}, {"native-hook"}),
        ({"status": "retired"}, {"old-hook"}),
        ({"status": ["archived"]}, {"old-release"}),
        ({"status": ("active", "archived")}, {"no-network", "native-hook", "release", "old-release"}),
        ({"status": "all"}, {"no-network", "native-hook", "release", "old-release", "old-hook"}),
        ({"path": "decisions/"}, {"native-hook"}),
        ({"path": Path(".claude/memory/decisions/native")}, {"native-hook"}),
        ({"path": "decisions/other"}, set()),
        ({"since": "2020-01-02"}, {"release"}),
        ({"until": "2020-01-01"}, {"no-network", "native-hook"}),
        ({"status": "all", "since": "2021", "tags": "release"}, None),
        ({"status": "all", "since": "2021-01-01", "tags": "release"}, {"release", "old-release"}),
        ({"status": "all", "categories": "runbook", "until": "2021-12-31", "path": "run"}, {"old-release"}),
    ],
    ids=in_order,
)
def test_filters_accept_what_they_say(
    store: Store, strategy: Strategy, filters: dict[str, Any], expected: set[str] | None
) -> None:
    if expected is None:
        with pytest.raises(UsageError, match="which is not a date"):
            store.search("hook release", strategy=strategy, **filters)
    else:
        assert names(store.search("hook release", strategy=strategy, **filters)) == expected


@pytest.mark.parametrize("strategy", BY_MEANING)
@pytest.mark.parametrize(
    ("filters", "accepted"),
    [
        ({"categories": "decision"}, {"native-hook", "twins", "korean"}),
        ({"categories": ["session_summary"]}, set()),
        ({"tags": "hook"}, {"no-network", "native-hook"}),
        ({"status": "retired"}, {"old-hook"}),
        ({"status": "all", "categories": "runbook"}, {"release", "old-release"}),
        ({"path": "decisions/"}, {"native-hook", "twins", "korean"}),
        ({"since": "2020-01-02"}, {"release", "korean"}),
        ({"until": "2020-01-01"}, {"no-network", "native-hook", "twins", "plain-words"}),
    ],
    ids=in_order,
)
def test_what_is_near_by_meaning_passes_the_filters_too(
    store: Store, strategy: Strategy, filters: dict[str, Any], accepted: set[str]
) -> None:
    near = names(store.search("hook release", strategy=strategy, status="all"))
    assert near >= {"no-network", "native-hook", "release", "old-release", "old-hook"}
    assert names(store.search("hook release", strategy=strategy, **filters)) == near & accepted


MOMENT = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("since", "until", "is_found"),
    [
        (MOMENT, None, True),
        (MOMENT + SECOND, None, False),
        (None, MOMENT, True),
        (None, MOMENT - SECOND, False),
        (MOMENT.replace(tzinfo=None), MOMENT.replace(tzinfo=None), True),
        (MOMENT.astimezone(timezone(timedelta(hours=9))), MOMENT.astimezone(timezone(timedelta(hours=-5))), True),
        (date(2024, 5, 6), date(2024, 5, 6), True),
        (date(2024, 5, 7), None, False),
        (None, date(2024, 5, 5), False),
        (None, datetime(2024, 5, 6, tzinfo=timezone.utc), False),
        ("2024-05-06", " 20240506 ", True),
        ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z", True),
        ("2024-05-06T16:08:10+09:00", None, False),
        ("2024-05-06 07:08:09", "2024-05-06 07:08:09.5", True),
    ],
    ids=in_order,
)
def test_dates_come_in_many_shapes(store: Store, since: Any, until: Any, is_found: bool) -> None:  # noqa: ANN401
    found = store.search("결제는", strategy="bm25", since=since, until=until)
    assert names(found) == ({"korean"} if is_found else set())


@pytest.mark.parametrize(
    ("filters", "what"),
    [
        ({"since": "yesterday"}, "`since` is `yesterday`, which is not a date"),
        ({"until": ""}, "`until` is `''`, which is not a date"),
        ({"until": 1715000000}, "`until` is `1715000000`, which is not a date"),
        ({"since": MOMENT.time()}, "`since` is `07:08:09`, which is not a date"),
        ({"since": "2024-02-30"}, "`since` is `2024-02-30`, which is not a date"),
        ({"since": timedelta(days=1)}, "`since` is `datetime.timedelta(days=1)`, which is not a date"),
        ({"categories": "decisions"}, "unknown category `decisions`"),
        ({"status": ["active", "gone"]}, "unknown status `gone`"),
        ({"tags": ["hook", 5]}, "`tags` contains `5`, which is not a string"),
        ({"strategy": "magic"}, "unknown strategy `magic`"),
        ({"k": 0}, "the limit 0 is too small"),
    ],
    ids=in_order,
)
def test_what_is_no_filter_is_refused(store: Store, filters: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError) as caught:
        store.search("hook", **filters)
    assert (caught.value.what, bool(caught.value.hint)) == (what, True)


def test_one_text_is_no_list_of_texts(store: Store) -> None:
    with pytest.raises(UsageError, match="`texts` is a single string"):
        store.search_many("hook")


# Writes are seen


def add_by_hand(store: Store) -> None:
    record = SampleMemory("decision", "by-hand", "A hook by hand").record
    (Path(store.root) / ".claude/memory/decisions/by-hand.json").write_text(json.dumps(record))


def delete_by_hand(store: Store) -> None:
    (Path(store.root) / MEMORIES[0].path).unlink()


def add_a_folder(store: Store) -> None:
    (Path(store.memory_dir) / "sessions").mkdir()
    record = SampleMemory("session_summary", "first", "Hook session").record
    (Path(store.memory_dir) / "sessions" / "first.json").write_text(json.dumps(record))


def write_elsewhere(store: Store) -> None:
    program = "import sys, json; from cuecard import Store; Store(sys.argv[1]).add(json.loads(sys.argv[2]))"
    sent = json.dumps(draft("A hook from elsewhere"))
    subprocess.run([sys.executable, "-c", program, store.root, sent], check=True)


CHANGES: list[tuple[Callable[[Store], object], set[str]]] = [
    (add_by_hand, {"no-network", "native-hook", "by-hand"}),
    (delete_by_hand, {"native-hook"}),
    (add_a_folder, {"no-network", "native-hook", "first"}),
    (write_elsewhere, {"no-network", "native-hook", "a-hook-from-elsewhere"}),
    (lambda store: store.add(draft("A hook of ours")), {"no-network", "native-hook", "a-hook-of-ours"}),
    (lambda store: store.retire("native-hook"), {"no-network"}),
    (lambda store: store.restore("old-hook"), {"no-network", "native-hook", "old-hook"}),
]


@pytest.mark.parametrize("is_old", [True, False], ids=["quiet", "busy"])
@pytest.mark.parametrize(
    ("change", "expected"),
    CHANGES,
    ids=["by hand", "deleted", "folder", "elsewhere", "added", "retired", "restored"],
)
def test_a_store_notices_what_changes_between_searches(
    store: Store, change: Callable[[Store], object], expected: set[str], is_old: bool
) -> None:
    if is_old:
        age(Path(store.root))
    assert names(store.search("hook", strategy="keyword")) == {"no-network", "native-hook"}
    before = names(store.search("hook"))
    change(store)
    assert names(store.search("hook", strategy="keyword")) == expected
    assert names(store.search("hook", strategy="bm25")) == expected
    after = names(store.search("hook"))
    assert after >= expected
    assert not (before - expected) & (after & {"no-network", "native-hook"})


def test_an_edit_in_place_shows_at_once(store: Store) -> None:
    age(Path(store.root))
    assert store.search("twins")[0].title == "Two twins give the same result"
    file = Path(store.root) / MEMORIES[2].path
    file.write_text(file.read_text().replace("Two twins", "Both twins"))
    assert store.search("twins")[0].title == "Both twins give the same result"
    file.write_text(file.read_text().replace('"active"', '"archived"'))
    assert store.search("twins", strategy="keyword") == []
    assert "twins" not in names(store.search("twins"))


def test_a_quiet_store_is_loaded_once(store: Store, loads: list[object]) -> None:
    age(Path(store.root))
    for strategy in STRATEGIES:
        store.search("hook", strategy=strategy)
        store.search("hook", strategy=strategy, tags="hook")
    assert len(loads) == 1
    store.add(draft("One more hook"))
    age(Path(store.root))
    store.search("hook")
    assert len(loads) == 2


@pytest.mark.parametrize("has_snapshot", [True, False])
def test_a_search_writes_nothing(store: Store, has_snapshot: bool) -> None:
    if has_snapshot:
        store.add(draft("One more hook"))
    add_by_hand(store)
    (Path(store.memory_dir) / "index.md").unlink()
    before = file_states(Path(store.root))
    assert "by-hand" in names(store.search("hook"))
    assert names(store.search("hook", strategy="keyword_classic")) >= {"by-hand"}
    assert file_states(Path(store.root)) == before


@pytest.mark.parametrize("damage", [b"", b"no snapshot", None])
def test_a_damaged_snapshot_is_passed_over(store: Store, damage: bytes | None) -> None:
    store.add(draft("One more hook"))
    expected = store.search("hook", explain=True)
    snapshot = Path(store.memory_dir) / ".cuecard" / snapshot_files[0]
    snapshot.parent.mkdir(exist_ok=True)
    snapshot.write_bytes(snapshot.read_bytes()[:100] if damage is None and snapshot.exists() else damage or b"")
    assert cuecard.open(store.root).search("hook", explain=True) == expected


def test_threads_share_a_store_that_others_write_to(store: Store) -> None:
    failures: list[object] = []
    is_over = threading.Event()

    def look() -> None:
        try:
            while not is_over.is_set():
                for hits in store.search_many(["hook", "release"], strategy="bm25", explain=True):
                    assert all(sum(part.points for part in hit.parts) == hit.score for hit in hits)
                    assert "native-hook" in names(hits) or "release" in names(hits)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(5):
            store.add(draft(f"Hook of thread {number}"))
            assert f"hook-of-thread-{number}" in names(store.search("hook", 50))
            time.sleep(0.01)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert failures == []


# The handle


def test_without_a_root_it_is_that_of_the_working_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / ".claude")
    assert cuecard.open().root == str(project)


def test_a_store_that_is_not_there_yet_has_nothing_to_find(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    store = Store(tmp_path / "new", create=True)
    assert store.search("hook") == []
    store.add(draft("The first hook"))
    assert names(store.search("hook")) == {"the-first-hook"}


def test_a_store_survives_copying_and_pickling(store: Store) -> None:
    expected = store.search("hook")
    for engine_of_it in (copy.deepcopy(store), pickle.loads(pickle.dumps(store))):
        assert engine_of_it.root == store.root
        assert engine_of_it.search("hook") == expected
