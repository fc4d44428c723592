"""A section of instructions is one memory, whole and in the words of its source (docs/reference/import.md)."""

import pytest

from cuecard.importers.draft import ImportedDraft, Reading
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import parse
from cuecard.importers.section_units import MAX_PIECE_CHARS, MAX_WHOLE_CHARS
from cuecard.store.records.record_limits import MAX_SECTIONS

CODE = "```go\nvar (\n    a  = 1\n\n    ;b = `x \\( y`\n)\n```"
INDENTED = CODE.replace("\n", "\n  ").replace("\n  \n", "\n\n")


def read(text: str, path: str = "AGENTS.md") -> Reading:
    return read_instructions(parse(text), path, text)


def main_of(draft: ImportedDraft) -> str:
    """The text of a draft: its main field, or all of a runbook."""
    if draft.category == "runbook":
        return "\n\n".join([text for _heading, text in draft.sections])
    return draft.statement


def test_the_rules_of_a_section_are_one_memory_in_its_own_words() -> None:
    body = "- Use tabs everywhere.\n- Keep lines short, see [the form](form.md).\n- **Names**: two words."
    [draft] = read(f"# Rules\n\n## Code style\n\n{body}\n").drafts
    assert (draft.category, draft.heading) == ("preference", "Rules > Code style")
    assert main_of(draft) == body
    assert draft.title == "Code style: Use tabs everywhere; Keep lines short, see the form; Names: two words"


@pytest.mark.parametrize(
    "body",
    [
        f"- Declare related variables in one block\n\n  {INDENTED}\n- Never shadow `err`",
        f"Always declare related variables in one block:\n{CODE}",
        "Always hold each page to one standard:\n> A guest understands it.\n> Nobody asks twice.",
        "Use `**` for all folders (`src/**`, not `src/*`), and **never** `__all__`.",
    ],
)
def test_code_quotations_and_signs_stay_byte_by_byte(body: str) -> None:
    [draft] = read(f"# Rules\n\n## Go files\n\n{body}\n").drafts
    assert main_of(draft) == body


def test_a_section_is_a_constraint_if_most_of_its_rules_are_strict() -> None:
    strict = "- Never log card numbers.\n- Always round to cents, which must not change.\n- Prefer integers."
    [draft] = read(f"# Rules\n\n## Money\n\n{strict}\n").drafts
    assert (draft.category, draft.content["severity"]) == ("constraint", "high")
    [draft] = read("# Rules\n\n## Money\n\n- Use cents.\n- Prefer integers.\n- Never use floats.\n").drafts
    assert draft.category == "preference"


def test_what_all_rules_of_a_section_forbid_is_proposed() -> None:
    body = "- Do not call `eval()` in templates.\n- Name each hook.\n- Never import `left-pad`."
    [draft] = read(f"# Rules\n\n## Templates\n\n{body}\n").drafts
    assert draft.record()["cuecard"]["forbids"] == ["code: eval()", "import: left-pad"]


def test_what_holds_on_a_condition_forbids_nothing_by_itself() -> None:
    line = "When you build a URL, use `net.JoinHostPort` instead of `fmt.Sprintf`."
    [draft] = read(f"# Rules\n\n## Addresses\n\n{line}\n").drafts
    assert "forbids" not in draft.record()["cuecard"]


@pytest.mark.parametrize(
    ("heading", "item", "wanted"),
    [
        ("Do NOT", "Use `eval()` in templates.", "Do NOT: Use `eval()` in templates."),
        ("When nodes do not join", "Check the pool of nodes.", "When nodes do not join: Check the pool of nodes."),
        ("Money", "\u274c Use floats for money.", "Do not use floats for money."),
        ("Money", "\u2705 Use cents for money.", "Use cents for money."),
    ],
)
def test_a_single_rule_has_what_its_heading_or_its_mark_says(heading: str, item: str, wanted: str) -> None:
    [draft] = read(f"# Rules\n\n## {heading}\n\n- {item}\n").drafts
    assert main_of(draft) == wanted


