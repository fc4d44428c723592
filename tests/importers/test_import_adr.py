"""Decision records in every form that teams use: sections, status, reasons, and which record supersedes which."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_process import run_in
from cuecard.api import Store
from cuecard.importers.adr import is_adr, read_adr
from cuecard.importers.draft import NOT_STATED, ImportedDraft, find_because
from cuecard.importers.markup.markdown import parse
from import_sources import by_source

PLACE = "docs/adr/0003-queue.md"
HEAD = "# 3. Jobs wait in a queue\n\n"
BODY = "## Context\n\nJobs get lost.\n\n## Decision\n\nJobs wait in a queue on disk.\n"


def draft_of(text: str, path: str = PLACE) -> ImportedDraft:
    document = parse(text)
    assert is_adr(document, path)
    [draft] = read_adr(document, path).drafts
    return draft


@pytest.mark.parametrize(
    ("text", "context", "decision"),
    [
        (HEAD + BODY, "Jobs get lost.", "Jobs wait in a queue on disk."),
        (
            "# Queue\n\n## Context and Problem\n\nJobs get lost.\n\n## Considered Options\n\n* disk\n* tape\n\n"
            "### Decision Outcome\n\nChosen option: disk\n",
            "Jobs get lost.",
            "Chosen option: disk",
        ),
        (
            "# Queue\n\n## Proposal\n\nJobs wait on disk.\n\n## Context\n\nJobs get lost.\n",
            "Jobs get lost.",
            "Jobs wait on disk.",
        ),
        (
            "# Queue\n\n**Status:** Accepted\n\n**Context:** Jobs get lost.\n\n**Decision:** Jobs wait on disk.\n",
            "Jobs get lost.",
            "Jobs wait on disk.",
        ),
        (
            "# Queue\n\n1. **Context:** Jobs get lost.\n2. **Decision:** Jobs wait on disk.\n",
            "Jobs get lost.",
            "Jobs wait on disk.",
        ),
        ("# Queue\n\n## 1. Context\n\nJobs get lost.\n\n## 2. Decision\n\nOn disk.\n", "Jobs get lost.", "On disk."),
        (
            "# Queue\n\nStatus: accepted\n\n## Context\n\nLost.\n\n## Storage\n\nOn disk.\n",
            "Lost.",
            "Storage: On disk.",
        ),
        (
            "# Queue\n\n## What\n\nA queue.\n\n## Why\n\nLost.\n\n## How\n\nOn disk.\n",
            "not stated",
            "A queue.\n\nOn disk.",
        ),
    ],
)
def test_the_parts_of_a_record_are_found_in_every_form(text: str, context: str, decision: str) -> None:
    content = draft_of(text).content
    assert content["context"].startswith(context)
    assert content["decision"] == decision


@pytest.mark.parametrize(
    ("head", "status", "is_over"),
    [
        ("---\nstatus: superseded by [ADR-9](0009-x.md)\n---\n" + HEAD, "superseded", True),
        (HEAD + "* Status: rejected\n\n", "deprecated", True),
        (HEAD + "| Field | Value |\n| --- | --- |\n| Status | Deprecated |\n\n", "deprecated", True),
        (HEAD + "## Status\n\n~~Proposed~~ Accepted\n\n", "accepted", False),
        (HEAD + "## Status: Proposed\n\n", "proposed", False),
        (HEAD + "## Status\n\n- [ ] Deprecated\n- [x] Accepted\n\n", "accepted", False),
        (HEAD + "## Status\n\nAccepted. Parts of it were superseded by ADR-7.\n\n", "accepted", False),
        (HEAD + "## Status\n\nAccepted\n\nSuperseded by [9](0009-x.md)\n\n", "superseded", True),
        (HEAD + "## Status\n\nProposed | Accepted | Rejected | Deprecated | Superseded\n\n", "accepted", False),
        ("# [DEPRECATED] Jobs wait in a queue\n\n", "deprecated", True),
        (HEAD, "accepted", False),
    ],
)
def test_the_status_is_read_wherever_it_stands(head: str, status: str, *, is_over: bool) -> None:
    draft = draft_of(head + BODY)
    assert (draft.content["status"], bool(draft.is_over)) == (status, is_over)


@pytest.mark.parametrize(
    ("decision", "more", "reasons"),
    [
        ("Jobs wait on disk.", "", [NOT_STATED]),
        ("Jobs wait on disk because restarts lose memory. It is slow.", "", ["restarts lose memory."]),
        (
            "Chosen option: disk, because\n\n- it lasts\n- it is cheap\n\nNext:\n\n- a pool",
            "",
            ["it lasts", "it is cheap"],
        ),
        ("Jobs wait on disk.\n\nOne line.\n\nThe pool is small because of the memory.", "", [NOT_STATED]),
        ("Because jobs are many, a pool is needed.", "", [NOT_STATED]),
        ("- Jobs wait on disk.\n- The pool is small because of it, because it is old.", "", [NOT_STATED]),
        ("Jobs are moved only because they fit.", "", [NOT_STATED]),
        ('Chosen option: "Good, because fast", because it lasts long.', "", ["it lasts long."]),
        ("Chosen option: disk, because it comes out best (see below).", "", [NOT_STATED]),
        ("Chosen option: disk, because it:\n\n- lasts\n- is cheap", "", ["it: lasts; is cheap"]),
        ("Jobs wait on disk.", "\n## Rationale\n\nRestarts lose memory.\n", ["Restarts lose memory."]),
    ],
)
def test_a_reason_is_only_what_the_record_gives_as_one(decision: str, more: str, reasons: list[str]) -> None:
    text = f"{HEAD}## Context\n\nJobs get lost. Nobody notices.\n\n## Decision\n\n{decision}\n{more}"
    assert draft_of(text).content["rationale"] == reasons


def test_options_are_alternatives_only_where_the_chosen_one_is_known() -> None:
    options = "\n## Considered Options\n\n- the disk\n- the memory\n"
    known = draft_of(HEAD + BODY.replace("Jobs wait in a queue on disk", "Chosen option: the disk") + options)
    assert known.content["alternatives"] == [{"option": "the memory", "rejected_reason": NOT_STATED}]
    unknown = draft_of(HEAD + BODY.replace("on disk", "of files") + options)
    assert "alternatives" not in unknown.content
    assert "Options considered: the disk; the memory" in unknown.content["context"]


def test_an_option_that_the_decision_names_by_number_gets_its_name() -> None:
    options = (
        "\n## Pros and Cons of the Options\n\n### Option 1 - Rent a queue\n\nIt is far.\n"
        "\n### Option 2: Write a queue of our own\n\nIt is near.\n"
    )
    chosen = draft_of(
        HEAD + BODY.replace("Jobs wait in a queue on disk", "Chosen: *Option 2*, for now. Option 2 it is") + options
    )
    told = chosen.content["decision"]
    assert told.startswith("Chosen: *Option 2* (Write a queue of our own), for now. Option 2 it is")
    said = BODY.replace("Jobs wait in a queue on disk", "Chosen: Option 1 - rent a queue")
    assert draft_of(HEAD + said + options).content["decision"].startswith("Chosen: Option 1 - rent a queue")


def test_a_decision_that_nobody_has_filled_in_is_none() -> None:
    left = 'Chosen option: "[option 1]", because [justification. e.g., only option | comes out best (see below)].'
    reading = read_adr(parse(HEAD + f"## Context\n\nJobs get lost.\n\n## Decision\n\n{left}\n"), "adr/0003-queue.md")
    assert not reading.drafts
    assert ("adr/0003-queue.md", "without a decision") in reading.skipped


def test_a_list_of_arguments_names_no_options_and_belongs_to_the_option_that_its_lead_names() -> None:
    options = (
        "\n## Considered Options\n\n- Use the tape/vault module\n- Use the disk\n"
        "\n## Pros and Cons of the Options\n\nCons of tape/vault:\n\n- It is slow\n- It is rented\n"
        "\nPros of the disk:\n\n- It is here\n"
    )
    known = draft_of(HEAD + BODY.replace("Jobs wait in a queue on disk", "Chosen option: Use the disk") + options)
    rejected = "It is slow; It is rented"
    assert known.content["alternatives"] == [{"option": "Use the tape/vault module", "rejected_reason": rejected}]


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("3. Jobs wait in a queue", "Jobs wait in a queue"),
        ("ADR-0003: Jobs wait in a queue", "Jobs wait in a queue"),
        ("3 Jobs wait in a queue", "Jobs wait in a queue"),
        ("2 queues for `jobs`", "2 queues for jobs"),
        ("ADR links in **the** [queue](x.md)", "ADR links in the queue"),
        ("ADR_20260101_02: Jobs wait in a queue", "Jobs wait in a queue"),
        ("0018 - Jobs wait in a queue", "Jobs wait in a queue"),
        ("OPS-ADR-0003: Jobs wait in a queue", "Jobs wait in a queue"),
        (
            "Keep a small queue of our own on the disk of each machine in the hall rather than renting the one queue "
            "that the provider of the hall offers",
            "Keep a small queue of our own on the disk of each machine in the hall",
        ),
    ],
)
def test_a_title_loses_number_and_markup(title: str, wanted: str) -> None:
    assert draft_of(f"# {title}\n\n{BODY}").title == wanted


def test_a_record_that_another_supersedes_is_over_whatever_its_own_text_says(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "source" / "adr"
    folder.mkdir(parents=True)
    status = "## Status\n\nAccepted\n\n"
    (folder / "0001-disk.md").write_text(f"# 1. Disk\n\n{status}{BODY}", encoding="utf-8")
    (folder / "0002-pool.md").write_text(f"# 2. Pool\n\n{status}{BODY.replace('queue', 'pool')}", encoding="utf-8")
    newer = f"# 3. Tape\n\n{status}Supersedes [1. Disk](0001-disk.md)\n\n{BODY.replace('queue', 'tape')}"
    (folder / "0003-tape.md").write_text(newer + "\nThis supersedes parts of ADR-2.\n", encoding="utf-8")
    found = by_source(run_in(store, "import", folder.parent, "--json"))
    assert found["adr/0001-disk.md"]["why"] == "superseded at its source, by `adr/0003-tape.md`"
    assert {name: row["status"] for name, row in found.items()} == {
        "adr/0001-disk.md": "skipped",
        "adr/0002-pool.md": "created",
        "adr/0003-tape.md": "created",
    }


HEADINGS = [
    "Context",
    "Decision",
    "Status",
    "Options",
    "Consequences",
    "Links",
    "Rationale",
    "Tape",
    "Changelog",
    "1. Why",
]


@given(
    st.lists(st.tuples(st.sampled_from(HEADINGS), st.integers(1, 4), st.sampled_from(["", "a text", "- one\n- two"])))
)
def test_every_section_of_a_record_has_a_row(parts: list[tuple[str, int, str]]) -> None:
    text = "".join([f"{'#' * level} {heading}\n\n{body}\n\n" for heading, level, body in parts])
    document = parse(text)
    reading = read_adr(document, PLACE)
    told = {where for where, _why in [*reading.skipped, *reading.parts]}
    for section in document.sections:
        assert PLACE in told or f"{PLACE}#{section.place}" in told


def test_a_record_may_have_a_folder_of_its_own(store: Store, tmp_path: Path) -> None:
    place = tmp_path / "docs" / "decision-records" / "2026-02-03-queue"
    place.mkdir(parents=True)
    (place / "README.md").write_text(
        "# Jobs wait in a queue\n\n## Decision\n\nJobs wait on disk.\n\n## Rationale\n\nIt lasts.\n"
    )
    (place.parent / "README.md").write_text(
        "# Records\n\n## Decision\n\nEach has a folder.\n\n## Rationale\n\nOrder.\n"
    )
    rows = run_in(store, "import", tmp_path / "docs", "--json").document["outcomes"]
    assert [(row["status"], row["title"]) for row in rows] == [("created", "Jobs wait in a queue"), ("skipped", None)]


def test_an_option_with_a_number_for_a_label_has_its_name_behind_the_label() -> None:
    options = (
        "**Option 1:** Release once a sprint\nSlow.\n\n\u274c Cons:\n- Users wait.\n- Fixes wait.\n\n"
        "**Option 2:** Release once a week\nQuick.\n\n\u274c Cons:\n- Less time to test.\n"
    )
    text = f"# Release cadence\n\n## Considered options\n\n{options}\n## Decision\n\nWe decided to go with option 2.\n"
    content = draft_of(text).content
    assert content["alternatives"] == [
        {"option": "Option 1: Release once a sprint", "rejected_reason": "Users wait.; Fixes wait."}
    ]
    assert content["decision"] == "We decided to go with option 2 (Release once a week)."


def test_a_title_that_only_says_proposal_comes_from_the_file_and_anchors_of_links_go() -> None:
    text = f"# RFC Proposal\n[RFC Proposal]: #rfc-proposal\n\n{BODY}"
    draft = draft_of(text, "docs/rfcs/0007-move-to-one-repository.md")
    assert draft.title == "Move to one repository"
    assert "#rfc-proposal" not in str(draft.content)


def test_a_reason_has_more_than_eight_characters() -> None:
    assert find_because("Jobs wait on disk because it lasts.") == ["it lasts."]
    assert find_because("Jobs wait on disk because it last.") == []


def test_code_behind_a_consequence_keeps_its_lines_or_is_named() -> None:
    code = '```json\n{\n  "level": 50\n}\n```'
    long = "```\n" + "x = 1\n" * 200 + "```"
    text = f"{HEAD}{BODY}\n## Consequences\n\n- The log is whole.\n\nIt looks so:\n\n{code}\n"
    text += f"\nBefore, it was so:\n\n{long}\n"
    assert draft_of(text).content["consequences"] == [
        "The log is whole.",
        f"It looks so:\n{code}",
        "Before, it was so:\n(code of 200 lines is left out)",
    ]


def test_the_first_record_that_tools_make_is_left_out() -> None:
    decision = "We will use Architecture Decision Records, as [described by Michael Nygard](http://a.example/adr)."
    text = f"# 1. Record decisions\n\n## Status\n\nAccepted\n\n## Decision\n\n{decision}\n"
    reading = read_adr(parse(text), "docs/adr/0001-record.md")
    assert reading.drafts == []
    assert reading.skipped == [("docs/adr/0001-record.md", "it only says that decisions are recorded")]
    text = text.replace(
        "a.example/adr).", "a.example/adr), and keep them in `docs/adr` beside the code of each service."
    )
    assert len(read_adr(parse(text), "docs/adr/0001-record.md").drafts) == 1


@pytest.mark.parametrize(
    "end", [", plus signed commits on main.", "; commits are signed.", " and sign commits.", ". Commits are signed."]
)
def test_a_first_record_that_also_says_something_else_is_kept(end: str) -> None:
    decision = f"We will use Architecture Decision Records, as described by Nygard{end}"
    text = f"# 1. Record decisions\n\n## Status\n\nAccepted\n\n## Decision\n\n{decision}\n"
    assert len(read_adr(parse(text), "docs/adr/0001-record.md").drafts) == 1
