"""Drafts that an import leaves to the agent, because they depend on text around them; the report gives reasons."""

import pytest

from cuecard.importers import selection
from cuecard.importers.adr import read_adr
from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.places import is_instructions
from cuecard.importers.runbooks.runbook import read_runbook


def read(text: str, path: str = "CLAUDE.md") -> Reading:
    return read_instructions(parse(text), path, text)


@pytest.mark.parametrize(
    ("heading", "text", "why"),
    [
        ("Style", "- Name them after the table.", selection.FRAGMENT),
        ("Style", "- Follow the existing code style.", selection.FRAGMENT),
        ("Start", "- When you need one for two packages (see the other guide for one)", selection.DESCRIPTION),
        ("Start", "For tasks about payments, also read:", "it only says where to read more"),
        ("Layout", "Записи хранятся в папке проекта, а индекс строится заново при запуске.", selection.LANGUAGE),
        (
            "Aufbau",
            "Die Daten liegen in der Datei und werden mit dem Dienst für den Bericht gelesen.",
            selection.LANGUAGE,
        ),
        ("Format", "```\nscope: <one line>\nrisk: <low or high>\n```", selection.CODE),
        (
            "Examples",
            "- A user has a question, and the bot has one too.\n- A user has a plan, and the bot has none.",
            selection.EXAMPLE,
        ),
        ("Layout", "- `api/` holds the server\n- Never edit `gen/` by hand", None),
    ],
)
def test_what_cannot_stand_alone_is_left_to_the_agent(heading: str, text: str, why: str | None) -> None:
    reading = read(f"# Rules\n\n## {heading}\n\n{text}\n")
    told = [reason for _where, reason in reading.skipped]
    if why is None:
        assert [draft.title for draft in reading.drafts][:1] == ["Layout: Never edit gen/ by hand"]
    else:
        assert not reading.drafts
        assert any(why in reason or "leads to what follows" in reason for reason in told)


def test_every_section_that_is_left_has_a_row() -> None:
    text = "# Rules\n\n## Style\n\n- Name them after the table.\n\n## Tests\n\n- Run `make test` before a commit.\n"
    reading = read(text)
    assert [draft.title for draft in reading.drafts] == ["Run make test before a commit"]
    assert [where for where, _why in reading.skipped] == ["CLAUDE.md#Rules > Style"]


def test_commands_below_a_heading_that_bans_them_are_one_rule_and_no_runbook() -> None:
    text = "# Git\n\n## Banned commands\n\n### Resets\n\n```bash\ngit reset --hard\ngit clean -fd\n```\n"
    [draft] = read(text).drafts
    assert (draft.category, draft.title) == (
        "constraint",
        "Banned commands: Never run git reset --hard; Never run git clean -fd",
    )
    assert draft.content["severity"] == "high"


def test_what_is_not_to_be_done_is_no_technical_debt() -> None:
    text = "# Rules\n\n## What NOT to do without being asked\n\n- Do not add a web server.\n"
    [draft] = read(text).drafts
    assert draft.category == "constraint"


def test_items_below_a_lead_that_bans_are_rules() -> None:
    [draft] = read("# Edits\n\nDon\u2019t:\n\n- Reformat whole files.\n").drafts
    assert (draft.category, draft.content["kind"]) == ("constraint", "policy")


def test_a_file_of_instructions_that_is_deprecated_gives_nothing() -> None:
    reading = read("# Rule 011 - DEPRECATED\n\n- Models must match.\n")
    assert not reading.drafts
    assert reading.skipped == [("CLAUDE.md", "deprecated at its source")]


def test_a_readme_beside_rules_is_no_rule() -> None:
    assert is_instructions(".cursor/rules/testing.mdc")
    assert not is_instructions(".cursor/rules/README.md")


def test_a_decision_that_is_a_bare_heading_is_kept() -> None:
    head, decision = "# Prefix index\n\n## Context\n\nIt is slow.\n", "## Decision\n\n### A) No prefixes\n"
    text = f"{head}\n{decision}\n## Consequences\n\n- Less.\n"
    [draft] = read_adr(parse(text), "docs/adr/0008-prefix.md").drafts
    assert "No prefixes" in str(draft.content["decision"])


