"""Repeated imports of the same sources, and problems with sources."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import command_process
from command_process import error_of, run_in, run_on_terminal
from cuecard import Store, _backend
from cuecard.basics.time_limit import TakesTooLong, check_time
from cuecard.files.trust_levels import REVIEWED, grant, revoke
from cuecard.importers import run
from cuecard.importers.draft import ImportedDraft, Reading
from cuecard.importers.run import Import
from cuecard.importers.source import ImportSource
from import_sources import CLAUDE_MD, NYGARD, SECRET, by_source, content, imported, write_project
from records import make_store, read, read_files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one Markdown file of each kind, and some files that an import must ignore."""
    return write_project(tmp_path)


def test_a_dry_run_says_the_same_and_writes_nothing(store: Store, project: Path) -> None:
    before = read_files(store)
    dry = run_in(store, "import", project, "--dry-run", "--json").document
    assert dry["dry_run"]
    assert read_files(store) == before
    assert run_in(store, "import", project, "--json").document["outcomes"] == dry["outcomes"]


def test_a_second_run_changes_nothing(store: Store, project: Path) -> None:
    run_in(store, "import", project)
    before = read_files(store)
    again = run_in(store, "import", project, "--json").document["counts"]
    assert again == {"skipped": 5, "unchanged": 14}
    assert read_files(store) == before


def test_a_changed_source_updates_and_what_was_changed_here_stays(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    changed = NYGARD.replace("in Redis.", "in Valkey.").replace("* Sessions survive a deployment.\n", "")
    [outcome] = imported(store, "0007-redis.md", changed).document["outcomes"]
    assert outcome["status"] == "updated"
    found = read(store, "keep-sessions-in-redis")
    assert found["content"]["decision"] == "We will keep sessions in Valkey."
    assert found["content"]["consequences"] == ["Redis must be up before a worker."]
    assert found["changes"][0]["summary"] == "its source 0007-redis.md changed"
    store.update("keep-sessions-in-redis", {"content": {"context": "Ours."}})
    [outcome] = imported(store, "0007-redis.md", NYGARD).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "changed here and in its source: your version stays")
    assert read(store, "keep-sessions-in-redis")["content"]["context"] == "Ours."


def test_a_memory_with_a_corrected_title_follows_its_text_until_the_source_has_another_title(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    store.update("keep-sessions-in-redis", {"title": "Sessions live in Redis, not in workers"})
    changed = NYGARD.replace("in Redis.", "in Valkey.")
    assert imported(store, "0007-redis.md", changed).document["counts"] == {"updated": 1}
    [memory] = store.memories()
    assert memory.title == "Sessions live in Redis, not in workers"
    assert memory.record["content"]["decision"] == "We will keep sessions in Valkey."
    assert imported(store, "0007-redis.md", changed).document["counts"] == {"unchanged": 1}
    renamed = changed.replace("Keep sessions in Redis", "Keep sessions in Valkey")
    [outcome] = imported(store, "0007-redis.md", renamed).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "changed here and in its source: your version stays")


def test_a_record_that_was_imported_alone_is_not_updated_by_its_folder(store: Store) -> None:
    folder = Path(store.root, "docs/adr")
    folder.mkdir(parents=True)
    (folder / "0006-postgres.md").write_text(NYGARD.replace("7. Keep sessions in Redis", "6. Keep orders in Postgres"))
    (folder / "0007-redis.md").write_text(NYGARD.replace("Accepted\n", "Accepted\n\nAmends ADR-6\n"))
    run_in(store, "import", "docs/adr/0007-redis.md")
    before = read(store, "keep-sessions-in-redis")
    assert run_in(store, "import", "docs/adr", "--json").document["counts"] == {"created": 1, "unchanged": 1}
    assert before["cuecard"]["source"]["links"] == ["amends 6"]
    assert read(store, "keep-sessions-in-redis") == before


