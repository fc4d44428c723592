"""SHA-256 as text, for the key of a store (SPEC 51.2) and for the hash under which trust is recorded."""


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of the bytes as 64 lower-case hexadecimal digits.

    This calls the interpreter's C module directly, because loading `hashlib` takes about a millisecond per prompt.
    """
    try:
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            # The name of the module up to Python 3.11.
            from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            from hashlib import sha256
    digits: str = sha256(data).hexdigest()
    return digits
