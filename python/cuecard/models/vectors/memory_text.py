"""The text of a memory from which its vector is computed (docs/reference/models.md, "Rows")."""

from hashlib import sha256

from ..._backend import read_card
from ...basics.chars import scrub
from ...basics.json_reader import read_json_object

# Models ignore longer texts, and some endpoints reject them.
MAX_CHARS = 6000
# All letters before this one are Latin: the blocks up to Latin Extended-B.
FIRST_OTHER_LETTER = "\u0250"
DIGEST_BYTES = 16


def text_of(path: str, data: bytes) -> tuple[str, str] | None:
    """The text of a memory, and its status; None if the file is not a valid memory.

    The text has the title, the tags and the content, whose most informative fields come first.
    """
    record, card = read_json_object(data), read_card(data)
    if record is None or card is None:
        return None
    title, tags = record.get("title"), record.get("tags")
    lines = [title if isinstance(title, str) else path.rpartition("/")[2].removesuffix(".json")]
    if isinstance(tags, list):
        lines.append(", ".join([tag for tag in tags if isinstance(tag, str)]))
    lines.append(card[3])
    status = record.get("record_status")
    text = scrub("\n".join([line for line in lines if line.strip()]))
    return text[:MAX_CHARS], status if isinstance(status, str) else "active"


def is_latin(text: str) -> bool:
    """Whether at least half of a text's letters are Latin; True for a text without letters."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum([char < FIRST_OTHER_LETTER for char in letters]) >= len(letters)


def digest_of(text: str) -> bytes:
    """The digest of a text: the beginning of its SHA-256."""
    return sha256(text.encode("utf-8", "replace")).digest()[:DIGEST_BYTES]