def test_a_source_may_change_again_and_again(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    second = NYGARD.replace("Keep sessions in Redis", "All of it lives in Valkey now").replace(
        "Users complain.", SECRET
    )
    for text in (second, NYGARD.replace("restarted", "started")):
        ran = imported(store, "0007-redis.md", text).document
        assert ran["counts"] == {"updated": 1}
        before = read_files(store)
        assert imported(store, "0007-redis.md", text).document["counts"] == {"unchanged": 1}
        assert read_files(store) == before
    assert len(store.memories(status="all")) == 1


def test_a_field_that_goes_from_the_source_goes_here(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    imported(store, "0007-redis.md", NYGARD.partition("## Consequences")[0])
    assert "consequences" not in content(store, "keep-sessions-in-redis", "decision")


def test_what_its_source_supersedes_is_retired_and_never_comes_in(store: Store) -> None:
    over = NYGARD.replace("Accepted\n", "Accepted\n\nSuperseded by [9. Postgres](0009-postgres.md)\n")
    [outcome] = imported(store, "fresh.md", over.replace("Redis", "Memcached")).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "superseded at its source")
    imported(store, "0007-redis.md", NYGARD)
    [outcome] = imported(store, "0007-redis.md", over).document["outcomes"]
    assert outcome["status"] == "retired"
    assert read(store, "keep-sessions-in-redis")["retired_reason"] == "superseded at its source"
    [outcome] = imported(store, "0007-redis.md", NYGARD).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "it is retired here")


