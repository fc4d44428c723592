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


def test_an_order_below_a_heading_that_forbids_is_a_prohibition() -> None:
    drafts = drafts_of("# Do NOT\n\n- Use `eval()` in templates. Parse them.\n- Commit generated files to main.\n")
    assert list(drafts) == ["Do not use eval() in templates", "Do not commit generated files to main"]
    assert {draft.category for draft in drafts.values()} == {"constraint"}
    assert drafts["Do not use eval() in templates"].content["rule"] == "Do not use `eval()` in templates. Parse them."


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("\u274c Use floats for money", "Do not use floats for money"),
        ("\u274c Manual handling of the token header", "Money: Avoid: Manual handling of the token header"),
        ("\u2705 Use integer cents for money", "Use integer cents for money"),
        ("[x] Use integer cents for money", "Use integer cents for money"),
        ("Use the setting max\\_amount for refunds", "Use the setting max_amount for refunds"),
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


@pytest.mark.parametrize(
    "line",
    [
        "Stores: PostgreSQL with the pgvector extension, and Redis",
        "Excludes the worker tests from the shared configuration",
        "The API uses FastAPI for its endpoints",
        "No `down()` method is required in a migration",
    ],
)
def test_a_fact_below_a_heading_for_rules_is_a_fact(line: str) -> None:
    [draft] = read(f"# Conventions\n\n- {line}\n").drafts
    assert (draft.category, draft.content["kind"]) == ("constraint", "technical")


def test_what_a_tool_is_for_is_a_fact_with_its_name() -> None:
    text = "# Tools\n\n## search_notes\n\n- **Purpose**: Search the knowledge graph for notes\n- **Returns**: A list\n"
    [draft] = read(text).drafts
    assert (draft.category, draft.title) == ("constraint", "search_notes: Search the knowledge graph for notes")


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
        "# A\n\n## Style\n\n### Linter\n\n- Own `plugin-x` for our rules\n- TypeScript support\n- React support\n",
    ],
)
def test_descriptions_are_left_to_the_agent(text: str) -> None:
    assert_describes(text)


def test_a_description_among_rules_is_left_to_the_agent() -> None:
    text = "# Git rules\n\n- Never push to main\n- Failure to ask makes others wait\n"
    text += "- The tools handle merges automatically\n"
    reading = read(text)
    assert [draft.title for draft in reading.drafts] == ["Git rules: Never push to main"]
    assert [why for _where, why in reading.skipped] == [f"left to the agent: {DESCRIPTION}"]


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


def test_commands_to_choose_from_are_one_list() -> None:
    items = ["- `pnpm build` - Build it", "- `pnpm dev` - Watch it", "- `pnpm clean` - Remove it"]
    [draft] = read("# Development\n\n" + "\n".join(items) + "\n").drafts
    assert draft.content["steps"] == ["\n".join(items)]


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


def test_items_of_several_sentences_are_memories_of_their_own() -> None:
    text = (
        "# Conduct\n\nBeyond the licence, this is how the policy is enforced:\n\n"
        "- **Disclose help.** Always say which model wrote the code of a change.\n"
        "- **Answer reviews.** Never leave a question of a reviewer open for a week.\n"
    )
    assert len(read(text).drafts) == 2


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


def test_lines_with_subjects_of_their_own_below_one_item_are_memories_of_their_own() -> None:
    text = (
        "# Workflows\n\n- **Deeper dive:**\n  - **Cache keys:** Use a hash of the lock file as the key.\n"
        "  - **Timeouts:** Set a timeout of ten minutes for each job.\n"
    )
    assert list(drafts_of(text)) == [
        "Cache keys: Use a hash of the lock file as the key",
        "Timeouts: Set a timeout of ten minutes for each job",
    ]


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
        "To change the schema, view models of `orders` come first: rename them.",
        "Use the pool. Check `status` before a query.",
        "Check the `status` column before a row is deleted.",
        "Use the guide for tables - see [the form](form.md) too.",
        "You must read [the form](form.md) before you add a table.",
    ],
)
def test_a_rule_that_also_names_a_file_is_no_pointer(line: str) -> None:
    assert len(read(f"# Settings\n\n- {line}\n").drafts) == 1


def test_a_rule_before_a_list_of_documents_stays() -> None:
    text = "# Rules\n\n## Tables\n\nNever edit `schema.sql` by hand. Docs on it:\n\n- docs/one.md\n- docs/two.md\n"
    reading = read(text)
    assert [draft.content["rule"] for draft in reading.drafts] == ["Never edit `schema.sql` by hand."]
    assert len(reading.skipped) == 2


@pytest.mark.parametrize("heading", ["Documentation", "References"])
def test_rules_below_a_heading_for_documents_stay(heading: str) -> None:
    items = "- Write headings in sentence case.\n- Keep examples under ten lines.\n- Prefer tables over long lists.\n"
    assert len(read(f"# Guide\n\n## {heading}\n\n### Style\n\n{items}").drafts) == 3


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


def test_an_order_about_what_stands_before_it_needs_something_before_it() -> None:
    reading = read("# Rules\n\n## Build\n\nSkip when the queue is empty.\n\nNever build on Fridays in this project.\n")
    assert [draft.content["rule"] for draft in reading.drafts] == ["Never build on Fridays in this project."]
    assert [why for _where, why in reading.skipped] == ["left to the agent: it depends on text elsewhere"]


