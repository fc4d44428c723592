"""A source of any content can be imported and gives a result."""

import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard.importers.adr import read_adr
from cuecard.importers.instructions import read_instructions
from cuecard.importers.markup.markdown import Section, items, parse, plain
from cuecard.importers.source import read_as
from cuecard.store.records.autofix import fix_new
from cuecard.store.records.record_check import check
from import_sources import NYGARD

KINDS = (
    "adr",
    "runbook",
    "document",
    "instructions",
    "cursor",
    "auto-memory",
    "basic-memory",
    "memsearch",
    "memory-bank",
)
PIECES = [
    "# ",
    "## Decision",
    "## TODO",
    "\n",
    "- ",
    "1. ",
    "\u274c",
    "---",
    "```",
    "<!--",
    "-->",
    "**",
    "[",
    "](x)",
    "status: ",
    "Why: ",
    "a b",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.sampled_from(KINDS))
def test_whatever_stands_in_a_file_something_comes_of_it(text: str, kind: str) -> None:
    document = parse(text)
    assert "\r" not in document.text
    reading = read_as(kind, document, "memory-bank/2026-01-01-rules.md", text)
    for draft in reading.drafts:
        check(fix_new(draft.record(), draft.category, "2026-01-01T00:00:00Z")[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "**a ",
        "<!--",
        "[a",
        "\n",
        "# \t",
        "- a\nb\n",
        "status",
        "- \n",
        "(",
        "`",
        "```\n",
        "---\na: b\n",
        "## Decision\n",
        "| ",
    ],
)
@pytest.mark.parametrize("front", ["# Decision\n\nchosen option: ", "- x\n"])
def test_a_large_file_takes_time_by_its_length(piece: str, front: str) -> None:
    def seconds(chars: int) -> float:
        return seconds_to_read(front + piece * (chars // len(piece)))

    # The file is four times as long. Sixteen times the time would mean that the time grows with the square. A busy
    # machine makes one measurement too long, so three may show that it does not.
    assert any(seconds(10_000) < 8 * max(seconds(2_500), 0.03) for _ in range(3))


def seconds_to_read(text: str) -> float:
    """The processor time for reading a text as each kind of source.

    Without collecting garbage: that takes the longer, the more the tests before have left in this process.
    """
    gc.disable()
    try:
        started = time.process_time()
        for kind in KINDS:
            read_as(kind, parse(text), "memory-bank/2026-01-01-rules.md", text)
        return time.process_time() - started
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        ("Accepted", "accepted"),
        ("Proposed", "proposed"),
        ("Accepted\n\nSupercedes [2. Old](0002-old.md)", "accepted"),
        ("Accepted\n\nAmended by [9. More](0009-more.md)", "accepted"),
        ("Deprecated", "deprecated"),
    ],
)
def test_the_status_of_a_record_is_understood(status: str, wanted: str) -> None:
    [draft] = read_adr(parse(NYGARD.replace("Accepted", status)), "x.md").drafts
    assert draft.content["status"] == wanted


def test_markdown_is_read_with_code_comments_and_underlined_headings() -> None:
    document = parse("Title\n=====\n\n```\n# no heading\n```\n<!-- ## neither -->\n\nPart\n----\ntext\n")
    assert [(section.level, section.heading) for section in document.sections] == [(1, "Title"), (2, "Part")]
    assert items("1. one\n   more\n   - below\n2. two") == ["one more; below", "two"]
    assert parse("---\na: 'x'\nb:\n  - 1\n  - 2\nc:\n  d: e\n---\n").front == {
        "a": "x",
        "b": ["1", "2"],
        "c": "",
        "c.d": "e",
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("- [x] Use pnpm", "- Use pnpm"),
        ("1. [ ] Use pnpm", "1. Use pnpm"),
        ("[X] Use pnpm", "Use pnpm"),
        ("Use [x] in lists", "Use [x] in lists"),
        (r"Name files \_internal\_ and `\_kept`", r"Name files _internal_ and `\_kept`"),
        (r"Write to C:\new and \\server", r"Write to C:\new and \server"),
        (
            "a\n```sh\ncurl https://<host>/\\_x\n- [x] b\n```\n<b>c</b>",
            "a\n```sh\ncurl https://<host>/\\_x\n- [x] b\n```\nc",
        ),
        ("````\n```\n<a>\n```\n<b>\n````\n<i>d</i>", "````\n```\n<a>\n```\n<b>\n````\nd"),
    ],
)
def test_a_text_loses_its_markup_and_keeps_its_code(text: str, wanted: str) -> None:
    assert plain(text) == wanted


def test_the_text_of_a_section_is_made_once_for_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(text: str) -> str:
        made.append(text)
        return plain(text)

    monkeypatch.setattr("cuecard.importers.markup.markdown.plain", counted)
    section = Section(1, "Storage", ["Jobs wait on [disk](https://example.org)."])
    assert section.text == section.text == "Jobs wait on disk."
    assert len(made) == 1
    section.lines.append("They last.")
    assert section.text == "Jobs wait on disk.\nThey last."


def test_a_rule_in_a_part_that_is_left_out_is_named_beside_its_neighbours() -> None:
    told = "next to the {0} store and its {0} cache, as the drawing of the {0} in the wiki of the shop shows"
    facts = [
        f"- **Part {word}**: The {word} lives in `{word}/` and is served by a gateway, {told.format(word)}."
        for word in "api worker storage web mail search".split()
    ]
    rule = "- Never call the payment provider from the API; the worker does it, so that a charge is tried once."
    checks = [
        f"- Always check the {word} with `make {word}` before each commit, and never skip a failing check of the "
        f"{word} because of a deadline of somebody else."
        for word in "lint types units docs links".split()
    ]
    lines = [*facts, rule, "", *checks, *[line.replace("make", "just") for line in checks]]
    text = "\n".join(["# Shop", "", "## Layout and checks", "", *lines, ""])
    [(where, why)] = read_instructions(parse(text), "AGENTS.md", text).skipped
    assert where.startswith("AGENTS.md#Shop > Layout and checks > part api; part worker; ")
    assert "; never call the payment provider from the api; " in where
    assert why == "left to the agent: rules and facts in one list"
