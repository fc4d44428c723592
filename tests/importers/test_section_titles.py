"""What sections of instructions are called, and which of them are none: names of files, intros, pointers."""

import pytest

from cuecard.importers.draft import ImportedDraft, Reading
from cuecard.importers.instructions import name_of, read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.titles import make_title


def read(text: str, path: str = "AGENTS.md") -> Reading:
    return read_instructions(parse(text), path, text)


def draft_of(text: str, path: str = "AGENTS.md") -> ImportedDraft:
    [draft] = read(text, path).drafts
    return draft


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Polish (pl) Wording Guidelines", "Polish (pl) Wording"),
        ("Repository Guidelines", ""),
        ("AGENTS.md", ""),
        ("Mail Router Project Instructions", "Mail Router Project"),
        ("Development Guide for AI Assistants", ""),
        ("Mail server - Claude Code Configuration", "Mail server"),
    ],
)
def test_a_title_names_its_subject_without_the_words_of_every_such_title(title: str, name: str) -> None:
    assert name_of(title) == name


@pytest.mark.parametrize(
    ("path", "title"),
    [
        (".roo/rules-wording/001-general-rules.md", "wording: Pitfalls"),
        (".cursor/rules/wording/general.mdc", "wording: Pitfalls"),
        (".roo/rules-wording/02-mails.md", "mails: Pitfalls"),
    ],
)
def test_a_file_without_a_subject_in_its_name_has_the_one_of_its_folder(path: str, title: str) -> None:
    body = "- Keep each name of a product.\n- Keep all signs in braces."
    drafts = read(f"# Pitfalls\n\n{body}\n\n# Voices of it\n\n{body}\n", path).drafts
    assert drafts[0].title.startswith(title)


def test_what_stands_below_pitfalls_to_avoid_is_forbidden() -> None:
    draft = draft_of("# Wording\n\n## Common pitfalls to avoid\n\n- Changing placeholders\n- Mixing two styles\n")
    assert draft.category == "constraint"
    assert draft.statement.startswith("Common pitfalls to avoid:\n- Changing placeholders")


@pytest.mark.parametrize(
    "text",
    [
        "Patterns observed in all of the code. These go beyond what is usual.",
        "Guidelines for writing clean Go in this codebase. Apply these when fixing bugs.",
        "Before writing Go code, read [`docs/go.md`](docs/go.md).",
        "**REQUIRED**: Read [`docs/all.md`](docs/all.md) at the start of every session.",
        "Before editing prose (docs, designs), read [`docs/prose.md`](docs/prose.md).",
        "**For all forms (of mails and of names), read `docs/forms.md` and `docs/names.md`.**",
        "**Read these files before you review, so that you know the whole of the project and its guidelines**\n\n"
        "1. `README.md` (for the project)\n2. `CONTRIBUTING.md` (for the guidelines)",
        "When a pull request is opened, follow [the checklist](docs/check.md).",
    ],
)
def test_what_only_announces_or_names_rules_is_no_rule(text: str) -> None:
    reading = read(f"# Mail\n\n## Go conventions\n\n{text}\n")
    assert (reading.drafts, len(reading.skipped)) == ([], 1)


@pytest.mark.parametrize(
    "text",
    ["Rules for money must never use floats. These are checked.", "Before writing Go code, read each test of it."],
)
def test_a_rule_that_begins_alike_stays_a_rule(text: str) -> None:
    assert draft_of(f"# Mail\n\n## Go conventions\n\n{text}\n").statement == text


def test_numbers_behind_a_line_that_says_what_a_program_does_are_no_steps() -> None:
    steps = "1. Make keys\n2. Lock all data\n3. Store it\n"
    text = f"The filler uses the kit because it must act like a real client:\n\n{steps}"
    assert read(f"# Mail\n\n## Filler\n\n{text}").drafts == []
    assert draft_of(f"# Mail\n\n## Release\n\nThe release uses the following steps:\n\n{steps}").category == "runbook"


def test_a_title_has_the_labels_of_paragraphs() -> None:
    text = (
        "**Old data**: An empty profile must give what it always gave, row for row, in each of the tables.\n\n"
        "**Profiles**: Add a block of the name `profile`, see the schema.\n\n**Note**: See there."
    )
    assert draft_of(f"# Mail\n\n## Density\n\n{text}\n").title == "Density: Old data; Profiles"


def test_a_long_rule_has_its_beginning_in_the_title() -> None:
    rules = [
        "**NEVER** write regions in code: if there is so much of it that it needs them, cut the code up",
        "**NEVER** weaken the locks of users: what they keep in their vaults must stay locked for everybody else",
        "**ALWAYS** value locks",
    ]
    body = "\n".join([f"- {rule}" for rule in rules])
    title = "Hard rules: NEVER write regions in code; NEVER weaken the locks of users; ALWAYS value locks"
    assert draft_of(f"# Mail\n\n## Hard rules\n\n{body}\n").title == title


def test_code_says_nothing_of_how_strong_a_preference_is() -> None:
    text = 'Keep warnings and errors apart.\n\n```go\nreturn errors.New("size must be positive")\n```'
    assert draft_of(f"# Mail\n\n## Checks of settings\n\n{text}\n").content["strength"] == "default"


def test_points_that_are_common_have_the_name_of_their_file() -> None:
    body = "- Say that labels keep their dots.\n- Show what changes."
    draft = draft_of(f"# Counting of metrics\n\n## Common user confusion points\n\n{body}\n", "gen/AGENTS.md")
    assert draft.title.startswith("Counting of metrics: Common user confusion points")