def test_a_blank_of_a_template_is_no_decision() -> None:
    text = "# Use diode\n\n## Context\n\nState is spread.\n\n## Decision\n\nDecision here...\n"
    reading = read_adr(parse(text), "docs/adr/0005-use-diode.md")
    assert not reading.drafts
    assert reading.skipped == [("docs/adr/0005-use-diode.md", "without a decision")]


def test_a_record_that_says_in_prose_that_it_was_superseded_is_over() -> None:
    head = "# 7. Uploads\n\nThis decision has been superseded by decision 22.\n"
    text = f"{head}\n## Context\n\nA.\n\n## Decision\n\nSign URLs.\n"
    [draft] = read_adr(parse(text), "docs/adr/0007-uploads.md").drafts
    assert draft.is_over == "superseded at its source"


def test_a_licence_and_a_rejected_option_are_no_part_of_the_decision() -> None:
    text = (
        "# Use Maven\n\n## Context\n\nWhich tool?\n\n## Decision Outcome\n\nWe use Maven.\n\n"
        "### Do nothing (Rejected)\n\nNo build.\n\n## License\n\nCopyright 2018.\n"
    )
    [draft] = read_adr(parse(text), "docs/adr/0023-maven.md").drafts
    assert draft.content["decision"] == "We use Maven."


def test_a_title_that_is_a_file_name_gives_way_to_the_name_of_the_file() -> None:
    text = "# use-coveralls-to-watch-coverage\n\n## Context\n\nA.\n\n## Decision\n\nUse Simplecov.\n"
    [draft] = read_adr(parse(text), "docs/adr/0009-use-simplecov.md").drafts
    assert draft.title == "Use simplecov"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- Use that script for the cloud, and never call the other one.", selection.POINTER),
        ("- Do not collapse these layers into one string.", selection.POINTER),
        ("These should not assume a service. Other services must be mocked.", selection.FRAGMENT),
        ("Use this reference for changes of the runner or its hooks.", selection.ABOUT_ITSELF),
    ],
)
def test_a_rule_about_what_stands_before_it_is_left_to_the_agent(text: str, why: str) -> None:
    reading = read(f"# Rules\n\n## Cloud\n\n{text}\n")
    assert (reading.drafts, [reason for _where, reason in reading.skipped]) == ([], [f"left to the agent: {why}"])


@pytest.mark.parametrize(
    "text",
    [
        "Ensure that each port is closed in the tests.",
        "This project does not use focused tests in its suites; always name a label.",
        "Do not infer that a port is open from the name of a pod.",
    ],
)
def test_a_rule_that_names_what_it_is_about_stays(text: str) -> None:
    assert len(read(f"# Rules\n\n## Ports\n\n- {text}\n").drafts) == 1


@pytest.mark.parametrize(
    "text",
    [
        "# Acme\n\nAcme is an open platform for invoices and their archives.\n",
        "# Acme\n\nThis package contains the code of all invoices and their archives.\n",
        "# Acme\n\n## Glossary\n\n### Ledger\n\nAll payments of one customer live in it, in the order of their days.\n",
        "# Acme\n\n## Glossary\n\n### Ledger\n\nSettings that define how a year should be opened or closed.\n",
        "# Acme\n\n## Ledger\n\nA component that handles the payments of a customer, in the order of their days.\n",
        "# Acme\n\n## Sources\n\n- `src/ledger.py`\n- `src/payments.py`\n- `tests/test_ledger.py`\n",
        "# Acme\n\n## Ledger\n\n- `open` - Opens the ledger of a year\n- `close` - Closes the ledger of a year\n",
        "# Acme guidelines\n\n## Places\n\n- Routes of the public server: `src/server/routes/`\n- Jobs: `src/jobs/*`\n",
    ],
)
def test_what_something_is_or_where_is_left_to_the_agent(text: str) -> None:
    assert read(text).drafts == []
    assert read(text).skipped


def test_a_deprecated_runbook_is_left_out_with_a_row() -> None:
    text = "# QueueStuck [Deprecated]\n\nIgnore it.\n\n## Mitigation\n\n1. Restart the queue.\n2. Look at the log.\n"
    reading = read_runbook(parse(text), "docs/runbooks/QueueStuck.md")
    assert (reading.drafts, reading.skipped) == ([], [("docs/runbooks/QueueStuck.md", "deprecated at its source")])
