"""What the memories from a file of instructions need to know about the file."""

from dataclasses import dataclass

from ..store.records.record_limits import MAX_TITLE_CHARS
from .subjects import with_subject


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
    part: str = ""
    """What the file is about, if it is about a part of the work, such as `react` for `react.mdc`."""
    is_index: bool = False
    """Whether lines with a link to a note only sum up this note."""

    def topic_of(self, topic: str, *, is_form: bool) -> str:
        """The topic of a section, with what the file is about in front.

        `is_form` says that the section's heading, such as `Review checklist`, does not say what it is about.
        """
        before = self.part or (self.name if is_form else "")
        return f"{before} > {topic}" if before and topic not in (before, self.name) else topic

    def with_part(self, title: str) -> str:
        """A title with what the file is about in front, if it fits: nobody knows that by a rule alone."""
        is_short = len(self.part) + len(": ") + len(title) <= MAX_TITLE_CHARS
        return with_subject(title, self.part, is_needed=True) if self.part and is_short else title
