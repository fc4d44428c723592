"""Finds the paths of files and folders that a prompt names (SPEC 34.1)."""

from ...basics.chars import WHITESPACE, scrub
from ..memory.links import normalize_path

# How many characters of a prompt are searched.
MAX_CHARS = 4096
MAX_PATHS = 16
MAX_EXTENSION = 8
# The characters that separate words.
BREAKS = frozenset(WHITESPACE + "\"'`<>()|,")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
LETTERS_AND_DIGITS = LETTERS.union("0123456789")
# The characters of a path. Other characters end it, because words of a sentence may follow without a blank.
SIGNS = LETTERS_AND_DIGITS.union("/\\._-+@$[]")


def mentioned_paths(prompt: str) -> list[str]:
    """Return the paths in a prompt without duplicates, in order: words with a slash, and names with an extension.

    Backslashes become slashes, and web addresses are left out. It is not known which folder a path is relative to.
    """
    found: dict[str, None] = {}
    text = scrub(prompt[:MAX_CHARS])
    for word in "".join([" " if char in BREAKS else char for char in text]).split(" "):
        if "://" in word or not ("/" in word or "\\" in word or "." in word):
            continue
        for chunk in "".join([char if char in SIGNS else " " for char in word]).split(" "):
            path = _path_of(chunk)
            if path:
                found[path] = None
    return list(found)[:MAX_PATHS]


def _path_of(chunk: str) -> str | None:
    before = None
    # The text within brackets can have such characters at its ends as well.
    while chunk != before:
        before = chunk
        chunk = chunk.lstrip("@+-").rstrip(".@+-")
        # Brackets belong to a name only if it has both of them.
        if not ("[" in chunk and "]" in chunk):
            chunk = chunk.lstrip("[").rstrip("]")
        elif chunk[0] == "[" and chunk[-1] == "]" and len(chunk) > 1:
            chunk = chunk[1:-1]
    path = normalize_path(chunk)
    if path is None or LETTERS.isdisjoint(path):
        return None
    return path if "/" in path or _has_extension(path) else None


def _has_extension(name: str) -> bool:
    _stem, dot, extension = name.rpartition(".")
    is_word = bool(dot) and LETTERS_AND_DIGITS.issuperset(extension)
    return is_word and 1 <= len(extension) <= MAX_EXTENSION and extension[0] in LETTERS