@pytest.mark.parametrize("line", ["Run this from the root of the repository.", "Skip when the build is a release."])
def test_an_order_about_what_stands_before_it_joins_that(line: str) -> None:
    [draft] = read(f"# Rendering\n\n## Render the charts\n\n```bash\nmake charts\n```\n\n{line}\n").drafts
    assert draft.category == "runbook"
    assert draft.content["steps"] == [f"make charts\n{line}"]


def test_what_a_part_of_a_sentence_forbids_is_no_title() -> None:
    line = "Logs of the coordinator must go to the standard error of the parent process, through a logger of its own"
    [draft] = read(f"# Logging\n\n- {line} that main sets up \u2014 never to the captured output\n").drafts
    assert "Never to the" not in draft.title


def test_a_heading_about_cleaning_up_announces_no_debt() -> None:
    [draft] = read("# Cleanup of resources\n\n- Remove each bucket that a test has created.\n").drafts
    assert draft.category == "preference"


def test_a_bold_statement_before_code_does_not_join_the_rule_before_it() -> None:
    code = "```js\nawait suite.run(data);\n```\n"
    text = (
        f"# Forms\n\nFields must never use `isEmpty()`.\n\n**2. Suites are called with run since version 6.**\n\n{code}"
    )
    [rule, *_] = read(text).drafts
    assert rule.content["rule"] == "Fields must never use `isEmpty()`."


def test_a_line_that_leads_to_pointers_goes_with_them() -> None:
    pointers = "Docs on these files:\n- docs/one.md\n- docs/two.md\n\n"
    text = f"{pointers}After a change, render them by running:\n- `make render-all`\n"
    [draft] = read(text).drafts
    assert "Docs on these" not in str(draft.content)
    assert draft.title == "After a change, render them by running: make render-all"


def test_a_prohibition_before_a_list_is_the_title() -> None:
    items = "- `KEY_A` \u2014 signs tokens\n- `KEY_B` \u2014 mail\n"
    [draft] = read(f"# Secrets\n\nNever commit secrets. Secrets that the server needs:\n{items}").drafts
    assert draft.title == "Never commit secrets"


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


def test_a_line_that_only_announces_rules_is_no_part_of_them() -> None:
    text = "# Logs\n\nFollow these guidelines:\n\n- Never use `print()` for output.\n- Always name the request.\n"
    assert [draft.content.get("rule") or draft.content["value"] for draft in read(text).drafts] == [
        "Never use `print()` for output.",
        "Always name the request.",
    ]


def test_numbered_steps_below_a_heading_for_them_are_one_runbook_with_their_conditions() -> None:
    steps = "1. Protocol (`protocol.py`): an async class.\n2. Backends: a real one and a fake one.\n3. Register it.\n"
    text = f"# Guide\n\n## How to add a provider\n\n### Steps\n\n{steps}\n- If it has a shard, name its shards.\n"
    [draft] = read(text).drafts
    assert draft.category == "runbook"
    assert draft.content["steps"][-1] == "If it has a shard, name its shards."
    assert len(draft.content["steps"]) == 4


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
    assert draft.content["topic"] == "Runner lifecycle > Review checklist"


def test_a_rule_of_a_file_about_a_part_of_the_work_names_the_part() -> None:
    text = "# Rules of the comments that the compiler checks for us\n\n## Do\n\n- Use present tense for properties.\n"
    [draft] = read(text, ".github/instructions/api-comments.instructions.md").drafts
    assert draft.title == "api comments: Use present tense for properties"
    assert draft.content["topic"] == "api comments > Do"
    [draft] = read("# React components\n\n- Name each hook in full.\n", ".cursor/rules/ui.mdc").drafts
    assert draft.title == "React components: Name each hook in full"


def test_commands_that_are_shown_as_wrong_give_no_steps() -> None:
    code = "```bash\nacme test --filter a  # WRONG - it hangs\nacme test -- --only a  # right\n```\n"
    drafts = read(f"# Tests\n\n## Filters\n\nNever filter before the dashes.\n\n{code}").drafts
    assert [draft.category for draft in drafts] == ["constraint", "runbook"]
    assert drafts[1].content["steps"] == ["acme test -- --only a  # right"]


def test_what_somebody_may_do_is_not_strict_below_strict_headings() -> None:
    [draft] = read("# A\n\n## Process (mandatory)\n\n### MAY\n\n- Fill the parts that are not marked as ours.\n").drafts
    assert draft.category == "preference"


def test_an_order_with_a_rare_verb_below_a_ban_is_a_prohibition() -> None:
    [draft] = read("# A\n\n## Must not\n\n- Invent a reason for a design of somebody else.\n").drafts
    assert draft.title == "Do not invent a reason for a design of somebody else"


def test_signs_in_code_are_no_markup() -> None:
    [draft] = read("# Filters\n\n- Use `**` for all folders (`src/**`, not `src/*`), and **never** `__all__`.\n").drafts
    assert draft.content["rule"] == "Use `**` for all folders (`src/**`, not `src/*`), and never `__all__`."


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
