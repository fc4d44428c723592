"""Marks memories that nobody vouches for, and hides the text of withheld memories from agents (SPEC 45.9)."""

from collections.abc import Sequence

from ..._backend import engine
from ...cli import terminal
from ...store.trust import agent_text
from ...store.trust.agent_text import FREE, WITHHELD, View, write_title
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.memory import Memory

__all__ = ["FREE", "WITHHELD", "Marks", "View", "is_hidden", "mark", "shown_name", "shown_title", "validity_mark"]


# Marks in lines stand two blanks behind the title.
GAP = "  "


def is_hidden(view: View) -> bool:
    """Whether the text of a memory must not be printed: it is withheld, and the reader may be an agent (a pipe)."""
    return view.is_withheld and not terminal.is_person_watching()


def mark(view: View) -> str:
    """The mark after the title of an unreviewed memory, with two blanks in front; "" for other memories."""
    return agent_text.mark(view, GAP)


def validity_mark(words: str) -> str:
    """The mark after the title of a memory that is not valid now: two blanks and `(WORDS)`; "" if `words` is ""."""
    return f"  ({words})" if words else ""


def shown_title(title: str, view: View) -> str:
    """The title with the mark for its trust; a notice instead of the title if the memory is hidden."""
    if view.is_withheld and not is_hidden(view):
        return f"{visible(title)}{mark(view)}"
    return write_title(visible(title), view, GAP)


# The members of an unreviewed record that a list for agents has, and the fields of documents that contain its text.
LISTED = ("title", "record_status", "created_at", "updated_at")
TEXTS = ("record", "title", "tags", "what", "excerpt")
# The fields of JSON documents that contain a name by which a memory refers to another memory.
NAMES = ("memory", "source", "target")


def shown_name(name: str) -> str:
    """A name by which a memory refers to another memory; a notice instead if the name addresses the model."""
    return f"({WITHHELD})" if _is_hidden_name(name) else visible(name)


def _is_hidden_name(name: object) -> bool:
    return isinstance(name, str) and not terminal.is_person_watching() and bool(engine.instruction_signs(name))


class Marks:
    """The trust of the memories of a store, by path; `FREE` for an unknown path."""

    def __init__(self, memory_dir: str, memories: "Sequence[Memory]") -> None:
        from ...store.trust.agent_view import views_of

        self._views = dict(zip([memory.path for memory in memories], views_of(memory_dir, memories), strict=True))

    @staticmethod
    def of_store(root: str, memory_dir: str) -> "Marks":
        """The marks of all memories of a store if the reader may be an agent; empty marks for a person."""
        if terminal.is_person_watching():
            return Marks(memory_dir, [])
        from ...store.records.memory import read_memories

        return Marks(memory_dir, read_memories(root, memory_dir))

    def __getitem__(self, path: str) -> View:
        return self._views.get(path, FREE)

    def listed(self, path: str, document: "dict[str, object]") -> "dict[str, object]":
        """A memory in a list for `--json`: an agent gets an unreviewed one in full only if it asks for it by name."""
        record = document.get("record")
        if terminal.is_person_watching() or not self[path].is_unreviewed or not isinstance(record, dict):
            return document
        return document | {"record": {name: record[name] for name in LISTED if name in record}}

    def clean(self, document: object) -> object:
        """The document for `--json`: each memory gets its `trust`, and withheld memories lose their text."""
        if isinstance(document, list):
            return [self.clean(item) for item in document]
        if not isinstance(document, dict):
            return document
        view = self._views.get(str(document.get("path")))
        if view is None:
            return {
                name: None if name in NAMES and _is_hidden_name(value) else self.clean(value)
                for name, value in document.items()
            }
        cleaned = dict(document)
        if view.trust:
            cleaned["trust"] = view.trust
        if is_hidden(view):
            cleaned["withheld"] = WITHHELD
            cleaned |= {field: None for field in TEXTS if field in cleaned}
        elif isinstance(cleaned.get("record"), dict) and not terminal.is_person_watching():
            cleaned["record"] = agent_text.shown_record(cleaned["record"], view)
        if "children" in cleaned:
            cleaned["children"] = self.clean(cleaned["children"])
        return cleaned
