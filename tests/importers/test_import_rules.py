"""Rules in files of instructions: what they say, what they are called, and what is no rule."""

import pytest

from cuecard.importers.draft import NOT_STATED, ImportedDraft, Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.selection import DESCRIPTION
from cuecard.importers.subjects import names_subject, topics_of, with_subject
from cuecard.importers.titles import make_title


def read(text: str, path: str = "AGENTS.md") -> Reading:
    return read_instructions(parse(text), path, text)


def drafts_of(text: str) -> dict[str, ImportedDraft]:
    return {draft.title: draft for draft in read(text).drafts}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("\u274c Use floats for money", "Do not use floats for money"),
        ("\u274c Manual handling of the token header", "Money: Avoid: Manual handling of the token header"),
        ("\u2705 Use integer cents for money", "Use integer cents for money"),
        ("[x] Use integer cents for money", "Use integer cents for money"),
        ("Use the setting max_amount for refunds", "Money: Use the setting max_amount for refunds"),
        ("Never call `a\\_b` for refunds", "Money: Never call a\\_b for refunds"),
    ],
)
def test_marks_are_no_text_and_a_red_cross_forbids(line: str, wanted: str) -> None:
    [draft] = read(f"# Money\n\n- {line}\n").drafts
    assert draft.title == wanted
    assert not set("\u274c\u2705") & set(str(draft.content))


@pytest.mark.parametrize("line", ["No soft deletes in any table", "Deletes: No soft deletes in any table"])
def test_what_must_not_be_is_a_constraint(line: str) -> None:
    [draft] = read(f"# Storage rules\n\n- {line}\n").drafts
    assert (draft.category, draft.content["kind"]) == ("constraint", "policy")


def test_what_a_program_does_by_itself_is_no_rule() -> None:
    text = "# Releases\n\nWhen a change is merged, the action will:\n\n- Update the versions of all packages\n- Push\n"
    assert {draft.content.get("kind") for draft in read(text).drafts} <= {"technical"}


def test_commands_of_any_program_below_a_heading_for_commands_are_a_runbook() -> None:
    text = "# Commands\n\n- Check the status: `acme-cli status`\n- Import the notes: `acme-cli import notes`\n"
    assert [draft.category for draft in read(text).drafts] == ["runbook"]


def test_folders_are_no_commands() -> None:
    text = "# Folder structure\n\n- `./packages` - all SDKs\n- `./examples` - examples\n- `./tools` - scripts\n"
    assert_describes(text)


def assert_describes(text: str) -> None:
    reading = read(text)
    assert (reading.drafts, [why for _where, why in reading.skipped]) == ([], [f"left to the agent: {DESCRIPTION}"])


@pytest.mark.parametrize(
    "text",
    [
        "# Architecture\n\nTurbines drive the build, and packages are built in order.\n",
        "# Concepts\n\n- **Queue** - events wait here\n- **Store** - events rest here\n- **Gate** - asked once\n",
    ],
)
def test_descriptions_are_left_to_the_agent(text: str) -> None:
    assert_describes(text)


@pytest.mark.parametrize(
    "line", ["Local constants: camelCase", "Short names, at most two words", "Group blank lines by topic"]
)
def test_a_clear_convention_needs_no_heading_of_its_own_about_conventions(line: str) -> None:
    [draft] = read(f"# A\n\n## Code style\n\n### Constants\n\n- {line}\n").drafts
    assert (draft.category, draft.content["value"]) == ("preference", line)


def test_commands_of_unknown_programs_are_no_description() -> None:
    text = "# A\n\n## Commands\n\n### Tests\n\n- `acme spec path/x` - one test\n- `acme lint` - the linter\n"
    assert [draft.title for draft in read(text).drafts] == ["Commands: Tests: acme spec path/x, acme lint"]