def test_a_prohibition_by_its_heading_is_one_in_the_title_and_in_what_it_forbids() -> None:
    [draft] = read("# Rules\n\n## Do NOT\n\n- Use `eval()` in templates.\n- Commit `dist/`.\n").drafts
    assert draft.title == "Do NOT: Do not use eval() in templates; Do not commit dist/"
    assert draft.record()["cuecard"]["forbids"][0] == "code: eval()"


def test_items_that_continue_a_line_have_it_in_the_title() -> None:
    [draft] = read("# Rules\n\nSkip comments that:\n\n- restate the code\n- say the obvious\n").drafts
    assert draft.title == "Rules: Skip comments that: restate the code; say the obvious"
    assert main_of(draft) == "Skip comments that:\n- restate the code\n- say the obvious"


def test_numbered_steps_stay_in_their_order_with_their_conditions() -> None:
    steps = "1. Write `protocol.py`.\n2. Write both backends.\n3. Register it."
    body = f"{steps}\n\nIf it has a shard, name its shards."
    [draft] = read(f"# Guide\n\n## How to add a provider\n\n{body}\n").drafts
    assert (draft.category, draft.sections) == ("runbook", (("", body),))
    assert draft.content["steps"][:2] == ["Write `protocol.py`.", "Write both backends."]


def test_sections_that_are_steps_of_one_procedure_are_one_runbook() -> None:
    parts = "".join([f"### Step {number}: part {number}\n\nRun `make part{number}`.\n\n" for number in (1, 2, 3)])
    reading = read(f"# Guide\n\n## Releasing\n\n{parts}")
    [draft] = reading.drafts
    assert draft.category == "runbook"
    assert [main_of(draft).index(f"make part{number}") for number in (1, 2, 3)] == sorted(
        [main_of(draft).index(f"make part{number}") for number in (1, 2, 3)]
    )
    assert {where for where, _of in reading.parts} >= {
        f"AGENTS.md#Guide > Releasing > Step {n}: part {n}" for n in (1, 2, 3)
    }


def test_short_sections_below_one_topic_are_one_memory_and_examples_stay_with_their_rule() -> None:
    text = "# Guide\n\n## Retries\n\n### Reads\n\nRetry reads twice.\n\n### Writes\n\nNever retry writes.\n"
    [draft] = read(text).drafts
    assert main_of(draft) == "### Reads\nRetry reads twice.\n\n### Writes\nNever retry writes."
    long = "Retry reads twice, and log each of them. " * 50
    text = (
        f"# Guide\n\n## Retries\n\nAlways name the retry.\n\n### Good example\n\n`retry_x()`\n\n### Reads\n\n{long}\n"
    )
    first = read(text).drafts[0]
    assert main_of(first) == "Always name the retry.\n\n### Good example\n`retry_x()`"


def test_a_long_section_is_cut_between_items_and_each_part_has_the_line_that_leads_to_them() -> None:
    items = [
        f"- Never call `part_{number}()` in a handler. {'It waits for the disk. ' * 5}".strip() for number in range(20)
    ]
    reading = read("# Guide\n\n## Handlers\n\nIn each handler:\n\n" + "\n".join(items) + "\n")
    texts = [main_of(draft) for draft in reading.drafts]
    assert len(texts) > 1
    assert all(text.startswith("In each handler:\n- Never") for text in texts)
    assert all(len(text) <= MAX_PIECE_CHARS for text in texts)
    assert [line for text in texts for line in text.split("\n")[1:]] == items
    assert len({draft.heading for draft in reading.drafts}) == len(texts)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The service keeps its jobs in PostgreSQL.", "it describes the project, and asks for nothing"),
        ("- `api/` holds the server\n- `web/` holds the pages", "it describes the project, and asks for nothing"),
        ("- The server waits.\n- The client asks.\n- The log grows.\n- Use the pool.", "rules and facts in one list"),
        ("Follow the rules of [the guide](guide.md).", "it only says where to read more"),
        ("```js\nconst a = 1;\n```", "code without a sentence that says what it is for"),
        ("Never call it. " + "It waits for the disk and for the net. " * 150, "too long for a memory"),
    ],
)
def test_a_section_that_gives_no_memory_has_a_row_that_says_why(text: str, why: str) -> None:
    reading = read(f"# Guide\n\n## Jobs\n\n{text}\n")
    assert reading.drafts == []
    [(where, told)] = reading.skipped
    assert where == "AGENTS.md#Guide > Jobs"
    assert told.endswith(why)


