"""Writes out everything that a person accepts of a memory, for the review in a terminal (SPEC 45.8)."""

from ..._backend import remove_hidden
from ...basics.chars import scrub
from ...basics.json_reader import JsonError, read_json
from ...store.records.record_file import extension_of
from ..paged_review import Page, ReviewItem
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from ...store.trust.review import Reviewed

# The members that the trust hash covers, in the order in which they are shown. The category and the title come first.
MEMBERS = ("content", "tags", "related_files")
OWN_MEMBERS = (
    "gist",
    "questions",
    "anchors",
    "evidence",
    "valid_from",
    "valid_until",
    "applies_to",
    "contradicts",
    "supersedes",
    "derived_from",
    "subject",
    "forbids",
    "sections",
    "pointer",
)
INDENT = "  "
# Lists of texts that are not longer stand in one line.
MAX_SHORT_CHARS = 60


def item_of_memory(one: "Reviewed") -> ReviewItem:
    """A memory as the pages of a review show it: all text in its trust hash, from the bytes that were hashed."""
    from rich.text import Text

    record = _record_of(one.memory.data)
    own = extension_of(record)
    title = shown(str(record.get("title")))
    lines = [Text.assemble((f"[{shown(str(record.get('category'))).upper()}] ", "yellow"), (title, "bold"))]
    told = [shown(one.memory.id), *([one.memory.status] if one.memory.status != "active" else [])]
    told += [f"last commit: {shown(one.commit.author)}, {one.commit.day}"] if one.commit else []
    lines.append(Text("  ".join(told), "dim"))
    pairs = [(name, record[name]) for name in MEMBERS if record.get(name) not in (None, [], {}, "")]
    pairs += [(name, own[name]) for name in OWN_MEMBERS if own.get(name) not in (None, [], {}, "")]
    for name, value in pairs:
        # The members of the content have names of their own.
        lines += list(_lines(value, "") if name == "content" and isinstance(value, dict) else _lines({name: value}, ""))
    lines += warnings_of(record, one.signs)
    return ReviewItem(title or one.memory.id, lines, is_withheld=one.is_withheld)


def lines_of_value(value: object) -> "list[Text]":
    """All texts of a JSON value, with the names of members, as lines that are safe for a terminal."""
    return list(_lines(value, ""))


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
        count = "1 hidden character" if hidden == 1 else f"{hidden} hidden characters"
        lines.append(Text(f"It has {count}, which no agent is shown either", "yellow"))
    return lines


def shown(text: str) -> str:
    """A text of one line, without characters that control a terminal, change its direction or cannot be seen."""
    return visible(remove_hidden(" ".join(scrub(text).split())))


def print_pages(items: "list[ReviewItem]") -> None:
    """Print all items without asking."""
    from ...cli import terminal

    for page in Page.all_of(items):
        for part in page.parts:
            terminal.show_rows(part)


def _record_of(data: bytes) -> dict[str, object]:
    try:
        record = read_json(data)
    except JsonError:
        return {}
    return record if isinstance(record, dict) else {}


def _lines(value: object, indent: str) -> "Iterator[Text]":
    """A value as lines: members with their names, items of a list with a dash, or in one line if they are short."""
    from rich.text import Text

    if isinstance(value, dict):
        for name, member in value.items():
            yield from _lines_of_member(f"{indent}{shown(name)}:", member, indent)
    elif isinstance(value, list):
        for item in value:
            below = list(_lines(item, indent + INDENT))
            if below:
                # The dash stands in the place of the indentation of the first line.
                below[0] = below[0][len(indent) + len(INDENT) :]
                below[0] = Text.assemble(f"{indent}- ", below[0])
            yield from below
    else:
        yield from [Text(f"{indent}{line}") for line in _text_lines(value)]


def _lines_of_member(label: str, member: object, indent: str) -> "Iterator[Text]":
    from rich.text import Text

    short = _short_list(member)
    if isinstance(member, dict | list) and member and not short:
        yield Text(label, "cyan")
        yield from _lines(member, indent + INDENT)
        return
    first, *rest = [short] if short else _text_lines(member)
    yield Text.assemble((label, "cyan"), f" {first}")
    yield from [Text(f"{indent}{INDENT}{line}") for line in rest]


def _short_list(value: object) -> str:
    """The items of a list of short texts in one line; "" if it is no such list."""
    if not isinstance(value, list) or not all(isinstance(item, str) and ";" not in item for item in value):
        return ""
    line = "; ".join([shown(item) for item in value])
    return line if len(line) <= MAX_SHORT_CHARS else ""


def _text_lines(value: object) -> list[str]:
    """A single value as lines."""
    import json

    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return [shown(line) for line in text.splitlines()] or [""]