@pytest.mark.parametrize(
    "text",
    [
        "# Agent rules (MUST FOLLOW)\n\n- Use the tools for all work with files\n",
        "# Agent rules\n\n- Use the tools for all work with files - NO EXCEPTIONS\n",
        "# Agent rules\n\n- Use the tools for all work with files, without exception\n",
    ],
)
def test_what_has_no_exception_is_a_constraint_of_high_severity(text: str) -> None:
    [draft] = read(text).drafts
    assert (draft.category, draft.content["severity"]) == ("constraint", "high")


def test_no_need_is_no_constraint() -> None:
    [draft] = read("# Testing\n\nThere's no need to call `stop()`. Write `start()` and leave it.\n").drafts
    assert draft.category == "preference"


def test_numbered_commands_are_steps() -> None:
    [draft] = read("# Development\n\n1. `pnpm install`\n2. `pnpm build`\n").drafts
    assert draft.content["steps"] == ["`pnpm install`", "`pnpm build`"]


@pytest.mark.parametrize(
    "text",
    [
        "**House style (the short form)**\n",
        "=== rules of the team ===\n",
        "The contract of the repository lives in AGENTS.md.\n",
        "See docs/design.md for the layers. See docs/testing.md for the tests.\n",
        "All of `docs/AGENTS.md` applies.\n",
    ],
)
def test_headings_dividers_and_pointers_are_no_memories(text: str) -> None:
    reading = read(f"# Rules\n\n{text}")
    assert (reading.drafts, len(reading.skipped)) == ([], 1)


@pytest.mark.parametrize(
    ("title", "is_named"),
    [
        ("Do not conflate the two mechanisms", False),
        ("Do not add one for consistency", False),
        ("Do not put the client here", False),
        ("Uses argon2id for password hashes", False),
        ("Always validate on the server", False),
        ("Never commit secrets or keys to the repository", True),
        ("Use pnpm, not npm", False),
        ("If a test fails for no reason, run it alone", True),
        ("Run `make lint` before a commit", True),
    ],
)
def test_a_title_that_leans_on_the_text_before_it_does_not_name_its_subject(title: str, is_named: bool) -> None:
    assert names_subject(title) == is_named


def test_a_title_takes_its_subject_from_the_nearest_heading_that_adds_one() -> None:
    assert with_subject("Do not add one here", "Retries", "Payments") == "Retries: Do not add one here"
    assert with_subject("Do not add one here", "Important rules", "Payments") == "Payments: Do not add one here"
    assert with_subject("Do not add one here", "", "Rules") == "Do not add one here"
    clear = "Retry a failed card charge with the key of its order"
    assert with_subject(clear, "Payments") == clear


def test_tags_are_topics_and_no_names_of_files() -> None:
    text = "# Guide\n\n## MQTT subscriber rules\n\n- Never block the event loop in a handler.\n"
    [draft] = read(text, "apps/ingest/AGENTS.md").drafts
    assert draft.tags == ("mqtt", "subscriber", "ingest")
    assert topics_of("C++ & C# code style", "Important notes") == ("c++", "c#")


def test_a_long_rule_keeps_its_beginning_as_a_title() -> None:
    rule = (
        "Write the smallest failing test of the importer first and then change the code that the test covers until the"
        " whole suite of the package is green again."
    )
    [draft] = read(f"# Fixes\n\n- {rule}\n").drafts
    assert draft.title == "Fixes: Write the smallest failing test of the importer first"
    assert draft.content["value"] == rule


@pytest.mark.parametrize("line", ["Is the logging of each job adequate (in the log)?", "e.g. always rerun the build"])
def test_questions_and_examples_are_left_to_the_agent(line: str) -> None:
    reading = read(f"# Rules\n\n- {line}\n")
    assert (reading.drafts, len(reading.skipped)) == ([], 1)


@pytest.mark.parametrize(
    "line",
    [
        "Load all of GUIDE.md for context",
        "To manage configurations and see what each value means, please view the [defaults](defaults.toml) file.",
    ],
)
def test_a_line_that_only_names_a_document_is_no_rule(line: str) -> None:
    assert read(f"# Settings\n\n{line}\n").drafts == []


