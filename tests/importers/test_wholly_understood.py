"""What is read as a procedure, what keeps its heading, and what nobody would understand alone.

Rules: docs/reference/import.md, "Instructions", "Runbooks" and "What is left to the agent".
"""

from __future__ import annotations

import pytest

from cuecard.importers import places
from cuecard.importers.adr import read_adr
from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.runbooks.runbook import is_runbook, read_runbook
from cuecard.importers.titles import make_title


def read(text: str, path: str = "AGENTS.md") -> Reading:
    return read_instructions(parse(text), path, text)


def reasons(text: str) -> list[str]:
    return [why for _where, why in read(text).skipped]


STEPS = "- Create a branch.\n- Commit the change.\n- Open a pull request.\n- When it is green, merge it.\n"


@pytest.mark.parametrize(
    "section",
    [
        f"## Git\n\nWhen the feature is finished, follow these steps:\n\n{STEPS}",
        "## Checklist before shipping\n\n- [ ] Structs match exactly.\n- [ ] Maps have a bound.\n- [ ] Tests pass.\n",
        "## Troubleshooting\n\n- Check the connection.\n- Run `cargo clean` and build again.\n",
        "## Adding a filter\n\nCreate an index for each field:\n\n```python\nIndex(name)\n```\n",
        "## Translation\n\n- Use this process for each task:\n  1. Find the string.\n  2. Change the English text."
        "\n  3. Run the script.\n",
        "## Setup\n\nInstall the toolbox with Homebrew:\n\n```bash\nbrew install toolbox\n```\n",
    ],
)
def test_what_is_done_step_by_step_is_a_runbook(section: str) -> None:
    assert [draft.category for draft in read(f"# Acme\n\n{section}").drafts] == ["runbook"]


@pytest.mark.parametrize(
    "section",
    [
        "## Always sign off commits\n\nPass `-s` on every commit.\n\n```bash\ngit commit -s -m message\n```\n",
        "## Adding tests\n\n- Prefer tests of behaviour.\n- Avoid mocks.\n- Keep fixtures small.\n",
        "## Names\n\n- Get the name in this order of priority:\n  1. the variable\n  2. the settings\n  3. the user\n",
    ],
)
def test_rules_with_code_or_with_an_order_of_priority_are_no_runbook(section: str) -> None:
    assert [draft.category for draft in read(f"# Acme\n\n{section}").drafts] != ["runbook"]


def test_code_below_a_heading_that_forbids_a_thing_is_not_forbidden() -> None:
    text = "# Never hand-edit the fixtures\n\n## Pattern\n\n```bash\nacme fixtures emit\ngit add fixtures\n```\n"
    assert not [draft for draft in read(text).drafts if draft.category == "constraint"]


@pytest.mark.parametrize("heading", ["Out of scope", "Non-goals"])
def test_a_list_of_what_is_not_meant_keeps_its_heading(heading: str) -> None:
    [draft] = read(f"# Acme\n\n## {heading}\n\n- Support Windows\n- Add telemetry\n").drafts
    assert draft.category == "constraint"
    assert str(draft.content["rule"]).startswith(f"{heading}:\n")
    decided = "## Decision\n\nWe cache.\n\n## Consequences\n\nFaster."
    record = f"# Cache\n\n## Context\n\nSlow.\n\n## {heading}\n\n- Sharding\n\n{decided}"
    [adr] = read_adr(parse(f"{record}\n\n### {heading}\n\n- No purge\n- No warm-up\n"), "docs/adr/1.md").drafts
    assert adr.content["context"] == f"Slow.\n\n{heading}:\n- Sharding"
    assert adr.content["consequences"] == ["Faster.", f"{heading}: No purge", f"{heading}: No warm-up"]


def test_the_items_below_a_heading_that_says_when_not_to_have_it_in_front() -> None:
    [draft] = read("# Acme\n\n## When not to use assertions\n\n- Data must be optional.\n- Input is external.\n").drafts
    assert str(draft.content["rule"]).startswith("When not to use assertions:\n")


def test_what_is_ticked_above_a_record_is_no_context() -> None:
    ticks = "- [x] Approved in principle\n- [ ] Shipped\n"
    text = f"# Locks\n\n{ticks}\n## Context\n\nTests race.\n\n## Decision\n\nWe lock.\n"
    [draft] = read_adr(parse(text), "docs/rfcs/1.md").drafts
    assert draft.content["context"] == "Tests race."


