"""Every exception of cuecard, raised by both twins.

Messages are one lower-case sentence; `hint` says what to do about it, where something can be done.
"""


class CuecardError(Exception):
    """Base of all errors that cuecard raises on purpose."""

    def __init__(self, what: str, hint: str = "") -> None:
        """Keep `what` went wrong and a `hint` how to mend it; either may be shown to a person."""
        super().__init__(what)
        self.what = what
        self.hint = hint


class UsageError(CuecardError, ValueError):
    """An argument outside its closed list of values."""


class PayloadError(CuecardError, ValueError):
    """What a host sent on standard input cannot be understood (SPEC 12.1)."""


class BackendError(CuecardError, ImportError):
    """`CUECARD_BACKEND` names a twin that does not exist or cannot load."""


class StoreError(CuecardError):
    """The store is missing, or one of its files cannot be read."""