@pytest.mark.parametrize(
    "line",
    [
        "To add a new view, register it in `urls.py` and never bypass the router.",
        "To keep a query fast, check the plan of `orders` before merging.",
        "Use the pool. Check `status` before a query.",
        "Check the `status` column before a row is deleted.",
        "Use the guide for tables - see [the form](form.md) too.",
        "You must read [the form](form.md) before you add a table.",
    ],
)
def test_a_rule_that_also_names_a_file_is_no_pointer(line: str) -> None:
    assert len(read(f"# Settings\n\n- {line}\n").drafts) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "Never call `flush()` in a handler. It is slow because every call waits.",
            "It is slow because every call waits.",
        ),
        ("No raw SQL. Because the log hooks the ORM, a raw statement is lost.", None),
        ("Never call `flush()` because it waits. It is old because nobody cared.", "it waits."),
        ("Never call `flush()`. Callers wait. It is slow because every call waits.", ""),
        ("Never call `flush()`. It is slow because of the disk, so never call `sync()` either.", ""),
    ],
)
def test_a_reason_may_stand_in_the_sentence_behind_a_rule(text: str, reason: str | None) -> None:
    [draft] = read(f"# Rules\n\n- {text}\n").drafts
    wanted = text.partition(". ")[2] if reason is None else reason or NOT_STATED
    assert draft.content["impact"] == [wanted]


def test_what_a_part_of_a_sentence_forbids_is_no_title() -> None:
    line = "Logs of the coordinator must go to the standard error of the parent process, through a logger of its own"
    [draft] = read(f"# Logging\n\n- {line} that main sets up \u2014 never to the captured output\n").drafts
    assert "Never to the" not in draft.title


def test_a_heading_about_cleaning_up_announces_no_debt() -> None:
    [draft] = read("# Cleanup of resources\n\n- Remove each bucket that a test has created.\n").drafts
    assert draft.category == "preference"


def test_a_name_is_not_cut_within_code() -> None:
    steps = "1. Implement `load(a_file, session, user)` in a module.\n2. Register the type in `choices`.\n"
    [draft] = read(f"# Data\n\n## Adding a type\n\n{steps}").drafts
    assert draft.title.count("`") % 2 == 0
    assert "(a_file" not in draft.title or "user)" in draft.title


def test_a_line_that_begins_with_not_gets_its_subject() -> None:
    assert not names_subject("Not stripped for resources of other kinds")


def test_what_stands_below_a_list_of_documents_is_no_rule() -> None:
    part = (
        "### Code style and conventions\n\n- Import order and formatting\n- Type hints\n\n**Use when:** Writing code\n"
    )
    assert read(f"# Guide\n\n## Documentation Index\n\n{part}").drafts == []


def test_a_title_is_not_cut_before_what_a_reason_explains() -> None:
    line = (
        "Because the grouping follows the namespace (not the route), an operation that is routed under one resource "
        "must stay in the module of the namespace that defines it"
    )
    assert make_title(line).startswith("Because the grouping follows the namespace (not the route), an operation")


def test_a_reason_with_a_label_joins_its_rule() -> None:
    text = "# Icons\n\nAlways import icons from `@/icons`.\n\nReason: they are drawn for us, and must not be mixed.\n"
    [draft] = read(text).drafts
    assert draft.content["value"].endswith("Reason: they are drawn for us, and must not be mixed.")


def test_a_reason_in_brackets_is_one_of_what_stands_there() -> None:
    [draft] = read("# Files\n\n- Never edit `a.ts` (`b.ts` stays because `write` lists it) by hand.\n").drafts
    assert draft.content["impact"] == [NOT_STATED]


def test_numbered_lines_below_other_headings_are_no_runbook() -> None:
    lines = "1. The team hands the task on.\n2. The member waits.\n3. The answer resolves the wait.\n"
    text = f"# Guide\n\n## Test workflow\n\n### Expected behaviour\n\n{lines}"
    assert "runbook" not in {draft.category for draft in read(text).drafts}


