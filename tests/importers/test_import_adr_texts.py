"""The texts of decision records: long ones, code, leftovers of templates, names of options."""

import pytest

from cuecard.importers.adr import read_adr
from cuecard.importers.draft import CUT, MAX_TEXT_CHARS, NOT_STATED, ImportedDraft, shorten, shorten_blocks
from cuecard.importers.markup.markdown import parse

PLACE = "docs/adr/0003-queue.md"
CODE = "```ts\nfunction wait(job: Job) {\n  // on disk\n\n  return queue.add(job);\n}\n```"


def draft_of(text: str, path: str = PLACE) -> ImportedDraft:
    [draft] = read_adr(parse(text), path).drafts
    return draft


def record_of(decision: str, context: str = "Jobs get lost.", rest: str = "") -> str:
    return f"# 3. Jobs wait in a queue\n\n## Context\n\n{context}\n\n## Decision\n\n{decision}\n\n{rest}"


@pytest.mark.parametrize("count", [60, 80, 83, 90])
def test_a_long_decision_keeps_its_lines_and_ends_between_paragraphs(count: int) -> None:
    """The end says where the rest is, and no piece of code is there by half."""
    draft = draft_of(record_of("We keep jobs on disk.\n\n" + f"{CODE}\n\nAlso:\n\n" * count))
    decision = str(draft.content["decision"])
    assert len(decision) <= MAX_TEXT_CHARS
    head, _mark, tail = decision.rpartition("\n\n")
    assert tail == f"{CUT} (the rest is in {PLACE})"
    assert not head.endswith(":")
    assert head.count(CODE) == head.count("```ts") == head.count("return queue")
    assert draft.cuts() == ["decision"]


def test_a_text_that_is_cut_keeps_its_lines() -> None:
    assert shorten("a line\nof words\n" * 400).startswith("a line\nof words\na line\n")
    assert shorten_blocks("short", "a.md") == "short"
    assert shorten_blocks("x" * 5000, "a.md").endswith(f"{CUT} (the rest is in a.md)")


def test_a_list_or_code_below_a_heading_begins_on_its_own_line() -> None:
    draft = draft_of(
        record_of(f"On disk.\n\n### Steps\n\n- a disk\n- a queue\n\n### Code\n\n{CODE}\n\n### Why\n\nIt lasts.")
    )
    decision = str(draft.content["decision"])
    assert "Steps:\n- a disk\n- a queue" in decision
    assert f"Code:\n{CODE}" in decision


def test_a_title_that_is_only_the_word_gives_way_to_the_name_of_the_file() -> None:
    text = record_of("On disk.").replace("# 3. Jobs wait in a queue", "# Title")
    assert draft_of(text, "decisions/0015-job-queue.md").title == "Job queue"


def test_a_version_is_no_number_of_an_option() -> None:
    text = record_of(
        'Chosen option: "FORM 4.0.0", because it is lean.',
        rest="## Considered Options\n\n* FORM 4.0.0 – the lean form\n* Prose\n",
    )
    assert draft_of(text).content["decision"] == 'Chosen option: "FORM 4.0.0", because it is lean.'


def test_an_option_that_is_called_a_little_differently_is_the_same_option() -> None:
    text = record_of(
        'Chosen option: "Use a syntax that is derived of the known query syntax", because people know it.',
        rest=(
            "## Considered Options\n\n* Use a simplified syntax that is derived of the known query syntax\n"
            "* Make a syntax\n\n## Pros and Cons of the Options\n\n"
            "### Use a syntax that is derived of the known query syntax\n\n* Good, because known\n\n"
            "### Make a syntax\n\n* Bad, because new\n"
        ),
    )
    alternatives = draft_of(text).content["alternatives"]
    assert isinstance(alternatives, list)
    assert [each["option"] for each in alternatives] == ["Make a syntax"]


@pytest.mark.parametrize(
    "name", ["Do not keep any of the jobs on the disk of ours here", "Keep the jobs on a tape here"]
)
def test_another_option_stays_another_option(name: str) -> None:
    text = record_of(
        'Chosen option: "Do keep any of the jobs on the disk of ours here", because it lasts.',
        rest=f"## Considered Options\n\n* {name}\n\n### Do keep any of the jobs on the disk of ours here\n\nGood.\n",
    )
    alternatives = draft_of(text).content["alternatives"]
    assert isinstance(alternatives, list)
    assert [each["option"] for each in alternatives] == [name]


def test_options_that_are_told_in_a_paragraph_are_context() -> None:
    text = record_of("The split is taken.", rest="## Options\n\nSplit the parameter into two:\n\n```\n?by=title\n```\n")
    context = str(draft_of(text).content["context"])
    assert context == "Jobs get lost.\n\nOptions considered: Split the parameter into two:\n\n```\n?by=title\n```"


def test_what_a_template_asks_for_and_a_table_of_contents_are_no_context() -> None:
    contents = "- [Context](#context)\n- [Decision](#decision)\n- [Links](#links)"
    context = f"Jobs get lost.\n\n[Describe the context and the problem in two or three sentences].\n\n{contents}"
    assert draft_of(record_of("On disk.", context)).content["context"] == "Jobs get lost."


@pytest.mark.parametrize(
    "decision",
    [
        'Option choisie : "un disque", parce que le disque dure.',
        "Eine Platte, weil le disque dure.",
        "A, porque le disque dure.",
    ],
)
def test_a_reason_is_read_in_other_languages(decision: str) -> None:
    assert draft_of(record_of(decision)).content["rationale"] == ["le disque dure."]


def test_an_image_is_said_to_be_one() -> None:
    draft = draft_of(record_of("This is the new model:\n\n![new model](model.svg)"))
    assert draft.content["decision"] == "This is the new model:\n\n(image: new model)"
    assert draft.content["rationale"] == [NOT_STATED]


