"""Remembers endpoints that failed recently, so that the next prompts do not ask them (SPEC 41.4).

The file `endpoints` of the user's data folder has a line for each such endpoint: its host, and when it failed (seconds
since 1970).
The executable reads the same file, so that it does not start Python needlessly.
"""

import time
from contextlib import suppress

from ...files.folder import PRIVATE_FILE
from ...files.user_folder import open_data_folder

FILE = "endpoints"
MAX_BYTES = 1 << 14
MAX_PLACES = 64
REST_SECONDS = 300


def is_resting(place: str) -> bool:
    """Whether an endpoint has failed within the last five minutes."""
    failed = _read().get(place)
    return failed is not None and 0 <= time.time() - failed < REST_SECONDS


def note_failure(place: str) -> None:
    """Record that an endpoint could not be reached, or was late."""
    places = _read()
    places.pop(place, None)
    _write({**places, place: int(time.time())})


def note_answer(place: str) -> None:
    """Delete the record of an endpoint's failure, since it has answered."""
    places = _read()
    if places.pop(place, None) is not None:
        _write(places)


def _read() -> dict[str, int]:
    """The time of each endpoint's last failure, the oldest first."""
    folder = open_data_folder()
    if folder is None:
        return {}
    with folder:
        lines = (folder.read_if_any(FILE, MAX_BYTES) or b"").decode("utf-8", "replace").splitlines()
    found = {}
    for line in lines:
        place, _, moment = line.partition(" ")
        if moment.isascii() and moment.isdecimal():
            found[place] = int(moment[:20])
    return found


def _write(places: dict[str, int]) -> None:
    """Write the latest failures to the file. Without a data folder nothing is written, and every prompt asks again."""
    folder = open_data_folder(make=True)
    if folder is None:
        return
    lines = [f"{place} {moment}\n" for place, moment in list(places.items())[-MAX_PLACES:]]
    with folder, suppress(OSError):
        folder.replace(FILE, "".join(lines).encode(), mode=PRIVATE_FILE, durable=False)
