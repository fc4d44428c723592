"""SHA-256 as text: the key of a store (SPEC 51.2) and the hash that trust is kept by."""


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of some bytes as 64 lower-case hexadecimal digits.

    The interpreter's own C module serves, because loading `hashlib` costs a prompt about a millisecond.
    """
    try:
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            # Up to Python 3.11.
            from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            from hashlib import sha256
    digits: str = sha256(data).hexdigest()
    return digits
