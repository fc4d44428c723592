"""Lists and code of a memory's text are drawn; nothing of it is markup, and nothing is left out."""

import html
import re

import pytest

pytest.importorskip("jinja2", reason="the extra `viewer` is not installed")

from hypothesis import given
from hypothesis import strategies as some

from cuecard.viewer.drawn_text import drawn

MARKS = "`~*-+.)"
# What opens blocks, hides text, or is markup elsewhere.
BLOCKS = ["- ", "* ", "1. ", "7) ", "007. ", "```", "~~~", "`", "\n", "\n\n", "  ", "    "]
PARTS = [*BLOCKS, "<b>", "](x)", "![", "&#120;", "\\", "#", ">", "a", "rm -rf *", "__x__"]


def read(text: str) -> str:
    """What somebody reads of a drawn text: the text of its elements, and the numbers of its lists."""
    plain = re.sub(r'<li value="(\d+)">', r"\1", str(drawn(text)))
    return html.unescape(re.sub(r"</?(?:p|ul|ol|li|em|pre|code)>", "", plain))


def kept(text: str) -> str:
    return "".join([char for char in text if not char.isspace() and char not in MARKS])


def test_lists_and_code_are_drawn() -> None:
    text = drawn("Do this:\n- build\n- run `make`\n\n```sh\nmake -j2\n```\n3. third")
    assert "<ul><li>build</li><li>run <code>make</code></li></ul>" in text
    assert "<em>sh</em><pre><code>make -j2</code></pre>" in text
    assert '<ol><li value="3">third</li></ol>' in text


@pytest.mark.parametrize(
    "text",
    [
        "[a]: http://example.org 'hidden'\n\nshown",
        "```sh hidden words\ncode\n```",
        "- " * 40 + "deep",
        "`unclosed __init__ &#60; \\* <!-- comment --> ![x](y) <script>alert(1)</script>",
        "007. Bond",
        "> quote\n# heading\n---\n| a | b |",
    ],
)
def test_nothing_of_a_text_is_hidden_or_markup(text: str) -> None:
    assert kept(read(text)) == kept(text)
    assert "<script" not in drawn(text)
    assert "<a" not in drawn(text)


@given(some.lists(some.sampled_from(PARTS), max_size=30))
def test_every_text_is_read_whole(parts: list[str]) -> None:
    text = "".join(parts)
    assert kept(read(text)) == kept(text)
    tags = re.findall(r"<[^>]*>", str(drawn(text)))
    assert all(re.fullmatch(r"</?(?:p|ul|ol|li|em|pre|code)>|<li value=\"\d+\">", tag) for tag in tags)
