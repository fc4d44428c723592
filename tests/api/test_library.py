"""The library as programs use it: what it finds, how it explains hits, and which arguments it refuses."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuecard
from cuecard import Hit, Part, StoreError, Strategy, UsageError, recall, search
from cuecard._backend import engine
from cuecard._pure.host.host import HOSTS
from cuecard._pure.settings.reader import GATE_SETTINGS
from cuecard._pure.settings.strategy import STRATEGIES as ALL_STRATEGIES
from cuecard.capture.comparing import candidate
from cuecard.importers.source import KINDS
from cuecard.retrieval import search_filters
from cuecard.retrieval.recall import open_recall
from cuecard.store.records import record, store_reader
from cuecard.store.writes import store_writer
from hook_process import Hook, memories_in
from project_settings import DESCRIPTIONS, PROMPT, STRATEGIES, configure, titles
from records import draft
from small_project import MEMORIES, SampleMemory, write_project

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that all tests share, because they do not change it."""
    return write_project(tmp_path_factory.mktemp("shared"), config={"categories": DESCRIPTIONS})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A new project for a single test."""
    return write_project(tmp_path / "project", config={"categories": DESCRIPTIONS})


# What is found


def test_recall_keeps_its_older_name_for_one_release() -> None:
    assert cuecard.recall_prompt is cuecard.recall


def test_a_prompt_recalls_the_best_memory_first_and_no_retired_one(project: Path) -> None:
    assert [hit.path for hit in recall(PROMPT, root=project)] == [MEMORIES[1].path]
    assert [(hit.score, hit.path) for hit in recall(PROMPT, root=project, strategy="keyword")] == [
        (10, ".claude/memory/decisions/native-hook.json"),
        (5, ".claude/memory/constraints/no-network.json"),
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "retrieval", [{}, {"max_inject": 1}, {"max_inject": 0}, {"enabled": False}], ids=lambda value: json.dumps(value)
)
@pytest.mark.parametrize("prompt", [PROMPT, "hook", "   hook    ", "release the wheel", "nothing of the kind"])
def test_recall_is_what_every_hook_injects(
    hook: Hook, project: Path, prompt: str, retrieval: dict[str, object], strategy: Strategy
) -> None:
    config = {"retrieval": retrieval, "categories": DESCRIPTIONS}
    (project / ".claude" / "memory" / "memory-config.json").write_text(json.dumps(config))
    sent = json.dumps({"prompt": prompt, "cwd": str(project)}).encode()
    ran = hook.run("prompt", "--host", "plain", "--strategy", strategy, stdin=sent, cwd=project)
    recalled = recall(prompt, root=project, strategy=strategy)
    titles_by_path = {memory.path: memory.title for memory in MEMORIES}
    shown = memories_in(ran.stdout.decode(), titles_by_path)
    paths = [hit.path for hit in recalled]
    assert (sorted(shown) == sorted(paths)) if strategy == "hybrid" else (shown == paths)
    injection = open_recall(project, strategy=strategy).inject(prompt, host="plain")
    assert ran.stdout.decode() == injection.block
    assert [memory.hit.path for memory in injection.memories] == paths


def test_search_has_no_gate(project: Path) -> None:
    configure(enabled=False, max_inject=0)
    assert recall("hook", root=project) == []
    expected = ["The hook is a native executable, no Python script", "The hook never opens the network"]
    assert titles(search("hook", root=project, strategy="keyword")) == expected
    assert sorted(titles(search("hook", root=project))[:2]) == expected


@given(query=st.lists(st.sampled_from(["hook", "wheel", "release", "native", "twins", "words"])).map(" ".join))
def test_a_longer_limit_changes_no_earlier_hit(shared_project: Path, query: str) -> None:
    recaller = open_recall(shared_project)
    everything = recaller.search(query, k=100, explain=True)
    for limit in range(1, len(everything) + 2):
        assert recaller.search(query, k=limit, explain=True) == everything[:limit]


def test_a_limit_passes_the_twenty_memories_whose_files_are_read(tmp_path: Path) -> None:
    memories = [SampleMemory("decision", f"d{number}", f"Hook number {number:02}") for number in range(30)]
    project = write_project(tmp_path / "many", *memories)
    found = search("hook", root=project, k=25, strategy="keyword")
    assert titles(found) == [memory.title for memory in memories[:25]]
    assert len(search("hook", root=project, k=25)) == 25


def test_text_that_is_no_unicode_is_searched_all_the_same(project: Path) -> None:
    for strategy in STRATEGIES:
        assert titles(search("\ud800 twins \udfff", root=project, strategy=strategy))[:1] == [MEMORIES[2].title]


def test_a_missing_index_is_rebuilt_in_memory_and_nothing_is_written(project: Path) -> None:
    store = project / ".claude" / "memory"
    expected = recall(PROMPT, root=project)
    (store / "index.md").unlink()
    before = sorted(store.rglob("*"))
    rebuilt = recall(PROMPT, root=project)
    assert [hit.path for hit in rebuilt] == [hit.path for hit in expected]
    assert sorted(store.rglob("*")) == before


def test_a_damaged_memory_silences_classic_recall_as_it_does_the_hook_but_no_search(project: Path) -> None:
    store = project / ".claude" / "memory"
    (store / "index.md").unlink()
    (store / "decisions" / "bad.json").write_text("[]")
    recaller = open_recall(project, strategy="keyword_classic")
    assert recaller.recall(PROMPT) == []
    assert recaller.why_silent(PROMPT).startswith("index.md is missing and a memory is damaged")
    assert recaller.search("twins")
    assert recaller.notes == ["left `.claude/memory/decisions/bad.json` out of index.md: not a JSON object"]


@pytest.mark.parametrize("strategy", ["hybrid", "keyword", "bm25", "tfidf", "vectors"])
def test_a_damaged_memory_silences_nothing_else(project: Path, strategy: Strategy) -> None:
    (project / ".claude" / "memory" / "decisions" / "bad.json").write_text("[]")
    recaller = open_recall(project, strategy=strategy)
    assert titles(recaller.recall(PROMPT))[0] == MEMORIES[1].title
    assert recaller.why_silent(PROMPT) == ""
    assert recaller.notes == ["left `.claude/memory/decisions/bad.json` out of the snapshot: not a JSON object"]


def test_the_files_are_the_truth_whatever_the_index_says(project: Path) -> None:
    index = project / ".claude" / "memory" / "index.md"
    index.write_text("- [DECISION] Twins of old -> .claude/memory/decisions/twins.json\n")
    assert titles(search("twins", root=project))[0] == "Two twins give the same result"
    assert titles(search("twins", root=project, strategy="keyword")) == ["Two twins give the same result"]
    assert titles(search("twins", root=project, strategy="keyword_classic")) == ["Twins of old"]


# How it is explained


@given(
    query=st.lists(
        st.sampled_from(["hook", "exec", "executables", "releases", "releas", "why", "native", "publishing", "pure"]),
        unique=True,
    ).map(" ".join),
    strategy=st.sampled_from(STRATEGIES),
)
def test_the_parts_sum_to_the_score(shared_project: Path, query: str, strategy: Strategy) -> None:
    for hit in search(query, root=shared_project, strategy=strategy, explain=True):
        assert sum(part.points for part in hit.parts) == hit.score
        assert all(part.points > 0 for part in hit.parts)


def test_a_hit_says_what_matched_and_that_it_is_recent(project: Path) -> None:
    (hit,) = search("releasing wheels", root=project, strategy="keyword", explain=True)
    memory = MEMORIES[4]
    assert hit == Hit(
        "RUNBOOK",
        memory.title,
        memory.path,
        memory.tags,
        2,
        (
            Part("prefix", "wheels", "wheel", 1),
            Part("recency", "", "", 1),
        ),
    )


# Where memories are found


@pytest.mark.parametrize("inside", ["", ".claude/memory"])
def test_a_root_is_a_project_or_its_memory_folder(project: Path, inside: str) -> None:
    recaller = open_recall(project / inside)
    assert recaller.root == str(project)
    assert recaller.search("twins")


def test_without_a_root_it_is_the_nearest_project_from_the_working_directory_upwards(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert open_recall().root == str(project)


def test_a_given_root_goes_before_the_environment_and_that_before_the_working_directory(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, given_root = (write_project(tmp_path / name) for name in ("named", "given"))
    monkeypatch.chdir(project)
    monkeypatch.setenv("CUECARD_ROOT", str(named))
    assert open_recall().root == str(named)
    assert open_recall(given_root).root == str(given_root)


def test_a_given_strategy_goes_before_the_environment_and_that_before_the_settings(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(match_strategy="keyword_classic")
    assert open_recall(project).strategy == "keyword_classic"
    monkeypatch.setenv("CUECARD_STRATEGY", "keyword")
    assert open_recall(project).strategy == "keyword"
    assert open_recall(project, strategy="keyword_classic").strategy == "keyword_classic"
    of_the_plugin = open_recall(project, strategy="title_tags")  # type: ignore[arg-type]
    assert of_the_plugin.strategy == "keyword"


# What is refused


def test_without_a_project_there_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no folder from the working directory upwards") as caught:
        search("hook")
    assert "name its folder" in caught.value.hint
    with pytest.raises(StoreError, match=r"`nowhere` is not a project with `\.claude/memory`"):
        recall(PROMPT, root="nowhere")


def test_a_root_of_the_environment_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUECARD_ROOT", "/nowhere/at/all")
    with pytest.raises(StoreError, match="`CUECARD_ROOT` is not a project"):
        search("hook")


def test_an_unknown_strategy_is_an_error_that_names_the_known_ones(project: Path) -> None:
    with pytest.raises(UsageError, match="unknown strategy `bm26`") as caught:
        # The comment is also a check: if the type checker accepted the name, it would report the comment as unused.
        search("hook", root=project, strategy="bm26")  # type: ignore[arg-type]
    assert all(f"`{strategy}`" in caught.value.hint for strategy in STRATEGIES)
    assert all(f"`{strategy}`" in str(caught.value) for strategy in STRATEGIES)


ACCEPTED = {
    cuecard.Strategy: ALL_STRATEGIES,
    cuecard.GateSetting: GATE_SETTINGS,
    cuecard.Category: search_filters.CATEGORIES,
    cuecard.Status: store_reader.STATUSES,
    cuecard.StatusFilter: search_filters.STATUSES,
    cuecard.WriteTrust: store_writer.TRUSTS,
    cuecard.HostName: HOSTS,
    cuecard.ImportKind: KINDS,
    cuecard.LifecycleEvent: candidate.LIFECYCLE_EVENTS,
    cuecard.Tokens: candidate.TOKENS,
}


def test_the_types_of_options_have_the_names_that_the_code_accepts() -> None:
    assert ALL_STRATEGIES == STRATEGIES
    for options, accepted in ACCEPTED.items():
        assert get_args(options) == accepted
    for categories in (store_reader.CATEGORIES, candidate.CATEGORIES, record.CATEGORIES):
        assert set(categories) == set(get_args(cuecard.Category))
    types = {name for name in cuecard.__all__ if get_args(getattr(cuecard, name))}
    assert {getattr(cuecard, name) for name in types} == set(ACCEPTED)


def refused(store: cuecard.Store) -> dict[object, Callable[[Any], object]]:
    """For each type of option, a call with the option's value as its argument."""
    return {
        cuecard.Strategy: lambda name: store.search("hook", strategy=name),
        cuecard.GateSetting: lambda name: store.recall(PROMPT, setting=name),
        cuecard.Category: lambda name: store.search("hook", categories=name),
        cuecard.Status: lambda name: store.memories(status=name),
        cuecard.StatusFilter: lambda name: store.search("hook", status=name),
        cuecard.WriteTrust: lambda name: store.add({}, trust=name),
        cuecard.HostName: lambda name: store.inject(PROMPT, host=name),
        cuecard.ImportKind: lambda name: store.import_(store.root, kind=name),
        cuecard.LifecycleEvent: lambda name: cuecard.find_candidate(
            "decision", "x", root=store.root, lifecycle_event=name
        ),
        cuecard.Tokens: lambda name: cuecard.find_candidate("decision", "x", root=store.root, tokens=name),
    }


