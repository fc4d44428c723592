"""Every exception of cuecard.

Each message is one lower-case sentence; `hint` says how to fix the problem, or is "".
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
    "SyncError",
    "UsageError",
    "ValidationError",
    "WriteError",
]


class CuecardError(Exception):
    """Base of all errors that cuecard raises on purpose.

    `what` is the message, and `hint` says how to fix the problem. An error about a value also has the name of its
    `field`, the `expected` value and the `found` value; these are "" in other errors. `code` names the kind of error
    for programs.
    """

    code = "ERROR"

    def __init__(self, what: str, hint: str = "", *, field: str = "", expected: str = "", found: str = "") -> None:
        """Set the fields; `what` and `hint` are written for the user."""
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.field = field
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"{self.what}\nhint: {self.hint}" if self.hint else self.what

    def as_dict(self) -> dict[str, object]:
        """The object that `--json` prints under `error`."""
        return {
            "code": self.code,
            "what": self.what,
            "field": self.field,
            "expected": self.expected,
            "found": self.found,
            "fix": self.hint,
        }


class UsageError(CuecardError, ValueError):
    """An argument has a value that is not allowed."""

    code = "USAGE_ERROR"


class PayloadError(CuecardError, ValueError):
    """The host's data on standard input cannot be understood (SPEC 12.1)."""

    code = "PAYLOAD_ERROR"


class BackendError(CuecardError, ImportError):
    """`CUECARD_BACKEND` names a backend that does not exist or cannot load."""

    code = "BACKEND_ERROR"


class StoreError(CuecardError):
    """The store is missing, or one of its files cannot be read."""

    code = "STORE_ERROR"


class SegmentError(StoreError, ValueError):
    """A segment of the snapshot is damaged, has another version, or is not a segment (SPEC 20.5)."""

    code = "SEGMENT_ERROR"


class WriteError(StoreError):
    """The system refused a write, for example because the disk is full or a permission is missing."""

    code = "WRITE_ERROR"


class ModelError(CuecardError):
    """A model cannot be asked, did not answer in time, or answered in the wrong form."""

    code = "MODEL_ERROR"


class SyncError(CuecardError):
    """A team's repository or server cannot be reached, refuses, or sends what cannot be used."""

    code = "SYNC_ERROR"


class InputError(StoreError, ValueError):
    """The input for a memory cannot be read, or is not a JSON object."""

    code = "INPUT_ERROR"


class Problem:
    """One thing that is wrong with a record."""

    __slots__ = ("expected", "field", "fix", "found")

    def __init__(self, field: str, expected: str, found: str, fix: str) -> None:
        """Describe a wrong value; `field` is its path in the record, such as `content.steps[0]`."""
        self.field = field
        self.expected = expected
        self.found = found
        self.fix = fix

    def __repr__(self) -> str:
        return f"Problem({self.field!r}, {self.expected!r}, {self.found!r}, {self.fix!r})"

    def as_dict(self) -> dict[str, str]:
        """The four fields by name."""
        return {"field": self.field, "expected": self.expected, "found": self.found, "fix": self.fix}


class ValidationError(StoreError, ValueError):
    """A record does not fit the model of its category; `problems` lists everything that is wrong."""

    code = "VALIDATION_ERROR"

    def __init__(self, what: str, problems: list[Problem]) -> None:
        """Set the fields of the error from the first of the `problems`, which must not be empty."""
        first = problems[0]
        super().__init__(what, first.fix, field=first.field, expected=first.expected, found=first.found)
        self.problems = problems

    def as_dict(self) -> dict[str, object]:
        """The object that `--json` prints under `error`, with all problems."""
        return {**super().as_dict(), "problems": [problem.as_dict() for problem in self.problems]}


class MissingError(StoreError, LookupError):
    """There is no memory with the given name."""

    code = "NOT_FOUND_ERROR"


class OverwriteError(StoreError):
    """A memory with this category and id exists already."""

    code = "CREATE_OVERWRITE_ERROR"


class ResurrectionError(StoreError):
    """A memory with this category and id was retired within the last 24 hours."""

    code = "ANTI_RESURRECTION_ERROR"


class ConflictError(StoreError):
    """The memory has changed since the caller read it."""

    code = "OCC_CONFLICT"


class MergeError(StoreError):
    """An update would remove tags or related files from a memory."""

    code = "MERGE_ERROR"


class StatusError(StoreError):
    """The memory's status does not allow the requested change of status."""

    code = "STATUS_ERROR"


class LimitError(StoreError):
    """A category has its maximum number of memories, or a record is too large."""

    code = "LIMIT_ERROR"


class LockError(StoreError):
    """Another process has held the store's lock for too long."""

    code = "LOCK_TIMEOUT_ERROR"


class HostFileError(CuecardError):
    """A host's settings file cannot be changed: it is unreadable, malformed, or has other data where cuecard writes."""

    code = "HOST_FILE_ERROR"
