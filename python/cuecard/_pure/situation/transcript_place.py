"""Finds the transcript of a session whose host does not name it in its events (SPEC 30.5)."""

import os
from itertools import islice

from ...basics.host_table import TRANSCRIPTS
from ...basics.surroundings import admits
from ..host.session import session_file_name

# At most this many folders are looked into.
MAX_FOLDERS = 4096


def find_transcript(host: str, session: str, home: str) -> str:
    """The path of a session's transcript by the table of hosts; "" if there is none."""
    row, name = TRANSCRIPTS.get(host, ""), session_file_name(session)
    if not row or name is None:
        return ""
    variable, usual, place = row.split(" ")
    folder, _any, file = place.partition("/*/")
    named = os.environ.get(variable, "")
    own = named if named and admits(named) else home and os.path.join(home, usual)
    if not own:
        return ""
    try:
        with os.scandir(os.path.join(own, folder)) as folders:
            places = [os.path.join(entry.path, file.replace("SESSION", name)) for entry in islice(folders, MAX_FOLDERS)]
    except OSError:
        return ""
    return next((place for place in places if os.path.isfile(place)), "")
