"""Reads what a tool is about to add or to run, or has added or run (SPEC 40.2)."""

from ...basics.chars import scrub
from ...basics.host_table import TOOL_EVENTS
from ...basics.tables import find_row
from .host import read_object
from .tool_use import PATCH_LINES, fields_of, known_name

# How many characters are read of each text of an edit.
MAX_TEXT_CHARS = 200_000
# How many files and how many replacements of an act are looked at.
MAX_EDITS = 64
MAX_CHANGES = 64
# What an edit replaces: a text, the whole file, or the cell with an id in a notebook.
TEXT, FILE, CELL = "text", "file", "cell"
# The lines of a patch before the changes of a file.
FILE_LINES = tuple([begin for begin, _action in PATCH_LINES])

# What is replaced (one of `TEXT`, `FILE` and `CELL`), its text or id, and the new text.
Change = tuple[str, str, str]
# The path, as the tool was given it, and the changes; none if the file is only removed or moved.
Edit = tuple[str, list[Change]]
# The host's name of the event, whether the tool has run already, the edits, and the command ("" if there is none).
Act = tuple[str, bool, list[Edit], str]


def read_act(data: bytes) -> Act | None:
    """The act of a tool; None if the event or the tool is not one of those that change a file or run a command.

    Raises PayloadError if the payload is not a JSON object.
    """
    payload = read_object(data)
    event, name, given = payload.get("hook_event_name"), payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(event, str) or not isinstance(name, str):
        return None
    moment = TOOL_EVENTS.get(event)
    if moment not in ("before", "after"):
        return None
    row = find_row("tool_inputs", "tools", known_name(name))
    if not row or not isinstance(given, dict):
        return None
    fields = _Fields(row, given)
    script, patch = fields.text("command") or "", fields.text("patch")
    edits = fields.edits() if patch is None else _read_patch(patch)
    return (event, moment == "after", edits, script) if script or edits else None


class _Fields:
    """The input of a tool, and what its fields have."""

    def __init__(self, row: str, given: dict[str, object]) -> None:
        self._row = row
        self._given = given

    def text(self, role: str, members: dict[str, object] | None = None) -> str | None:
        """The first text in a field with a role; None if there is none."""
        given = self._given if members is None else members
        texts = [
            value for value in [given.get(field) for field in fields_of(self._row, role)] if isinstance(value, str)
        ]
        return scrub(texts[0])[:MAX_TEXT_CHARS] if texts else None

    def edits(self) -> list[Edit]:
        path = self.text("path")
        if not path:
            return []
        changes: list[Change] = []
        whole = self.text("all")
        if whole is not None:
            changes.append((FILE, "", whole))
        listed = next((self._given[field] for field in fields_of(self._row, "list") if field in self._given), None)
        for member in (listed if isinstance(listed, list) else [self._given])[:MAX_CHANGES]:
            new = self.text("new", member) if isinstance(member, dict) else None
            if new is not None:
                cell = None if self._given.get("edit_mode") == "insert" else self.text("cell", member)
                old = (TEXT, self.text("old", member) or "") if cell is None else (CELL, cell)
                changes.append((*old, new))
        return [(path, changes)]


def _read_patch(patch: str) -> list[Edit]:
    """The files of a patch, with the lines that it removes and adds."""
    files: list[tuple[str, list[str], list[str]]] = []
    for whole_line in patch.split("\n"):
        line = whole_line.removesuffix("\r")
        begin = next((begin for begin in FILE_LINES if line.startswith(begin)), "")
        if begin:
            if len(files) == MAX_EDITS:
                break
            files.append((line.removeprefix(begin), [], []))
        elif files and line[:1] in ("-", "+"):
            _path, old, added = files[-1]
            (old if line[0] == "-" else added).append(line[1:] + "\n")
    return [(path, [(TEXT, "".join(old), "".join(new))]) for path, old, new in files]