@pytest.mark.parametrize("options", ACCEPTED, ids=lambda options: "-".join(get_args(options)))
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(project: Path, options: object) -> None:
    with pytest.raises(UsageError, match="`magic`") as caught:
        refused(cuecard.open(project))[options]("magic")
    assert all(f"`{name}`" in str(caught.value) for name in get_args(options))


def test_an_unknown_option_is_an_error_that_lists_the_known_ones(project: Path) -> None:
    store = cuecard.open(project)
    for call in (
        lambda: store.search("hook", stratergy="bm25"),  # type: ignore[call-arg]
        lambda: store.recall(PROMPT, stratergy="bm25"),  # type: ignore[call-arg]
        lambda: store.inject(PROMPT, stratergy="bm25"),  # type: ignore[call-arg]
        lambda: store.trace(PROMPT, "native-hook", stratergy="bm25"),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError, match=r"there is no option `stratergy`; the options are .*\bstrategy\b"):
            call()


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_under_one_is_an_error(project: Path, limit: int) -> None:
    with pytest.raises(UsageError, match=f"the limit {limit} is too small"):
        search("hook", root=project, k=limit)


def test_an_index_that_cannot_be_read_is_an_error_where_it_is_needed(project: Path) -> None:
    index = project / ".claude" / "memory" / "index.md"
    index.unlink()
    index.mkdir()
    with pytest.raises(StoreError, match=r"index\.md cannot be read"):
        search("hook", root=project, strategy="keyword_classic")
    assert len(search("hook", root=project, strategy="keyword")) == 2
    assert titles(recall(PROMPT, root=project)) == [MEMORIES[1].title]


