"""Ordinary documents become pointers (docs/reference/import.md, "Documents")."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_process import run, run_in
from cuecard.importers.adr import is_template
from cuecard.importers.discovery import DOCUMENTS, PROJECT, find_sources
from cuecard.importers.documents import read_document
from cuecard.importers.markup.markdown import parse
from import_sources import NYGARD
from records import read

if TYPE_CHECKING:
    from cuecard import Store

WORDS = "Roles of the token are mapped to permissions before a request is served. " * 6
RBAC = f"# Roles and permissions\n\n{WORDS}\n\n## Unknown roles\n\nThey get nothing.\n\n## Batch calls\n\n{WORDS}\n"


def put(root: str | Path, path: str, text: str = RBAC) -> Path:
    file = Path(root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_a_document_gives_its_title_its_first_sentence_its_headings_and_its_place(store: Store) -> None:
    file = put(store.root, "docs/rbac.md")
    assert run_in(store, "import", "docs", "--from", "document", "--json").document["counts"] == {"created": 1}
    record = read(store, "roles-and-permissions", "constraint")
    assert record["cuecard"]["pointer"]["path"] == "docs/rbac.md"
    assert record["cuecard"]["pointer"]["size"] == file.stat().st_size
    first = "Roles of the token are mapped to permissions before a request is served."
    assert record["content"]["rule"] == f"{first}\nSections: Unknown roles; Batch calls"
    assert record["tags"] == ["rbac"]
    assert run_in(store, "import", "docs", "--from", "document", "--json").document["counts"] == {"unchanged": 1}


def test_a_changed_document_gets_a_new_pointer(store: Store) -> None:
    file = put(store.root, "docs/rbac.md")
    run_in(store, "import", "docs", "--from", "document")
    file.write_text(RBAC + "One more.\n")
    assert run_in(store, "import", "docs", "--from", "document", "--json").document["counts"] == {"updated": 1}
    pointer = read(store, "roles-and-permissions", "constraint")["cuecard"]["pointer"]
    assert pointer["size"] == len(RBAC) + len("One more.\n")


def test_a_pointer_with_a_corrected_title_follows_its_document(store: Store) -> None:
    file = put(store.root, "docs/rbac.md")
    run_in(store, "import", "docs", "--from", "document")
    answers = [["constraint/roles-and-permissions", ["who may do what?"], "Roles are mapped to permissions"]]
    assert run_in(store, "enrich", "--apply", "-", send=answers).code == 0
    for text in (RBAC + "One more.\n", RBAC.replace("Batch calls", "Calls in batches")):
        file.write_text(text)
        assert run_in(store, "import", "docs", "--from", "document", "--json").document["counts"] == {"updated": 1}
        record = read(store, "roles-are-mapped-to-permissions", "constraint")
        assert record["title"] == "Roles are mapped to permissions"
        assert record["cuecard"]["pointer"]["size"] == len(text)
        assert record["cuecard"]["questions"] == ["who may do what?"]
    assert "Calls in batches" in record["content"]["rule"]
    file.write_text(RBAC.replace("# Roles and permissions", "# Roles"))
    assert run_in(store, "import", "docs", "--from", "document", "--json").document["counts"] == {"updated": 1}
    assert store.memories()[0].title == "Roles are mapped to permissions"


def test_what_gives_memories_of_its_own_gets_no_pointer(store: Store) -> None:
    put(store.root, "docs/adr/0001-redis.md", NYGARD)
    put(store.root, "docs/rbac.md")
    run_in(store, "import", "docs/adr")
    ran = run_in(store, "import", "docs", "--from", "document", "--json").document
    assert ran["counts"] == {"created": 1}
    into = "a file of the kind `adr`, which gives memories of its own"
    assert {"source": "docs/adr/0001-redis.md", "into": into} in ran["parts"]


def test_a_document_with_the_parts_of_a_record_outside_of_a_folder_for_records_gets_a_pointer(store: Store) -> None:
    put(store.root, "docs/authz.md", f"# Authorization\n\n## Context\n\n{WORDS}\n\n## Decision\n\n{WORDS}\n")
    ran = run_in(store, "import", "docs", "--from", "document", "--json").document
    assert ran["counts"] == {"created": 1}


def test_a_pointer_repeats_no_memory_and_hinders_none(store: Store) -> None:
    put(store.root, "docs/rbac.md")
    rule = "# Rules\n\n- Roles of the token must always be mapped to permissions before a request is served.\n"
    put(store.root, "AGENTS.md", rule)
    run_in(store, "import", "docs", "--from", "document")
    counts = run_in(store, "import", "AGENTS.md", "--json").document["counts"]
    assert counts == {"created": 1}


def test_a_generic_title_gets_the_name_of_the_folder() -> None:
    text = RBAC.replace("Roles and permissions", "Overview")
    [draft] = read_document(parse(text), "packages/billing/README.md").drafts
    assert draft.title == "billing: Overview"


def rule_of(text: str, path: str = "docs/tests.md") -> str:
    [draft] = read_document(parse(text), path).drafts
    return str(draft.content["rule"])


BELOW = (
    "## Doubles\n\nA fake stands for the mail server.\n\n## Names\n\n- Call it `subject`\n- Never run `rm -rf build`\n"
)


def test_a_document_that_begins_with_what_it_is_says_what_its_sections_say() -> None:
    for empty in (
        "This document outlines the testing practices of the shop.",
        "Welcome to the guide. It covers doubles and names.",
        "This guide here summarizes conventions. For names, see the style guide.",
    ):
        said = rule_of(f"# Tests\n\n{empty}\n\n{BELOW}\n## More\n\n{WORDS}")
        lines = said.splitlines()
        assert lines[:2] == [
            "Doubles: A fake stands for the mail server.",
            "Names: Call it `subject`; Never run `rm -rf build`",
        ]
        assert lines[-1] == "Sections: Doubles; Names; More"
    lead = "This page lists what counts.\n\nKey rules:\n\n- Use fakes\n- [A](a.md)\n- Name what fails\n"
    assert rule_of(f"# Tests\n\n{lead}\n{BELOW}{WORDS}").startswith("Key rules: Use fakes; Name what fails\n")


def test_a_warning_above_a_document_is_kept() -> None:
    told = 'This document has the former way to release. Use the <a href="a.md">robot</a> instead.'
    box = f'<div class="warning">\n{told}\n</div>'
    said = rule_of(f"# Releases\n\n{box}\n\n## Setup\n\nThe key lies in a safe.\n\nExample file:\n\n{WORDS}")
    assert said.startswith("This document has the former way to release. Use the robot instead.\n")
    said = rule_of(f"# Releases\n\n> [!WARNING]\n> Deprecated: use the robot instead of this.\n\n{WORDS}")
    assert said.startswith("Deprecated: use the robot instead of this.\nRoles of the token")


def test_a_readme_points_with_a_statement_behind_its_badges() -> None:
    badges = "[![Build](https://ci.example.org/b.svg)](https://ci.example.org) ![x](y.png)"
    said = rule_of(f"# Shop\n\n{badges}\n\nCheckout and stock.\n\n{WORDS}", "packages/shop/README.md")
    assert said.startswith("Roles of the token are mapped to permissions before a request is served.")


def test_a_pointer_forbids_nothing() -> None:
    [draft] = read_document(parse(f"# Tests\n\nThis page lists rules.\n\n{BELOW}{WORDS}"), "docs/tests.md").drafts
    assert "forbids" not in draft.record()["cuecard"]
    assert "Never run `rm -rf build`" in str(draft.content["rule"])


def test_contents_are_no_document() -> None:
    links = "".join([f"- [Page {number}](page{number}.md)\n" for number in range(40)])
    for path, text in (
        ("docs/SUMMARY.md", RBAC),
        ("docs/toc.md", RBAC),
        ("docs/index.md", f"# Pages\n\nAll pages of the shop are listed here.\n\n{links}"),
        ("docs/news/a.md", RBAC.replace("Roles and permissions", "Changelog")),
    ):
        assert read_document(parse(text), path).skipped == [(path, "nothing in it to point at")], path
    assert read_document(parse(RBAC), "docs/summary-of-roles.md").drafts


def test_lists_templates_and_short_files_are_left_out() -> None:
    for path, text in (("docs/CHANGELOG.md", RBAC), ("docs/a.md", "# A\n\nSee the wiki.\n")):
        reading = read_document(parse(text), path)
        assert (reading.drafts, reading.skipped) == ([], [(path, "nothing in it to point at")])


def test_folders_with_documents_and_readmes_of_packages_are_found(tmp_path: Path) -> None:
    for path in (
        "docs/rbac.md",
        "docs/deep/more.md",
        "packages/api/docs/api.md",
        "packages/api/README.md",
        "packages/api/package.json",
        # The files below are no documents of a package.
        "README.md",
        "package.json",
        "examples/README.md",
        "src/notes.md",
    ):
        put(tmp_path, path)
    put(tmp_path, "docs/adr/0001-redis.md", NYGARD)
    groups = {group.title: group for group in find_sources(str(tmp_path), str(tmp_path / "home"), {})}
    assert [os.path.relpath(path, tmp_path) for path in groups[PROJECT].paths] == ["docs/adr"]
    found = [os.path.relpath(path, tmp_path) for path in groups[DOCUMENTS].paths]
    assert found == ["docs", "packages/api/README.md", "packages/api/docs"]


ALERT = """# {0}

