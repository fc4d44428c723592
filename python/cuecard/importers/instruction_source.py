"""What the memories from a file of instructions need to know about the file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class InstructionSource:
    """What the memories from a file of instructions need to know about the file."""

    path: str
    kind: str
    name: str
    """The subject that the file's title names; "" if it names no subject."""
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    """The headings that are titles of the whole file. Memories do not repeat these headings."""
    is_always: bool = False
    """Whether the file says that its instructions always apply."""
    is_index: bool = False
    """Whether lines with a link to a note only sum up this note."""
