"""SHA-256 as text, for the key of a store (SPEC 44.2) and for the hash under which trust is recorded."""

import sys

# The interpreter's C module is used directly, because loading `hashlib` takes about a millisecond per prompt.
try:
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from hashlib import sha256


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of the bytes as 64 lower-case hexadecimal digits."""
    digits: str = sha256(data).hexdigest()
    return digits
