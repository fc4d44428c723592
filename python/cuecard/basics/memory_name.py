"""Names of files and ids: which file is a memory, which category it has, what a valid id is (SPEC 13, 17.2)."""

from .category import FOLDERS

MAX_ID_CHARS = 80
# Stands in place of a name that addresses the model, and how a person sees the name.
NAMELESS = "name-withheld"
HOW_TO_SEE = "`cuecard list` in a terminal shows the names to a person"

_ID_ENDS = "abcdefghijklmnopqrstuvwxyz0123456789"


def category_of(folder: str) -> str | None:
    """The category of the memories in a folder of the store, or None. ASCII letters match in either case."""
    return dict(FOLDERS).get(folder.lower() if folder.isascii() else folder)


def is_memory(folder: str, name: str) -> bool:
    """Whether the file `name` in `folder` is a memory: `folder` is a category folder, and the name ends in `.json`."""
    return category_of(folder) is not None and name[-5:].isascii() and name[-5:].lower() == ".json"


def id_of_path(path: str) -> str:
    """The id of the memory at a path: the name of its file without `.json`."""
    return path.rpartition("/")[2].removesuffix(".json")


def is_id(text: str) -> bool:
    """Whether the text is a valid id of a memory."""
    return (
        0 < len(text) <= MAX_ID_CHARS
        and text[0] in _ID_ENDS
        and text[-1] in _ID_ENDS
        and all(char in _ID_ENDS or char == "-" for char in text)
    )


def plain_slug(text: str) -> str:
    """The text as an id: lower-case ASCII letters and digits, one hyphen for each run of other characters.

    The result has at most `MAX_ID_CHARS` characters; it is "" if the text has no such letter or digit.
    """
    runs = "".join([char if char in _ID_ENDS else " " for char in text.lower()]).split()
    return "-".join(runs)[:MAX_ID_CHARS].rstrip("-")