def test_what_stands_above_all_rules_and_only_says_that_they_hold_is_left() -> None:
    reading = read(
        "# Guide\n\nAgents must follow the rules below. They are never optional.\n\n## Git\n\nNever rebase main.\n"
    )
    assert [draft.title for draft in reading.drafts] == ["Git: Never rebase main"]
    assert [why for _where, why in reading.skipped] == ["left to the agent: it is about the file itself"]


def test_a_description_between_rules_stays_with_them() -> None:
    body = "The pool is shared.\n\n- Never open a second pool.\n- Close each session."
    [draft] = read(f"# Guide\n\n## Pool\n\n{body}\n").drafts
    assert main_of(draft) == body


def test_what_a_program_never_does_is_no_prohibition() -> None:
    reading = read("# Guide\n\n## Hooks\n\nThe hook never blocks the caller.\n\nThe hook writes one line.\n")
    assert reading.drafts == []


def test_pointers_count_neither_as_rules_nor_as_facts() -> None:
    pointers = "- See [one](docs/one.md)\n- [two](docs/two.md)"
    [draft] = read(f"# Guide\n\n## Tables\n\nNever edit `schema.sql` by hand. Docs on it:\n{pointers}\n").drafts
    assert (draft.category, draft.title) == ("constraint", "Tables: Never edit schema.sql by hand")
    assert main_of(draft).endswith(pointers)


def test_a_description_of_one_command_is_a_runbook_and_no_rule() -> None:
    body = "```bash\npnpm exec vitest --project chat\n```\n\nThese tests are about the shared parts of the chat."
    [draft] = read(f"# Guide\n\n## Tests of the chat\n\n{body}\n").drafts
    assert (draft.category, main_of(draft)) == ("runbook", body)


def test_a_function_of_the_language_is_no_module() -> None:
    [draft] = read("# Guide\n\n## Profiles\n\nAsk the flags, never `isinstance`, for what a model can do.\n").drafts
    assert "forbids" not in draft.record()["cuecard"]


def test_a_text_of_several_lines_is_a_section_that_a_block_shows_with_its_lines() -> None:
    body = "Never join by hand:\n```go\naddr := net.JoinHostPort(a, b)\n```"
    [draft] = read(f"# Guide\n\n## Addresses of hosts\n\n{body}\n").drafts
    assert (draft.content["rule"], draft.sections) == (body, (("", body),))
    [draft] = read("# Guide\n\n## Addresses of hosts\n\nNever join by hand.\n").drafts
    assert draft.sections == ()


def test_a_longer_text_has_parts_with_names_of_which_a_block_shows_the_one_that_fits() -> None:
    items = [f"- Use the {word} pool. {'It waits for the disk. ' * 18}".strip() for word in ("red", "blue", "green")]
    body = "In each handler:\n" + "\n".join(items)
    [draft] = read(f"# Guide\n\n## Pools of the handlers\n\n{body}\n").drafts
    assert main_of(draft) == body
    assert draft.sections == (
        ("Use the red pool", f"In each handler:\n{items[0]}"),
        ("Use the blue pool", f"In each handler:\n{items[1]}"),
        ("Use the green pool", f"In each handler:\n{items[2]}"),
    )


def test_numbered_steps_are_not_parted_and_headings_name_their_parts() -> None:
    steps = "\n".join([f"{number}. Write part {number}. {'It waits for the disk. ' * 18}" for number in (1, 2, 3)])
    [draft] = read(f"# Guide\n\n## How to add a pool\n\n{steps}\n").drafts
    assert [heading for heading, _text in draft.sections] == [""]
    parts = "".join([f"### Step {number}: part {number}\n\n1. Run it.\n2. {'Wait. ' * 60}\n\n" for number in (1, 2)])
    [draft] = read(f"# Guide\n\n## Adding a pool\n\n{parts}").drafts
    assert [heading for heading, _text in draft.sections] == ["Step 1: part 1", "Step 2: part 2"]