# One class for all operations: `Store`


def test_a_store_reads_writes_and_looks_back(project: Path, tmp_path: Path) -> None:
    store = cuecard.open(project)
    memory = {"title": "Keep the cache small", "tags": ["cache"], "content": draft(category="preference")["content"]}
    written = store.add(memory, category="preference")
    assert titles(store.search("small cache", k=1)) == ["Keep the cache small"]
    assert store.update(written.id, {"tags": ["cache", "memory"]}).status == "updated"
    assert store.retire(written.id, reason="no cache").status == "retired"
    assert titles(store.search("small cache", k=1)) != ["Keep the cache small"]
    assert store.restore(written.id).status == "restored"
    assert store.archive(written.id).status == "archived"
    assert store.restore(written.id).status == "restored"
    notes = tmp_path / "CLAUDE.md"
    notes.write_text("# Rules\n\n- Always run the linter before a commit, because the gate refuses what it finds.\n")
    assert [outcome.status for outcome in store.import_(notes, dry_run=True)] == ["created"]
    assert not [memory for memory in store.memories() if "linter" in memory.title]
    [imported] = store.import_(notes)
    assert store.show(imported.target).status == "active"
    assert store.consolidate().compared == len(store.memories())
    assert store.gc(dry_run=True).expired == []
    assert store.index().lines == len(store.memories())
    assert store.log().events == []
    assert (store.stats().prompts, store.stats().active) == (0, len(store.memories()))


