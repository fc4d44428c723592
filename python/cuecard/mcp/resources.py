"""The memories as resources `cuecard://memory/CATEGORY/ID`, and the index as a resource.

Rules: docs/reference/mcp.md, "Resources and prompts".
"""

import json

from .._backend import engine
from ..basics.category import FOLDERS
from ..basics.chars import scrub
from ..errors import CuecardError
from ..files.memory_files import list_records
from ..store.derived.current_index import rebuild
from ..store.records.memory import read_memories, read_memory
from ..store.scopes.scoped_stores import find_in_stores
from ..store.trust.agent_text import FREE, hide_names, mark_index_line, mark_record, write_title
from ..store.trust.agent_view import views_of
from .advice import without_shell
from .message import INVALID_PARAMS, Failure
from .project import name_of, shown, shown_text
from .tools import refuse_cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json
    from .project import OpenProject

INDEX = "cuecard://index"
MEMORY = "cuecard://memory/"
# How many files are read for a page. Only the active memories among them are listed.
PAGE = 100


def list_templates(params: "Json") -> "Json":
    """The list with the only template, that of a memory's URI. Raises Failure if `params` has a cursor."""
    refuse_cursor(params)
    template = {
        "uriTemplate": f"{MEMORY}{{category}}/{{id}}",
        "name": "memory",
        "title": "A memory",
        "description": "A memory of the project: its whole record as JSON",
        "mimeType": "application/json",
    }
    return {"resourceTemplates": [template]}


def list_resources(project: "OpenProject", params: "Json") -> "Json":
    """A page of the active memories, in the order of folders and names; the first page begins with the index.

    A cursor contains the last path of the page before, so that added and removed memories do not shift the pages.
    Raises Failure for an invalid cursor.
    """
    last = _read_cursor(params.get("cursor"))
    try:
        place = project.locate()
    except CuecardError:
        # The list is empty for a project without memories; reading a resource says what is missing.
        return {"resources": []}
    # Compare with `>` instead of searching for the path, so that a page can start after a memory that was removed.
    order = {category: number for number, category in enumerate(dict.fromkeys(_categories()))}
    listed = [(order[category], category, path) for category, path in list_records(place[1])]
    if last is not None:
        if last[0] not in order:
            raise _bad_cursor()
        listed = [each for each in listed if (each[0], each[2]) > (order[last[0]], last[1])]
    index: Json = {
        "uri": INDEX,
        "name": "index",
        "title": "The index of all memories",
        "description": "One line for each memory",
        "mimeType": "text/markdown",
    }
    resources = [] if last else [index]
    for _order, category, path in listed[:PAGE]:
        described = _describe(place, category, path)
        if described:
            resources.append(described)
    result: Json = {"resources": resources}
    if len(listed) > PAGE:
        _order, category, path = listed[PAGE - 1]
        result["nextCursor"] = _make_cursor(category, path)
    return result


def read_resource(project: "OpenProject", params: "Json", missing: int) -> "Json":
    """The content of a resource. Raises Failure, with the code `missing` if there is no such resource."""
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise Failure(INVALID_PARAMS, "`uri` is not a text")
    try:
        if uri == INDEX:
            return _contents(uri, "text/markdown", shown_text(_read_index(project.locate())))
        if uri.startswith(MEMORY):
            from urllib.parse import unquote

            store, category, path = find_in_stores(project.stores(), scrub(unquote(uri[len(MEMORY) :])))
            memory = read_memory(store.root, store.memory_dir, category, path)
            (view,) = views_of(store.memory_dir, [memory])
            text = json.dumps(shown(mark_record(memory.record, view)), indent=2, ensure_ascii=False)
            return _contents(uri, "application/json", text)
    except CuecardError as error:
        hint = f" ({without_shell(error.hint)})" if error.hint else ""
        raise Failure(missing, shown_text(f"{error.what}{hint}"), {"uri": uri}) from None
    raise Failure(missing, f"there is no resource `{scrub(uri)[:200]}`", {"uri": uri})


def _describe(place: tuple[str, str], category: str, path: str) -> "Json | None":
    from urllib.parse import quote

    try:
        memory = read_memory(*place, category, path)
    except CuecardError:
        return None
    if memory.status != "active":
        return None
    name = name_of(path)
    (view,) = views_of(place[1], [memory])
    if view.is_withheld and hide_names(name) != name:
        # A resource is asked for by its name, and this name is for people only.
        return None
    return {
        "uri": f"{MEMORY}{category}/{quote(name, safe='')}",
        "name": shown_text(f"{category}/{name}"),
        "title": shown_text(write_title(memory.title, view)),
        "mimeType": "application/json",
        "size": len(memory.data),
    }


def _read_index(place: tuple[str, str]) -> str:
    """The index, built from the memory files. Unreviewed memories are marked or withheld in it.

    The file `index.md` is not read, because it can come with a repository of strangers.
    """
    memories = [memory for memory in read_memories(*place) if memory.status == "active"]
    views = {memory.path: view for memory, view in zip(memories, views_of(place[1], memories), strict=True)}
    lines = []
    for line in rebuild(*place)[0].split("\n"):
        parts = engine.parse_index_line(line)
        view = views.get(parts[2], FREE) if parts else FREE
        lines.append(mark_index_line(line, view))
    return "\n".join(lines)


def _contents(uri: str, kind: str, text: str) -> "Json":
    return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}


def _categories() -> list[str]:
    return [category for _folder, category in FOLDERS]


def _make_cursor(category: str, path: str) -> str:
    return json.dumps([category, path]).encode().hex()


def _read_cursor(cursor: object) -> tuple[str, str] | None:
    """The category and the path in a cursor; None without a cursor. Raises Failure for an invalid cursor."""
    if cursor in (None, ""):
        return None
    try:
        category, path = json.loads(bytes.fromhex(str(cursor)))
    except (ValueError, TypeError, RecursionError):
        raise _bad_cursor() from None
    if not isinstance(category, str) or not isinstance(path, str):
        raise _bad_cursor()
    return category, path


def _bad_cursor() -> Failure:
    return Failure(INVALID_PARAMS, "the cursor is not from this server")