def test_a_long_description_that_names_one_rule_is_no_rule() -> None:
    tells = " ".join([f"The file of part {number} is written by the emitter." for number in range(8)])
    reading = read(f"# Guide\n\n## Emitter output\n\n{tells} Never edit it.\n")
    assert reading.drafts == []


def test_commands_that_are_examples_are_no_steps() -> None:
    body = "Use the form of conventional commits.\n\n**Examples:**\n```bash\ngit commit -m a\ngit commit -m b\n```"
    [draft] = read(f"# Guide\n\n## Commits\n\n{body}\n").drafts
    assert draft.category == "preference"


# Titles


def titles(text: str, path: str = "AGENTS.md") -> list[str]:
    return [draft.title for draft in read(text, path).drafts]


def test_a_placeholder_in_a_heading_or_a_rule_stays_in_the_title() -> None:
    text = "# Guide\n\n## Pages (`<name>All`)\n\n- Put code under `src/<feature>/`.\n- Name each page.\n"
    assert titles(text) == ["Pages (<name>All): Put code under src/<feature>/; Name each page"]


def test_a_title_that_says_what_form_its_section_has_names_the_file() -> None:
    steps = "1. Write `a.py`.\n2. Register it.\n3. Run the tests.\n"
    assert titles(f"# Adding a provider\n\n## Steps\n\n{steps}") == ["Adding a provider: Steps"]


def test_a_heading_that_is_a_rule_is_the_title_and_a_rule() -> None:
    text = "# Guide\n\n## Void responses must not call json()\n\nThe ten calls without a body end with `send()`.\n"
    [draft] = read(text).drafts
    assert (draft.category, draft.title) == ("constraint", "Void responses must not call json()")
    assert draft.content["rule"] == "The ten calls without a body end with `send()`."


def test_the_middle_of_a_long_text_is_no_title() -> None:
    text = "Pages own a concept. Each one must be short. Others link to it. They must not repeat it."
    assert titles(f"# Guide\n\n## Pages of the guide\n\n{text}\n") == ["Pages of the guide"]


def test_parts_of_a_section_have_titles_of_their_own() -> None:
    lines = [f"- Use the {word} pool. {'It is shared by all of the workers. ' * 40}" for word in ("red", "blue")]
    assert titles("# Guide\n\n## Pools\n\n" + "\n".join(lines) + "\n") == [
        "Pools: Use the red pool",
        "Pools: Use the blue pool",
    ]
    same = [f"- Use {'very ' * 40}large pools.\n  - {word}: {'they wait. ' * 90}" for word in ("red", "blue", "green")]
    found = titles("# Guide\n\n## Pools\n\n" + "\n".join(same) + "\n")
    assert [title.partition(" (")[2] for title in found] == ["", "part 2)", "part 3)"]


# Steps


def test_the_steps_below_several_headings_keep_them() -> None:
    text = "### Build\n\n```bash\nmake all\n```\n\n### Tests\n\n```bash\nmake test\n```\n"
    [draft] = read(f"# Guide\n\n## Container commands\n\n{text}").drafts
    assert draft.content["steps"] == ["Build\n```bash\nmake all\n```", "Tests\n```bash\nmake test\n```"]
    assert "#" not in str(draft.content["trigger"])


def test_orders_below_a_heading_that_says_how_are_steps() -> None:
    items = "- Create `a.py`.\n- Register it in `b.py`.\n- Add a test.\n"
    [draft] = read(f"# Guide\n\n## Adding a provider\n\n{items}").drafts
    assert (draft.category, draft.content["steps"]) == (
        "runbook",
        ["Create `a.py`.", "Register it in `b.py`.", "Add a test."],
    )


