"""What counts as a step of a runbook (docs/reference/import.md, "Runbooks")."""

from __future__ import annotations

from typing import Any

import pytest

from cuecard.importers.markup.markdown import parse
from cuecard.importers.runbooks.runbook import read_runbook

HEAD = "# Pump stuck\n\n## Meaning\n\nThe pump stands.\n\n"


def steps_of(text: str) -> list[str]:
    [draft] = read_runbook(parse(HEAD + text), "runbooks/pump.md").drafts
    steps: Any = draft.content["steps"]
    return list(steps)


@pytest.mark.parametrize(
    "empty", ["TODO", "TBD.", "N/A", "**TODO**", "To be written", "TODO\n\nSee [the wiki](https://a.b/c)"]
)
def test_a_section_that_nobody_has_written_gives_no_steps(empty: str) -> None:
    text = f"## Diagnosis\n\n- Check the valve.\n- Look into the log.\n\n## Mitigation\n\n{empty}\n"
    assert steps_of(text) == ["- Check the valve.", "- Look into the log."]


def test_a_remark_about_work_to_do_is_not_an_empty_section() -> None:
    assert steps_of("## Mitigation\n\nTODO lists are in the wiki. Clear the queue.\n") == [
        "TODO lists are in the wiki. Clear the queue."
    ]


def test_references_are_no_steps() -> None:
    text = (
        "## Mitigation\n\nRestart it:\n\n```sh\npump restart\n```\n\n"
        "- [1](https://a.b/pumps_(old))\n- [valves](https://a.b/valves)\n\nSee [the manual](https://a.b/m)\n"
    )
    assert steps_of(text) == ["Restart it:\n```sh\npump restart\n```"]


def test_a_runbook_that_only_names_another_place_is_kept() -> None:
    assert steps_of("## Mitigation\n\nSee [the other pump](https://a.b/c).\n") == [
        "See [the other pump](https://a.b/c)."
    ]


@pytest.mark.parametrize(
    "lead", ["Check the parts, such as:", "Run checks. Common causes:", "Pumps that do this, for example:"]
)
def test_a_list_of_examples_stays_with_its_line(lead: str) -> None:
    text = f"## Mitigation\n\nClose the valve.\n\n{lead}\n\n- check valve\n- run of the pipe\n"
    steps = steps_of(text)
    assert any(step.endswith(f"{lead}\n- check valve\n- run of the pipe") for step in steps)
    assert not any(step.startswith("-") for step in steps)


def test_a_bullet_that_says_nothing_to_do_joins_the_step_before_it() -> None:
    text = "## Mitigation\n\n- Close the valve.\n- `pump stop` ends it\n- a noise of some seconds\n- Open the valve.\n"
    assert steps_of(text) == [
        "- Close the valve.",
        "- `pump stop` ends it\n- a noise of some seconds",
        "- Open the valve.",
    ]


def test_a_list_of_things_is_no_list_of_steps() -> None:
    text = "## Mitigation\n\nReplace these parts.\n\n- valve\n- gasket\n- read head\n"
    assert steps_of(text) == ["Replace these parts.\n- valve\n- gasket\n- read head"]


def test_alternatives_stay_below_their_headings() -> None:
    text = (
        "## Mitigation\n\n### Flush\n\nOpen the drain.\n\n- Close the inlet.\n- Wait for a minute.\n\n"
        "### Swap\n\nBuild in the spare pump.\n\nTODO\n"
    )
    assert steps_of(text) == [
        "Flush\nOpen the drain.\n- Close the inlet.\n- Wait for a minute.",
        "Swap\nBuild in the spare pump.",
    ]


def test_numbered_steps_below_a_heading_stay_apart() -> None:
    text = "## Mitigation\n\n### Flush\n\n1. Close the inlet.\n2. Wait.\n\n### Swap\n\n1. Build in the spare pump.\n"
    assert steps_of(text) == ["Flush\n1. Close the inlet.", "2. Wait.", "Swap\n1. Build in the spare pump."]


def test_commands_of_the_diagnosis_come_first() -> None:
    text = "## Mitigation\n\nRestart it.\n\n## Diagnosis\n\nLook:\n\n```sh\npump status\n```\n"
    assert steps_of(text) == ["Diagnosis\nLook:\n```sh\npump status\n```", "Mitigation\nRestart it."]


def test_a_diagnosis_that_only_explains_gives_no_steps() -> None:
    text = "## Diagnosis\n\nThe valve may be broken.\n\n## Mitigation\n\nRestart it.\n"
    assert steps_of(text) == ["Restart it."]


def test_code_before_a_list_belongs_to_the_step_before_it() -> None:
    text = "## Mitigation\n\nLook at it:\n\n```sh\npump status\n```\n\n"
    text += "- Check the valve.\n- See [valves](https://a.b/c)\n- Check the hose.\n"
    assert steps_of(text) == ["Look at it:\n```sh\npump status\n```", "- Check the valve.", "- Check the hose."]


def test_a_runbook_that_nobody_has_written_is_no_memory() -> None:
    reading = read_runbook(parse(HEAD + "## Diagnosis\n\nTODO\n\n## Mitigation\n\nTBD\n"), "runbooks/pump.md")
    assert (reading.drafts, reading.skipped) == ([], [("runbooks/pump.md", "without steps")])


def test_a_list_of_choices_is_no_list_of_steps() -> None:
    text = "## Mitigation\n\nSet a profile. The order of preference is:\n\n1. `Relieve`\n2. `Migrate`\n3. `Long`\n"
    assert len(steps_of(text)) == 1


def test_symptoms_of_several_cases_name_their_case() -> None:
    signs = "## Symptoms\n\n**Running pumps**\n\n- They go on.\n\n**Standing pumps**\n\n- They do not start.\n\n"
    text = f"{HEAD}{signs}## Mitigation\n\n1. Replace the pump.\n2. Look at the log.\n"
    [draft] = read_runbook(parse(text), "runbooks/pump.md").drafts
    assert draft.content["symptoms"] == ["Running pumps: They go on.", "Standing pumps: They do not start."]
