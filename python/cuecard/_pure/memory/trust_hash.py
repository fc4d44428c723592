"""The hash under which trust in a memory is recorded; it does not depend on the place of the file (SPEC 45.1)."""

from ...basics.digest import sha256_hex
from ...basics.json_reader import object_in, read_json_object

# The first line of the hashed bytes. A changed encoding gets a new number.
VERSION_LINE = b"cuecard trust 1\n"
# These fields are hashed only if one of them is set, so that a memory without them keeps its hash.
VALIDITY = ("evidence", "valid_from", "valid_until", "applies_to")
# Each of these fields is hashed only if it is set.
IF_PRESENT = ("contradicts", "supersedes", "subject", "forbids", "derived_from", "sections", "pointer", "conflicts")


def trust_hash(data: bytes) -> str | None:
    """The trust hash of a memory's file in lower-case hexadecimal; None if the file is not a JSON object."""
    record = read_json_object(data)
    return None if record is None else trust_hash_of(record)


def trust_hash_of(record: dict[str, object]) -> str:
    """The trust hash of a memory's record.

    It covers everything that can be shown to an agent: category, title, tags, content, gist, questions, anchors,
    evidence, where and when the memory is valid, which memories it contradicts, supersedes and is derived from, its
    subject, what it forbids, its sections and its pointer, and the values that gave way in a merge. Dates of the file,
    the id and other links to memories are left out, so that a memory keeps its trust when its file is moved or touched.
    """
    own = object_in(record, "cuecard")
    hashed = [
        *[record.get(name) for name in ("category", "title", "tags", "content")],
        own.get("gist"),
        own.get("questions"),
        [record.get("related_files"), own.get("anchors")],
    ]
    validity = [own.get(name) for name in VALIDITY]
    if any(value is not None for value in validity):
        hashed.append(validity)
    # Objects, so that these lists cannot be mistaken for the list `validity`.
    hashed += [{name: own[name]} for name in IF_PRESENT if own.get(name) is not None]
    return sha256_hex(VERSION_LINE + _encode(hashed))


def _encode(value: object) -> bytes:
    """The canonical encoding of a JSON value for hashing."""
    if isinstance(value, str):
        data = value.encode()
        return b"s%d:%b" % (len(data), data)
    if value is None:
        return b"n"
    if isinstance(value, bool):
        return b"t" if value else b"F"
    if isinstance(value, int):
        return b"i%d;" % value
    if isinstance(value, float):
        return b"f%016x;" % _bits_of(value)
    if isinstance(value, dict):
        # The order of code points is the order of the keys' bytes in UTF-8.
        return b"{%b}" % b"".join([_encode(name) + _encode(value[name]) for name in sorted(value)])
    if isinstance(value, list):
        return b"[%b]" % b"".join(map(_encode, value))
    raise TypeError(type(value))


def _bits_of(number: float) -> int:
    """The IEEE 754 bits of a number; all NaNs have the same bits."""
    if number != number:
        return 0x7FF8_0000_0000_0000
    from struct import pack

    return int.from_bytes(pack(">d", number), "big")
