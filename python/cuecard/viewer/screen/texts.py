"""What the screen says of a memory or a draft: the values of the page's functions as lines for a terminal."""

import json
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...basics.visible_text import visible, visible_lines
from ..fields import Field, fields_of

if TYPE_CHECKING:
    from ...actions.waiting import OftenWrong

# An edited memory is typed as this JSON object.
EDITED = ("title", "tags", "content")


def line(label: str, words: object, style: str = "") -> Text:
    """A line with a label; nothing of a memory is read as markup, and no control character reaches the terminal."""
    return Text.assemble((f"{label}  ", "dim"), (visible(str(words)), style))


def heading(words: str) -> Text:
    """The title of a memory or a draft."""
    return Text(visible(words), "bold")


def lines_of_fields(fields: list[Field]) -> list[Text]:
    """The fields of a memory's content, each with its name above."""
    lines: list[Text] = []
    for field in fields:
        lines += [Text(""), Text(visible(field.name.replace("_", " ")), "cyan")]
        texts = [f"- {item}" for item in field.items] if field.items else [field.shown]
        lines += [Text(part) for text in texts for part in visible_lines(text)]
    return lines


def lines_of_memory(page: dict[str, Any]) -> list[Text]:
    """A memory, from the values of its page."""
    memory = page["memory"]
    lines = [heading(memory.title), line(memory.name, f"{memory.status}, {page['level']}")]
    lines += lines_of_fields(page["fields"])
    lines += _members(page["more"])
    verdicts = [f"{one.kind} {one.sign or ''} {one.at[:10]} ({one.id})" for one in page["verdicts"][:5]]
    lines += (
        [Text(""), Text("verdicts and signs of use", "cyan"), *map(Text, map(visible, verdicts))] if verdicts else []
    )
    writes = [f"{one['what']} ({one['id']})" for one in page["operations"][:5]]
    lines += [Text(""), Text("writes", "cyan"), *map(Text, map(visible, writes))] if writes else []
    return lines


def lines_of_wrong(one: "OftenWrong") -> list[Text]:
    """A memory of another store that was often wrong, and what can be done about it."""
    lines = [heading(one.memory.title), line(one.memory.name, one.scope)]
    lines += [line("wrong", f"in {one.sessions} sessions"), line("another store", one.hint, "yellow")]
    return lines + lines_of_fields(fields_of(one.memory.record))


def lines_of_decided(one: dict[str, Any]) -> list[Text]:
    """A decision, and what the key for undo takes back."""
    lines = [heading(one["title"]), line(one["decision"], one["at"])]
    together = f"it was decided together with {one['others']} more, which wait again too"
    return [*lines, line("u takes it back", together if one["others"] else "")]


def lines_of_draft(card: dict[str, Any], near: dict[str, Any] | None) -> list[Text]:
    """A draft: its effect first, then the whole text that is accepted, then the nearest memory."""
    lines = [heading(card["title"]), line("if you accept it", card["words"], "green" if card["can"] else "red")]
    lines += [line("category", card["category"])]
    source = ", ".join([str(value) for name, value in card["source"] if name != "kind"])
    lines += [line("from", source or card["origin"])]
    lines += _status(card) + _signs(card["signs"])
    lines += [line("vague", card["why"], "yellow")] if card["why"] else []
    lines += [line("note", note, "yellow") for note in card["notes"]]
    lines += [line("expires", f"in {card['days']} days", "yellow")] if card["days"] is not None else []
    lines += [line("tags", ", ".join(card["tags"]))] if card["tags"] else []
    lines += lines_of_fields(card["fields"])
    lines += _members(card["more"])
    if near and near["near"]:
        memory = near["near"].memory
        lines += [Text(""), Text("the nearest memory", "magenta"), heading(memory.title), line("", memory.name)]
        lines += lines_of_fields(near["fields"])
    return lines


def lines_of_unreviewed(row: dict[str, Any]) -> list[Text]:
    """A memory that nobody vouches for, with the reasons why its text is withheld from agents."""
    memory = row["memory"]
    lines = [heading(memory.title), line(memory.name, "unreviewed")]
    lines += [line("from", row["source"])] if row["source"] else []
    return lines + _status(row) + _signs(row["signs"]) + lines_of_fields(row["fields"]) + _members(row["more"])


def _members(more: list[tuple[str, str]]) -> list[Text]:
    """Members beside the content, each with its name above."""
    lines: list[Text] = []
    for name, text in more:
        lines += [Text(""), Text(visible(name), "cyan"), *map(Text, visible_lines(text))]
    return lines


def _status(card: dict[str, Any]) -> list[Text]:
    return [line("status", card["status"], "yellow")] if card["status"] else []


def _signs(signs: list[tuple[str, str]]) -> list[Text]:
    """Why a text is withheld from agents: each sign with the sentence that raises it."""
    return [line("withheld from agents", f"it {sign}: {sentence}", "red") for sign, sentence in signs]


def json_of_memory(record: dict[str, Any]) -> str:
    """The parts of a record that a person edits, as JSON."""
    return json.dumps({name: record.get(name) for name in EDITED}, ensure_ascii=False, indent=2)