def test_what_is_there_already_is_a_duplicate(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    [outcome] = imported(store, "copy.md", NYGARD.replace("# 7. ", "# ADR-0007: ")).document["outcomes"]
    assert (outcome["status"], outcome["target"]) == (
        "duplicate",
        ".claude/memory/decisions/keep-sessions-in-redis.json",
    )
    assert outcome["why"].startswith("cosine 1.00")


def test_secrets_are_replaced_and_reported(store: Store) -> None:
    text = NYGARD.replace("Users complain.", f"The token is {SECRET}.")
    for arguments in (["--dry-run"], []):
        path = Path(store.root).parent / "0007-redis.md"
        path.write_text(text, encoding="utf-8")
        ran = run_in(store, "import", path, *arguments)
        assert "warning: a secret (" in ran.stderr
    assert SECRET not in "".join([data.decode() for data in read_files(store).values()])
    [outcome] = imported(store, "0007-redis.md", text).document["outcomes"]
    assert outcome["status"] == "unchanged"


def test_contradictions_are_reported(store: Store) -> None:
    imported(store, "CLAUDE.md", "# Rules\n\n- Migrations must run automatically at deployment.\n")
    ran = imported(store, "AGENTS.md", "# Restrictions\n\n- Migrations must run manually at deployment.\n")
    [outcome] = ran.document["outcomes"]
    assert outcome["status"] == "created"
    [told] = outcome["contradicts"]
    assert "`automatically` against `manually` in `Migrations must run automatically" in told


def test_rules_of_one_file_are_never_duplicates_and_have_ids_of_their_own(store: Store) -> None:
    rule = "- Keep functions short and plain.\n"
    text = "".join([f"# {name}\n\n## Functions\n\n{rule}\n" for name in ("Style", "More style", "Style of all")])
    ran = imported(store, "AGENTS.md", text)
    assert [outcome["target"].rpartition("/")[2] for outcome in ran.document["outcomes"]] == [
        "keep-functions-short-and-plain.json",
        "keep-functions-short-and-plain-more-style.json",
        "keep-functions-short-and-plain-style-of-all.json",
    ]
    assert imported(store, "AGENTS.md", text).document["counts"] == {"unchanged": 3}


def test_the_kind_can_be_given_and_an_unknown_one_is_refused(store: Store) -> None:
    text = "# Deploy\n\n1. Build it.\n2. Ship it.\n"
    [outcome] = imported(store, "deploy.md", text).document["outcomes"]
    assert outcome["status"] == "skipped"
    [outcome] = imported(store, "deploy.md", text, "runbook").document["outcomes"]
    assert outcome["status"] == "created"
    assert content(store, "deploy", "runbook")["steps"] == ["1. Build it.", "2. Ship it."]
    assert error_of(imported(store, "deploy.md", text, "wiki"))["field"] == "from"
    assert run_in(store, "import", "nowhere.md").code == 1


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"---\n", b"---\na: [\n---\n# \n", b"# x\n" * 2_000, b"\0" * 99]
)
def test_files_of_any_content_are_survived(store: Store, tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    for name in ("CLAUDE.md", "a.mdc", "0001-x.md", "2026-01-01.md"):
        (folder / name).write_bytes(data)
    ran = run_in(store, "import", folder, "--json")
    assert ran.code == 0
    assert set(ran.document["counts"]) <= {"skipped", "created", "duplicate"}


def test_a_bar_is_drawn_only_on_a_terminal(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    words = "ash birch cedar elm fir gum hazel ivy juniper larch maple oak pine rowan spruce teak willow yew".split()
    path = tmp_path / "AGENTS.md"
    text = "".join(
        [f"# Of {a} and {b}\n\nNever cut the {a} {b} on the hill.\n\n" for a in words[:5] for b in words[5:]]
    )
    path.write_text(text, encoding="utf-8")
    shown = run_on_terminal(tmp_path, Path(store.root), "import", str(path), "--dry-run").stdout
    assert "importing" in shown
    assert "importing" not in run_in(store, "import", path, "--dry-run").stderr


def test_links_out_of_the_folder_are_not_followed(store: Store, tmp_path: Path, project: Path) -> None:
    (tmp_path / "outside.md").write_text(NYGARD.replace("Redis", "Outside"), encoding="utf-8")
    (project / "docs" / "adr" / "0009-link.md").symlink_to(tmp_path / "outside.md")
    assert by_source(run_in(store, "import", project, "--json"))["docs/adr/0009-link.md"]["why"] == (
        "a link out of the folder"
    )


def test_a_secret_in_a_heading_is_neither_stored_nor_told(store: Store) -> None:
    text = f"# Rules\n\n## Token {SECRET}\n\nEach request must have the token of its service in the header.\n"
    ran = imported(store, "AGENTS.md", text)
    assert SECRET not in ran.stdout
    assert SECRET not in "".join([data.decode() for data in read_files(store).values()])
    assert imported(store, "AGENTS.md", text).document["counts"] == {"unchanged": 1}


def test_a_project_without_memories_can_be_looked_at_first(tmp_path: Path, project: Path) -> None:
    (tmp_path / "fresh" / ".git").mkdir(parents=True)
    dry = command_process.run(tmp_path, tmp_path / "fresh", "import", str(project), "--dry-run", "--json")
    assert dry.document["counts"]["created"] == 14
    assert [path.name for path in (tmp_path / "fresh").iterdir()] == [".git"]


def test_the_store_itself_is_no_source(store: Store) -> None:
    for name in ("index.md", "decisions/CLAUDE.md", ".cuecard/CLAUDE.md"):
        inside = Path(store.memory_dir) / name
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.write_text(CLAUDE_MD, encoding="utf-8")
    assert ImportSource(store.root, None, store.root).files == []


def test_a_file_has_one_line_with_its_counts_and_reasons(store: Store) -> None:
    path = Path(store.root, "CLAUDE.md")
    text = "# Style\n\n- Use tabs in every file.\n- Keep the names short.\n\n# See also\n\n- [Guide](guide.md)\n"
    path.write_text(text, encoding="utf-8")
    told = run_in(store, "import", path, "--dry-run").stdout
    assert told == "CLAUDE.md  1 created, 1 skipped  (it only says where to read more)\n"
    each = run_in(store, "import", path, "--dry-run", "--verbose").stdout.splitlines()
    assert [line.partition("  ")[0] for line in each] == ["created", "skipped"]
    run_in(store, "import", path)
    assert run_in(store, "import", path).stdout == ""
    assert "it only says where to read more" in run_in(store, "import", path, "--verbose").stdout


def test_long_titles_that_begin_alike_become_memories_of_their_own(store: Store) -> None:
    words = "the importer of invoices and receipts and orders that were written by hand in the old shops of"
    rules = "".join([f"## Of {shop}\n\n- Never start {words} {shop}.\n\n" for shop in ("Anna", "Bert", "Carl")])
    path = Path(store.root, "CLAUDE.md")
    path.write_text(f"# Rules\n\n{rules}", encoding="utf-8")
    assert run_in(store, "import", path, "--json").document["counts"] == {"created": 3}


@pytest.fixture
def vouch(store: Store) -> Iterator[Callable[[str], None]]:
    """A function that vouches for a memory until the test is over."""
    hashes = []

    def vouch_for(name: str) -> None:
        hashes.append(_backend.engine.trust_hash(store.show(name).data) or "")
        grant(hashes, REVIEWED)

    yield vouch_for
    revoke(hashes)


SECTION = "# Rules\n\n## Money\n\n- Never use floats for money.\n- Round each amount to whole cents.\n"


def import_parts(store: Store) -> None:
    """Import the rules of `SECTION` as an earlier version did: one memory for each rule, and one of other text."""
    rules = ("Never use floats for money", "Round each amount to whole cents", "Ask the owner of the ledger for access")
    drafts = [
        ImportedDraft(
            "preference", rule, {"topic": "Money", "value": f"{rule}."}, "instructions", "AGENTS.md",
            f"Rules > Money > {rule.lower()}",
        )
        for rule in rules
    ]  # fmt: skip
    Import(store, False).run([Reading(drafts, files=["AGENTS.md"])], lambda: None)


def test_rules_that_an_earlier_version_imported_give_way_to_the_memory_of_their_section(store: Store) -> None:
    import_parts(store)
    Path(store.root, "AGENTS.md").write_text(SECTION, encoding="utf-8")
    found = by_source(run_in(store, "import", Path(store.root, "AGENTS.md"), "--json"))
    assert {name.rpartition(" > ")[2]: row["status"] for name, row in found.items()} == {
        "Money": "created",
        "never use floats for money": "retired",
        "round each amount to whole cents": "retired",
        "ask the owner of the ledger for access": "gone",
    }
    assert "is a part of" in found["AGENTS.md#Rules > Money > never use floats for money"]["why"]
    assert len(store.memories()) == 2
    again = run_in(store, "import", Path(store.root, "AGENTS.md"), "--json").document["counts"]
    assert again == {"gone": 1, "unchanged": 1}


def test_a_rule_that_somebody_has_changed_stays_beside_the_memory_of_its_section(store: Store) -> None:
    import_parts(store)
    store.update("preference/never-use-floats-for-money", {"content": {"reason": "A cent was lost."}})
    Path(store.root, "AGENTS.md").write_text(SECTION, encoding="utf-8")
    before = store.show("preference/never-use-floats-for-money").data
    for status in ("created", "unchanged"):
        found = by_source(run_in(store, "import", Path(store.root, "AGENTS.md"), "--json"))
        row = found["AGENTS.md#Rules > Money > never use floats for money"]
        assert (row["status"], found["AGENTS.md#Rules > Money"]["status"]) == ("unchanged", status)
        assert row["why"].startswith("it is a part of `Money: ")
        assert row["why"].endswith("you changed it or vouch for it, so it stays")
    assert store.show("preference/never-use-floats-for-money").data == before


def test_a_rule_that_somebody_vouches_for_is_not_retired(store: Store, vouch: Callable[[str], None]) -> None:
    import_parts(store)
    vouch("preference/never-use-floats-for-money")
    Path(store.root, "AGENTS.md").write_text(SECTION, encoding="utf-8")
    found = by_source(run_in(store, "import", Path(store.root, "AGENTS.md"), "--json"))
    assert {name.rpartition(" > ")[2]: row["status"] for name, row in found.items()} == {
        "Money": "created",
        "never use floats for money": "unchanged",
        "round each amount to whole cents": "retired",
        "ask the owner of the ledger for access": "gone",
    }


ONE = "# Rules\n\n## Money\n\n- Never use floats for money.\n"


def test_a_section_of_one_rule_is_not_added_beside_the_rule_that_somebody_vouches_for(
    store: Store, vouch: Callable[[str], None]
) -> None:
    import_parts(store)
    vouch("preference/never-use-floats-for-money")
    before = store.show("preference/never-use-floats-for-money").data
    Path(store.root, "AGENTS.md").write_text(ONE, encoding="utf-8")
    for _ in range(2):
        found = by_source(run_in(store, "import", Path(store.root, "AGENTS.md"), "--json"))
        row = found["AGENTS.md#Rules > Money"]
        assert row["status"] == "unchanged"
        assert row["why"] == (
            "`preference/never-use-floats-for-money` says the same; you changed it or vouch for it, so it stays"
        )
        assert row["target"].endswith("preferences/never-use-floats-for-money.json")
        assert "AGENTS.md#Rules > Money > never use floats for money" not in found
    assert store.show("preference/never-use-floats-for-money").data == before
    assert len(store.memories()) == 3


def test_a_rule_that_the_user_has_retired_does_not_come_back_with_its_section(store: Store) -> None:
    import_parts(store)
    store.retire("preference/never-use-floats-for-money")
    Path(store.root, "AGENTS.md").write_text(ONE, encoding="utf-8")
    found = by_source(run_in(store, "import", Path(store.root, "AGENTS.md"), "--json"))
    row = found["AGENTS.md#Rules > Money"]
    assert (row["status"], row["why"]) == ("skipped", "it is retired here")


def test_a_rule_that_nobody_has_touched_becomes_the_memory_of_its_section(store: Store) -> None:
    import_parts(store)
    Path(store.root, "AGENTS.md").write_text(ONE, encoding="utf-8")
    found = by_source(run_in(store, "import", Path(store.root, "AGENTS.md"), "--json"))
    assert found["AGENTS.md#Rules > Money"]["status"] == "created"
    assert found["AGENTS.md#Rules > Money > never use floats for money"]["status"] == "retired"
    assert run_in(store, "import", Path(store.root, "AGENTS.md"), "--json").document["counts"]["unchanged"] == 1


def import_rules(store: Store, *rules: tuple[str, str]) -> list[str]:
    """Import rules, each with the place of its section, and return the status of each outcome."""
    fixed = {"topic": "Money", "reason": "not stated in the source", "strength": "default"}
    drafts = [
        ImportedDraft("preference", rule, {**fixed, "value": f"{rule}."}, "instructions", "AGENTS.md", heading)
        for rule, heading in rules
    ]
    outcomes = Import(store, False).run([Reading(drafts, files=["AGENTS.md"])], lambda: None)
    return [outcome.status for outcome in outcomes]


@pytest.mark.parametrize("places", [("Rules > Cents", "Rules > Floats"), ("Rules > Money > a", "Rules > Money > b")])
def test_a_rule_that_the_import_itself_retired_comes_back(store: Store, places: tuple[str, str]) -> None:
    rules = ("Use floats for money", "Keep cents whole always")
    import_rules(store, *zip(rules, ("Rules > Money > a", "Rules > Money > b"), strict=True))
    assert import_rules(store, (". ".join(rules), "Rules > Money")) == ["created", "retired", "retired"]
    assert set(import_rules(store, *zip(rules, places, strict=True))) <= {"created", "updated", "gone"}
    assert {memory.record["content"]["value"] for memory in store.memories()} >= {f"{rule}." for rule in rules}
    assert import_rules(store, *zip(rules, places, strict=True))[:2] == ["unchanged", "unchanged"]


def test_a_reworded_rule_updates_its_memory_beside_one_that_was_retired(store: Store) -> None:
    import_rules(store, ("Use floats for money", "Rules > Old"), ("Use floats for all money", "Rules > New"))
    store.retire("preference/use-floats-for-money")
    assert import_rules(store, ("Use floats for money", "Rules > Newer")) == ["updated"]


@pytest.mark.parametrize(
    ("rule", "place", "other"),
    [
        ("Always use floats for money", "Always and never > Money", "Never use floats for money"),
        ("Use floats for money", "Rules > Never > Money", "Never use floats for money"),
    ],
)
def test_a_rule_does_not_say_the_same_as_its_opposite(store: Store, rule: str, place: str, other: str) -> None:
    import_rules(store, (rule, f"{place} > a"))
    [memory] = store.memories()
    store.retire(memory.name, reason="It is wrong.")
    assert import_rules(store, (other, place)) == ["created"]


def test_former_rules_are_looked_for_within_the_time_of_the_import(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_rules(store, ("Use floats for money", "Rules > a"))
    store.retire("preference/use-floats-for-money", reason="It is wrong.")
    limits: list[str] = []

    def looked(*_given: object) -> dict[object, object]:
        try:
            check_time()
        except TakesTooLong:
            limits.append("over")
            raise
        return {}

    monkeypatch.setattr(run, "ALL_SECONDS", -1.0)
    monkeypatch.setattr(run, "find_same", looked)
    monkeypatch.setattr(run, "find_parts", looked)
    assert import_rules(store, ("Use floats for money", "Rules > b")) == ["skipped"]
    assert limits == ["over", "over"]


def test_a_section_of_another_category_does_not_replace_a_memory_that_somebody_vouches_for(
    store: Store, vouch: Callable[[str], None]
) -> None:
    path = Path(store.root, "AGENTS.md")
    path.write_text("# Rules\n\n## Money\n\n- Prefer whole cents in all tables.\n", encoding="utf-8")
    run_in(store, "import", path)
    [memory] = store.memories()
    vouch(memory.name)
    path.write_text("# Rules\n\n## Money\n\n- Never keep parts of cents in any table.\n", encoding="utf-8")
    [row] = run_in(store, "import", path, "--json").document["outcomes"]
    assert row["status"] == "skipped"
    assert row["why"].startswith("it is a preference here, and its source makes it a constraint")
    assert [one.data for one in store.memories()] == [memory.data]


def test_a_section_that_became_another_category_replaces_its_memory(store: Store) -> None:
    path = Path(store.root, "AGENTS.md")
    path.write_text("# Rules\n\n## Money\n\n- Prefer whole cents in all tables.\n", encoding="utf-8")
    run_in(store, "import", path)
    path.write_text("# Rules\n\n## Money\n\n- Never keep parts of cents in any table.\n", encoding="utf-8")
    [row] = run_in(store, "import", path, "--json").document["outcomes"]
    assert (row["status"], row["category"]) == ("created", "constraint")
    assert [memory.category for memory in store.memories()] == ["constraint"]
    assert run_in(store, "import", path, "--json").document["counts"] == {"unchanged": 1}


def test_what_is_gone_names_the_command_that_retires_it(store: Store) -> None:
    source = Path(store.root, "CLAUDE.md")
    source.write_text("# Rules\n\n## Logs\n\n- Never log card numbers.\n\n## Money\n\n- Always use cents.\n")
    run_in(store, "import", "CLAUDE.md")
    source.write_text("# Rules\n\n## Money\n\n- Always use cents.\n")
    ran = run_in(store, "import", "CLAUDE.md")
    assert "what is gone from its source stays: 1 memory\n" in ran.stderr
    assert "`cuecard retire ID`" in ran.stderr
    assert len(store.memories()) == 2