def test_a_rule_that_leans_on_the_sentence_before_it_has_that_as_its_title() -> None:
    text = (
        "Error codes of all services are defined in `errors/codes.py`, with a status for all kinds of clients."
        " If a new category is needed, add it there first."
    )
    [draft] = read(f"# Errors\n\n- {text}\n").drafts
    assert draft.title.startswith("Error codes of all services are defined in errors/codes.py")


def test_a_checklist_of_a_document_names_the_document() -> None:
    [draft] = read("# Runner lifecycle\n\n## Review checklist\n\n- Compare both kinds of side effects.\n").drafts
    assert (draft.category, draft.content["trigger"]) == ("runbook", "Runner lifecycle > Review checklist")


def test_a_rule_of_a_file_about_a_part_of_the_work_names_the_part() -> None:
    text = "# Rules of the comments that the compiler checks for us\n\n## Do\n\n- Use present tense for properties.\n"
    [draft] = read(text, ".github/instructions/api-comments.instructions.md").drafts
    assert draft.title == "api comments: Use present tense for properties"
    assert draft.content["topic"] == "Rules of the comments that the compiler checks for us"
    [draft] = read("# React components\n\n- Name each hook in full.\n", ".cursor/rules/ui.mdc").drafts
    assert draft.title == "React components: Name each hook in full"


def test_commands_that_are_shown_as_wrong_give_no_steps() -> None:
    code = "```bash\nacme test --filter a  # WRONG - it hangs\nacme test -- --only a  # right\n```\n"
    drafts = read(f"# Tests\n\n## Filters\n\nNever filter before the dashes.\n\n{code}").drafts
    assert [draft.category for draft in drafts] == ["constraint"]
    assert "# WRONG" in str(drafts[0].content["rule"])


def test_what_somebody_may_do_is_not_strict_below_strict_headings() -> None:
    [draft] = read("# A\n\n## Process (mandatory)\n\n### MAY\n\n- Fill the parts that are not marked as ours.\n").drafts
    assert draft.category == "preference"


def test_an_order_with_a_rare_verb_below_a_ban_is_a_prohibition() -> None:
    [draft] = read("# A\n\n## Must not\n\n- Invent a reason for a design of somebody else.\n").drafts
    assert draft.title == "Do not invent a reason for a design of somebody else"


def test_a_condition_in_the_heading_stands_before_its_rules() -> None:
    [draft] = read("# Triage\n\n## When nodes do not join\n\n- Check the status of the pool of nodes.\n").drafts
    assert draft.content["value"] == "When nodes do not join: Check the status of the pool of nodes."


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Code review rules", "- Reviewing the changes of others"),
        ("Commit rules > Commit examples", "- Commit message with no body at all"),
        ("Performance considerations", "- Single client at the level of the module"),
        ("deleteFile()", "**Use case**: Remove the files of a former user"),
        ("Notes", "Instructions for LLM agents. Keep edits minimal, with headings and bullets."),
    ],
)
def test_phrases_and_examples_are_no_rules(heading: str, line: str) -> None:
    above = "".join([f"{'#' * level} {name}\n\n" for level, name in enumerate(heading.split(" > "), start=2)])
    assert read(f"# Guide\n\n{above}{line}\n").drafts == []


@pytest.mark.parametrize("heading", ["What you must know", "Which parts must not change", "Where keys must be kept"])
def test_a_heading_that_asks_is_no_rule(heading: str) -> None:
    text = f"# Guide\n\n## {heading}\n\nThe pool is shared by all workers in the app.\n"
    assert read_instructions(parse(text), "AGENTS.md", text).drafts == []
    text += "\nNever use `pool.close()`.\n"
    [draft] = read_instructions(parse(text), "AGENTS.md", text).drafts
    assert draft.rules == ("Never use `pool.close()`.",)
