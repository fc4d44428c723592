"""What can be wrong with a write to the store or to a host's settings; `errors` has these names too."""

from .errors import CuecardError, StoreError


class InputError(StoreError, ValueError):
    """What should become a memory cannot be read, or is no JSON object."""

    code = "INPUT_ERROR"


class Problem:
    """One thing that is wrong with a record."""

    __slots__ = ("expected", "field", "fix", "found")

    def __init__(self, field: str, expected: str, found: str, fix: str) -> None:
        """Of the value at `field`, a path such as `content.steps[0]`."""
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
