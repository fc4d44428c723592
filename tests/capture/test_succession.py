"""The relations between a new memory and existing ones: every write asks about them; they are recorded and shown."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import command_process
from command_process import error_of, run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.commit_write import Provenance
from cuecard.capture.comparing.neighbours import MIN_SIMILARITY, MIN_SIMILARITY_BESIDE, Neighbourhood
from cuecard.capture.comparing.relations import VERDICTS
from cuecard.errors import UsageError, ValidationError
from cuecard.importers.run import import_source
from cuecard.mcp.project import OpenProject
from cuecard.mcp.write_tools import save
from cuecard.store.records.memory import Memory
from cuecard.store.records.unsaid import PLACEHOLDERS
from handed_in import draft, hand_in, names, staged
from records import put, read, read_files, stored
from relation_pairs import EVALUATION

ROOT = Path(__file__).resolve().parents[2]
OLD_ID = "job-queue-on-postgresql-not-on-redis"
OLD = f"decision/{OLD_ID}"
QUEUE: dict[str, Any] = {
    "title": "Job queue on PostgreSQL, not on Redis",
    "tags": ["queue", "postgres"],
    "content": {
        "status": "accepted",
        "context": "We need a queue for thumbnails.",
        "decision": "Jobs are stored in PostgreSQL with SKIP LOCKED.",
        "rationale": ["One service less to run"],
    },
}
STREAMS: dict[str, Any] = {
    "title": "Thumbnails are queued in Redis, not in PostgreSQL",
    "tags": ["queue", "redis"],
    "content": {
        "status": "accepted",
        "context": "We need a queue for thumbnails.",
        "decision": "Jobs go through Redis Streams with a consumer group.",
        "rationale": ["Polling a table wastes connections"],
    },
    "cuecard": {
        "questions": ["where do the thumbnails wait?"],
        "evidence": [{"kind": "commit", "ref": "1a2b3c4"}],
    },
}
NEW = "thumbnails-are-queued-in-redis-not-in-postgresql"
PAPER = ("Cut paper with the long blade", {"status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]})


@pytest.fixture
def filled(store: Store) -> Store:
    store.add({"category": "decision", **QUEUE})
    store.add({"category": "decision", "title": PAPER[0], "tags": ["paper"], "content": PAPER[1]})
    return store


def proposed(**members: object) -> dict[str, Any]:
    """A draft that contradicts an existing memory of the store."""
    return draft(STREAMS["title"], tags=STREAMS["tags"], content=STREAMS["content"], **STREAMS["cuecard"]) | members


def answered(verdict: str) -> dict[str, Any]:
    return proposed(relations=[{"id": OLD, "verdict": verdict}])


# Capture


def test_a_draft_that_is_similar_waits_and_the_question_is_all_that_is_printed(filled: Store) -> None:
    folder = staged(filled)
    before = read_files(filled)
    ran = hand_in(filled, folder, proposed())
    assert ran.code == 3
    asked = json.loads(ran.stdout)
    assert all(f"`{verdict}`" in asked["question"] for verdict in VERDICTS)
    [about] = asked["drafts"]
    assert about["title"] == STREAMS["title"]
    [near] = about["similar"]
    assert (near["id"], near["title"]) == (OLD, QUEUE["title"])
    assert near["excerpt"] == "Jobs are stored in PostgreSQL with SKIP LOCKED."
    assert near["similarity"] >= 0.5
    assert "`thumbnails`" in near["reason"]
    assert read_files(filled) == before
    assert "triage.json" in names(folder)
    [kept] = folder.glob("failed-*.json")
    assert json.loads(kept.read_bytes()) == [proposed()]


def test_the_answer_is_the_same_draft_with_relations_and_the_draft_waits_no_longer(filled: Store) -> None:
    folder = staged(filled)
    assert hand_in(filled, folder, proposed()).code == 3
    ran = hand_in(filled, folder, answered("unrelated"))
    assert (ran.code, ran.stdout) == (0, f"created  .claude/memory/decisions/{NEW}.json\n")
    assert names(folder) == ["handled-4096"]
    assert filled.show(OLD).status == "active"
    assert set(read(filled, NEW)["cuecard"]) == {"origin", "source", "questions", "evidence"}


def test_nobody_is_asked_about_a_memory_of_the_same_session(filled: Store) -> None:
    sibling = answered("unrelated")
    sibling["partial_content"]["title"] = "Thumbnails wait in Redis Streams"
    for one, session, status in (
        (answered("unrelated"), "a", "created"),
        (sibling, "b", "asked"),
        (sibling, "a", "created"),
    ):
        provenance = Provenance("agent", {"session": session})
        [done] = commit_drafts(filled, [one], provenance=provenance, asks=True).outcomes
        assert done.status == status


def test_an_update_says_once_which_words_of_the_old_text_it_drops(filled: Store) -> None:
    content = {"decision": "Jobs are stored in PostgreSQL."}
    lost = (
        "the text that was replaced has `SKIP`, `LOCKED`, which the new one lacks; update it again if that still holds"
    )
    for notes in ([lost], []):
        [done] = commit_drafts(filled, [draft(QUEUE["title"], action="update", content=content)], asks=True).outcomes
        assert done.notes == notes


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (
            "Les délais expirent le jour du même quantième, à défaut le dernier du mois",
            "Un délai expire le jour du quantième",
            ["`dernier`"],
        ),
        ("Die Gebühr wird bei der Buchung berechnet", "Bei Buchungen rechnen wir Gebühren ab", ["`berechnet`"]),
        ("Delete the folder after 3 builds", "Remove the directory after 3 builds", []),
        ("Delete the folder after 3 builds", "Remove the directory after builds", ["`3`"]),
    ],
)
def test_only_words_with_a_meaning_are_said_to_be_dropped(
    filled: Store, before: str, after: str, lost: list[str]
) -> None:
    commit_drafts(filled, [draft("Fees", content={"status": "accepted", "decision": before})])
    [done] = commit_drafts(filled, [draft("Fees", action="update", content={"decision": after})], asks=True).outcomes
    assert re.findall("`[^` ]+`", "".join(done.notes)) == lost


def test_a_successor_says_too_which_words_it_drops(filled: Store) -> None:
    [done] = commit_drafts(filled, [answered("updates")], asks=True).outcomes
    assert any("`SKIP`, `LOCKED`" in note for note in done.notes)


def test_what_updates_a_memory_takes_its_place_in_one_operation(filled: Store) -> None:
    [done] = commit_drafts(filled, [answered("updates")], asks=True).outcomes
    assert done.status == "created"
    assert done.written is not None
    assert done.written.superseded == [OLD_ID]
    assert read(filled, NEW)["cuecard"]["supersedes"] == [OLD]
    old = read(filled, OLD_ID)
    assert old["record_status"] == "retired"
    assert old["retired_reason"] == f"superseded by {NEW}"


def test_what_is_the_same_adds_what_the_old_memory_lacks_and_loses_nothing(filled: Store) -> None:
    old = filled.show(OLD)
    [done] = commit_drafts(filled, [answered("same")], asks=True).outcomes
    assert (done.status, done.target) == ("updated", old.path)
    record = filled.show(OLD).record
    assert record["content"] == old.record["content"]
    assert record["title"] == old.record["title"]
    assert record["tags"] == [*old.record["tags"], "redis"]
    questions = ["Thumbnails are queued in Redis, not in PostgreSQL", *STREAMS["cuecard"]["questions"]]
    assert record["cuecard"] == {**STREAMS["cuecard"], "questions": questions}
    assert [memory.id for memory in filled.memories("decision")].count(NEW) == 0
    [again] = commit_drafts(filled, [answered("same")], asks=True).outcomes
    assert again.status == "unchanged"


def test_a_contradiction_is_recorded_and_consolidate_shows_it_until_it_is_decided(filled: Store) -> None:
    [done] = commit_drafts(filled, [answered("contradicts")], asks=True).outcomes
    assert done.status == "created"
    assert read(filled, NEW)["cuecard"]["contradicts"] == [OLD]
    assert filled.show(OLD).status == "active"
    [pair] = filled.consolidate().pairs
    assert (pair.kind, {pair.newer.id, pair.older.id}) == ("contradiction", {NEW, OLD_ID})
    assert "contradicts" in run_in(filled, "lineage", NEW).stdout
    assert filled.consolidate(apply=True, contradictions=True).pairs[0].outcome == "linked"
    assert filled.consolidate().pairs == []


def test_a_recorded_contradiction_of_two_categories_is_shown(store: Store) -> None:
    put(store, stored("never-on-fridays", "constraint", title="No deployments on Fridays"))
    put(store, stored("ship-daily", title="Ship each day", cuecard={"contradicts": ["constraint/never-on-fridays"]}))
    [pair] = store.consolidate().pairs
    assert pair.why == "recorded in `decision/ship-daily`"


@pytest.mark.parametrize(
    ("relations", "field"),
    [
        ("no list", "relations"),
        ([{"id": "", "verdict": "same"}], "relations[0].id"),
        ([{"id": OLD, "verdict": "perhaps"}], "relations[0].verdict"),
        ([{"id": OLD, "verdict": "same"}, {"id": OLD, "verdict": "updates"}], "relations[1].id"),
        ([{"id": OLD, "verdict": "same"}, {"id": "other", "verdict": "same"}], "relations"),
    ],
    ids=["no-list", "no-id", "verdict", "twice", "two-same"],
)
def test_relations_that_say_nothing_are_refused_by_their_place(filled: Store, relations: object, field: str) -> None:
    before = read_files(filled)
    [done] = commit_drafts(filled, [proposed(relations=relations)], asks=True).outcomes
    assert isinstance(done.error, ValidationError)
    assert done.error.field == f"drafts[0].{field}"
    assert read_files(filled) == before


def test_an_answer_about_another_memory_leaves_the_question_open(filled: Store) -> None:
    other = proposed(relations=[{"id": "cut-paper-with-the-long-blade", "verdict": "unrelated"}])
    assert [outcome.status for outcome in commit_drafts(filled, [other], asks=True).outcomes] == ["asked"]
    missing = proposed(relations=[{"id": "decision/nowhere", "verdict": "same"}])
    [done] = commit_drafts(filled, [missing], asks=True).outcomes
    assert done.error is not None
    assert done.error.code == "NOT_FOUND_ERROR"


def test_the_same_drafts_change_nothing_a_second_time(filled: Store) -> None:
    for expected in ("created", "unchanged"):
        [done] = commit_drafts(filled, [answered("updates")], asks=True).outcomes
        assert done.status == expected


# MCP


def test_an_agent_is_asked_by_memory_save_and_answers_with_relations(filled: Store) -> None:
    project = OpenProject(filled.root)
    arguments = {"category": "decision", **STREAMS}
    before = read_files(filled)
    asked = save(project, arguments)
    assert asked["status"] == "needs_relations"
    assert isinstance(asked["similar"], list)
    assert [row["id"] for row in asked["similar"]] == [OLD]
    assert read_files(filled) == before
    done = save(project, {**arguments, "relations": [{"id": OLD, "verdict": "updates"}]})
    assert (done["status"], done["superseded"]) == ("created", [OLD_ID])
    assert save(project, {**arguments, "relations": [{"id": OLD, "verdict": "updates"}]})["status"] == "unchanged"


# Scripts and people


def test_a_script_adds_and_is_told_what_is_similar(filled: Store) -> None:
    ran = run_in(filled, "add", send={"category": "decision", **STREAMS})
    assert (ran.code, ran.stdout) == (0, f"created  .claude/memory/decisions/{NEW}.json\n")
    assert re.fullmatch(
        rf'note: similar \([01]\.\d\d\): `{OLD}` "{QUEUE["title"]}" of [-0-9]+: shares .*\n', ran.stderr
    )


@pytest.mark.parametrize(("policy", "status"), [("add", "active"), ("update", "retired")])
def test_a_script_can_decide_beforehand(filled: Store, policy: str, status: str) -> None:
    ran = run_in(filled, "add", "--on-similar", policy, "--json", send={"category": "decision", **STREAMS})
    assert (ran.code, ran.document["status"]) == (0, "created")
    assert [row["id"] for row in ran.document["similar"]] == [OLD]
    assert filled.show(OLD).status == status


def test_a_script_can_leave_a_similar_memory_out_or_fail(filled: Store) -> None:
    before = read_files(filled)
    record = {"category": "decision", **STREAMS}
    ran = run_in(filled, "add", "--on-similar", "skip", "--json", send=record)
    assert (ran.code, ran.document["status"]) == (0, "skipped")
    ran = run_in(filled, "add", "--on-similar", "fail", "--json", send=record)
    assert ran.code == 1
    assert OLD in error_of(ran)["what"]
    assert read_files(filled) == before
    ran = run_in(filled, "add", "--on-similar", "ask", send=record)
    assert ran.code == 2
    assert read_files(filled) == before


def test_a_person_is_asked_on_the_terminal(filled: Store) -> None:
    root = Path(filled.root)
    said = "Thumbnails are queued in Redis, not in PostgreSQL"
    # The lines that are typed: the reason, the tags and a question; then an unknown verdict, and a valid verdict.
    typed = f"{STREAMS['content']['decision']}\nqueue, redis\nwhere do thumbnails wait?\nperhaps\nupdates\n"
    arguments = ("add", said, "--category", "decision")
    ran = command_process.run_on_terminal(root.parent, root, *arguments, typed=typed, columns=400)
    assert ran.code == 0, ran
    assert OLD in ran.stdout + ran.stderr
    assert filled.show(OLD).status == "retired"
    assert read(filled, NEW)["cuecard"]["supersedes"] == [OLD]


# Imports

RULE = "# Rules\n\n- Thumbnails wait for their turn in Redis, never in a table of PostgreSQL.\n"


@pytest.fixture
def ruled(store: Store) -> Store:
    content = {
        "topic": "thumbnails",
        "value": "Thumbnails wait for their turn in PostgreSQL, never in Redis.",
        "reason": "one service less",
        "strength": "strong",
    }
    for category in ("preference", "constraint"):
        record = stored(f"queue-{category}", category, title="Thumbnails wait in PostgreSQL", tags=["thumbnails"])
        put(store, record | ({"content": content} if category == "preference" else {}))
    Path(store.root, "CLAUDE.md").write_text(RULE)
    return store


def test_an_import_leaves_a_similar_section_out_and_says_so(ruled: Store) -> None:
    before = read_files(ruled)
    [row] = import_source(ruled, str(Path(ruled.root, "CLAUDE.md")))
    assert row.status == "skipped"
    assert row.target.endswith("/queue-preference.json") or row.target.endswith("/queue-constraint.json")
    assert "--on-similar add" in row.why
    assert row.as_dict()["similar"]
    assert read_files(ruled) == before


@pytest.mark.parametrize(("policy", "status"), [("add", "created"), ("update", "created"), ("fail", "failed")])
def test_an_import_can_be_told_otherwise(ruled: Store, policy: str, status: str) -> None:
    [row] = import_source(ruled, str(Path(ruled.root, "CLAUDE.md")), on_similar=policy)
    assert row.status == status
    retired = [memory.id for memory in ruled.memories(status="retired")]
    assert bool(retired) == (policy == "update")
    [again] = import_source(ruled, str(Path(ruled.root, "CLAUDE.md")), on_similar=policy)
    assert again.status == ("unchanged" if status == "created" else "failed")


def test_an_import_knows_four_policies(ruled: Store) -> None:
    with pytest.raises(UsageError):
        import_source(ruled, str(Path(ruled.root, "CLAUDE.md")), on_similar="perhaps")


# Similarity


def test_a_store_without_memories_has_no_neighbours() -> None:
    assert Neighbourhood([]).find({"title": "Anything"}, "decision") == []


def test_a_summary_of_a_session_is_compared_with_nothing(store: Store) -> None:
    put(store, stored("yesterday", "session_summary", title="Moved the queue to Redis"))
    record = {"title": "Moved the queue to Redis", "tags": ["queue"]}
    neighbourhood = Neighbourhood(store.memories())
    assert neighbourhood.find(record, "session_summary") == neighbourhood.find(record, "decision") == []


def test_memories_of_two_languages_meet(store: Store) -> None:
    content = {
        "topic": "価格表示",
        "value": "一覧も詳細もカートも税込価格だけを出す。",
        "reason": "r",
        "strength": "strong",
    }
    put(
        store,
        stored("kakaku", "preference", title="価格はすべて税込で表示する", tags=["価格", "表示"], content=content),
    )
    put(store, stored("paper", "preference", title="Cut paper with the long blade", tags=["paper"]))
    record = {
        "title": "Show prices without tax in lists and on product pages",
        "tags": ["price", "display"],
        "content": {"topic": "price display", "value": "Lists and basket show net prices.", "reason": "companies"},
    }
    [found] = Neighbourhood(store.memories()).find(record, "preference")
    assert found.name == "preference/kakaku"
    assert "another language" in found.reason


@pytest.mark.slow
@pytest.mark.skipif(not EVALUATION.is_dir(), reason="the evaluation set is absent")
def test_the_judged_partners_are_shown_and_unrelated_drafts_show_little() -> None:
    """The figures are the same as in `docs/reference/succession.md`."""
    command = [sys.executable, str(ROOT / "tools/measure_relations.py")]
    said = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    lines = [line for line in said.splitlines() if line.startswith("all ")]
    related = [sum(map(int, re.findall(r"(?:same|updates|contradicts) (\d+)/", line))) for line in lines]
    unrelated = [tuple(map(int, re.findall(r"anything (\d+)/(\d+)", line)[0])) for line in lines]
    # The first set and the policies of one house; no value was chosen to fit the second set.
    assert (related[0] >= 28, related[1] >= 27, related[2]) == (True, True, 10)
    assert [size for _shown, size in unrelated] == [200, 100, 48]
    assert all(shown * 10 <= size for shown, size in unrelated)
    assert all("updates 10/10" in line for line in lines[:2])


def memory_of(title: str, value: str) -> Memory:
    record = {"title": title, "tags": [], "content": {"topic": "", "value": value, "reason": ""}}
    return Memory(b"", "preference", "preferences/one.json", {"id": "one", **record})


@pytest.mark.parametrize(
    ("title", "value", "new", "shared"),
    [
        ("Power banks fly with the device", "They stay in hand baggage.", "Powerbanks need a label", "Powerbanks"),
        ("Timeouts of the gateway", "Set the timeout to 5 seconds.", "Time outs of uploads are longer", "timeout"),
        (
            "Luftfracht nur mit Etikett",
            "Das ist nicht immer so, und der Kunde zahlt.",
            "Freight is paid ahead",
            "Freight",
        ),
    ],
)
def test_words_written_as_one_or_as_two_are_the_same(title: str, value: str, new: str, shared: str) -> None:
    [found] = Neighbourhood([memory_of(title, value)]).find(dict(memory_of(new, "").record), "preference", least=0.0)
    assert shared.lower() in [word.lower() for word in found.shared]


def test_words_that_say_nothing_in_their_language_bring_nothing_together() -> None:
    german = memory_of("Die Lieferung ist nicht über Nacht", "Sie werden sonst nach einem Tag mit der Post gebracht.")
    english = memory_of("Die casting takes an hour", "Less heat, so the mould will not crack.")
    found = Neighbourhood([german]).find(dict(english.record), "preference", least=0.0)
    assert "die" not in [word.lower() for each in found for word in each.shared]


@pytest.mark.parametrize("placeholder", sorted(PLACEHOLDERS))
def test_what_stands_for_a_reason_that_nobody_gave_is_shared_by_nobody(placeholder: str) -> None:
    def without_reason(title: str) -> Memory:
        record = memory_of(title, title).record
        return Memory(b"", "preference", "preferences/one.json", {**record, "content": {"reason": placeholder}})

    [found] = Neighbourhood([without_reason("Always use pnpm")]).find(
        dict(without_reason("Use tabs").record), "preference", least=0.0
    )
    assert found.shared == ("Use",)
    assert found.as_dict()["excerpt"] != placeholder


def test_a_neighbour_beside_the_nearest_needs_less() -> None:
    near = memory_of("Deploy with make deploy on Fridays", "Run make deploy on the bastion host.")
    beside = Memory(
        b"",
        "preference",
        "preferences/two.json",
        {**memory_of("Make keys on the bastion host", "Deploy them with make.").record, "id": "two"},
    )
    new = dict(memory_of("Deploy with make deploy on Mondays", "Run make deploy on the bastion host.").record)
    both = Neighbourhood([near, beside]).find(new, "preference")
    assert [each.memory.id for each in both] == ["one", "two"]
    assert both[0].similarity >= MIN_SIMILARITY > both[1].similarity >= MIN_SIMILARITY_BESIDE
    # If the nearest memory is not similar enough, no memory is shown.
    assert Neighbourhood([near, beside]).find(new, "preference", least=1.1) == []
