"""The file format of the pure backend: two lines of JSON (SPEC 21.6, 23.5).

The second line is the content. The first line has the kind of the file and its version, and the length in bytes and the
CRC-32 of the second line.
"""

from ...basics.json_reader import JsonError, read_json_object, read_large_json
from ...errors import SegmentError

FOREIGN = ("the file is not a cuecard index", "name an index file that this backend of cuecard has written")
OTHER_VERSION = ("the index file was written by another version of cuecard", "build the index again")
DAMAGED = ("the index file is damaged", "build the index again")

# The first line of a valid file is shorter than this.
MAX_HEAD_BYTES = 200


def pack_lines(name: str, version: int, content: object) -> bytes:
    """The bytes of a file of the kind `name`."""
    # Loaded here, because most prompts write no such file.
    from binascii import crc32
    from json import dumps

    body = dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    head = {"file": name, "version": version, "bytes": len(body), "crc32": crc32(body)}
    return dumps(head, separators=(",", ":")).encode() + b"\n" + body


def unpack_lines(data: bytes, name: str, version: int) -> object:
    """The content of a file of the kind `name`.

    Raises SegmentError if the file is of another kind or version, or is damaged.
    """
    # Loaded here, because only some commands read such a file.
    from binascii import crc32

    end = (data.find(b"\n") + 1 or len(data) + 1) - 1
    first, body = data[: min(end, MAX_HEAD_BYTES)], memoryview(data)[end + 1 :]
    head = read_json_object(first)
    if head is None or head.get("file") != name:
        raise SegmentError(*FOREIGN)
    if head.get("version") != version:
        raise SegmentError(*OTHER_VERSION)
    if head.get("bytes") != len(body) or head.get("crc32") != crc32(body):
        raise SegmentError(*DAMAGED)
    try:
        return read_large_json(body)
    except JsonError:
        raise SegmentError(*DAMAGED) from None
