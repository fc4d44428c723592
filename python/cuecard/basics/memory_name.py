"""What the name of a file says: whether it is a memory, of which category, and what an id is (SPEC 13, 17.2)."""

from .category import FOLDERS

MAX_ID_CHARS = 80

_ID_ENDS = "abcdefghijklmnopqrstuvwxyz0123456789"


def category_of(folder: str) -> str | None:
    """The category of a folder of the store; ASCII letters of any case."""
    return dict(FOLDERS).get(folder.lower() if folder.isascii() else folder)


def is_memory(folder: str, name: str) -> bool:
    """Whether a file of a category folder is a memory, by its name alone."""
    return category_of(folder) is not None and name[-5:].isascii() and name[-5:].lower() == ".json"


def is_id(text: str) -> bool:
    """Whether a text can be the id of a memory."""
    return (
        0 < len(text) <= MAX_ID_CHARS
        and text[0] in _ID_ENDS
        and text[-1] in _ID_ENDS
        and all(char in _ID_ENDS or char == "-" for char in text)
    )


def plain_slug(text: str) -> str:
    """The letters and digits of a text in ASCII, with hyphens for what lies between them, as long as an id may be."""
    runs = "".join([char if char in _ID_ENDS else " " for char in text.lower()]).split()
    return "-".join(runs)[:MAX_ID_CHARS].rstrip("-")
