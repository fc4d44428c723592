"""`memory_search` and `memory_get` (docs/reference/mcp.md, "Tools")."""

from .._backend import read_card
from ..basics.chars import scrub
from ..basics.json_reader import read_json_object
from ..files.trust_levels import UNREVIEWED
from ..retrieval.recall import Recall
from ..store.records.memory import read_memory
from ..store.scopes.scoped_stores import choose_scope, find_in_stores
from ..store.trust.agent_text import WITHHELD, shown_record, trust_of
from ..store.trust.agent_view import views_of
from .project import name_of
from .tool_schemas import DEFAULT_HITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..retrieval.hit import Hit
    from ..retrieval.options import SearchOptions
    from .message import Json
    from .project import OpenProject

# The most characters in the texts of all hits together; more would cost the model that reads them too many tokens.
MAX_TEXT_CHARS = 30_000


def search(project: "OpenProject", arguments: "Json") -> "Json":
    """The memories that fit a query best. Raises StoreError without a store, and UsageError for a wrong argument."""
    status: Any = str(arguments.get("status", "active"))
    options: SearchOptions = {
        "categories": _texts(arguments, "categories"),
        "tags": _texts(arguments, "tags"),
        "status": status,
    }
    limit = arguments.get("limit", DEFAULT_HITS)
    query = scrub(str(arguments["query"]))
    found = Recall(project.load()).search(query, limit if isinstance(limit, int) else DEFAULT_HITS, **options)
    hits = [_describe(project, hit, status) for hit in found]
    if arguments.get("detail") != "full":
        for hit in hits:
            hit.pop("text", None)
        return _with_note({"hits": hits}, _hint(hits, status))
    left = MAX_TEXT_CHARS
    cut = 0
    for hit in hits:
        left -= len(str(hit.get("text", "")))
        if left < 0:
            cut += "text" in hit
            hit.pop("text", None)
    cut += sum([hit.get("trust") == UNREVIEWED for hit in hits])
    note = f"{cut} hits are without their texts; memory_get returns them" if cut else _hint(hits, status)
    return _with_note({"hits": hits}, note)


def get(project: "OpenProject", arguments: "Json") -> "Json":
    """The whole record of a memory. Raises MissingError, InputError (a damaged file) or StoreError (no store).

    `scope` names the store where several have the name. Raises UsageError for one that does not count.
    """
    stores, scope = project.stores(), arguments.get("scope")
    stores = stores if scope is None else choose_scope(stores, scrub(str(scope)))
    store, category, path = find_in_stores(stores, scrub(str(arguments["id"])))
    memory = read_memory(store.root, store.memory_dir, category, path)
    (view,) = views_of(store.memory_dir, [memory])
    return {
        "id": memory.id,
        "category": memory.category,
        "path": memory.path,
        "status": memory.status,
        **({"scope": store.label} if store.label else {}),
        "hash": memory.hash,
        "record": {} if view.is_withheld else shown_record(memory.record, view),
        **trust_of(view),
    }


def _texts(arguments: "Json", name: str) -> "list[Any]":
    found = arguments.get(name)
    return [scrub(str(text)) for text in found] if isinstance(found, list) else []


def _describe(project: "OpenProject", hit: "Hit", wanted: str) -> "Json":
    """A hit in short form, and the text of its memory."""
    data = project.read(hit.path, hit.scope)
    card = read_card(data) if data is not None else None
    date, _state, gist, text, *_rest = card or ("", "", "", "")
    title = hit.title
    if hit.is_withheld:
        title, gist, text = WITHHELD, "", ""
    described: Json = {
        "id": name_of(hit.path),
        "category": hit.category.lower(),
        "title": title,
        "gist": gist,
        "date": date,
        "score": hit.score,
    }
    if hit.scope:
        described["scope"] = hit.scope
    if hit.trust == UNREVIEWED:
        described["trust"] = UNREVIEWED
    if hit.validity:
        described["validity"] = hit.validity
    if hit.probability is not None:
        described["probability"] = round(hit.probability, 3)
    status = _status_of(data) if wanted != "active" and data is not None else "active"
    if status != "active":
        described["status"] = status
    # The whole text of an unreviewed memory is read only by its name, with `memory_get`.
    if text and hit.trust != UNREVIEWED:
        described["text"] = text
    return described


def _status_of(data: bytes) -> str:
    status = (read_json_object(data) or {}).get("record_status")
    return status if isinstance(status, str) else "active"


def _hint(hits: "list[Json]", status: str) -> str:
    if hits:
        return ""
    more = ", or `status` all: retired and archived ones too" if status == "active" else ""
    return f"no memory matches; try other words, fewer filters{more}"


def _with_note(result: "Json", note: str) -> "Json":
    return {**result, "note": note} if note else result