## Meaning

The alert fires when {0} has been open for ten minutes.

## Impact

Orders wait.

## Mitigation

1. Restart the pump:

   ```console
   $ pumpctl restart --line 3
   ```
"""


def test_runbooks_are_found_by_their_content_wherever_they_are(tmp_path: Path) -> None:
    for name in ("alerts/pump/ValveOpen.md", "alerts/pump/ValveShut.md", "alerts/mail/QueueFull.md", "ops/DiskFull.md"):
        put(tmp_path, name, ALERT.format(Path(name).stem))
    put(tmp_path, "alerts/README.md")
    put(tmp_path, "ops/contacts.md")
    put(tmp_path, "alerts/PageTemplateBroken.md", ALERT.format("PageTemplateBroken"))
    groups = {group.title: group for group in find_sources(str(tmp_path), str(tmp_path / "home"), {})}
    found = [os.path.relpath(path, tmp_path) for path in groups[PROJECT].paths]
    assert found == ["alerts", "ops/DiskFull.md"]


def test_a_name_that_only_contains_the_word_is_no_template() -> None:
    named = {
        name: is_template(parse("# A"), f"docs/{name}.md") for name in ("PageTemplateBroken", "sample-rate", "disk")
    }
    named |= {
        name: not is_template(parse("# A"), f"docs/{name}.md")
        for name in ("template", "adr-template", "0000_template", "example")
    }
    assert not any(named.values()), named


def test_init_points_at_documents_only_if_somebody_asks_for_it(tmp_path: Path) -> None:
    root = tmp_path / "home" / "shop"
    put(root, "docs/rbac.md")
    put(root, "docs/adr/0001-redis.md", NYGARD)
    ran = run(tmp_path / "home", root, "init", "--yes")
    assert ran.code == 0
    assert sorted(path.parent.name for path in (root / ".claude/memory").glob("[a-z]*/*.json")) == ["decisions"]
    assert "cuecard import docs --from document" in ran.stderr


def test_init_does_not_say_of_a_document_with_a_pointer_that_it_is_not_read(store: Store) -> None:
    put(store.root, "docs/rbac.md")
    put(store.root, "docs/todo.md", "# To do\n\nA lot.\n")
    shown = run_in(store, "init", "--dry-run")
    assert "documents of this project:\n  docs  1 POINTER\n" in shown.stdout
    assert "not read: 1 document of other kinds\n  docs: todo.md\n" in shown.stdout
    run_in(store, "import", "docs", "--from", "document")
    assert run_in(store, "init", "--dry-run", "--json").document["passed_over"] == ["docs/todo.md"]


def test_init_shows_the_places_with_the_most_documents(store: Store) -> None:
    for number in range(11):
        put(store.root, f"packages/p{number:02}/README.md")
        put(store.root, f"packages/p{number:02}/package.json", "{}")
    put(store.root, "zoo/docs/rbac.md")
    put(store.root, "zoo/docs/roles.md")
    shown = run_in(store, "init", "--dry-run").stdout
    assert "documents of this project:\n  zoo/docs " in shown
    assert shown.count(" POINTER\n") == 8
    assert "  4 more places with 4 pointers, which `cuecard init --dry-run --json` lists\n" in shown


def test_init_names_at_most_three_of_the_places_of_documents(tmp_path: Path) -> None:
    root = tmp_path / "home" / "shop"
    for number in range(6):
        put(root, f"packages/p{number}/README.md")
        put(root, f"packages/p{number}/package.json")
    ran = run(tmp_path / "home", root, "init", "--yes")
    [hint] = [line for line in ran.stderr.splitlines() if "--from document" in line]
    assert hint.count("README.md") == 3
    assert "3 more places are in `cuecard init --dry-run --json`" in hint


def test_a_file_that_instructions_include_may_be_a_document_too(store: Store) -> None:
    put(store.root, "docs/style.md", f"# Style of the code\n\n- Always write short lines.\n\n## Roles\n\n{WORDS}\n")
    put(store.root, "CLAUDE.md", "# Rules\n\n@docs/style.md\n")
    assert run_in(store, "import", "CLAUDE.md", "--json").document["counts"]["created"] == 1
    pointed = run_in(store, "import", "docs/style.md", "--from", "document", "--json").document
    assert pointed["counts"] == {"created": 1}
    assert "gone" not in run_in(store, "import", "CLAUDE.md", "--json").document["counts"]


@pytest.mark.parametrize("title", ["License server", "Changes to the review process", "News ingestion pipeline"])
def test_a_title_that_begins_like_that_of_a_list_is_one_of_a_document(title: str) -> None:
    assert read_document(parse(f"# {title}\n\n{WORDS * 3}\n"), "docs/x.md").drafts
