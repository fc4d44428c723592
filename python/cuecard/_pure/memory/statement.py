"""The main statement of a memory, and the key by which it is recognised in another text (SPEC 12.6)."""

from ...basics.chars import WHITESPACE
from ...basics.digest import sha256_hex
from ...basics.json_reader import object_in
from .card import MAIN_FIELDS

# A statement with fewer bytes can stand in another text by chance.
LEAST_BYTES = 12
KEY_CHARS = 16
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# White space becomes a blank and ASCII small letters; the signs of Markdown around words say nothing.
_PLAIN = str.maketrans(_UPPER + WHITESPACE, _UPPER.lower() + " " * len(WHITESPACE), "*_`")
# The signs with which a statement may end or not.
ENDS = " .!;:,\u3002"


def main_statement(record: dict[str, object]) -> str:
    """What the main field of a memory's category says; "" unless it is one text."""
    category = record.get("category")
    field = MAIN_FIELDS.get(category) if isinstance(category, str) else None
    said = object_in(record, "content").get(field) if field else None
    return said if isinstance(said, str) else ""


def statement_key(text: str) -> str:
    """The key of a statement; "" if the statement is too short to be recognised.

    It is the same for all spellings that differ only in white space, ASCII case, Markdown and the sign at the end.
    """
    words = [word for word in text.translate(_PLAIN).split(" ") if word]
    said = " ".join(words).rstrip(ENDS).encode("utf-8", "replace")
    return sha256_hex(said)[:KEY_CHARS] if len(said) >= LEAST_BYTES else ""