@pytest.mark.parametrize(
    "section",
    [
        "## Specs\n\n1. Create the file.\n2. Update the table above.\n3. Run it.\n",
        "## Wire\n\nFour mechanisms, and they are not interchangeable - pick by what the test claims.\n",
        "## Threads\n\nWorkers run side by side. Follow these patterns to stay safe.\n",
        "## Answers\n\nWhen asked, you must:\n\n1. Use the patterns of this guide.\n",
        "## Docs\n\nPackage-scoped rules. See `README.md` for usage.\n",
        "## Commits\n\n**When to apply**: When writing commit messages.\n",
        "## queue.push()\n\nPushes a job and waits. The result needs to be checked.\n\n```ts\nqueue.push()\n```\n",
        "## Repository map\n\n| Task | Location |\n| --- | --- |\n| Add a command | `src/commands` |\n",
        "## Planes\n\nSome packages need to span several planes.\n",
    ],
)
def test_what_points_elsewhere_or_only_describes_is_left_to_the_agent(section: str) -> None:
    assert read(f"# Acme\n\n{section}").drafts == []
    assert reasons(f"# Acme\n\n{section}")


def test_a_reference_within_a_text_leaves_it_whole() -> None:
    text = (
        "# Acme\n\n## Tests\n\n| kind | folder |\n| --- | --- |\n| unit | `unit` |\n\nKeep the table above in order.\n"
    )
    assert len(read(text).drafts) == 1


def test_a_skill_and_a_template_of_another_project_are_no_instructions() -> None:
    [(_where, why)] = read("# Release\n\n- Always tag.\n", "skills/release/SKILL.md").skipped
    assert why == "a skill, which agents load for its task"
    assert places.is_instructions("app/AGENTS.md")
    assert not places.is_instructions("{{cookiecutter.name}}/AGENTS.md")
    assert not places.is_entered(".github/agents")


def test_exceptions_to_a_rule_stay_with_it() -> None:
    text = "# Acme\n\n## Queries\n\n- Never write raw SQL.\n\n## Exceptions to raw SQL\n\n- Reports may use it.\n"
    [draft] = read(text).drafts
    assert "Reports may use it" in str(draft.content["rule"])


def runbook(text: str) -> list[str]:
    [draft] = read_runbook(parse(text), "docs/runbooks/disk.md").drafts
    steps = draft.content["steps"]
    assert isinstance(steps, list)
    return [str(step) for step in steps]


def test_alternatives_are_one_step() -> None:
    text = "# Disk is full\n\n## Mitigation\n\nTwo options:\n\n- Add disks.\n- Delete old data.\n"
    assert runbook(text) == ["Two options:\n- Add disks.\n- Delete old data."]


def test_steps_keep_the_order_of_the_document() -> None:
    text = (
        "# Set the certificate\n\n## Example\n\n```yaml\na: 1\n```\n\n## Steps\n\n1. Create it.\n2. Apply it.\n\n"
        "## Troubleshooting\n\n1. Check the log.\n"
    )
    assert [step.rpartition("\n")[2] for step in runbook(text)] == [
        "1. Create it.",
        "2. Apply it.",
        "1. Check the log.",
    ]


@pytest.mark.parametrize("title", ["Version 1.0.0", "Deployment reference"])
def test_what_is_new_and_what_there_is_are_no_runbooks(title: str) -> None:
    text = "## Procedure\n\n1. Restart it.\n\n## Verification\n\nLook.\n"
    assert is_runbook(parse(f"# Deployment\n\n{text}"), "docs/deploy.md")
    assert not is_runbook(parse(f"# {title}\n\n{text}"), "docs/deploy.md")


def test_a_reference_with_the_word_in_its_name_has_no_steps() -> None:
    text = "# acme_runbook_worker\n\nManages a worker.\n\n## Example\n\n```hcl\nresource {}\n```\n"
    assert read_runbook(parse(text), "docs/r/runbook_worker.md").skipped == [
        ("docs/r/runbook_worker.md", "without steps")
    ]


def test_the_page_that_lists_runbooks_is_none() -> None:
    document = parse("# Runbooks\n\n1. Restart the worker\n2. Restore the data\n\n```bash\nls\n```\n")
    assert is_runbook(document, "docs/runbooks/list.md")
    assert not is_runbook(document, "docs/runbooks/README.md")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            f"Changes to config data, secrets, or any value of a hash trigger a rollout {'across clusters ' * 5}",
            "Changes to",
        ),
        (
            f"Before changing a chart, dashboard, or formatter of the application, read the manifest of it {'x ' * 20}",
            "Before",
        ),
    ],
)
def test_a_title_is_not_cut_within_a_list_of_things(text: str, title: str) -> None:
    cut = make_title(text)
    assert cut.startswith(title)
    assert cut.endswith("\u2026")


def test_a_rule_names_a_section_before_a_fact() -> None:
    rules = "- TypeScript source in `src/`\n- All code must run on Node 20.\n- Keep types strict.\n"
    [draft] = read(f"# Acme\n\n## Conventions\n\n{rules}").drafts
    assert draft.title.startswith("Conventions: All code must run on Node 20; Keep types strict; ")


def test_a_title_that_says_this_folder_names_the_folder() -> None:
    [draft] = read("Files of this directory must not be used by other teams.\n", "sdk/internal/AGENTS.md").drafts
    assert draft.title == "internal/: Files of this directory must not be used by other teams"
