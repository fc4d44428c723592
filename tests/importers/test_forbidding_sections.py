"""Sections whose heading or line says that what is below it must not be done."""

import pytest

from cuecard.importers.draft import Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse


def read(text: str) -> Reading:
    return read_instructions(parse(text), "AGENTS.md", text)


@pytest.mark.parametrize("heading", ["Do not", "Avoid", "Never run"])
def test_code_alone_below_a_heading_that_forbids_is_a_constraint(heading: str) -> None:
    [draft] = read(f"# Guide\n\n## {heading}\n\n```bash\ngit push --force\n```\n").drafts
    assert (draft.category, draft.title) == ("constraint", f"{heading}: Never run git push --force")


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ("\u2705", ()),
        ("1\ufe0f\u20e3", ()),
        ("\u2705\n\n| | |\n|---|---|", ()),
        ("| a | b |\n|---|---|\n| \u2705 | |", ()),
        ("- \u2705\n- Use `eval()`.", ("Do not use `eval()`.",)),
    ],
)
def test_a_line_without_a_word_below_a_heading_that_forbids_is_no_rule(body: str, rules: tuple[str, ...]) -> None:
    assert [draft.rules for draft in read(f"# Guide\n\n## Never\n\n{body}\n").drafts] == ([rules] if rules else [])


@pytest.mark.parametrize("lead", ["Never do this:", "Avoid:", "**Do not run:**"])
def test_code_behind_a_line_that_forbids_is_a_constraint(lead: str) -> None:
    text = f"# Guide\n\n## Uploads\n\n{lead}\n\n```bash\ngit push --force\n```\n"
    [draft] = read(text).drafts
    assert (draft.category, draft.rules) == ("constraint", (f"{lead.strip('*')} `git push --force`",))


@pytest.mark.parametrize("wrong", ["```bash\nmake c\n```", "- Run `make c`.\n- Run `make d`."])
def test_what_a_line_forbids_is_no_step_of_its_own(wrong: str) -> None:
    right = f"```bash\n{''.join([f'make a{number}{chr(10)}' for number in range(6)])}```\n"
    [draft] = read(f"# Guide\n\n## Deployment\n\n{right}\nNever do this:\n\n{wrong}\n").drafts
    assert draft.category == "runbook"
    [step] = draft.content["steps"]
    assert step.endswith(f"Never do this:\n{wrong}")
    assert "make c" not in draft.title


@pytest.mark.parametrize("lead", ["Never push without running:", "Do not use npm, use pnpm:"])
def test_code_behind_a_line_that_says_what_to_do_instead_is_not_forbidden(lead: str) -> None:
    [draft] = read(f"# Guide\n\n## Uploads\n\n{lead}\n\n```bash\npnpm test\n```\n").drafts
    assert not any("pnpm test" in rule for rule in draft.rules)


GLOBAL = """# Rules of the shop

## {above}

### 1. Global cache object

Reading prices from one module-level cache that every request changes. It makes tests depend on each other.

**Detect**: a dict at module level; a test that clears it.

**Instead**: Hand the cache to each service as an argument.

### Always close the file

Always close a file in the function that opens it.
"""


@pytest.mark.parametrize(
    "above", ["Anti-patterns", "Common mistakes", "Don'ts", "Things to avoid", "Avoid", "vShop anti-pattern rule"]
)
def test_a_section_below_what_is_bad_is_a_ban_with_its_cure_beside_it(above: str) -> None:
    text = GLOBAL.format(above=above) + "\n## Style\n\nUse tabs.\n" + "\n### Long\n\nUse long names for files.\n" * 30
    drafts = read_instructions(parse(text), "CLAUDE.md", text).drafts
    draft = next(draft for draft in drafts if "cache" in draft.title)
    assert (draft.category, draft.title) == ("constraint", "Avoid: Global cache object")
    rule = str(draft.content["rule"])
    assert rule.index("module-level cache") < rule.index("**Instead**") < rule.index("**Detect**")
    # The part that a block shows has both.
    [(_heading, shown)] = draft.sections
    assert "module-level cache" in shown
    assert "as an argument" in shown
    assert "forbids" not in draft.record()["cuecard"]
    # A heading that gives an order forbids nothing.
    assert not [draft for draft in drafts if str(draft.statement).startswith("Avoid: Always")]


@pytest.mark.parametrize("topic", ["Security", "Error handling"])
def test_a_topic_below_what_is_bad_is_not_turned_round(topic: str) -> None:
    text = f"# Rules\n\n## Common pitfalls\n\n### {topic}\n\n- Never print the text of a user into a page.\n"
    drafts = read_instructions(parse(text + "\n### Long\n\nUse long names.\n" * 30), "CLAUDE.md", text).drafts
    draft = next(draft for draft in drafts if topic in draft.title)
    assert draft.title == f"Common pitfalls: {topic}"
    assert draft.statement.startswith(f"Common pitfalls: {topic}\n")


def test_the_name_of_a_file_of_bad_things_counts_as_a_heading() -> None:
    text = GLOBAL.replace("## {above}\n\n", "").replace("###", "##").replace("Rules of the shop", "vShop anti-patterns")
    path = ".claude/rules/shop-anti-patterns.md"
    drafts = read_instructions(parse(text), path, text).drafts
    assert [draft.title for draft in drafts if "cache" in draft.title] == ["Avoid: Global cache object"]


def test_a_heading_for_good_and_bad_forbids_nothing_below_it() -> None:
    text = GLOBAL.format(above="Patterns and anti-patterns") + "\n### Long\n\nUse long names for files.\n" * 30
    drafts = read_instructions(parse(text), "CLAUDE.md", text).drafts
    assert not [draft.title for draft in drafts if "Avoid:" in draft.title]


def test_what_a_section_of_bad_things_forbids_is_proposed_and_a_cure_among_them_is_no_ban() -> None:
    text = (
        "# Rules\n\n## Anti-patterns\n\n### Global state\n\nNever use `global_config()` in a handler.\n\n"
        "### Correct approach\n\nAlways hand the settings to each handler as an argument.\n"
    )
    drafts = read_instructions(parse(text + "\n### Long\n\nUse long names.\n" * 30), "CLAUDE.md", text).drafts
    assert [draft.title for draft in drafts if "Correct" in draft.title and "Avoid" in draft.title] == []
    banned = next(draft for draft in drafts if draft.title == "Avoid: Global state")
    assert banned.record()["cuecard"]["forbids"] == ["code: global_config()"]
    assert banned.content["severity"] == "high"


@pytest.mark.parametrize(
    "rule",
    [
        "Rules for releases always require two approvals from the platform team.",
        "Instructions to users should always be written in German.",
    ],
)
def test_a_rule_that_begins_like_a_sentence_about_rules_is_kept(rule: str) -> None:
    assert read(f"# Project\n\n## Team\n\n{rule}\n").drafts
