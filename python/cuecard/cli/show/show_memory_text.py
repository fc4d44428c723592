"""Writes out everything that a person accepts of a memory, for the review in a terminal (SPEC 45.8)."""

import shutil

from ..._backend import remove_hidden, texts_in
from ...actions import whole_text
from ...actions.whole_text import hashed_members, record_of, shown
from ...basics.counted import counted
from ...capture.dropped import MAIN_FIELDS
from ...cli import terminal
from ...store.records.record_file import extension_of
from ..paged_review import Page, ReviewItem
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.text import Text

    from ...store.trust.review import Reviewed

MIN_COLUMNS, ROWS_OF_A_BEGINNING = 20, 2
MAX_ORDER_CHARS = 200


def item_of_memory(one: "Reviewed") -> ReviewItem:
    """A memory as the pages of a review show it: all text in its trust hash, from the bytes that were hashed."""
    from rich.text import Text

    record = record_of(one.memory.data)
    title = shown(str(record.get("title")))
    lines = [Text.assemble((f"[{shown(str(record.get('category'))).upper()}] ", "yellow"), (title, "bold"))]
    told = [shown(one.memory.id), *([one.memory.status] if one.memory.status != "active" else [])]
    told += [f"last commit: {shown(one.commit.author)}, {one.commit.day}"] if one.commit else []
    lines.append(Text("  ".join(told), "dim"))
    for name, value in hashed_members(record):
        # The members of the content have names of their own.
        lines += lines_of_value(value if name == "content" and isinstance(value, dict) else {name: value})
    lines += warnings_of(record, one.signs)
    lines += _orders_in(one)
    return ReviewItem(title or one.memory.id, lines, is_withheld=one.is_withheld)


def beginning_of_memory(one: "Reviewed") -> ReviewItem:
    """A memory as its title and the beginning of its content, in at most three rows."""
    from rich.text import Text

    record = record_of(one.memory.data)
    category = "POINTER" if "pointer" in extension_of(record) else shown(str(record.get("category"))).upper()
    title = shown(str(record.get("title")))
    content = record.get("content")
    main = MAIN_FIELDS.get(one.memory.category, "")
    text = shown(" ".join(texts_in(content.get(main, content)))) if isinstance(content, dict) else ""
    source = extension_of(record).get("source")
    place = shown(str(source.get("path"))) if isinstance(source, dict) else one.memory.id
    width = max(shutil.get_terminal_size().columns, MIN_COLUMNS) - 1
    lines = [Text.assemble((f"[{category}] ", "yellow"), (title, "bold"))]
    lines += [Text(_cut(text, ROWS_OF_A_BEGINNING * width))] if text != title else []
    return ReviewItem(title or one.memory.id, [*lines, Text(place, "dim")])


def _orders_in(one: "Reviewed") -> "list[Text]":
    """The sentences for which a memory is withheld, each with the reason."""
    from rich.text import Text

    from ...store.trust.agent_view import printed_texts, sentences_with_signs

    if not one.is_withheld:
        return []
    found = sentences_with_signs(printed_texts(one.memory.data, one.memory.id))
    return [Text(f"  {visible(sign)}: {_cut(shown(sentence), MAX_ORDER_CHARS)}", "red") for sign, sentence in found]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def lines_of_value(value: object) -> "list[Text]":
    """All texts of a JSON value, with the names of members, as lines that are safe for a terminal."""
    from rich.text import Text

    return [
        Text.assemble(line.indent, (line.label, "cyan"), f" {line.text}" if line.label and line.text else line.text)
        for line in whole_text.lines_of_value(value)
    ]


def warnings_of(value: object, signs: "tuple[str, ...]") -> "list[Text]":
    """What a reader should know of a text: that it addresses the model, or has characters that nobody can see."""
    from rich.text import Text

    lines = []
    if signs:
        lines.append(
            Text(f"This text addresses the model, its tools or secrets: {', '.join(map(visible, signs))}", "red")
        )
    hidden = sum(1 for one in texts_in(value) for char in one if char not in "\n\r\t" and not remove_hidden(char))
    if hidden > 0:
        count = counted(hidden, "hidden character")
        lines.append(Text(f"It has {count}, which no agent is shown either", "yellow"))
    return lines


def print_pages(items: "list[ReviewItem]") -> None:
    """Print all items without asking."""
    for page in Page.all_of(items):
        for part in page.parts:
            terminal.show_rows(part)
