"""Every exception of cuecard; here those of both twins, the others in `write_errors`.

Messages are one lower-case sentence; `hint` says what to do about it, where something can be done.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .write_errors import (
        ConflictError,
        HostFileError,
        InputError,
        LimitError,
        LockError,
        MergeError,
        MissingError,
        OverwriteError,
        Problem,
        ResurrectionError,
        StatusError,
        ValidationError,
    )

__all__ = [
    "BackendError",
    "ConflictError",
    "CuecardError",
    "HostFileError",
    "InputError",
    "LimitError",
    "LockError",
    "MergeError",
    "MissingError",
    "ModelError",
    "OverwriteError",
    "PayloadError",
    "Problem",
    "ResurrectionError",
    "SegmentError",
    "StatusError",
    "StoreError",
    "UsageError",
    "ValidationError",
    "WriteError",
]


class CuecardError(Exception):
    """Base of all errors that cuecard raises on purpose.

    Beside the sentence `what` and its `hint`, an error that concerns a value says which `field` it stands in,
    what was `expected` and what was `found`; "" where that does not apply. `code` names the kind for programs.
    """

    code = "ERROR"

    def __init__(self, what: str, hint: str = "", *, field: str = "", expected: str = "", found: str = "") -> None:
        """Keep `what` went wrong and a `hint` how to mend it; either may be shown to a person."""
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.field = field
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"{self.what}\nhint: {self.hint}" if self.hint else self.what

    def as_dict(self) -> dict[str, object]:
        """What `--json` prints under `error`."""
        return {
            "code": self.code,
            "what": self.what,
            "field": self.field,
            "expected": self.expected,
            "found": self.found,
            "fix": self.hint,
        }


class UsageError(CuecardError, ValueError):
    """An argument outside its closed list of values."""

    code = "USAGE_ERROR"


class PayloadError(CuecardError, ValueError):
    """What a host sent on standard input cannot be understood (SPEC 12.1)."""

    code = "PAYLOAD_ERROR"


class BackendError(CuecardError, ImportError):
    """`CUECARD_BACKEND` names a twin that does not exist or cannot load."""

    code = "BACKEND_ERROR"


class StoreError(CuecardError):
    """The store is missing, or one of its files cannot be read."""

    code = "STORE_ERROR"


class SegmentError(StoreError, ValueError):
    """What should be a segment is none, is of another version, or is damaged (SPEC 20.5)."""

    code = "SEGMENT_ERROR"


class WriteError(StoreError):
    """The machine did not take a write: no room, no permission."""

    code = "WRITE_ERROR"


class ModelError(CuecardError):
    """A model cannot be asked, or has not answered as it should, or not in time."""

    code = "MODEL_ERROR"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # A prompt has no use for them.
    from . import write_errors

    return getattr(write_errors, name)
