"""Recognises a file that a merge of git has left in conflict (SPEC 13.4).

The hook loads this module at every prompt, so it does without regular expressions.
"""

BEGIN, END = b"<<<<<<<", b">>>>>>>"
MARKS = (BEGIN, b"|||||||", b"=======", END)


def find_conflict_markers(data: bytes) -> list[int]:
    """The numbers of the lines that a merge with conflicts has put into a file; empty unless both sides are marked."""
    lines = data.split(b"\n") if BEGIN in data and END in data else []
    # A blank, a carriage return or the line's end follows a mark.
    marked = [(number, line[:7]) for number, line in enumerate(lines, 1) if line[:7] in MARKS and line[7:8] in b" \r"]
    marks = [mark for _number, mark in marked]
    return [number for number, _mark in marked] if BEGIN in marks and END in marks else []