def test_what_a_program_does_by_itself_is_no_step() -> None:
    text = "```bash\nmake up\n```\n\nThe container automatically runs:\n\n1. `make migrate`\n2. `make load`\n"
    [draft] = read(f"# Guide\n\n## Local start\n\n{text}").drafts
    [step] = draft.content["steps"]
    assert step.startswith("```bash")
    assert "make migrate" in draft.sections[0][1]


def test_a_few_commands_in_a_long_text_make_no_runbook_of_it() -> None:
    lines = ["Never keep a cache in the tree.", "The cache grows.", "Never share the cache.", "The disk is small."]
    rules = "\n\n".join([f"{line} {'It is stale then. ' * 2}" for line in lines])
    [draft] = read(f"# Guide\n\n## Caches\n\n{rules}\n\n```bash\nmake clean\nmake all\nmake test\n```\n").drafts
    assert draft.category == "constraint"


# What asks for nothing


@pytest.mark.parametrize(
    "text",
    [
        "**Purpose**: Delete the files of a form.\n**Returns**: the count of files.\n\nIt should work with any store.",
        "The agent will look for some classes to:\n\n- determine whether a client is there\n- use the right mode",
        "Use this rule when you work on the client.\n\nThis file lists the classes.",
        '<Field name="id" type="string">\nMust be a valid UUID.\n</Field>',
        "They never call `parse()`, since the server has done so.",
        "- `make` available for tasks.\n- `uv` installed for packages (`uv sync`).",
        "**Always stripped from both sides:**\n\n- `id`\n- `etag`",
    ],
)
def test_a_description_that_names_an_order_is_left(text: str) -> None:
    assert read(f"# Guide\n\n{text}\n").drafts == []


# Signs of what is wrong


def test_a_list_of_principles_below_a_heading_that_forbids_a_thing_is_not_turned_round() -> None:
    text = (
        "### Avoid `any` types\n\n"
        "**\u274c Bad:**\n\n```ts\nlet a: any\n```\n\n**\u2705 Good:**\n\n```ts\nlet a: unknown\n"
        "```\n\n"
        "**Key principles:**\n\n- Use `unknown` instead of `any`\n- Provide a type for each value\n"
    )
    [draft] = read(f"# Guide\n\n## Type safety\n\n{text}").drafts
    assert (draft.category, draft.title) == (
        "preference",
        "Type safety: Use unknown instead of any; Provide a type for each value",
    )
    [draft] = read("# Guide\n\n## Avoid mocks\n\n- Use a real store.\n- Fake clients\n").drafts
    assert draft.title == "Avoid mocks: Use a real store; Fake clients"
    assert draft.rules == ("Use a real store.", "Avoid: Fake clients")


def test_a_list_below_a_mark_for_what_is_wrong_is_forbidden_and_its_commands_are_no_steps() -> None:
    text = "**\u274c Wrong:**\n\n- Push to main\n- Skip the tests\n"
    [draft] = read(f"# Guide\n\n## Releases of the app\n\n{text}").drafts
    assert (draft.category, draft.content["severity"]) == ("constraint", "high")
    bad = "**Bad:**\n\n```bash\ngit push --force\n```\n\n**Good:**\n\n```bash\ngit push\n```\n"
    [draft] = read(f"# Guide\n\n## Pushing\n\n{bad}").drafts
    assert (draft.category, draft.title) == ("constraint", "Pushing")


def test_a_reason_comes_from_no_code() -> None:
    text = "Keep comments that say why:\n\n```ts\n// This is needed because the query has its own copy\n```"
    [draft] = read(f"# Guide\n\n## Comments in code\n\n{text}\n").drafts
    assert draft.content["reason"] == "not stated in the source"


def test_a_title_does_not_repeat_a_heading_that_is_a_rule() -> None:
    items = [f"- **`part_{word}`** is kept. {'It waits for the disk. ' * 60}Do not drop it." for word in ("a", "b")]
    first, second = titles("# Guide\n\n## Landmines: do not mend these\n\n" + "\n".join(items) + "\n")
    assert first.startswith("Landmines: do not mend these: ")
    assert "part_a" in first
    assert "part_b" in second


