"""Every exception of cuecard.

Messages are one lower-case sentence; `hint` says what to do about it, where something can be done.
"""

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
        """Keep `what` went wrong and a `hint` how to fix it; either may be shown to a person."""
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
    """`CUECARD_BACKEND` names a backend that does not exist or cannot load."""

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


class InputError(StoreError, ValueError):
    """What should become a memory cannot be read, or is no JSON object."""

    code = "INPUT_ERROR"


class Problem:
    """One thing that is wrong with a record."""

    __slots__ = ("expected", "field", "fix", "found")

    def __init__(self, field: str, expected: str, found: str, fix: str) -> None:
        """Describe the value at `field`, a path such as `content.steps[0]`."""
        self.field = field
        self.expected = expected
        self.found = found
        self.fix = fix

    def __repr__(self) -> str:
        return f"Problem({self.field!r}, {self.expected!r}, {self.found!r}, {self.fix!r})"

    def as_dict(self) -> dict[str, str]:
        """Its four texts by name."""
        return {"field": self.field, "expected": self.expected, "found": self.found, "fix": self.fix}


class ValidationError(StoreError, ValueError):
    """A record that does not fit its category's model; `problems` has every reason."""

    code = "VALIDATION_ERROR"

    def __init__(self, what: str, problems: list[Problem]) -> None:
        """The first of `problems`, of which there is at least one, speaks for all where there is room for one."""
        first = problems[0]
        super().__init__(what, first.fix, field=first.field, expected=first.expected, found=first.found)
        self.problems = problems

    def as_dict(self) -> dict[str, object]:
        """What `--json` prints under `error`: every problem too."""
        return {**super().as_dict(), "problems": [problem.as_dict() for problem in self.problems]}


class MissingError(StoreError, LookupError):
    """There is no such memory."""

    code = "NOT_FOUND_ERROR"


class OverwriteError(StoreError):
    """A memory of that category and id is there already."""

    code = "CREATE_OVERWRITE_ERROR"


class ResurrectionError(StoreError):
    """A memory of that category and id was retired within the last day."""

    code = "ANTI_RESURRECTION_ERROR"


class ConflictError(StoreError):
    """The memory has changed since the caller read it."""

    code = "OCC_CONFLICT"


class MergeError(StoreError):
    """An update would lose what a memory has."""

    code = "MERGE_ERROR"


class StatusError(StoreError):
    """A step of the lifecycle that the memory's status does not allow."""

    code = "STATUS_ERROR"


class LimitError(StoreError):
    """A category is full, or a record is too large."""

    code = "LIMIT_ERROR"


class LockError(StoreError):
    """Another process has been writing to the store for too long."""

    code = "LOCK_TIMEOUT_ERROR"


class HostFileError(CuecardError):
    """A host's settings cannot be changed: they cannot be read, are malformed, or hold something in our place."""

    code = "HOST_FILE_ERROR"
