"""What the pages look at: the store, and what has just been done."""

from collections import Counter
from time import time
from urllib.parse import urlencode

from ..actions.person_actions import MOST_NAMED, Done
from ..basics.memory_name import id_of_path
from ..capture.inbox import read_inbox
from ..store.scopes.scoped_stores import scope_reader, stores_of_project
from ..store.trust.agent_view import printed_texts, sentences_with_signs
from ..store.writes.undo import Undone
from .rows import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..actions.person_actions import Doubtful
    from ..retrieval.project_store import ProjectStore
    from ..store.records.memory import Memory

MOST_QUOTED = 300


class Refused(Exception):
    """Raised where a form asks for something that cannot be done; the page says so."""

    def __init__(self, what: str, hint: str = "") -> None:
        """`what` is a sentence, and `hint` says what can be done."""
        super().__init__(what)
        self.what, self.hint = what, hint


class Viewed:
    """The store of the page. It holds no lock, and reads files again at each request if they have changed."""

    def __init__(self, store: "ProjectStore", *, is_read_only: bool) -> None:
        """The store may not exist yet; then the pages say how to begin."""
        self.store, self.is_read_only = store, is_read_only
        self.rows = Rows(store.memory_dir)
        # The drafts and memories of the inbox that the person leaves for now: they stand last while this is open.
        self.left: set[str] = set()

    def read_scope(self) -> "Callable[[str], str]":
        """A function that reads the scopes in the log of the store: "" is the store."""
        return scope_reader(stores_of_project(self.store.project))

    def context(self, **own: "Any") -> "dict[str, Any]":  # noqa: ANN401
        """What every page gets: the numbers in its navigation, and the time."""
        waiting = len(read_inbox(self.store.memory_dir))
        base = {"is_read_only": self.is_read_only, "waiting": waiting, "now": time(), "done": None, "link": link}
        return {**base, **own}


def link(path: str, **parts: object) -> str:
    """An address of the page; parts without a value are left out."""
    query = urlencode({name: value for name, value in parts.items() if value not in ("", None)})
    return f"{path}?{query}" if query else path


def told(done: "Done | Undone | None") -> "dict[str, str] | None":
    """What the page says of an action, with the id that takes it back."""
    if done is None:
        return None
    if isinstance(done, Undone):
        names = [id_of_path(path) for path in (*done.restored, *done.removed)]
        more = ", ..." if len(names) > MOST_NAMED else ""
        return {"text": f"Undone ({done.operation.what})", "id": done.id, "name": ", ".join(names[:MOST_NAMED]) + more}
    return {"text": done.what.capitalize(), "id": done.id, "name": done.name}


def signs_of(memory: "Memory") -> "list[tuple[str, str]]":
    """Why an unreviewed text is withheld from agents: each sign, with the sentence that raises it cut."""
    found = sentences_with_signs(printed_texts(memory.data, memory.id))
    return [(sign, cut(sentence)) for sign, sentence in found]


def questions(doubt: "Doubtful") -> "list[dict[str, Any]]":
    """What the page asks before it accepts texts that are withheld from agents."""
    return [
        {"title": one.memory.title, "is_unseen": False, "signs": signs_of(one.memory), "personal": ""}
        for one in doubt.texts
    ]


def source_of(memory: "Memory") -> str:
    """The file and the heading that a memory was imported from; "" if it says nothing about that."""
    source = memory.extension.get("source")
    parts = [source.get("path"), source.get("heading")] if isinstance(source, dict) else []
    return " · ".join([part for part in parts if isinstance(part, str) and part])


def cut(text: str) -> str:
    """A long text with its end left out."""
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]} ..."


def counts(values: "list[str]") -> "list[tuple[str, int]]":
    """How often each value occurs, the most frequent first."""
    return sorted(Counter(values).items(), key=lambda row: (-row[1], row[0]))