def test_things_to_do_are_no_debt() -> None:
    body = "- Keep types explicit.\n- Write a text for each function."
    assert draft_of(f"# Mail\n\n## Things to do\n\n{body}\n").category == "preference"
    assert draft_of(f"# Mail\n\n## To do\n\n{body}\n").category == "tech_debt"


def test_a_heading_that_forbids_has_what_it_forbids_in_the_title() -> None:
    draft = draft_of("# Mail\n\n## Things NOT to do\n\n- Don't skip types\n- Don't log secrets of users\n")
    assert draft.title == "Things NOT to do: Don't skip types; Don't log secrets of users"


def test_the_sign_between_two_words_of_a_heading_is_no_word() -> None:
    draft = draft_of("# Mail\n\n## Build / lint / test\n\n- Keep the kit built.\n- Run no test twice.\n")
    assert draft.title == "Build / lint / test: Keep the kit built; Run no test twice"


def test_a_title_has_the_sentence_that_is_the_rule() -> None:
    text = (
        "Your changes to the mail server are welcome! Follow the form of the handlers in `src/handlers`. It is short."
    )
    title = draft_of(f"# Mail\n\n## Contributing\n\n{text}\n\nKeep all names short.\n").title
    assert title == "Contributing: Follow the form of the handlers in src/handlers; Keep all names short"


def test_a_section_is_cut_only_if_it_is_long() -> None:
    rule = "Always scrub what the parent has left in the environment, and then begin. "
    whole, cut = [read("# Mail\n\n## Scrubbing\n\n" + f"{rule * 4}\n\n" * count).drafts for count in (7, 12)]
    assert (len(whole), len(cut)) == (1, 3)


def test_a_title_has_a_clause_of_the_first_rule_before_a_later_one_that_is_short() -> None:
    rules = "- Keep all fields that hold secrets of users in their type,"
    rules += " because each log shows the others.\n- No weak keys"
    title = draft_of(f"# Mail\n\n## Review: Security\n\n{rules}\n").title
    assert title == f"Review: Security: {rules[2:].partition('.')[0]}"


def test_what_a_workflow_runs_is_no_name_of_a_section() -> None:
    text = (
        "The main workflow currently runs:\n\n- `tests/live` as one always-on suite\n- types\n\nIf you change it:\n\n"
    )
    title = draft_of(f"# Mail\n\n## CI contract\n\n{text}- keep the order of the jobs\n- keep all names\n").title
    assert "always-on" not in title
    assert title.startswith("CI contract: If you change it: keep the order")


def test_a_section_with_sections_below_it_is_named_by_their_headings() -> None:
    text = "### `tests/unit`\n\n- Must not require a server.\n\n### `tests/e2e`\n\n- Prefer helpers over sleeping.\n"
    assert draft_of(f"# Mail\n\n## Kinds of tests\n\n{text}").title == "Kinds of tests: tests/unit; tests/e2e"


def test_the_title_of_a_file_is_no_title_of_a_rule_in_it() -> None:
    text = "When you open a change, you **MUST** fill in the form. **DO NOT** open one without the full tests."
    title = draft_of(f"# Mail Server Coding Handbook\n\n{text}\n").title
    assert title.startswith("Mail Server Coding Handbook: When you open a change, you MUST fill in the form")


def test_a_rule_that_leans_on_another_gives_no_title() -> None:
    body = "- `NOTES.md` lives.\n- Update it with the code when workflows change.\n- Keep private notes out of it all."
    title = draft_of(f"# Mail\n\n## Maintenance contract\n\n{body}\n").title
    assert title == "Maintenance contract: Keep private notes out of it all"


@pytest.mark.parametrize(
    "condition",
    ["via `innerHTML` without the sanitiser", "by a script without a review", "(not even once), unless it is escaped"],
)
def test_a_title_is_not_cut_before_the_condition_of_a_prohibition(condition: str) -> None:
    title = make_title(
        f"What a user has typed is never put into the document of a page {condition} of the project {'x ' * 30}"
    )
    assert title.endswith("\u2026")
    assert len(title) > len("What a user has typed is never put into the document of a page")


def test_the_goals_of_a_guide_are_left_to_the_agent_unless_they_forbid() -> None:
    goals = "# Review guide\n\n## Goals\n\n- Always catch bugs early.\n- Share what you know.\n"
    assert read(goals).drafts == []
    assert len(read("# Review guide\n\n## Goals\n\n- Never merge on a Friday.\n").drafts) == 1


def test_numbered_rows_of_a_table_give_no_title() -> None:
    rows = "| S-1 | The handler must check every input. | 3 |\n| S-2 | A response must never have a trace. | 2 |\n"
    table = f"| ID | Criterion | Weight |\n|---|---|---|\n{rows}"
    assert draft_of(f"# Guide\n\n## Handler checks\n\n{table}").title == "Handler checks"


def test_a_value_in_a_cell_of_a_table_is_no_forbidden_module() -> None:
    table = "| Header | Rule |\n|---|---|\n| CSP | never use `unsafe-inline` |\n| HSTS | always send it |\n"
    assert "forbids" not in draft_of(f"# Guide\n\n## Headers of a response\n\n{table}").record()["cuecard"]
    rule = draft_of("# Guide\n\n## Modules\n\nNever use `left-pad` in a package.\n")
    assert rule.record()["cuecard"]["forbids"] == ["import: left-pad"]
