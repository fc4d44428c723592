"""Writes out everything that a person accepts of a memory, for the review in a terminal (SPEC 45.8)."""

from ..._backend import remove_hidden
from ...basics.counted import counted
from ...steer import whole_text
from ...steer.whole_text import hashed_members, record_of, shown
from ..paged_review import Page, ReviewItem
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.text import Text

    from ...store.trust.review import Reviewed


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
    return ReviewItem(title or one.memory.id, lines, is_withheld=one.is_withheld)


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

    from ..._backend import texts_in

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
    from ...cli import terminal

    for page in Page.all_of(items):
        for part in page.parts:
            terminal.show_rows(part)