@pytest.mark.parametrize("heading", ["When in doubt", "Things to try", "Setting up for the first time?"])
def test_a_heading_without_a_subject_has_the_title_of_the_file_or_is_left(heading: str) -> None:
    body = "- Read the tests first.\n- Ask the owner of the code.\n"
    assert titles(f"# Payments of the shop\n\n## {heading}\n\n{body}")[0].startswith("Payments of the shop: ")
    body = "It reads code.\nIt must see all of it. It should ask you. It must not guess."
    assert titles(f"# CLAUDE.md\n\n## {heading}\n\n{body}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "Acme is a service for invoices. Read [the page](docs/architecture.md) first.",
        "- **`StoreA`**: a mixin for widgets that need to wait.\n- **`StoreB`**: a base class.",
    ],
)
def test_a_description_with_a_pointer_or_a_need_of_a_thing_is_left(text: str) -> None:
    assert read(f"# Guide\n\n## What this is\n\n{text}\n").drafts == []


def test_a_numbered_list_of_pitfalls_is_no_runbook() -> None:
    items = (
        "1. **Keys**: ensure that no two are equal.\n2. **Limits**: handle zero.\n3. **Races**: answers may be late.\n"
    )
    [draft] = read(f"# Guide\n\n## Edge cases of the store\n\n{items}").drafts
    assert draft.category != "runbook"


def test_an_item_without_a_text_does_not_shift_the_parts_of_a_list() -> None:
    items = [f"- Never call `part_{number}()`. {'It waits for the disk. ' * 18}".strip() for number in range(8)]
    drafts = read("# Guide\n\n## Handlers\n\n" + "- \n".join([f"{item}\n" for item in items])).drafts
    assert [line for draft in drafts for line in main_of(draft).split("\n")] == items
    assert all(rule in main_of(draft) for draft in drafts for rule in draft.rules)


@pytest.mark.parametrize("empty", ["- ```\n  ```", "- ***", "- [a]: b.md"])
def test_the_item_that_is_left_out_is_the_one_with_personal_data(empty: str) -> None:
    items = f"{empty}\n- Never edit a.\n- Mail bob@acme-corp.com.\n- Never edit b.\n"
    [draft] = read(f"# Guide\n\n## Rules\n\n{items}").drafts
    assert main_of(draft) == "- Never edit a.\n- Never edit b."


@pytest.mark.parametrize(
    ("lead", "items"),
    [
        ("Always do so in each of the handlers, because " + "it matters much to us " * 18 + "here:", 50),
        ("Run each of these, and " + "wait for it, " * 30 + "one after the other:", 200),
    ],
)
def test_a_long_line_above_a_list_is_not_repeated_over_and_over(lead: str, items: int) -> None:
    listed = "\n".join([f"- Use `x{number}`." for number in range(items)])
    drafts = read(f"# Guide\n\n## Handlers\n\n{lead}\n\n{listed}\n").drafts
    parts = [text for draft in drafts for _heading, text in draft.sections]
    assert drafts
    assert len(parts) <= MAX_SECTIONS
    assert sum(map(len, parts)) <= 2 * len(lead + listed)


def test_a_procedure_of_very_many_short_steps_is_shown_as_a_whole() -> None:
    steps = "\n".join([f"### {number}. Run it\n\n1. Run `make x{number}`.\n" for number in range(1, 71)])
    [draft] = read(f"# Guide\n\n## Release steps\n\n{steps}").drafts
    assert len(draft.sections) == 1


def test_a_long_section_is_not_cut_before_a_sentence_that_goes_on() -> None:
    lines = "\n".join([f"call({number})  # a long line of an example" for number in range(50)])
    text = (
        f"Never skip a check. Code like:\n\n```python\n{lines}\n```\n\nis forbidden. {'Always run each check. ' * 14}"
        f"\n\nThe only exception is a check of another system. {'Mark such a check by its name. ' * 10}"
    )
    [draft] = read(f"# Rules\n\n## Checks\n\n{text.strip()}\n").drafts
    assert len(text) > MAX_WHOLE_CHARS
    assert main_of(draft).endswith("Mark such a check by its name.")
