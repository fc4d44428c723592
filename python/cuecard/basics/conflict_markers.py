"""Recognises a file that a merge of git has left in conflict (SPEC 13.4)."""

import re

# A carriage return may stand before the line's end.
_MARKER = re.compile(rb"(?:<<<<<<<|>>>>>>>|\|\|\|\|\|\|\||=======)(?:[ \r]|$)")


def find_conflict_markers(data: bytes) -> list[int]:
    """The numbers of the lines that a merge with conflicts has put into a file; empty unless both sides are marked."""
    lines = data.split(b"\n") if b"<<<<<<<" in data and b">>>>>>>" in data else []
    marked = [(number, line[:7]) for number, line in enumerate(lines, 1) if _MARKER.match(line)]
    marks = {mark for _number, mark in marked}
    return [number for number, _mark in marked] if {b"<<<<<<<", b">>>>>>>"} <= marks else []
