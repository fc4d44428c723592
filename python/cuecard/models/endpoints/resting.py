"""Endpoints that have failed a short time ago: the next prompts leave them alone (SPEC 48.4).

A line for each in the file `endpoints` of the user's data folder: its place, and when it failed, in seconds since 1970.
The executable reads the same file, so that it does not start a Python for nothing.
"""

import time
from contextlib import suppress

from ...files.folder import PRIVATE_FILE, Unread
from ...files.user_folder import open_data_folder

FILE = "endpoints"
MAX_BYTES = 1 << 14
MAX_PLACES = 64
REST_SECONDS = 300


def is_resting(place: str) -> bool:
    """Whether an endpoint has failed within the last minutes."""
    failed = _read().get(place)
    return failed is not None and 0 <= time.time() - failed < REST_SECONDS


def note_failure(place: str) -> None:
    """Note that an endpoint could not be reached, or was late."""
    places = _read()
    places.pop(place, None)
    _write({**places, place: int(time.time())})


def note_answer(place: str) -> None:
    """Forget that an endpoint has failed: it has answered."""
    places = _read()
    if places.pop(place, None) is not None:
        _write(places)


def _read() -> dict[str, int]:
    """When each endpoint has failed last, the oldest first."""
    folder = open_data_folder()
    if folder is None:
        return {}
    with folder:
        try:
            lines = folder.read(FILE, MAX_BYTES)[0].decode("utf-8", "replace").splitlines()
        except Unread:
            return {}
    found = {}
    for line in lines:
        place, _, moment = line.partition(" ")
        if moment.isascii() and moment.isdecimal():
            found[place] = int(moment[:20])
    return found


def _write(places: dict[str, int]) -> None:
    """Keep the latest; without a data folder every prompt tries again."""
    folder = open_data_folder(make=True)
    if folder is None:
        return
    lines = [f"{place} {moment}\n" for place, moment in list(places.items())[-MAX_PLACES:]]
    with folder, suppress(OSError):
        folder.replace(FILE, "".join(lines).encode(), mode=PRIVATE_FILE, durable=False)