def test_a_list_that_describes_the_options_of_the_headings_has_no_others() -> None:
    text = record_of(
        'Chosen option: "Inside the mixin", because each command has it.',
        rest=(
            "## Considered Options\n\n* Load the file in a converter of the parser\n"
            "* Keep a text, and load it in `get()`\n* Handle one command alone\n"
            "\n## Pros and Cons of the Options\n\n### Converter\n\n* Bad, because early\n\n"
            "### Inside the mixin\n\n* Good, because one place\n\n### One command\n\n* Bad, because uneven\n"
        ),
    )
    alternatives = draft_of(text).content["alternatives"]
    assert isinstance(alternatives, list)
    assert [each["option"] for each in alternatives] == ["Converter", "One command"]


def test_targets_of_links_are_no_text() -> None:
    decision = "We use the [open form][form] of it.\n\n[form]: https://form.example/a\n[own]:\n  https://form.example/b"
    draft = draft_of(record_of(decision, rest="## Options\n\n- [The open form][form] of it\n- [Our own][own] form\n"))
    assert draft.content["decision"] == "We use the open form of it."
    assert "][" not in str(draft.content)


def test_a_record_of_filler_words_is_no_decision() -> None:
    assert read_adr(parse(record_of("Lorem ipsum.")), PLACE).drafts == []


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("0039-use-a-mail-template-engine.md", True),
        ("0040-pick-templates.md", True),
        ("0000-adr-template.md", False),
        ("template-minimal.md", False),
        ("adr-template.md", False),
        ("0000_example.md", False),
        ("0012-example.md", True),
    ],
)
def test_a_record_about_templates_is_no_template(name: str, is_read: bool) -> None:
    assert bool(read_adr(parse(record_of("On disk.")), f"docs/adr/{name}").drafts) == is_read


def test_a_record_that_is_only_a_text_below_its_title_is_a_decision() -> None:
    text = "# Layers in the core\n\n- Status: accepted\n- Date: 2020-10-02\n\nWe want tests.\nWe will use layers.\n"
    content = draft_of(text).content
    assert (content["decision"], content["context"]) == ("We want tests.\nWe will use layers.", NOT_STATED)


def test_each_section_of_a_file_with_the_sign_in_its_name_has_one_row() -> None:
    reading = read_adr(parse(record_of("On disk.", rest="## Consequences\n\nIt waits.\n")), "docs/adr/0024-use-#.md")
    assert len({row for row, _of in reading.parts}) == len(reading.parts)


def test_none_is_no_consequence() -> None:
    assert "consequences" not in draft_of(record_of("On disk.", rest="## Consequences\n\nNone.\n")).content


@pytest.mark.parametrize(
    "said",
    [
        "[Exception: the health endpoint is never signed, because the balancer cannot sign.]",
        "*To be added to the allow list, a host must be signed by two people of the ops team.*",
    ],
)
def test_a_paragraph_in_brackets_or_italics_that_states_something_stays(said: str) -> None:
    assert said.strip("[]*") in str(draft_of(record_of(f"We sign all calls.\n\n{said}")).content["decision"])


def test_a_line_of_many_blanks_is_read_in_no_time() -> None:
    text = record_of("We sign all calls.\n\n" + ("[a]:" + " " * 30_000 + "x\n") * 3)
    assert draft_of(text).content["decision"]


def test_a_number_behind_a_label_is_that_of_a_record() -> None:
    assert read_adr(parse(record_of("We use Jinja.")), "docs/adr/adr-0012-template-engine.md").drafts


def test_a_list_of_other_options_than_the_headings_is_kept() -> None:
    text = record_of(
        "Kafka, because it lasts.",
        rest=(
            "## Considered options\n\n- Redis streams\n- Kafka\n\n## Pros and cons of the options\n\n"
            "### Managed queue of the cloud\n\n- Good, because it is there\n\n"
            "### A table in Postgres\n\n- Bad, because it locks\n"
        ),
    )
    told = str(draft_of(text).content)
    assert "Redis streams" in told
    assert "Managed queue of the cloud" in told


def test_a_long_first_paragraph_is_cut_between_lines_and_names_its_file() -> None:
    lines = "\n".join(f"- Rule {number} holds for the queue of the shop." for number in range(95))
    told = shorten_blocks(f"{lines}\n```sh\nmake queue\n```", PLACE)
    assert told.endswith(f"{CUT} (the rest is in {PLACE})")
    assert told.split("\n\n")[0].endswith("of the shop.")
    assert len(told) <= MAX_TEXT_CHARS


RUST_RFC = """- Proposal Name: `async_streaming`
- Start Date: 2022-03-28
- RFC PR: [shop/shop#191](https://example.org/shop/pull/191)
- Tracking Issue: [shop/shop#190](https://example.org/shop/issues/190)

{mark}# Summary

Use a stream in place of a reader.

# Motivation

A reader keeps a whole body in memory, and large uploads fail.

# Guide-level explanation

Reads and writes go through one stream.
"""


@pytest.mark.parametrize(
    ("mark", "is_over"), [("", False), ("**Reverted**\n\n", True), ("Reverted reads fail.\n\n", False)]
)
def test_the_head_of_a_rust_rfc_gives_its_date_and_its_end_and_no_context(mark: str, *, is_over: bool) -> None:
    [draft] = read_adr(parse(RUST_RFC.format(mark=mark)), "rfcs/0191_async_streaming.md").drafts
    assert draft.date == "2022-03-28"
    assert bool(draft.is_over) == is_over
    assert not any(word in str(draft.content["context"]) for word in ("Proposal Name", "RFC PR", "Tracking Issue"))