def test_log_and_stats_tell_what_the_hook_has_done(hook: Hook, project: Path) -> None:
    sent = json.dumps({"prompt": PROMPT, "cwd": str(project)}).encode()
    hook.run("prompt", "--host", "plain", stdin=sent, cwd=project)
    store = cuecard.open(project)
    [event] = store.log().events
    assert [memory.id for memory in event.shown] == ["native-hook"]
    assert store.log().select(since="1h", is_silent=False) == [event]
    assert store.log().select(is_silent=True) == []
    assert (store.stats().prompts, store.stats().answered) == (1, 1)


def test_shortcuts_are_the_methods_of_the_nearest_store(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    store = cuecard.open()
    assert cuecard.search("hook", 1) == store.search("hook", 1)
    assert recall(PROMPT, explain=True) == store.recall(PROMPT, explain=True)
    assert cuecard.inject(PROMPT, limit=1) == store.inject(PROMPT, limit=1)
    assert cuecard.trace(PROMPT, "native-hook") == store.trace(PROMPT, "native-hook")


def test_what_is_read_once_stays_and_the_store_follows(project: Path) -> None:
    store = cuecard.open(project)
    once = store.read_once()
    assert titles(once.search("twins")) == titles(store.search("twins"))
    store.add(draft("Twins of a new kind"))
    assert "Twins of a new kind" not in titles(once.search("twins"))
    assert "Twins of a new kind" in titles(store.search("twins"))


# Both backends, what the documentation shows, and what an import costs


def test_the_page_of_the_library_shows_what_happens(tmp_path: Path, native: object) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    memory = SampleMemory(
        "decision", "payments-queue", "Retry payments on gateway timeout", ("payments",), "2026-02-01T00:00:00Z"
    )
    program = "\n".join(blocks)
    promised = re.findall(r"^(index\.\S.*\)) +# (\[.*\])$", program, re.MULTILINE)
    assert len(promised) == 3
    for call, result in promised:
        program = program.replace(call, f"assert {call} == {result}, {call}")
    for backend in ("native", "pure"):
        # The page's examples also write memories.
        project = write_project(tmp_path / backend, memory)
        environment = {**os.environ, "CUECARD_BACKEND": backend}
        command = [sys.executable, "-W", "error", "-c", program]
        ran = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.endswith(f" DECISION {memory.title} {memory.path}\n")


def test_both_backends_give_the_same_hits(project: Path, native: object) -> None:
    program = (
        "import sys, cuecard\n"
        "from cuecard.retrieval.recall import open_recall\n"
        "for strategy in ('hybrid', 'bm25', 'tfidf', 'vectors', 'keyword', 'keyword_classic'):\n"
        "    recaller = open_recall(sys.argv[1], strategy=strategy)\n"
        "    for query in sys.argv[2:]:\n"
        "        print(recaller.recall(query, explain=True), recaller.search(query, explain=True))\n"
        "        print(repr(recaller.why_silent(query)))\n"
        "print(cuecard.backend, file=sys.stderr)\n"
    )
    queries = [PROMPT, "hook", "releasing wheels", "plain messages of the twins", "\N{GREEK SMALL LETTER ALPHA}"]
    printed = []
    for backend in ("native", "pure"):
        ran = subprocess.run(
            [sys.executable, "-c", program, str(project), *queries],
            env={**os.environ, "CUECARD_BACKEND": backend},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stderr.strip() == backend
        printed.append(ran.stdout)
    assert printed[0] == printed[1]
    assert "native-hook.json" in printed[0]


def test_every_public_name_is_there_and_listed() -> None:
    assert dir(cuecard) == sorted(cuecard.__all__)
    assert all(getattr(cuecard, name) is not None for name in cuecard.__all__)
    assert cuecard.Index is engine.Index
    assert repr(cuecard.Index) == "<class 'cuecard.Index'>"
    with pytest.raises(AttributeError, match="has no attribute 'magic'"):
        cuecard.magic  # noqa: B018


def test_the_library_imports_neither_the_command_nor_what_it_needs() -> None:
    program = "import sys, cuecard; cuecard.Store; cuecard.search; print(*sys.modules, sep='\\n')"
    imported = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, sys.argv[1]); {program}", package_home()],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert "cuecard.retrieval.hit" in imported
    heavy = {"datetime", "dataclasses", "json", "pathlib", "pydantic", "re", "rich", "typing"}
    assert not heavy & set(imported)


def test_the_package_itself_imports_nothing() -> None:
    program = "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); import cuecard; "
    program += "print(*set(sys.modules) - before)"
    command = [sys.executable, "-I", "-S", "-c", program, package_home()]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "cuecard\n"


def package_home() -> str:
    return str(Path(cuecard.__file__).parent.parent)
